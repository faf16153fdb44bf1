"""Keeps the lookup caches open that a server has asked, for its next search."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from functools import partial

from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.index import lookup
from daily_memory.storage.index.lookup import Lookup
from daily_memory.storage.roots import Root

# By path, with the stamp of the file: those that no search is using.
_kept: dict[str, tuple[Stamp, Lookup]] = {}
# A process that answers once keeps nothing.
_keeps = False


@contextlib.contextmanager
def keeping() -> Iterator[None]:
    """Keep what is opened meanwhile."""
    global _keeps  # of the process, as its open files are
    _keeps = True
    try:
        yield
    finally:
        _keeps = False
        while _kept:
            _discard(_kept.popitem()[1][1])


def open_lookup(root: Root, *, is_hurried: bool = False) -> Lookup | None:
    """Return the cache of a root for reading: the kept one while its file is the same."""
    # What is encrypted is not kept in plain text.
    if not _keeps or root.modes.is_sealed:
        return lookup.open_lookup(root, is_hurried=is_hurried)
    path = lookup.lookup_path(root)
    # Of two searches at once the second opens another one.
    stamp, opened = _kept.pop(path, (files.NO_STAMP, None))
    if opened:
        if _is_same(opened, path, stamp):
            return opened
        _discard(opened)
    stamp, now = files.stamp(path), time.time_ns()
    opened = lookup.open_lookup(root, is_hurried=is_hurried)
    if opened and not files.is_recent(stamp, now):
        opened.keep_open(partial(_put_back, path, stamp))
    return opened


def _is_same(opened: Lookup, path: str, stamp: Stamp) -> bool:
    try:
        opened.begin_again()
        return files.stamp(path) == stamp
    except DailyMemoryError:
        return False


def _put_back(path: str, stamp: Stamp, opened: Lookup) -> None:
    if path in _kept or not _keeps:
        _discard(opened)
    else:
        _kept[path] = stamp, opened


def _discard(opened: Lookup) -> None:
    opened.keep_open(None)
    opened.close()
