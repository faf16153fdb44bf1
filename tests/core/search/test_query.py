from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import query as querying
from daily_memory.core.search.dates import Period
from daily_memory.core.search.query import prepare
from daily_memory.model import Session
from tests.core.memories import ListedPostings

TODAY = date(2026, 1, 29)
MEMORY = ListedPostings(
    [
        Session(TODAY, topic="redis cache TTL", key_points=("timeout of the connection pool",)),
        Session(TODAY, topic="播放器优化", key_points=("首帧缓存", "数据库迁移")),
    ]
)
EMPTY = ListedPostings([])


def test_a_known_word_is_looked_for_as_it_is():
    query = prepare("What TTL for Redis?", MEMORY, TODAY)

    assert [(term.term, term.word, term.kind) for term in query.terms] == [
        ("ttl", "TTL", "exact"),
        ("redi", "Redis", "exact"),
    ]
    assert query.mass == sum(term.weight for term in query.terms)


def test_an_unknown_word_becomes_words_like_it_and_still_weighs():
    query = prepare("conection", MEMORY, TODAY)

    assert [(term.term, term.word, term.kind) for term in query.terms] == [
        ("connect", "conection", "fuzzy")
    ]
    assert query.terms[0].weight < query.mass


def test_a_mistyped_stop_word_asks_for_nothing():
    assert prepare("redis thier", MEMORY, TODAY) == prepare("redis", MEMORY, TODAY)


def test_of_a_large_vocabulary_only_the_likely_letters_are_compared(monkeypatch):
    monkeypatch.setattr(querying, "MOST_VOCABULARY", 0)

    query = prepare("onnection", MEMORY, TODAY)
    found = prepare("cnonection", MEMORY, TODAY)

    assert query.terms == ()
    assert [term.term for term in found.terms] == ["connect"]


@pytest.mark.parametrize("question", ["ttk", "缓冲", "err404"])
def test_short_words_chinese_and_codes_are_not_expanded(question):
    query = prepare(question, MEMORY, TODAY)

    assert all(term.kind == "exact" for term in query.terms)


def test_a_technical_word_finds_its_name_in_the_other_language_weakly():
    english = prepare("cache", MEMORY, TODAY)
    chinese = prepare("超时", MEMORY, TODAY)

    assert [(term.term, term.kind) for term in english.terms] == [
        ("cach", "exact"),
        ("缓存", "synonym"),
    ]
    assert english.terms[1].weight < english.terms[0].weight
    assert [(term.term, term.word, term.kind) for term in chinese.terms] == [
        ("timeout", "超时", "synonym")
    ]


def test_a_long_name_in_the_other_language_shares_its_weight_among_its_pairs():
    query = prepare("database", MEMORY, TODAY)

    assert [term.term for term in query.terms] == ["数据", "据库"]


def test_words_that_say_little_and_single_characters_weigh_less():
    general = prepare("used redis", MEMORY, TODAY)
    chinese = prepare("播放的", MEMORY, TODAY)
    share = {term.term: term.weight for term in chinese.terms}

    assert general.mass < 2 * prepare("redis", MEMORY, TODAY).mass + 5
    assert share["播"] < share["播放"]


@pytest.mark.parametrize(
    ("term", "share"),
    [("redis", 1.0), ("use", 0.5), ("播放", 1.0), ("播", 0.5), ("的", 0.15), ("的播", 0.3)],
)
def test_what_a_term_weighs_by_its_form(term, share):
    assert querying.form_share(term) == pytest.approx(share)


def test_a_word_in_the_other_language_weighs_a_third_and_half_of_that_if_it_is_unknown():
    rarity = querying.Rarity(MEMORY.count)

    weights = [prepare(word, MEMORY, TODAY).terms[-1].weight for word in ("cache", "超时", "缓存")]

    assert weights == pytest.approx([0.3 * rarity(1), 0.15 * rarity(1), 0.3 * rarity(1)])


def test_of_a_word_in_a_language_that_a_memory_has_not_each_character_is_a_quarter():
    query = prepare("播放器", EMPTY, TODAY)

    assert query.mass == pytest.approx(0.75 * querying.Rarity(0)(0))


def test_a_word_counts_by_its_length_once():
    query = prepare("redis pool", MEMORY, TODAY)

    assert sum(weight for _, weight in query.grams) == pytest.approx(query.mass)
    assert len(query.grams) == 4
    (pair,) = prepare("connection pool", MEMORY, TODAY).pairs
    assert pair.weight == pytest.approx(prepare("connection pool", MEMORY, TODAY).mass / 2)


def test_what_is_like_a_word_weighs_less_the_less_it_is_like_it():
    (term,) = prepare("conection", MEMORY, TODAY).terms

    assert term.weight == pytest.approx((1 - 1 / 7) ** 3 * querying.Rarity(MEMORY.count)(1))


def test_of_an_unknown_pair_what_is_in_no_known_one_weighs_at_either_end():
    masses = [
        prepare("播放器", ListedPostings([Session(TODAY, topic=known)]), TODAY).mass
        for known in ("播放", "放器")
    ]

    assert masses[0] == masses[1]


def test_neighbours_are_pairs_across_stop_words():
    query = prepare("timeout of the connection pool, 优化播放器", MEMORY, TODAY)
    terms = [term.term for term in query.terms]

    pairs = [(terms[pair.first], terms[pair.second]) for pair in query.pairs]

    assert pairs == [("timeout", "connect"), ("connect", "pool")]


def test_a_mistyped_word_is_the_neighbour_that_the_word_meant_is():
    query = prepare("conection pool", MEMORY, TODAY)
    terms = [term.term for term in query.terms]

    assert [(terms[pair.first], terms[pair.second]) for pair in query.pairs] == [
        ("connect", "pool")
    ]


def test_letters_of_short_words_count_as_well():
    query = prepare("db 缓存", MEMORY, TODAY)

    assert {gram for gram, _ in query.grams} == {" db", "缓存"}


@pytest.mark.parametrize(
    "question",
    ["还记得我们讨论过的缓存吗", "last time we talked about 缓存", "上次我们讨论的缓存"],
)
def test_words_that_refer_to_earlier_work_are_not_looked_for(question):
    terms = {term.term for term in prepare(question, MEMORY, TODAY).terms}

    assert {"缓存"} <= terms
    assert not terms & {"讨", "论", "讨论", "talk", "time", "last"}


def test_a_mistyped_word_weighs_what_the_word_meant_does():
    mistyped, right = prepare("conection", MEMORY, TODAY), prepare("connection", MEMORY, TODAY)

    assert mistyped.mass == pytest.approx(right.mass)


def test_a_word_that_all_sessions_have_tells_almost_nothing():
    rarity = querying.Rarity(1000)

    assert rarity(1000) < 0.01 * rarity(1)


def test_words_of_a_date_count_little():
    sessions = ListedPostings([Session(TODAY, topic="redis on january 12")])

    weights = {
        term.term: term.weight for term in prepare("redis on January 12", sessions, TODAY).terms
    }

    assert weights["januari"] == pytest.approx(0.3 * weights["redi"])


def test_a_day_in_the_question_is_noted():
    query = prepare("redis yesterday", MEMORY, TODAY)

    day = date(2026, 1, 28)
    assert query.dates == (Period(day, day),)


@given(st.text(), st.sampled_from([MEMORY, EMPTY]))
def test_any_text_is_a_question(question, memory):
    query = prepare(question, memory, TODAY)

    assert len(query.terms) <= querying.MAX_TERMS
    assert all(term.weight > 0 for term in query.terms)


def test_a_megabyte_is_a_question_too():
    query = prepare("redis\0" * 200_000, MEMORY, TODAY)

    assert [term.term for term in query.terms] == ["redi"]
