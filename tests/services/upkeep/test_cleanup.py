"""What could be cleaned up is told with its reason, and nothing is changed."""

from __future__ import annotations

import pytest

from daily_memory.storage import journal
from tests.conftest import NOW

SAID = {
    "topic": "会话缓存改用 Redis",
    "key_points": ["会话在最后一次使用之后保留 300 秒，超时之后由后台任务清理"],
    "time": "09:00:00",
}


def kinds(memory):
    return {one.kind: one for one in memory.cleanup.proposals()}


def test_an_empty_memory_needs_nothing(memory):
    assert memory.cleanup.proposals() == []


def test_each_is_told_with_its_number_its_reason_and_its_command(memory, day_file):
    for day in (20, 21):
        memory.save({**SAID, "date": f"2026-01-{day}"})
    memory.save({**SAID, "topic": "旧", "date": "2025-12-01", "tags": ["outdated"]})
    for flag in ("important", "private"):
        memory.save({"topic": "嗯", "date": "2026-01-02", "tags": [flag], "source": "cursor"})
    memory.save({"topic": "好的", "date": "2026-01-03", "source": "cursor"})
    old = "## Session {} - 09:00\n### 主题\n缓存 password = hunter2-Zq8vR4 方案 {}\n\n{}---\n\n"
    kept = "### 标签\n#important\n\n"
    day_file(
        "".join([old.format(1, "", ""), old.format(2, "迁移到新的集群，灰度三天", kept)]),
        "2025-10-01.md",
    )
    folder = day_file(name="x").parent.parent / "observations" / "2025-10-01"
    folder.mkdir(parents=True)
    (folder / "talk.jsonl").write_text('{"skipped":"short"}\n')
    memory.config.set("storage.max_file_size_mb", 0.1)
    day_file("x" * 200_000 + "\n", "2026-01-10.md")
    before = [str(one.session.id) for one in memory.sessions()]

    told = kinds(memory)

    assert {kind: (one.number, one.what, one.command) for kind, one in told.items()} == {
        "archive": (
            1,
            "1 session on 1 day and 1 live session",
            "memory cleanup --archive",
        ),
        "sanitize": (2, "2 secrets in 1 file", "memory cleanup --sanitize"),
        "dedupe": (1, "1 pair of near-duplicates", "memory cleanup --dedupe"),
        "outdated": (1, "1 session", "memory delete 2025-12-01#1"),
        "large": (1, "1 day", "memory cleanup --oversized"),
    }
    assert told["archive"].why == "older than 90 days; 1 important one stay"
    assert told["archive"].ids == ("2025-10-01#1",)
    assert told["sanitize"].why == "password 2"
    assert [str(one.session.id) for one in memory.sessions()] == before


def test_with_retention_0_nothing_is_old(memory, day_file):
    day_file("## Session 1 - 09:00\n### 主题\n缓存方案定下来了\n", "2025-10-01.md")
    memory.add("new")
    memory.config.set("storage.retention_days", 0)

    assert "archive" not in kinds(memory)


def test_a_clock_that_may_be_wrong_is_told(memory, clock):
    memory.save({**SAID})
    clock.now = NOW.replace(year=2036)

    told = kinds(memory)["archive"]

    assert (told.number, "the newest session is of 2026-01-29" in told.why) == (0, True)
    assert "--before" in told.why


def test_a_large_day_is_told_by_a_save_and_by_doctor(memory):
    memory.config.set("storage.max_file_size_mb", 0.1)
    assert memory.save({**SAID}).warnings == ()

    saved = memory.save({**SAID, "summary": "很长的摘要 " * 20_000})

    assert "is larger than storage.max_file_size_mb, 0.1 MB" in saved.warnings[-1]
    remarks = memory.doctor()[memory.workspace.project_root.path].remarks
    assert any("is larger than" in remark.message for remark in remarks)
    assert journal.last_number(memory.workspace.project_root, saved.session.date) == 2


@pytest.mark.parametrize("days", [1, 200])
def test_what_is_outdated_for_a_short_time_is_left_alone(memory, days):
    memory.save({**SAID, "date": "2026-01-28", "tags": ["过时"]})
    memory.save({**SAID, "date": "2026-01-27", "tags": ["过时", "重要"]})

    assert "outdated" not in kinds(memory)


@pytest.mark.parametrize("count", [1, 2])
def test_two_processes_find_the_secrets_that_one_finds(memory, day_file, read_by, count):
    memory.save({"topic": "旧方案", "date": "2025-10-01"})
    memory.archive.store(memory.archive.due(before=NOW.date()))
    memory.save({"topic": "gone", "date": "2026-01-01"})
    memory.delete(["2026-01-01#1"])
    day_file("## Session 1\n\n### 主题\npassword = hunter2-Zq8vR4\n", "2026-01-03.md")
    day_file("## Session 1\n\n### Topic\nnothing\n", "2026-01-04.md")
    sealed = day_file(b"age-encryption.org/v1\n", "2026-01-05.md")
    read_by(count)

    looked_for = memory.cleanup.sanitize(dry_run=True)
    sealed.unlink()
    hidden = memory.cleanup.sanitize()

    assert [(file.name, file.counts) for file in looked_for.files] == [
        ("daily/2026-01-03.md", (("password", 1),))
    ]
    assert hidden.files == looked_for.files
    assert [warning.split(":")[0] for warning in looked_for.warnings] == [
        "daily/2026-01-05.md stays as it is"
    ]
    assert "hunter2" not in day_file(name="2026-01-03.md").read_text(encoding="utf-8")
    assert memory.cleanup.sanitize(dry_run=True).files == ()
