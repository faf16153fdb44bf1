"""A corpus for one search without a mirror: every text is read and split."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from heapq import nsmallest
from math import log

from daily_memory.core.search.observation_ranking import CutText, Document, moment
from daily_memory.core.search.plain_lexicon import PlainLexicon

# As FTS5 has them, so that the mirror proposes the same observations.
_SATURATION = 1.2
_LENGTH_SHARE = 0.75
_LEAST_RARITY = 1e-6


class PlainCorpus(PlainLexicon):
    """The given observations as a `core.search.observation_ranking.Corpus`.

    Those of a session follow each other.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = list(documents)
        cuts = [document.cut or CutText(document.text) for document in self._documents]
        self._terms = [cut.terms for cut in cuts]
        super().__init__(cut.distinct for cut in cuts)
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
        beside: dict[int, Document] = {}
        for document in documents:
            number = self._numbers[document.id]
            for other in range(max(0, number - 1), min(number + 2, self.count)):
                near = self._documents[other]
                is_beside = abs(near.place - document.place) == 1
                if is_beside and near.session == document.session:
                    beside[other] = near
        return [beside[number] for number in sorted(beside)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {document.id: number for number, document in enumerate(self._documents)}

    def _rarity(self, frequency: int) -> float:
        return max(_LEAST_RARITY, log((self.count - frequency + 0.5) / (frequency + 0.5)))

    def _norm(self, number: int) -> float:
        length = len(self._terms[number]) * self.count / self._length
        return _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length)

    def _order(self, number: int, score: float) -> tuple[float, float, str]:
        document = self._documents[number]
        return -score, -moment(document.at).timestamp(), document.id
