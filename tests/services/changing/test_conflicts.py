"""`doctor --fix` on what git left in conflict: merged, and kept as it was."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from daily_memory import ConflictError
from daily_memory.services.changing import conflicts
from daily_memory.storage.fs import files
from tests.services.upkeep.test_doctor import messages, report_of

ONE = "## Session 1 - 10:00:00\n\n### 主题\n一\n\n---\n"
OURS = "## Session 2 - 10:10:00\n\n### 主题\n缓存\n\n---\n"
THEIRS = "## Session 2 - 10:20:00\n\n### Topic\nFastAPI\n\n---\n"
CONFLICT = f"<<<<<<< HEAD\n{OURS}=======\n{THEIRS}>>>>>>> feature\n"
RESOLVED = f"# day\n\n{ONE}\n{OURS}\n{THEIRS.replace('Session 2', 'Session 3')}"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_conflict_is_resolved_and_the_file_kept_as_it_was(memory, day_file, ends):
    data = f"# day\n\n{ONE}\n{CONFLICT}".replace("\n", ends).encode()
    day_file(data)

    report = report_of(memory, fix=True)

    backup = Path(memory.workspace.project_root.index_folder, "backup", "2026-01-29-1.md")
    assert report.mended[0] == (
        f"the merge conflict in {str(day_file())!r} is resolved; as it was: {str(backup)!r}"
    )
    assert day_file().read_bytes() == RESOLVED.replace("\n", ends).encode()
    assert backup.read_bytes() == data
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700
    assert messages(report) == []
    assert [found.session.number for found in memory.sessions()] == [1, 2, 3]


def test_a_second_backup_does_not_replace_the_first(memory, day_file):
    for _ in range(2):
        day_file(f"# day\n\n{ONE}\n{CONFLICT}")
        report_of(memory, fix=True)

    folder = Path(memory.workspace.project_root.index_folder, "backup")
    assert sorted(path.name for path in folder.iterdir()) == ["2026-01-29-1.md", "2026-01-29-2.md"]


def test_a_conflict_without_an_end_is_left_to_a_person(memory, day_file):
    text = f"# day\n\n{ONE}\n{CONFLICT}".replace(">>>>>>> feature\n", "")
    day_file(text)

    report = report_of(memory, fix=True)

    assert day_file().read_text().count("<<<<<<<") == 1
    assert "a merge conflict was left here" in messages(report)


def test_a_quoted_conflict_is_left_alone(memory, day_file):
    text = f"# day\n\n{ONE}\n## Session 2\n\n```\n{CONFLICT}```\n\n---\n"
    day_file(text)

    assert report_of(memory, fix=True).faults == ()
    assert day_file().read_text() == text


def test_while_it_is_there_both_sides_are_found_and_a_save_is_appended(memory, day_file):
    text = f"# day\n\n{ONE}\n{CONFLICT}"
    day_file(text)

    assert [hit.session.topic for hit in memory.search("缓存").hits] == ["缓存"]
    assert [hit.session.topic for hit in memory.search("FastAPI").hits] == ["FastAPI"]
    memory.save({"topic": "期间 meanwhile", "date": "2026-01-29"})
    assert day_file().read_text().startswith(text)
    report_of(memory, fix=True)

    assert day_file().read_text().startswith(RESOLVED.partition("\n\n## Session 3")[0])
    assert sorted(found.session.topic for found in memory.sessions()) == [
        "FastAPI",
        "一",
        "期间 meanwhile",
        "缓存",
    ]
    assert memory.doctor(fix=True, restore=True)
    assert len(list(memory.sessions())) == 4


def test_a_file_that_an_editor_saves_meanwhile_is_not_written(memory, day_file, monkeypatch):
    path = day_file(f"# day\n\n{ONE}\n{CONFLICT}")
    replace = files.replace

    def replace_after_an_editor(*words, **options):
        path.write_text("edited by hand")
        replace(*words, **options)

    monkeypatch.setattr(files, "replace", replace_after_an_editor)

    with pytest.raises(ConflictError):
        conflicts.resolve_conflicts(memory.workspace.project_root)

    assert path.read_text() == "edited by hand"
