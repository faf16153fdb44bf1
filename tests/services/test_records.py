"""Observations and sessions side by side: found, shown by id, and put into their surroundings."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from daily_memory import InvalidInputError, NotFoundError
from daily_memory.services.records import Wanted


@pytest.fixture
def logged(memory, clock) -> list[str]:
    """Three observations, five minutes apart, of a live session `c`."""
    memory.start("c", host="cursor", meta={"source": "startup", "token": "tulipBridge42xyz9"})
    ids = []
    for text, kind, tool, tags in (
        ("为什么报表接口这么慢？", "user", "", []),
        ("pytest -q failed: ConnectionError", "tool", "shell", ["redis"]),
        ("Redis TTL 定为 300 秒", "decision", "", ["redis", "缓存"]),
    ):
        ids.append(memory.log(text, kind=kind, tool=tool, tags=tags, conversation="c").id)
        clock.now += timedelta(minutes=5)
    return ids


def found(memory, query, **wanted):
    return [hit.record.id for hit in memory.search_records(query, **wanted).hits]


def test_an_observation_is_known_by_where_it_stands(memory, logged):
    assert logged == ["2026-01-29/c:2", "2026-01-29/c:3", "2026-01-29/c:4"]

    (record,) = memory.records([logged[1]])

    assert (record.kind, record.tool, record.conversation) == ("tool", "shell", "c")
    assert record.text == "pytest -q failed: ConnectionError"
    assert record.at.startswith("2026-01-29T10:35:45")


def test_what_is_logged_twice_keeps_its_id(memory, logged):
    first = memory.log("完成", kind="assistant", conversation="c").id

    assert memory.log("完成", kind="assistant", tags=["x"], conversation="c").id == first


def test_what_a_host_says_of_a_session_is_kept_without_secrets(memory, logged):
    live = memory.live("c")

    assert '"startup"' in live.meta
    assert "tulipBridge42xyz9" not in live.meta


def test_ids_of_nothing_are_left_out(memory, logged):
    ids = [
        "2026-01-29/c:1",
        "2026-01-29/c:99",
        "2026-01-29/d:1",
        "2026-01-29/..:1",
        "x",
        "2020-01-01#1",
    ]

    assert memory.records([*ids, logged[0]]) == memory.records([logged[0]])


def test_observations_and_sessions_are_found(memory, logged):
    saved = memory.save(
        {"topic": "Redis TTL", "key_points": ["TTL 定为 300 秒"], "tags": ["redis"]}
    )

    assert found(memory, "TTL 300 秒") == [str(saved.id), logged[2]] or found(
        memory, "TTL 300 秒"
    ) == [logged[2], str(saved.id)]
    assert found(memory, "TTL 300 秒", kinds=["session"]) == [str(saved.id)]
    assert found(memory, "TTL 300 秒", kinds=["decision"]) == [logged[2]]
    assert found(memory, "zebra") == []


def test_a_search_is_narrowed(memory, logged):
    assert found(memory, "redis connectionerror", tools=["shell"]) == [logged[1]]
    assert found(memory, "redis ttl", tags=["redis", "缓存"]) == [logged[2]]
    assert found(memory, "redis ttl", since=date(2026, 1, 30)) == []
    assert found(memory, "redis ttl", until=date(2026, 1, 28)) == []
    assert found(memory, "redis ttl", project="other") == []
    assert found(memory, "报表 接口", limit=1) == [logged[0]]


def test_what_is_asked_wrongly_is_refused(memory, logged):
    with pytest.raises(InvalidInputError, match="kind 'x'"):
        memory.search_records("redis", kinds=["x"])
    with pytest.raises(InvalidInputError, match="limit: 0"):
        memory.search_records("redis", limit=0)
    with pytest.raises(InvalidInputError, match="window: -1"):
        memory.timeline(logged[0], window_min=-1)
    with pytest.raises(NotFoundError, match="no record 'x'"):
        memory.timeline("x")


def test_the_surroundings_are_so_many_minutes(memory, logged):
    assert [one.id for one in memory.timeline(logged[1], window_min=5)] == logged
    assert [one.id for one in memory.timeline(logged[0], window_min=5)] == logged[:2]
    assert [one.id for one in memory.timeline(logged[1], window_min=0)] == [logged[1]]


def test_around_a_session_stands_its_conversation(memory, logged):
    saved = memory.save({"topic": "Redis", "conversation": "c", "time": "10:30:45"})

    around = memory.timeline(str(saved.id), window_min=10**9)

    assert [one.id for one in around] == [str(saved.id), *logged]
    assert [one.id for one in memory.timeline(str(saved.id), window_min=1)] == [
        str(saved.id),
        logged[0],
    ]


def test_a_session_without_observations_stands_alone(memory):
    saved = memory.save({"topic": "Redis"})

    assert [one.id for one in memory.timeline(str(saved.id))] == [str(saved.id)]


def test_of_what_is_private_only_its_place_is_told(memory, logged):
    hidden = memory.log("工资表在 sheet 7", private=True, tags=["salary"], conversation="c").id
    memory.save({"topic": "salary", "key_points": ["sheet 7"], "tags": ["private"]})

    (record,) = memory.records([hidden])
    (session,) = memory.records(["2026-01-29#1"])

    assert (record.text, record.tags, record.private) == ("[PRIVATE]", (), True)
    assert (session.text, session.tags, session.private) == ("[PRIVATE]", (), True)
    assert found(memory, "sheet salary") == []


def test_a_moment_that_can_not_be_read_is_near_to_itself_alone(memory, logged):
    path = memory.live("c").path
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"at":"yesterday","kind":"note","text":"by hand"}\n')

    assert [one.text for one in memory.timeline("2026-01-29/c:5")] == ["by hand"]


def test_without_limits_everything_is_wanted():
    assert Wanted() == Wanted(20, (), (), (), None, None, "")
