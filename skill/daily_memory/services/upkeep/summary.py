"""Keeps `summary.md`: our part of it is made of what stands, the rest is the user's.

Nothing but `memory summarize` makes it anew: the file is kept in git and read by people, and a hook
that rewrote it at the end of each conversation would give every branch another one. What must not
wait is what is gone: a line whose sources were deleted or made private is taken out at once, and
shown to nobody in any case.
"""

from __future__ import annotations

from typing import NamedTuple

from daily_memory.core.format import markdown
from daily_memory.core.progress import Progress
from daily_memory.core.redaction import privacy
from daily_memory.core.review import standing, summary_region
from daily_memory.core.review.standing import Line
from daily_memory.core.review.summary_region import DEFAULT_MAX_CHARS, LEAST_CHARS
from daily_memory.core.settings import Settings
from daily_memory.errors import InvalidInputError
from daily_memory.services.reading import browse, inject
from daily_memory.services.upkeep import summary_file
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root

# How many of the last sessions tell which language the headings should have.
_JUDGED = 50
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
    root: Root,
    settings: Settings,
    progress: Progress | None = None,
    *,
    max_chars: int = 0,
    dry_run: bool = False,
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
    if max_chars < LEAST_CHARS:
        raise InvalidInputError(f"max_chars: {max_chars} is less than {LEAST_CHARS}")
    sessions = [
        found.session._replace(origin=found.origin)
        # A decision holds on when its day is past retention.
        for found in browse.sessions([root], archived=True, progress=progress)
        if not found.session.is_private
    ]
    hide = policy(settings)
    found = standing.lines_in_force(
        sessions, lambda text: privacy.redact(text, hide).text, progress
    )
    language = markdown.heading_language(settings.recording.language, sessions[-_JUDGED:])
    lines = standing.chosen(found, language, max_chars)
    text = standing.formatted(lines, language)
    is_changed = _change(root, text, dry_run=dry_run)
    left_out = sum(map(len, found.values())) - len(lines)
    return Summary(
        summary_file.path_of(root), root.scope, tuple(lines), left_out, "\n".join(text), is_changed
    )


def _room(root: Root) -> int:
    """Return how much room what people wrote leaves to our part, or a little in any case."""
    text = summary_file.load(root)
    by_hand = inject.told_lines(summary_region.put(text, []))
    return max(DEFAULT_MAX_CHARS - sum(map(len, by_hand)), LEAST_CHARS)


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
        text = summary_file.load(root)
        return _with_lines(text, lines) != text
    with locked(root):
        return summary_file.rewrite(root, lambda text: _with_lines(text, lines))


def _with_lines(text: str, lines: list[str]) -> str:
    return summary_region.put(text or (_TITLE if lines else ""), lines)
