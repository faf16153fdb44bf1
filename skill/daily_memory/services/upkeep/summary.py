"""Writes our part of `summary.md` from the sessions; the rest of the file is the user's.

Only `memory summarize` rewrites it: people read the file and commit it, and a hook that rewrote it
after each conversation would make every branch differ. Lines whose sources were deleted or made
private are removed at once, and never shown.
"""

from __future__ import annotations

from typing import NamedTuple

from daily_memory.core.format import markdown
from daily_memory.core.progress import Progress
from daily_memory.core.redaction import privacy
from daily_memory.core.review import standing, summary_region
from daily_memory.core.review.standing import SummaryLine
from daily_memory.core.review.summary_region import DEFAULT_MAX_CHARS, LEAST_CHARS
from daily_memory.core.settings import Settings
from daily_memory.errors import InvalidInputError
from daily_memory.services.changing import summary_file
from daily_memory.services.reading import browse, inject
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root

# How many of the last sessions decide the language of the headings.
_LANGUAGE_SESSIONS = 50
_TITLE = "# 记忆摘要 / Summary\n"


class Summary(NamedTuple):
    """Our part of `summary.md`, and how many lines did not fit."""

    path: str
    scope: str
    lines: tuple[SummaryLine, ...]
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
    """Rewrite our part of `summary.md`; with `dry_run` only return it.

    `max_chars` limits our part; 0 lets the whole file fit into the context block.
    """
    max_chars = max_chars or _room(root)
    if max_chars < LEAST_CHARS:
        raise InvalidInputError(f"max_chars: {max_chars} is less than {LEAST_CHARS}")
    sessions = [
        found.session._replace(origin=found.origin)
        # Decisions hold longer than retention.
        for found in browse.sessions([root], archived=True, progress=progress)
        if not found.session.is_private
    ]
    hide = policy(settings)
    found = standing.lines_in_force(
        sessions, lambda text: privacy.redact(text, hide).text, progress
    )
    language = markdown.heading_language(
        settings.recording.language, sessions[-_LANGUAGE_SESSIONS:]
    )
    lines = standing.chosen(found, language, max_chars)
    text = standing.formatted(lines, language)

    def with_part(file: str) -> str:
        return summary_region.put(file or (_TITLE if text else ""), text)

    if dry_run:
        file = summary_file.load(root)
        is_changed = with_part(file) != file
    else:
        with locked(root):
            is_changed = summary_file.rewrite(root, with_part)
    left_out = sum(map(len, found.values())) - len(lines)
    return Summary(
        summary_file.path_of(root), root.scope, tuple(lines), left_out, "\n".join(text), is_changed
    )


def _room(root: Root) -> int:
    """Return the room that the lines of the user leave, or at least a little."""
    by_hand = inject.content_lines(summary_region.put(summary_file.load(root), []))
    return max(DEFAULT_MAX_CHARS - sum(map(len, by_hand)), LEAST_CHARS)
