"""Searching the archive: it has no index, and is read whenever somebody asks for it."""

from __future__ import annotations

from datetime import date

from daily_memory.core.settings import Retrieval
from daily_memory.services.retrieval import Hit, Opened, Query
from daily_memory.storage import archive, indexing
from daily_memory.storage.indexing import Freshness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.dates import Period


class OpenedArchive(Opened):
    """The archive of a root with an index of it in memory, for the queries of one call."""

    def search(
        self, query: Query, settings: Retrieval, now: date, period: Period | None = None
    ) -> list[Hit]:
        """Return what of the archive answers a query."""
        return [
            hit._replace(path=archive.day_path(self.root, hit.session.date), archived=True)
            for hit in super().search(query, settings, now, period)
        ]

    def _refreshed(self) -> Freshness:
        loaded = list(archive.each_day(self.root))
        warnings = tuple(problem.message for day in loaded for problem in day.problems)
        return Freshness(indexing.in_memory(loaded), warnings, is_stored=False)

    def _load_data(self, day: date) -> bytes:
        return archive.load_data(self.root, day)
