"""What a text has of a question."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.search.matching import (
    NOTHING,
    Counts,
    Match,
    Reader,
    Scorer,
    Words,
    breadth,
    session_words,
    words_of,
)
from daily_memory.core.search.query import ParsedQuery, Term, TermPair
from daily_memory.model import Code, Session

TERMS = ("redi", "cach", "缓存")


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (["nothing", "of it"], {}),
        (["The Redis cache", "redis"], {0: ({0: 1, 1: 1}, {0: 1}), 1: ({0: 1}, {})}),
        # Pairs end with a statement.
        (["redis", "cache"], {0: ({0: 1}, {}), 1: ({1: 1}, {})}),
        (["", "缓存 redis 缓存", "redis"], {1: ({0: 1, 2: 2}, {}), 2: ({0: 1}, {})}),
        (["缓存", "redis"], {0: ({2: 1}, {}), 1: ({0: 1}, {})}),
        (["redis redis"], {0: ({0: 2}, {1: 1})}),
    ],
)
def test_each_statement_has_its_own_words_and_pairs(
    statements: list[str], found: dict[int, Counts]
) -> None:
    terms = tuple(Term(term, term, 1.0) for term in TERMS)
    pairs = (TermPair(0, 1, 1.0), TermPair(0, 0, 1.0))
    query = ParsedQuery(terms, pairs, (), 3.0, (), (), 1)

    read = Reader(query).read(words_of(statements))

    assert read == found
    assert list(read) == list(found)


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        ([], Words([], [], [], [], "")),
        # Words of grammar are part of the letters, not of the length.
        (
            ["The Redis cache", "redis"],
            Words(
                ["The Redis cache", "redis"],
                [2, 1],
                ["redi", "cach", "", "redi", ""],
                [2, 4],
                "the redis cache redis",
            ),
        ),
        # A Chinese character counts twice: alone, and with the next.
        (["缓存 Redis"], Words(["缓存 Redis"], [5], ["redi", ""], [1], "缓存 redis")),
        (
            ["redis", "快取過期，redis缓存"],
            Words(
                ["redis", "快取过期,redis缓存"],
                [1, 13],
                ["redi", "", "redi", ""],
                [1, 3],
                "redis 快取过期,redis缓存",
            ),
        ),
        # Letters beyond ASCII are not Chinese.
        (
            ["Straße · Redis"],
            Words(["Straße · Redis"], [2], ["straße", "redi", ""], [2], "straße redis"),
        ),
        (["dying"], Words(["dying"], [1], ["die", ""], [1], "dying")),
        ([""], Words([""], [0], [""], [0], "")),
    ],
)
def test_what_the_statements_of_a_text_say(statements, words):
    assert words_of(statements) == words


def test_the_words_of_a_session_are_counted_by_field():
    session = Session(
        date(2026, 1, 29),
        topic="Redis 缓存",
        key_points=("redis ttl 300", "ttl"),
        code=(Code("python", "redis.get"),),
    )

    words, fields, lengths, is_chinese = session_words(session)

    assert words == words_of(["Redis 缓存", "redis ttl 300", "ttl", "python\nredis.get"])
    assert fields == [0, 2, 2, 3]
    assert lengths == [5, 0, 4, 3]
    assert not is_chinese


NORMAL = 0.25 + 0.75 / 15  # what the length of a statement of one word takes from it


@pytest.mark.parametrize(
    ("session", "bm25", "unit", "pairs", "letters", "fields"),
    [
        # The topic counts three times, the tags 2.5 times, a statement once, code 0.4 times.
        ({"topic": "redis"}, 2 * 3 / 4.2, 2 / (1 + 1.2 * NORMAL), 0, 0.5, "topic"),
        ({"tags": ("redis",)}, 2 * 2.5 / 3.7, 2 / (1 + 1.2 * NORMAL), 0, 0.5, "tags"),
        ({"summary": "cache"}, 1 / 2.2, 1 / (1 + 1.2 * NORMAL), 0, 0.25, "points"),
        # All statements count together, the best of them once more.
        (
            {"topic": "redis", "summary": "cache"},
            2 * 3 / 4.2 + 1 / 2.2,
            2 / (1 + 1.2 * NORMAL),
            0,
            0.75,
            "topic points",
        ),
        (
            {"summary": "redis", "key_points": ("redis",)},
            2 * (2 / 1.75) / (2 / 1.75 + 1.2),
            2 / (1 + 1.2 * NORMAL),
            0,
            0.5,
            "points",
        ),
        # Words side by side count as a pair.
        (
            {"topic": "redis cache"},
            3 * (3 / 1.75) / (3 / 1.75 + 1.2),
            3 / (1 + 1.2 * (0.25 + 0.75 * 2 / 15)),
            1.5 * (3 / 1.75) / (3 / 1.75 + 1.2),
            0.75,
            "topic",
        ),
        # A code is there or not, wherever it is and however often.
        ({"summary": "e4031 e4031 e4031"}, 4, 4, 0, 0.25, "points"),
    ],
)
def test_what_a_session_has_of_a_question(session, bm25, unit, pairs, letters, fields):
    query = ParsedQuery(
        (Term("redi", "redis", 2.0), Term("cach", "cache", 1.0), Term("e4031", "e4031", 4.0)),
        (TermPair(0, 1, 1.5),),
        ((" red", 1.0), ("edi", 1.0), (" cac", 1.0), ("e403", 1.0)),
        7.0,
        (),
        (1, 1, 1, 1),
        1,
    )

    match = Scorer(query).match(session_words(Session(date(2026, 1, 29), **session)))

    assert match.bm25 * 7 == pytest.approx(bm25)
    assert match.unit * 7 == pytest.approx(unit)
    assert match.pairs * 7 == pytest.approx(pairs)
    assert match.grams == letters
    assert " ".join(match.fields) == fields


@pytest.mark.parametrize(
    ("averages", "share"),
    [
        # A topic has eight words where nothing else is known.
        ((), 3 / (0.25 + 0.75 / 8)),
        ((2, 1, 1, 1), 3 / (0.25 + 0.75 / 2)),
    ],
)
def test_a_short_field_says_a_word_louder(averages, share):
    query = ParsedQuery((Term("redi", "redis", 2.0),), (), (), 2.0, (), averages, 1)

    match = Scorer(query).match(session_words(Session(date(2026, 1, 29), topic="redis")))

    assert match.bm25 == pytest.approx(share / (share + 1.2))
    assert match.grams == 0


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        *(("津蓟", 1), ("蓟津", 1), ("津到蓟", 1), ("蓟到津", 1), ("津和蓟，蓟津", 2)),
        *(("津直到蓟", 0), ("蓟", 0), ("津", 0), ("", 0)),
    ],
)
def test_two_characters_are_near_each_other_with_one_between_them(statement, count):
    query = ParsedQuery((Term("津蓟", "津蓟", 1.0, "near"),), (), (), 1.0, (), (), 1)

    read = Reader(query).read(words_of([statement]))

    assert read == ({0: ({0: count}, {})} if count else {})


def test_a_guess_is_no_word_in_common():
    def breadth_of(kind: str) -> float:
        terms = (Term("redi", "redis", 1.0), Term("cach", "cahce", 1.0, kind))
        query = ParsedQuery(terms, (), (), 2.0, (), (), 7)
        session = session_words(Session(date(2026, 1, 29), topic="redis cache"))
        return Scorer(query).match(session).breadth

    assert breadth_of("exact") == breadth(2, 7)
    assert breadth_of("fuzzy") == breadth_of("near") == breadth(1, 7)


def test_of_a_concept_the_best_choice_counts():
    terms = tuple(Term(word, word, 1.0) for word in ("redi", "cach", "ttl"))
    choices = (((0, 2.0),), ((1, 1.5), (2, 1.5)))
    query = ParsedQuery(terms, (), (), 3.0, (), (9, 9, 9, 9), 1, (choices,))

    def score(said: str) -> float:
        return Scorer(query).match(session_words(Session(date(2026, 1, 29), tags=(said,)))).bm25

    assert score("redis lunch") == score("redis cache")
    assert score("cache ttl") > score("redis lunch") > score("cache lunch") > 0


@pytest.mark.parametrize(
    ("match", "score", "relevance"),
    [
        (Match(bm25=1.0), 4 / 9, 4 / 7),
        (Match(unit=1.0), 2 / 9, 2 / 7),
        (Match(pairs=1.0), 2 / 9, 0.0),
        (Match(grams=1.0), 1 / 9, 1 / 7),
        (Match(1.0, 1.0, 1.0, 1.0), 1.0, 1.0),
    ],
)
def test_words_count_twice_what_their_neighbours_do(
    match: Match, score: float, relevance: float
) -> None:
    assert match.score == pytest.approx(score)
    assert match.relevance == pytest.approx(relevance)
    assert match._replace(breadth=0.5).relevance == pytest.approx(relevance / 2)


def test_nothing_is_found_of_a_question_that_asks_for_nothing():
    assert NOTHING.score == NOTHING.relevance == 0
    words = session_words(Session(date(2026, 1, 29), topic="redis"))

    for terms in ((), (Term("cach", "cache", 1.0),), (Term("redi", "redis", 0.0),)):
        mass = sum(term.weight for term in terms)
        assert Scorer(ParsedQuery(terms, (), (), mass, (), (), 1)).match(words) == NOTHING
