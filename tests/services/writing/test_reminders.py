"""What happens by itself, if the user wants it, and what they are reminded of."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.core.hosts import events
from daily_memory.core.hosts.events import parse_event
from daily_memory.services.writing import hook, reminders
from daily_memory.storage.roots import project_root
from tests.conftest import NOW

SESSION = "# {day} 对话记忆\n\n## Session 1 - 09:00\n### 主题\n缓存 redis of {day}\n{tags}\n---\n"


def write(day_file: Callable[..., Path], day: str, tags: str = "") -> None:
    day_file(SESSION.format(day=day, tags=tags), f"{day}.md")


@pytest.fixture
def old(memory: Memory, day_file: Callable[..., Path]) -> Memory:
    """A memory with an old day, an old day that is important, and two of late."""
    write(day_file, "2025-10-01")
    write(day_file, "2025-10-02", "### 标签\n#重要\n")
    write(day_file, "2026-01-20")
    write(day_file, "2026-01-29")
    return memory


def with_settings(memory: Memory, *, is_global: bool = True, **sections: object) -> Memory:
    root = memory.workspace.global_root if is_global else memory.workspace.project_root
    assert root is not None
    path = Path(root.config)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sections), encoding="utf-8")
    return memory.in_folder(memory.project)


def start(memory: Memory, host: str = "cursor", reason: str = "") -> hook.Handled:
    payload = {"hook_event_name": "sessionStart", "session_id": "c1", "source": reason}
    return memory.handle(parse_event(payload, {}, host))


def days_of(memory: Memory) -> list[str]:
    return [one.session.date.isoformat() for one in memory.sessions()]


# ---------------------------------------------------------------------------- archiving by itself


def test_nothing_is_archived_unless_the_user_says_so(old):
    handled = start(old)

    assert handled.work == ()
    assert old.archive.store_due() == ()
    assert len(days_of(old)) == 4


def test_what_is_past_retention_is_archived_once_a_day_if_the_user_says_so(old, day_file, clock):
    memory = with_settings(old, storage={"auto_archive": True})

    assert start(memory).work == (("all",),)
    assert memory.archive.store_due() == ()
    assert days_of(memory) == ["2025-10-02", "2026-01-20", "2026-01-29"]
    archived = [str(one.session.id) for one in memory.sessions(archived=True) if one.archived]
    assert archived == ["2025-10-01#1"]
    write(day_file, "2025-10-03")
    assert start(memory).work == ()
    assert memory.archive.store_due() == ()
    assert "2025-10-03" in days_of(memory)
    clock.now = NOW + timedelta(days=1)
    memory.archive.store_due()
    assert "2025-10-03" not in days_of(memory)


def test_where_nothing_is_due_nothing_is_done(memory, day_file):
    memory = with_settings(memory, storage={"auto_archive": True})
    write(day_file, "2026-01-20")

    assert memory.archive.store_due() == ()
    assert days_of(memory) == ["2026-01-20"]


def test_what_is_kept_for_ever_is_not_archived_by_itself(old):
    memory = with_settings(old, storage={"auto_archive": True, "retention_days": 0})

    assert start(memory).work == ()
    assert memory.archive.store_due() == ()
    assert len(days_of(memory)) == 4


def test_a_clock_that_jumps_ten_years_archives_nothing_by_itself(old, day_file, clock):
    memory = with_settings(old, storage={"auto_archive": True})
    clock.now = NOW + timedelta(days=3650)
    write(day_file, clock.now.date().isoformat())  # what is saved under that clock

    (warning,) = memory.archive.store_due()

    assert "the clock may be wrong" in warning
    assert len(days_of(memory)) == 5


def test_a_repository_does_not_decide_that_files_are_moved(old):
    memory = with_settings(old, is_global=False, storage={"auto_archive": True})

    assert start(memory).work == ()
    assert "a project's file can't set this" in str(memory.settings_problems[0])


def test_the_users_own_setting_holds_in_a_project_with_a_file_of_its_own(old):
    memory = with_settings(old, is_global=False, recording={"language": "zh"})
    memory = with_settings(memory, storage={"auto_archive": True})

    assert memory.settings.storage.auto_archive is True
    assert memory.settings_problems == ()


# ---------------------------------------------------------------------------- the reminder


def test_a_memory_that_nobody_reviewed_for_a_month_says_so_once_a_month(old, clock):
    told = start(old).reminder

    assert "120 天没有审核" in told
    assert "not reviewed for 120 days" in told
    assert start(old).reminder == ""
    clock.now = NOW + timedelta(days=30)
    assert "150 天" in start(old).reminder


def test_a_review_is_what_it_reminds_of(old, clock):
    old.review()

    clock.now = NOW + timedelta(days=29)
    assert old.background.review_reminder() == ""
    clock.now = NOW + timedelta(days=30)
    assert "30 天" in old.background.review_reminder()


@pytest.mark.parametrize("day", ["2026-01-01", "2026-02-20"])
def test_a_young_memory_reminds_of_nothing(memory, day_file, day):
    write(day_file, day)

    assert memory.background.review_reminder() == ""


def test_an_empty_memory_reminds_of_nothing_and_a_review_makes_no_folder(memory):
    memory.review()

    assert memory.background.review_reminder() == ""
    assert not Path(memory.workspace.project_root.path).exists()


def test_who_wants_no_reminder_gets_none(old):
    memory = with_settings(old, recall={"review_days": 0})

    assert start(memory).reminder == ""


def test_a_conversation_that_goes_on_after_it_was_compacted_is_not_reminded(old):
    assert start(old, "claude", "compact").reminder == ""
    assert start(old, "claude", "startup").reminder


def test_a_program_that_only_records_is_not_reminded(old):
    event = parse_event({"hook_event_name": "sessionStart", "session_id": "c1"}, {}, "cursor")

    assert old.handle(event, recalls=False).reminder == ""


def test_what_can_not_be_noted_is_not_told_at_each_start(old):
    path = Path(old.workspace.project_root.index_folder)
    path.mkdir(exist_ok=True)
    (path / "last-reminded").mkdir()
    os.utime(path / "last-reminded", (0, 0))

    assert reminders.reminder(old.workspace.project_root, 30, NOW) == ""


def test_a_review_of_what_can_not_be_written_to_is_a_review(old):
    path = Path(old.workspace.project_root.index_folder)
    path.mkdir(exist_ok=True)
    (path / "last-reviewed").mkdir()

    assert old.review().sessions == 4


def test_a_review_under_a_clock_that_was_wrong_does_not_keep_it_still_for_years(old):
    reminders.note(old.workspace.project_root, reminders.REVIEWED, NOW + timedelta(days=3650))

    assert "120 天" in old.background.review_reminder()


def test_the_user_reads_it_in_claude_code_and_others_are_told_it_for_them():
    claude = parse_event({"hook_event_name": "SessionStart", "session_id": "c"}, {}, "claude")
    cursor = parse_event({"hook_event_name": "sessionStart", "cursor_version": "3"}, {}, "cursor")
    prompt = parse_event({"hook_event_name": "Stop", "session_id": "c"}, {}, "claude")

    assert events.format_answer(claude, "", "look") == {"systemMessage": "look"}
    assert events.format_answer(claude, "notes", "look") == {
        "systemMessage": "look",
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "notes"},
    }
    assert events.format_answer(cursor, "notes\n", "look") == {
        "additional_context": "notes\n[memory: for the user: look]\n"
    }
    assert events.format_answer(prompt, "", "look") == {}


@pytest.mark.parametrize(
    ("name", "file"),
    [
        (reminders.ARCHIVED, "last-archived"),
        (reminders.REVIEWED, "last-reviewed"),
        (reminders.REMINDED, "last-reminded"),
        (reminders.INDEXED, "last-indexed"),
        (reminders.SETTLED, "last-settled"),
    ],
)
def test_what_is_noted_is_read_back_from_its_file(tmp_path, name, file):
    root = project_root(str(tmp_path))

    assert reminders.last_day(root, name, NOW.date()) == date.min
    assert reminders.note(root, name, NOW)

    assert reminders.last_day(root, name, NOW.date()) == NOW.date()
    assert os.listdir(root.index_folder) == [file]
    assert Path(root.index_folder, file).read_bytes() == b""


def test_a_time_that_no_date_has_is_a_late_one(tmp_path):
    root = project_root(str(tmp_path))
    reminders.note(root, reminders.INDEXED, NOW)
    path = os.path.join(root.index_folder, "last-indexed")

    os.utime(path, (0, 0))
    assert reminders.last_day(root, reminders.INDEXED, NOW.date()) == date.min

    os.utime(path, (90_000, 90_000))
    assert reminders.last_day(root, reminders.INDEXED, NOW.date()) == date(1970, 1, 2)
