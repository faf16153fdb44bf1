"""A corpus for one search without a mirror: every text is read and split."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import nsmallest
from math import log

from daily_memory.core.search import text
from daily_memory.core.search.observation_ranking import Document, moment
from daily_memory.core.search.plain_lexicon import PlainLexicon

# As FTS5 has them, so that the mirror proposes the same observations.
_SATURATION = 1.2
_LENGTH_SHARE = 0.75
_LEAST_RARITY = 1e-6


class PlainCorpus(PlainLexicon):
    """The given observations as a `core.search.observation_ranking.Corpus`."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = list(documents)
        read = [_terms(document.text) for document in self._documents]
        self._terms = [terms for terms, _ in read]
        super().__init__(distinct for _, distinct in read)
        self._length = sum(map(len, self._terms))

    @property
    def average_lengths(self) -> tuple[float, ...]:
        return (self._length / self.count,) if self.count else ()

    def containing(self, part: str) -> list[str]:
        """Return terms that a part of a word may stand for, the shortest first."""
        return sorted(
            (term for term in self._vocabulary if part in term), key=lambda t: (len(t), t)
        )

    def find(self, terms: Sequence[str], limit: int) -> list[Document]:
        wanted = frozenset(terms)
        rarities = {term: self._rarity(have) for term, have in self.frequencies(terms).items()}
        scores: dict[int, float] = {}
        for number, distinct in enumerate(self._distinct):
            shared = wanted & distinct
            if shared and self._documents[number].is_wanted:
                norm = self._norm(number)
                counts = ((term, self._terms[number].count(term)) for term in sorted(shared))
                scores[number] = sum(rarities[term] * n / (n + norm) for term, n in counts)
        best = nsmallest(limit, scores, key=lambda number: self._order(number, scores[number]))
        return [self._documents[number] for number in best]

    def neighbours(self, documents: Iterable[Document]) -> list[Document]:
        wanted = {
            (document.session, place)
            for document in documents
            for place in (document.place - 1, document.place + 1)
        }
        return [
            document for document in self._documents if (document.session, document.place) in wanted
        ]

    def _rarity(self, frequency: int) -> float:
        return max(_LEAST_RARITY, log((self.count - frequency + 0.5) / (frequency + 0.5)))

    def _norm(self, number: int) -> float:
        length = len(self._terms[number]) * self.count / self._length
        return _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length)

    def _order(self, number: int, score: float) -> tuple[float, float, str]:
        document = self._documents[number]
        return -score, -moment(document.at).timestamp(), document.id


# A server answers many questions from the same records.
@lru_cache(maxsize=5_000)
def _terms(source: str) -> tuple[Sequence[str], frozenset[str]]:
    """Return the terms of a text, and each of them once."""
    terms = text.terms(source)
    return terms, frozenset(terms)
