"""Finds the observations that answer a question, in whatever keeps them.

`services/reading/records.py` opens a `Corpus` for each root, the mirror's where it is on and one
made of the files where it is off, and calls `rank`. `rank` calls the corpus: `frequencies` and
`vocabulary` a few times to weigh the question, `find` once with terms of which it has made sure
that they are not too common, `neighbours` once with the best of that. So one corpus answers as
another does, as long as both cut text with `core.search.text.terms`.

An observation says little by itself: "yes, 300 seconds" answers what was asked just before. So a
word of the question counts where the observation has it, less where its neighbours have it, and
least where the rest of its session has it, all three under one saturation, as BM25F does with the
fields of a document (Robertson and Zaragoza 2009): context helps most where words are missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timezone
from functools import cached_property

from daily_memory.core.search import answer_shape, ranking, text
from daily_memory.core.search import query as querying
from daily_memory.core.search.matching import Reader, Words, saturated, words_of, worth
from daily_memory.core.search.query import ParsedQuery
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled

# How many observations are read and scored exactly, and of how many of these the neighbours too.
CANDIDATES = 100
# As `ranking.SEARCH_FLOOR`: the neighbours say part of an answer, so that less is enough.
FLOOR = 0.05
MOST_LEADING = 40
# What is read of a very long one.
MAX_CHARS = 8000

_SATURATION = 0.9
_LENGTH_SHARE = 0.2
_NEIGHBOUR_SHARE = 0.3
_SESSION_SHARE = 0.1
_PAIR_WEIGHT = 0.5
_GRAM_WEIGHT = 0.3
_SESSION_WEIGHT = 0.2
_ALL_WEIGHTS = 1 + _PAIR_WEIGHT + _GRAM_WEIGHT + _SESSION_WEIGHT
# How much is taken from what only asks, and from what tells no number where one is asked for.
_ASKING_COST = 0.3
_NO_NUMBER_COST = 0.25
# A corpus looks at the rarest terms, and at more while all of them have so many occurrences.
_LEAST_TERMS = 3
MOST_OCCURRENCES = 30_000
# The answer to a question may be next to the words of it; who names a thing or two looks for these.
_LEAST_WORDS = 3
_LONG_AGO = datetime(1, 1, 2, tzinfo=timezone.utc)


class CutText:
    """What a text is cut into: terms, each of them once, and words when they are asked for."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.terms = text.terms(source)
        self.distinct = frozenset(self.terms)

    @cached_property
    def words(self) -> Words:
        return words_of([self._source[:MAX_CHARS]])


class Document(NamedTuple):
    """An observation as it is ranked.

    `id` is that of its record. `session` tells the observations of one live session from those of
    others. `place` counts them in their order, by ones, those that came twice left out and private
    ones counted: what stands side by side differs by 1. `at` is ISO 8601. `text` has all that is
    searched, as `searched_text` makes it. `is_wanted`: the filters of the search let it through.
    `cut` is of the text, where it is kept for other questions.
    """

    id: str
    session: str
    place: int
    at: str
    text: str
    is_wanted: bool = True
    cut: CutText | None = None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from daily_memory.core.search.postings import Lexicon
    from daily_memory.core.search.translation import Reading

    class Corpus(Lexicon, Protocol):
        """The observations of a root, none of them private.

        What it tells as a `Lexicon` is of all of them, so that a filter changes no score;
        `average_lengths` has one number, the terms that an observation has in the mean. A corpus is
        made for a search, whose filters it knows.
        """

        def find(self, terms: Sequence[str], limit: int) -> list[Document]:
            """Return what has any of the terms and is wanted, by BM25 the best.

            What stands next to these may be among them: what `neighbours` then leaves out.
            """
            ...

        def neighbours(self, documents: Iterable[Document]) -> list[Document]:
            """Return what stands next to these in their sessions, wanted or not."""
            ...

        def containing(self, part: str) -> list[str]:
            """Return terms that a part of a word may stand for, the likeliest first."""
            ...


def searched_text(text: str, tool: str, tags: Sequence[str]) -> str:
    """Return all of an observation that is searched: what it says, its tool and its tags."""
    return "\n".join(part for part in (text, tool, " ".join(tags)) if part)


class RankedObservation(NamedTuple):
    """An observation in its place. `score` is `keyword`, raised by `date`, times `answer`: 0..1."""

    document: Document
    score: float
    keyword: float
    date: float
    answer: float
    bm25: float
    pairs: float
    letters: float
    session: float
    terms: tuple[int, ...]
    translated: float = 0.0

    @property
    def relevance(self) -> float:
        """How well the observation answers the question, whatever it looks like."""
        return self.keyword


class Ranking(NamedTuple):
    """The observations that answer a question, best first, and the question as it was weighed.

    `translated` is the question in the other language, for those that have a share of that.
    """

    query: ParsedQuery
    ranked: tuple[RankedObservation, ...] = ()
    translated: ParsedQuery | None = None

    def query_of(self, ranked: RankedObservation) -> ParsedQuery:
        """Return the question as it was read for an observation."""
        return self.translated if self.translated and ranked.translated else self.query


def rank(question: str, corpus: Corpus, today: date, *, corrects: bool = True) -> Ranking:
    """Return the observations that answer a question, best first; ties: the newer, then by id.

    `corrects`: words that the corpus has nowhere are taken for mistyped ones.
    """
    query = querying.prepare(question, corpus, today, corrects=corrects)
    found = corpus.find(searched_terms(query, corpus), CANDIDATES) if query.terms else []
    if not found:
        return Ranking(query)
    scored = _Scorer(question, query, corpus).score(found, corpus)
    if _word_count(query) < _LEAST_WORDS:
        scored = [one for one in scored if one.terms]
    return Ranking(query, tuple(sorted(ranking.relevant(scored, floor=FLOOR), key=_order)))


def with_translation(own: Ranking, question: str, corpus: Corpus, reading: Reading) -> Ranking:
    """Return a ranking with what answers the translated question, each as it counts more."""
    if reading.is_empty:
        return own
    query = reading.query._replace(dates=own.query.dates)
    found = corpus.find(searched_terms(query, corpus), CANDIDATES)
    scored = _Scorer(question, query, corpus).score(found, corpus)
    best = {each.document.id: each for each in own.ranked}
    for each in scored:
        if text.is_mainly_chinese(each.document.text) != reading.is_chinese:
            continue
        share = (each.bm25 + _SESSION_WEIGHT * each.session) / (1 + _SESSION_WEIGHT)
        value = reading.worth(share, each.terms)
        score = min(1.0, (value + each.date) * each.answer)
        if score > getattr(best.get(each.document.id), "score", 0.0):
            best[each.document.id] = each._replace(score=score, keyword=value, translated=share)
    ranked = sorted(ranking.relevant(list(best.values())), key=_order)
    return own._replace(ranked=tuple(ranked), translated=query)


def searched_terms(query: ParsedQuery, corpus: Corpus) -> list[str]:
    """Return the terms that candidates are looked for with, the rarest first.

    Where a pair of Chinese characters is known, each of the two adds nothing but time. Very common
    terms are left to the exact score, once there are others.
    """
    frequencies = corpus.frequencies(each.term for each in ranking.without_held(query.terms))
    chosen: list[str] = []
    left = MOST_OCCURRENCES
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term)):
        left -= frequencies[term]
        if left >= 0 or len(chosen) < _LEAST_TERMS:
            chosen.append(term)
    return chosen


def _word_count(query: ParsedQuery) -> float:
    """Return how many words of a question are known; a Chinese one has two characters."""
    words = {term.word for term in query.terms if term.kind != "synonym"}
    return sum(1.0 if not text.is_cjk(word) else 0.5 * (len(word) == 1) for word in words)


def moment(at: str) -> datetime:
    """Return the moment that ISO 8601 names, with UTC for a zone where none is named."""
    try:
        when = datetime.fromisoformat(at)
    except ValueError:
        return _LONG_AGO
    return when if when.tzinfo else when.replace(tzinfo=timezone.utc)


def explain(ranked: RankedObservation, query: ParsedQuery) -> tuple[str, ...]:
    """Return why an observation is where it is, a line for each reason."""
    lines = [ranking.term_line(query.terms[place]) for place in ranked.terms]
    if ranked.translated:
        lines.append(filled("translated: {:.3f} of the question", ranked.translated))
    lines.append(
        filled(
            "keyword {:.3f} (bm25 {:.3f}, side by side {:.3f}, letters {:.3f}, session {:.3f})",
            ranked.keyword,
            ranked.bm25,
            ranked.pairs,
            ranked.letters,
            ranked.session,
        )
    )
    if ranked.date:
        lines.append(filled("date named + {:.3f}", ranked.date))
    if ranked.answer < 1:
        lines.append(filled("answer × {:.3f}", ranked.answer))
    return tuple(lines)


def _order(ranked: RankedObservation) -> tuple[float, float, str]:
    return -ranked.score, -moment(ranked.document.at).timestamp(), ranked.document.id


class _Read(NamedTuple):
    """An observation, its words, and what it has of the question."""

    document: Document
    words: Words
    counts: Mapping[int, int]
    pairs: Mapping[int, int]


class _Scorer:
    """Scores the observations of one corpus for one question."""

    def __init__(self, question: str, query: ParsedQuery, corpus: Corpus) -> None:
        self._query = query
        self._weights = [term.weight for term in query.terms]
        self._pair_weights = [pair.weight for pair in query.pairs]
        self._saturations = [_SATURATION] * max(len(query.terms), len(query.pairs))
        self._reader = Reader(query)
        self._mean_length = max((1.0, *corpus.average_lengths))
        self._asks_for_number = answer_shape.asks_for_number(
            text.fold(question[: querying.MAX_CHARS])
        )

    def score(self, found: Sequence[Document], corpus: Corpus) -> list[RankedObservation]:
        """Return what was found and what stands next to it, each in the context of the others."""
        read = {_place(document): self._read(document) for document in found}
        sessions = _session_counts(read.values())
        for document in corpus.neighbours(found[:MOST_LEADING]):
            if _place(document) not in read:
                read[_place(document)] = self._read(document)
        worths = {session: self._bm25([(1.0, counts)]) for session, counts in sessions.items()}
        return [
            self._ranked(
                one,
                [
                    read[session, near].counts
                    for near in (place - 1, place + 1)
                    if (session, near) in read
                ],
                sessions[session],
                worths[session],
            )
            for (session, place), one in read.items()
            if one.document.is_wanted
        ]

    def _read(self, document: Document) -> _Read:
        words = document.cut.words if document.cut else words_of([document.text[:MAX_CHARS]])
        return _Read(document, words, *self._reader.read(words).get(0, ({}, {})))

    def _bm25(self, found: Iterable[tuple[float, Mapping[int, int]]]) -> float:
        return worth(saturated(found, self._saturations), self._weights, self._query.concepts)

    def _norm(self, read: _Read) -> float:
        return 1 - _LENGTH_SHARE + _LENGTH_SHARE * read.words.lengths[0] / self._mean_length

    def _ranked(
        self,
        read: _Read,
        near: Sequence[Mapping[int, int]],
        session: Mapping[int, int],
        session_worth: float,
    ) -> RankedObservation:
        mass = self._query.mass
        share = 1 / self._norm(read)
        beside = ((_NEIGHBOUR_SHARE, dict.fromkeys(each, 1)) for each in near)
        bm25 = self._bm25([(share, read.counts), *beside, (_SESSION_SHARE, session)]) / mass
        side_by_side = saturated([(share, read.pairs)], self._saturations)
        pairs = worth(side_by_side, self._pair_weights) / mass
        letters = self._reader.letters(read.words)
        of_session = session_worth / mass
        keyword = (
            bm25 + _PAIR_WEIGHT * pairs + _GRAM_WEIGHT * letters + _SESSION_WEIGHT * of_session
        ) / _ALL_WEIGHTS
        near_date = ranking.DATE_WEIGHT * self._nearness(read.document)
        answer = self._answer(read.words.folded[0])
        return RankedObservation(
            read.document,
            min(1.0, (keyword + near_date) * answer),
            keyword,
            near_date,
            answer,
            bm25,
            pairs,
            letters,
            of_session,
            tuple(sorted(read.counts)),
        )

    def _nearness(self, document: Document) -> float:
        if not self._query.dates:
            return 0.0
        try:
            day = date.fromisoformat(document.at[:10])
        except ValueError:
            return 0.0
        return ranking.nearness(self._query, day)

    def _answer(self, folded: str) -> float:
        """Return the weight of what can answer the question, as it looks."""
        weight = 1 - _ASKING_COST * answer_shape.asking_share(folded)
        if self._asks_for_number:
            weight *= 1 - _NO_NUMBER_COST * (1 - answer_shape.number_share(folded))
        return weight


def _session_counts(found: Iterable[_Read]) -> dict[str, Counter[int]]:
    """Return for each session in how many of its observations each term was found."""
    sessions: dict[str, Counter[int]] = {}
    for read in found:
        sessions.setdefault(read.document.session, Counter()).update(read.counts.keys())
    return sessions


def _place(document: Document) -> tuple[str, int]:
    return document.session, document.place
