"""Scores one session's own text against a question, exactly.

A session is worth what its fields say (BM25F), what its best single statement says, which
words stand side by side as in the question, and how many letters of the question's words it
shares. Each part is divided by the same number, what a session that says it all would have:
the sum tells how much of the question is answered, whatever the other sessions say.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise, repeat
from math import log2, sqrt

from daily_memory.core.search import text
from daily_memory.core.search.fields import FIELDS, SATURATION, is_chinese, length_norm, units
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


def word_count(terms: Sequence[str]) -> float:
    """Return how many words terms are: of Chinese each two characters that pairs cover.

    >>> word_count(["redis", "缓", "存", "缓存", "存过", "过期", "按键"])
    4.0
    """
    covered = {character for term in terms if text.is_cjk(term) and term[1:] for character in term}
    return sum(not text.is_cjk(term) for term in terms) + len(covered) / 2


def breadth(words: float, texts: int) -> float:
    """Return how far so many words in common can be more than an accident, up to 1.

    The more texts there are, the sooner one of them has some words of any question: of one text it
    takes four words, and one more each time there are twice as many.

    >>> breadth(4, 1), breadth(2, 255), breadth(40, 255)
    (1.0, 0.5, 1.0)
    """
    return sqrt(min(1.0, (1 + words) / (1 + _FEWEST_WORDS + log2(texts + 1))))


class Words(NamedTuple):
    """What the statements of a text say, the same for every question.

    `folded` are the statements as `text.fold` returned them, `lengths` how many terms each has.
    `latin` has the terms of all that are not Chinese; each statement ends with "", at its place in
    `ends`. The letters of a word are looked for in `letters`.
    """

    folded: Sequence[str]
    lengths: Sequence[int]
    latin: Sequence[str]
    ends: Sequence[int]
    letters: str


def words_of(statements: Iterable[str]) -> Words:
    """Return the words of a text."""
    folded = list(map(text.fold, statements))
    lengths: list[int] = []
    latin: list[str] = []
    ends: list[int] = []
    letters: list[str] = []
    for statement in folded:
        tokens = text.folded_tokens(statement)
        characters, start = 0, len(latin)
        if not statement.isascii():
            characters = sum(map(len, tokens))
            tokens = [token for token in tokens if token < text.FIRST_CJK]
            characters -= sum(map(len, tokens))
        latin += chain.from_iterable(map(text.MEMO.__getitem__, tokens))
        lengths.append(len(latin) - start + 2 * characters)
        ends.append(len(latin))
        latin.append("")
        letters.append(statement if characters else " ".join(tokens))
    return Words(folded, lengths, latin, ends, " ".join(letters).lower())


class SessionWords(NamedTuple):
    """The words of a session, the number of the field of each statement, and their lengths."""

    words: Words
    fields: Sequence[int]
    lengths: Sequence[int]
    is_chinese: bool


def session_words(session: Session) -> SessionWords:
    """Return the words of a session."""
    statements = units(session)
    words = words_of([statement for _, statement in statements])
    fields = [field for field, _ in statements]
    lengths = [0] * len(FIELDS)
    for field, length in zip(fields, words.lengths, strict=True):
        lengths[field] += length
    return SessionWords(words, fields, lengths, is_chinese(session))


# What a statement has of a question: how often it has each term and pair, by their numbers.
Counts = tuple[dict[int, int], dict[int, int]]


class Reader:
    """Reads texts for one question; it remembers what each word means for the question."""

    def __init__(self, query: ParsedQuery) -> None:
        self._cjk = [
            (number, term.term, _count_near if term.kind == "near" else str.count)
            for number, term in enumerate(query.terms)
            if text.is_cjk(term.term)
        ]
        self._pairs = {(pair.first, pair.second): n for n, pair in enumerate(query.pairs)}
        self._latin = {
            term.term: n for n, term in enumerate(query.terms) if not text.is_cjk(term.term)
        }
        self._grams = dict(query.grams[:_MOST_GRAMS])
        self._gram_mass = sum(self._grams.values())

    def read(self, words: Words) -> dict[int, Counts]:
        """Return what the statements of a text have, in their order, without those with nothing."""
        found: dict[int, Counts] = {}
        numbers = list(map(self._latin.get, words.latin, repeat(_OTHER)))
        for place in [place for place, number in enumerate(numbers) if number >= 0]:
            number, following = numbers[place : place + 2]
            counts, pairs = found.setdefault(bisect_left(words.ends, place), ({}, {}))
            counts[number] = counts.get(number, 0) + 1
            pair = self._pairs.get((number, following))
            if pair is not None:
                pairs[pair] = pairs.get(pair, 0) + 1
        together = "\n".join(words.folded) if self._cjk else ""
        cjk = [each for each in self._cjk if each[1] in together or each[2] is _count_near]
        for at, statement in enumerate(words.folded if cjk else ()):
            if statement.isascii():
                continue
            characters = {n: many for n, term, count in cjk if (many := count(statement, term))}
            if characters:
                found.setdefault(at, ({}, {}))[0].update(characters)
        return dict(sorted(found.items())) if cjk else found

    def letters(self, words: Words) -> float:
        """Return the share of the letters of the question's words that a text has."""
        if not self._gram_mass:
            return 0.0
        letters = f" {words.letters} "
        return sum([w for gram, w in self._grams.items() if gram in letters]) / self._gram_mass


def _count_near(statement: str, pair: str) -> int:
    """Return how often two characters are at most two places apart, in either order."""
    first, second = pair[0], pair[1]
    if second not in statement:
        return 0
    around = pairwise(statement.split(first))
    return sum(second in before[-2:] or second in after[:2] for before, after in around)


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

    def match(self, session: SessionWords) -> Match:
        """Return what a session has of the question."""
        words, fields, field_lengths, _ = session
        found = self._reader.read(words)
        mass = self._query.mass
        if not found or not mass:
            return NOTHING
        shares = [
            field.weight / length_norm(field, length, mean)
            for field, length, mean in zip(FIELDS, field_lengths, self._mean_lengths, strict=True)
        ]
        shared = [(shares[fields[at]], *counts) for at, counts in found.items()]
        terms = saturated([(share, counts) for share, counts, _ in shared], self._saturations)
        side_by_side = [(share, pairs) for share, _, pairs in shared if pairs]
        pairs = saturated(side_by_side, self._pair_saturations)
        numbers = sorted(terms)
        matched = [self._query.terms[number] for number in numbers]
        scores = [self._unit_score(words.lengths[at], counts) for at, (counts, _) in found.items()]
        return Match(
            worth(terms, self._weights, self._concepts) / mass,
            max(scores) / mass,
            worth(pairs, self._pair_weights) / mass,
            self._reader.letters(words),
            breadth(
                word_count([term.term for term in matched if not term.is_guess]),
                self._query.texts,
            ),
            tuple(numbers),
            tuple(FIELDS[field].name for field in sorted({fields[at] for at in found})),
        )

    def _unit_score(self, length: int, counts: Mapping[int, int]) -> float:
        """Return the BM25 of one statement taken by itself."""
        norm = 1 - _UNIT_LENGTH_SHARE + _UNIT_LENGTH_SHARE * length / _UNIT_LENGTH
        saturations = self._saturations
        values = {n: count / (count + saturations[n] * norm) for n, count in counts.items()}
        return worth(values, self._weights, self._concepts)


def saturated(
    found: Iterable[tuple[float, Mapping[int, int]]], saturations: Sequence[float]
) -> dict[int, float]:
    """Return how much of each term there is over all fields, each with its share, 0..1."""
    total: dict[int, float] = {}
    for share, counts in found:
        for number, count in counts.items():
            total[number] = total.get(number, 0.0) + share * count
    return {number: value / (value + saturations[number]) for number, value in total.items()}


def worth(
    values: Mapping[int, float],
    weights: Sequence[float],
    concepts: Sequence[Sequence[Choice]] = (),
) -> float:
    """Return what terms weigh, each as much as there is of it; of a concept the best choice."""
    if concepts:
        found = values.get
        return sum(
            [
                max([sum([weight * found(number, 0.0) for number, weight in c]) for c in choices])
                for choices in concepts
            ]
        )
    return sum([weights[number] * value for number, value in values.items()])
