import pytest

from daily_memory.core.search.earlier import is_about_earlier


@pytest.mark.parametrize(
    "question",
    [
        "之前怎么部署的",
        "我们之前说的方案",
        "我們之前說的方案",
        "你还记得之前的端口吗",
        "上次讨论到哪了",
        "上一次的错误",
        "我们决定过用什么",
        "昨天说的索引",
        "what did we say last time?",
        "the port of last time",
        "Do you remember the port?",
        "did we decide on a port",
        "the port that was used previously",
        "the earlier port",
        "as we discussed",
    ],
)
def test_a_question_about_earlier_work_is_known(question):
    assert is_about_earlier(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "部署之前要跑测试",
        "上传之前先压缩",
        "撤销上次的提交",
        "before the deploy",
        "clear the cache",
    ],
)
def test_a_time_within_the_task_is_no_earlier_work(question):
    assert not is_about_earlier(question)
