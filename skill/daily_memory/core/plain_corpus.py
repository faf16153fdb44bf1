"""A corpus made anew for each search, where there is no mirror: every text is read and cut."""

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from math import log

from daily_memory.core import text
from daily_memory.core.observation_ranking import Document, moment

# As FTS5 has them, so that the mirror proposes the same observations.
_SATURATION = 1.2
_LENGTH_SHARE = 0.75
_LEAST_RARITY = 1e-6


class PlainCorpus:
    """The observations that it is given, as `core.observation_ranking.Corpus` wants them."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = list(documents)
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, one in enumerate(self._documents):
            counts = Counter(text.terms(one.text))
            self._lengths.append(counts.total())
            for term, count in counts.items():
                self._postings.setdefault(term, []).append((number, count))

    @property
    def count(self) -> int:
        return len(self._documents)

    @property
    def average_lengths(self) -> tuple[float, ...]:
        return (sum(self._lengths) / self.count,) if self.count else ()

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return {term: len(self._postings[term]) for term in terms if term in self._postings}

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        return [
            term
            for term in self._postings
            if shortest <= len(term) <= longest and term.startswith(first)
        ]

    def vocabulary_size(self) -> int:
        return len(self._postings)

    def containing(self, part: str) -> list[str]:
        """Return terms that a part of a word may stand for, the shortest first."""
        return sorted((term for term in self._postings if part in term), key=lambda t: (len(t), t))

    def find(self, terms: Sequence[str], limit: int) -> list[Document]:
        scores: dict[int, float] = {}
        mean_length = max(1.0, *self.average_lengths)
        for term in terms:
            found = self._postings.get(term, [])
            rarity = self._rarity(len(found))
            for number, count in found:
                length = self._lengths[number] / mean_length
                norm = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length)
                scores[number] = scores.get(number, 0.0) + rarity * count / (count + norm)
        wanted = [number for number in scores if self._documents[number].is_wanted]
        best = nsmallest(limit, wanted, key=lambda number: self._order(number, scores[number]))
        return [self._documents[number] for number in best]

    def neighbours(self, documents: Sequence[Document]) -> list[Document]:
        wanted = {
            (one.session, place) for one in documents for place in (one.place - 1, one.place + 1)
        }
        return [one for one in self._documents if (one.session, one.place) in wanted]

    def _rarity(self, frequency: int) -> float:
        return max(_LEAST_RARITY, log((self.count - frequency + 0.5) / (frequency + 0.5)))

    def _order(self, number: int, score: float) -> tuple[float, float, str]:
        document = self._documents[number]
        return -score, -moment(document.at).timestamp(), document.id
