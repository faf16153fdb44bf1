"""Keeps `index/` current with the day files, at every answer.

A day file whose size or times changed is read again, after a save as after an edit by hand:
`indexer` does that, and most searches have nothing for it to do.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping

from daily_memory.errors import BackendError, ConflictError, DamagedDataError
from daily_memory.model import SessionId
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days
from daily_memory.storage.days import Row
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.index import kept, listing, lookup
from daily_memory.storage.index.lookup import Lookup
from daily_memory.storage.roots import Root
from daily_memory.text import filled, joined

# Of the day files whose folder did not change, who is in a hurry looks at so many of the newest,
# and at as many of the others, in turn.
_GLANCED = 15
# What a hook may read itself, a third of a second's work; the rest is left to another process.
HURRY_BYTES = 200_000
# When this process last checked all days, by folder, and how long that holds.
_CHECKED: dict[str, float] = {}
_RECENT_S = 1.0


class Freshness(NamedTuple):
    """A current index, with warnings.

    `unread` are days, as ordinals, that there was no time for: their entries may be outdated.
    `stamps` are those of the day files that were not checked, by name.
    """

    lookup: Lookup
    warnings: tuple[str, ...] = ()
    unread: frozenset[int] = frozenset()
    stamps: Mapping[str, Stamp] = {}


class Origins(NamedTuple):
    """The authors of sessions of others, by id; those of `unread` days are unknown."""

    known: dict[SessionId, str]
    unread: frozenset[int] = frozenset()


def refresh(root: Root, *, most_bytes: int = 0, at_a_glance: bool = False) -> Freshness:
    """Return the root's index, current with the day files.

    A reader never waits: if another process holds the lock, or nothing can be written, it gets a
    copy in memory. If more than `most_bytes` changed, only so much of the newest days is read.
    `at_a_glance` skips most old days; their reader must compare stamps. So does every call within
    a second after all days were checked: a server would check thousands of them for each question.
    """
    is_recent = time.monotonic() - _CHECKED.get(root.daily_folder, -_RECENT_S) < _RECENT_S
    if (at_a_glance or is_recent) and (glanced := _glance(root, is_recent=is_recent)):
        return glanced
    rows = days.day_rows(root)
    if not lookup.can_store(root):
        return _in_memory(root, "", most_bytes)
    try:
        opened = kept.open_lookup(root, is_hurried=bool(most_bytes))
    except BackendError:
        return _in_memory(root, "", most_bytes)
    if opened and _is_current(root, opened, rows):
        _CHECKED[root.daily_folder] = time.monotonic()
        return Freshness(opened, opened.warnings)
    is_much = 0 < most_bytes < _changed_bytes(opened, rows)
    if opened:
        opened.close()
    if is_much:
        return _in_memory(root, "", most_bytes)
    reason = ""
    try:
        # A search mostly finds nothing changed.
        from daily_memory.storage.fs.lock import locked
        from daily_memory.storage.index import indexer

        with locked(root, wait_s=0):
            indexer.update(root)
        opened = kept.open_lookup(root)
        if opened:
            return Freshness(opened, opened.warnings)
        reason = "the index was not written: it can't be read back"
    except ConflictError:
        pass  # a writer is at it, and will bring the index up to date itself
    except BackendError as error:
        message = filled("the index was not written: {}", error.message)
        reason = joined("; ", filter(None, (message, error.hint)))
    return _in_memory(root, reason, most_bytes)


@contextlib.contextmanager
def opened(root: Root) -> Iterator[Lookup]:
    """Open the current index of a root; see `refresh`."""
    with contextlib.closing(refresh(root).lookup) as current:
        yield current


def load_origins(root: Root) -> dict[SessionId, str]:
    """Return the origin of each session that others committed to git, by id."""
    return find_origins(root).known


def find_origins(root: Root, *, most_bytes: int = 0) -> Origins:
    """Return the origins that the index knows, after as much work as `refresh` does."""
    for _ in range(2):
        fresh = refresh(root, most_bytes=most_bytes, at_a_glance=bool(most_bytes))
        try:
            return Origins(fresh.lookup.origins(), fresh.unread)
        except DamagedDataError:
            from daily_memory.storage.index import indexer  # as above

            indexer.discard(root)
        finally:
            fresh.lookup.close()
    return Origins({})


def _glance(root: Root, *, is_recent: bool) -> Freshness | None:
    """Return the index if it seems current; None if everything must be checked.

    New, removed and replaced files change the folder. Files changed in place do not: the newest are
    checked, and some of the others. `is_recent`: all was checked a moment ago, and `keywords.json`
    is left out.
    """
    try:
        opened = kept.open_lookup(root, is_hurried=True)
    except BackendError:
        return None
    if opened is None:
        return None
    try:
        stamps = listing.unpack(opened.listing())
        shards = [] if is_recent else listing.shard_rows(root)
        are_shards_same = all(stamps.get(row[0]) == row[1:] for row in shards)
        # The files of the index come last.
        while stamps and not days.day_of(next(reversed(stamps))):
            stamps.popitem()
        names = list(stamps)
        others = names[:-_GLANCED]
        step = max(len(others) // _GLANCED, 1)
        asked = [*names[-_GLANCED:], *others[int(time.time()) % step :: step]]
        if (
            opened.meta("folder") == listing.folder_note(root)
            and are_shards_same
            and days.rows_of(root, asked) == [(name, *stamps[name]) for name in asked]
            and listing.are_recent_unchanged(root, opened)
        ):
            for name in asked:
                del stamps[name]
            return Freshness(opened, opened.warnings, stamps=stamps)
    except (BackendError, DamagedDataError, OSError):
        pass  # whoever looks at all of it finds out
    opened.close()
    return None


def _changed_bytes(opened: Lookup | None, rows: list[Row]) -> int:
    """Return the size of the day files whose stamps differ from the index."""
    try:
        stamps = listing.unpack(opened.listing()) if opened else {}
    except (BackendError, DamagedDataError):
        stamps = {}
    return sum(row[1] for row in rows if stamps.get(row[0]) != row[1:])


def _is_current(root: Root, opened: Lookup, rows: list[Row]) -> bool:
    try:
        now = listing.pack([*rows, *listing.shard_rows(root)])
        return opened.listing() == now and listing.are_recent_unchanged(root, opened)
    except (BackendError, DamagedDataError):
        return False


def _in_memory(root: Root, reason: str, most_bytes: int) -> Freshness:
    from daily_memory.storage.index import indexer  # as above

    copy, warnings, unread = indexer.in_memory(root, most_bytes)
    return Freshness(copy, (*warnings, *filter(None, [reason])), unread)
