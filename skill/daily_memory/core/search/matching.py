"""Scores one session's own text against a question, exactly.

A session is worth what its fields say (BM25F), what its best single statement says, which
words stand side by side as in the question, and how many letters of the question's words it
shares. Each part is divided by the same number, what a session that says it all would have:
the sum tells how much of the question is answered, whatever the other sessions say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log2, sqrt

from daily_memory.core.search import text
from daily_memory.core.search.fields import FIELDS, SATURATION, length_norm, units
from daily_memory.core.search.query import Choice, ParsedQuery
from daily_memory.model import Session
from daily_memory.named_tuples import NamedTuple

UNIT_WEIGHT = 0.5
PAIR_WEIGHT = 0.5
GRAM_WEIGHT = 0.25
_FEWEST_WORDS = 3
_UNIT_LENGTH = 15
_UNIT_LENGTH_SHARE = 0.75
_MOST_GRAMS = 256
_OTHER = -1


class Match(NamedTuple):
    """What a session has of a question: the parts, each 0..1.

    `breadth` is how far that is more than an accident, see `breadth`.
    """

    bm25: float = 0.0
    unit: float = 0.0
    pairs: float = 0.0
    grams: float = 0.0
    breadth: float = 1.0
    terms: tuple[int, ...] = ()
    fields: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The keyword score, 0..1."""
        parts = (
            self.bm25
            + UNIT_WEIGHT * self.unit
            + PAIR_WEIGHT * self.pairs
            + GRAM_WEIGHT * self.grams
        )
        return parts / (1 + UNIT_WEIGHT + PAIR_WEIGHT + GRAM_WEIGHT)

    @property
    def relevance(self) -> float:
        """How well it answers the question, 0..1, for the floors.

        Words side by side tell which answer is the best, but not whether there is any.
        """
        parts = self.bm25 + UNIT_WEIGHT * self.unit + GRAM_WEIGHT * self.grams
        return self.breadth * parts / (1 + UNIT_WEIGHT + GRAM_WEIGHT)


NOTHING = Match()


def breadth(words: float, texts: int) -> float:
    """Return how far so many words in common can be more than an accident, up to 1.

    The more texts there are, the sooner one of them has some words of any question: of one text it
    takes four words, and one more each time there are twice as many.

    >>> breadth(4, 1), breadth(2, 255), breadth(11, 255)
    (1.0, 0.5, 1.0)
    """
    return sqrt(min(1.0, (1 + words) / (1 + _FEWEST_WORDS + log2(texts + 1))))


class Words(NamedTuple):
    """A text in its words: as `text.fold` returned it, its Latin tokens, and its characters."""

    folded: str
    latin: Sequence[str]
    characters: int = 0


def words_of(source: str) -> Words:
    """Return the words of a text: the same for every question."""
    folded = text.fold(source)
    tokens = text.folded_tokens(folded)
    if folded.isascii():
        return Words(folded, tokens)
    latin = [token for token in tokens if not text.is_cjk(token)]
    return Words(folded, latin, sum(map(len, tokens)) - sum(map(len, latin)))


# As many as a server keeps of parsed sections.
@lru_cache(maxsize=2_000)
def unit_words(session: Session) -> tuple[tuple[int, Words], ...]:
    """Return the words of each unit of a session, behind the number of its field."""
    return tuple((unit.field, words_of(unit.text)) for unit in units(session))


class TermCounts(NamedTuple):
    """What a text has of a question: how often it has each term and pair, by their numbers."""

    counts: dict[int, int]
    pairs: dict[int, int]
    length: int
    words: str


class Reader:
    """Reads texts for one question; it remembers what each word means for the question."""

    def __init__(self, query: ParsedQuery) -> None:
        self._cjk = [
            (number, term.term) for number, term in enumerate(query.terms) if text.is_cjk(term.term)
        ]
        self._cjk_pairs = [
            (number, pair.text) for number, pair in enumerate(query.pairs) if pair.text
        ]
        self._pairs = {
            (pair.first, pair.second): number
            for number, pair in enumerate(query.pairs)
            if not pair.text
        }
        self._numbers = _Numbers({term.term: n for n, term in enumerate(query.terms)})
        self._grams = dict(query.grams[:_MOST_GRAMS])
        self._gram_mass = sum(self._grams.values())

    def read(self, words: Words) -> TermCounts:
        """Return what a text has."""
        folded, latin, characters = words
        numbers = [number for token in latin for number in self._numbers[token]]
        counts = _counted(number for number in numbers if number != _OTHER)
        pairs = (
            _counted(self._pairs[pair] for pair in pairwise(numbers) if pair in self._pairs)
            if self._pairs and len(counts) > 1
            else {}
        )
        if characters:
            counts.update(_occurrences(self._cjk, folded))
            pairs.update(_occurrences(self._cjk_pairs, folded))
        return TermCounts(
            counts,
            pairs,
            len(numbers) + 2 * characters,
            folded if characters else " ".join(latin),
        )

    def letters(self, found: Iterable[TermCounts]) -> float:
        """Return the share of the letters of the question's words that these texts have."""
        if not self._gram_mass:
            return 0.0
        words = f" {' '.join(each.words for each in found)} ".lower()
        return sum(w for gram, w in self._grams.items() if gram in words) / self._gram_mass


# What a unit of a session has of the question, behind the number of its field.
_Found = list[tuple[int, TermCounts]]


class Scorer:
    """Scores sessions for one question."""

    def __init__(self, query: ParsedQuery) -> None:
        self._query = query
        self._weights = [term.weight for term in query.terms]
        # Of a number or a code it says nothing how often it is there, and in which field.
        self._saturations = [0.0 if term.is_figure else SATURATION for term in query.terms]
        self._pair_weights = [pair.weight for pair in query.pairs]
        self._concepts = query.concepts
        self._pair_saturations = [SATURATION] * len(query.pairs)
        self._reader = Reader(query)
        self._mean_lengths = query.average_lengths or [field.usual_length for field in FIELDS]

    def match(self, units: Iterable[tuple[int, Words]]) -> Match:
        """Return what a session, by its `unit_words`, has of the question."""
        found = [(field, self._reader.read(words)) for field, words in units]
        numbers = sorted({number for _, each in found for number in each.counts})
        if not numbers or not self._query.mass:
            return NOTHING
        norms = self._norms(found)
        mass = self._query.mass
        terms = [(field, each.counts) for field, each in found]
        pairs = [(field, each.pairs) for field, each in found]
        return Match(
            worth(_bm25f(terms, norms, self._saturations), self._weights, self._concepts) / mass,
            max(self._unit_score(each) for _, each in found) / mass,
            worth(_bm25f(pairs, norms, self._pair_saturations), self._pair_weights) / mass,
            self._reader.letters(each for _, each in found),
            breadth(sum(self._query.terms[number].words for number in numbers), self._query.texts),
            tuple(numbers),
            tuple(FIELDS[n].name for n in sorted({n for n, each in found if each.counts})),
        )

    def _norms(self, found: _Found) -> list[float]:
        lengths = [0] * len(FIELDS)
        for field, each in found:
            lengths[field] += each.length
        return [
            length_norm(field, length, mean)
            for field, length, mean in zip(FIELDS, lengths, self._mean_lengths, strict=True)
        ]

    def _unit_score(self, found: TermCounts) -> float:
        """Return the BM25 of one statement taken by itself."""
        norm = 1 - _UNIT_LENGTH_SHARE + _UNIT_LENGTH_SHARE * found.length / _UNIT_LENGTH
        values = {
            number: count / (count + self._saturations[number] * norm)
            for number, count in found.counts.items()
        }
        return worth(values, self._weights, self._concepts)


class _Numbers(dict[str, tuple[int, ...]]):
    """The numbers of the question's terms that a word gives; `_OTHER` for any other term."""

    def __init__(self, numbers: dict[str, int]) -> None:
        super().__init__()
        self._terms = numbers
        # No stem differs from its word in the first two letters but for die, lie and tie.
        self._beginnings = {term[:2] for term in numbers}

    def __missing__(self, token: str) -> tuple[int, ...]:
        if token[:2] not in self._beginnings and token.islower() and token.isalpha():
            found: tuple[int, ...] = () if text.is_stop_word(token) else (_OTHER,)
        else:
            found = tuple(self._terms.get(term, _OTHER) for term in text.word_terms(token))
        self[token] = found
        return found


def _counted(numbers: Iterable[int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
    return counts


def _occurrences(wanted: list[tuple[int, str]], folded: str) -> dict[int, int]:
    return {number: folded.count(term) for number, term in wanted if term in folded}


def _bm25f(
    found: Iterable[tuple[int, dict[int, int]]],
    norms: Sequence[float],
    saturations: Sequence[float],
) -> dict[int, float]:
    """Return how much of each term there is, saturated over all fields, 0..1."""
    shares = [field.weight / norm for field, norm in zip(FIELDS, norms, strict=True)]
    total: dict[int, float] = {}
    for field, counts in found:
        for number, count in counts.items():
            total[number] = total.get(number, 0.0) + shares[field] * count
    return {number: value / (value + saturations[number]) for number, value in total.items()}


def worth(
    values: Mapping[int, float],
    weights: Sequence[float],
    concepts: Sequence[Sequence[Choice]] = (),
) -> float:
    """Return what terms weigh, each as much as there is of it; of a concept the best choice."""
    if concepts:
        return sum(
            max(
                sum(weight * values.get(number, 0.0) for number, weight in choice)
                for choice in each
            )
            for each in concepts
        )
    return sum(weights[number] * value for number, value in values.items())
