"""Postings of sessions that no index has, made for a few questions."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from daily_memory.core.search import fields
from daily_memory.core.search.plain_lexicon import PlainLexicon
from daily_memory.model import Session


class PlainPostings(PlainLexicon):
    """The sessions that it is given, as `core.search.postings.Postings` wants them."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._terms: list[list[list[str]]] = []
        self._chinese: list[bool] = []
        self.days: array[int] = array("i")
        for session in sessions:
            self._terms.append(fields.field_terms(session))
            self._chinese.append(fields.is_chinese(session))
            self.days.append(session.date.toordinal())
        super().__init__(frozenset().union(*found) for found in self._terms)

    def has_language(self, *, is_chinese: bool) -> bool:
        return is_chinese in self._chinese

    def in_language(self, keys: Sequence[int], *, is_chinese: bool) -> list[int]:
        return [key for key in keys if self._chinese[key] == is_chinese]

    @property
    def average_lengths(self) -> tuple[float, ...]:
        lengths = [tuple(map(len, found)) for found in self._terms]
        return tuple(sum(column) / self.count for column in zip(*lengths, strict=True))

    def postings(self, term: str) -> array[int]:
        keys = [key for key, distinct in enumerate(self._distinct) if term in distinct]
        return array("I", [key << 8 | fields.impact(self._terms[key], term) for key in keys])
