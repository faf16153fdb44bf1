from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from daily_memory.core.review.contradictions import Contradiction, find_contradictions
from daily_memory.model import Session

CASES = [
    json.loads(line)
    for line in (Path(__file__).resolve().parents[2] / "data" / "contradictions.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


def session(day: int, *points: str, topic: str = "", project: str = "") -> Session:
    return Session(date(2026, 1, day), 1, topic=topic, key_points=points, project=project)


def contradicted(earlier: str, later: str) -> bool:
    return bool(find_contradictions([session(1, earlier), session(2, later)]))


@pytest.mark.parametrize("case", [case for case in CASES if not case["contradicted"]])
def test_what_goes_together_is_no_contradiction(case):
    assert not contradicted(case["earlier"], case["later"])


@pytest.mark.parametrize("is_chinese", [True, False])
def test_most_contradictions_are_found_in_either_language(is_chinese):
    chosen = [
        case
        for case in CASES
        if case["contradicted"] and (max(case["earlier"]) > "\u3400") == is_chinese
    ]

    found = [case for case in chosen if contradicted(case["earlier"], case["later"])]

    assert len(chosen) > 20
    assert len(found) >= 0.85 * len(chosen)


def test_a_contradiction_names_both_statements():
    earlier, later = session(1, "用 Flask 写接口"), session(2, "把 Flask 换成 FastAPI")

    found = find_contradictions([later, earlier])

    assert found == (
        Contradiction(earlier, later, "用 Flask 写接口", "把 Flask 换成 FastAPI", "flask"),
    )


def test_the_last_word_counts():
    there = session(1, "Use Flask")
    back = [there, session(2, "Replaced Flask by FastAPI"), session(3, "Back to Flask after all")]

    found = find_contradictions(back)

    assert [(one.before, one.after) for one in found] == [
        ("Replaced Flask by FastAPI", "Back to Flask after all")
    ]


def test_a_value_that_comes_back_is_no_contradiction():
    assert contradicted("TTL 定为 300 秒", "TTL 改为 600 秒")
    three = [session(1, "TTL 定为 300 秒"), session(2, "TTL 改为 600 秒")]
    three.append(session(3, "TTL 改为 5 分钟"))

    found = find_contradictions(three)

    assert [one.before for one in found] == ["TTL 改为 600 秒"]


def test_projects_do_not_contradict_each_other():
    ours = session(1, "Use Flask", project="shop")
    theirs = session(2, "Replaced Flask by FastAPI", project="blog")

    assert find_contradictions([ours, theirs]) == ()


def test_one_session_does_not_contradict_itself():
    assert find_contradictions([session(1, "Use Flask", "Replaced Flask by FastAPI")]) == ()


def test_a_topic_tells_what_a_name_is_for():
    cache = session(1, "Use Redis for hot products", topic="Product cache")
    same = session(2, "Replaced Redis by Memcached on two hosts", topic="The product cache grows")
    other = session(2, "Replaced Redis by Memcached on two hosts", topic="Login sessions")

    assert len(find_contradictions([cache, same])) == 1
    assert find_contradictions([cache, other]) == ()


def test_units_are_compared_and_other_units_are_something_else():
    assert not contradicted("The cache limit is 1 GB", "The cache limit is 1024 MB")
    assert not contradicted("The cache limit is 1 GB", "The cache limit is 30 s")
    assert contradicted("The cache limit is 1 GB", "The cache limit is 512 MB")


def test_a_part_that_is_made_with_something_else_now():
    assert contradicted("队列用 RabbitMQ", "把队列换成 Kafka")
    assert contradicted("Use RabbitMQ for the queue", "Migrated the queue to Kafka")
    assert not contradicted("队列用 Kafka", "把队列换成 Kafka")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Set the timeout of service A to 3 s", "Set the timeout of service B to 5 s"),
        ("Set the timeout of node 1 to 3 s", "Set the timeout of node 2 to 5 s"),
        ("A 服务的超时定为 3 秒", "B 服务的超时定为 5 秒"),
        ("节点 1 的超时定为 3 秒", "节点 2 的超时定为 5 秒"),
    ],
)
def test_values_of_what_only_a_number_or_letter_tells_apart_do_not_contradict(before, after):
    sessions = [
        Session(date(2026, 1, day), 1, topic="timeouts", decisions=(text,))
        for day, text in ((1, before), (2, after))
    ]

    assert find_contradictions(sessions) == ()


def test_a_value_that_was_from_another_one_contradicts_it():
    sessions = [
        Session(date(2026, 1, day), 1, topic="cache", decisions=(text,))
        for day, text in ((1, "缓存 TTL 定为 300 秒"), (2, "缓存 TTL 由 300 改为 600 秒"))
    ]

    assert len(find_contradictions(sessions)) == 1


def test_the_value_of_a_name_that_a_session_does_not_have_is_another():
    cache = session(1, "The TTL is 300 s", topic="Cache for the book page")
    other = session(2, "DNS 的 TTL 改成 60 秒")
    changed = session(3, "The cache TTL is now 600 s")

    assert find_contradictions([cache, other]) == ()
    assert [pair.later for pair in find_contradictions([cache, other, changed])] == [changed]


def test_notes_of_one_line_contradict_each_other():
    before, after = "Redis 缓存 TTL 设为 300 秒", "Redis 缓存 TTL 改为 600 秒"
    notes = [
        Session(date(2026, 1, 29), n, topic=t, source="note") for n, t in ((1, before), (2, after))
    ]

    assert [(pair.before, pair.after) for pair in find_contradictions(notes)] == [(before, after)]
