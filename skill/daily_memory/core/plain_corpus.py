"""A corpus made anew for each search, where there is no mirror: every text is read and cut."""

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from math import log

from daily_memory.core import text
from daily_memory.core.observation_ranking import MAX_CHARS, Document, moment

# As FTS5 has them, so that the mirror proposes the same observations.
_SATURATION = 1.2
_LENGTH_SHARE = 0.75
_LEAST_RARITY = 1e-6


class PlainCorpus:
    """The observations that it is given, as `core.observation_ranking.Corpus` wants them."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = list(documents)
        self._counts = [Counter(text.terms(one.text[:MAX_CHARS])) for one in self._documents]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._frequencies: Counter[str] = Counter()
        for counts in self._counts:
            self._frequencies.update(counts.keys())

    @property
    def count(self) -> int:
        return len(self._documents)

    @property
    def average_lengths(self) -> tuple[float, ...]:
        return (sum(self._lengths) / self.count,) if self.count else ()

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return {term: self._frequencies[term] for term in terms if term in self._frequencies}

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        return [
            term
            for term in self._frequencies
            if shortest <= len(term) <= longest and term.startswith(first)
        ]

    def vocabulary_size(self) -> int:
        return len(self._frequencies)

    def find(self, terms: Sequence[str], limit: int) -> list[Document]:
        rarities = {term: self._rarity(term) for term in terms}
        scores = {}
        for number, document in enumerate(self._documents):
            counts = self._counts[number]
            shared = [term for term in rarities if term in counts]
            if shared and document.is_wanted:
                norm = self._norm(number)
                scores[number] = sum(
                    rarities[term] * counts[term] / (counts[term] + norm) for term in shared
                )
        best = nsmallest(limit, scores, key=lambda number: self._order(number, scores[number]))
        return [self._documents[number] for number in best]

    def neighbours(self, documents: Sequence[Document]) -> list[Document]:
        wanted = {
            (one.session, place) for one in documents for place in (one.place - 1, one.place + 1)
        }
        return [one for one in self._documents if (one.session, one.place) in wanted]

    def _rarity(self, term: str) -> float:
        frequency = self._frequencies[term]
        return max(_LEAST_RARITY, log((self.count - frequency + 0.5) / (frequency + 0.5)))

    def _norm(self, number: int) -> float:
        length = self._lengths[number] / self.average_lengths[0]
        return _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length)

    def _order(self, number: int, score: float) -> tuple[float, float, str]:
        document = self._documents[number]
        return -score, -moment(document.at).timestamp(), document.id
