"""Sections of the archive in memory, as an index for one answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from daily_memory.core.search.plain_postings import PlainPostings
from daily_memory.model import Section
from daily_memory.storage.index import indexer
from daily_memory.storage.index.lookup import NO_FILTERS, Filters, Place


class PlainLookup(PlainPostings):
    """Answers like `Lookup`; the key of a section is its place in the sequence."""

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__(section.session for section in sections)
        self._sections = sections

    def close(self) -> None:
        """Nothing is open."""

    def places(self, keys: Sequence[int]) -> list[Place]:
        return [self._place(key) for key in keys]

    def important_keys(self) -> frozenset[int]:
        return frozenset(
            key for key, section in enumerate(self._sections) if section.session.is_important
        )

    def matching_keys(self, filters: Filters) -> frozenset[int] | None:
        if filters == NO_FILTERS:
            return None
        return frozenset(
            key for key, section in enumerate(self._sections) if filters.has(section.session)
        )

    def keys_at(self, day: int, number: int) -> list[tuple[int, bytes]]:
        return list(self.digests_of(self._by_place.get((day, number), ())).items())

    def digests_of(self, keys: Sequence[int]) -> dict[int, bytes]:
        return {key: indexer.section_digest(self._sections[key]) for key in keys}

    @cached_property
    def _by_place(self) -> dict[tuple[int, int], list[int]]:
        by_place: dict[tuple[int, int], list[int]] = {}
        for key, (session, _) in enumerate(self._sections):
            by_place.setdefault((self.days[key], session.number), []).append(key)
        return by_place

    def _place(self, key: int) -> Place:
        session, span = self._sections[key]
        return Place(
            key, self.days[key], session.number, session.copy, session.project, span, session.origin
        )
