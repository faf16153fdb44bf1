"""Searching the archive: it has no index, and is read whenever somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from daily_memory.core.progress import watched
from daily_memory.core.search.plain_postings import PlainPostings
from daily_memory.core.settings import Retrieval
from daily_memory.model import Section
from daily_memory.services.reading.search import Hit, Opened, Query
from daily_memory.storage import archive_files
from daily_memory.storage.index.lookup import NO_FILTERS, Filters, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.dates import Period


class OpenedArchive(Opened):
    """The archive of a root, read once for the queries of one call."""

    def search(
        self, query: Query, settings: Retrieval, now: date, period: Period | None = None
    ) -> list[Hit]:
        """Return what of the archive answers a query."""
        return [
            hit._replace(path=archive_files.day_path(self.root, hit.session.date), archived=True)
            for hit in super().search(query, settings, now, period)
        ]

    def _refreshed(self) -> tuple[_Archived, tuple[str, ...]]:
        listed = watched(self._days(), self._progress)
        loaded = [archive_files.load_day(self.root, one.day) for one in listed]
        public = [
            section
            for day in loaded
            for section in day.all_sections
            if not section.session.is_private
        ]
        return _Archived(public), tuple(
            problem.message for day in loaded for problem in day.problems
        )

    def _days(self) -> Sequence[archive_files.ArchivedDay]:
        return archive_files.list_days(self.root)

    def _load_data(self, day: date) -> bytes:
        return archive_files.load_data(self.root, day)


class _Archived(PlainPostings):
    """What a search asks of the archive, by keys that count its sections."""

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__(section.session for section in sections)
        self._sections = sections

    def close(self) -> None:
        """Nothing is open."""

    def places(self, keys: Sequence[int]) -> list[Place]:
        return [self._place(key) for key in keys]

    def important_keys(self) -> frozenset[int]:
        return frozenset(
            key for key, (session, _) in enumerate(self._sections) if session.is_important
        )

    def matching_keys(self, filters: Filters) -> frozenset[int] | None:
        if filters == NO_FILTERS:
            return None
        return frozenset(
            key for key, (session, _) in enumerate(self._sections) if filters.has(session)
        )

    def _place(self, key: int) -> Place:
        session, span = self._sections[key]
        return Place(
            key, self.days[key], session.number, session.copy, session.project, span, session.origin
        )
