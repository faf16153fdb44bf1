"""How a sentence is cut, and how it is found again as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.digests.wording import adds, as_written, repeats, shortened, simplified


def test_a_cut_leaves_no_half_bracket() -> None:
    text = "typing in the filter box is laggy (2000 rows, React 18) since monday, any idea?"

    assert shortened(text, 50) == "typing in the filter box is laggy…"
    assert shortened(text, 60) == "typing in the filter box is laggy (2000 rows, React 18)…"


@given(st.text("發後端請處理abc，。 ", max_size=40))
def test_simplified_characters_stand_one_for_one(text: str) -> None:
    assert len(simplified(text)) == len(text)
    said = " ".join(text.split())
    assert as_written(simplified(said), text) == said


def test_a_text_that_was_not_said_stays_as_it_is() -> None:
    assert as_written("`npm test` 通过", "後端的測試") == "`npm test` 通过"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Set the timeout of the shop to 5 s", "Set the timeout of the shop to 3 s"),
        ("商城的超时定为 5 秒", "商城的超时定为 3 秒"),
        ("商城的会话三十天清理一次", "商城的会话六十天清理一次"),
        ("The sessions of the shop are in Redis", "The sessions of the shop are in Postgres"),
        ("the sessions of the shop are in redis", "the sessions of the shop are in postgres"),
        ("商城的会话存在 redis 里", "商城的会话存在 mysql 里"),
        ("the sessions of the shop are not in redis", "the sessions of the shop are in redis"),
        ("商城的会话没存在缓存里", "商城的会话存在缓存里"),
        ("the sessions of the shop don't expire", "the sessions of the shop expire"),
        ("call createOrder in the shop", "call in the shop"),
    ],
)
def test_another_number_name_or_denial_is_another_statement(text: str, other: str) -> None:
    assert adds(text, other)
    assert not repeats(text, other)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("shop sessions are kept for 5 secs", "shop sessions are kept for 5 seconds"),
        ("the sessions of the shop is in Redis", "the sessions of the shop are in Redis"),
        ("the sessions are in Redis", "Redis has the sessions of the shop in it"),
        ("会话存在 Redis 里", "商城的会话存在 Redis 里，一共三天"),
        ("", "anything"),
    ],
)
def test_what_says_nothing_more_repeats(text: str, other: str) -> None:
    assert repeats(text, other)
