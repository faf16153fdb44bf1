"""What is an order, in either language."""

from __future__ import annotations

import pytest

from daily_memory.core.search.everyday import asks, is_order, points


@pytest.mark.parametrize(
    "message",
    [
        "git push blocked by secrets how was it resolved",
        "推荐的上下文窗口是多大",
        "do we retry?",
        "can you tell me how long logs are kept?",
        "连接池 等待",
        "cache stampede",
        "outbox of the order service",
        "naming of files in the notes folder",
        "登录失败的原因",
        "订单号的生成规则",
        "列表多了就会很卡",
        "谁改过部署脚本",
        "请求超时后能看到两条日志",
        "首页加载不出来 白屏",
        "test 环境连不上数据库",
        "can't find variable chartData",
        "save button not shown after login",
        "日志按天还是按小时切分",
        "上传接口走网关还是走内网",
        "定时任务会不会再跑一遍",
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
        "rename this variable",
        "undo your last change please",
        "把版本号加一",
        "能不能再跑一遍",
        "给函数加个注释",
        "don't use the global cache",
        "还是不行，再跑一遍",
        "run 一遍测试",
        *("2", "B", "1, 3", "12.", "好"),
    ],
)
def test_what_has_everyday_words_and_asks_nothing_is_an_order(message):
    assert is_order(message)


@pytest.mark.parametrize(
    "asks",
    [
        *("did", "does", "is", "are", "was", "were", "should", "do you"),
        *("do we", "do i", "do they", "can we", "can i", "can they"),
        *("how", "what", "which", "when", "where", "who", "why"),
    ],
)
def test_a_question_needs_no_question_mark(asks):
    assert not is_order(f"{asks} make it faster")
    assert is_order("make it faster")


@pytest.mark.parametrize(
    "message", ["how do we run the tests?", "订单号按什么规则生成", "what files did you change?"]
)
def test_a_question_asks(message):
    assert asks(message)


@pytest.mark.parametrize("message", ["can you fix it?", "git init", "run the tests", ""])
def test_what_requests_states_or_names_does_not_ask(message):
    assert not asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "what files did you change?",
        "what does this error mean?",
        "how do I run it here?",
        "你改了哪些文件",
        "這個函數是做什麼的",
        "刚才改了什么",
    ],
)
def test_what_is_before_the_eyes_of_a_conversation_is_pointed_at(message):
    assert points(message)
    assert not points("how is their name hyphenated?")
