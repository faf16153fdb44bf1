"""Find near-duplicates in a memory, and merge them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import markdown
from daily_memory.core.review import duplicates
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.services.changing import edit
from daily_memory.services.changing.edit import Edited
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession
from daily_memory.storage import days, undo_files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root
from daily_memory.text import filled


class DuplicatePair(NamedTuple):
    """Two similar sessions, and how many lines a merge would add to the later one."""

    earlier: StoredSession
    later: StoredSession
    similarity: float
    added: int


class Merged(NamedTuple):
    """Pairs of ids: the deleted one, and the one it was merged into."""

    ids: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


def find(given: Iterable[StoredSession], today: date) -> tuple[DuplicatePair, ...]:
    """Return the near-duplicates among some sessions of a root, the most similar first.

    Conversations of today, which may go on, and text outside sections are left alone.
    """
    by_id = {
        found.session.id: found
        for found in given
        if found.session.number and (found.session.date < today or not found.session.conversation)
    }
    sessions = [found.session._replace(origin=found.origin) for found in by_id.values()]
    pairs = []
    for pair in duplicates.find_duplicates(sessions):
        earlier, later = by_id[pair.earlier], by_id[pair.later]
        merged = duplicates.merge(earlier.session, later.session)
        added = sum(
            len(after) - len(before)
            for after, before in zip(merged, later.session, strict=True)
            if isinstance(after, tuple) and isinstance(before, tuple)
        )
        pairs.append(DuplicatePair(earlier, later, pair.similarity, added))
    return tuple(pairs)


def merge(root: Root, pairs: Sequence[DuplicatePair], settings: Settings, now: datetime) -> Merged:
    """Add to each later session what only the earlier one says, then delete the earlier ones.

    Everything is added durably before anything is deleted. A pair that can't be merged stays, with
    a warning. One undo takes back the whole merge.
    """
    merged: list[tuple[str, str]] = []
    failed: DailyMemoryError | None = None
    warnings: list[str] = []
    operations: list[str] = []
    for pair in sorted(pairs, key=lambda pair: pair.earlier.session.id):
        ids = str(pair.earlier.session.id), str(pair.later.session.id)
        try:
            added = _add(root, *ids, settings, now)
        except DailyMemoryError as error:
            failed = failed or error
            warnings.append(filled("{} and {} stay as they are: {}", ids[0], ids[1], error.message))
            continue
        warnings += added.warnings
        operations.append(added.operation)
        merged.append(ids)
    if failed and not merged:
        raise failed
    if merged:
        deleted = edit.delete([root], [earlier for earlier, _ in merged], now)
        warnings += deleted.warnings
        try:
            with locked(root):
                undo_files.join(root, (*operations, deleted.operation), undo_steps.MERGE)
        except DailyMemoryError as error:
            warnings.append(
                filled("done, but `memory undo` takes back one step at a time: {}", error)
            )
    ids_by_scope = ((root.scoped(earlier), root.scoped(later)) for earlier, later in merged)
    return Merged(tuple(ids_by_scope), tuple(warnings))


def _add(root: Root, earlier: str, later: str, settings: Settings, now: datetime) -> Edited:
    """Add what only the earlier session says to the section of the later one."""
    opened = edit.read([root], later)
    session = opened.found.session
    merged = duplicates.merge(browse.get([root], earlier).session, session)
    if merged == session:
        return Edited(())
    day = days.load_day(root, session.date)
    # Without the digest, so that the next save of the conversation does not undo the merge.
    text = markdown.format_section(
        merged._replace(digest=""),
        language=day.language or markdown.heading_language("auto", [merged]),
        open_fences=day.open_fences,
    )
    return edit.edit([root], later, text, settings, now, digest=opened.digest)
