"""Postings without an index say what an index would say."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.search import fields, text
from daily_memory.core.search.plain_postings import PlainPostings
from daily_memory.model import Session
from tests.core.memories import ListedPostings

SESSIONS = [
    Session(
        date(2026, 1, 1),
        1,
        topic="Redis 缓存方案",
        tags=("redis", "缓存"),
        key_points=("redis TTL 300", "retryCount of 缓存", "redis, redis and redis"),
    ),
    Session(date(2026, 1, 2), 1, topic="Rotate the signing key", key_points=("密钥 90 days",)),
    Session(date(2026, 1, 2), 2, topic="空"),
]


@pytest.mark.parametrize("sessions", [SESSIONS, SESSIONS[:1]])
def test_they_say_what_an_index_says(sessions):
    plain, index = PlainPostings(sessions), ListedPostings(sessions)
    terms = [term for session in sessions for term in fields.read(session).impacts]

    assert (plain.count, plain.average_lengths) == (index.count, index.average_lengths)
    assert list(plain.days) == index.days
    assert plain.frequencies([*terms, "nowhere"]) == index.frequencies(terms)
    for term in (*terms, "nowhere"):
        assert plain.postings(term) == index.postings(term)
    assert plain.vocabulary() == index.vocabulary()
    assert plain.vocabulary("r", 4, 6) == index.vocabulary("r", 4, 6)
    assert plain.vocabulary_size() == index.vocabulary_size()
    keys = range(len(sessions))
    for is_chinese in (True, False):
        assert plain.has_language(is_chinese=is_chinese) == index.has_language(
            is_chinese=is_chinese
        )
        assert plain.in_language(keys, is_chinese=is_chinese) == index.in_language(
            keys, is_chinese=is_chinese
        )


def test_without_sessions_there_is_nothing():
    plain = PlainPostings([])

    assert (plain.count, plain.average_lengths, plain.vocabulary()) == (0, (), [])
    assert (plain.frequencies(["redis"]), list(plain.postings("redis"))) == ({}, [])


def test_a_text_of_ascii_gives_the_terms_that_it_gives_within_another():
    ascii_text = "The retryCount of HTTPServer2_test in v3.11.7"

    assert text.terms(ascii_text + " 缓") == [*text.terms(ascii_text), "缓"]
