"""The part of `summary.md` that `memory summarize` writes, between two comments.

Everything outside is written by people and stays byte for byte. Each of our lines ends with the ids
of its source sessions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.errors import InvalidInputError

BEGIN = "<!-- memory summarize: begin; this part is generated -->"
END = "<!-- memory summarize: end -->"
# How the first comment begins in files of all versions.
MARK = "<!-- memory summarize: begin"

# With its frame, this fits into an item of the context block.
DEFAULT_MAX_CHARS = 1400
LEAST_CHARS = 200

_REST = r"\b[^\r\n]*-->[^\S\r\n]*(?=\r?$)"
_BEGIN = lazy_pattern(rf"^<!-- memory summarize: begin{_REST}", re.MULTILINE)
_END = lazy_pattern(rf"^<!-- memory summarize: end{_REST}", re.MULTILINE)
_ID = r"[0-9]{4}-[0-9]{2}-[0-9]{2}#[0-9]+(?:~[0-9]+)?"
_SOURCES = lazy_pattern(rf"\(({_ID}(?:, {_ID})*)(?:; [^()]*)?\)\s*\Z")


def put(text: str, lines: list[str]) -> str:
    """Return the file with these lines as our part, at its end if there is none."""
    newline = "\r\n" if "\r\n" in text else "\n"
    part = newline.join([BEGIN, *lines, END])
    span = _span(text)
    if span:
        return text[: span[0]] + part + text[span[1] :]
    if not lines:
        return text
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{part}{newline}"


def without_missing(text: str, find_present: Callable[[set[str]], set[str]]) -> str:
    """Return the text without our lines whose sources are all gone.

    `find_present` returns which of some ids exist. If our part is not marked as one pair of
    comments, any line of the file may be ours.
    """

    def chosen(lines: list[str]) -> list[str]:
        ids = {line: sources(line) for line in lines}
        present = find_present({id_ for of_line in ids.values() for id_ in of_line})
        return [line for line in lines if not ids[line] or present.intersection(ids[line])]

    return _with_fewer(text, chosen)


def without(text: str, ids: Collection[str]) -> str:
    """Return the text without our lines that have one of these sources."""
    return _with_fewer(
        text, lambda lines: [line for line in lines if not set(ids).intersection(sources(line))]
    )


def _with_fewer(text: str, chosen: Callable[[list[str]], list[str]]) -> str:
    """Return the text with the chosen of our lines; empty headings go too."""
    try:
        span = _span(text)
    except InvalidInputError:
        span = 0, len(text)
    if not span:
        return text
    lines = text[span[0] : span[1]].split("\n")
    rest = chosen(lines)
    if len(rest) == len(lines):
        return text
    return text[: span[0]] + "\n".join(_without_bare_headings(rest)) + text[span[1] :]


def sources(line: str) -> tuple[str, ...]:
    """Return the ids of the source sessions of one of our lines.

    >>> sources("- 用 pnpm (2026-01-29#1, 2026-02-03#2; git: bob)")
    ('2026-01-29#1', '2026-02-03#2')
    """
    match = _SOURCES.search(line) if line.startswith("- ") else None
    return tuple(match[1].split(", ")) if match else ()


def _without_bare_headings(lines: list[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        following = next((later for later in lines[place + 1 :] if later.strip()), END)
        if not (line.startswith("## ") and following.startswith(("## ", "<!-- "))):
            yield line


def _span(text: str) -> tuple[int, int] | None:
    """Return the range of our part, with its comments, None if there is none."""
    begins = [match.start() for match in _BEGIN.finditer(text)]
    ends = [match.end() for match in _END.finditer(text)]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        message = "summary.md: its lines `memory summarize: begin` and `end` are not one pair"
        hint = "fix them in an editor, or remove them with everything between them"
        raise InvalidInputError(message, hint=hint)
    return begins[0], ends[0]
