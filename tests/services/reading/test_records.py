"""Observations and sessions side by side: found, shown by id, and put into their surroundings."""

from __future__ import annotations

import os
from datetime import date, timedelta

import pytest

from daily_memory import InvalidInputError, NotFoundError
from daily_memory.services.reading.records import RecordQuery
from daily_memory.storage import observations


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
    return [hit.record.id for hit in memory.observations.search(query, **wanted).hits]


def test_an_observation_is_known_by_where_it_stands(memory, logged):
    assert logged == ["2026-01-29/c:2", "2026-01-29/c:3", "2026-01-29/c:4"]

    (record,) = memory.observations.get([logged[1]])

    assert (record.kind, record.tool, record.conversation) == ("tool", "shell", "c")
    assert record.text == "pytest -q failed: ConnectionError"
    assert record.at.startswith("2026-01-29T10:35:45")


def test_what_is_logged_twice_keeps_its_id(memory, logged):
    first = memory.log("完成", kind="assistant", conversation="c").id

    assert memory.log("完成", kind="assistant", tags=["x"], conversation="c").id == first
    assert memory.log("完成", kind="assistant", tool="shell", conversation="c").id == first
    other = memory.log("完成", kind="note", tool="shell", conversation="c").id
    assert memory.log("完成", kind="note", conversation="c").id != other
    assert memory.log("完成", kind="note", tool="shell", conversation="c").id == other


def test_what_a_host_says_of_a_session_is_kept_without_secrets(memory, logged):
    live = memory.observations.live("c")

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

    assert memory.observations.get([*ids, logged[0]]) == memory.observations.get([logged[0]])


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


ENGLISH = "Redis cache: TTL of 300 seconds. The C++ client got a connection pool timeout of 5 s"
CHINESE = (
    "视频播放器首帧慢，预加载做了优化；API 层重构了，连接池超时改为 5 秒，云工开物的接口已接入"
)


@pytest.mark.parametrize("mirror", ["false", "true"])
def test_the_text_that_is_meant_is_found_first(memory, mirror):
    memory.start("c")
    memory.log(ENGLISH, conversation="c")
    memory.log(CHINESE, kind="decision", conversation="c")
    with open(memory.workspace.project_root.config, "w", encoding="utf-8") as file:
        file.write(f'{{"mirror": {{"enabled": {mirror}}}}}')
    questions = {
        "redis TTL": ENGLISH,
        "预加载": CHINESE,
        "重构": CHINESE,
        "API重构": CHINESE,
        "连接池超时": CHINESE,
        "播放器优化": CHINESE,
        "云工开物 优惠券": CHINESE,
        "缓存": ENGLISH,
        "connection-pool timeout": ENGLISH,
        "what TTL did we choose for redis?": ENGLISH,
        "redis seconds": ENGLISH,
        "C++": ENGLISH,
        "redi": ENGLISH,
        "kubernetes ingress": "",
    }

    first = {}
    for question in questions:
        hits = memory.observations.search(question).hits
        first[question] = hits[0].record.text if hits else ""

    assert first == questions


def test_a_hit_says_why_it_is_there(memory, logged):
    (hit,) = memory.observations.search("conectionerror", tools=["shell"]).hits

    assert hit.matched == ("conectionerror",)
    assert hit.explanation[0] == "conectionerror → connectionerror (fuzzy)"
    assert hit.snippet == "pytest -q failed: ConnectionError"


def test_a_long_text_is_shown_around_what_was_found(memory):
    memory.start("c")
    far = "unrelated words " * 40
    memory.log(f"{far} the cache is warm {far}", conversation="c")

    (hit,) = memory.observations.search("缓存 warm").hits

    assert "cache is warm" in hit.snippet


def test_neither_sessions_nor_observations_push_out_the_others(memory):
    memory.start("c")
    for place in range(5):
        memory.log(f"redis sentinel failover 哨兵 {place}", conversation="c")
    saved = [
        str(memory.save({"topic": f"redis sentinel {n}", "key_points": ["哨兵"]}).id)
        for n in range(5)
    ]

    kinds = [hit.record.kind for hit in memory.observations.search("redis sentinel 哨兵").hits]

    assert sorted(kinds) == ["note"] * 5 + ["session"] * 5
    assert {"note", "session"} == set(kinds[:3])
    assert found(memory, "redis sentinel 哨兵", kinds=["session"], limit=5) == saved


def test_what_hardly_answers_takes_no_place(memory):
    said = "redis sentinel failover needs a quorum vote of three healthy nodes"
    memory.start("c")
    for place in range(4):
        memory.log(f"{said} {place}", conversation="c")
    memory.save({"topic": "lunch", "key_points": ["we met, redis was a word that somebody said"]})

    kinds = [hit.record.kind for hit in memory.observations.search(said).hits]

    assert kinds == ["note"] * 4


@pytest.mark.parametrize("mirror", [False, True], ids=["files", "mirror"])
def test_distinct_gives_a_fact_once_and_its_session_first(memory, mirror):
    if mirror:
        memory.config.set("mirror.enabled", True)
    memory.start("c", host="cursor")
    for kind, text in (
        ("user", "报表缓存的 TTL 定多少？"),
        ("decision", "报表缓存 TTL 定为 300 秒"),
        ("assistant", "好的，报表缓存 TTL 定为 300 秒"),
        ("tool", "pytest: test_cache failed"),
    ):
        memory.log(text, kind=kind, conversation="c")
    section = memory.end("c").id
    other = memory.save({"topic": "报表缓存 TTL 的旧值", "key_points": ["原来是 60 秒"]}).id

    assert len(found(memory, "报表缓存 TTL")) > 3
    assert sorted(found(memory, "报表缓存 TTL", distinct=True)) == sorted([section, other])
    rows = found(memory, "报表缓存 TTL pytest", distinct=True)
    assert rows[:2] in ([section, other], [other, section])
    assert [row.partition(":")[2] for row in rows[2:]] == ["5"]


@pytest.mark.parametrize("mirror", [False, True], ids=["files", "mirror"])
def test_an_observation_in_the_other_language_is_found_and_says_so(memory, mirror):
    memory.config.set("mirror.enabled", mirror)
    memory.start("c", host="cursor")
    memory.log("We rotate the database password every 90 days", conversation="c")
    memory.log("灰度发布先放 5% 的流量", conversation="c")
    memory.log("unrelated talk of lunch", conversation="c")

    for question, text, words in (
        ("数据库密码多久轮换一次", "We rotate the database", ("数据库", "密码", "轮换")),
        ("traffic of the canary release", "灰度发布", ("canary release", "traffic")),
    ):
        best = memory.observations.search(question).hits[0]
        assert best.record.text.startswith(text)
        assert best.translated
        assert set(best.matched) == set(words)
        assert "translated: " in "\n".join(best.explanation)

    memory.config.set("retrieval.translation_weight", 0)
    assert found(memory, "数据库密码多久轮换一次") == []


def test_the_day_of_an_observation_is_that_of_its_own_clock(memory, logged):
    path = memory.observations.live("c").path
    late = '{"at":"2026-01-30T00:10:00+08:00","kind":"note","text":"zebra crossing"}'
    odd = '{"at":"some day","kind":"note","text":"zebra stripes"}'
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{late}\n{odd}\n")

    assert found(memory, "zebra", since=date(2026, 1, 30)) == ["2026-01-29/c:5"]
    assert found(memory, "zebra", until=date(2026, 1, 29)) == ["2026-01-29/c:6"]


def test_tags_are_found_in_any_case_and_a_project_by_its_name(memory, logged):
    name = memory.workspace.project_root.project

    assert found(memory, "redis ttl", tags=["REDIS", "缓存"]) == [logged[2]]
    assert found(memory, "redis ttl", tags=["缓存"], project=name) == [logged[2]]


def test_what_is_near_is_told_by_the_moment_in_any_zone(memory, logged):
    path = memory.observations.live("c").path
    same = '{"at":"2026-01-29T02:35:45+00:00","kind":"note","text":"at the same moment"}'
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{same}\n")

    around = memory.observations.timeline(logged[1], window_min=0)

    assert [one.text for one in around] == [
        "pytest -q failed: ConnectionError",
        "at the same moment",
    ]


def test_what_is_asked_wrongly_is_refused(memory, logged):
    with pytest.raises(InvalidInputError, match="kind 'x'"):
        memory.observations.search("redis", kinds=["x"])
    with pytest.raises(InvalidInputError, match="limit: 0"):
        memory.observations.search("redis", limit=0)
    with pytest.raises(InvalidInputError, match="window: -1"):
        memory.observations.timeline(logged[0], window_min=-1)
    with pytest.raises(NotFoundError, match="no record 'x'"):
        memory.observations.timeline("x")


def test_the_surroundings_are_so_many_minutes(memory, logged):
    assert [one.id for one in memory.observations.timeline(logged[1], window_min=5)] == logged
    assert [one.id for one in memory.observations.timeline(logged[0], window_min=5)] == logged[:2]
    assert [one.id for one in memory.observations.timeline(logged[1], window_min=0)] == [logged[1]]


def test_around_a_session_stands_its_conversation(memory, logged):
    saved = memory.save({"topic": "Redis", "conversation": "c", "time": "10:30:45"})

    around = memory.observations.timeline(str(saved.id), window_min=10**9)

    assert [one.id for one in around] == [str(saved.id), *logged]
    assert [one.id for one in memory.observations.timeline(str(saved.id), window_min=1)] == [
        str(saved.id),
        logged[0],
    ]


def test_a_session_without_observations_stands_alone(memory):
    saved = memory.save({"topic": "Redis"})

    assert [one.id for one in memory.observations.timeline(str(saved.id))] == [str(saved.id)]


def test_of_what_is_private_only_its_place_is_told(memory, logged):
    hidden = memory.log("工资表在 sheet 7", private=True, tags=["salary"], conversation="c").id
    memory.save({"topic": "salary", "key_points": ["sheet 7"], "tags": ["private"]})

    (record,) = memory.observations.get([hidden])
    (session,) = memory.observations.get(["2026-01-29#1"])

    assert (record.text, record.tags, record.private) == ("[PRIVATE]", (), True)
    assert (session.text, session.tags, session.private) == ("[PRIVATE]", (), True)
    assert found(memory, "sheet salary") == []


def test_a_moment_that_can_not_be_read_is_near_to_itself_alone(memory, logged):
    path = memory.observations.live("c").path
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"at":"yesterday","kind":"note","text":"by hand"}\n')

    assert [one.text for one in memory.observations.timeline("2026-01-29/c:5")] == ["by hand"]


def test_without_limits_everything_is_wanted():
    assert RecordQuery() == RecordQuery(20, (), (), (), None, None, "")


@pytest.mark.parametrize("mirror", ["false", "true"])
def test_a_file_that_can_not_be_read_hides_no_other(memory, logged, mirror, monkeypatch, tmp_path):
    with open(memory.workspace.project_root.config, "w", encoding="utf-8") as file:
        file.write(f'{{"mirror": {{"enabled": {mirror}}}}}')
    memory.start("d")
    memory.log("redis zebra", conversation="d")
    gone = memory.observations.live("d").path
    os.rename(gone, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", gone)
    real = observations.list_paths
    # What was a file when it was listed may be none when it is read.
    monkeypatch.setattr(
        observations, "list_paths", lambda root, day: sorted({*real(root, day), gone})
    )

    assert logged[2] in found(memory, "redis")
    assert found(memory, "zebra") == []
    assert memory.observations.get(["2026-01-29/d:2", logged[0]]) == memory.observations.get(
        [logged[0]]
    )
    assert memory.observations.get(["known elsewhere"]) == ()
    assert memory.report(days=9999).observations[date(2026, 1, 29)] == 3
    with pytest.raises(NotFoundError):
        memory.observations.timeline("2026-01-29/d:2")


def test_what_is_private_stays_so_in_the_archive(memory, day_file):
    day_file(
        "# 2025-10-01\n\n## Session 1\n### Topic\nzebra\n### Tags\n#private\n", "2025-10-01.md"
    )
    memory.archive.store(memory.archive.due(before=date(2026, 1, 1)))

    (record,) = memory.observations.get(["2025-10-01#1"])

    assert (record.archived, record.private, record.text) == (True, True, "[PRIVATE]")
    assert memory.observations.timeline("2025-10-01#1") == (record,)
