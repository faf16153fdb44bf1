"""Undo: what was deleted, edited or marked comes back, whatever was done to its day since."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from daily_memory import (
    BackendError,
    ConflictError,
    InvalidInputError,
    Memory,
    NotFoundError,
)
from daily_memory.frontends import json_shapes
from daily_memory.services.changing.undo import Undone
from daily_memory.storage import undo_files
from daily_memory.storage.fs import files
from daily_memory.storage.fs import replace as overlays

DAY = """# 2026-01-29 对话记忆

手写的开头

## Session 1 - 09:00
### Topic
one

---

## Session 2 - 10:00
### 主题
缓存方案

### 标签
#redis

---

手写的一段

## Session 4 - 11:00
### Topic
four

---

trailing words"""


def ids(memory: Memory) -> list[str]:
    """Return the ids of the sections, without what a person wrote outside of them."""
    found = (one.session for one in memory.sessions())
    return [str(session.id) for session in found if session.number]


def store(memory: Memory) -> list[str]:
    folder = Path(memory.workspace.save_root().undo_folder)
    return sorted(path.name for path in folder.iterdir() if path.stat().st_size)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "gone",
    [
        ["2026-01-29#1"],
        ["2026-01-29#2"],
        ["2026-01-29#4", "2026-01-29#1"],
        ["2026-01-29#1", "2026-01-29#2", "2026-01-29#4"],
    ],
)
def test_the_day_is_as_it_was_to_the_byte(memory, day_file, newline, gone):
    data = DAY.replace("\n", newline).encode() + b"\xff\xfe"
    path = day_file(data)
    deleted = memory.delete(gone)

    undone = memory.undo()

    assert path.read_bytes() == data
    assert undone.operation.id == deleted.operation == "1"
    assert undone.ids == tuple((id_, id_) for id_ in sorted(gone))
    assert undone.warnings == ()
    assert [one.operation.undoes for one in memory.operations()] == ["1"]
    assert undone.redo == ("2",)
    assert memory.search("缓存方案").hits[0].session.number == 2
    with pytest.raises(NotFoundError, match="nothing to undo"):
        memory.undo()


def test_the_last_comes_back_first_or_the_one_that_is_named(memory, day_file):
    path = day_file(DAY)
    for number in (1, 2, 4):
        memory.delete([f"2026-01-29#{number}"])

    assert [one.operation.id for one in memory.operations()] == ["3", "2", "1"]
    assert memory.undo("2").ids == (("2026-01-29#2", "2026-01-29#2"),)
    assert ids(memory) == ["2026-01-29#2"]
    memory.undo()
    memory.undo()

    assert ids(memory) == ["2026-01-29#1", "2026-01-29#2", "2026-01-29#4"]
    assert "手写的一段" in path.read_text(encoding="utf-8")
    # The number of the last one is not given again.
    assert memory.delete(["2026-01-29#4"]).operation == "7"
    with pytest.raises(NotFoundError, match="no operation '3'"):
        memory.undo("3")


def test_a_dry_run_brings_nothing_back(memory, day_file):
    day_file(DAY)
    memory.delete(["2026-01-29#1"])

    assert memory.undo(dry_run=True).ids == (("2026-01-29#1", "2026-01-29#1"),)
    assert "2026-01-29#1" not in ids(memory)


def test_sections_go_where_they_stood_after_further_changes(memory, day_file):
    path = day_file(DAY)
    memory.delete(["2026-01-29#1", "2026-01-29#2"])
    path.write_text(f"{path.read_text(encoding='utf-8')}\nmore by hand\n", encoding="utf-8")
    memory.save({"topic": "five"})

    memory.undo()

    assert ids(memory) == [f"2026-01-29#{number}" for number in (1, 2, 4, 5)]
    text = path.read_text(encoding="utf-8")
    assert "more by hand" in text
    assert "手写的一段" in text


def test_without_its_neighbours_a_section_goes_to_the_end(memory, day_file):
    path = day_file(DAY)
    memory.delete(["2026-01-29#4"])
    path.write_text("## Session 3\n### Topic\nthree", encoding="utf-8")

    memory.undo()

    assert ids(memory) == ["2026-01-29#3", "2026-01-29#4"]
    text = path.read_text(encoding="utf-8")
    assert text.startswith("## Session 3\n### Topic\nthree\n\n## Session 4")


def test_a_day_that_is_gone_is_made_again(memory, day_file):
    path = day_file(DAY)
    memory.delete(["2026-01-29#2"])
    path.unlink()

    memory.undo()

    assert path.read_text(encoding="utf-8").startswith("# 2026-01-29 对话记忆\n\n## Session 2")


def test_a_number_that_is_taken_meanwhile_is_told(memory, day_file):
    path = day_file(DAY)
    memory.delete(["2026-01-29#2"])
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\n\n## Session 2 - 23:00\n### Topic\nother\n", encoding="utf-8")

    undone = memory.undo()

    assert undone.ids == (("2026-01-29#2", "2026-01-29#5"),)
    assert undone.warnings == (
        "2026-01-29#2 is taken by another session by now: it came back as 2026-01-29#5",
    )
    assert memory.get("2026-01-29#5").session.topic == "缓存方案"
    assert memory.get("2026-01-29#2").session.topic == "other"
    assert json_shapes.undone(undone)["renumbered"] == {"2026-01-29#2": "2026-01-29#5"}


@pytest.mark.parametrize(
    ("time", "topic"), [("10:00", "别的主题"), ("23:00", "缓存方案"), ("10:00", "")]
)
def test_what_has_its_number_and_its_time_or_topic_is_another_one(memory, day_file, time, topic):
    path = day_file(DAY)
    memory.delete(["2026-01-29#2"])
    text = path.read_text(encoding="utf-8")
    other = f"\n\n## Session 2 - {time}\n### 主题\n{topic}\n### 关键信息\n- other\n"
    path.write_text(text + other, encoding="utf-8")

    assert memory.undo().ids == (("2026-01-29#2", "2026-01-29#5"),)

    assert "redis" in memory.get("2026-01-29#5").session.tags
    assert memory.get("2026-01-29#2").session.key_points == ("other",)


@pytest.mark.parametrize("is_changed", [False, True])
def test_a_number_that_stands_in_the_archive_by_now_is_taken(memory, day_file, clock, is_changed):
    path = day_file("# 标题\n\n## Session 1 - 10:00:00\n### Topic\nfirst 第一\n\n---\n")
    memory.delete(["2026-01-29#1"])
    day_file("# 标题\n\n## Session 1 - 10:00:00\n### Topic\nother\n\n---\n")
    clock.now += timedelta(days=1)
    memory.archive.store(memory.archive.due(before=memory.today()))
    assert not path.exists()
    if is_changed:
        memory.save({"topic": "third", "date": "2026-01-29"})

    [(_, new)] = memory.undo("1").ids

    assert new == ("2026-01-29#3" if is_changed else "2026-01-29#2")
    memory.archive.restore(everything=True)
    topics = {one.session.topic for one in memory.sessions()}
    assert topics >= {"first 第一", "other"}


def test_an_edited_state_that_git_brought_back_is_not_doubled(memory, day_file):
    path = day_file(DAY)
    memory.delete(["2026-01-29#2"])
    edited = "## Session 2 - 10:00\n### 主题\n缓存方案\n### 关键信息\n- 改过\n"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n\n{edited}", encoding="utf-8")

    assert memory.undo().ids == (("2026-01-29#2", "2026-01-29#2"),)

    assert ids(memory) == ["2026-01-29#1", "2026-01-29#4", "2026-01-29#2"]


def test_twins_come_back_as_two(memory, day_file):
    twin = "## Session {}\n### Topic\nsame\n\n---\n\n"
    path = day_file(twin.format(1) + twin.format(2) + twin.format(3))
    memory.delete(["2026-01-29#1", "2026-01-29#3"])
    path.write_text(f"by hand\n\n{path.read_text()}")

    memory.undo()

    assert ids(memory) == ["2026-01-29#1", "2026-01-29#2", "2026-01-29#3"]


def test_what_is_there_again_already_is_not_doubled(memory, day_file, monkeypatch):
    path = day_file(DAY)
    memory.delete(["2026-01-29#1", "2026-01-29#2"])

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(undo_files, "remove", die)
        with pytest.raises(KeyboardInterrupt):
            memory.undo()
    path.write_text(f"{path.read_text(encoding='utf-8')}\nmore", encoding="utf-8")

    assert memory.undo().ids == tuple((f"2026-01-29#{n}", f"2026-01-29#{n}") for n in (1, 2))
    assert ids(memory) == ["2026-01-29#1", "2026-01-29#2", "2026-01-29#4"]


def test_what_swallows_the_others_is_kept(memory, day_file):
    path = day_file("## Session 1\n```\nopen\n")
    memory.delete(["2026-01-29#1"])
    path.write_text("## Session 2\n### Code\ncode\n```\n\n---\n\n```\nx\n```\n")

    with pytest.raises(ConflictError, match="2026-01-29#1 does not fit"):
        memory.undo()

    assert ids(memory) == ["2026-01-29#2"]
    assert [one.operation.id for one in memory.operations()] == ["1"]


def test_of_several_sections_those_that_fit_come_back(memory, day_file):
    whole = "## Session {}\n### Topic\n{}\n\n---\n\n"
    one, three = whole.format(1, "one"), whole.format(3, "three")
    path = day_file(f"{one}{three}## Session 5\n```\nopen\n")
    memory.delete([f"2026-01-29#{number}" for number in (1, 3, 5)])
    path.write_text("## Session 6\n### Code\ncode\n```\n\n---\n\n```\nx\n```\n")

    undone = memory.undo()

    assert ids(memory) == [f"2026-01-29#{number}" for number in (1, 3, 6)]
    assert path.read_text().startswith(one + three)
    assert undone.warnings == ("2026-01-29#5 does not fit into its day any more",)


def test_a_day_that_keeps_changing_is_a_conflict(memory, day_file, monkeypatch):
    day_file(DAY)
    memory.delete(["2026-01-29#1"])
    real = files.replace

    def replace(path, data, modes=files.PRIVATE, *, expected=None):
        if expected is not None:
            raise ConflictError("changed")
        real(path, data, modes)

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", replace)
        with pytest.raises(ConflictError, match="changed while it was being written"):
            memory.undo()
        with pytest.raises(ConflictError, match="2026-01-29 changed"):
            memory.delete(["2026-01-29#2"])

    # What was not done can't be undone; what was, can.
    assert [one.operation.id for one in memory.operations()] == ["1"]
    memory.undo()
    assert day_file().read_text(encoding="utf-8") == DAY


def test_what_a_person_saves_meanwhile_is_kept(memory, day_file, monkeypatch):
    path = day_file(DAY)
    real = files.replace
    edits = iter(["by hand", ""] * 2)

    def replace(target, data, modes=files.PRIVATE, *, expected=None):
        line = next(edits, "") if target == str(path) else ""
        if line:
            path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}", encoding="utf-8")
        real(target, data, modes, expected=expected)

    monkeypatch.setattr(files, "replace", replace)
    memory.delete(["2026-01-29#1"])
    memory.undo()

    assert path.read_text(encoding="utf-8") == f"{DAY}\nby hand\nby hand"


def test_others_stay_others(memory, day_file):
    day_file('## Session 1\n<!-- memory {"origin":"import"} -->\n### Topic\nx\n\n---\n')
    memory.delete(["2026-01-29#1"])

    memory.undo()

    assert memory.get("2026-01-29#1").origin == "import"


def test_what_an_editor_wipes_out_after_an_undo_is_found_by_doctor(memory, day_file):
    saved = memory.save({"topic": "缓存方案", "key_points": ["TTL 300 秒"]})
    memory.delete([saved.id])
    memory.undo()
    day_file("# empty\n")

    [report] = memory.doctor(restore=True, scope="project").values()

    assert report.mended == (f"{saved.id} was brought back",)


# ---------------------------------------------------------------------------- edits and marks


def test_an_edit_is_undone(memory, day_file):
    path = day_file(DAY)
    text = memory.open("2026-01-29#2").text
    edited = memory.edit("2026-01-29#2", text.replace("缓存", "队列"))

    undone = memory.undo(edited.operation)

    assert path.read_text(encoding="utf-8") == DAY
    assert (undone.operation.action, undone.warnings) == ("edit", ())


def test_what_was_changed_after_an_edit_stays(memory, day_file):
    path = day_file(DAY)
    text = memory.open("2026-01-29#2").text
    memory.edit("2026-01-29#2", text.replace("缓存", "队列"))
    memory.mark(["2026-01-29#2"], {"important": True})

    memory.undo("1")

    assert path.read_text(encoding="utf-8") == DAY.replace("#redis", "#redis #important")


@pytest.mark.parametrize("later", ["另一个", "```\n## Session 3\n"])
def test_an_edit_of_the_same_lines_is_not_undone(memory, day_file, later):
    path = day_file(DAY)
    text = memory.open("2026-01-29#2").text
    memory.edit("2026-01-29#2", text.replace("缓存方案", "队列"))
    changed = path.read_text(encoding="utf-8").replace("队列", later)
    path.write_text(changed, encoding="utf-8")

    with pytest.raises(ConflictError, match="2026-01-29#2 was changed since"):
        memory.undo()

    assert path.read_text(encoding="utf-8") == changed
    assert store(memory) != []


def test_what_is_no_section_is_not_merged(memory, day_file):
    path = day_file(DAY)
    memory.mark(["2026-01-29#1"], {"outdated": True})
    (operation,) = undo_files.find_all(memory.workspace.save_root())
    (day,) = operation.days
    changes = (day.changes[0]._replace(before="no heading", after="nor here"),)
    broken = operation._replace(days=(day._replace(changes=changes),))
    undo_files.update(memory.workspace.save_root(), broken)
    before = path.read_bytes()

    with pytest.raises(ConflictError, match="was changed since"):
        memory.undo()

    assert path.read_bytes() == before


def test_of_several_marks_those_that_fit_are_undone(memory, day_file):
    path = day_file(DAY)
    memory.mark(["2026-01-29#1", "2026-01-29#2", "2026-01-29#4"], {"outdated": True})
    (operation,) = undo_files.find_all(memory.workspace.save_root())
    (day,) = operation.days
    first, second, third = day.changes
    changes = (first, second._replace(before="no heading", after="nor here"), third)
    broken = operation._replace(days=(day._replace(changes=changes),))
    undo_files.update(memory.workspace.save_root(), broken)

    undone = memory.undo()

    assert path.read_text(encoding="utf-8") == DAY.replace("#redis", "#redis #outdated")
    assert undone.kept == ("2026-01-29#2",)
    assert undone.warnings == ("2026-01-29#2 was changed since, in the same lines",)


def test_marks_of_several_days_are_undone_as_one(memory, day_file):
    path = day_file(DAY)
    other = day_file("## Session 1\n### Topic\nx\n\n---\n", "2026-01-28.md")
    marked = ["2026-01-29#1", "2026-01-29#2", "2026-01-28#1"]
    memory.mark(marked, {"outdated": True})
    memory.delete(["2026-01-28#1"])

    undone = memory.undo("1")

    assert path.read_text(encoding="utf-8") == DAY
    assert undone.kept == ("2026-01-28#1",)
    assert undone.warnings == ("2026-01-28#1 is gone; bring it back first",)
    memory.undo()
    memory.undo()
    assert other.read_text() == "## Session 1\n### Topic\nx\n\n---\n"


def test_an_undo_that_was_done_already_ends(memory, day_file):
    path = day_file(DAY)
    memory.mark(["2026-01-29#1"], {"outdated": True})
    path.write_text(DAY, encoding="utf-8")

    assert memory.undo().ids == (("2026-01-29#1", "2026-01-29#1"),)
    assert path.read_text(encoding="utf-8") == DAY


# ---------------------------------------------------------------------------- what was observed


@pytest.fixture(params=[False, True])
def ended(request, memory) -> str:
    """The section of a live session, with the mirror off and on."""
    memory.setup.init()
    memory.config.set("mirror.enabled", request.param)
    memory.start("c")
    memory.log("the codeword is xylophonezz 木琴", kind="decision", conversation="c")
    memory.log("Redis TTL 300 秒", kind="decision", conversation="c")
    return str(memory.end("c").id)


def found(memory: Memory, question: str) -> list[str]:
    return [hit.record.id for hit in memory.observations.search(question).hits]


def test_what_was_observed_comes_back(memory, ended):
    before = Path(memory.observations.live("c").path).read_bytes()
    memory.delete([ended])
    assert found(memory, "木琴") == []

    memory.undo()

    assert Path(memory.observations.live("c").path).read_bytes() == before
    assert found(memory, "xylophonezz") == [ended, "2026-01-29/c:2"]


def test_under_another_number_it_holds_what_was_observed(memory, ended, day_file):
    memory.delete([ended])
    day_file("## Session 1 - 01:00\n### Topic\nother\n")

    memory.undo()

    assert memory.observations.live("c").digested == "2026-01-29#2"
    memory.delete(["2026-01-29#2"])
    assert found(memory, "木琴") == []


def test_a_live_session_that_is_gone_stays_so(memory, ended):
    memory.delete([ended])
    shutil.rmtree(memory.workspace.save_root().observations_folder)

    assert memory.undo().warnings == ()
    assert ids(memory) == [ended]


def test_observations_that_can_not_be_written_are_told_of(memory, ended, monkeypatch):
    memory.delete([ended])

    def refuse(*_: object, **__: object) -> None:
        raise BackendError("the system refused")

    monkeypatch.setattr(overlays, "fill_in", refuse)

    assert memory.undo().warnings == ("done, but not what was observed: the system refused",)


def test_what_was_made_private_is_shown_again(memory, ended):
    memory.mark([ended], {"private": True})
    assert found(memory, "木琴") == []

    memory.undo()

    assert found(memory, "木琴") == [ended, "2026-01-29/c:2"]


def test_what_the_user_does_not_want_kept_leaves_the_undo_store(memory, ended):
    for is_set in (True, False):
        memory.mark([ended], {"important": is_set})
    assert len(store(memory)) == 2

    memory.log("不要保存这次对话", kind="user", conversation="c")
    memory.end("c")

    assert (store(memory), ids(memory)) == ([], [])


# ---------------------------------------------------------------------------- several roots


def test_a_deletion_in_two_memories_is_undone_as_one(memory, day_file):
    day_file(DAY)
    memory.save({"topic": "global", "date": "2026-01-28"}, scope="global")
    memory.delete(["2026-01-29#1", "global:2026-01-28#1"])
    assert len(ids(memory)) == 2

    memory.undo()

    assert len(ids(memory)) == 4


def test_the_store_keeps_thirty_days_and_the_last_twenty(memory, day_file, clock):
    day_file(DAY)
    for number in range(25):
        memory.mark(["2026-01-29#1"], {"important": number % 2 == 0})
    assert len(memory.operations()) == 25

    clock.now += timedelta(days=3653)
    memory.mark(["2026-01-29#1"], {"important": False})

    assert [one.operation.id for one in memory.operations()] == [str(n) for n in range(26, 6, -1)]


def test_observations_put_back_leave_alone_what_others_wrote(tmp_path):
    path = str(tmp_path / "c.jsonl")
    files.append(path, b"    \nab  \nzz\n")

    overlays.fill_in(path, [(0, b"1234"), (5, b"abcd"), (10, b"3456"), (12, b"5")])

    assert files.read_bytes(path) == b"1234\nabcd\nzz\n"


def test_what_was_archived_since_must_be_restored_first(memory, day_file):
    path = day_file(DAY.replace("2026-01-29", "2025-01-29"), "2025-01-29.md")
    before = path.read_bytes()
    memory.mark(["2025-01-29#2"], {"outdated": True})
    memory.archive.store(memory.archive.due(before=date(2026, 1, 1)))

    with pytest.raises(ConflictError, match=r"archived; `memory restore 2025-01-29#2`"):
        memory.undo("1")
    assert not path.exists()
    memory.archive.restore(["2025-01-29#1", "2025-01-29#2", "2025-01-29#4"])
    memory.undo("1")

    assert path.read_bytes() == before


# ---------------------------------------------------------------------------- archived, imported


@pytest.fixture
def aged(memory: Memory, day_file: Callable[..., Path]) -> Memory:
    """A memory with a day of last year, and a deletion before all else."""
    day_file(DAY.replace("2026-01-29", "2025-01-29"), "2025-01-29.md")
    day_file(DAY)
    memory.delete(["2026-01-29#1"])
    return memory


def whole(memory: Memory) -> dict[str, bytes]:
    """Return the files of days, archive and live sessions."""
    root = Path(memory.workspace.save_root().path)
    return {
        str(path.relative_to(root)): path.read_bytes().rstrip()
        for folder in ("daily", "archive", "observations")
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
    }


def undo_and_redo(memory: Memory, action: str, before: dict[str, bytes]) -> Undone:
    """Undo the last change, which leaves what was before it; do it again, and undo that."""
    after = whole(memory)
    undone = memory.undo()
    assert undone.operation.action == action
    assert whole(memory) == before

    again = memory.undo(undone.redo[0])
    assert again.operation.undoes == undone.operation.id
    assert again.operation.is_undo
    assert whole(memory) == after

    assert memory.undo().operation.id == again.redo[0]
    assert whole(memory) == before
    return undone


def test_undo_takes_back_an_archiving_and_not_what_was_before_it(aged):
    aged.start("old")
    aged.log("决定用 redis", kind="decision", conversation="old")
    before = whole(aged)
    moved = aged.archive.store(aged.archive.due(before=date(2026, 1, 1)))
    assert moved.operation == "2"

    undone = undo_and_redo(aged, "archive", before)

    assert [new for _, new in undone.ids] == list(moved.ids)
    assert aged.undo().operation.action == "delete"


def test_what_was_observed_goes_into_the_archive_and_back(memory, clock):
    memory.start("c", host="claude")
    memory.log("the codeword is xylophonezz 木琴", kind="decision", conversation="c")
    memory.end("c")
    memory.start("silent")
    memory.end("silent")
    before = whole(memory)
    clock.now += timedelta(days=40)
    memory.archive.store(memory.archive.due(before=memory.today()))
    kept = {"observations/.gitignore", "observations/.signature"}
    assert {name for name in whole(memory) if not name.startswith("archive")} <= kept

    undo_and_redo(memory, "archive", before)

    assert "xylophonezz" in memory.observations.live("c").observations[0].text


def test_a_live_session_that_can_not_come_back_stays_in_the_archive(memory, clock):
    memory.start("c", host="claude")
    memory.log("the codeword is xylophonezz 木琴", kind="decision", conversation="c")
    memory.end("c")
    path = Path(memory.observations.live("c").path)
    clock.now += timedelta(days=40)
    memory.archive.store(memory.archive.due(before=memory.today()))
    path.parent.mkdir(parents=True)
    path.write_text("another one")

    assert "a different session now" in memory.undo().warnings[0]

    undone = memory.undo("2")
    assert undone.kept == ()
    assert "stays where it is" in undone.warnings[0]
    path.unlink()
    shutil.rmtree(memory.workspace.save_root().archive_folder + "/2026/observations")
    for id_ in ("3", "4"):
        assert memory.undo(id_).warnings == ()


def test_undo_takes_back_a_restoring(aged):
    aged.mark(["2025-01-29#4"], {"outdated": True})
    aged.archive.store(aged.archive.due(before=date(2026, 1, 1)))
    before = whole(aged)
    moved = aged.archive.restore(everything=True)

    undone = undo_and_redo(aged, "restore", before)

    assert [new for _, new in undone.ids] == list(moved.ids)


def test_an_important_section_goes_back_into_the_archive_that_it_came_from(aged):
    aged.archive.store(aged.archive.due(before=date(2026, 1, 1)))
    aged.archive.restore(["2025-01-29#2"])
    aged.mark(["2025-01-29#2"], {"important": True})

    aged.undo("3")

    assert "2025-01-29#2" not in ids(aged)
    assert "2025-01-29#2" in [str(one.session.id) for one in aged.sessions(archived=True)]


def test_what_is_gone_by_now_is_told_when_an_archiving_is_undone(aged):
    aged.archive.store(aged.archive.due(before=date(2026, 1, 1)))
    shutil.rmtree(aged.workspace.save_root().archive_folder)

    with pytest.raises(ConflictError, match="2025-01-29#1 is gone"):
        aged.undo()


def test_what_the_memory_archived_by_itself_is_one_step(aged):
    for day in ("2025-03-01", "2025-03-02"):
        aged.save({"topic": "缓存", "date": day})
    aged.save({"topic": "近来", "date": "2026-01-28"})
    before = whole(aged)
    config = Path(aged.workspace.global_root.config)
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('{"storage": {"retention_days": 90, "auto_archive": true}}')
    aged = aged.in_folder(aged.project)
    assert aged.archive.store_due() == ()
    assert whole(aged) != before

    undo_and_redo(aged, "archive", before)


SESSIONS = [
    {"topic": "缓存方案", "key_points": ["TTL 300 秒"], "date": "2025-06-01", "number": 1},
    {"topic": "login bug", "key_points": ["the cookie"], "date": "2026-01-29", "number": 9},
]


def test_undo_takes_back_an_import(aged):
    before = whole(aged)
    done = aged.import_sessions(SESSIONS)

    undone = undo_and_redo(aged, "import", before)

    assert [new for _, new in undone.ids] == list(done.ids)
    # It was not deleted: it may be imported again, under numbers of its own.
    assert len(aged.import_sessions(SESSIONS).ids) == 2


def test_what_was_changed_since_it_was_imported_stays(aged):
    first, second = aged.import_sessions(SESSIONS).ids
    aged.mark([first], {"important": True})
    aged.archive.store(aged.archive.due(before=date(2025, 2, 1)))

    undone = aged.undo("2")

    assert undone.ids == ((second, second),)
    assert undone.warnings == (f"{first} was changed since; `memory delete {first}` takes it out",)
    assert aged.get(first).session.is_important
    aged.undo("3")
    aged.undo("2")
    assert first not in ids(aged)


def test_what_was_archived_since_it_was_imported_stays(aged):
    first, second = aged.import_sessions(SESSIONS).ids
    aged.archive.store(aged.archive.due(before=date(2026, 1, 1)))

    undone = aged.undo("2")

    assert undone.warnings == (f"{first} is archived; `memory restore {first}` brings it back",)
    assert undone.ids == ((second, second),)


def test_what_is_gone_since_it_was_imported_is_no_obstacle(aged):
    before = whole(aged)
    aged.import_sessions(SESSIONS)
    for path in Path(aged.workspace.save_root().daily_folder).glob("2025-06-01.md"):
        path.unlink()

    assert aged.undo().kept == ()
    assert whole(aged) == before


def test_undo_takes_back_a_whole_memory_with_its_archive(aged, tmp_path):
    aged.archive.store(aged.archive.due(before=date(2026, 1, 1)))
    path = tmp_path / "memory.zip"
    path.write_bytes(aged.export_zip())
    (tmp_path / "other").mkdir()
    (tmp_path / "other-home").mkdir()
    other = Memory(tmp_path / "other", home=tmp_path / "other-home", environment={})
    other.import_files(str(path))
    after = whole(other)
    assert [name for name in after if name.startswith("archive")]

    undone = other.undo()

    assert {one.session.number for one in other.sessions(archived=True)} == {0}  # by hand
    assert not [name for name in whole(other) if name.startswith("archive")]
    other.undo(undone.redo[0])
    assert list(other.sessions(archived=True)) != []
    assert whole(other).keys() == after.keys()


def test_what_came_beside_the_sessions_is_told_to_stay(aged, tmp_path):
    root = Path(aged.workspace.save_root().path)
    for number in range(6):
        day = root / "observations" / f"2026-01-0{number + 1}"
        day.mkdir(parents=True)
        (day / "c.jsonl").write_text('{"session":"c"}\n')
    (root / "summary.md").write_text("# 摘要\n\n- 一条\n", encoding="utf-8")
    path = tmp_path / "memory.zip"
    path.write_bytes(aged.export_zip(with_observations=True))
    (tmp_path / "other").mkdir()
    (tmp_path / "other-home").mkdir()
    other = Memory(tmp_path / "other", home=tmp_path / "other-home", environment={})
    other.import_files(str(path))

    [told] = other.undo().warnings

    assert told.startswith("what came beside the sessions stays: observations/2026-01-01/c.jsonl, ")
    assert told.endswith(" and 2 more files")


def test_an_import_that_can_not_be_noted_is_told(memory, monkeypatch):
    def refuse(*_: object) -> None:
        raise BackendError("no room")

    monkeypatch.setattr(undo_files, "add", refuse)

    result = memory.import_sessions(SESSIONS)

    assert result.warnings == ("imported, but `memory undo` does not know of it: no room",)
    assert len(result.ids) == 2


def test_an_undo_of_two_days_that_was_killed_goes_on_and_can_be_undone(
    memory, day_file, monkeypatch
):
    first = day_file(DAY)
    second = day_file(DAY.replace("2026-01-29", "2026-01-28"), "2026-01-28.md")
    before = whole(memory)
    names = ["2026-01-28#2", "2026-01-29#2"]
    for name in names:
        memory.edit(name, memory.open(name).text.replace("缓存方案", "队列"))
    memory.mark(names, {"outdated": True})
    memory.undo("2")
    after = whole(memory)
    real = files.replace

    killed: list[str] = []

    def die(path, data, modes=files.PRIVATE, *, expected=None):
        if killed or path == str(second):
            killed.append(path)
            raise KeyboardInterrupt
        real(path, data, modes, expected=expected)

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", die)
        with pytest.raises(KeyboardInterrupt):
            memory.undo("3")
    assert first.read_bytes() != after["daily/2026-01-29.md"]

    undone = memory.undo("3")
    memory.undo(undone.redo[0])

    assert whole(memory) == after
    memory.undo()
    memory.undo("1")
    assert whole(memory) == before


def test_what_is_private_by_now_is_opened_by_no_undo_of_an_assistant(memory, day_file):
    path = day_file(DAY)
    memory.mark(["2026-01-29#2"], {"private": True})
    private = path.read_bytes()

    with pytest.raises(InvalidInputError, match="2026-01-29#2 would not be private any more"):
        memory.undo(opens_private=False)
    assert path.read_bytes() == private
    undone = memory.undo()
    assert path.read_text(encoding="utf-8") == DAY
    memory.undo(undone.redo[0], opens_private=False)

    assert path.read_bytes() == private


def test_the_mirror_follows_what_an_undo_moves(memory, clock):
    memory.config.set("mirror.enabled", True)
    memory.save({"topic": "木琴 xylophone"})
    clock.now += timedelta(days=40)
    memory.archive.store(memory.archive.due(before=memory.today()))
    assert memory.observations.search("xylophone").hits == ()

    memory.undo()

    assert memory.observations.search("xylophone").hits


def test_sections_of_a_day_that_is_gone_come_back_in_order_of_their_numbers(memory, day_file):
    two = "## Session 2\n### Topic\ntwo\n\n---\n\n"
    path = day_file(f"# 2026-01-29\n\n{two}{two.replace('two', 'copy')}## Session 1\n\nfirst\n")
    memory.delete([str(one.session.id) for one in memory.sessions()])
    path.unlink()

    memory.undo()

    topics = [(one.session.number, one.session.topic) for one in memory.sessions()]
    assert topics == [(1, ""), (2, "two"), (3, "copy")]
