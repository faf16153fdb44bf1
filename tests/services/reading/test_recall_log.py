"""The recall log: what a conversation received, at which moment, and why."""

from __future__ import annotations

import json
from pathlib import Path

from daily_memory.services.reading.recall_log import ReceivedItem


def note(memory, *lines):
    """Add lines to the file of the last live session, as a hook does."""
    path = Path(memory.observations.live().path)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def asked(text):
    return {"at": "2026-01-29T11:00:00+08:00", "kind": "user", "text": text}


def test_it_tells_the_start_from_a_question_and_names_the_words_in_common(memory):
    memory.save({"topic": "Redis", "key_points": ["缓存 TTL 定为 300 秒", "the pool has 20"]})
    memory.start("talk")
    note(
        memory,
        {"recalled": ["summary", "2026-01-29#1"]},
        asked("What is the TTL of 缓存 的 key?"),
        {"recalled": ["2026-01-29#1@0"]},
        {"recalled": None},
    )

    start, question = memory.observations.received(memory.observations.live("talk"))

    assert (start.is_start, start.question) == (True, "")
    assert [item.topic for item in start.items] == ["summary", "Redis"]
    assert (question.is_start, question.question) == (False, "What is the TTL of 缓存 的 key?")
    lines = ("- 缓存 TTL 定为 300 秒",)
    assert question.items == (ReceivedItem("2026-01-29#1", "Redis", lines, ("TTL", "缓存")),)


def test_what_is_gone_or_private_by_now_has_no_topic(memory):
    memory.save({"topic": "Redis"})
    memory.mark(["2026-01-29#1"], {"private": True})
    memory.start("talk")
    note(
        memory,
        asked("Redis?"),
        {"recalled": ["2026-01-29#1", "2026-01-01#7", "other:2026-01-01#7"]},
    )

    (moment,) = memory.observations.received(memory.observations.live("talk"))

    assert [item.topic for item in moment.items] == ["", "", ""]


def test_an_observation_is_shown_with_the_part_that_was_told(memory):
    memory.start("earlier")
    memory.log("x" * 299 + "\n登录接口报 401", conversation="earlier")
    memory.start("talk")
    note(
        memory,
        asked("为什么登录报 401"),
        {"recalled": ["2026-01-29/earlier:2@1", "team:a:b:2026-01-29#1"]},
    )

    (moment,) = memory.observations.received(memory.observations.live("talk"))

    item, of_team = moment.items
    assert of_team.topic == "team"
    assert (item.topic, item.lines) == ("note", ("登录接口报 401",))
    assert item.shared == ("登录", "401")
