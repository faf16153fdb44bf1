"""When two statements say the same."""

from __future__ import annotations

import pytest

from daily_memory.core.review.similarity import adds, repeats


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
