"""What a reply decides of the message before it, in both languages."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.digests.digest import Message, digest
from daily_memory.model import Session

DAY = date(2026, 1, 29)
REST = ("好的，我来改。", "线上验证过，没有问题", "收到。")
OPTIONS = "可以这样：\n1. 升级到 Node 22\n2. 换成 Bun 运行时\n3. 把构建放到 CI 里缓存\n\n你选哪个？"


def digest_of(*turns: str) -> Session:
    """Digest turns that alternate between the user, who begins, and the assistant."""
    messages = [
        Message("assistant" if index % 2 else "user", text) for index, text in enumerate(turns)
    ]
    return digest(messages, DAY, max_chars=3200)


@pytest.mark.parametrize(
    ("reply", "picked"),
    [
        ("2", ["换成 Bun 运行时"]),
        ("1 和 3", ["升级到 Node 22", "把构建放到 CI 里缓存"]),
        ("ok, 1+3. the rest can wait", ["升级到 Node 22", "把构建放到 CI 里缓存"]),
        ("前两个", ["升级到 Node 22", "换成 Bun 运行时"]),
        ("go with 3", ["把构建放到 CI 里缓存"]),
        ("2 个小时太久了", []),
    ],
)
def test_a_number_picks_the_option_that_has_it(reply: str, picked: list[str]) -> None:
    session = digest_of("构建太慢，怎么办", OPTIONS, reply, *REST)

    options = ("升级到 Node 22", "换成 Bun 运行时", "把构建放到 CI 里缓存")
    assert [option for option in options if option in session.decisions] == picked


@pytest.mark.parametrize(
    ("options", "reply", "picked"),
    [
        ("A) 用 SameSite=None\nB) 用签名的 JWT\n\n选哪个？", "B", "B) 用签名的 JWT"),
        ("① 固定时区 Asia/Shanghai\n② 挂载后再格式化", "我们都在国内，①", "固定时区 Asia/Shanghai"),
        ("### 方案一：本地缓存\n### 方案二：Redis 缓存", "方案二", "方案二：Redis 缓存"),
        (
            "| 方案 | 代价 |\n| --- | --- |\n| A. 换 Redisson | 多一个依赖 |\n| B. 自己写 | 慢 |",
            "A，先止血",
            "A. 换 Redisson | 多一个依赖",
        ),
        (
            "主要问题：\n- 每次都是冷缓存\n- kapt 占了 8 分钟\n- 没有并行",
            "前两个都做",
            "kapt 占了 8 分钟",
        ),
    ],
)
def test_options_are_picked_from_lists_headings_and_tables(
    options: str, reply: str, picked: str
) -> None:
    session = digest_of("登录失败，怎么改", options, reply, *REST)

    assert picked in session.decisions


def test_do_it_takes_what_was_said_last() -> None:
    session = digest_of(
        "/var is full on db-2",
        "The journal takes 38G of the 60G. Vacuuming the journal to 1G frees the disk.",
        "do it",
        "Freed 36G.",
        "great, writes work again",
        "You're welcome.",
    )

    assert session.decisions == ("Vacuuming the journal to 1G frees the disk.",)


def test_an_order_reaches_back_over_one_message() -> None:
    session = digest_of(
        "the table is slow",
        "### What I'd do\n1. Wrap the value in useMemo\n2. Virtualize the rows\n\nOK?",
        "I already tried React.memo, it did nothing",
        "Memo alone cannot help with a context.",
        "do all of them please, the table will have 10k rows",
        "Done.",
        "deployed it yesterday",
        "Good.",
    )

    assert "Virtualize the rows" in session.decisions


def test_approval_of_nothing_that_was_proposed_decides_nothing() -> None:
    session = digest_of(
        "why is my index not used",
        "The condition does not name the leading column of the index.",
        "makes sense",
        "See https://example.org/docs for more.",
        "thanks, it was fast yesterday",
        "Good.",
    )

    assert session.decisions == ()


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("For an API a token bucket is the usual pick.", "bucket sounds right"),
        ("redis-cell is missing on ElastiCache, so a Lua script.", "lua it is"),
        ("快照的参数组不在 state 里，要 `terraform import` 进来。", "import 吧"),
        ("办法有两种：一是 filter-repo 清历史，二是 partial clone。", "用第一种吧，长痛不如短痛"),
    ],
)
def test_a_choice_by_name_is_told_with_the_sentence_that_names_it(said: str, reply: str) -> None:
    session = digest_of("限流怎么实现，用 Redis", said, reply, *REST)

    assert said in session.decisions


def test_the_answer_to_a_choice_is_a_decision_and_to_a_question_for_facts_is_none() -> None:
    choice = digest_of(
        "add resume to the download command",
        "If the server answers 200 instead of 206, should we fail or start over?",
        "start over, with a warning",
        "Done.",
        "it worked on the office network yesterday",
        "Good.",
    )
    fact = digest_of(
        "help me write up the outage",
        "Do you have the share of failed orders?",
        "31% of the daily orders",
        "Noted.",
        "it was in the dashboard yesterday",
        "Good.",
    )

    assert choice.decisions == ("start over, with a warning",)
    assert fact.decisions == ()
    assert "31% of the daily orders" in fact.key_points


@pytest.mark.parametrize(
    "reply", ["继续", "continue with the parser", "昨天已经试过了", "回头问下 DBA"]
)
def test_what_goes_on_reports_or_asks_others_is_no_answer(reply: str) -> None:
    session = digest_of("优化订单查询", "要不要给 orders 表加索引？", reply, *REST)

    assert session.decisions == ()


def test_advice_that_was_asked_for_is_a_proposal() -> None:
    listed = digest_of(
        "our newsletter lands in spam",
        "There is no DMARC record for acme.io.",
        "what do you suggest",
        "- Send it from a subdomain, `mail.acme.io`\n- Publish DMARC with `p=none` first",
        "ok, agreed",
        "Done.",
        "it passes at gmail since yesterday",
        "Good.",
    )
    told = digest_of(
        "登录报 40029",
        "code 只能用一次。",
        "怎么改",
        "点按钮的时候再调 `wx.login`，按钮加 loading。",
        "就这么改",
        *REST,
    )

    assert listed.decisions[:2] == (
        "Send it from a subdomain, `mail.acme.io`",
        "Publish DMARC with `p=none` first",
    )
    assert told.decisions == ("点按钮的时候再调 `wx.login`，按钮加 loading。",)


def test_a_proposal_under_a_condition_is_not_agreed_to_by_a_nod() -> None:
    session = digest_of("缓存怎么做", "如果流量大，可以采用 Redis 缓存。", "好", *REST)

    assert session.decisions == ()


def test_a_decision_that_says_all_of_it_stands_alone() -> None:
    session = digest_of(
        "for the session table, Redis or Postgres?",
        "I'd use Postgres: you run it already.",
        "OK, Postgres then.",
        "Done.",
        "it works since yesterday",
        "Good.",
    )

    assert session.decisions == ("OK, Postgres then.",)


def test_what_is_nodded_to_at_the_end_is_to_do() -> None:
    session = digest_of(
        "解析器有溢出",
        "已修复，58 个测试通过。",
        "合并之后还有什么要注意的吗",
        "建议给 `parse` 加一个 fuzz 目标，每晚跑五分钟。",
        "好主意",
        "已经开了 issue。",
    )

    assert session.next_steps == ("建议给 `parse` 加一个 fuzz 目标，每晚跑五分钟。",)
    assert session.decisions == ()


@pytest.mark.parametrize(
    ("asked", "answer", "steps"),
    [
        (
            "你看下还差什么",
            "都已经改好了，还差：\n- 越权和超发各补一个单测\n- [x] 改枚举",
            ("越权和超发各补一个单测",),
        ),
        (
            "what else is left?",
            "The index is built. I'd add an alert for replica lag.",
            ("I'd add an alert for replica lag.",),
        ),
    ],
)
def test_the_answer_to_what_is_left_is_to_do(asked: str, answer: str, steps: tuple[str]) -> None:
    session = digest_of("审一下优惠券的改动", "N+1 改成了 `selectinload`。", asked, answer)

    assert session.next_steps == steps


def test_a_later_list_of_steps_takes_the_place_of_an_earlier_one() -> None:
    session = digest_of(
        "订单表要分库分表",
        "下一步：\n- 双写新库和老库\n- 按天校验金额",
        "双写放在 dao 层",
        "剩余步骤：\n- 停写老库并归档",
        "好",
    )

    assert session.next_steps == ("停写老库并归档",)


@pytest.mark.parametrize(
    "promise", ["这几条单测我明天补", "I'll run it on prod tonight", "我去找客户端的同事"]
)
def test_what_the_user_promises_at_the_end_is_to_do(promise: str) -> None:
    session = digest_of("修复重复的订单", "已删除 3912 条重复的行。", promise, "好的。")

    assert session.next_steps == (promise,)


def test_what_is_ordered_last_is_left_to_do_and_what_is_chosen_is_decided() -> None:
    ordered = digest_of("限流上线", "已实现，返回 429。", "先在 staging 跑一周看看，只记日志")
    chosen = digest_of("限流上线", "已实现，返回 429。", "还是改用令牌桶")

    assert (ordered.decisions, ordered.next_steps) == ((), ("先在 staging 跑一周看看，只记日志",))
    assert chosen.decisions == ("还是改用令牌桶",)
