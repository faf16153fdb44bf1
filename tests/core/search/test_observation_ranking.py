"""Observations in the order in which they answer a question."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import observation_ranking, ranking, translation
from daily_memory.core.search.glossary import Glossary
from daily_memory.core.search.observation_ranking import (
    Document,
    Ranking,
    explain,
    moment,
    rank,
    with_translation,
)
from daily_memory.core.search.plain_corpus import PlainCorpus
from daily_memory.core.search.query import ParsedQuery, Term

TODAY = date(2026, 1, 29)


def corpus(*sessions: list[str]) -> PlainCorpus:
    """Return a corpus of these sessions, a minute between two observations."""
    return PlainCorpus(
        Document(
            f"{name}:{place}", f"{name}", place, f"2026-01-2{name}T10:{place:02}:00+08:00", said
        )
        for name, session in enumerate(sessions)
        for place, said in enumerate(session)
    )


def found(question: str, *sessions: list[str]) -> list[str]:
    return [one.document.text for one in rank(question, corpus(*sessions), TODAY).ranked]


def test_rare_words_decide():
    said = ["redis works", "redis ttl 300", "redis again", "nginx ttl"]

    assert found("redis ttl", said)[0] == "redis ttl 300"


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("播放器优化", "视频播放器首帧慢，预加载做了优化"),
        ("云工开物 优惠券", "接入了云工开物的接口"),
        ("API重构", "重构了 API 层"),
        ("缓存", "the cache lives long"),
        ("C++", "ported to C++"),
        ("conection pool", "the connection pool is full"),
        ("what TTL did we choose?", "the TTL is 300 s"),
    ],
)
def test_what_was_meant_is_found(question, wanted):
    said = [
        "视频播放器首帧慢，预加载做了优化",
        "接入了云工开物的接口",
        "重构了 API 层",
        "the cache lives long",
        "ported to C++",
        "the connection pool is full",
        "the TTL is 300 s",
    ]

    assert found(question, *([one] for one in said))[0] == wanted


def test_nothing_relevant_is_an_answer():
    assert found("kubernetes ingress", ["redis ttl 300"]) == []
    assert found("the of 的", ["redis ttl 300"]) == []
    assert found("redis") == []


def test_context_lifts_what_says_half_of_it():
    asked, answer = "which port for the metrics exporter", "port 9100 then"
    alone = ["port 9200 then", "something else"]

    assert found("metrics exporter port", [asked, answer], alone)[:2] == [asked, answer]


@pytest.mark.parametrize(
    ("question", "said", "is_long"),
    [
        ("owner: billing service staging", "who owns the billing service on staging", True),
        ("billing", "who owns the billing service on staging", False),
        ("billing service", "who owns the billing service on staging", False),
        # A Chinese word has two characters.
        ("账单服务负责", "账单服务谁负责", True),
        ("账单服务", "账单服务谁负责", False),
        # What a word is called otherwise makes no question longer.
        ("cache port queue", "缓存 端口 队列", False),
    ],
)
def test_an_answer_next_to_the_words_is_found_by_a_longer_question_only(question, said, is_long):
    assert found(question, [said, "Wang Wei", "lunch"])[1:] == ["Wang Wei"] * is_long


def test_what_tells_comes_before_what_asks():
    assert found("redis timeout", ["redis timeout?"], ["redis timeout!"])[0] == "redis timeout!"
    assert found("缓存超时", ["缓存超时？"], ["缓存超时。"])[0] == "缓存超时。"


def test_who_asks_for_a_number_is_shown_one():
    said = (["the redis timeout was raised"], ["the redis timeout was 300"])

    assert found("how long is the redis timeout", *said)[0] == "the redis timeout was 300"


def test_a_day_that_is_named_raises_what_is_near_it():
    said = (["redis restarted"], ["redis restarted"], ["redis restarted"])

    first = rank("redis restarted on January 20", corpus(*said), TODAY).ranked[0]

    assert first.document.at.startswith("2026-01-20")
    assert first.date == pytest.approx(0.15)


def test_a_day_that_can_not_be_read_is_near_to_none():
    odd = Document("x:1", "x", 0, "yesterday", "redis restarted")

    (one,) = rank("redis restarted on January 20", PlainCorpus([odd]), TODAY).ranked

    assert one.date == 0.0


def test_of_equals_the_newer_comes_first_then_the_id():
    zones = ["2026-01-20T10:00:00+08:00", "2026-01-20T03:00:00+00:00", "2026-01-20T03:00:00+00:00"]
    equal = [Document(f"{n}:1", f"{n}", 0, at, "redis") for n, at in enumerate(zones)]

    for order in (equal, equal[::-1]):
        ranked = rank("redis", PlainCorpus(order), TODAY).ranked
        assert [one.document.id for one in ranked] == ["1:1", "2:1", "0:1"]


def test_what_is_not_wanted_is_context_alone():
    said = corpus(["metrics exporter", "port 9100"])
    filtered = PlainCorpus(
        one._replace(is_wanted=one.place == 1) for one in said.find(["metric", "port"], 9)
    )

    (one,) = rank("metrics exporter port", filtered, TODAY).ranked
    (alone,) = rank("metrics exporter port", corpus(["port 9100"]), TODAY).ranked

    assert one.document.text == "port 9100"
    assert one.bm25 > alone.bm25 * 0.9


def test_a_result_explains_itself():
    query, (one,), _ = rank(
        "how many redis conections on January 20", corpus(["redis connections, why?"]), TODAY
    )

    assert ranking.matched(one.terms, query) == ("redis", "conections")
    lines = explain(one, query)
    assert lines[:2] == ("redis (exact)", "conections → connect (fuzzy)")
    assert lines[2].startswith(f"keyword {one.keyword:.3f} (bm25 ")
    assert lines[3].startswith("date named + 0.1")
    assert lines[4].startswith("answer × 0.5")


class Counted(PlainCorpus):
    """A corpus of which only is known how often each word occurs."""

    def __init__(self, occurrences: dict[str, int]) -> None:
        super().__init__([])
        self.occurrences = occurrences

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return {term: self.occurrences[term] for term in terms if term in self.occurrences}


@pytest.mark.parametrize(
    ("occurrences", "looked_for"),
    [
        # The rarest first, as long as they occur 30,000 times together.
        ({"bed": 9_999, "cap": 2, "ant": 2, "dog": 19_997}, ["ant", "cap", "bed", "dog"]),
        ({"bed": 9_999, "cap": 2, "ant": 2, "dog": 19_998}, ["ant", "cap", "bed"]),
        # Three are looked for in any case.
        ({"ant": 40_000, "bed": 50_000, "cap": 60_000, "dog": 70_000}, ["ant", "bed", "cap"]),
        ({"ant": 1}, ["ant"]),
        ({}, []),
    ],
)
def test_common_terms_are_left_to_the_exact_score(occurrences, looked_for):
    terms = tuple(Term(word, word, 1.0) for word in ("dog", "cap", "bed", "ant"))
    query = ParsedQuery(terms, (), (), 4.0, (), (), 1)

    assert observation_ranking.searched_terms(query, Counted(occurrences)) == looked_for


def test_a_pair_stands_for_its_characters():
    said = corpus(["缓存过期", "存"])

    query = rank("缓存", said, TODAY).query

    assert observation_ranking.searched_terms(query, said) == ["缓存"]


def test_a_time_without_a_zone_is_taken_for_utc():
    assert moment("2026-01-29T10:00:00") == datetime(2026, 1, 29, 10, tzinfo=timezone.utc)
    assert moment("soon") < moment("0001-01-03T00:00:00")


WORDS = st.sampled_from("redis 缓存 ttl 超时 300 nginx? C++ retryCount".split())


@given(st.lists(st.lists(WORDS, max_size=6), max_size=6), st.lists(WORDS, max_size=5))
def test_scores_are_shares_and_in_order(sessions, question):
    said = corpus(*[list(session) for session in sessions])

    ranked = rank(" ".join(question), said, TODAY).ranked

    assert all(0 < one.score <= 1 and 0 < one.keyword <= 1 for one in ranked)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert ranked == rank(" ".join(question), said, TODAY).ranked


@pytest.mark.parametrize("question", ["redis ttl", "redis 缓存 300", "retry redis cache"])
def test_a_score_is_the_mean_of_its_parts_by_their_weights(question):
    said = ["redis ttl 300", "redis 缓存 300", "retryCount of redis", "a ttl cache"]

    for one in rank(question, corpus(said, said[::-1]), TODAY).ranked:
        parts = one.bm25 + 0.5 * one.pairs + 0.3 * one.letters + 0.2 * one.session
        assert one.keyword == pytest.approx(parts / 2)


ALL, NONE = "redis ttl port", "lunch tea cake"


@pytest.mark.parametrize(
    ("session", "amounts", "saying"),
    [
        # What an observation says counts once, its neighbours 0.3, the session 0.1 for each.
        ([ALL], [1.1], 1),
        ([ALL, ALL], [1.5, 1.5], 2),
        ([ALL, NONE, ALL], [1.2, 0.8, 1.2], 2),
        ([NONE, ALL, ALL, NONE], [0.5, 1.5, 1.5, 0.5], 2),
        ([NONE, f"{ALL} {ALL}", NONE], [0.4, 2 / 1.1 + 0.1, 0.4], 1),
        # A long one says it less than a short one.
        ([f"{ALL} {NONE} {NONE}", NONE], [1 / 1.1 + 0.1, 0.4], 1),
    ],
)
def test_a_word_counts_by_where_it_is_said(session, amounts, saying):
    ranked = rank("redis ttl port", corpus(session), TODAY).ranked

    in_place = sorted(ranked, key=lambda each: each.document.place)
    assert [each.bm25 for each in in_place] == pytest.approx([n / (n + 0.9) for n in amounts])
    assert [each.session for each in in_place] == pytest.approx(
        [saying / (saying + 0.9)] * len(ranked)
    )


def test_of_many_a_hundred_are_scored_and_the_neighbours_of_forty():
    long, short = "redis ttl port", "redis"
    sessions = [[f"{long} {number}", "lunch"] for number in range(120)]

    assert len(found(short, *sessions)) == 100
    assert found(long, *sessions).count("lunch") == 40


def test_of_a_very_long_observation_the_beginning_is_read():
    assert found("redis", [" " * 7_990 + "redis"])
    assert not found("redis", [" " * 8_000 + "redis"])


def test_no_score_is_above_one():
    asked = "redis ttl on January 20"

    (one,) = rank(asked, corpus([f"{asked} " * 99]), TODAY).ranked

    assert one.keyword + one.date > 1
    assert one.score == 1.0


def test_what_an_observation_is_searched_by():
    assert observation_ranking.searched_text("said", "bash", ("x", "y")) == "said\nbash\nx y"
    assert observation_ranking.searched_text("said", "", ()) == "said"


def test_what_was_found_by_its_translation_is_explained_by_it():
    own = rank("redis", corpus(["redis works"]), TODAY)
    other = rank("缓存", corpus(["缓存"]), TODAY).query
    (one,) = own.ranked
    both = own._replace(translated=other)

    assert own.query_of(one._replace(translated=0.5)) is own.query
    assert both.query_of(one) is own.query
    assert both.query_of(one._replace(translated=0.5)) is other
    lines = explain(one._replace(translated=0.5), own.query)
    assert lines[1] == "translated: 0.500 of the question"
    assert len(lines) == 1 + len(explain(one, own.query)) == 3


def in_both_languages(question: str, *sessions: list[str], weight: float = 1.0) -> Ranking:
    said = corpus(*sessions)
    reading = translation.read(question, said, [Glossary()], weight=weight)
    return with_translation(rank(question, said, TODAY), question, said, reading)


ENGLISH, CHINESE = "rotate the database passwords", "数据库密码轮换"


@pytest.mark.parametrize(
    ("question", "translated"),
    [
        ("database passwords", [CHINESE, "数据库"]),
        ("数据库密码", [ENGLISH, "the database"]),
    ],
)
def test_what_is_said_in_the_other_language_is_found(question, translated):
    sessions = [[ENGLISH], [CHINESE], ["the database"], ["数据库"], ["lunch"], ["午饭"]]

    ranking_ = in_both_languages(question, *sessions)

    by_translation = [each for each in ranking_.ranked if each.translated]
    assert [each.document.text for each in by_translation] == translated
    assert len(ranking_.ranked) == 4
    for each in by_translation:
        assert each.translated == pytest.approx((each.bm25 + 0.2 * each.session) / 1.2)
        assert each.score == each.keyword


@pytest.mark.parametrize(
    ("question", "said", "is_translated"),
    [
        ("redis passwords", "redis 密码轮换", True),
        ("redis cache", "redis cache 就是缓存", False),
        ("redis 轮换", "redis rotates", True),
        ("redis 轮换", "redis 轮换: redis rotates", False),
    ],
)
def test_what_is_said_in_both_languages_counts_as_it_says_more(question, said, is_translated):
    (own,) = rank(question, corpus([said]), TODAY).ranked

    (both,) = in_both_languages(question, [said]).ranked

    assert bool(both.translated) == is_translated
    assert both.score > own.score if is_translated else both == own


def test_what_is_in_the_language_of_the_question_hides_no_translation():
    said = (["redis"], ["密码"], ["密码轮换"])

    assert len(in_both_languages("redis passwords", *said).ranked) == 3


def test_a_translation_is_raised_by_the_day_that_is_named():
    asked, said = "database passwords on January 21", "数据库密码"

    first, second = in_both_languages(asked, [said], [said]).ranked

    assert first.document.at.startswith("2026-01-21")
    assert first.score == first.keyword + 0.15
    assert second.score == second.keyword + second.date < first.score


def test_a_translation_that_counts_nothing_finds_nothing():
    for question, said in (
        ("database passwords yesterday", CHINESE),
        ("昨天的数据库密码", ENGLISH),
    ):
        assert in_both_languages(question, [said]).ranked
        assert not in_both_languages(question, [said], weight=0.0).ranked
