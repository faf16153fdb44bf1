"""The days of a root, with the results of a review or summary filled into an empty cache.

On the first run this is most of the work, so several processes share it: see `storage/workers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import with_progress
from daily_memory.core.review.cache import Cache, Of, Rows
from daily_memory.model import Session, SessionId
from daily_memory.storage import days, review_cache, workers
from daily_memory.storage.days import DayFile
from daily_memory.storage.index import refresh
from daily_memory.storage.review_cache import ReviewCache
from daily_memory.storage.roots import Root

# Computes for a session all that is cached of it.
FillCache = Callable[[Session, Cache], None]
Filled = tuple[Session, str, dict[str, Rows]]


def each_day(root: Root, cache: ReviewCache, fill: FillCache) -> Iterator[Day]:
    """Yield the days, oldest first; an empty cache is filled on the way."""
    if not cache.is_empty:
        yield from days.each_day(root)
        return
    listed = days.list_days(root)
    load = partial(_load_filled, root, fill, refresh.load_origins(root))
    sizes = [file.size for file in listed]
    loaded = workers.each(load, listed, sizes, modes=root.modes)
    for _, (day, filled) in zip(with_progress(listed), loaded, strict=True):
        for session, key, results in filled:
            cache.put(session, key, results)
        yield day


def _load_filled(
    root: Root, fill: FillCache, origins: Mapping[SessionId, str], file: DayFile
) -> tuple[Day, list[Filled]]:
    day = days.load_listed(root, file)
    filled = []
    for session, _ in day.all_sections:
        full = session._replace(origin=origins.get(session.id) or session.origin)
        filled.append((full, review_cache.key_of(full), _results(full, fill)))
    return day, filled


def _results(session: Session, fill: FillCache) -> dict[str, Rows]:
    results: dict[str, Rows] = {}

    def cache(name: str, of: Of, compute: Callable[[Of], Rows], /) -> Rows:
        return results.setdefault(name, compute(of))

    fill(session, cache)
    return results
