"""Observations in the order in which they answer a question."""

from __future__ import annotations

from datetime import date, datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import observation_ranking, ranking
from daily_memory.core.search.observation_ranking import Document, explain, moment, rank
from daily_memory.core.search.plain_corpus import PlainCorpus

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


def test_an_answer_next_to_the_words_is_found_by_a_longer_question_only():
    said = ["who owns the billing service on staging", "Wang Wei does", "lunch"]

    assert "Wang Wei does" in found("owner: billing service staging", said)
    assert "Wang Wei does" not in found("billing", said)


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


def test_common_terms_are_left_to_the_exact_score(monkeypatch):
    monkeypatch.setattr(observation_ranking, "MOST_OCCURRENCES", 4)
    said = corpus(["redis a1", "redis b2 c3 d4", "redis e5"])

    query = rank("redis a1 b2 c3", said, TODAY).query

    assert "redi" not in observation_ranking.searched_terms(query, said)


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


def test_an_observation_counts_more_than_its_neighbours():
    assert found("metrics exporter", ["something else", "metrics exporter", "lunch"])[0] == (
        "metrics exporter"
    )
    own, beside, *_ = rank(
        "which metrics exporter port", corpus(["metrics exporter", "port 9100"]), TODAY
    ).ranked
    assert (own.document.place, beside.document.place) == (0, 1)
    assert own.bm25 > beside.bm25 > 0


def test_the_three_rarest_terms_are_always_looked_for(monkeypatch):
    said = corpus(["redis alpha bravo delta", "redis alpha bravo", "redis alpha", "redis"])
    query = rank("redis alpha bravo delta", said, TODAY).query

    assert observation_ranking.searched_terms(query, said) == ["delta", "bravo", "alpha", "redi"]
    monkeypatch.setattr(observation_ranking, "MOST_OCCURRENCES", 0)
    assert observation_ranking.searched_terms(query, said) == ["delta", "bravo", "alpha"]


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
