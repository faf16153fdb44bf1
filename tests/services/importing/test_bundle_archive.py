"""Whole memories with an archive: looked into, redacted, brought in and merged, all or nothing."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path

import pytest

from daily_memory import (
    BackendError,
    DamagedDataError,
    InvalidInputError,
    LockedError,
    Memory,
)
from daily_memory.storage import archive_files, key_holders, keys
from daily_memory.storage.fs import encryption, files, zips
from tests.conftest import NOW, sign
from tests.encryption import forget_keys, key_file
from tests.services.importing.test_bundle import KEY, files_in, killed_at, root_of, zip_of, zipped

DAY = date(2025, 10, 1)
NAME = "archive/2025/2025-10-01.md.gz"
TALK = "archive/2025/observations/2025-10-01/talk.jsonl.gz"
TEXT = (
    "# 2025-10-01 对话记忆\n\n手写 by hand\n\n"
    "## Session 1 - 09:00\n\n### 主题\n缓存方案定为 redis\n\n---\n\n"
    "## Session 2 - 10:00\n\n### Topic\nthe pool has 20\n\n---\n"
)
SECRET = TEXT.replace("the pool has 20", f"the pool has {KEY}")
LINES = '{"kind":"user","text":"嗨"}\n{"kind":"user","text":"more"}\n'


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No key of an earlier test is known."""
    monkeypatch.setattr(files, "key_holders", {})
    forget_keys()


def another(folder: Path, name: str = "other") -> Memory:
    (folder / name / ".git").mkdir(parents=True)
    (folder / f"{name}-home").mkdir()
    return Memory(folder / name, home=folder / f"{name}-home", clock=lambda: NOW)


@pytest.fixture
def empty(tmp_path: Path) -> Memory:
    return another(tmp_path)


def put(memory: Memory, text: str, day: date = DAY) -> None:
    assert memory.workspace.project_root
    files.make_folder(memory.workspace.project_root.index_folder)
    archive_files.store(memory.workspace.project_root, day, text.encode())


def said(memory: Memory, name: str = NAME) -> str:
    return archive_files.unpack((root_of(memory) / name).read_bytes(), name).decode()


# ---------------------------------------------------------------------------- redacting


def test_secrets_in_an_archive_are_hidden_and_counted(empty, tmp_path):
    lines = json.dumps({"kind": "user", "text": KEY}) + "\n" + LINES
    path = zipped(
        tmp_path,
        **{
            NAME: archive_files.pack(SECRET.replace("手写", KEY).encode()),
            TALK: archive_files.pack(lines.encode()),
            "archive/notes.txt.gz": gzip.compress(KEY.encode()),
        },
    )

    told = empty.import_files([path], dry_run=True)
    result = empty.import_files(path)

    assert told == result
    assert sum(count for _, count in result.redactions) == 4
    assert result.ids == result.archived == ("2025-10-01#1", "2025-10-01#2")
    assert not any(KEY in said(empty, name) for name in (NAME, TALK, "archive/notes.txt.gz"))
    assert "缓存方案定为 redis" in said(empty)
    assert said(empty, TALK).endswith(LINES)
    packed = (root_of(empty) / NAME).read_bytes()
    assert packed == archive_files.pack(archive_files.unpack(packed, NAME))
    assert empty.search("redis", archived=True).hits
    again = empty.import_files(path)
    assert (again.ids, again.present, again.restored) == ((), 2, ())


def test_without_secrets_not_a_byte_of_an_archive_moves(empty, tmp_path):
    # Packed otherwise than we do.
    packed = gzip.compress(TEXT.encode(), compresslevel=1, mtime=0)
    assert packed != archive_files.pack(TEXT.encode())

    empty.import_files(zipped(tmp_path, **{NAME: packed}))

    assert (root_of(empty) / NAME).read_bytes() == packed


def test_words_in_the_head_of_a_gzip_do_not_come_along(empty, tmp_path):
    bare = archive_files.pack(TEXT.encode())
    packed = bare[:3] + b"\x10" + bare[4:10] + KEY.encode() + b"\0" + bare[10:]
    assert gzip.decompress(packed) == TEXT.encode()

    empty.import_files(zipped(tmp_path, **{NAME: packed}))

    assert (root_of(empty) / NAME).read_bytes() == bare


def test_what_is_no_text_is_taken_as_it_is_and_counted(empty, tmp_path):
    made = {
        "archive/a.png": b"\x89PNG\0",
        "archive/b.tar.gz": gzip.compress(b"a\0b", mtime=0),
        NAME: archive_files.pack(SECRET.replace("手写", "\0").encode()),
    }

    result = empty.import_files(zipped(tmp_path, **made))

    assert result.warnings == ("2 files of archive/ taken unread: no text",)
    assert files_in(root_of(empty))["archive/b.tar.gz"] == made["archive/b.tar.gz"]
    # A day is looked into whatever is in it.
    assert KEY not in said(empty)


@pytest.mark.parametrize("is_folder", [False, True])
@pytest.mark.parametrize("name", [NAME, TALK, "archive/x.gz"])
@pytest.mark.parametrize("is_merge", [False, True])
def test_a_damaged_archive_is_refused_with_its_name(empty, tmp_path, is_folder, name, is_merge):
    if is_merge:
        empty.save({"topic": "mine", "date": "2026-01-28"})
    members = {"daily/2026-01-01.md": TEXT.encode(), name: archive_files.pack(b"x" * 99)[:-3]}
    path = str(tmp_path / "folder") if is_folder else zipped(tmp_path, **members)
    for member, data in members.items() if is_folder else ():
        file = tmp_path / "folder" / member
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    before = files_in(root_of(empty))

    with pytest.raises(DamagedDataError, match=name) as caught:
        empty.import_files(path)

    assert path in caught.value.message
    assert "nothing was imported" in caught.value.hint
    assert files_in(root_of(empty)) == before


def test_bombs_are_refused_before_they_are_unpacked(empty, tmp_path, monkeypatch):
    bomb = archive_files.pack(b"\0" * 20_000_000)

    with pytest.raises(DamagedDataError, match="more than 10000000 bytes"):
        empty.import_files(zipped(tmp_path, **{NAME: bomb}))

    small = archive_files.pack(b"\n" * 9_000_000)
    monkeypatch.setattr(zips, "MOST_BYTES", 20_000_000)
    with pytest.raises(InvalidInputError, match="too large"):
        empty.import_files(zipped(tmp_path, **{f"archive/{n}.gz": small for n in range(3)}))
    assert not root_of(empty).exists()


# ---------------------------------------------------------------------------- merging


def test_archived_sessions_are_merged_into_their_days(empty, memory, tmp_path):
    put(memory, SECRET)
    memory.save({"topic": "三", "date": "2025-10-01", "time": "11:00:00"})
    following = {"topic": "四", "date": "2025-10-02", "continues": "2025-10-01#2"}
    memory.save(following)
    mine = TEXT.replace("the pool has 20", "mine 我的")
    put(empty, mine)
    path = zip_of(memory, tmp_path)

    told = empty.import_files([path], dry_run=True)
    result = empty.import_files(path)

    assert told == result
    # What was written by hand and the first session are in the archive already.
    assert (len(result.ids), result.present, result.archived) == (3, 2, ())
    assert result.renumbered == (("2025-10-01#2", "2025-10-01#4"),)
    assert sum(count for _, count in result.redactions) == 1
    assert said(empty) == mine
    assert KEY not in str(files_in(root_of(empty)))
    assert {str(f.session.id): f.session.continues for f in empty.sessions(scope="project")} == {
        "2025-10-01#3": "",
        "2025-10-01#4": "",
        "2025-10-02#1": "2025-10-01#4",
    }
    before = files_in(root_of(empty))
    again = empty.import_files(path)
    assert (again.ids, again.present, again.restored) == ((), 5, ())
    assert files_in(root_of(empty)) == before


def test_what_is_there_in_a_day_or_in_the_archive_is_not_doubled(empty, memory, tmp_path):
    # Theirs: one archived, one in its day. Ours: the other way round.
    one, two = TEXT.split("## Session 2")[0], "# x\n\n## Session 2" + TEXT.split("## Session 2")[1]
    put(memory, one)
    put(empty, two)
    for at, text in ((memory, two), (empty, one)):
        path = root_of(at) / "daily" / "2025-10-01.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    before = files_in(root_of(empty))

    result = empty.import_files(zip_of(memory, tmp_path))

    assert (result.ids, result.present, result.restored) == ((), 3, ())
    assert {**files_in(root_of(empty)), ".gitignore": b""} == {**before, ".gitignore": b""}


def test_text_by_hand_of_an_archived_day_is_merged_too(empty, memory, tmp_path):
    put(memory, TEXT)
    empty.save({"topic": "mine", "date": "2025-10-01", "time": "08:00:00"})

    result = empty.import_files(zip_of(memory, tmp_path))

    assert sorted(result.ids) == ["2025-10-01#2", "2025-10-01#3", "2025-10-01#4"]
    topics = {found.session.topic for found in empty.sessions(scope="project")}
    assert topics == {"mine", "手写 by hand", "缓存方案定为 redis", "the pool has 20"}
    saved = empty.save({"topic": "next", "date": "2025-10-01", "time": "12:00:00"})
    assert saved.id == "2025-10-01#5"


def test_no_number_of_a_session_that_may_come_back_is_given(empty, memory, tmp_path):
    put(memory, TEXT.replace("手写 by hand\n\n", ""))
    for topic in ("一", "二"):
        empty.save({"topic": topic, "date": "2025-10-01", "time": "08:00:00"})
    empty.delete(["2025-10-01#1"])

    result = empty.import_files(zip_of(memory, tmp_path))
    empty.undo("1")

    assert sorted(result.ids) == ["2025-10-01#3", "2025-10-01#4"]
    every = [str(one.session.id) for one in empty.sessions(scope="project", archived=True)]
    assert sorted(every) == [f"2025-10-01#{number}" for number in (1, 2, 3, 4)]


def test_a_number_that_is_asked_for_and_stands_in_the_archive_is_not_given(empty):
    put(empty, TEXT)

    saved = empty.save({"topic": "三", "date": "2025-10-01", "session": 1})

    assert saved.id == "2025-10-01#3"


def test_what_a_crash_left_in_both_comes_once(empty, memory, tmp_path):
    put(memory, TEXT)
    path = root_of(memory) / "daily" / "2025-10-01.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT.split("## Session 2")[0], encoding="utf-8")
    made = zip_of(memory, tmp_path)

    whole = another(tmp_path, "whole").import_files(made)
    empty.save({"topic": "mine", "date": "2026-01-28"})
    merged = empty.import_files(made)

    ids = ["2025-10-01#1", "2025-10-01#2"]
    # Merged with others, what a person wrote above them gets a number.
    assert sorted(whole.ids) == ids
    assert whole.archived == ("2025-10-01#2",)
    assert sorted(merged.ids) == [*ids, "2025-10-01#3"]


def test_where_the_days_can_not_be_written_nothing_comes(empty, memory, tmp_path, monkeypatch):
    put(memory, TEXT)
    memory.save({"topic": "三", "date": "2025-10-03"})
    put(empty, TEXT.replace("redis", "其他"))
    empty.save({"topic": "mine", "date": "2026-01-28"})
    before = files_in(root_of(empty))

    def refuse(*_: object, **__: object) -> None:
        raise BackendError("no space left on device")

    monkeypatch.setattr(files, "append", refuse)
    with pytest.raises(BackendError):
        empty.import_files(zip_of(memory, tmp_path))

    assert files_in(root_of(empty)) == before


def test_a_link_in_the_archive_does_not_choose_where_a_file_goes(empty, memory, tmp_path):
    (root_of(memory) / "archive").mkdir(parents=True)
    (root_of(memory) / "archive" / "notes.txt").write_text("x")
    empty.save({"topic": "mine", "date": "2026-01-28"})
    (tmp_path / "outside").mkdir()
    (root_of(empty) / "archive").symlink_to(tmp_path / "outside")

    with pytest.raises(BackendError, match="is a link"):
        empty.import_files(zip_of(memory, tmp_path))

    assert list((tmp_path / "outside").iterdir()) == []


def test_a_live_session_of_an_otherwise_empty_memory_is_not_written_over(empty, tmp_path):
    name = "observations/2025-10-01/talk.jsonl"
    path = root_of(empty) / name
    sign(empty)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(LINES + "{}\n", encoding="utf-8")

    result = empty.import_files(zipped(tmp_path, **{name: LINES.encode()}))

    assert result.warnings == (f"{name} is another one here, and stays as it is",)
    assert path.read_text(encoding="utf-8") == LINES + "{}\n"


@pytest.mark.parametrize("is_merge", [False, True])
def test_after_a_kill_at_any_write_the_same_import_makes_the_archive_whole(
    memory, tmp_path, is_merge
):
    put(memory, SECRET)
    put(memory, TEXT.replace("redis", "其他"), date(2025, 10, 2))
    memory.save({"topic": "三", "date": "2025-10-01"})
    path = zip_of(memory, tmp_path)
    for number in range(100):
        other = another(tmp_path, f"k{number}")
        if is_merge:
            put(other, TEXT.replace("缓存", "我的"))
            other.save({"topic": "mine", "date": "2025-10-02", "session": 9})
        is_killed = killed_at(number, other, path)

        other.import_files(path)

        found = other.sessions(scope="project", archived=True)
        every = [str(one.session.id) for one in found if one.session.number]
        assert len(every) == len(set(every)) == (9 if is_merge else 5)
        assert KEY not in str([one.session for one in found])
        if not is_killed:
            break
    assert number > 4


# ---------------------------------------------------------------------------- encrypted


@pytest.fixture
def encrypted(memory: Memory) -> Memory:
    key_holders.register(memory.workspace.home, {})
    put(memory, TEXT)
    memory.save({"topic": "三 three", "date": "2025-10-01"})
    memory.start("talk")
    memory.log("嗨", conversation="talk")
    memory.encryption.encrypt()
    return Memory(memory.project, home=memory.workspace.home, clock=lambda: NOW)


def as_it_stands(memory: Memory, folder: Path) -> str:
    """Return a zip of a root as somebody makes it who knows nothing of it."""
    return zipped(folder, **{f"memories/{k}": v for k, v in files_in(root_of(memory)).items()})


def test_the_zip_of_an_encrypted_memory_is_plain_and_comes_back(encrypted, tmp_path):
    path = zip_of(encrypted, tmp_path)
    members = zips.unpack(Path(path).read_bytes(), path)

    assert archive_files.unpack(members[NAME], NAME).decode() == TEXT
    assert not any(files.is_sealed(data) for data in members.values())
    assert encrypted.encryption.is_on()
    assert encrypted.encryption.is_on("all")
    plain = another(tmp_path)
    result = plain.import_files(path)

    assert any("you have no key" in warning for warning in result.warnings)
    assert said(plain) == TEXT
    assert not plain.encryption.is_on("global")


def test_a_zip_that_was_encrypted_as_a_whole_comes_back_with_the_key(encrypted, tmp_path):
    data = encrypted.export_zip()
    recipients = keys.parse_recipients(keys.load_recipients(encrypted.workspace.key_ring()))
    path = tmp_path / "memory.zip.age"
    path.write_bytes(encryption.seal(data, recipients))

    result = encrypted.import_files(str(path))

    assert (result.ids, result.present) == ((), 3)
    assert encrypted.export_zip() == data


@pytest.mark.parametrize("is_raw", [False, True])
def test_an_encrypted_memory_comes_in_encrypted_where_there_is_a_key(
    encrypted, empty, tmp_path, is_raw
):
    path = as_it_stands(encrypted, tmp_path) if is_raw else zip_of(encrypted, tmp_path)
    here = Memory(empty.project, home=encrypted.workspace.home, clock=lambda: NOW)

    result = here.import_files(path)

    assert len(result.ids) == 3
    assert len(result.archived) == 2
    assert not any("encrypt" in warning for warning in result.warnings)
    plain = {name for name, data in files_in(root_of(here)).items() if b"age-" not in data[:5]}
    assert plain == {".gitignore", "config.json", "observations/2026-01-29/talk.jsonl"}
    live = root_of(here) / "observations" / "2026-01-29" / "talk.jsonl"
    assert "嗨" not in live.read_text(encoding="utf-8")
    assert "嗨" in files.read_bytes(str(live)).decode()
    again = Memory(empty.project, home=encrypted.workspace.home, clock=lambda: NOW)
    assert again.export_zip(with_observations=True) == encrypted.export_zip(with_observations=True)
    second = again.import_files(path)
    assert (second.ids, second.present, second.restored) == ((), 3, ())


def test_encrypted_files_are_merged_into_a_plain_memory_in_the_clear(encrypted, empty, tmp_path):
    path = as_it_stands(encrypted, tmp_path)
    here = Memory(empty.project, home=encrypted.workspace.home, clock=lambda: NOW)
    here.save({"topic": "mine", "date": "2026-01-28"})

    result = here.import_files(path)

    assert len(result.ids) == 4
    assert any("`memory encrypt` turns encryption on" in told for told in result.warnings)
    assert not (root_of(here) / "config.json").exists()
    assert "缓存方案定为 redis" in str(list(here.sessions(scope="project")))
    assert not any(files.is_sealed(data) for data in files_in(root_of(here)).values())


def test_without_the_key_encrypted_files_are_refused_and_nothing_is_lost(
    encrypted, empty, tmp_path
):
    path = as_it_stands(encrypted, tmp_path)
    before = files_in(root_of(encrypted))
    file = key_file(encrypted)
    file.rename(tmp_path / "key")
    forget_keys()

    with pytest.raises(LockedError) as caught:
        empty.import_files(path)

    assert "nothing was imported" in caught.value.hint
    assert not root_of(empty).exists()
    files.key_holders.clear()
    theirs = another(tmp_path, "theirs")
    theirs.encryption.encrypt()
    forget_keys()
    with pytest.raises(DamagedDataError, match="another key") as refused:
        Memory(theirs.project, home=theirs.workspace.home).import_files(path)
    assert path in refused.value.message
    assert files_in(root_of(encrypted)) == before


def test_settings_that_come_in_do_not_switch_encryption_off(encrypted, memory, tmp_path):
    global_root = Path(encrypted.workspace.global_root.path)
    global_root.mkdir(parents=True, exist_ok=True)
    (global_root / "config.json").write_text('{"storage": {"encryption": "age"}}')
    (tmp_path / "new" / ".git").mkdir(parents=True)
    here = Memory(tmp_path / "new", home=encrypted.workspace.home, clock=lambda: NOW)
    assert here.encryption.is_on()
    path = zipped(
        tmp_path, **{NAME: archive_files.pack(SECRET.encode()), "config.json": b'{"recording": {}}'}
    )

    result = here.import_files(path)

    assert "config.json was left out: it would switch encryption off here" in result.warnings
    assert not (root_of(here) / "config.json").exists()
    assert files.is_sealed((root_of(here) / NAME).read_bytes())
    assert (
        KEY not in archive_files.unpack(files.read_bytes(str(root_of(here) / NAME)), NAME).decode()
    )
