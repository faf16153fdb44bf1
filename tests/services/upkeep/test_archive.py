"""What is past retention goes into the archive and comes back, and is never in neither."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from daily_memory import (
    ConflictError,
    DamagedDataError,
    InvalidInputError,
    Memory,
    NotFoundError,
)
from daily_memory.core.format import move_sections
from daily_memory.services.changing import edit
from daily_memory.services.reading.root_search import Query
from daily_memory.services.upkeep import archive
from daily_memory.storage import archive_files, observations
from daily_memory.storage.fs import files
from daily_memory.storage.index import indexer
from tests.conftest import NOW

OLD = date(2025, 10, 1)
DAY = """# 2025-10-01 对话记忆

手写的开头

## Session 1 - 09:00
### Topic
one about redis

---

## Session 2 - 10:00
### 主题
缓存方案定为 redis

### 标签
#重要

---

## Session 4 - 11:00
### Topic
four

---

trailing words"""
BARE = "# 2025-10-02 对话记忆\n\n## Session 1 - 09:00\n### 主题\n只有一个\n\n---\n"


@pytest.fixture
def old(memory: Memory, day_file: Callable[..., Path]) -> Memory:
    """A memory with two days past retention and one that is not."""
    day_file(DAY, "2025-10-01.md")
    day_file(BARE, "2025-10-02.md")
    memory.add("今天的")
    return memory


def ids(memory: Memory, **more: Any) -> list[str]:
    """Return the ids of the sections, without what a person wrote outside of them."""
    found = (one.session for one in memory.sessions(**more))
    return [str(session.id) for session in found if session.number]


def observe(memory: Memory, day: str, name: str, *lines: object) -> Path:
    assert memory.workspace.project_root is not None
    path = Path(memory.workspace.project_root.observations_folder, day, f"{name}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


# ---------------------------------------------------------------------------- what is due


def test_what_is_older_than_the_settings_say_is_due_but_what_is_important(old):
    due = old.archive.due()

    assert [str(one.session.id) for one in due.sessions] == [
        "2025-10-01#1",
        "2025-10-01#4",
        "2025-10-02#1",
    ]
    assert (due.before, due.days, due.kept, due.left) == (date(2025, 10, 31), 2, 1, 0)


def test_a_day_is_due_when_it_is_older_than_that(memory, day_file, clock):
    day_file(BARE.replace("2025-10-02", "2025-10-31"), "2025-10-31.md")
    memory.add("new")

    assert memory.archive.due(days=90).sessions == ()
    clock.now = NOW + timedelta(days=1)
    assert len(memory.archive.due(days=90).sessions) == 1


def test_one_run_takes_so_many_days(old):
    due = old.archive.due(most_days=1)

    assert [one.session.date for one in due.sessions] == [OLD, OLD]
    assert due.left == 1


def test_retention_of_0_keeps_all_for_ever(old):
    old.config.set("storage.retention_days", 0)

    with pytest.raises(InvalidInputError, match="retention is off"):
        old.archive.due()
    assert len(old.archive.due(days=90).sessions) == 3


@pytest.mark.parametrize("wrong", [{"days": -1}, {"most_days": -1}, {"before": date(2026, 2, 1)}])
def test_wrong_numbers_and_days_to_come_are_refused(old, wrong):
    with pytest.raises(InvalidInputError):
        old.archive.due(**wrong)


def test_a_clock_that_jumps_ten_years_takes_nothing(old, clock):
    clock.now = NOW.replace(year=2036)

    with pytest.raises(InvalidInputError, match="the newest session is of 2026-01-29") as caught:
        old.archive.due()

    assert "--before 2035-10-31" in caught.value.hint
    assert len(old.archive.due(before=date(2026, 1, 1)).sessions) == 3
    assert ids(old) == [
        "2025-10-01#1",
        "2025-10-01#2",
        "2025-10-01#4",
        "2025-10-02#1",
        "2026-01-29#1",
    ]


def test_a_clock_that_jumps_back_takes_nothing(old, clock):
    clock.now = NOW.replace(year=2016)

    assert old.archive.due().sessions == ()


def test_a_day_that_waits_for_a_merge_is_not_due(memory, day_file):
    mine = "<<<<<<< HEAD\n## Session 1 - 09:00\n### Topic\na\n\n---\n=======\n>>>>>>> b\n"
    day_file(mine, "2025-10-01.md")
    memory.add("new")

    assert memory.archive.due().sessions == ()


def test_live_sessions_that_are_over_are_due_if_no_section_of_them_stays(old):
    over = observe(old, "2025-10-01", "over", {"session": {}}, {"digested": "2025-10-01#1"})
    skipped = observe(old, "2025-10-01", "skipped", {"session": {}}, {"skipped": "short"})
    gone = observe(old, "2025-10-01", "gone", {"session": {}}, {"digested": "2025-10-01#77"})
    odd = observe(old, "2025-10-01", "odd", {"session": {}}, {"digested": "no id"})
    observe(old, "2025-10-01", "open", {"session": {}}, {"at": "x", "kind": "user", "text": "y"})
    observe(old, "2025-10-01", "kept", {"session": {}}, {"digested": "2025-10-01#2"})
    observe(old, "2026-01-28", "new", {"session": {}}, {"skipped": "short"})

    assert sorted(old.archive.due().observed) == sorted(map(str, (over, skipped, gone, odd)))


# ---------------------------------------------------------------------------- archiving


def test_what_is_archived_is_out_of_its_day_and_in_the_archive(old, day_file):
    moved = old.archive.store(old.archive.due())

    assert moved.ids == ("2025-10-01#1", "2025-10-01#4", "2025-10-02#1")
    assert moved.warnings == ()
    kept = (
        DAY[: DAY.index("## Session 1")]
        + DAY[DAY.index("## Session 2") : DAY.index("## Session 4")]
    )
    assert day_file(name="2025-10-01.md").read_text() == kept
    assert not day_file(name="2025-10-02.md").exists()
    root = old.workspace.project_root
    assert archive_files.find_data(root, date(2025, 10, 2)) == BARE.encode()
    assert ids(old) == ["2025-10-01#2", "2026-01-29#1"]
    assert ids(old, archived=True) == [
        "2025-10-01#1",
        "2025-10-01#2",
        "2025-10-01#4",
        "2025-10-02#1",
        "2026-01-29#1",
    ]
    assert old.archive.store(old.archive.due()) == archive.ArchiveResult()


def test_what_is_archived_is_found_where_it_is_asked_for(old):
    old.archive.store(old.archive.due())

    assert [str(hit.session.id) for hit in old.search("redis").hits] == ["2025-10-01#2"]
    both = old.search("redis", archived=True)
    assert {(str(hit.session.id), hit.archived) for hit in both.hits} == {
        ("2025-10-01#1", True),
        ("2025-10-01#2", False),
    }
    found = old.get("2025-10-01#4", archived=True)
    assert (found.archived, found.session.topic) == (True, "four")
    with pytest.raises(NotFoundError, match="2025-10-01#4 is archived") as caught:
        old.get("2025-10-01#4")
    assert "--archived" in caught.value.hint
    for refused in (old.delete, old.open):
        with pytest.raises(NotFoundError, match="is archived"):
            refused(["2025-10-01#4"] if refused == old.delete else "2025-10-01#4")


def test_the_archive_is_searched_like_the_days(memory, day_file):
    tagged = BARE.replace("只有一个\n", "Postgres 连接池\n\n### 标签\n#Database\n")
    day_file(tagged, "2025-10-02.md")
    day_file(BARE.replace("只有一个", "Postgres upgrade"), "2025-10-03.md")
    memory.add("new")
    memory.archive.store(memory.archive.due())

    def found(words: str, **narrowed: Any) -> list[str]:
        query = Query(words, **narrowed)
        (result,) = memory.search_many([query], archived=True)
        return [str(hit.session.id) for hit in result.hits if hit.archived]

    assert found("连接池") == ["2025-10-02#1"]
    assert sorted(found("postgers")) == ["2025-10-02#1", "2025-10-03#1"]
    assert found("postgres", tags=("database",)) == ["2025-10-02#1"]
    assert found("postgres", since=date(2025, 10, 3)) == ["2025-10-03#1"]
    assert found("postgres", until=date(2025, 10, 1)) == []
    assert found("postgres", project="elsewhere") == []
    assert found("2025-10-03") == ["2025-10-03#1"]


def test_a_private_session_is_archived_and_found_by_nobody(memory, day_file):
    day_file(BARE.replace("只有一个\n", "只有一个\n\n### 标签\n#私密\n"), "2025-10-02.md")
    memory.add("new")

    memory.archive.store(memory.archive.due())

    assert memory.search("只有一个", archived=True).hits == ()
    assert ids(memory, archived=True)[0] == "2025-10-02#1"


def test_archiving_a_day_again_merges_both(old, day_file):
    old.archive.store(old.archive.due())
    day_file(BARE.replace("Session 1", "Session 2").replace("只有", "又有"), "2025-10-02.md")

    old.archive.store(old.archive.due())

    assert [
        (one.session.number, one.session.topic)
        for one in old.sessions(archived=True, first=date(2025, 10, 2), last=date(2025, 10, 2))
    ] == [(1, "只有一个"), (2, "又有一个")]


@pytest.mark.parametrize("days_left", [1, 10])
def test_the_index_is_right_whether_little_or_much_goes(old, day_file, days_left):
    for day in range(1, days_left + 1):
        name = f"2026-01-{day:02}"
        day_file(BARE.replace("2025-10-02", name).replace("只有一个", f"留下 {day}"), f"{name}.md")
    old.search("x")

    old.archive.store(old.archive.due())

    assert len(old.search("留下", k=20).hits) == days_left
    assert [hit.archived for hit in old.search("four").hits] == [True]
    assert old.doctor()[old.workspace.project_root.path].faults == ()


def test_a_number_in_the_archive_is_not_given_again(old):
    old.archive.store(old.archive.due())
    Path(old.workspace.project_root.index_folder, "journal.jsonl").unlink()

    saved = old.save({"topic": "later", "date": "2025-10-02", "time": "12:00:00"})

    assert saved.id == "2025-10-02#2"


def test_what_is_archived_is_not_imported_again(old):
    exported = [json.loads(line) for line in old.export("jsonl")]
    old.archive.store(old.archive.due())

    result = old.import_sessions(exported)

    # Five sections, and what a person wrote above and below those of a day.
    assert (result.ids, result.present) == ((), 7)


def test_what_a_crash_left_in_both_is_shown_once_and_settled(old, day_file):
    text = day_file(name="2025-10-02.md").read_bytes()
    archive_files.store(old.workspace.project_root, date(2025, 10, 2), text)

    assert ids(old, archived=True).count("2025-10-02#1") == 1
    assert len(old.search("只有一个", archived=True).hits) == 1

    old.archive.store(old.archive.due())

    assert ids(old, archived=True).count("2025-10-02#1") == 1
    assert not day_file(name="2025-10-02.md").exists()


def test_doctor_settles_what_is_in_both(old, day_file):
    root = old.workspace.project_root
    archive_files.store(root, OLD, DAY.encode())
    archive_files.store(root, date(2025, 10, 2), BARE.encode())
    day_file(BARE.replace("Session 1", "Session 5"), "2025-10-02.md")
    damaged = date(2025, 9, 30)  # before the others: they are settled nevertheless
    archive_files.store(root, damaged, b"x")
    Path(archive_files.day_path(root, damaged)).write_bytes(b"junk")

    report = old.doctor(fix=True)[root.path]

    assert [told for told in report.mended if "archive" in told] == [
        f"2025-10-01#{n} was in the archive as well as in its day" for n in (1, 2, 4)
    ]
    assert [file.day for file in archive_files.list_days(root)] == [damaged, date(2025, 10, 2)]
    assert day_file(name="2025-10-01.md").read_text() == DAY
    assert any("damaged" in fault.message for fault in report.faults)


def test_a_day_that_somebody_saves_at_this_moment_keeps_what_they_wrote(old, day_file, monkeypatch):
    real = archive_files.store
    added = BARE + "\n## Session 9 - 12:00\n### Topic\nsaved meanwhile\n\n---\n"

    def store(root, day, data):
        real(root, day, data)
        monkeypatch.setattr(archive_files, "store", real)
        day_file(added, "2025-10-02.md")

    due = old.archive.due()
    due = due._replace(sessions=due.sessions[-1:])
    monkeypatch.setattr(archive_files, "store", store)

    assert old.archive.store(due).ids == ("2025-10-02#1",)
    assert ids(old)[3:] == ["2025-10-02#9", "2026-01-29#1"]


def test_a_day_that_never_rests_stays_and_is_told(old, monkeypatch):
    def change(path, *_rest, **_more):
        raise ConflictError(f"{path!r} changed")

    monkeypatch.setattr(files, "check_unchanged", change)

    with pytest.raises(ConflictError, match="kept changing"):
        old.archive.store(old.archive.due()._replace(observed=()))

    assert len(ids(old, archived=True)) == 5


def test_one_damaged_archive_keeps_no_other_day_from_its_own(old):
    archive_files.store(old.workspace.project_root, OLD, b"x")
    path = Path(archive_files.day_path(old.workspace.project_root, OLD))
    path.write_bytes(b"junk")

    moved = old.archive.store(old.archive.due())

    assert moved.ids == ("2025-10-02#1",)
    assert "2025-10-01 stays where it is" in moved.warnings[0]
    assert path.read_bytes() == b"junk"
    assert any(
        "damaged" in fault.message for fault in old.doctor()[old.workspace.project_root.path].faults
    )
    assert "damaged" in old.search("redis", archived=True).warnings[0]


def test_a_day_that_can_not_be_parted_stays(old, monkeypatch):
    monkeypatch.setattr(move_sections, "move", lambda *_, **__: None)

    with pytest.raises(ConflictError, match="can't be told apart"):
        old.archive.store(old.archive.due())


def test_a_day_that_went_meanwhile_is_passed_over(old, day_file):
    due = old.archive.due()
    day_file(name="2025-10-02.md").unlink()

    assert old.archive.store(due).ids == ("2025-10-01#1", "2025-10-01#4")


def test_what_became_important_meanwhile_stays(old):
    due = old.archive.due()
    old.mark(["2025-10-02#1"], {"important": True})

    assert old.archive.store(due).ids == ("2025-10-01#1", "2025-10-01#4")
    assert "2025-10-02#1" in ids(old)


def test_doctor_does_not_bring_back_what_is_archived(memory, clock):
    saved = memory.save({"topic": "kept", "date": "2025-10-02", "time": "12:00:00"})
    memory.add("new")
    memory.archive.store(memory.archive.due())

    report = memory.doctor(restore=True)[memory.workspace.project_root.path]

    assert (report.remarks, report.mended) == ((), ())
    assert saved.id not in ids(memory)


def test_an_index_that_can_not_be_written_is_a_warning(old, monkeypatch):
    def refuse(*_):
        raise ConflictError("refused")

    monkeypatch.setattr(indexer, "update_without", refuse)

    assert (
        "the index was not brought up to date" in old.archive.store(old.archive.due()).warnings[0]
    )


# ---------------------------------------------------------------------------- live sessions


def test_live_sessions_go_along_and_come_back(old):
    path = observe(old, "2025-10-01", "over", {"session": {}}, {"digested": "2025-10-01#1"})
    data = path.read_bytes()

    assert old.archive.store(old.archive.due()).observed == 1
    assert not path.parent.exists()

    assert old.archive.restore(days=[OLD]).observed == 1
    assert path.read_bytes() == data
    assert archive_files.list_observed(old.workspace.project_root) == []


def test_a_live_session_that_goes_on_at_this_moment_stays(old, monkeypatch):
    path = observe(old, "2025-10-01", "over", {"session": {}}, {"skipped": "short"})
    real = archive_files.store_observed

    def store(root, file):
        real(root, file)
        with path.open("a") as opened:
            opened.write("{}\n")

    monkeypatch.setattr(archive_files, "store_observed", store)

    moved = old.archive.store(old.archive.due())

    assert moved.observed == 0
    assert "a live session stays where it is" in moved.warnings[0]
    assert path.read_text().endswith("{}\n")


def test_others_of_the_same_day_stay_where_they_are(old):
    observe(old, "2025-10-01", "over", {"session": {}}, {"skipped": "short"})
    other = observe(
        old, "2025-10-01", "open", {"session": {}}, {"at": "1", "kind": "user", "text": "y"}
    )

    assert old.archive.store(old.archive.due()).observed == 1
    assert other.exists()


def test_an_id_brings_its_conversation_back(memory):
    saved = memory.save(
        {"topic": "t", "date": "2025-10-02", "conversation": "talk", "time": "09:00"}
    )
    path = observe(memory, "2025-10-01", "talk", {"session": {}}, {"digested": saved.id})
    observe(memory, "2025-10-01", "other", {"session": {}}, {"skipped": "short"})
    memory.add("new")
    memory.archive.store(memory.archive.due())

    assert memory.archive.restore([saved.id]).observed == 1
    assert path.exists()
    assert len(archive_files.list_observed(memory.workspace.project_root)) == 1


def test_a_live_session_of_that_name_that_is_another_one_stays(old):
    path = observe(old, "2025-10-01", "over", {"session": {}}, {"skipped": "short"})
    old.archive.store(old.archive.due())
    observe(old, "2025-10-01", "over", {"session": {"host": "x"}})

    moved = old.archive.restore(days=[OLD])

    assert (moved.observed, "a different session now" in moved.warnings[0]) == (0, True)
    assert "host" in path.read_text()
    assert len(archive_files.list_observed(old.workspace.project_root)) == 1


def test_a_live_session_that_a_crash_left_in_both_comes_back(old):
    path = observe(old, "2025-10-01", "over", {"session": {}}, {"skipped": "short"})
    data = path.read_bytes()
    old.archive.store(old.archive.due())
    path.parent.mkdir()
    path.write_bytes(data)

    assert old.archive.restore(days=[OLD]).observed == 1
    assert archive_files.list_observed(old.workspace.project_root) == []


# ---------------------------------------------------------------------------- restoring


@pytest.mark.parametrize(
    "wanted",
    [
        {"everything": True},
        {"days": [OLD, date(2025, 10, 2)]},
        {"ids": ["2025-10-01#1", "2025-10-01#4", "2025-10-02#1"]},
        {"since": OLD},
        {"until": date(2025, 12, 31)},
    ],
)
def test_what_comes_back_is_as_it_was(old, day_file, wanted):
    old.archive.store(old.archive.due())

    moved = old.archive.restore(**wanted)

    assert moved.ids == ("2025-10-01#1", "2025-10-01#4", "2025-10-02#1")
    assert day_file(name="2025-10-01.md").read_text() == DAY
    assert day_file(name="2025-10-02.md").read_text() == BARE
    assert not Path(old.workspace.project_root.path, "archive").exists()
    assert len(ids(old)) == 5


def test_a_dry_run_changes_nothing_and_a_second_run_does_nothing(old):
    old.archive.store(old.archive.due())

    assert len(old.archive.restore(everything=True, dry_run=True).ids) == 3
    assert len(ids(old)) == 2

    assert old.archive.restore(["2025-10-01#2"]).present == ("2025-10-01#2",)
    old.archive.restore(["2025-10-02#1"])
    again = old.archive.restore(["2025-10-02#1"])
    assert (again.ids, again.present) == ((), ("2025-10-02#1",))
    assert old.archive.restore(days=[date(2025, 10, 2)]).present == ("2025-10-02#1",)
    assert ids(old) == ["2025-10-01#2", "2025-10-02#1", "2026-01-29#1"]


def test_one_of_a_day_comes_back_alone(old, day_file):
    old.archive.store(old.archive.due())

    old.archive.restore(["2025-10-01#4"])

    assert ids(old)[:2] == ["2025-10-01#2", "2025-10-01#4"]
    assert "2025-10-01#1" in ids(old, archived=True)
    assert "trailing words" in day_file(name="2025-10-01.md").read_text()


def test_what_was_edited_since_goes_before_the_archive(old, day_file):
    old.archive.store(old.archive.due())
    day_file(BARE.replace("只有一个", "改过的"), "2025-10-02.md")

    old.archive.restore(everything=True)

    assert old.get("2025-10-02#1").session.topic == "改过的"
    assert not Path(archive_files.day_path(old.workspace.project_root, date(2025, 10, 2))).exists()


@pytest.mark.parametrize(
    "wanted", [{"ids": ["2025-10-01#9"]}, {"days": [date(2025, 10, 9)]}, {"ids": ["2025-10-09#1"]}]
)
def test_what_is_nowhere_is_not_found(old, wanted):
    old.archive.store(old.archive.due())

    with pytest.raises(NotFoundError, match="in the archive"):
        old.archive.restore(**wanted)


def test_a_damaged_archive_that_was_named_is_an_error(old):
    old.archive.store(old.archive.due())
    Path(archive_files.day_path(old.workspace.project_root, OLD)).write_bytes(b"junk")

    with pytest.raises(DamagedDataError):
        old.archive.restore(days=[OLD])


def test_a_day_that_somebody_saves_while_it_comes_back_is_read_again(old, day_file, monkeypatch):
    old.archive.store(old.archive.due())
    real = files.replace
    other = BARE.replace("Session 1", "Session 7").replace("只有", "别的")

    def replace(path, *rest, **more):
        if path.endswith("2025-10-02.md"):
            monkeypatch.setattr(files, "replace", real)
            day_file(other, "2025-10-02.md")
        real(path, *rest, **more)

    monkeypatch.setattr(files, "replace", replace)

    old.archive.restore(days=[date(2025, 10, 2)])

    assert ids(old)[1:3] == ["2025-10-02#1", "2025-10-02#7"]


def test_a_day_that_never_rests_stays_in_the_archive(old, monkeypatch):
    old.archive.store(old.archive.due())

    real = files.replace

    def change(path, *rest, expected=None, **more):
        if expected:
            raise ConflictError(f"{path!r} changed")
        real(path, *rest, **more)

    monkeypatch.setattr(files, "replace", change)

    with pytest.raises(ConflictError, match="kept changing"):
        archive.restore([old.workspace.project_root], archive.RestoreRequest(days=(OLD,)), NOW)

    assert "2025-10-01#1" in ids(old, archived=True)


# ---------------------------------------------------------------------------- deleting


def test_what_is_deleted_goes_in_one_operation_with_days_that_are_bare_then(
    old, day_file, monkeypatch
):
    calls = []
    real = edit.delete

    def delete(roots, wanted, now):
        calls.append(wanted)
        return real(roots, wanted, now)

    monkeypatch.setattr(edit, "delete", delete)
    over = observe(old, "2025-10-01", "over", {"session": {}}, {"digested": "2025-10-01#1"})
    other = observe(old, "2025-10-01", "other", {"session": {}}, {"skipped": "short"})

    moved = old.archive.delete(old.archive.due())

    assert calls == [["2025-10-01#1", "2025-10-01#4", "2025-10-02#1"]]
    assert (list(moved.ids), moved.observed) == (calls[0], 1)
    assert "trailing words" in day_file(name="2025-10-01.md").read_text()
    assert not day_file(name="2025-10-02.md").exists()
    assert ids(old, archived=True) == ["2025-10-01#2", "2026-01-29#1"]
    assert (over.exists(), other.exists()) == (True, False)


def test_a_day_with_words_of_a_person_is_not_removed(memory, day_file):
    day_file(BARE.replace("\n\n##", "\n\n手写\n\n##", 1), "2025-10-02.md")
    memory.add("new")

    memory.archive.delete(memory.archive.due())

    assert day_file(name="2025-10-02.md").read_text() == "# 2025-10-02 对话记忆\n\n手写\n\n"


def test_only_live_sessions_may_be_due(old):
    old.archive.store(old.archive.due())
    observe(old, "2025-10-01", "other", {"session": {}}, {"skipped": "short"})

    moved = old.archive.delete(old.archive.due())

    assert (moved.ids, moved.observed) == ((), 1)


# ---------------------------------------------------------------------------- other doors


@pytest.mark.parametrize("form", ["json", "jsonl", "md", "html"])
def test_an_export_holds_what_is_archived_if_asked_to(old, form):
    old.archive.store(old.archive.due())

    assert "只有一个" not in "".join(old.export(form))
    assert "只有一个" in "".join(old.export(form, archived=True))


def test_a_zip_holds_live_sessions_of_the_archive_only_if_asked_to(old):
    observe(old, "2025-10-01", "over", {"session": {}}, {"skipped": "short"})
    old.archive.store(old.archive.due())

    assert b"over.jsonl.gz" not in old.export_zip()
    assert b"2025-10-02.md.gz" in old.export_zip()
    assert b"over.jsonl.gz" in old.export_zip(with_observations=True)


def test_the_mirror_knows_of_it(old):
    old.config.set("mirror.enabled", True)
    old.mirror.sync()

    old.archive.store(old.archive.due())

    assert old.mirror.status()[0].behind == 0
    assert [hit.record.id for hit in old.observations.search("只有一个").hits] == []
    old.archive.restore(everything=True)
    assert [hit.record.id for hit in old.observations.search("只有一个").hits] == ["2025-10-02#1"]


def test_conversations_in_the_archive_are_known(memory):
    memory.save({"topic": "t", "date": "2025-10-02", "conversation": "talk"})
    memory.add("new")
    memory.archive.store(memory.archive.due())

    assert archive_files.conversations(memory.workspace.project_root) == {"talk"}
    assert observations.list_days(memory.workspace.project_root) == []


def test_a_day_comes_back_into_an_empty_file_as_it_was(memory, day_file):
    text = "# 2025-01-29 对话记忆\n\n## Session 1 - 09:00\n### Topic\none\n\n---\n"
    path = day_file(text, "2025-01-29.md")
    memory.archive.store(memory.archive.due(before=date(2026, 1, 1)))
    path.write_bytes(b"\n")

    memory.archive.restore(["2025-01-29#1"])

    assert path.read_text(encoding="utf-8") == text


# ---------------------------------------------------------------------------- large days


def filled(day: date, topics: list[str], tags: dict[int, str]) -> str:
    parts = [f"# {day}\n"]
    for number, topic in enumerate(topics, 1):
        tag = f"\n### 标签\n{tags[number]}\n" if number in tags else ""
        parts.append(f"## Session {number} - 09:00\n\n### 主题\n{topic} 缓存\n{tag}\n---\n")
    return "\n".join(parts)


def test_the_oldest_of_a_large_day_go_until_it_fits_and_come_back(memory, day_file):
    topics = [f"{name} " + name * 20_000 for name in "abcd"]
    path = day_file(filled(OLD, topics, {2: "#重要"}), f"{OLD}.md")
    day_file(filled(NOW.date(), topics, {}), f"{NOW.date()}.md")
    before = path.read_bytes()
    memory.config.set("storage.max_file_size_mb", 0.1)
    assert memory.archive.overflow().sessions == ()
    path.write_bytes(before + "随手写的\n".encode() * 2_000)
    grown = path.read_bytes()

    due = memory.archive.overflow()

    assert [str(one.session.id) for one in due.sessions] == ["2025-10-01#1"]
    assert due.kept == 0
    assert memory.archive.store(due).ids == ("2025-10-01#1",)
    assert path.stat().st_size <= 100_000
    assert memory.archive.overflow().sessions == ()
    assert memory.get("2025-10-01#1", archived=True).archived

    memory.archive.restore(everything=True)
    assert path.read_bytes() == grown


def test_important_sessions_of_a_large_day_stay(memory, day_file):
    topics = [f"{name} " + name * 60_000 for name in "abcd"]
    day_file(filled(OLD, topics, {1: "#important", 3: "#重要"}), f"{OLD}.md")
    memory.config.set("storage.max_file_size_mb", 0.1)

    due = memory.archive.overflow()

    assert [one.session.number for one in due.sessions] == [2, 4]
    assert due.kept == 2


def test_a_large_day_with_a_conflict_waits_for_it(memory, day_file):
    text = filled(OLD, ["a " + "a" * 200_000], {})
    day_file(f"{text}\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n", f"{OLD}.md")
    memory.config.set("storage.max_file_size_mb", 0.1)

    assert memory.archive.overflow().sessions == ()
