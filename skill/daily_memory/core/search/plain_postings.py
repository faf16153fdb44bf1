"""Postings of sessions that no index has, made for a few questions."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from daily_memory.core.search import fields
from daily_memory.model import Session


class PlainPostings:
    """The sessions that it is given, as `core.search.postings.Postings` wants them.

    Their keys count them. What a term is worth is worked out when a question has it.
    """

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._terms: list[list[list[str]]] = []
        # Sets take less time than an inverted index, which would be used once.
        self._distinct: list[frozenset[str]] = []
        self.days: array[int] = array("i")
        for session in sessions:
            found = fields.field_terms(session)
            self._terms.append(found)
            self._distinct.append(frozenset().union(*found))
            self.days.append(session.date.toordinal())

    @property
    def count(self) -> int:
        return len(self._terms)

    @property
    def average_lengths(self) -> tuple[float, ...]:
        lengths = [tuple(map(len, found)) for found in self._terms]
        return tuple(sum(column) / self.count for column in zip(*lengths, strict=True))

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        wanted = frozenset(terms)
        return dict(Counter(term for distinct in self._distinct for term in wanted & distinct))

    def postings(self, term: str) -> array[int]:
        keys = [key for key, distinct in enumerate(self._distinct) if term in distinct]
        return array("I", [key << 8 | fields.impact(self._terms[key], term) for key in keys])

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        return [
            term
            for term in self._vocabulary
            if shortest <= len(term) <= longest and term.startswith(first)
        ]

    def vocabulary_size(self) -> int:
        return len(self._vocabulary)

    @cached_property
    def _vocabulary(self) -> Sequence[str]:
        return sorted(frozenset().union(*self._distinct))
