"""Purge: afterwards no file of the root has a word of what went."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from daily_memory import BackendError, ConflictError, InvalidInputError, Memory, NotFoundError
from daily_memory.errors import DamagedDataError
from daily_memory.frontends import json_shapes
from daily_memory.services.changing import purge as purging
from daily_memory.services.reading import mirror
from daily_memory.storage import archive_files as packing
from daily_memory.storage import (
    hook_log,
    journal,
    mirror_db,
    observations,
    pending_saves,
    undo_files,
)
from daily_memory.storage.fs import files
from daily_memory.storage.index import indexer, lookup

WORDS = ("xylophonezz", "木琴敲击")
TEXT = {
    "topic": "xylophonezz 木琴敲击",
    "key_points": ["the codeword is xylophonezz", "木琴敲击声是暗号"],
    "date": "2026-01-29",
}


def everything(memory: Memory) -> bytes:
    """Return the bytes of all files below the root, what is packed also unpacked."""
    found = b""
    for path in Path(memory.workspace.save_root().path).rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            found += data + (gzip.decompress(data) if path.suffix == ".gz" and data else b"")
    return found


def is_traceless(memory: Memory) -> bool:
    data = everything(memory)
    return not any(word.encode() in data for word in WORDS)


def purge(memory: Memory, *ids: str) -> purging.Purged:
    return memory.deletion.purge(memory.deletion.traces((), ids))


@pytest.fixture(params=[False, True])
def secret(request, memory) -> str:
    """A section of a live session that stands in many places, with the mirror off and on."""
    memory.setup.init()
    memory.config.set("mirror.enabled", request.param)
    memory.save({"topic": "another one", "key_points": ["of other words"], "date": "2026-01-29"})
    memory.start("c", meta={"title": "xylophonezz"})
    memory.log("the codeword is xylophonezz 木琴敲击", kind="decision", conversation="c")
    id_ = str(memory.end("c").id)
    memory.observations.search("xylophonezz")
    memory.mark([id_], {"important": True})
    memory.edit(id_, memory.open(id_).text.replace("codeword", "secret"))
    return id_


@pytest.mark.parametrize("is_deleted", [False, True])
def test_nothing_is_left_of_what_is_purged(memory, secret, is_deleted):
    if is_deleted:
        memory.delete([secret])
    assert not is_traceless(memory)

    purged = purge(memory, secret)

    assert is_traceless(memory)
    assert [one.id for one in purged.targets] == [secret]
    assert purged.elsewhere == ()
    assert [one.session.topic for one in memory.sessions()] == ["another one"]
    assert memory.operations() == []
    (report,) = memory.doctor(scope="project", restore=True).values()
    assert (report.faults, report.mended) == ((), ())
    # Its number is not given again.
    assert memory.save({"topic": "next"}).id == "2026-01-29#3"
    assert memory.search("another one").hits[0].session.number == 1


def renumbered(path: Path, old: int, new: int) -> str:
    """Give a section another number, as a merge does; return its id."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"## Session {old} ", f"## Session {new} "), encoding="utf-8")
    return f"{path.stem}#{new}"


def test_nothing_is_left_under_the_number_that_it_had_before_a_merge(memory, secret, day_file):
    new = renumbered(day_file(), int(secret.partition("#")[2]), 7)
    memory.mark([new], {"outdated": True})

    purged = purge(memory, new)

    assert is_traceless(memory)
    assert purged.elsewhere == ()
    assert memory.operations() == []


@pytest.mark.parametrize("is_archived", [False, True])
def test_whoever_got_its_number_takes_nothing_of_it_along(memory, day_file, clock, is_archived):
    memory.start("c")
    memory.log("the codeword is xylophonezz 木琴敲击", kind="decision", conversation="c")
    mine = memory.end("c").id
    new = renumbered(day_file(), 1, 7)
    other = {"topic": "other", "conversation": "d", "date": "2026-01-29", "session": 1}
    assert memory.import_sessions([other]).ids == (mine,)
    clock.now += timedelta(days=1)
    if is_archived:
        memory.archive.store(memory.archive.due(before=memory.today()))
    [path] = Path(memory.workspace.save_root().path).glob("**/c.jsonl*")
    before = path.read_bytes()

    purge(memory, mine)
    assert path.read_bytes() == before
    purge(memory, new)

    assert is_traceless(memory)
    assert path.read_bytes() != before


def test_a_line_that_stands_elsewhere_in_json_is_told(memory):
    said = {"topic": "木琴敲击", "key_points": ["木琴敲击声是暗号"]}
    saved = memory.save(said)
    memory.delete([memory.save({**said, "date": "2026-01-28", "tags": ["twin"]}).id])

    purged = purge(memory, saved.id)

    assert [place.partition(":")[0] for place in purged.elsewhere] == [
        "index/journal.jsonl",
        "index/undo/000001-20260129T023045Z.json.gz",
    ]


def test_its_places_are_told(memory):
    saved = memory.save(TEXT)
    memory.mark([saved.id], {"important": True})

    (target,) = memory.deletion.traces(memory.deletion.choose([saved.id]))

    assert target.topic == TEXT["topic"]
    assert target.places == ("day", "undo store", "journal")
    answer = json_shapes.purged(memory.deletion.purge([target]))
    assert answer["purged"] == [saved.id]
    assert answer["places"] == {saved.id: list(target.places)}


def test_what_nothing_knows_is_not_found(memory):
    memory.save({"topic": "one"})
    with pytest.raises(NotFoundError):
        memory.deletion.traces((), ["2026-01-29#7"])
    with pytest.raises(InvalidInputError):
        memory.deletion.traces((), ["../x"])
    assert memory.deletion.purge(()) == purging.Purged(())


def archive(memory: Memory, name: str, data: bytes) -> Path:
    path = Path(memory.workspace.save_root().path) / "archive" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0))
    return path


def test_it_leaves_the_archive(memory):
    saved = memory.save(TEXT)
    day = Path(saved.path)
    other = b"\n## Session 5 - 10:00\n### Topic\nkept\n\n---\n"
    path = archive(memory, "2026/2026-01-29.md.gz", day.read_bytes() + other)
    day.unlink()

    purge(memory, saved.id)

    assert is_traceless(memory)
    assert b"kept" in gzip.decompress(path.read_bytes())
    assert path.read_bytes() == packing.pack(gzip.decompress(path.read_bytes()))


def test_an_archived_day_of_which_only_the_title_is_left_goes(memory):
    saved = memory.save(TEXT)
    path = archive(memory, "2026/2026-01-29.md.gz", Path(saved.path).read_bytes())

    purge(memory, saved.id)

    assert not path.exists()
    assert is_traceless(memory)


def test_a_damaged_archive_is_told_of_and_nothing_is_purged(memory):
    saved = memory.save(TEXT)
    path = archive(memory, "2026/2026-01-29.md.gz", b"")
    for data in (b"no gzip", gzip.compress(b"## Session 1\n" * 9)[:-9]):
        path.write_bytes(data)
        with pytest.raises(DamagedDataError, match="is damaged"):
            purge(memory, saved.id)

    assert memory.get(saved.id)


def test_archived_observations_go_as_well(memory, secret):
    live = memory.observations.live("c")
    data = Path(live.path).read_bytes()
    path = archive(memory, "2026/observations/2026-01-29/c.jsonl.gz", data)
    other = archive(
        memory, "2026/observations/2026-01-29/d.jsonl.gz", b'{"digested":"2026-01-28#1"}\n'
    )
    other.with_name("link.jsonl.gz").symlink_to(other)

    purge(memory, secret)

    assert is_traceless(memory)
    assert len(gzip.decompress(path.read_bytes())) == len(data)


def test_of_a_conversation_with_two_sections_the_other_keeps_its_own(memory, secret):
    path = memory.observations.live("c").path
    memory.log("of the other section", kind="decision", conversation="c")
    with open(path, "a", encoding="utf-8") as file:
        file.write(observations.format_line(digested="2026-01-29#9"))

    purge(memory, secret)

    assert [one.text for one in memory.observations.live("c").observations] == [
        "of the other section"
    ]


def test_a_live_session_that_ends_without_a_line_break_is_blanked(tmp_path):
    data = b'{"at":"2026-01-29T10:30:46+08:00","kind":"user","text":"x"}'

    assert observations.text_ranges("c.jsonl", data) == [(0, len(data))]


def test_what_waits_for_the_lock_and_what_was_kept_of_conflicts_goes(memory, clock):
    saved = memory.save(TEXT)
    root = memory.workspace.save_root()
    pending_saves.add(root, dict(TEXT), clock.now)
    kept = pending_saves.add(root, {"topic": "waits", "date": "2026-01-29"}, clock.now)
    pending_saves.add(root, {"topic": 7}, clock.now)
    backup = Path(root.index_folder) / "backup"
    (backup / "2026-01-29-9.md").mkdir(parents=True)
    (backup / "2026-01-29-1.md").write_bytes(Path(saved.path).read_bytes())
    (backup / "2026-01-29-2.md").write_text("other words")

    purge(memory, saved.id)

    assert is_traceless(memory)
    assert sorted(path.name for path in backup.iterdir()) == ["2026-01-29-2.md", "2026-01-29-9.md"]
    assert [one.session.topic for one in memory.sessions()] == ["waits"]
    assert kept not in pending_saves.list_waiting(root)
    assert len(pending_saves.list_waiting(root)) == 1  # what can't be saved


@pytest.mark.parametrize(
    "waiting",
    [
        {"conversation": "c"},
        {"conversation": "c", "key_points": ["the codeword is xylophonezz", "and 木琴敲击 again"]},
        {
            "conversation": "c",
            "date": "2026-01-30",
            "topic": "it goes on",
            "key_points": ["木琴敲击"],
        },
        {"conversation": "another"},
        {"number": 7, "time": "23:00:00", "tags": ["music"]},
        {"key_points": ["the codeword is xylophonezz"]},
        {"key_points": [], "decisions": ["木琴敲击声是暗号"]},
    ],
)
def test_what_waits_of_it_does_not_come_back_with_the_next_save(memory, clock, waiting):
    saved = memory.save({**TEXT, "conversation": "c"})
    pending_saves.add(memory.workspace.save_root(), {**TEXT, **waiting}, clock.now)

    purge(memory, saved.id)
    memory.save({"topic": "another one", "date": "2026-01-29"})

    assert is_traceless(memory)
    assert [one.session.topic for one in memory.sessions()] == ["another one"]


def test_what_waits_and_says_more_is_saved_and_told_of(memory, clock):
    saved = memory.save(TEXT)
    more: dict[str, object] = {
        **TEXT,
        "topic": "another one",
        "key_points": [TEXT["key_points"][0], "其它 words"],
    }
    pending_saves.add(memory.workspace.save_root(), more, clock.now)

    purged = purge(memory, saved.id)

    assert pending_saves.list_waiting(memory.workspace.save_root()) == []
    assert [str(one.session.id) for one in memory.sessions()] == ["2026-01-29#2"]
    assert "daily/2026-01-29.md:9" in purged.elsewhere


def test_the_log_of_the_hooks_and_what_a_kill_left_go(memory, clock):
    saved = memory.save(TEXT)
    root = memory.workspace.save_root()
    hook_log.add(root, "digest: the codeword is xylophonezz, twice: xylophonezz", clock.now)
    hook_log.add(root, "digest: 木琴敲击声是暗号 of 2026-01-29#1", clock.now)
    hook_log.add(root, "something else", clock.now)
    for folder in ("", "daily", "index/undo", "archive/2026"):
        path = Path(root.path) / folder / "x.md.tmp-4711"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("the codeword is xylophonezz")

    purge(memory, saved.id)

    log = Path(hook_log.log_path(root)).read_text(encoding="utf-8")
    assert "the codeword is xylophonezz" not in log
    assert "木琴敲击声是暗号" not in log
    assert "something else" in log
    assert not list(Path(root.path).rglob("*.tmp-*"))


def test_what_others_say_as_well_is_told(memory):
    memory.setup.init()
    saved = memory.save(TEXT)
    root = Path(memory.workspace.save_root().path)
    (root / "summary.md").write_text("# 摘要\n\n- the codeword is xylophonezz\n", encoding="utf-8")
    (root / "archive.gz").write_bytes(b"no gzip")

    purged = purge(memory, saved.id)

    assert purged.elsewhere == ("summary.md:3",)


def test_git_is_told_of_where_there_is_one(memory):
    saved = memory.save(TEXT)
    subprocess.run(["git", "init", "-q", memory.project], check=True)

    other = b"## Session 5\n### Topic\nkept\n\n---\n"
    archive(memory, "2026/2026-01-29.md.gz", other)
    (command,) = purge(memory, saved.id).repositories

    assert command.endswith(" daily/2026-01-29.md archive/2026/2026-01-29.md.gz")
    assert command.startswith(
        f"git -C {memory.workspace.save_root().path} log --all --oneline -- daily/"
    )


def test_a_purge_that_was_killed_is_ended_by_the_next(memory, secret, monkeypatch):
    root = memory.workspace.save_root()
    targets = memory.deletion.traces((), [secret])

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(lookup, "purge", die)
        with pytest.raises(KeyboardInterrupt):
            memory.deletion.purge(targets)
    assert purging.interrupted(root) == (secret,)
    assert not any(
        word.encode() in (Path(root.index_folder) / "purging").read_bytes() for word in WORDS
    )
    (report,) = memory.doctor(scope="project").values()
    assert "a purge was not ended" in str(report.remarks)

    purge(memory, secret)

    assert purging.interrupted(root) == ()
    assert is_traceless(memory)


def test_a_note_of_a_purge_that_is_damaged_says_nothing(memory):
    memory.save(TEXT)
    for text in ("[", "7", '["../x"]', "{}"):
        Path(memory.workspace.save_root().index_folder, "purging").write_text(text)
        assert purging.interrupted(memory.workspace.save_root()) == ()


def test_a_day_that_keeps_changing_is_a_conflict(memory, day_file, monkeypatch):
    saved = memory.save(TEXT)
    real = files.replace

    def replace(path, data, modes=files.PRIVATE, *, expected=None, folder=""):
        if expected is not None:
            raise ConflictError("changed")
        real(path, data, modes, folder=folder)

    monkeypatch.setattr(files, "replace", replace)
    with pytest.raises(ConflictError, match="kept changing"):
        purge(memory, saved.id)


def test_a_mirror_that_is_off_or_can_not_be_cleared_goes(memory, secret, monkeypatch):
    root = memory.workspace.save_root()
    memory.config.set("mirror.enabled", True)
    memory.mirror.sync()
    if secret:
        memory.config.set("mirror.enabled", False)

    purge(memory, secret)

    assert not os.path.exists(mirror_db.mirror_path(root))


def test_a_mirror_whose_log_others_read_goes(memory, secret, monkeypatch):
    memory.config.set("mirror.enabled", True)
    memory.mirror.sync()
    path = mirror_db.mirror_path(memory.workspace.save_root())
    monkeypatch.setattr(
        files,
        "stamp",
        lambda name, real=files.stamp: (9, 9, 9) if name == f"{path}-wal" else real(name),
    )

    purge(memory, secret)

    assert not os.path.exists(path)


def test_a_mirror_that_refuses_goes(memory, secret, monkeypatch):
    memory.config.set("mirror.enabled", True)
    memory.mirror.sync()

    def refuse(*_: object) -> None:
        raise BackendError("refused")

    monkeypatch.setattr(mirror, "refresh", refuse)

    purge(memory, secret)

    assert not os.path.exists(mirror_db.mirror_path(memory.workspace.save_root()))


def test_without_an_index_there_is_nothing_to_purge_in_it(memory, monkeypatch):
    saved = memory.save(TEXT)
    targets = memory.deletion.traces((), [saved.id])
    with monkeypatch.context() as patch:
        patch.setattr(indexer, "update_without", lambda _root, _count: None)
        for path in Path(memory.workspace.save_root().index_folder).glob("lookup*"):
            path.unlink()
        memory.deletion.purge(targets)

    assert list(memory.sessions()) == []


def test_what_an_older_version_kept_in_the_journal_goes(memory):
    saved = memory.save(TEXT)
    path = Path(memory.workspace.save_root().index_folder) / "journal.jsonl"
    record = {
        "at": "2026-01-29T02:30:45+00:00",
        "id": saved.id,
        "text": "",
        "before": "xylophonezz",
    }
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")

    purge(memory, saved.id)

    assert is_traceless(memory)
    assert [one.text for one in journal.load_records(memory.workspace.save_root())] == [""]


def test_an_operation_keeps_what_was_not_purged(memory):
    first, second = (
        memory.save({**TEXT, "topic": f"t{n}", "key_points": [f"p{n} 要点"]}).id for n in (1, 2)
    )
    memory.delete([first, second])

    purge(memory, first)

    undone = memory.undo()
    assert undone.ids == ((second, second),)
    assert [one.id for one in undo_files.find_all(memory.workspace.save_root())] == list(
        undone.redo
    )
