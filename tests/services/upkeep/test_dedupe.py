"""Near-duplicates of a memory are merged, and nothing that one of them says is lost."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from daily_memory import BackendError, Memory, NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.services.upkeep import dedupe
from daily_memory.storage import undo_files

SAID: dict[str, Any] = {
    "topic": "会话缓存改用 Redis",
    "key_points": [
        "会话在最后一次使用之后保留 300 秒，超时之后由后台任务清理",
        "连接池最多打开 20 个连接，没有空闲连接时等待五秒钟再报错",
    ],
    "tags": ["redis"],
    "time": "09:00:00",
}


@pytest.fixture
def doubled(memory: Memory) -> Memory:
    """A memory with two that say the same, the earlier one a little more, and others."""
    more = [*SAID["key_points"], "压测过了"]
    memory.save({**SAID, "date": "2026-01-20", "key_points": more, "tags": ["redis", "important"]})
    memory.save({**SAID, "date": "2026-01-21", "summary": "手写的摘要"})
    memory.add("something else 别的")
    return memory


def test_a_pair_is_shown_with_what_a_merge_would_add(doubled):
    (pair,) = doubled.cleanup.duplicates()

    assert (str(pair.earlier.session.id), str(pair.later.session.id)) == (
        "2026-01-20#1",
        "2026-01-21#1",
    )
    assert (pair.similarity > 0.8, pair.added) == (True, 2)


def test_the_later_one_gets_what_it_lacks_and_the_earlier_one_goes(doubled):
    merged = doubled.cleanup.merge(doubled.cleanup.duplicates())

    assert merged == dedupe.Merged((("2026-01-20#1", "2026-01-21#1"),), ())
    kept = doubled.get("2026-01-21#1").session
    assert kept.key_points == (*SAID["key_points"], "压测过了")
    assert kept.is_important
    assert kept.summary == "手写的摘要"
    assert doubled.cleanup.duplicates() == ()
    assert doubled.cleanup.merge(()) == dedupe.Merged()
    with pytest.raises(NotFoundError):
        doubled.get("2026-01-20#1")


def test_several_of_one_kind_end_in_the_last(memory):
    for day in (20, 21, 22):
        memory.save({**SAID, "date": f"2026-01-{day}"})

    merged = memory.cleanup.merge(memory.cleanup.duplicates())

    assert [pair[0] for pair in merged.ids] == ["2026-01-20#1", "2026-01-21#1"]
    assert [str(one.session.id) for one in memory.sessions()] == ["2026-01-22#1"]


def test_a_merged_conversation_is_not_overwritten_by_its_next_save(doubled, memory):
    conversation = {**SAID, "date": "2026-01-22", "conversation": "talk"}
    memory.save(conversation)
    memory.cleanup.merge(memory.cleanup.duplicates())

    memory.save({**conversation, "topic": "it went on"})

    assert "压测过了" in memory.get("2026-01-22#1").session.key_points


def test_what_can_not_be_merged_stays_and_is_told(doubled):
    pairs = doubled.cleanup.duplicates()
    (pair,) = pairs
    doubled.delete(["2026-01-20#1"])

    with pytest.raises(NotFoundError):
        doubled.cleanup.merge(pairs)

    doubled.save({**SAID, "date": "2026-01-22"})
    again = (*doubled.cleanup.duplicates(), pair)
    merged = doubled.cleanup.merge(again)
    assert merged.ids == (("2026-01-21#1", "2026-01-22#1"),)
    assert "2026-01-20#1 and 2026-01-21#1 stay as they are" in merged.warnings[0]


def test_what_others_wrote_is_no_duplicate_of_ours(memory):
    memory.save({**SAID, "date": "2026-01-20"})
    memory.import_sessions([{**SAID, "date": "2026-01-21", "origin": "import"}])

    assert memory.cleanup.duplicates() == ()


def test_a_conversation_of_today_is_left_alone(memory, clock):
    memory.save({**SAID, "date": "2026-01-20"})
    memory.save({**SAID, "conversation": "talk"})

    assert memory.cleanup.duplicates() == ()
    clock.now += timedelta(days=1)
    assert len(memory.cleanup.duplicates()) == 1


def test_one_undo_takes_back_all_of_a_merge(memory, day_file):
    said = [*SAID["key_points"], "每个请求都写一行日志，里面有它的编号"]
    for day, more in (
        ("2026-01-20", "only first"),
        ("2026-01-21", "只在第二个"),
        ("2026-01-21", ""),
    ):
        points = [*said, more] if more else said
        memory.save({**SAID, "date": day, "key_points": points})
    before = [day_file(name=f"2026-01-{day}.md").read_bytes() for day in (20, 21)]
    memory.cleanup.merge(memory.cleanup.duplicates())
    assert memory.get("2026-01-21#2").session.key_points == (*said, "only first", "只在第二个")

    (done,) = memory.operations()
    undone = memory.undo()

    assert done.operation.action == undone.operation.action == "merge"
    assert {new for _, new in undone.ids} == {"2026-01-20#1", "2026-01-21#1", "2026-01-21#2"}
    assert [day_file(name=f"2026-01-{day}.md").read_bytes() for day in (20, 21)] == before
    merged = [day_file(name=f"2026-01-{day}.md").read_bytes() for day in (20, 21)]
    again = memory.undo(undone.redo[0])
    assert memory.get("2026-01-21#2").session.key_points == (*said, "only first", "只在第二个")
    memory.undo(again.redo[0])
    assert [day_file(name=f"2026-01-{day}.md").read_bytes() for day in (20, 21)] == merged


def test_a_merge_that_can_not_be_joined_is_undone_step_by_step(doubled, monkeypatch):
    def refused(*_):
        raise BackendError("no room")

    monkeypatch.setattr(undo_files, "join", refused)
    merged = doubled.cleanup.merge(doubled.cleanup.duplicates())

    assert merged.warnings == ("done, but `memory undo` takes back one step at a time: no room",)
    assert [one.operation.action for one in doubled.operations()] == ["delete", "edit"]


def test_of_a_chain_each_comes_back_as_it_was(memory):
    for day, more in ((20, "一"), (21, "二"), (22, "three")):
        points = [*SAID["key_points"], more]
        memory.save({**SAID, "date": f"2026-01-{day}", "key_points": points})
    before = [one.session for one in memory.sessions()]
    first, second, third = memory.sessions()
    pairs = (
        dedupe.DuplicatePair(first, second, 0.9, 1),
        dedupe.DuplicatePair(second, third, 0.9, 1),
    )
    memory.cleanup.merge(pairs)
    assert memory.get("2026-01-22#1").session.key_points[2:] == ("three", "二", "一")

    (shown,) = map(json_shapes.operation, memory.operations())
    assert (shown["count"], len(memory.undo(dry_run=True).ids)) == (3, 3)
    memory.undo()

    assert [one.session for one in memory.sessions()] == before
