"""What a text must look like to answer a question."""

from __future__ import annotations

import pytest

from daily_memory.core.search import text
from daily_memory.core.search.answer_shape import asking_share, asks_for_number, number_share


@pytest.mark.parametrize(
    "question",
    [
        "How many retries?",
        "when did we deploy",
        "What's the port of redis",
        "which version is it",
        "超时设为多少？",
        "幾個副本",
        "哪一天上线",
        "什么时候上线",
        "何时上线",
        "发布日期",
        "在哪个年份",
        "端口是哪个",
        "要多久",
    ],
)
def test_a_question_for_a_number_or_a_date_is_known(question):
    assert asks_for_number(text.fold(question))


@pytest.mark.parametrize("question", ["why is redis slow", "谁改了配置", "几乎没有变化", ""])
def test_other_questions_ask_for_no_number(question):
    assert not asks_for_number(text.fold(question))


def test_digits_tell_a_number_better_than_words_do():
    told = ["改为 5 秒", "改为五秒", "last Tuesday", "改了超时"]

    assert [number_share(text.fold(one)) for one in told] == [1.0, 0.5, 0.5, 0.0]


def test_only_what_asks_is_counted():
    assert asking_share(text.fold("多久过期？")) == 1.0
    assert asking_share(text.fold("缓存多久过期？设为五分钟了。")) == 7 / 14
    assert asking_share("Done. What next?") == pytest.approx(11 / 16)
    assert asking_share("curl http://host/path?limit=5") == 0.0
    assert asking_share("") == 0.0
