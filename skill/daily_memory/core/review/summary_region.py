"""The part of `summary.md` that `memory summarize` writes, between two comments.

Whatever stands outside of it is written by people, and stays byte for byte. Each line of ours ends
with the ids of the sessions that it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.errors import InvalidInputError

BEGIN = "<!-- memory summarize: begin; up to its end this is made anew each time -->"
END = "<!-- memory summarize: end -->"
# What tells that there is such a part, whatever else stands in that comment.
MARK = "<!-- memory summarize: begin"

# With the frame of the context block this stays below what one of its items may have.
DEFAULT_MAX_CHARS = 1400
LEAST_CHARS = 200

_REST = r"\b[^\r\n]*-->[^\S\r\n]*(?=\r?$)"
_BEGIN = lazy_pattern(rf"^<!-- memory summarize: begin{_REST}", re.MULTILINE)
_END = lazy_pattern(rf"^<!-- memory summarize: end{_REST}", re.MULTILINE)
_ID = r"[0-9]{4}-[0-9]{2}-[0-9]{2}#[0-9]+(?:~[0-9]+)?"
_SOURCES = lazy_pattern(rf"\(({_ID}(?:, {_ID})*)(?:; [^()]*)?\)\s*\Z")


def put(text: str, lines: list[str]) -> str:
    """Return the text of the file with these lines as our part, at its end where it had none.

    Line ends are those of the file.

    Raises:
        InvalidInputError: the comments that mark our part do not come as one pair.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    made = newline.join([BEGIN, *lines, END])
    span = _span(text)
    if span:
        return text[: span[0]] + made + text[span[1] :]
    if not lines:
        return text
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{made}{newline}"


def kept(text: str, find_present: Callable[[set[str]], set[str]]) -> str:
    """Return the text without the lines of ours whose sources are all gone.

    `find_present` says which of some ids are there. A heading that has no line left goes as well.
    Where our part is not marked as it should be, any line of the file may be ours.
    """

    def there(lines: list[str]) -> list[str]:
        named = {line: sources(line) for line in lines}
        present = find_present({one for ids in named.values() for one in ids})
        return [line for line in lines if not named[line] or present.intersection(named[line])]

    return _with_fewer(text, there)


def without(text: str, ids: Collection[str]) -> str:
    """Return the text without each line of ours that one of these ids is a source of."""
    return _with_fewer(
        text, lambda lines: [line for line in lines if not set(ids).intersection(sources(line))]
    )


def _with_fewer(text: str, chosen: Callable[[list[str]], list[str]]) -> str:
    """Return the text with those of our lines that are chosen."""
    try:
        span = _span(text)
    except InvalidInputError:
        span = 0, len(text)
    if not span:
        return text
    lines = text[span[0] : span[1]].split("\n")
    there = chosen(lines)
    if len(there) == len(lines):
        return text
    return text[: span[0]] + "\n".join(_without_bare_headings(there)) + text[span[1] :]


def sources(line: str) -> tuple[str, ...]:
    """Return the ids that a line of ours comes from.

    >>> sources("- 用 pnpm (2026-01-29#1, 2026-02-03#2; git: bob)")
    ('2026-01-29#1', '2026-02-03#2')
    """
    match = _SOURCES.search(line) if line.startswith("- ") else None
    return tuple(match[1].split(", ")) if match else ()


def _without_bare_headings(lines: list[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        following = next((one for one in lines[place + 1 :] if one.strip()), END)
        if not (line.startswith("## ") and following.startswith(("## ", "<!-- "))):
            yield line


def _span(text: str) -> tuple[int, int] | None:
    """Return where our part begins and ends, both comments included; None where there is none.

    Raises:
        InvalidInputError: see `put`.
    """
    begins = [match.span() for match in _BEGIN.finditer(text)]
    ends = [match.span() for match in _END.finditer(text)]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0][0] < begins[0][0]:
        raise InvalidInputError(
            "summary.md: its lines `memory summarize: begin` and `end` are not one pair",
            hint="mend them with an editor, or take them out with what stands between them",
        )
    return begins[0][0], ends[0][1]
