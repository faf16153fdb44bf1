"""What a reply decides of the message before it, in both languages."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.digests.digest import digest
from daily_memory.core.digests.messages import Message
from daily_memory.model import Session

DAY = date(2026, 1, 29)
REST = ("好的，我来改。", "昨天上线验证过，没有问题", "收到。")
OPTIONS = "可以这样：\n1. 升级到 Node 22\n2. 换成 Bun 运行时\n3. 把构建放到 CI 里缓存\n\n你选哪个？"


def digest_of(*turns: str) -> Session:
    """Digest turns that alternate between the user, who begins, and the assistant."""
    messages = [
        Message("assistant" if index % 2 else "user", text) for index, text in enumerate(turns)
    ]
    return digest(messages, DAY, detailed=True)


@pytest.mark.parametrize(
    ("reply", "picked"),
    [
        ("2", ["换成 Bun 运行时"]),
        ("go with 3", ["把构建放到 CI 里缓存"]),
        ("1. the upgrade", ["升级到 Node 22"]),
        ("1. 先加日志\n2. 再看构建", []),
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
        (
            "| 方案 | 代价 |\n| --- | --- |\n| A. 换 Redisson | 多一个依赖 |\n| B. 自己写 | 慢 |",
            "A，先止血",
            "A. 换 Redisson | 多一个依赖",
        ),
    ],
)
def test_options_are_picked_from_lists_and_tables(options: str, reply: str, picked: str) -> None:
    session = digest_of("登录失败，怎么改", options, reply, *REST)

    assert picked in session.decisions


def test_an_answer_to_a_choice_is_a_decision() -> None:
    session = digest_of(
        "add resume to the download command",
        "If the server answers 200 instead of 206, should we fail or start over?",
        "start over, with a warning",
        "Done.",
        "it worked on the office network yesterday",
        "Good.",
    )

    assert session.decisions == ("start over, with a warning",)


def test_a_report_and_a_question_for_others_are_no_answer() -> None:
    for reply in ("继续", "昨天已经试过了", "不确定，我去问 DBA"):
        session = digest_of("优化订单查询", "要不要给 orders 表加索引？", reply, *REST)

        assert session.decisions == ()


def test_a_proposal_is_decided_only_where_it_waits_for_an_answer() -> None:
    later = "先看三处日志。\n\n第一处正常。\n\n第二处正常。\n\n第三处也正常。"
    waiting = digest_of("缓存怎么做", "建议用 Redis 缓存，过期时间 60 秒。", "好", *REST)
    passed_by = digest_of("缓存怎么做", f"建议用 Redis 缓存。{later}", "好", *REST)

    assert waiting.decisions == ("建议用 Redis 缓存，过期时间 60 秒。",)
    assert passed_by.decisions == ()


def test_a_decision_that_says_all_of_it_stands_alone() -> None:
    session = digest_of(
        "for the session table, Redis or Postgres?",
        "I'd use Postgres: you run it already.",
        "OK, Postgres then.",
        "Done.",
        "it works since yesterday",
        "Good.",
    )

    assert "Postgres then." in session.decisions


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


def test_what_is_ordered_last_is_left_to_do() -> None:
    session = digest_of("限流上线", "已实现，返回 429。", "先在 staging 跑一周看看，只记日志")

    assert (session.decisions, session.next_steps) == ((), ("先在 staging 跑一周看看，只记日志",))


@pytest.mark.parametrize(
    ("asked", "proposal", "reply", "chosen"),
    [
        ("重试次数设多少合适？", "建议 3 到 5 次。", "好，就用 5", "就用 5"),
        ("which port for the dev server?", "I'd suggest 3000 or 8080.", "ok, use 8080", "use 8080"),
    ],
)
def test_of_several_that_were_proposed_the_one_that_a_reply_names_is_chosen(
    asked, proposal, reply, chosen
):
    assert digest_of(asked, proposal, reply).decisions == (chosen,)
    # Who only agrees leaves it at what was proposed.
    assert digest_of(asked, proposal, "好的").decisions == (proposal,)


def test_who_repeats_the_one_that_was_proposed_agrees():
    proposal = "建议用 Redis，TTL 定为 300 秒。"

    assert digest_of("报表缓存用什么好？", proposal, "好的，就用 Redis。").decisions == (proposal,)
