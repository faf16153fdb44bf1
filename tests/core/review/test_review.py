from __future__ import annotations

from datetime import date, timedelta

import pytest

from daily_memory.core.review import review
from daily_memory.core.review.review import Finding
from daily_memory.model import Session

TODAY = date(2026, 11, 21)


def session(age: int, *decisions: str, number: int = 1, tags: tuple[str, ...] = ()) -> Session:
    day = TODAY - timedelta(days=age)
    return Session(day, number, topic="后端框架", decisions=decisions, tags=tags)


def found(sessions: list[Session], kind: str) -> list[Finding]:
    return [one for one in review.review(sessions, TODAY) if one.kind == kind]


def test_a_contradiction_is_quoted_and_the_earlier_one_may_be_marked():
    earlier, later = session(9, "用 Flask 写接口"), session(3, "把 Flask 换成 FastAPI")

    assert found([later, earlier], review.CONTRADICTION) == [
        Finding(
            review.CONTRADICTION,
            (earlier, later),
            '"用 Flask 写接口" … but later "把 Flask 换成 FastAPI"',
            ("mark", "2026-11-12#1", "--outdated"),
        )
    ]


def test_a_session_that_is_right_in_the_rest_is_to_be_edited():
    earlier = session(9, "用 Flask 写接口", "接口的前缀是 /api/v2")

    (one,) = found([earlier, session(3, "把 Flask 换成 FastAPI")], review.CONTRADICTION)

    assert one.command == ("edit", "2026-11-12#1")


@pytest.mark.parametrize(
    ("topic", "line", "later"),
    [
        ("用 Flask 做后端接口", "后端框架选用 Flask", "已把 Flask 换成 FastAPI"),
        ("Use Flask for the API", "The API uses Flask", "Replaced Flask by FastAPI"),
    ],
)
def test_what_topic_and_line_say_alike_is_told_once(topic, line, later):
    earlier = Session(TODAY - timedelta(days=9), 1, topic=topic, key_points=(line,))

    (one,) = found([earlier, session(3, later)], review.CONTRADICTION)

    assert one.command == ("mark", "2026-11-12#1", "--outdated")


def test_the_latest_contradiction_comes_first():
    sessions = [
        session(20, "Use Flask"),
        session(19, "Use Webpack"),
        session(9, "Replaced Webpack by Vite"),
        session(8, "Replaced Flask by FastAPI"),
    ]

    later = [one.sessions[1].id.date.day for one in found(sessions, review.CONTRADICTION)]

    assert later == [13, 12]


@pytest.mark.parametrize(
    "sessions",
    [
        [session(20, "Use Flask"), session(8, "Replaced Flask by FastAPI")],
        [session(40, "Use Flask", "Keep Node 22"), session(8, "Replaced Flask by FastAPI")],
        [session(40, "Use Flask", tags=("outdated",)), session(8, "Replaced Flask by FastAPI")],
        [session(80, "临时方案：把超时关掉")],
        [session(400, "The workaround is gone")],
    ],
)
def test_what_is_young_or_still_right_in_part_is_not(sessions):
    assert found(sessions, review.OUTDATED) == []


@pytest.mark.parametrize(
    "text",
    ["临时方案：把超时关掉", "Added a temporary fix for the login", "Use a workaround in CI"],
)
def test_an_old_stopgap_is_perhaps_outdated(text):
    (one,) = found([session(120, text)], review.OUTDATED)

    assert one.reason == f'120 days old, with a workaround: "{text}"'


def test_sessions_that_say_nearly_the_same():
    said = "登录接口的限流按用户和地址两个维度计算，超过之后返回 429，并在响应头里带上重试时间"
    sessions = [session(9, said), session(3, said)]

    assert found(sessions, review.DUPLICATE) == [
        Finding(
            review.DUPLICATE,
            (sessions[0], sessions[1]),
            "100 % of their words are the same",
            ("delete", "2026-11-12#1"),
        )
    ]


def test_thin_digests_are_named_with_reasons_the_worst_first():
    thin = session(3)._replace(topic="帮我看个问题", conversation="c")
    empty = session(2)._replace(topic="", conversation="d")

    assert [(one.reason, one.command[0]) for one in found([thin, empty], review.POOR)] == [
        ("quality 0.0 of 1: it says nothing", "delete"),
        (
            "quality 0.1 of 1: it has nothing but a topic; its topic does not say what it is about",
            "edit",
        ),
    ]


def test_what_is_important_for_long_is_asked_about_the_oldest_first():
    sessions = [
        session(200, "用 Redis", tags=("重要",)),
        session(300, "用 MySQL", tags=("important",)),
        session(100, "用 Kafka", tags=("important",)),
    ]

    old = found(sessions, review.IMPORTANT)

    assert [one.sessions[0].decisions for one in old] == [("用 MySQL",), ("用 Redis",)]
    assert old[0].reason == "important for 300 days, so it never fades: still important?"
    assert old[0].command[-1] == "--clear"


def test_private_sessions_are_not_looked_at():
    sessions = [
        session(300, "Use Flask", tags=("private", "important")),
        session(3, "Replaced Flask by FastAPI", "长" * 300, tags=("私密",)),
    ]

    assert review.review(sessions, TODAY) == []


def test_a_long_statement_is_quoted_in_short():
    long = f"用 Flask 写接口，{'而且要把所有的模块都分开来写' * 20}"

    (one,) = found([session(9, long), session(3, "把 Flask 换成 FastAPI")], review.CONTRADICTION)

    assert '…"' in one.reason
    assert len(one.reason) < 200
