"""Orders that any project gets have nothing telling in them, in either language."""

from __future__ import annotations

import pytest

from daily_memory.core.search.everyday import is_about, is_order, telling_terms


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
        ("改一下 app.yml", "app"),
        ("修复海报的测试", "海报"),
    ],
)
def test_what_a_question_is_about_is_telling(question, term):
    assert term in telling_terms(question)


def test_one_telling_word_has_to_be_what_a_text_is_about():
    telling = telling_terms("add a favicon")

    assert is_about(["favicon"], telling, "Favicon") is True
    assert is_about(["favicon"], telling, "crawler") is False
    assert is_about(["add", "favicon"], telling, "crawler") is True
    assert is_about(["add"], telling, "add") is False


def test_two_telling_words_are_enough_wherever_they_are():
    assert is_about(["redis", "favicon"], telling_terms("redis favicon"), "") is True
    assert is_about(["海", "海报"], telling_terms("海报"), "") is False
    assert is_about(["海报", "报尺", "尺子"], telling_terms("海报尺子"), "") is True


def test_what_points_at_something_here_needs_a_second_name():
    assert telling_terms("update this favicon") == frozenset()
    assert "favicon" in telling_terms("update this favicon for the gazette")


@pytest.mark.parametrize(
    "message",
    [
        "git push blocked by secrets how was it resolved",
        "推荐的上下文窗口是多大",
        "do we retry?",
        "can you tell me how long logs are kept?",
        "连接池 等待",
        "cache stampede",
        "",
    ],
)
def test_what_asks_or_names_a_subject_is_no_order(message):
    assert not is_order(message)


@pytest.mark.parametrize(
    "message",
    [
        "can you double check",
        "Could you make it faster?",
        "do the same for the other two",
        "把版本号加一",
        "加个注释",
    ],
)
def test_what_has_everyday_words_and_asks_nothing_is_an_order(message):
    assert is_order(message)
