"""Keeps `summary.md`: our part of it is made of what stands, the rest is the user's.

Nothing but `memory summarize` makes it anew: the file is kept in git and read by people, and a hook
that rewrote it at the end of each conversation would give every branch another one. What must not
wait is what is gone: a line whose sources were deleted or made private is taken out at once, and
shown to nobody in any case.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from daily_memory.core import markdown, privacy, standing, summary_region
from daily_memory.core.settings import Settings
from daily_memory.core.standing import Line
from daily_memory.errors import ConflictError, InvalidInputError
from daily_memory.services import injecting, viewing
from daily_memory.services.policies import policy
from daily_memory.storage import files
from daily_memory.storage.lock import locked
from daily_memory.storage.roots import Root

# How many of the last sessions tell which language the headings should have.
_JUDGED = 50
# How often it is tried again when an editor saves the file at the same moment.
_ATTEMPTS = 5
_TITLE = "# 记忆摘要 / Summary\n"


class Summary(NamedTuple):
    """What `summary.md` says by now: its path, our lines, how many more there were, and the text.

    `text` is our part alone, as it stands in the file; `is_changed` tells whether it differs from
    what was there.
    """

    path: str
    scope: str
    lines: tuple[Line, ...]
    left_out: int
    text: str
    is_changed: bool


def summarize(
    root: Root, settings: Settings, *, max_chars: int = 0, dry_run: bool = False
) -> Summary:
    """Make our part of `summary.md` anew; with `dry_run` only say what it would be.

    `max_chars` bounds our part, 0 as usual: with what people wrote it then fits into the context
    block.

    Raises:
        InvalidInputError: there is too little room, the file is not UTF-8, or somebody took out
            one of the two comments that mark our part.
        ConflictError: the file kept changing, or the lock was busy.
    """
    max_chars = max_chars or _room(root)
    if max_chars < standing.LEAST_CHARS:
        raise InvalidInputError(f"max_chars: {max_chars} is less than {standing.LEAST_CHARS}")
    sessions = [
        found.session._replace(origin=found.origin)
        for found in viewing.sessions([root])
        if not found.session.is_private
    ]
    hide = policy(settings)
    found = standing.lines_in_force(sessions, lambda text: privacy.redact(text, hide).text)
    language = markdown.heading_language(settings.recording.language, sessions[-_JUDGED:])
    lines = standing.chosen(found, language, max_chars)
    text = standing.formatted(lines, language)
    is_changed = _change(root, text, dry_run=dry_run)
    left_out = sum(map(len, found.values())) - len(lines)
    return Summary(
        summary_path(root), root.scope, tuple(lines), left_out, "\n".join(text), is_changed
    )


def _room(root: Root) -> int:
    """Return how much room what people wrote leaves to our part, or a little in any case."""
    text = _decoded(files.find_bytes(summary_path(root)) or b"")
    by_hand = injecting.told_lines(summary_region.put(text, []))
    return max(standing.DEFAULT_MAX_CHARS - sum(map(len, by_hand)), standing.LEAST_CHARS)


def drop_gone(root: Root) -> bool:
    """Take the lines out of our part whose sources are gone; tell whether there were any.

    Raises:
        ConflictError: the file kept changing, or the lock was busy.
    """
    if not has_part(root):
        return False
    with locked(root):
        return _rewrite(root, lambda text: injecting.without_gone(root, text))


def has_part(root: Root) -> bool:
    """Tell whether there is a part of ours in `summary.md`."""
    return summary_region.MARK.encode() in (files.find_bytes(summary_path(root)) or b"")


def summary_path(root: Root) -> str:
    """Return where the summary of a root is, or would be."""
    return os.path.join(root.path, "summary.md")


def as_json(summary: Summary) -> dict[str, object]:
    """Return a summary as the JSON object that every door gives."""
    return {
        "path": summary.path,
        "scope": summary.scope,
        "changed": summary.is_changed,
        "left_out": summary.left_out,
        "text": summary.text,
        "lines": [
            {
                "kind": line.kind,
                "text": line.text,
                "ids": list(line.ids),
                "origin": line.origin or None,
            }
            for line in summary.lines
        ],
    }


def _change(root: Root, lines: list[str], *, dry_run: bool) -> bool:
    if dry_run:
        text = _decoded(files.find_bytes(summary_path(root)) or b"")
        return _with_lines(text, lines) != text
    with locked(root):
        return _rewrite(root, lambda text: _with_lines(text, lines))


def _with_lines(text: str, lines: list[str]) -> str:
    return summary_region.put(text or (_TITLE if lines else ""), lines)


def _rewrite(root: Root, written: Callable[[str], str]) -> bool:
    """Put what `written` makes of the file in its place; tell whether that is another one."""
    path = summary_path(root)
    for _ in range(_ATTEMPTS):
        expected = files.stamp(path)
        data = files.find_bytes(path) or b""
        made = written(_decoded(data)).encode()
        if made == data:
            return False
        try:
            files.replace(path, made, root.modes, expected=expected)
            return True
        except ConflictError:
            continue  # somebody saved the file meanwhile: it is read again
    raise ConflictError("summary.md changed while it was written", hint="run the command again")


def _decoded(data: bytes) -> str:
    try:
        return data.decode()  # with its BOM: what people wrote stays byte for byte
    except UnicodeDecodeError as error:
        raise InvalidInputError("summary.md is not UTF-8", hint="save it as UTF-8") from error
