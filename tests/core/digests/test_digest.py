"""A digest: what was asked, found, decided and left open, in the conversation's own words."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.context import ContextItem, format_context
from daily_memory.core.digests.digest import (
    BRIEF,
    DETAILED,
    MOST_MORE_WIDTH,
    Form,
    digest,
    digest_observations,
)
from daily_memory.core.digests.messages import Message
from daily_memory.core.digests.sentences import MAX_TOPIC_CHARS
from daily_memory.core.digests.wording import MAX_POINT_CHARS, width
from daily_memory.core.observation import Observation
from daily_memory.model import KINDS, Code, Session

DAY = date(2026, 1, 29)


def digest_of(*turns: str, detailed: bool = False, save_code: bool = False) -> Session:
    """Digest turns that alternate between the user, who begins, and the assistant."""
    messages = [
        Message("assistant" if index % 2 else "user", text) for index, text in enumerate(turns)
    ]
    return digest(messages, DAY, detailed=detailed, save_code=save_code)


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
        topic="我们的 API 用 Flask 写的，现在响应很慢。",
        key_points=(
            "我发现了问题：`src/api/orders.py:42` 里有 N+1 查询。",
            "根本原因是 ORM 关系没有设置 eager loading。",
            "修改后响应时间从 2.3s 降到 180ms。",
            "我已经把 `src/api/app.py` 迁移完成，测试全部通过了。",
        ),
        decisions=("那我们决定用 FastAPI 替换 Flask 吧，因为需要异步。",),
        open_questions=("线上的 Nginx 超时要不要调整？",),
        next_steps=("迁移鉴权中间件", "更新 README.md 里的部署说明"),
        files=("src/api/orders.py", "src/api/app.py", "README.md"),
        tags=("Flask", "api", "响应", "迁移", "中间件"),
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
            "I've replaced nock in package.json.",
        ),
        decisions=(
            "We'll use MSW for mocking from now on.",
            "Also remember that we prefer pnpm.",
        ),
        open_questions=(
            "I'm still not sure why Windows differs.",
            "What about the Safari bug?",
        ),
        next_steps=("Remove the retry wrapper in ci/run.sh", "Upgrade Node.js to 20"),
        files=("src/auth/session.ts", "ci/run.sh", "package.json"),
        tags=("refreshToken", "login", "ci", "auth", "retry"),
    )


@pytest.mark.parametrize(
    "fact", ["Please remember that we use pnpm, not npm.", "请记住：我们用 pnpm，不用 npm。"]
)
def test_what_is_to_be_remembered_is_kept_below_a_pasted_prompt(fact: str) -> None:
    session = digest_of(
        f"You are a reviewer of Python code.\n\n{fact}",
        "I changed prompts.py as asked.",
        "now update the docs of it",
        "I updated docs/prompts.md.",
    )

    assert fact.strip("。.") in " ".join(session.decisions)


def test_orders_are_no_decisions() -> None:
    session = digest_of(
        "帮我给报表加一个缓存方案",
        "完成了。我们决定用 Redis 做缓存，TTL 定为 300 秒，因为报表每 5 分钟刷新一次。"
        "缓存模块在 cache.py。下一步：给命中率加监控。",
        "跑一下测试",
        "测试失败：test_ttl 期望 300，得到 60。原因是默认参数没改，已记录。",
        "打印密钥看看，密码 [REDACTED:password]",
        "密钥已读取。",
    )

    assert session.decisions == (
        "我们决定用 Redis 做缓存，TTL 定为 300 秒，因为报表每 5 分钟刷新一次。",
    )


@pytest.mark.parametrize(
    "text",
    [
        "用什么库好",
        "缓存要不要加",
        "what's the difference between always and never",
        "how should we do that",
        "跑一下测试",
        "看看日志",
        "run the tests please",
    ],
)
def test_questions_and_orders_are_no_decisions(text: str) -> None:
    session = digest_of("给接口加缓存", "加好了，还要改别的吗？", text, "好的。")

    assert session.decisions == ()


@pytest.mark.parametrize(
    "text",
    [
        "以后接口一律返回 JSON",
        "不要自己改 config/prod.yaml，先问我",
        "never touch config/prod.yaml by yourself",
        "no test scripts ever, i will test by recrawling",
    ],
)
def test_a_rule_that_the_user_sets_is_a_decision_even_at_the_end(text: str) -> None:
    assert digest_of("给接口加缓存", "加好了。", text).decisions == (text,)


def test_the_topic_of_an_error_is_its_first_line() -> None:
    session = digest_of("We get this error:\n```\nunknown field AgentName\n```\nFix it.", "Fixed.")

    assert session.topic == "We get this error: unknown field AgentName"


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        ("你好，请帮我重构登录模块", "重构登录模块"),
        ("请求超时怎么处理？", "请求超时怎么处理？"),
        ("Hi Claude, could you please fix the cache?", "fix the cache?"),
        ("继续昨天的 API 重构工作", "继续昨天的 API 重构工作"),
        ("我有一个 React 项目。怎么加 Redux？", "我有一个 React 项目。"),
        ("我们想给商品做全文搜索。ES 还是直接用 Postgres？", "我们想给商品做全文搜索。"),
        ("I have a Flask app. It is small.", "I have a Flask app."),
        ("Hi, here's the log of the build:\nE1", "here's the log of the build:"),
        ("记住这个", "记住这个"),
        ("🚀", "🚀"),
        ("不要保存到数据库，直接返回", "不要保存到数据库，直接返回"),
        ("<user_query>\r\nfix the login test\r\n</user_query>", "fix the login test"),
        ("> quoted text of a mail\n/compact\nadd dark mode please", "add dark mode please"),
    ],
)
def test_the_topic_is_the_first_sentence_without_greeting(asked: str, topic: str) -> None:
    session = digest_of(asked, "好的")

    assert session.topic == topic


def test_small_talk_is_neither_topic_nor_point() -> None:
    session = digest_of(
        "在吗",
        "在的",
        "今天天气不错啊",
        "是的",
        "TypeScript 怎么声明全局变量",
        "在 .d.ts 文件里写 declare global 声明全局变量。",
    )

    assert session.topic == "TypeScript 怎么声明全局变量"
    assert session.key_points == ("在 .d.ts 文件里写 declare global 声明全局变量。",)


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

    said = "Fixed the bug in a.py."
    assert session == Session(DAY, topic=said, key_points=(said,), files=("a.py",), tags=("bug",))


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
    for turns in (("缓存怎么做", text), ("缓存怎么做", "好的", text, "好的")):
        assert digest_of(*turns).decisions == ()


PROPOSAL = "订单量每天十万左右，建议用 PostgreSQL 存订单。\n你看可以吗？"
OPTIONS = "有两个办法：\n- 方案一：用 Redis Stream 做队列\n- 方案二：用 RabbitMQ 做队列"


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("Use Vitest instead", "Use Vitest instead"),
        ("OK, Postgres then", "Postgres then"),
        ("ok no Sidekiq.", "ok no Sidekiq."),
        ("Let's go with SQS.", "Let's go with SQS."),
        ("we keep the old endpoint for now", "we keep the old endpoint for now"),
        ("Don't use moment here, dayjs is enough", "Don't use moment here, dayjs is enough"),
        ("Redis it is", "Redis it is"),
        ("改用 pnpm", "改用 pnpm"),
        ("行，换成 pnpm 吧", "换成 pnpm 吧"),
        ("超时设成 300 秒", "超时设成 300 秒"),
        ("不要用 any，lint 会报错", "不要用 any，lint 会报错"),
        ("以后统一用 4 个空格缩进", "以后统一用 4 个空格缩进"),
        ("先灰度 10%，没问题再全量", "先灰度 10%，没问题再全量"),
        ("那就用 Kafka 吧，运维熟悉", "那就用 Kafka 吧，运维熟悉"),
    ],
)
def test_what_the_user_says_shortly_is_a_decision(said: str, decision: str) -> None:
    session = digest_of("队列、缓存和依赖要怎么选？", "可选的有 Redis 等好几个。", said, "好的。")

    assert session.decisions == (decision,)


@pytest.mark.parametrize(
    "said",
    [
        "就这么定",
        "好，就按你说的来",
        "可以，就按这个改。",
        "Sounds good, let's do that",
        "go ahead",
    ],
)
def test_what_the_user_agrees_to_is_a_decision_in_the_words_of_the_proposal(said: str) -> None:
    session = digest_of("订单存在哪里？", PROPOSAL, said, "好的。")

    assert session.decisions == ("订单量每天十万左右，建议用 PostgreSQL 存订单。",)


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("那就方案二吧，大家都会", "方案二：用 RabbitMQ 做队列"),
        ("选 2", "方案二：用 RabbitMQ 做队列"),
        ("方案三呢？", ""),
        ("用第一个", "方案一：用 Redis Stream 做队列"),
    ],
)
def test_the_option_that_was_picked_is_a_decision(said: str, decision: str) -> None:
    session = digest_of("队列用什么", OPTIONS, said, "好的。")

    picked = [text for text in session.decisions if text.startswith("方案")]
    assert picked == [decision] * bool(decision)


@pytest.mark.parametrize(
    "said",
    [
        "先看一下日志里有什么",
        "怎么改用 pnpm？",
    ],
)
def test_a_request_is_no_decision(said: str) -> None:
    session = digest_of("页面有问题", "哪里有问题？", said, "好的。")

    assert session.decisions == ()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ("待办：更新部署文档", "next_steps"),
        ("TODO: update the deployment guide", "next_steps"),
        ("明天再把 CI 的缓存打开", "next_steps"),
        ("I'll take the heap snapshots tonight", "next_steps"),
        ("内存泄漏还没有解决", "open_questions"),
        ("预发环境仍然会超时", "open_questions"),
        ("The Windows build is still failing", "open_questions"),
        ("Open question: who owns the replay", "open_questions"),
        ("换了连接池之后好了，原因是没有归还", "key_points"),
    ],
)
def test_a_sentence_stands_where_it_belongs(said: str, field: str) -> None:
    session = digest_of("服务的内存和构建都有问题", "我看看。", said, "嗯。")

    assert [text in said for text in getattr(session, field)] == [True]


def test_a_report_of_a_change_is_a_point_and_no_decision() -> None:
    session = digest_of("登录太慢", "已修改 src/login.ts，改用连接池，登录从 2s 降到 80ms。")

    assert session.decisions == ()
    assert session.key_points == ("已修改 src/login.ts，改用连接池，登录从 2s 降到 80ms。",)


@pytest.mark.parametrize(
    ("last", "steps"),
    [
        ("DISPLAY 没有设置。让我写一个完整的测试脚本：", ("让我写一个完整的测试脚本：",)),
        (
            "It is not set. Let me write a script for the tests:",
            ("Let me write a script for the tests:",),
        ),
        ("希望这个脚本对你有帮助，随时告诉我", ()),
    ],
)
def test_what_a_conversation_broke_off_at_is_left_to_do(last, steps):
    assert digest_of("为什么浏览器不能用 WebGL 加速", last).next_steps == steps


def test_a_step_that_was_done_later_is_no_longer_a_step() -> None:
    session = digest_of(
        "整理一下构建脚本",
        "待办：删除 build.sh 里的旧参数",
        "好",
        "已删除 build.sh 里的旧参数。",
        "还有吗",
        "没有其他要改的了。",
        "谢谢",
        "不客气！",
    )

    assert session.next_steps == ()


@pytest.mark.parametrize(
    "narration",
    [
        "我来看一下构建日志和配置文件。",
        "现在我需要修改 src/app.py 里的配置。",
        "让我先检查数据库的连接数。",
        "Let me look at src/app.py and the tests first.",
        "Now I'll update the configuration in src/app.py.",
        "Looking at the error in src/app.py now.",
        "Great question! Here is what I found in the docs:",
        "You're welcome! Feel free to ask about src/app.py.",
        "希望以上内容对你的 Redis 配置有帮助！",
    ],
)
def test_what_the_assistant_is_about_to_do_is_no_point(narration: str) -> None:
    session = digest_of("修复构建失败", narration, "嗯", "原因是缺少环境变量 NODE_ENV。")

    assert session.key_points == ("原因是缺少环境变量 NODE_ENV。",)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The worker stopped, its image v12 is missing as well.", ""),
        ("The migration of `users` to Postgres 17 is done.", ""),
        ("接口 /orders 现在返回 200 可以", ""),
        ("The cause was a lock on `users`, sorry.", "The cause was a lock on `users`"),
    ],
)
def test_of_the_end_of_a_sentence_only_what_is_set_off_is_left_out(said: str, kept: str) -> None:
    session = digest_of("why does it hang?", said, "thx")

    assert session.key_points == (kept or said,)
    assert session.next_steps == ()


def test_lists_under_a_heading_are_what_the_heading_says() -> None:
    session = digest_of(
        "总结一下这次的架构评审",
        "## 决定\n- 存储用 PostgreSQL\n- 队列用 Redis\n\n**Open questions:**\n* quota per user\n\n"
        "待办：\n1、写迁移脚本\n- [x] 已经建好测试用的 PostgreSQL 数据库\n\n"
        "评审之前服务都连着同一个 MySQL 实例。",
    )

    assert session.decisions == ("存储用 PostgreSQL", "队列用 Redis")
    assert session.open_questions == ("quota per user",)
    assert session.next_steps == ("写迁移脚本",)
    assert set(session.key_points) == {
        "已经建好测试用的 PostgreSQL 数据库",
        "评审之前服务都连着同一个 MySQL 实例。",
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


@pytest.mark.parametrize(
    "pasted",
    [
        "<local-command-caveat>DO NOT respond to these messages.</local-command-caveat>",
        "<some-new-host-tag>我们决定采用 Kafka 队列。</some-new-host-tag>",
        "⎿ Catch you later!",
        "[01/28/26 8:41 main ~/work/app] app run kafka",
        'const queue = new Kafka({ brokers: ["a:9092"] });',
    ],
)
def test_what_a_host_or_a_program_wrote_is_not_said_by_the_user(pasted: str) -> None:
    session = digest_of("把日志换成 JSON 格式", "换成 JSON 了。", f"{pasted}\n")

    assert session == digest_of("把日志换成 JSON 格式", "换成 JSON 了。", "")


def test_a_wish_not_to_save_is_no_content() -> None:
    session = digest_of("把日志换成 JSON 格式", "已经完成了修改。", "好的，这次不要保存。")

    assert all("保存" not in point for point in session.key_points)


@pytest.mark.parametrize(
    ("heading", "below"),
    [
        ("| Option | Cost | Decision: use |", "|---|:--|---|"),
        ("option | use instead", "---|---"),
        (" id | keep only", "----+---------"),
    ],
)
def test_the_heading_of_a_pasted_table_is_nothing_that_the_user_says(heading, below) -> None:
    table = f"{heading}\n{below}\n| Redis | 3 | no |"

    session = digest_of("which cache?", "Redis or files.", f"this is what ops says\n{table}", "ok")

    assert heading.strip("| ").partition(" ")[0] not in everything(session)


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


def test_one_short_block_of_the_assistant_is_kept_the_last() -> None:
    session = digest_of(
        "报错\n```\nTraceback 1\n```",
        "```a\nalpha line\n```\n```b\nbeta line\n```\n```log\nnoise\n```\n```\n\n```",
        "```x\npasted by the user\n```",
        "```long\n" + "\n".join(map(str, range(31))) + "\n```\n```d\nunclosed",
        save_code=True,
    )

    assert session.code == (Code("b", "beta line"),)


def test_files_are_paths_and_not_products_addresses_or_versions() -> None:
    session = digest_of(
        "要改哪些文件？",
        "修改src/app.py文件和 `文档/设计.md`、C:\\work\\a.ts，见 https://example.com/x.html，"
        "用 Node.js 18.2.1，问 me@example.com，Dockerfile，.env.local，./run.sh:12:3，"
        "`cat b/c.py`，`f(x)`，and/or，www.x.org/i.html，.md",
    )

    assert session.files == (
        "src/app.py",
        "文档/设计.md",
        "C:\\work\\a.ts",
        "Dockerfile",
        ".env.local",
        "run.sh",
        "b/c.py",
    )


def test_at_most_eight_files_are_kept() -> None:
    session = digest_of("看看", "这些文件：" + " ".join(f"src/f{n}.py" for n in range(30)))

    assert session.files == tuple(f"src/f{n}.py" for n in range(8))


def test_what_the_assistant_found_out_a_few_messages_later_is_not_open() -> None:
    doubt = "I'm not sure whether `nginx.conf` limits the upload to 1 MB."
    turns = [f"look at src/part{n}.py" for n in range(1, 8)]
    answers = [f"`src/part{n}.py` opens port {n}80 twice." for n in range(1, 8)]
    talk = [text for pair in zip(turns, answers, strict=True) for text in pair]

    early = digest_of(*talk[:8], "and the upload?", doubt, *talk[8:])
    late = digest_of(*talk, "and the upload?", doubt)

    assert (early.open_questions, late.open_questions) == ((), (doubt,))


def test_a_sentence_may_end_with_a_number() -> None:
    decided = "We decided to use Postgres 16 for the JSON index."

    session = digest_of(
        "Note this", "ok", f"The API key rotates on Monday at 9. {decided}", "Noted."
    )

    assert decided in session.decisions


def test_what_the_assistant_asks_is_no_point() -> None:
    session = digest_of(
        "add a cache to the shop API",
        "I added `cache.py` with 30 seconds. Which Redis version does `shop-api` run in staging?",
        "7.2",
        "`redis==5.0.1` is in `requirements.txt` now.",
    )

    assert not [text for text in session.key_points if "?" in text]


def test_what_was_pasted_from_a_shell_is_nothing_that_the_user_said() -> None:
    pasted = (
        "PS C:\\work> git filter-repo --refs a1..HEAD\n"
        "git: 'filter-repo' is not a git command.\n\n"
        "examine the history and state (see also: git help revisions)\n"
        "   bisect     Use binary search to find the commit that introduced a bug\n\n"
        "we must keep the tags of the old repository in any case"
    )

    session = digest_of("split the repository", "I use git filter-repo.", pasted, "Installed it.")

    assert session.decisions == ("we must keep the tags of the old repository in any case",)
    assert "bisect" not in " ".join(session.key_points)


def test_lines_of_code_that_a_user_types_are_no_decisions() -> None:
    code = "visualization = show_cam_on_image(img_array, grayscale_cam[0], use_rgb=True)"

    session = digest_of("add a heat map", "Which function draws it?", f"use this:\n{code}", "Done.")

    assert code not in (*session.decisions, *session.key_points)


def test_an_order_of_few_words_is_no_decision_and_one_that_shapes_the_result_is() -> None:
    task = "the export writes one file for each month and names it after the first order"

    session = digest_of("look at the export", "I see.", "push it", "Pushed.", task, "Changed.")

    assert session.decisions == (task,)


def test_a_chinese_character_takes_the_room_of_two() -> None:
    def kept(line: Callable[[int], str]) -> int:
        turns = [text for n in range(60) for text in ("go on", line(n))]
        return len(digest_of("start", *turns, detailed=True).key_points)

    chinese = kept(lambda n: "原因是" + "".join(chr(0x4E00 + n * 47 + k) for k in range(47)))
    english = kept(lambda n: "because" + "".join(f" {'abcdefghij'[k]}{n:05}xx" for k in range(10)))

    assert chinese == english < 60


@pytest.mark.parametrize(("form", "detailed"), [(BRIEF, False), (DETAILED, True)])
def test_the_budget_holds_and_a_larger_one_tells_more(form: Form, detailed: bool) -> None:
    turns = [
        "原因是" + "".join(chr(0x4E00 + (n * 997 + k * 31) % 9000) for k in range(150))
        for n in range(60)
    ]

    session = digest_of(*turns, detailed=detailed)

    assert form.max_width * 0.4 <= width(everything(session))
    assert width(everything(session)) <= form.max_width + MOST_MORE_WIDTH


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


# ---------------------------------------------------------------------------- observations


def seen(kind: str, text: str, **more: object) -> Observation:
    return Observation("2026-01-29T10:00:00+08:00", kind, text, **more)  # type: ignore[arg-type]


def test_observations_are_digested_as_messages_are() -> None:
    said = [
        ("user", "登录太慢，帮我看看"),
        ("assistant", "原因是没有用连接池。"),
        ("user", "改用连接池"),
    ]

    session = digest_observations([seen(*one) for one in said], DAY)

    assert session == digest([Message(*one) for one in said], DAY, save_code=True)


def test_notes_decisions_and_errors_that_were_logged_are_kept() -> None:
    session = digest_observations(
        [
            seen("user", "整理部署流程"),
            seen("note", "线上的  Redis 在 10 号机"),
            seen("decision", "蓝绿部署"),
            seen("error", "disk full"),
            seen("note", " "),
        ],
        DAY,
    )

    assert session.key_points == ("线上的 Redis 在 10 号机", "disk full")
    assert session.decisions == ("蓝绿部署",)


@pytest.mark.parametrize(
    ("observation", "topic"),
    [
        (seen("decision", "蓝绿部署"), "蓝绿部署"),
        (seen("tool", "$ npm test\nexit 0\n3 passed", tool="shell"), "`npm test` passed: 3 passed"),
        (seen("tool", "a.py\n- x\n+ y", tool="edit", files=("a.py",)), "a.py"),
        (seen("tool", "$ ls", tool="shell"), ""),
    ],
)
def test_where_nobody_said_a_word_the_topic_is_what_was_done(
    observation: Observation, topic: str
) -> None:
    assert digest_observations([observation], DAY).topic == topic


def test_an_observation_that_came_twice_counts_once() -> None:
    edits = [
        seen("tool", path, tool="edit", files=(path,), event=event)
        for path, event in (("a.py", "7"), ("b.py", "8"), ("a.py", "7"), ("b.py", "9"))
    ]

    session = digest_observations([seen("user", "改 a.py"), *edits], DAY)

    assert session.files == ("b.py", "a.py")


def test_what_tools_changed_ran_and_left_undone_is_told() -> None:
    session = digest_observations(
        [
            seen("user", "把超时改成 5 秒，跑一下测试"),
            seen(
                "tool", "src/a.py\n- timeout = 3\n+ timeout = 5", tool="edit", files=("src/a.py",)
            ),
            seen("error", "$ pytest -q\nexit 1\nKeyError: 'a'", tool="shell"),
            seen("tool", "- [x] 改超时\n- [ ] 更新 README", tool="todos"),
            seen("tool", "Which DB? → PostgreSQL", tool="askuserquestion"),
        ],
        DAY,
        detailed=True,
    )

    assert session.decisions == ("Which DB? → PostgreSQL",)
    assert session.open_questions == ("`pytest -q` 最后一次运行失败：KeyError: 'a'",)
    assert session.next_steps == ("更新 README",)
    assert session.files == ("src/a.py",)
    assert session.tags[:2] == ("KeyError", "测试")


@pytest.mark.parametrize(
    ("plan", "answer", "topic", "decision"),
    [
        (
            "# Plan: Move the session store to Redis\n\n1. Add redis to requirements.txt",
            "store.py keeps the sessions in Redis.",
            "Move the session store to Redis",
            "Approved plan: Move the session store to Redis",
        ),
        (
            "# 会话改存 Redis\n\n1. 在 requirements.txt 里加上 redis",
            "store.py 已经把会话存到 Redis。",
            "会话改存 Redis",
            "已批准方案：会话改存 Redis",
        ),
    ],
)
def test_a_conversation_that_begins_with_a_plan_is_about_its_title(
    plan: str, answer: str, topic: str, decision: str
) -> None:
    said = [seen("user", f"Implement the following plan:\n\n{plan}\n"), seen("assistant", answer)]

    session = digest_observations(said, DAY)

    assert session.topic == topic
    assert session.decisions == (decision,)
    assert session.next_steps == ()


def test_a_plan_that_was_chosen_is_the_decision_and_not_the_sentence_that_chooses_it() -> None:
    proposed = "<proposed_plan>\n# 会话改存 Redis\n\n- 加依赖\n</proposed_plan>"
    said = [
        seen("user", "会话一发布就丢，先想想怎么改"),
        seen("assistant", f"看过了代码。\n\n{proposed}"),
        seen("user", "Implement the plan."),
        seen("assistant", "store.py 已经把会话存到 Redis。"),
    ]

    session = digest_observations(said, DAY)

    assert session.topic == "会话一发布就丢，先想想怎么改"
    assert session.decisions == ("已批准方案：会话改存 Redis",)
    assert "Implement" not in str(session)


def test_a_path_that_is_too_long_is_no_handle() -> None:
    path = "src/" + "x" * 300 + ".py"
    edits = [seen("tool", path, tool="edit", files=(path,)) for path in (path, "a.py")]

    session = digest_observations([seen("user", "重构导出模块"), *edits], DAY)

    assert session.files == ("a.py",)


def test_what_is_hidden_gives_no_tag() -> None:
    session = digest_of(
        "用 [REDACTED:api_key] 调接口，报 TypeError", "已修复 TypeError，接口正常。"
    )

    assert "TypeError" in session.tags
    assert not any("redacted" in tag.lower() or "api_key" in tag for tag in session.tags)


def test_tags_are_no_scraps_of_addresses_colors_or_measures() -> None:
    session = digest_of(
        "看 https://docs.example.com/a.html 和 www.example.org，颜色 #ff8800，3f2a91c，28s",
        "What should they do? The color #ff8800 took 28s, see https://docs.example.com again.",
    )

    scraps = {"https", "com", "www", "docs", "example", "ff8800", "3f2a91c", "28s", "html", "what"}
    assert scraps.isdisjoint(tag.lower() for tag in session.tags)


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


@given(conversations, st.booleans())
def test_every_sentence_is_one_of_the_conversation(messages: list[Message], detailed: bool) -> None:
    session = digest(messages, DAY, detailed=detailed, save_code=True)

    said = "\n".join(" ".join(message.content.split()) for message in messages)
    points = session.key_points + session.decisions + session.open_questions + session.next_steps
    topic = session.topic.removesuffix("…")
    texts = [text.removesuffix("…") for text in (*points, *session.files)]
    # A short first sentence takes the next one with it.
    cuts = [(topic[:at].strip(), topic[at:].strip()) for at in range(len(topic) + 1)]
    assert any(first in said and second in said for first, second in cuts)
    assert all(text in said for text in texts)
    assert all(0 < len(point) <= MAX_POINT_CHARS for point in points)
    assert len(session.topic) <= MAX_TOPIC_CHARS
    form = DETAILED if detailed else BRIEF
    assert width(everything(session)) <= form.max_width + MOST_MORE_WIDTH
    assert session == digest(messages, DAY, detailed=detailed, save_code=True)


@pytest.mark.parametrize(
    "unit", ["a/", "`", "<system-reminder>", "请", "- ", "？", " ", "。", "x.py:1 ", "hi, "]
)
def test_ten_megabytes_of_anything_take_no_time(unit: str) -> None:
    messages = [Message("user", unit * (10_000_000 // len(unit)))]

    started = time.process_time()
    digest(messages, DAY, save_code=True)

    assert time.process_time() - started < 30


live = st.lists(
    st.builds(
        Observation,
        st.just(""),
        st.sampled_from(KINDS),
        contents,
        st.sampled_from(["", "shell", "edit", "write", "todos", "plan", "task", "mcp:a.b"]),
        st.sampled_from([(), ("src/a.py",), ("/p/src/b.py", "/p/c.md")]),
        event=st.sampled_from(["", "1"]),
        private=st.booleans(),
    ),
    max_size=8,
)


def test_a_figure_before_and_after_is_told_even_if_it_repeats_the_topic() -> None:
    session = digest_of(
        "CI 编译要 22 min，本地才 6 min", "依赖缓存打开了。", "推了", "从 22 min 到 7 min。"
    )

    assert "从 22 min 到 7 min。" in session.key_points


def test_traditional_characters_are_understood_and_kept() -> None:
    session = digest_of(
        "iOS 正式版收不到推播",
        "問題在 `aps-environment` 寫死成 development。建議換成 p8 金鑰，不會過期。",
        "好，那就換 p8",
        "後端還要把舊憑證撤銷。",
        "後端那邊我請阿偉處理，下週一前弄好",
    )

    assert session.decisions == ("建議換成 p8 金鑰，不會過期。", "那就換 p8")
    assert "後端那邊我請阿偉處理，下週一前弄好" in session.next_steps
    assert "問題在 `aps-environment` 寫死成 development。" in session.key_points


def test_short_clauses_behind_a_chinese_semicolon_stay_together() -> None:
    said = "原因是数据倾斜，单独走一支；其它热点 key 加盐打散成 32 份。"
    session = digest_of("作业 OOM", said, "好的")

    assert said in everything(session)


def test_what_is_listed_as_an_option_did_not_happen() -> None:
    session = digest_of(
        "the build is slow on CI, find out why",
        "The cache key changes with every commit.\n\nYou have two options:\n"
        "- Downgrade webpack to 4.46 and keep the old cache\n- Build on a larger machine",
        "look at the key first",
        "The key contained `GITHUB_SHA`; I removed it.",
    )

    assert "Downgrade" not in everything(session)


def test_the_more_was_said_the_more_a_line_has_to_weigh() -> None:
    weak = "It is a matter of habit in the end."
    talk = [
        f"The worker number {n} reads `queue_{n}` and writes to table_{n}.sql" for n in range(60)
    ]

    assert weak in digest_of("which queue do we use", weak).key_points
    assert weak not in digest_of("which queue do we use", "\n".join((*talk, weak))).key_points


@pytest.mark.parametrize(
    ("said", "answer", "point"),
    [
        (
            "Remember that the billing cron runs at 02:00 UTC. "
            "The invoices bucket is eu-central-1 only for legal reasons.",
            "Noted.",
            "The invoices bucket is eu-central-1 only for legal reasons.",
        ),
        (
            "记住：账单任务每天凌晨两点跑。发票存储桶因为合规只能放在 eu-central-1。",
            "已记录。",
            "发票存储桶因为合规只能放在 eu-central-1。",
        ),
    ],
)
def test_facts_of_the_first_message_are_kept_where_no_answer_tells_more(
    said: str, answer: str, point: str
) -> None:
    assert digest_of(said, answer).key_points == (point,)
    assert digest_of(said).key_points == (point,)


def test_an_assistant_goes_on_below_a_command():
    conclusion = "The cause was a race in `lock.py` between two writers."
    made = digest(
        [
            Message("user", "please make the lock safe"),
            Message("assistant", f"Fixed. To verify:\n\n$ npm test\n\n{conclusion}"),
        ],
        DAY,
    )

    assert made.key_points == (conclusion,)


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        ("(base) $ python x.py\nTraceback", "缓存改成用 redis"),
        ("[feature request] Dark mode in settings", "The toggle goes below the language"),
    ],
)
def test_what_a_user_says_below_what_was_pasted_is_the_topic(pasted, said):
    made = digest([Message("user", f"{pasted}\n\n{said}"), Message("assistant", "ok")], DAY)

    assert made.topic == said


@pytest.mark.parametrize("prompt", ["me@host:~/app$", "[me@host app]$", "(base) $", "C:\\app>"])
def test_what_is_pasted_below_a_prompt_is_left_out(prompt):
    pasted = f"{prompt} make\nlinking all parts\n\nnothing was to be done for them"
    made = digest(
        [Message("user", f"The build is slow\n{pasted}"), Message("assistant", "ok")], DAY
    )

    assert made.topic == "The build is slow"
    assert "linking" not in str(made)
    assert "nothing was" not in str(made)
