"""What is known of the words of texts that no index has: all of them are looked at each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cached_property


class PlainLexicon:
    """The terms of each text; a part of `core.search.postings.Lexicon`."""

    def __init__(self, texts: Iterable[Collection[str]]) -> None:
        # Sets take less time than an inverted index, which would be used once.
        self._distinct = [frozenset(terms) for terms in texts]

    @property
    def count(self) -> int:
        return len(self._distinct)

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        wanted = frozenset(terms)
        return dict(Counter(term for distinct in self._distinct for term in wanted & distinct))

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        return sorted(
            term
            for term in self._vocabulary
            if shortest <= len(term) <= longest and term.startswith(first)
        )

    def vocabulary_size(self) -> int:
        return len(self._vocabulary)

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset().union(*self._distinct)
