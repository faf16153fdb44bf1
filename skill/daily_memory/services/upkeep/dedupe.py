"""Near-duplicates of a memory, and putting two of them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import markdown
from daily_memory.core.progress import Progress
from daily_memory.core.review import duplicates
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.services.changing import edit
from daily_memory.services.changing.edit import Edited
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import Found
from daily_memory.storage import days, undo_files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root


class Pair(NamedTuple):
    """Two sessions of one root that say nearly the same; `added` is how much a merge would add."""

    earlier: Found
    later: Found
    similarity: float
    added: int


class Merged(NamedTuple):
    """The ids that were deleted, each with the one that has it all now."""

    ids: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


def find(root: Root, today: date, progress: Progress | None = None) -> tuple[Pair, ...]:
    """Return the near-duplicates of a root, the likest first; see `find_among`."""
    return find_among(browse.sessions([root], progress=progress), today, progress)


def find_among(
    given: Iterable[Found], today: date, progress: Progress | None = None
) -> tuple[Pair, ...]:
    """Return which of some sessions of a root are near-duplicates, the likest first.

    Conversations of today may go on: they are left alone, and so is what people wrote outside of
    sections.
    """
    found = {
        one.session.id: one
        for one in given
        if one.session.number and (one.session.date < today or not one.session.conversation)
    }
    sessions = [one.session._replace(origin=one.origin) for one in found.values()]
    pairs = []
    for one in duplicates.find_duplicates(sessions, progress):
        earlier, later = found[one.earlier], found[one.later]
        merged = duplicates.merge(earlier.session, later.session)
        added = sum(
            len(after) - len(before)
            for after, before in zip(merged, later.session, strict=True)
            if isinstance(after, tuple) and isinstance(before, tuple)
        )
        pairs.append(Pair(earlier, later, one.similarity, added))
    return tuple(pairs)


def merge(root: Root, pairs: Sequence[Pair], settings: Settings, now: datetime) -> Merged:
    """Add to each later session what it lacks of the earlier one; then delete the earlier ones.

    What is to be added is durable before anything is deleted. A pair that can't be merged stays,
    and a warning says so. All of it is undone as one operation.

    Raises:
        ConflictError: nothing was done, since the sessions changed, or the lock was busy.
        NotFoundError: nothing was done, since the sessions are gone.
        BackendError: the system refused.
    """
    done: list[tuple[str, str]] = []
    failed: DailyMemoryError | None = None
    warnings: list[str] = []
    undone_by: list[str] = []
    for pair in sorted(pairs, key=lambda one: one.earlier.session.id):
        names = str(pair.earlier.session.id), str(pair.later.session.id)
        try:
            added = _add(root, *names, settings, now)
            warnings += added.warnings
            undone_by.append(added.operation)
            done.append(names)
        except DailyMemoryError as error:
            failed = failed or error
            warnings.append(f"{names[0]} and {names[1]} stay as they are: {error.message}")
    if failed and not done:
        raise failed
    if done:
        deleted = edit.delete([root], [earlier for earlier, _ in done], now)
        warnings += deleted.warnings
        try:
            with locked(root):
                undo_files.join(root, (*undone_by, deleted.operation), undo_steps.MERGE)
        except DailyMemoryError as error:
            warnings.append(f"done, but `memory undo` takes back one step at a time: {error}")
    scoped = tuple((root.scoped(earlier), root.scoped(later)) for earlier, later in done)
    return Merged(scoped, tuple(warnings))


def _add(root: Root, earlier: str, later: str, settings: Settings, now: datetime) -> Edited:
    """Put what a session lacks of an earlier one into its section."""
    opened = edit.read([root], later)
    session = opened.found.session
    merged = duplicates.merge(browse.get([root], earlier).session, session)
    if merged == session:
        return Edited(())
    day = days.load_day(root, session.date)
    headings = day.language or markdown.heading_language("auto", [merged])
    # What it says now is no longer what was made of its conversation: a save must not undo it.
    text = markdown.format_section(
        merged._replace(digest=""), language=headings, open_fences=day.open_fences
    )
    return edit.edit([root], later, text, settings, now, digest=opened.digest)
