"""Orders that any project gets have nothing telling in them, in either language."""

from __future__ import annotations

import pytest

from daily_memory.core.search.everyday import is_about, telling_terms


@pytest.mark.parametrize(
    "order",
    [
        "fix the typo in the README",
        "run the tests",
        "please commit and push",
        "write a unit test for this function",
        "Refactored the imports",
        "修一下 README 里的错别字",
        "跑一下测试",
        "提交代码",
        "幫我寫個單元測試",
        "",
    ],
)
def test_everyday_orders_tell_nothing(order):
    assert telling_terms(order) == frozenset()


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("fix the typo in the redis guide", "redi"),
        ("why does --no-version-check not work", "version"),
        ("rename user_id", "userid"),
        ("修复缓存的测试", "缓存"),
    ],
)
def test_what_a_question_is_about_is_telling(question, term):
    assert term in telling_terms(question)


def test_one_telling_word_has_to_be_what_a_text_is_about():
    telling = telling_terms("add a crawler")

    assert is_about(["add", "crawler"], telling, "Crawler") is True
    assert is_about(["add", "crawler"], telling, "favicon") is False
    assert is_about(["add", "page", "crawler"], telling, "favicon") is True
    assert is_about(["add"], telling, "add") is False


def test_two_telling_words_are_enough_wherever_they_are():
    assert is_about(["redis", "ttl"], telling_terms("redis ttl"), "") is True
    assert is_about(["缓", "缓存"], telling_terms("缓存"), "") is False
    assert is_about(["缓存", "存方", "方案"], telling_terms("缓存方案"), "") is True
