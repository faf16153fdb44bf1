"""Postings of sessions that no index has, made for a few questions."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from daily_memory.core.search import fields
from daily_memory.core.search.fields import FieldReading
from daily_memory.core.search.plain_lexicon import PlainLexicon
from daily_memory.model import Session


class PlainPostings(PlainLexicon):
    """The sessions that it is given, as `core.search.postings.Postings` wants them."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._read: list[FieldReading] = []
        self._chinese: list[bool] = []
        self.days: array[int] = array("i")
        for session in sessions:
            self._read.append(fields.read(session))
            self._chinese.append(fields.is_chinese(session))
            self.days.append(session.date.toordinal())
        super().__init__(reading.impacts for reading in self._read)

    def has_language(self, *, is_chinese: bool) -> bool:
        return is_chinese in self._chinese

    def in_language(self, keys: Sequence[int], *, is_chinese: bool) -> list[int]:
        return [key for key in keys if self._chinese[key] == is_chinese]

    @property
    def average_lengths(self) -> tuple[float, ...]:
        lengths = (reading.lengths for reading in self._read)
        return tuple(sum(column) / self.count for column in zip(*lengths, strict=True))

    def postings(self, term: str) -> array[int]:
        found = ((key, reading.impacts.get(term)) for key, reading in enumerate(self._read))
        return array("I", [key << 8 | impact for key, impact in found if impact])
