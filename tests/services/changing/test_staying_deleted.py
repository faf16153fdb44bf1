"""What was deleted stays deleted: no import, hook or save brings it back by itself."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from daily_memory import BackendError, Memory
from daily_memory.core.format.session_json import format_session
from daily_memory.model import Session
from daily_memory.services.writing import deleted_sections, live, save
from daily_memory.storage import archive_files, deleted, observations, pending_saves
from daily_memory.storage.fs import files
from tests.conftest import NOW
from tests.conversations import (
    CHINESE,
    ENGLISH,
    add_claude_mem,
    add_cursor,
    add_observation,
    add_prompts,
    add_trae_mem,
    claude_lines,
    make_claude_mem,
    make_cursor,
    make_trae_mem,
    write_lines,
)

UUID = "0b9e2b61-6c1f-4b39-9d55-0c3c1f8a7e21"
MESSAGES = [{"role": role, "content": text} for role, text in CHINESE]
NOTE = "---\ntitle: 缓存设计\n---\n\n会话放在 Redis，TTL 300 秒。\n\nKeep one pool per worker.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def memory(tmp_path: Path, home: Path, clock) -> Memory:
    """The memory of a project, with an environment in which nothing is moved."""
    (tmp_path / "app").mkdir()
    home.mkdir()
    return Memory(tmp_path / "app", home=home, clock=clock, environment={})


def root(memory: Memory) -> Path:
    return Path(memory.workspace.save_root().path)


def ids(memory: Memory) -> list[str]:
    return [str(found.session.id) for found in memory.sessions()]


def claude(home: Path, folder: object, name: str = "S1", said=CHINESE) -> Path:
    path = home / ".claude" / "projects" / "slug" / f"{name}.jsonl"
    return write_lines(path, claude_lines(said, name, folder))


# ---------------------------------------------------------------------------- imports


def from_claude(home: Path, folder: Path) -> None:
    claude(home, folder)


def from_cursor(home: Path, folder: Path) -> None:
    database = make_cursor(home / ".config" / "Cursor" / "User")
    where = {"workspaceIdentifier": {"uri": {"fsPath": str(folder)}}}
    add_cursor(database, "S1", CHINESE, **where)
    database.commit()
    database.close()


def from_claude_mem(home: Path, folder: Path) -> None:
    database = make_claude_mem(home / ".claude-mem" / "claude-mem.db")
    add_claude_mem(database, "S1", folder.name)
    add_prompts(database, "S1", "加一个缓存", "TTL in seconds?", "压测一下")
    database.close()


def from_trae_mem(home: Path, folder: Path) -> None:
    database = make_trae_mem(home / ".trae-mem" / "trae_mem.sqlite3")
    rows = [("user", text) for role, text in CHINESE if role == "user"]
    add_trae_mem(database, "S1", folder, *rows, ("decision", "TTL 定为 300 秒"))
    database.close()


def from_notes(home: Path, folder: Path) -> None:
    path = home / "notes" / "cache.md"
    path.parent.mkdir()
    path.write_text(NOTE, encoding="utf-8")


@pytest.fixture(
    params=[
        ("claude", from_claude),
        ("cursor", from_cursor),
        ("claude-mem", from_claude_mem),
        ("trae-mem", from_trae_mem),
        ("notes", from_notes),
    ],
    ids=lambda param: param[0],
)
def host(request, memory, home, tmp_path) -> tuple[str, list[str]]:
    """A program that kept one conversation or note, which was imported once; and its place."""
    name: str
    make: Callable[[Path, Path], None]
    name, make = request.param
    make(home, tmp_path / "app")
    places = [str(home / "notes")] if name == "notes" else []
    assert len(memory.import_from(name, places).ids) == 1
    return name, places


def test_an_import_leaves_out_what_was_deleted_and_brings_it_in_when_asked_to(memory, host):
    said = [found.session.topic for found in memory.sessions()]
    memory.delete(ids(memory))

    for dry_run in (True, False):
        result = memory.import_from(*host, dry_run=dry_run)
        assert (result.sessions, result.ids, result.present, result.deleted) == ((), (), 0, 1)
    assert ids(memory) == []

    again = memory.import_from(*host, again=True)

    assert (len(again.ids), again.deleted) == (1, 0)
    assert [found.session.topic for found in memory.sessions()] == said
    # It was wanted: from now on it is there like any other.
    after = memory.import_from(*host)
    assert (after.ids, after.present, after.deleted) == ((), 1, 0)


def test_what_an_undo_brought_back_is_there_already(memory, host):
    memory.delete(ids(memory))
    memory.undo()

    result = memory.import_from(*host)

    assert (result.ids, result.present, result.deleted) == ((), 1, 0)


def test_it_stays_deleted_when_undo_and_journal_have_forgotten_it(memory, home, tmp_path, clock):
    claude(home, tmp_path / "app")
    memory.import_from("claude")
    memory.delete(ids(memory))
    clock.now += timedelta(days=400)
    for _ in range(21):
        memory.delete([memory.add("用完即弃").id])

    assert memory.import_from("claude").deleted == 1


def test_what_one_memory_deleted_no_other_takes_in(memory, home, tmp_path):
    claude(home, tmp_path / "app")
    memory.import_from("claude", all_projects=True)
    memory.delete(ids(memory))

    assert memory.import_from("claude").deleted == 1
    assert memory.import_from("claude", all_projects=True).deleted == 1


def test_only_what_is_named_comes_again(memory, home, tmp_path):
    first = claude(home, tmp_path / "app")
    claude(home, tmp_path / "app", "S2", ENGLISH)
    memory.import_from("claude")
    memory.delete(ids(memory))

    assert memory.import_from("claude", [str(first)]).deleted == 1
    assert len(memory.import_from("claude", [str(first)], again=True).ids) == 1
    left = memory.import_from("claude")
    assert (left.ids, left.present, left.deleted) == ((), 1, 1)


def test_what_a_session_of_trae_mem_said_since_is_left_out_too(memory, home, tmp_path):
    from_trae_mem(home, tmp_path / "app")
    memory.import_from("trae-mem")
    memory.delete(ids(memory))
    database = sqlite3.connect(home / ".trae-mem" / "trae_mem.sqlite3")
    add_observation(database, "more", "S1", "decision", "the pool has 20 connections")
    database.close()

    assert memory.import_from("trae-mem").deleted == 1
    again = memory.import_from("trae-mem", again=True)

    (found,) = memory.sessions()
    assert len(again.ids) == 1
    assert "the pool has 20 connections" in found.session.decisions
    assert len(memory.observations.live("S1").observations) == again.observations


def test_what_was_merged_into_another_stays_merged(memory, home, tmp_path):
    claude(home, tmp_path / "app")
    memory.import_from("claude")
    (imported,) = memory.sessions()
    saved = memory.save(format_session(imported.session._replace(conversation="", number=0)))
    (pair,) = memory.cleanup.duplicates()
    memory.cleanup.merge([pair])
    assert len(ids(memory)) == 1
    assert saved.id

    assert memory.import_from("claude").deleted == 1


def test_a_backup_that_somebody_imports_brings_back_what_it_has(memory, tmp_path):
    memory.save({"topic": "缓存", "key_points": ["TTL 300"], "conversation": "c"})
    backup = tmp_path / "backup.json"
    backup.write_text("".join(memory.export()), encoding="utf-8")
    memory.delete(ids(memory))
    assert memory.save({"messages": MESSAGES, "conversation": "c"}).skipped

    told = memory.import_files([str(backup)], dry_run=True)
    result = memory.import_files([str(backup)])

    assert (len(told.ids), told.returned) == (len(result.ids), result.returned) == (1, 1)
    assert memory.import_files([str(backup)]).returned == 0
    # It is known as wanted again, so that its conversation can go on.
    assert memory.save({"messages": MESSAGES, "conversation": "c"}).id


def test_a_note_of_what_was_deleted_that_can_not_be_changed_is_a_warning(memory, monkeypatch):
    saved = memory.save({"topic": "缓存", "conversation": "c"})
    (session,) = [found.session for found in memory.sessions()]
    memory.delete([saved.id])

    def full(path: str, *_: object, **__: object) -> None:
        raise BackendError(f"can't write {path!r}: no space left on device")

    monkeypatch.setattr(files, "replace", full)

    (warning,) = deleted_sections.lift_deletions(memory.workspace.save_root(), [session])

    assert warning.startswith("brought back, but still known as deleted: can't write")


# ---------------------------------------------------------------------------- saves and hooks


def test_a_conversation_that_was_deleted_is_not_saved_again_as_a_whole(memory):
    saved = memory.save({"messages": MESSAGES, "conversation": "c"})
    memory.delete([saved.id])

    result = memory.save({"messages": MESSAGES, "conversation": "c"})

    assert (result.id, result.skipped) == ("", save.DELETED)
    assert ids(memory) == []
    assert memory.save({"messages": MESSAGES}).id == "2026-01-29#2"


def test_the_same_text_is_not_saved_again_and_another_one_is(memory):
    session = {"topic": "缓存", "key_points": ["TTL 300"], "conversation": "c"}
    memory.delete([memory.save(session).id])

    again = memory.save(session)
    other = memory.save({**session, "key_points": ["the pool has 20 connections"]})

    assert (again.skipped, other.id) == (save.DELETED, "2026-01-29#2")


@pytest.mark.parametrize("is_archived", [False, True])
def test_what_git_or_a_person_put_back_goes_on(memory, day_file, clock, is_archived):
    saved = memory.save({"messages": MESSAGES, "conversation": "c"})
    before = day_file().read_bytes()
    memory.delete([saved.id])
    assert memory.save({"messages": MESSAGES, "conversation": "c"}).skipped

    day_file(before)
    if is_archived:
        clock.now += timedelta(days=100)
        assert memory.archive.store(memory.archive.due(before=clock.now.date())).ids == (saved.id,)

    assert memory.save({"messages": MESSAGES, "conversation": "c"}).id == saved.id
    assert ids(memory) == [saved.id]


def archive_again(memory: Memory, day_file: Callable[..., Path]) -> Path:
    """Delete a session that somebody else archives at the same time; return its archive."""
    saved = memory.save({"topic": "缓存", "conversation": "c", "tags": ["x"]})
    before = day_file().read_bytes()
    memory.delete([saved.id])
    path = Path(archive_files.day_path(memory.workspace.save_root(), NOW.date()))
    path.parent.mkdir(parents=True)
    path.write_bytes(archive_files.pack(before))
    return path


def told(memory: Memory) -> list[str]:
    (report,) = memory.doctor(scope="project").values()
    return [str(remark) for remark in report.remarks]


def test_what_came_back_in_the_archive_is_told(memory, day_file, clock):
    path = archive_again(memory, day_file)
    other = path.with_name("2026-01-28.md.gz")
    other.write_bytes(path.read_bytes())

    assert told(memory) == [
        f"{path}: 2026-01-29#1 was deleted here, and came back in the archive; to delete it there"
        " too, bring it into its day first: `memory restore 2026-01-29#1`"
    ]

    memory.archive.restore(["2026-01-29#1"])
    assert told(memory) == []
    clock.now += timedelta(days=100)
    memory.archive.store(memory.archive.due(before=clock.now.date()))
    # It was wanted: nobody is told again.
    assert told(memory) == []


def test_what_stands_in_its_day_or_is_another_did_not_come_back_in_the_archive(memory, day_file):
    path = archive_again(memory, day_file)
    data = archive_files.unpack(path.read_bytes(), str(path))
    path.write_bytes(archive_files.pack(data.replace("缓存".encode(), "部署".encode())))
    assert told(memory) == []
    path.write_bytes(archive_files.pack(data))
    day_file(data)
    assert told(memory) == []


def test_what_can_not_be_read_is_told_as_such(memory, day_file):
    path = archive_again(memory, day_file)
    path.write_bytes(b"no gzip")
    assert told(memory) == []
    noted = root(memory) / "index" / "deleted.jsonl"
    noted.unlink()
    noted.mkdir()
    (message,) = told(memory)
    assert str(noted) in message


def talk(memory: Memory, *texts: str) -> None:
    for text in texts:
        memory.log(text, kind="decision", conversation="c")


def test_a_live_session_that_goes_on_holds_what_is_new_alone(memory):
    memory.start("c", host="cursor")
    talk(memory, "用 xylophonezz 做缓存")
    memory.delete([memory.end("c").id])

    talk(memory, "决定把 TTL 改成 600 秒")
    ended = memory.end("c")

    assert ended.id == "2026-01-29#2"
    (found,) = memory.sessions()
    assert "xylophonezz" not in str(found.session)
    assert "600" in str(found.session)


def test_what_is_deleted_while_it_is_digested_does_not_come_back(memory, clock):
    memory.start("c", host="cursor")
    talk(memory, "用 xylophonezz 做缓存")
    first = memory.end("c")
    talk(memory, "决定把 TTL 改成 600 秒")
    path = memory.observations.live("c").path

    def improve(made: Session, _text: str) -> tuple[Session, tuple[str, ...]]:
        clock.now += timedelta(seconds=20)
        memory.delete([first.id])
        return made, ()

    began = live.DigestContext(memory.settings, clock.now, improve)
    root = memory.workspace.save_root()
    observations.append(root, path, observations.format_line(ended="ended"))
    ended = live.settle(root, path, began)
    assert (ended.id, ended.skipped) == ("", save.DELETED)
    assert ids(memory) == []

    assert not observations.is_settled(path)

    later = live.settle(root, path, began._replace(now=clock.now, improve=keep))

    assert later.id == "2026-01-29#2"
    (found,) = memory.sessions()
    assert "xylophonezz" not in str(found.session)
    assert "600" in str(found.session)


def keep(made: Session, _text: str) -> tuple[Session, tuple[str, ...]]:
    return made, ()


def test_what_was_observed_before_goes_with_what_was_saved_of_it(memory):
    memory.start("c", host="cursor")
    talk(memory, "用 xylophonezz 做缓存")
    saved = memory.save({"topic": "xylophonezz", "messages": MESSAGES, "conversation": "c"})
    memory.delete([saved.id])

    assert memory.observations.live("c").observations == ()
    assert memory.end("c").skipped == "nothing was said"
    talk(memory, "决定把 TTL 改成 600 秒")
    assert memory.end("c").id == "2026-01-29#2"
    (found,) = memory.sessions()
    assert "xylophonezz" not in str(found.session)

    memory.delete([str(found.session.id)])
    memory.undo()
    memory.undo()

    assert [one.text for one in memory.observations.live("c").observations] == [
        "用 xylophonezz 做缓存",
        "决定把 TTL 改成 600 秒",
    ]


def test_what_another_section_holds_stays_observed(memory, clock):
    memory.save({"topic": "imported before", "conversation": "c"})
    clock.now += timedelta(minutes=1)
    memory.start("c", host="cursor")
    talk(memory, "用 Redis 做缓存")
    live = memory.end("c")
    talk(memory, "决定把 TTL 改成 600 秒")

    memory.delete(["2026-01-29#1"])

    assert len(memory.observations.live("c").observations) == 2
    assert memory.end("c").id == live.id


def test_what_a_section_holds_by_now_is_not_taken_for_another(memory):
    memory.start("c")
    talk(memory, "用 Redis 做缓存")
    memory.end("c")
    path = memory.observations.live("c").path

    assert observations.digested_ranges(path, files.read_bytes(path), "2026-01-29#7") == []


def test_half_a_line_at_the_end_is_observed_too(tmp_path):
    line = b'{"at":"2026-01-29T10:30:46+08:00","kind":"note","text":"TTL"}'

    assert observations.digested_ranges("c.jsonl", line, "2026-01-29#1") == [(0, len(line))]


def test_what_waits_for_the_lock_is_not_saved_after_its_conversation_was_deleted(memory, clock):
    saved = memory.save({"topic": "before", "conversation": "c"})
    place = memory.workspace.save_root()
    for name, conversation in (("longer", "c"), ("another", "d"), ("none", "")):
        waiting = Session(NOW.date(), topic=name, conversation=conversation)
        pending_saves.add(place, format_session(waiting), NOW)
    clock.now += timedelta(minutes=1)
    memory.delete([saved.id])
    pending_saves.add(
        place,
        format_session(Session(NOW.date(), topic="since", conversation="c")),
        NOW + timedelta(minutes=2),
    )

    warnings = memory.add("a note").warnings

    assert f"a queued session was not saved: {save.DELETED}" in warnings
    topics = {found.session.topic for found in memory.sessions()}
    assert topics == {"another", "none", "since", "a note"}
    assert pending_saves.list_waiting(place) == []


# ---------------------------------------------------------------------------- what is kept


def lines(memory: Memory) -> list[dict[str, object]]:
    data = (root(memory) / "index" / "deleted.jsonl").read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def test_what_is_noted_has_no_word_of_it(memory):
    memory.save({"topic": "离婚 divorce", "conversation": "notes/离婚 divorce"})
    memory.delete(ids(memory))

    (line,) = lines(memory)

    assert set(line) == {"at", "id", "conversation", "digests"}
    data = (root(memory) / "index" / "deleted.jsonl").read_bytes()
    assert "离婚".encode() not in data
    assert b"divorce" not in data


def test_of_what_is_purged_a_random_id_alone_is_known(memory, home, tmp_path):
    claude(home, tmp_path / "app", UUID)
    from_notes(home, tmp_path)
    memory.import_from("claude")
    memory.import_from("notes", [str(home / "notes")])
    names = {found.session.source: str(found.session.id) for found in memory.sessions()}
    memory.delete([names["notes"]])

    memory.deletion.purge(
        memory.deletion.traces(memory.deletion.choose([names["claude"]]), [names["notes"]])
    )

    noted = {line["id"]: set(line) for line in lines(memory)}
    assert noted == {
        names["claude"]: {"at", "id", "conversation", "purged"},
        names["notes"]: {"at", "id", "purged"},
    }
    # Nobody can guess it: so it can be kept out, and the name of a note can not.
    assert memory.import_from("claude").deleted == 1
    assert len(memory.import_from("notes", [str(home / "notes")]).ids) == 1


def test_what_can_not_be_undone_any_more_can_still_be_purged(memory):
    memory.save({"topic": "离婚", "conversation": "离婚"})
    memory.delete(ids(memory))
    shutil.rmtree(root(memory) / "index" / "undo")
    (root(memory) / "index" / "journal.jsonl").unlink()

    (target,) = memory.deletion.traces((), ["2026-01-29#1"])
    memory.deletion.purge([target])

    assert target.places == ("deleted sessions",)
    assert [set(line) for line in lines(memory)] == [{"at", "id", "purged"}]


def test_a_purge_takes_what_was_observed_of_what_was_saved(memory):
    memory.start("c", host="cursor", meta={"title": "xylophonezz"})
    talk(memory, "the codeword is xylophonezz")
    saved = memory.save({"topic": "xylophonezz", "conversation": "c"})

    purged = memory.deletion.purge(memory.deletion.traces(memory.deletion.choose([saved.id])))

    assert purged.elsewhere == ()
    assert b"xylophonezz" not in Path(memory.observations.live("c").path).read_bytes()


@pytest.mark.parametrize("is_purged", [False, True])
def test_a_number_is_never_given_again(memory, clock, is_purged):
    memory.add("one")
    second = memory.add("two")
    if is_purged:
        memory.deletion.purge(memory.deletion.traces(memory.deletion.choose([second.id])))
    else:
        memory.delete([second.id])
    # The journal keeps 14 days, and as many records however old they are.
    (root(memory) / "index" / "journal.jsonl").unlink()

    assert memory.add("three").id == "2026-01-29#3"


def test_a_number_that_was_refused_is_never_given_again(memory):
    memory.add("one")
    memory.start("c", host="cursor")
    talk(memory, "用 Redis 做缓存")
    assert memory.end("c").id == "2026-01-29#2"
    memory.log("不要保存这次对话", kind="user", conversation="c")
    assert memory.end("c").skipped
    (root(memory) / "index" / "journal.jsonl").unlink()

    assert memory.add("three").id == "2026-01-29#3"


def test_the_number_stays_known_where_an_undo_gave_another_one(memory):
    memory.add("one")
    memory.delete([memory.add("two").id])
    memory.undo()

    assert lines(memory) == [{"at": lines(memory)[0]["at"], "id": "2026-01-29#2"}]


def test_a_line_that_can_not_be_read_is_passed_over(memory):
    memory.save({"topic": "one", "conversation": "c"})
    memory.delete(ids(memory))
    path = root(memory) / "index" / "deleted.jsonl"
    path.write_bytes(b'[]\n{"at": 1}\n' + path.read_bytes() + b'{"half')

    assert len(deleted.load(memory.workspace.save_root())) == 1
    memory.save({"topic": "two", "conversation": "d"})
    memory.delete(ids(memory))
    assert len(deleted.load(memory.workspace.save_root())) == 2


def test_what_can_not_be_read_keeps_nobody_from_saving(memory, home, tmp_path):
    path = root(memory) / "index" / "deleted.jsonl"
    path.mkdir(parents=True)

    assert memory.save({"topic": "one", "conversation": "c"}).id == "2026-01-29#1"
    assert memory.import_sessions([{"topic": "two"}]).returned == 0

    # What comes by itself waits until it is known what was deleted.
    claude(home, tmp_path / "app")
    with pytest.raises(BackendError, match=r"deleted\.jsonl"):
        memory.import_from("claude")
    path.rmdir()
    assert len(memory.import_from("claude").ids) == 1


def test_an_import_gives_the_number_of_a_deleted_session_to_no_other(memory, tmp_path):
    memory.save({"topic": "一 one"})
    memory.save({"topic": "二 two"})
    backup = tmp_path / "backup.json"
    backup.write_text("".join(memory.export("json")), encoding="utf-8")
    memory.delete(["2026-01-29#2"])
    other = {"topic": "另一个 other", "date": "2026-01-29", "session": 2}

    assert memory.import_sessions([other]).renumbered == (("2026-01-29#2", "2026-01-29#3"),)
    assert memory.import_files([str(backup)]).ids == ("2026-01-29#2",)

    topics = {found.session.number: found.session.topic for found in memory.sessions()}
    assert topics == {1: "一 one", 2: "二 two", 3: "另一个 other"}


# ------------------------------------------------------------------------ a wrong clock


@pytest.fixture
def ahead(memory, clock) -> str:
    """A conversation whose section was deleted while the clock was ten years ahead."""
    saved = memory.save({"topic": "缓存方案", "conversation": "c"})
    now = clock.now
    clock.now = now.replace(year=2036)
    memory.delete([saved.id])
    clock.now = now + timedelta(minutes=1)
    return str(saved.id)


def test_a_deletion_by_a_clock_that_was_ahead_does_not_mute_its_conversation(memory, ahead):
    again = memory.save({"topic": "缓存方案", "conversation": "c"})
    more = memory.save({"topic": "下一步 next", "conversation": "c"})

    assert again.skipped == save.DELETED
    assert (more.skipped, more.id != ahead) == ("", True)


def test_nor_a_live_session(memory, ahead):
    memory.start("c")
    memory.log("决定用 redis", kind="decision", conversation="c")

    ended = memory.end("c")

    assert ended.id not in ("", ahead)


def test_nor_what_waits_in_the_spool_but_for_what_was_deleted(memory, clock, ahead):
    for topic in ("缓存方案", "下一步 next"):
        session = Session(clock.now.date(), time="10:30:45", topic=topic, conversation="c")
        fields = format_session(save.completed(session))
        pending_saves.add(memory.workspace.save_root(), fields, clock.now)

    memory.save({"topic": "another one"})

    topics = [one.session.topic for one in memory.sessions()]
    assert topics == ["下一步 next", "another one"]
