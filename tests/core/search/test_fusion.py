"""Fusion: how much meaning counts, and what answers a question by it."""

from __future__ import annotations

from datetime import date
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import fusion, query, ranking
from daily_memory.core.search.fusion import Cosines, Weights
from daily_memory.core.search.matching import Match
from daily_memory.core.search.plain_postings import PlainPostings
from daily_memory.core.search.ranking import RankedSession
from daily_memory.model import Session

TODAY = date(2026, 1, 29)
TOPIC = Session(TODAY, topic="translated")
SHARES = st.floats(0, 1)
COSINES = st.floats(-1, 1)


def ranked(day: int, keyword: float, *, decay: float = 1.0) -> RankedSession:
    session = Session(date(2026, 1, day), number=1, topic=str(day))
    return RankedSession(session, keyword * decay, keyword, 0.0, decay, Match(), keyword)


def covered(question: str, *topics: str) -> float:
    sessions = PlainPostings(Session(TODAY, topic=topic) for topic in topics)
    return fusion.coverage(query.prepare(question, sessions, TODAY))


def test_coverage_is_the_share_of_the_question_that_the_memory_has():
    assert covered("redis cache", "redis cache") == 1.0
    assert 0.3 < covered("redis quokka", "redis cache") < 0.7
    assert covered("quokka wombat", "redis cache") == 0.0
    assert covered("", "redis cache") == 0.0
    # A mistyped word is there in part, a synonym is not.
    assert 0.5 < covered("conection", "a connection") < 1.0
    assert covered("cache", "缓存") == 0.0


def test_the_weights_are_the_shares_where_all_words_are_found():
    assert fusion.share(Weights(0.4, 0.6), 1.0, 1.0) == pytest.approx(0.6)
    assert fusion.share(Weights(0.7, 0.3), 1.0, 1.0) == pytest.approx(0.3)


def test_meaning_counts_more_the_fewer_words_are_found():
    shares = [fusion.share(Weights(0.7, 0.3), found, 1.0) for found in (1.0, 0.5, 0.0)]

    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_meaning_counts_nothing_where_the_model_knows_nothing():
    assert fusion.share(Weights(0.7, 0.3), 0.0, fusion.trust(0.05)) == 0.0


@given(SHARES, SHARES, SHARES, SHARES, COSINES, COSINES, SHARES, st.integers(1, 10_000))
def test_scores_stay_between_0_and_1(keyword, semantic, words, known, cosine, mean, score, count):
    share = fusion.share(Weights(keyword, semantic), words, fusion.trust(known))
    found = fusion.semantic_score(cosine, Cosines(mean, 0.1, count))
    (each,) = fusion.blended([ranked(1, score)], {0: found}, {0: share})

    assert 0 <= share <= 1
    assert 0 <= found <= 1
    assert 0 <= each.blend <= 1
    assert 0 <= each.score <= 1


def test_what_all_texts_have_in_common_is_no_similarity():
    assert fusion.semantic_score(0.8, Cosines(0.8, 0.02, 100)) == 0.0
    assert fusion.semantic_score(1.0, Cosines(0.8, 0.02, 100)) == 1.0


def test_the_more_texts_the_further_one_must_stand_out():
    scores = [fusion.semantic_score(0.6, Cosines(0.1, 0.1, 10**power)) for power in (1, 2, 3, 5)]

    assert scores == sorted(scores, reverse=True)
    # Of 10,000 unrelated texts one is four deviations out.
    assert fusion.semantic_score(0.5, Cosines(0.1, 0.1, 10_000)) == 0.0


def test_in_a_memory_of_three_a_close_text_stands_out():
    cosines = [0.9, 0.1, 0.0]
    mean = sum(cosines) / 3
    deviation = (sum((cosine - mean) ** 2 for cosine in cosines) / 3) ** 0.5

    found = [fusion.semantic_score(cosine, Cosines(mean, deviation, 3)) for cosine in cosines]

    assert found[0] > 0.9
    assert found[1:] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("cosine", "others", "score"),
    [
        # Of three texts, one that has as little with the others as texts usually have.
        (0.3, [0.0, 0.0], 0.242),
        (0.1, [0.0, 0.0], 0.0),
        # The less the others differ, the further out it is.
        (0.5, [0.1] * 9, 0.799),
        (0.5, [0.0, 0.2] * 5, 0.352),
        (0.5, [-0.1, 0.3] * 5, 0.0),
        # What is alone stands out of nothing.
        (1.0, [], 0.0),
    ],
)
def test_a_text_counts_by_how_far_it_stands_out_among_the_others(cosine, others, score):
    texts = [cosine, *others]

    found = fusion.semantic_score(cosine, Cosines(fmean(texts), pstdev(texts), len(texts)))

    assert found == pytest.approx(score, abs=5e-4)


@pytest.mark.parametrize(("semantic", "score"), [(0.5, 0.6), (0.95, 1.0)])
def test_a_day_that_is_named_raises_what_is_near_in_meaning(semantic, score):
    (each,) = fusion.blended([ranked(1, 0.0)._replace(date=0.1)], {0: semantic}, {0: 1.0})

    assert each.score == pytest.approx(score)
    assert each.blend == semantic


def test_sessions_are_in_order_of_both_scores():
    found = fusion.blended(
        [ranked(1, 0.9), ranked(2, 0.5), ranked(3, 0.5, decay=0.5)],
        {1: 1.0, 2: 1.0},
        {0: 0.5, 1: 0.5, 2: 0.5},
    )

    assert [each.ranked.session.topic for each in found] == ["2", "1", "3"]
    assert [each.blend for each in found] == [0.75, 0.45, 0.75]


def test_without_meaning_the_order_and_the_scores_are_those_of_the_words():
    # One word counts less for the floors; a translated session has a rank of its own.
    across = RankedSession(TOPIC, 0.4, 0.3, 0.0, 1.0, Match(), 0.2, 0.5)
    sessions = [ranked(1, 0.9), across, ranked(2, 0.12)._replace(relevance=0.06)]

    blended = fusion.blended(sessions, {}, {})

    assert [(each.ranked, each.score, each.blend) for each in blended] == [
        (each, each.score, each.relevance) for each in sessions
    ]
    assert [each.ranked for each in fusion.relevant(blended)] == ranking.relevant(sessions)
    assert fusion.relevant(blended[2:]) == []
    assert ranking.relevant(sessions[2:]) == []


def test_what_stands_out_by_its_meaning_answers_without_a_word():
    near, far, unknown = ranked(1, 0.0), ranked(2, 0.0), ranked(3, 0.0)
    found = fusion.blended([near, far, unknown], {0: 0.25, 1: 0.24, 2: 0.9}, {0: 0.1, 1: 1.0})

    assert [each.ranked for each in fusion.relevant(found)] == [near]


def test_both_scores_are_explained():
    (each,) = fusion.blended([ranked(1, 0.5)], {0: 1.0}, {0: 0.5})
    (alone,) = fusion.blended([ranked(1, 0.5)], {}, {})

    assert fusion.explain(each) == "semantic 1.000, share 0.50: 0.750 of both"
    assert fusion.explain(alone) == "semantic: not known, the words alone count"
