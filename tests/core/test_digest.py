"""A digest: what was asked, found, decided and left open, in the conversation's own words."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.context import ContextItem, format_context
from daily_memory.core.digest import (
    BRIEF_CHARS,
    DETAILED_CHARS,
    MAX_POINT_CHARS,
    MAX_TOPIC_CHARS,
    Message,
    digest,
    turn_count,
)
from daily_memory.model import Code, Session

DAY = date(2026, 1, 29)


def digest_of(*turns: str, max_chars: int = BRIEF_CHARS, save_code: bool = False) -> Session:
    """Digest turns that alternate between the user, who begins, and the assistant."""
    messages = [
        Message("assistant" if index % 2 else "user", text) for index, text in enumerate(turns)
    ]
    return digest(messages, DAY, max_chars=max_chars, save_code=save_code)


def test_a_chinese_conversation_is_digested_in_its_own_words() -> None:
    session = digest_of(
        "你好！我们的 API 用 Flask 写的，现在响应很慢。"
        "能不能帮我分析一下为什么 /orders 接口这么慢？"
        "代码在 src/api/orders.py 里。",
        "好的，让我先看看代码。\n\n我发现了问题：`src/api/orders.py:42` 里有 N+1 查询。"
        "根本原因是 ORM 关系没有设置 eager loading。\n\n修改后响应时间从 2.3s 降到 180ms。",
        "太好了。那我们决定用 FastAPI 替换 Flask 吧，因为需要异步。",
        "我已经把 `src/api/app.py` 迁移完成，测试全部通过了。\n\n下一步：\n- 迁移鉴权中间件\n"
        "- [ ] 更新 README.md 里的部署说明\n\n待确认：线上的 Nginx 超时要不要调整？\n\n"
        "还有什么需要帮忙的吗？",
        "好的，先这样。",
    )

    assert session == Session(
        DAY,
        topic="能不能帮我分析一下为什么 /orders 接口这么慢？",
        key_points=(
            "我们的 API 用 Flask 写的，现在响应很慢。",
            "代码在 src/api/orders.py 里。",
            "我发现了问题：`src/api/orders.py:42` 里有 N+1 查询。",
            "根本原因是 ORM 关系没有设置 eager loading。",
            "修改后响应时间从 2.3s 降到 180ms。",
            "我已经把 `src/api/app.py` 迁移完成，测试全部通过了。",
        ),
        decisions=("那我们决定用 FastAPI 替换 Flask 吧，因为需要异步。",),
        open_questions=("待确认：线上的 Nginx 超时要不要调整？",),
        next_steps=("迁移鉴权中间件", "更新 README.md 里的部署说明"),
        files=("src/api/orders.py", "src/api/app.py", "README.md"),
    )


def test_an_english_conversation_is_digested_in_its_own_words() -> None:
    session = digest_of(
        "hi there",
        "Hello! How can I help?",
        "The login test in tests/login.spec.ts fails on CI, can you find out why?",
        "Sure, let me look.\n\nI found the root cause: the test doesn't wait for the token. "
        "I fixed it by awaiting `refreshToken()` in `src/auth/session.ts`.\n\n"
        "## Next steps\n1. Remove the retry wrapper in ci/run.sh\n2. Upgrade Node.js to 20\n\n"
        "Would you like me to also update the docs?",
        "Great. We'll use MSW for mocking from now on. Also remember that we prefer pnpm.",
        "I've replaced nock in package.json. I'm still not sure why Windows differs.",
        "ok thanks. What about the Safari bug?",
    )

    assert session == Session(
        DAY,
        topic="The login test in tests/login.spec.ts fails on CI, can you find out why?",
        key_points=(
            "I found the root cause: the test doesn't wait for the token.",
            "I fixed it by awaiting `refreshToken()` in `src/auth/session.ts`.",
            "Also remember that we prefer pnpm.",
            "I've replaced nock in package.json.",
        ),
        decisions=("We'll use MSW for mocking from now on.",),
        open_questions=(
            "I'm still not sure why Windows differs.",
            "What about the Safari bug?",
        ),
        next_steps=("Remove the retry wrapper in ci/run.sh", "Upgrade Node.js to 20"),
        files=("tests/login.spec.ts", "src/auth/session.ts", "ci/run.sh", "package.json"),
    )


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        ("你好，请帮我重构登录模块", "重构登录模块"),
        ("请求超时怎么处理？", "请求超时怎么处理？"),
        ("Hi Claude, could you please fix the cache?", "fix the cache?"),
        ("继续昨天的 API 重构工作", "继续昨天的 API 重构工作"),
        ("我有一个 React 项目。怎么加 Redux？", "怎么加 Redux？"),
        ("I have a Flask app. It is small.", "I have a Flask app."),
        ("记住这个", "记住这个"),
        ("🚀", "🚀"),
        ("不要保存到数据库，直接返回", "不要保存到数据库，直接返回"),
        ("<user_query>\r\nfix the login test\r\n</user_query>", "fix the login test"),
        ("> quoted text of a mail\n/compact\nadd dark mode please", "add dark mode please"),
    ],
)
def test_the_topic_is_the_first_request_without_greeting(asked: str, topic: str) -> None:
    session = digest_of(asked, "好的")

    assert session.topic == topic


def test_a_greeting_in_a_message_of_its_own_is_passed_over() -> None:
    session = digest_of("在吗", "在的", "谢谢", "不客气", "升级 webpack 到 5")

    assert session.topic == "升级 webpack 到 5"


def test_a_long_topic_is_cut_behind_a_clause() -> None:
    asked = "把登录接口从 session 改成 JWT，并且兼容旧的客户端，" + "同时更新所有的文档和测试" * 10

    session = digest_of(asked)

    assert session.topic == "把登录接口从 session 改成 JWT，并且兼容旧的客户端…"


def test_a_long_topic_without_clauses_is_cut_behind_a_word_or_anywhere() -> None:
    topics = [digest_of(unit * 40).topic for unit in ("refactor everything ", "重构登录模块测试")]

    assert topics[0].endswith(("refactor…", "everything…"))
    assert len(topics[1]) == MAX_TOPIC_CHARS


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [Message("user", "")],
        [Message("user", " \n\r\n ")],
        [Message("tool", "决定采用 Redis。")],
        [Message("system", "You are helpful."), Message("user", "```\nx = 1\n```")],
    ],
)
def test_nothing_to_read_gives_a_session_without_a_topic(messages: list[Message]) -> None:
    session = digest(messages, DAY)

    assert session == Session(DAY)


def test_without_a_word_of_the_user_the_assistants_first_sentence_is_the_topic() -> None:
    session = digest([Message("AI", "Fixed the bug in a.py.")], DAY)

    assert session == Session(DAY, topic="Fixed the bug in a.py.", files=("a.py",))


@pytest.mark.parametrize(
    "text",
    [
        "我们还没有决定用哪个缓存方案。",
        "要不要采用 Redis 缓存方案？",
        "如果流量大，可以采用 Redis 缓存。",
        "We haven't decided on the cache backend.",
        "I would recommend going with Redis here.",
    ],
)
def test_what_is_only_considered_is_no_decision(text: str) -> None:
    session = digest_of("缓存怎么做", text, "好", "继续实现接口")

    assert session.decisions == ()


def test_lists_under_a_heading_are_what_the_heading_says() -> None:
    session = digest_of(
        "总结一下这次的架构评审",
        "## 决定\n- 存储用 PostgreSQL\n- 队列用 Redis\n\n**Open questions:**\n* quota per user\n\n"
        "一些背景：\n- 评审由三个人参加\n\n待办：\n1、写迁移脚本\n- [x] 已经建好测试库\n\n"
        "普通段落在这里。\n"
        "- 普通列表的一项",
    )

    assert session.decisions == ("存储用 PostgreSQL", "队列用 Redis")
    assert session.open_questions == ("quota per user",)
    assert session.next_steps == ("写迁移脚本",)
    assert set(session.key_points) == {
        "评审由三个人参加",
        "已经建好测试库",
        "普通段落在这里。",
        "普通列表的一项",
    }


def test_a_doubt_of_the_first_half_and_a_step_long_done_are_not_kept_as_open() -> None:
    session = digest_of(
        "不确定为什么构建会失败，接下来先查日志",
        "接下来我来查看构建日志。",
        "查到了吗",
        "修复了：缺少环境变量 NODE_ENV。",
        "谢谢",
        "构建已经恢复正常。",
    )

    assert (session.open_questions, session.next_steps) == ((), ())


def test_repetitions_are_kept_once() -> None:
    session = digest_of(
        "修复支付回调的签名校验",
        "原因是签名用了错误的密钥。\n\n总结：原因是签名用了错误的密钥。",
        "确认",
        "原因是签名用了错误的密钥！",
    )

    assert len([point for point in session.key_points if "错误的密钥" in point]) == 1


def test_a_context_block_and_notes_of_the_host_are_not_saved_again() -> None:
    block = format_context(
        [ContextItem("2026-01-01#1", lines=("旧记忆：决定采用 Redis 缓存。",))], nonce="0" * 16
    )

    session = digest_of(
        f"{block}\n<system-reminder>\n决定采用 Kafka 队列。</system-reminder>\n"
        "把日志换成 JSON 格式\n"
        "<git_status>never closed"
    )

    assert session.topic == "把日志换成 JSON 格式"
    assert session.decisions == ()


def test_a_wish_not_to_save_is_no_content() -> None:
    session = digest_of("把日志换成 JSON 格式", "已经完成了修改。", "好的，这次不要保存。")

    assert all("保存" not in point for point in session.key_points)


def test_code_is_kept_only_when_asked_for() -> None:
    turns = ("写一个函数", "```python\ndef f():\n    return 1\n```")

    sessions = [digest_of(*turns), digest_of(*turns, save_code=True)]

    assert [session.code for session in sessions] == [
        (),
        (Code("python", "def f():\n    return 1"),),
    ]


def test_the_last_version_of_a_block_is_kept() -> None:
    session = digest_of(
        "写一个函数",
        "```python\ndef area(r):\n    return r * r\n```",
        "要乘 pi",
        '~~~~ {.python title="x"}\ndef area(r):\n    return 3.14 * r * r\n~~~\n~~~~\n',
        save_code=True,
    )

    assert session.code == (Code("python", "def area(r):\n    return 3.14 * r * r\n~~~"),)


def test_at_most_three_blocks_are_kept_and_those_of_the_assistant_first() -> None:
    session = digest_of(
        "报错\n```\nTraceback 1\n```",
        "```a\nalpha line\n```\n```b\nbeta line\n```\n```log\nnoise\n```\n```\n\n```",
        "```x\npasted by the user\n```",
        "```c\ngamma line\n```\n```long\n"
        + "\n".join(map(str, range(61)))
        + "\n```\n```d\nunclosed",
        save_code=True,
    )

    assert session.code == (
        Code("a", "alpha line"),
        Code("b", "beta line"),
        Code("c", "gamma line"),
    )


def test_short_blocks_are_versions_only_when_equal() -> None:
    session = digest_of("a", "```sh\nls\n```\n```sh\ncd\n```\n```sh\nls\n```", save_code=True)

    assert session.code == (Code("sh", "cd"), Code("sh", "ls"))


def test_files_are_paths_and_not_products_addresses_or_versions() -> None:
    session = digest_of(
        "修改src/app.py文件和 `文档/设计.md`、C:\\work\\a.ts，见 https://example.com/x.html，"
        "用 Node.js 18.2.1，问 me@example.com，Dockerfile，.env.local，./run.sh:12:3，"
        "`cat b/c.py`，`f(x)`，and/or，www.x.org/i.html，.md"
    )

    assert session.files == (
        "src/app.py",
        "文档/设计.md",
        "C:\\work\\a.ts",
        "Dockerfile",
        ".env.local",
        "./run.sh",
        "b/c.py",
    )


def test_at_most_twelve_files_are_kept() -> None:
    session = digest_of("看看这些文件 " + " ".join(f"src/f{n}.py" for n in range(30)))

    assert session.files == tuple(f"src/f{n}.py" for n in range(12))


@pytest.mark.parametrize("max_chars", [0, 10, 200, BRIEF_CHARS, DETAILED_CHARS])
def test_the_budget_holds_and_a_larger_one_tells_more(max_chars: int) -> None:
    turns = [
        "原因是" + "".join(chr(0x4E00 + (n * 997 + k * 31) % 9000) for k in range(150))
        for n in range(60)
    ]

    session = digest_of(*turns, max_chars=max_chars)

    assert max_chars * 0.4 <= len(everything(session)) <= max_chars


def everything(session: Session) -> str:
    return session.topic + "".join(
        "".join(texts)
        for texts in (
            session.key_points,
            session.decisions,
            session.open_questions,
            session.next_steps,
            session.files,
        )
    )


PIECES = st.sampled_from(
    [
        "我们决定采用 FastAPI。",
        "We decided to use pnpm. ",
        "下一步：\n",
        "- 更新文档\n",
        "- [ ] add tests\n",
        "TODO: check 缓存 size\n",
        "为什么会失败？",
        "The root cause was a race in src/a.py.\r\n",
        "## 待确认\n",
        "```python\nx = 1\n```\n",
        "```",
        "<system-reminder>x</system-reminder>",
        "👩‍💻 emoji，",
        "| a | b |\n",
        "好的",
        "\n",
        " ",
        "long clause without any end " * 12,
    ]
)
contents = st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=8).map("".join)
conversations = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant", "Human", "tool", ""]), contents),
    max_size=6,
)


@given(conversations, st.integers(0, 1200))
def test_every_sentence_is_one_of_the_conversation(messages: list[Message], max_chars: int) -> None:
    session = digest(messages, DAY, max_chars=max_chars, save_code=True)

    said = "\n".join(" ".join(message.content.split()) for message in messages)
    points = session.key_points + session.decisions + session.open_questions + session.next_steps
    assert all(text.removesuffix("…") in said for text in (session.topic, *points, *session.files))
    assert all(0 < len(point) <= MAX_POINT_CHARS for point in points)
    assert len(session.topic) <= MAX_TOPIC_CHARS
    assert len(everything(session)) <= max_chars
    assert session == digest(messages, DAY, max_chars=max_chars, save_code=True)


@pytest.mark.parametrize(
    "unit", ["a/", "`", "<system-reminder>", "请", "- ", "？", " ", "。", "x.py:1 ", "hi, "]
)
def test_ten_megabytes_of_anything_take_no_time(unit: str) -> None:
    messages = [Message("user", unit * (10_000_000 // len(unit)))]

    started = time.process_time()
    digest(messages, DAY, save_code=True)

    assert time.process_time() - started < 30


def test_of_a_very_long_conversation_beginning_and_end_are_read() -> None:
    middle = [f"修复第 {n} 个问题。原因是缓存过期。" for n in range(7000)]

    session = digest_of("迁移数据库到 PostgreSQL", *middle, "我们决定保留旧的 MySQL 只读副本。")

    assert session.topic == "迁移数据库到 PostgreSQL"
    assert session.decisions == ("我们决定保留旧的 MySQL 只读副本。",)


def test_turns_are_what_the_user_said() -> None:
    messages = [
        Message("user", "修复登录"),
        Message("assistant", "好"),
        Message("Human", "谢谢 🙏"),
        Message("user", ""),
        Message("user", " \r\n"),
        Message("tool", "output"),
    ]

    count = turn_count(messages)

    assert count == 2
