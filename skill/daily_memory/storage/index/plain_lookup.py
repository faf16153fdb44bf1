"""The index in memory, for one answer: what serves where Python has no `sqlite3`."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property

from daily_memory.core.search.plain_lexicon import PlainLexicon
from daily_memory.model import Section, SessionId
from daily_memory.storage.index.lookup import NO_FILTERS, Filters, Indexed, Lookup, Place


class PlainLookup(Lookup):
    """What `Lookup` keeps in a file, made of all the day files each time; keys count the sections.

    Sections are only ever added: it is made anew instead of being changed.
    """

    def __init__(self) -> None:
        self._kept: list[Indexed] = []
        self._noted: dict[str, str] = {}
        self._file_hashes: dict[str, str] = {}

    def close(self) -> None:
        """Nothing is open."""

    @property
    def count(self) -> int:
        return len(self._kept)

    @property
    def average_lengths(self) -> tuple[float, ...]:
        columns = zip(*(one.lengths for one in self._kept), strict=True)
        return tuple(sum(column) / self.count for column in columns)

    @property
    def days(self) -> Sequence[int]:
        return [one.session.date.toordinal() for one in self._kept]

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return self._lexicon.frequencies(terms)

    def postings(self, term: str) -> array[int]:
        found = ((key, one.impacts.get(term, 0)) for key, one in enumerate(self._kept))
        return array("I", [key << 8 | impact for key, impact in found if impact])

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        return self._lexicon.vocabulary(first, shortest, longest)

    def vocabulary_size(self) -> int:
        return self._lexicon.vocabulary_size()

    @cached_property
    def _lexicon(self) -> PlainLexicon:
        return PlainLexicon(one.impacts for one in self._kept)

    def places(self, keys: Sequence[int]) -> list[Place]:
        return [_place(key, self._kept[key]) for key in keys]

    def important_keys(self) -> frozenset[int]:
        return frozenset(key for key, one in enumerate(self._kept) if one.session.is_important)

    def matching_keys(self, filters: Filters) -> frozenset[int] | None:
        if filters == NO_FILTERS:
            return None
        return frozenset(key for key, one in enumerate(self._kept) if filters.has(one.session))

    def meta(self, name: str) -> str:
        return self._noted.get(name, "")

    def listing(self) -> bytes:
        return b""

    def hashes(self) -> dict[str, str]:
        return self._file_hashes

    def digests(self, day: date) -> list[bytes]:
        return [one.digest for one in self._kept if one.session.date == day]

    def day_origins(self, day: date) -> dict[bytes, str]:
        own = (one for one in self._kept if one.session.date == day)
        return {one.digest: one.origin for one in own if one.origin}

    def origins(self) -> dict[SessionId, str]:
        return {one.session.id: one.origin for one in self._kept if one.origin}

    def is_sound(self) -> bool:
        return True

    def keep_readable(self) -> None:
        """Nobody else reads it."""

    def keep(self, day: date, kept: Mapping[bytes, Section]) -> None:
        """Nothing is in it yet that could go."""

    def add(self, added: Sequence[Indexed]) -> None:
        self._kept += added

    def note(self, **values: str) -> None:
        self._noted |= values

    def note_listing(self, listing: bytes) -> None:
        """What is made anew each time is compared with nothing."""

    def note_hashes(self, hashes: Mapping[str, str]) -> None:
        self._file_hashes = dict(hashes)

    def commit(self) -> None:
        """Nothing is written."""


def _place(key: int, indexed: Indexed) -> Place:
    session = indexed.session
    day = session.date.toordinal()
    return Place(
        key, day, session.number, session.copy, session.project, indexed.span, indexed.origin
    )
