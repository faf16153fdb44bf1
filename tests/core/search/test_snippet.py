"""The line of a session that shows why it was found."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.search.snippet import cut, snippet
from daily_memory.model import Session

DOTS = "." * 50
LONG = f"{DOTS}TTL{'-' * 47}"


@pytest.mark.parametrize(
    ("said", "words", "shown"),
    [
        ("TTL 定为\n 300 秒", ["ttl"], "TTL 定为 300 秒"),
        ("x" * 60, [], "x" * 60),
        # Too long: the first of the words is 40 characters from the beginning, if there is room.
        (LONG, ["ttl"], f"…{LONG[10:68]}…"),
        (LONG, ["-", "TTL", "."], f"{LONG[:58]}…"),
        (LONG, ["redis"], f"{LONG[:58]}…"),
        (LONG, ["redis", "ttl"], f"…{LONG[10:68]}…"),
        (f"TTL{LONG}", ["ttl"], f"TTL{DOTS}TTL--…"),
        (LONG[3:] + LONG[:3], ["-..."], f"…{'.' * 7}TTL{'-' * 47}.…"),
        ("缓" * 100 + "存", ["存"], f"…{'缓' * 58}…"),
    ],
)
def test_a_text_is_cut_around_the_first_of_the_words(
    said: str, words: list[str], shown: str
) -> None:
    assert cut(said, words, 60) == shown


@pytest.mark.parametrize(
    ("said", "words", "shown"),
    [
        ({"key_points": ("lunch", "redis TTL")}, ["ttl"], "redis TTL"),
        ({"key_points": ("lunch", "dinner")}, ["ttl"], "lunch"),
        # The longer words tell more.
        ({"key_points": ("a b c", "缓存过期")}, ["a", "b", "缓存"], "a b c"),
        ({"key_points": ("a b c", "缓存 timeout")}, ["A", "b", "缓存", "TIMEOUT"], "缓存 timeout"),
        (
            {"key_points": ("coupons", "付款"), "files": ("api/payment.py",)},
            ["payment", "付款"],
            "付款",
        ),
        ({"key_points": ("coupons",), "files": ("api/payment.py",)}, ["payment"], "api/payment.py"),
        # The topic and the tags are shown anyway.
        ({"topic": "redis", "tags": ("redis",), "summary": "lunch"}, ["redis"], "lunch"),
        ({"topic": "lunch", "tags": ("redis",)}, ["redis"], "redis"),
        ({"topic": "lunch"}, ["redis"], "lunch"),
        ({}, ["redis"], ""),
    ],
)
def test_the_statement_with_most_of_the_words_is_shown(
    said: dict[str, object], words: list[str], shown: str
) -> None:
    session = Session(date(2026, 1, 29))._replace(**said)  # type: ignore[arg-type]

    assert snippet(session, words, 60) == shown
