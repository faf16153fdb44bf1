from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.core.review.review import KINDS
from daily_memory.frontends import json_shapes


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.save({"topic": "框架", "decisions": ["用 Flask 写接口"], "date": "2026-01-02"})
    memory.save({"topic": "Framework", "decisions": ["Replaced Flask by FastAPI"]})
    memory.save({"topic": "私事", "tags": ["private"]})
    return memory


def test_a_review_tells_what_was_looked_at(filled):
    told = json_shapes.review(filled.review())

    assert told == {
        "sessions": 3,
        "private": 1,
        "counts": {**dict.fromkeys(KINDS, 0), "contradiction": 1},
        "findings": [
            {
                "kind": "contradiction",
                "ids": ["2026-01-02#1", "2026-01-29#1"],
                "topics": ["框架", "Framework"],
                "reason": '"用 Flask 写接口" … but later "Replaced Flask by FastAPI"',
                "command": "memory mark 2026-01-02#1 --outdated",
                "scope": "project",
                "project": "app",
            }
        ],
    }


def test_nothing_is_changed_and_a_mark_mends_it(filled, day_file):
    before = day_file(name="2026-01-02.md").read_bytes()
    assert filled.review().counts["contradiction"] == 1
    assert day_file(name="2026-01-02.md").read_bytes() == before

    filled.mark(["2026-01-02#1"], {"outdated": True})

    assert filled.review().remarks == ()


def test_a_limit_holds_for_each_kind(memory):
    for number in range(4):
        memory.save({"topic": f"第 {number} 次", "conversation": f"c{number}"})

    reviewed = memory.review(limit=3)

    assert [one.finding.kind for one in reviewed.remarks] == ["poor"] * 3
    assert reviewed.counts["poor"] == 4


def test_commands_say_which_memory_is_meant(memory, tmp_path):
    thin = {"topic": "看", "conversation": "c"}
    memory.save(thin, scope="global")
    other = tmp_path / "my shop"
    other.mkdir()
    Memory(other, home=tmp_path / "home", clock=memory.workspace.now).save(thin)
    memory.save(thin)

    commands = [one.command for one in memory.review(scope="all").remarks]

    assert commands == [
        "memory edit 2026-01-29#1",
        "memory edit 'my shop:2026-01-29#1'",
        "memory edit global:2026-01-29#1",
    ]


def test_a_summary_that_is_behind_is_told(filled):
    assert filled.review().counts["summary"] == 0
    filled.summarize()
    assert filled.review().counts["summary"] == 0

    filled.save({"topic": "队列", "decisions": ["用 Kafka 做队列"]})

    assert [one.command for one in filled.review().remarks][-1] == "memory summarize"


def test_a_summary_that_is_broken_is_told(filled):
    path = Path(filled.summarize().path)
    path.write_bytes(path.read_bytes().replace("接口".encode(), b"\xff") + b"\xff")

    (last,) = [one for one in filled.review().remarks if one.finding.kind == "summary"]

    assert last.finding.reason == "summary.md is not UTF-8"


def test_a_summary_of_the_global_memory_is_named_with_its_scope(filled):
    filled.save({"topic": "a", "decisions": ["用 Redis 做缓存"]}, scope="global")
    filled.summarize(scope="global")
    filled.save({"topic": "队列", "decisions": ["用 Kafka 做队列"]}, scope="global")

    commands = [one.command for one in filled.review().remarks]

    assert "memory summarize --scope global" in commands
