"""Turning encryption on and off, another key, and a day for an editor."""

from __future__ import annotations

import gc
import json
import os
import shutil
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.core.hosts.events import Event, parse_event
from daily_memory.core.progress import progress_to
from daily_memory.errors import (
    BackendError,
    DailyMemoryError,
    DamagedDataError,
    InvalidInputError,
    LockedError,
    NotFoundError,
)
from daily_memory.memory import long_lived
from daily_memory.services.changing.sanitize import Sanitized
from daily_memory.services.setup import encryption as encrypting
from daily_memory.storage import key_holders, keys, settings_file
from daily_memory.storage.fs import encryption as sealing
from daily_memory.storage.fs import files
from daily_memory.storage.index import lookup
from daily_memory.storage.roots import MEMORIES, global_root, notes_folder, project_root
from tests.encryption import (
    PASSPHRASE,
    SECRET_WORDS,
    each_file,
    fill,
    folder,
    forget_keys,
    key_file,
    places_of_words,
    sealed_kinds,
)
from tests.repositories import make_repository


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No key of an earlier test is known."""
    monkeypatch.setattr(files, "key_holders", {})
    forget_keys()


@pytest.fixture
def filled(memory: Memory) -> Memory:
    # The fixture's memory was noted before the names of earlier tests were taken away.
    key_holders.register(memory.workspace.home, {})
    fill(memory)
    return memory


@pytest.fixture
def encrypted(filled: Memory) -> Memory:
    filled.encryption.encrypt()
    return filled


def again(memory: Memory, **more) -> Memory:
    """Return the same memory as another process opens it."""
    forget_keys()
    return Memory(memory.project, home=memory.workspace.home, clock=memory.workspace.now, **more)


def spoil(path: Path) -> bytes:
    good = path.read_bytes()
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    return good


def answers(memory: Memory) -> tuple[object, ...]:
    found = [hit.session.topic for hit in memory.search("zebrafish 斑马鱼").hits]
    listed = [one.session for one in memory.sessions()]
    live = [one.observations for one in memory.observations.live_sessions()]
    return found, listed, live, memory.summaries(), memory.inject("quokkacode").ids


def test_all_says_the_same_as_before_and_no_word_of_it_is_there(filled, tmp_path):
    before = answers(filled)
    assert places_of_words(tmp_path)

    plan = filled.encryption.plan("encrypt")[0]
    key, result = filled.encryption.encrypt()

    assert key.is_new
    assert not key.is_protected
    assert (result.changed, result.kept, result.failed) == (len(plan.change), 0, ())
    assert places_of_words(tmp_path) == []
    assert answers(again(filled)) == before
    assert filled.settings.storage.encryption == "age"
    sealed_kinds(filled)


def test_what_is_written_afterwards_is_encrypted_too(encrypted, tmp_path):
    memory = again(encrypted)
    memory.save({"topic": "zebrafish again", "key_points": ["斑马鱼"]})
    memory.log("quokkacode 短尾矮袋鼠", conversation="talk")
    memory.end("talk")
    memory.mark(["2026-01-29#1"], {"important": True})
    memory.delete(["2026-01-28#1"])
    opened = memory.open("2026-01-27#1")
    memory.edit("2026-01-27#1", opened.text.replace("300", "600"), digest=opened.digest)
    memory.reindex()

    assert places_of_words(tmp_path) == []
    assert any("again" in hit.session.topic for hit in memory.search("zebrafish again").hits)
    assert not any(report.faults for report in memory.doctor().values())


def test_it_comes_back_as_it_was(encrypted, tmp_path):
    before = answers(encrypted)

    result = again(encrypted).encryption.decrypt()

    memory = again(encrypted)
    assert result.failed == ()
    assert answers(memory) == before
    assert memory.settings.storage.encryption == "none"
    for path in each_file(folder(memory)):
        data = path.read_bytes()
        assert not files.is_sealed(data), path
        assert files.SEALED_LINE not in data
    assert key_file(memory).exists()
    memory.add("and goes on")
    assert b"and goes on" in (folder(memory) / "daily" / "2026-01-29.md").read_bytes()


def test_both_are_safe_to_repeat(encrypted):
    days = {path: path.read_bytes() for path in (folder(encrypted) / "daily").iterdir()}

    key, result = again(encrypted).encryption.encrypt()
    assert (key.is_new, result.changed) == (False, 0)
    assert {path: path.read_bytes() for path in days} == days

    encrypted.encryption.decrypt()
    again_ = again(encrypted).encryption.decrypt()
    assert again_.changed == 0


def test_the_time_at_which_something_was_said_last_stays(filled):
    path = next((folder(filled) / "observations").glob("*/talk.jsonl"))
    os.utime(path, ns=(10**18, 10**18))

    filled.encryption.encrypt()

    assert path.stat().st_mtime_ns == 10**18


def test_what_others_say_meanwhile_is_not_lost(filled, monkeypatch):
    path = next((folder(filled) / "observations").glob("*/talk.jsonl"))
    real = sealing.Sealed.sealed
    told: list[int] = []

    def while_converting(self, name, data):
        if name == str(path) and not told:
            told.append(1)
            with path.open("ab") as file:
                line = {"at": "2026-01-29T11:00:00+08:00", "kind": "note", "text": "meanwhile"}
                file.write(json.dumps(line).encode() + b"\n")
        return real(self, name, data)

    monkeypatch.setattr(sealing.Sealed, "sealed", while_converting)
    filled.encryption.encrypt()

    assert [one.text for one in again(filled).observations.live("talk").observations][
        -1
    ] == "meanwhile"


def test_what_keeps_being_written_in_the_clear_is_left_at_last(filled):
    told: list[tuple[int, int]] = []

    def write_again(done: int, of: int) -> None:
        told.append((done, of))
        (folder(filled) / "summary.md").write_text(f"plain again {len(told)}")

    with progress_to(write_again):
        filled.encryption.encrypt()

    assert told.count((1, 1)) == 4  # after the pass over all


def test_a_memory_without_settings_of_its_own_keeps_those_that_were_in_force(filled):
    own = Path(filled.workspace.global_root.path) / "config.json"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(
        '{"recording": {"language": "zh"}, "mirror": {"enabled": true},'
        ' "storage": {"passphrase_command": "my-secret-tool"}}'
    )
    filled = again(filled)

    filled.encryption.encrypt()

    memory = again(filled)
    assert memory.settings.recording.language == "zh"
    assert memory.settings.storage.encryption == "age"
    assert not memory.settings.mirror.enabled
    assert "encryption" not in own.read_text(encoding="utf-8")
    assert "my-secret-tool" not in (folder(memory) / "config.json").read_text(encoding="utf-8")
    assert memory.settings_problems == ()


def test_the_mirror_goes_and_is_refused(filled):
    filled.config.set("mirror.enabled", True)
    filled.mirror.sync()
    assert (folder(filled) / "index" / "mirror.sqlite3").exists()

    _, result = filled.encryption.encrypt()

    assert "index/mirror.sqlite3" in result.removed
    assert not list((folder(filled) / "index").glob("mirror*"))
    filled.config.set("mirror.enabled", True)
    with pytest.raises(InvalidInputError, match="no mirror of an encrypted memory"):
        again(filled).mirror.sync()


def test_a_root_is_encrypted_by_its_own_settings_and_else_by_the_global_ones(filled, tmp_path):
    filled.encryption.encrypt(scope="global")
    filled.save({"topic": "for all zebrafish"}, scope="global")
    shared = Path(filled.workspace.global_root.path) / "daily" / "2026-01-29.md"
    assert files.is_sealed(shared.read_bytes())

    # The project has no settings of its own, or says the opposite: those of the user hold.
    day = folder(filled) / "daily" / "2026-01-29.md"
    config = folder(filled) / "config.json"
    for said in ("", '{"recording": {"language": "zh"}}', '{"storage": {"encryption": "none"}}'):
        if said:
            config.write_text(said)
        memory = again(filled)
        memory.save({"topic": f"mine {said}"})
        assert files.is_sealed(day.read_bytes())
    with pytest.raises(InvalidInputError, match="can only be made stricter") as caught:
        memory.encryption.decrypt()
    assert caught.value.hint.endswith("config set --global storage.encryption none")
    # A file that can't be read may have said so too.
    memory.in_folder("").config.set("storage.encryption", "none")
    config.unlink()
    config.mkdir()
    # … and where there is no key, nothing can have been encrypted.
    stranger = Memory("", home=tmp_path / "elsewhere")
    assert memory.workspace.project_root
    assert not stranger.workspace.is_encrypted(memory.workspace.project_root)
    other = Memory("", home=memory.workspace.home)
    assert other.workspace.is_encrypted(memory.workspace.project_root)
    assert other.workspace.is_encrypted(memory.workspace.global_root)  # it was encrypted here
    other.encryption.decrypt(scope="global")
    assert not other.workspace.is_encrypted(memory.workspace.global_root)


def test_a_projects_file_chooses_no_key_and_runs_nothing(encrypted, tmp_path):
    config = folder(encrypted) / "config.json"
    data = {"encryption": "age", "key_file": "/evil", "passphrase_command": "touch /evil"}
    config.write_text(json.dumps({"storage": data}))

    memory = again(encrypted)

    assert memory.settings.storage.key_file == ""
    assert memory.settings.storage.passphrase_command == ""
    assert "a project's file can't set this" in memory.settings_problems[0].message
    assert memory.search("zebrafish").hits

    with pytest.raises(InvalidInputError, match="does not count in a project"):
        memory.config.set("storage.passphrase_command", "true")


def test_a_server_opens_the_key_before_it_serves(encrypted, tmp_path):
    memory = again(encrypted)
    memory.encryption.open_key()
    key_file(memory).rename(tmp_path / "key.txt")

    with pytest.raises(LockedError):
        again(encrypted).encryption.open_key()
    (tmp_path / "free").mkdir()
    Memory(tmp_path / "free", home=tmp_path / "other").encryption.open_key()


# ---------------------------------------------------------------------------- without the key


def test_without_the_key_is_written_what_needs_no_reading(encrypted, tmp_path):
    key_file(encrypted).rename(tmp_path / "key.txt")
    memory = again(encrypted)

    memory.log("quokkacode 记录", conversation="talk")
    with pytest.raises(LockedError, match="the session is kept") as caught:
        memory.save({"topic": "zebrafish kept"})
    assert "next successful `memory save`" in caught.value.hint
    for ask in (memory.search, memory.inject):
        with pytest.raises(LockedError, match="no key at"):
            ask("zebrafish")
    with pytest.raises(LockedError):
        memory.encryption.decrypt()
    with pytest.raises(LockedError, match="no key at"):
        memory.encryption.encrypt()
    assert memory.end_all() == []
    assert places_of_words(tmp_path) == []

    (tmp_path / "key.txt").rename(key_file(memory))
    memory = again(memory)
    result = memory.save({"topic": "another"})
    assert "from the queue" in result.warnings[0]
    assert any(one.session.topic == "zebrafish kept" for one in memory.sessions())
    assert memory.observations.live("talk").observations[-1].text == "quokkacode 记录"


def test_nothing_is_changed_where_there_is_no_library(filled, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyrage", None)

    with pytest.raises(BackendError, match="pyrage"):
        filled.encryption.encrypt()

    assert again(filled).settings.storage.encryption == "none"


def test_the_key_of_a_projects_that_asks_for_encryption_must_be_made_first(memory):
    key_holders.register(memory.workspace.home, {})
    (folder(memory)).mkdir(parents=True)
    (folder(memory) / "config.json").write_text('{"storage": {"encryption": "age"}}')

    with pytest.raises(LockedError, match="names nobody"):
        again(memory).save({"topic": "not in the clear"})
    assert places_of_words(folder(memory), words=("not in the clear",)) == []


# ---------------------------------------------------------------------------- damage


def test_a_host_that_names_no_conversation_is_recorded_without_the_key(encrypted, tmp_path):
    def said(text: str) -> Event:
        fields = {"hook_event_name": "UserPromptSubmit", "prompt": text}
        return parse_event(fields, {}, "claude")

    encrypted.handle(said("zebrafish 一"), recalls=False)
    key_file(encrypted).rename(tmp_path / "key.txt")
    memory = again(encrypted)
    memory.handle(said("斑马鱼 two"), recalls=False)

    (tmp_path / "key.txt").rename(key_file(memory))
    lives = [
        live for live in again(memory).observations.live_sessions() if live.conversation != "talk"
    ]
    assert [[one.text for one in live.observations] for live in lives] == [
        ["zebrafish 一", "斑马鱼 two"]
    ]


@pytest.mark.parametrize(
    ("said", "is_encrypted"),
    [
        ('{"retrieval": {"max_results": 5}}', False),
        ('{"storage": {"encryption": "none"}}', False),
        ('{"storage": {"encryption": "age"}}', True),
        ('{"storage": {"encryption": "age" "location": 1}}', True),
        ('{"storage": {"location": 1}', False),
        (None, True),
    ],
)
def test_a_roots_own_file_says_whether_it_is_encrypted(tmp_path, said, is_encrypted):
    root = project_root(str(tmp_path))
    if said is None:
        os.makedirs(root.config)  # which can't be read
    else:
        os.makedirs(root.path)
        Path(root.config).write_text(said, encoding="utf-8")

    assert settings_file.is_encrypted(global_root(str(tmp_path / "home")), root) is is_encrypted


def test_days_are_merged_encrypted(encrypted, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", encrypted.workspace.home)
    modes = encrypted.workspace.save_root().modes
    head = "# 2026-01-29\n\n"
    texts = {
        "base": head,
        "ours": f"{head}## Session 1 - 10:00\n\n### Topic\nzebrafish\n\n---\n",
        "theirs": f"{head}## Session 2 - 11:00\n\n### 主题\n斑马鱼\n\n---\n",
    }
    for name, text in texts.items():
        files.replace(str(tmp_path / name), text.encode(), modes)

    base, ours, theirs = (str(tmp_path / name) for name in texts)

    assert Memory("").setup.merge_days(base, ours, theirs, "daily/2026-01-29.md") is True

    assert files.is_sealed(files.read_raw(ours))
    merged = files.read_bytes(ours).decode()
    assert "zebrafish" in merged
    assert "斑马鱼" in merged


def test_a_damaged_day_hides_no_other_and_is_not_written(encrypted):
    day = folder(encrypted) / "daily" / "2026-01-29.md"
    good = spoil(day)
    memory = again(encrypted)

    found = memory.search("zebrafish 斑马鱼")
    assert [str(hit.session.id) for hit in found.hits] == ["2026-01-28#1", "2026-01-27#1"]
    assert "can't be read: daily/2026-01-29.md" in found.warnings[0]
    assert memory.search("zebrafish").warnings == found.warnings
    damaged = day.read_bytes()
    with pytest.raises(DamagedDataError, match=r"2026-01-29.md.*the session is kept"):
        memory.save({"topic": "new"})
    with pytest.raises(DamagedDataError, match=r"2026-01-29.md.*the session is kept"):
        memory.save({"topic": "talk", "conversation": "c"})
    assert day.read_bytes() == damaged
    faults = [fault for one in memory.doctor().values() for fault in one.faults]
    assert any(fault.path == str(day) and "damaged" in fault.message for fault in faults)
    # What talks go on with is asked of the days before as well.
    memory.save({"topic": "talk", "conversation": "c", "date": "2026-01-30"})

    day.write_bytes(good)
    memory = again(encrypted)
    assert memory.save({"topic": "more"}).warnings[0].startswith("saved 2 sessions")
    assert len(memory.search("zebrafish 斑马鱼").hits) >= 3
    assert memory.search("zebrafish").warnings == ()


def test_two_damaged_days_are_told_of_in_one_line(encrypted):
    for name in ("2026-01-28", "2026-01-29"):
        spoil(folder(encrypted) / "daily" / f"{name}.md")

    assert "2026-01-28.md and 1 more" in again(encrypted).search("zebrafish").warnings[0]


@pytest.mark.parametrize("kind", ["the keywords", "the cache"])
def test_what_is_derived_is_made_anew(encrypted, kind):
    if kind == "the cache" and not lookup.CAN_SEAL:
        pytest.skip("SQLite gives no bytes here")
    path = sealed_kinds(encrypted)[kind]
    spoil(path)

    memory = again(encrypted)
    memory.add("zebrafish note")

    assert len(memory.search("zebrafish").hits) >= 3
    assert files.read_bytes(str(path))


def test_a_damaged_journal_or_summary_is_told_of_and_stops_nothing(encrypted):
    root = folder(encrypted)
    for name in ("index/journal.jsonl", "summary.md", "archive/2025/2025-10-29.md.gz"):
        spoil(root / name)
    memory = again(encrypted)

    assert "not noted" in memory.save({"topic": "goes on"}).warnings[0]
    assert any("the summary was not used" in one for one in memory.inject("zebrafish").warnings)
    remarks = [one for report in memory.doctor().values() for one in report.remarks]
    told = {Path(one.path).name for one in remarks if "damaged" in one.message}
    assert told == {"journal.jsonl", "summary.md", "2025-10-29.md.gz"}


def test_what_can_not_be_read_stays_and_the_rest_is_done(encrypted):
    day = folder(encrypted) / "daily" / "2026-01-28.md"
    talk = next((folder(encrypted) / "observations").glob("*/talk.jsonl"))
    spoil(day)
    lines = talk.read_bytes().split(b"\n")
    lines[1] = lines[1][:-8] + b"AAAAAAA="
    talk.write_bytes(b"\n".join(lines))
    damaged = [path.read_bytes() for path in (day, talk)]

    result = again(encrypted).encryption.decrypt()

    assert sorted(Path(one.path).name for one in result.failed) == ["2026-01-28.md", "talk.jsonl"]
    assert [path.read_bytes() for path in (day, talk)] == damaged
    assert b"zebrafish" in (folder(encrypted) / "daily" / "2026-01-29.md").read_bytes()
    memory = again(encrypted)
    faults = [
        one for report in memory.doctor().values() for one in (*report.faults, *report.remarks)
    ]
    assert any("storage.encryption is none" in one.message for one in faults)


def test_doctor_says_what_is_still_plain_and_who_sees_the_key(encrypted):
    (folder(encrypted) / "daily" / "2026-01-20.md").write_text("# 2026-01-20\n")
    key_file(encrypted).chmod(0o640)

    remarks = [one for report in again(encrypted).doctor().values() for one in report.remarks]

    assert any("is not encrypted" in one.message for one in remarks)
    assert any("others may read the key" in one.message for one in remarks)
    encrypted.encryption.encrypt()
    key_file(encrypted).chmod(0o600)
    assert [one for report in again(encrypted).doctor().values() for one in report.remarks] == []


def test_doctor_names_a_database_in_the_clear(encrypted):
    (folder(encrypted) / "index" / "mirror.sqlite3").write_bytes(b"SQLite format 3\0")

    (remark,) = encrypting.remarks(encrypted.workspace.save_root())

    assert remark.path.endswith("mirror.sqlite3")


def test_doctor_passes_over_what_it_may_not_read(encrypted, monkeypatch):
    real = files.read_raw

    def refused(path):
        if path.endswith(("summary.md", ".sqlite3")):
            raise BackendError("refused")
        return real(path)

    monkeypatch.setattr(files, "read_raw", refused)

    assert list(encrypting.remarks(encrypted.workspace.save_root())) == []


def test_links_and_what_is_no_day_are_left_alone(filled, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("mine")
    (folder(filled) / "archive" / "link.md").symlink_to(outside)
    (folder(filled) / "archive" / "folder").symlink_to(tmp_path)
    notes = folder(filled) / "daily" / "notes.md"
    notes.write_text("no day")

    filled.encryption.encrypt()

    assert outside.read_text() == "mine"
    assert notes.read_text() == "no day"


# ---------------------------------------------------------------------------- the key


def test_another_key_opens_all_and_the_old_one_nothing(encrypted, tmp_path):
    before = answers(encrypted)
    old = keys.load_identities(encrypted.workspace.key_ring())
    (folder(encrypted) / "daily" / "2026-01-20.md").write_text("# 2026-01-20\n")
    memory = again(encrypted)

    key, results = memory.encryption.rekey()

    assert [one.failed for one in results] == [()]
    assert Path(key.copy).read_text().count("AGE-SECRET-KEY-1") == 1
    assert key_file(memory).read_text().count("AGE-SECRET-KEY-1") == 1
    for path in sealed_kinds(memory).values():
        assert not sealing.is_for(str(path), path.read_bytes(), list(old))
    memory = again(memory)
    assert answers(memory) == before
    assert files.is_sealed((folder(memory) / "daily" / "2026-01-20.md").read_bytes())


def test_the_old_key_stays_while_something_can_not_be_read(encrypted):
    day = folder(encrypted) / "daily" / "2026-01-28.md"
    good = spoil(day)

    _, results = again(encrypted).encryption.rekey()

    assert [one.path for one in results[0].failed] == [str(day)]
    assert key_file(encrypted).read_text().count("AGE-SECRET-KEY-1") == 2
    day.write_bytes(good)
    key, results = again(encrypted).encryption.rekey()
    assert key.copy == ""
    assert results[0].failed == ()
    assert key_file(encrypted).read_text().count("AGE-SECRET-KEY-1") == 1
    assert len(again(encrypted).search("zebrafish").hits) == 3


def test_a_key_that_opens_nothing_turns_nothing_off(encrypted):
    good = key_file(encrypted).read_bytes()
    keys.store_identities(encrypted.workspace.key_ring(), [keys.make_identity()], encrypted.today())

    with pytest.raises(LockedError, match="opens nothing of this memory"):
        again(encrypted).encryption.decrypt()

    key_file(encrypted).write_bytes(good)
    memory = again(encrypted)
    memory.save({"topic": "zebrafish 斑马鱼 once more"})
    assert sealed_kinds(memory)
    assert memory.settings.storage.encryption == "age"


def test_what_can_not_be_opened_does_not_keep_the_rest_encrypted(encrypted):
    day = folder(encrypted) / "daily" / "2026-01-28.md"
    spoil(day)

    result = again(encrypted).encryption.decrypt()

    assert [one.path for one in result.failed] == [str(day)]
    assert result.changed
    assert again(encrypted).settings.storage.encryption == "none"


def test_a_locked_memory_does_not_keep_the_others_from_answering(encrypted, tmp_path):
    (tmp_path / "other").mkdir()
    other = encrypted.in_folder(tmp_path / "other")
    other.save({"topic": "otter 水獭 over there"})
    key_file(encrypted).rename(tmp_path / "key.txt")
    memory = again(encrypted)

    found = memory.search("otter 水獭", scope="all")

    assert [hit.session.topic for hit in found.hits] == ["otter 水獭 over there"]
    assert any("left out" in one and "no key" in one for one in found.warnings)
    with pytest.raises(LockedError):
        memory.search("zebrafish", scope="all")
    counted = {one.project.title: (one.sessions, one.unread > 0) for one in memory.projects.list()}
    assert counted == {"app": (0, True), "other": (1, False)}


def test_other_memories_get_the_key_too(encrypted, tmp_path):
    (tmp_path / "other").mkdir()
    other = encrypted.in_folder(tmp_path / "other")
    other.save({"topic": "zebrafish over there", "date": "2026-01-29"})
    day = Path(other.workspace.project_root.path) / "daily" / "2026-01-29.md"
    plain = day.read_bytes()
    # One that is encrypted though its settings do not say so.
    public = [keys.load_identities(encrypted.workspace.key_ring())[0].to_public()]
    day.write_bytes(sealing.seal(plain, public))
    outside = Memory("", home=encrypted.workspace.home, clock=encrypted.workspace.now)

    outside.encryption.rekey()

    assert files.read_bytes(str(day)) == plain
    newest = [keys.load_identities(encrypted.workspace.key_ring())[0]]
    assert sealing.is_for(str(day), day.read_bytes(), newest)
    assert len(again(encrypted).search("zebrafish").hits) == 3


def test_a_key_that_went_comes_back_below_the_new_one(encrypted, tmp_path):
    away = tmp_path / "away"
    (tmp_path / "app").rename(away)
    outside = Memory("", home=encrypted.workspace.home, clock=encrypted.workspace.now)
    key, _ = outside.encryption.rekey()
    assert [one.path for one in outside.projects.missing()] == [str(tmp_path / "app")]
    away.rename(tmp_path / "app")
    with pytest.raises(DamagedDataError, match="another key"):
        again(encrypted).encryption.unlock(encrypted.today())

    path = key_file(encrypted)
    path.write_text(path.read_text() + Path(key.copy).read_text())
    again(encrypted).encryption.rekey()

    assert path.read_text().count("AGE-SECRET-KEY-1") == 1
    assert len(again(encrypted).search("zebrafish").hits) == 3


def test_a_further_key_reads_as_well(filled, tmp_path):
    spare = keys.make_identity()
    name = str(spare.to_public())

    filled.encryption.encrypt(recipients=[name])

    for path in sealed_kinds(filled).values():
        assert sealing.is_for(str(path), path.read_bytes(), [spare])
    again(filled).encryption.rekey()
    assert keys.load_recipients(filled.workspace.key_ring())[1:] == (name,)
    with pytest.raises(InvalidInputError, match="not an age public key"):
        filled.encryption.encrypt(recipients=["age1nonsense"])


def test_a_key_of_ones_own_is_used_as_it_is(filled):
    made = keys.make_identity()
    path = key_file(filled)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# created elsewhere\n{made}\n")

    key, _ = filled.encryption.encrypt()

    assert (key.is_new, key.recipient) == (False, str(made.to_public()))
    assert path.read_text() == f"# created elsewhere\n{made}\n"


def test_a_passphrase_protects_the_key(filled, tmp_path):
    key, _ = filled.encryption.encrypt(passphrase=PASSPHRASE)

    assert key.is_protected
    assert b"AGE-SECRET-KEY" not in key_file(filled).read_bytes()
    with pytest.raises(LockedError, match="needs a passphrase"):
        again(filled).search("zebrafish")
    memory = again(filled, ask_passphrase=lambda: PASSPHRASE)
    assert len(memory.search("zebrafish").hits) == 3
    with pytest.raises(InvalidInputError, match="has a passphrase"):
        memory.encryption.encrypt(passphrase="another")
    key, _ = memory.encryption.rekey()
    assert key.is_protected
    memory = again(filled, environment={"MEMORY_PASSPHRASE": PASSPHRASE})
    assert len(memory.search("zebrafish").hits) == 3


def test_a_key_that_is_there_gets_a_passphrase(encrypted):
    key, _ = again(encrypted).encryption.encrypt(passphrase=PASSPHRASE)

    assert key.is_protected
    assert not key.is_new
    memory = again(encrypted, environment={"MEMORY_PASSPHRASE": PASSPHRASE})
    assert len(memory.search("zebrafish").hits) == 3


# ---------------------------------------------------------------------------- a day


def test_a_day_is_read_in_the_clear_and_a_text_is_kept_encrypted(encrypted):
    memory = again(encrypted)
    day, root = memory.today(), memory.workspace.save_root()
    assert "斑马鱼" in memory.encryption.unlock(day).decode()
    with pytest.raises(NotFoundError):
        memory.encryption.unlock(day.replace(year=2020))

    kept = [memory.encryption.keep_text(root, "day", "晚了".encode()) for _ in range(2)]

    assert kept[0] != kept[1]
    assert files.is_sealed(Path(kept[0]).read_bytes())
    assert files.read_bytes(kept[1]).decode() == "晚了"


# ---------------------------------------------------------------------------- the cache


def test_where_sqlite_gives_no_bytes_the_index_is_made_for_each_answer(encrypted, monkeypatch):
    monkeypatch.setattr(lookup, "CAN_SEAL", False)
    memory = again(encrypted)
    memory.add("zebrafish note")

    cache = folder(memory) / "index" / "lookup.sqlite3"
    assert not cache.exists()
    assert len(memory.search("zebrafish").hits) == 4
    assert memory.search("zebrafish").warnings == ()
    assert list(memory.reindex().values()) == [4]
    assert not cache.exists()
    assert not any(report.faults for report in memory.doctor().values())


def test_imports_into_an_encrypted_memory_are_encrypted_or_taken_back(encrypted, tmp_path):
    source = tmp_path / "in.json"
    sessions = [
        {"topic": "zebrafish in", "date": "2026-01-29", "time": "12:00:00"},
        {"topic": "zebrafish in 2", "date": "2026-01-31", "time": "12:00:00"},
    ]
    source.write_text(json.dumps({"sessions": sessions}))
    memory = again(encrypted)
    before = (folder(memory) / "daily" / "2026-01-29.md").read_bytes()
    blocked = folder(memory) / "daily" / "2026-01-31.md"
    blocked.mkdir()
    with pytest.raises(DailyMemoryError):
        memory.import_files([str(source)])
    assert (folder(memory) / "daily" / "2026-01-29.md").read_bytes() == before
    blocked.rmdir()

    assert len(memory.import_files([str(source)]).ids) == 2
    source.unlink()
    assert places_of_words(tmp_path) == []


def test_what_was_undone_leaves_nothing_that_could_not_be_read(encrypted):
    encrypted.delete([str(next(encrypted.sessions()).session.id)])
    encrypted.undo()

    assert encrypted.cleanup.sanitize() == Sanitized()
    (listed,) = encrypted.operations()
    assert listed.operation.undoes == "1"
    (left,) = Path(encrypted.workspace.save_root().undo_folder).iterdir()
    assert files.is_sealed(left.read_bytes())


# ---------------------------------------------------------------------------- settings from before


PLAIN_CONFIG = '{"storage": {"encryption": "none"}}'
BEFORE = [PLAIN_CONFIG, "{}", "", "not JSON"]


@pytest.fixture
def checked_out(encrypted, request):
    """An encrypted memory, after a checkout of a branch from before it was."""
    config = folder(encrypted) / "config.json"
    config.write_text(request.param) if request.param else config.unlink()
    return again(encrypted)


@pytest.mark.parametrize("checked_out", BEFORE, indirect=True)
def test_settings_from_before_encryption_write_no_plain_text(checked_out, tmp_path):
    checked_out.save({"topic": "quokkacode 短尾矮袋鼠", "key_points": ["zebrafish"]})
    checked_out.log("斑马鱼", kind="decision", conversation="talk")

    assert places_of_words(folder(checked_out), words=("quokkacode", "短尾矮袋鼠", "斑马鱼")) == []
    assert "quokkacode 短尾矮袋鼠" in [
        hit.session.topic for hit in checked_out.search("zebrafish 斑马鱼").hits
    ]
    (told,) = [one for one in checked_out.settings_problems if "memory decrypt" in one.message]
    assert "new files are encrypted" in told.message


@pytest.mark.parametrize("checked_out", [PLAIN_CONFIG], indirect=True)
def test_settings_from_before_encryption_write_nothing_without_a_key(checked_out):
    ring = checked_out.workspace.key_ring()
    os.unlink(ring.recipients_file)
    before = {path: path.read_bytes() for path in each_file(folder(checked_out))}

    with pytest.raises(LockedError) as caught:
        again(checked_out).log("quokka", kind="decision", conversation="talk")

    assert "`memory decrypt` turns encryption off" in str(caught.value.hint)
    assert all(path.read_bytes() == data for path, data in before.items())


@pytest.mark.parametrize("checked_out", [PLAIN_CONFIG], indirect=True)
def test_only_decrypting_turns_encryption_off(checked_out):
    checked_out.encryption.decrypt()

    memory = again(checked_out)
    memory.save({"topic": "in the clear"})

    assert b"in the clear" in (folder(memory) / "daily" / "2026-01-29.md").read_bytes()
    assert memory.settings_problems == ()
    memory.encryption.encrypt()
    (folder(memory) / "config.json").write_text(PLAIN_CONFIG)
    again(memory).save({"topic": "quokka hidden"})
    assert places_of_words(folder(memory), words=("quokka hidden",)) == []


def test_a_visit_to_an_encrypted_branch_does_not_take_back_that_it_was_decrypted(encrypted):
    config = folder(encrypted) / "config.json"
    said = config.read_text()
    encrypted.encryption.decrypt()
    config.write_text(said)
    again(encrypted).save({"topic": "quokka hidden"})
    assert places_of_words(folder(encrypted), words=("quokka hidden",)) == []
    config.write_text(PLAIN_CONFIG)

    again(encrypted).save({"topic": "in the clear"})

    assert again(encrypted).settings_problems == ()


def test_a_clone_of_an_encrypted_memory_stays_encrypted_once_it_was_used(encrypted, tmp_path):
    clone = tmp_path / "clone"
    (clone / ".git").mkdir(parents=True)
    shutil.copytree(folder(encrypted), clone / MEMORIES)
    shutil.rmtree(clone / MEMORIES / "index")
    memory = encrypted.in_folder(clone)
    assert memory.search("zebrafish").hits
    (clone / MEMORIES / "config.json").write_text(PLAIN_CONFIG)

    encrypted.in_folder(clone).save({"topic": "quokka hidden"})

    assert places_of_words(clone, words=("quokka hidden",)) == []


def test_a_memory_that_was_moved_stays_encrypted_and_frees_its_place(encrypted, tmp_path):
    encrypted.search("zebrafish")
    os.rename(encrypted.project, tmp_path / "moved")
    moved = encrypted.in_folder(tmp_path / "moved")
    config = folder(moved) / "config.json"
    said = config.read_text()
    config.write_text(PLAIN_CONFIG)

    encrypted.in_folder(tmp_path / "moved").save({"topic": "quokka hidden"})
    config.write_text(said)
    encrypted.in_folder(tmp_path / "moved").search("zebrafish")
    (tmp_path / "app").mkdir()
    encrypted.in_folder(tmp_path / "app").save({"topic": "another project"})

    assert places_of_words(tmp_path / "moved", words=("quokka hidden",)) == []
    assert places_of_words(tmp_path / "app", words=("another project",)) != []
    config.write_text(PLAIN_CONFIG)
    encrypted.in_folder(tmp_path / "moved").encryption.decrypt()
    os.rename(tmp_path / "moved", tmp_path / "moved again")
    encrypted.in_folder(tmp_path / "moved again").save({"topic": "in the clear"})
    assert places_of_words(tmp_path / "moved again", words=("in the clear",)) != []


def test_a_worktree_of_an_encrypted_repository_is_encrypted_too(tmp_path, clock):
    repository = make_repository(tmp_path / "app", tmp_path / "home")
    repository.git("commit", "--quiet", "--allow-empty", "--message", "before")
    memory = Memory(tmp_path / "app", home=tmp_path / "home", clock=clock)
    memory.encryption.encrypt()
    repository.git("worktree", "add", "--quiet", str(tmp_path / "wt"), "main~0", "--detach")
    (tmp_path / "wt/.cursor/skills/memories/daily").mkdir(parents=True)

    own = memory.in_folder(tmp_path / "wt")
    own.save({"topic": "quokka hidden"})
    assert places_of_words(tmp_path / "wt", words=("quokka hidden",)) == []

    own.encryption.decrypt()
    memory.in_folder(tmp_path / "wt").save({"topic": "in the clear"})
    assert places_of_words(tmp_path / "wt", words=("in the clear",)) != []


def test_a_checkout_of_a_branch_from_before_leaves_it_encrypted(tmp_path, clock):
    repository = make_repository(tmp_path / "app", tmp_path / "home")
    memory = Memory(tmp_path / "app", home=tmp_path / "home", clock=clock)
    memory.setup.init_git(["memory"])
    memory.save({"topic": "before"})
    repository.commit("plain")
    repository.branch("encrypted")
    memory.encryption.encrypt()
    repository.commit("encrypted")
    repository.git("checkout", "--quiet", "main")
    assert again(memory).settings.storage.encryption == "none"

    again(memory).save({"topic": "quokka hidden 短尾矮袋鼠"})

    words = ("quokka hidden", "短尾矮袋鼠")
    assert places_of_words(folder(memory), words=words) == []
    assert [hit.session.topic for hit in again(memory).search("quokka").hits] == [
        "quokka hidden 短尾矮袋鼠"
    ]


def test_a_fault_in_the_settings_turns_encryption_on_until_it_is_mended_only(encrypted, tmp_path):
    (tmp_path / "lib" / MEMORIES).mkdir(parents=True)
    config = tmp_path / "lib" / MEMORIES / "config.json"
    config.write_text("not JSON")
    encrypted.in_folder(tmp_path / "lib").workspace.save_root()
    config.write_text("{}")

    encrypted.in_folder(tmp_path / "lib").save({"topic": "in the clear"})

    assert places_of_words(tmp_path / "lib", words=("in the clear",)) != []


def test_a_note_that_can_not_be_read_counts(encrypted):
    (folder(encrypted) / "config.json").write_text(PLAIN_CONFIG)
    for note in Path(notes_folder(encrypted.workspace.home)).iterdir():
        note.unlink()
        note.mkdir()

    again(encrypted).save({"topic": "quokka hidden"})

    assert places_of_words(folder(encrypted), words=("quokka hidden",)) == []


def test_a_home_that_can_not_be_written_keeps_nothing_from_being_encrypted(encrypted):
    notes = Path(notes_folder(encrypted.workspace.home))
    shutil.rmtree(notes)
    notes.write_text("in the way")

    again(encrypted).save({"topic": "quokka hidden"})

    assert places_of_words(folder(encrypted), words=("quokka hidden",)) == []


def test_the_global_memory_is_noted_too(filled):
    filled.encryption.encrypt(scope="global")
    Path(filled.workspace.global_root.config).write_text(PLAIN_CONFIG)

    again(filled).save({"topic": "quokka hidden"}, scope="global")

    assert places_of_words(Path(filled.workspace.global_root.path), words=("quokka hidden",)) == []


def test_who_encrypts_nothing_has_no_notes(filled):
    filled.encryption.decrypt()

    assert not os.path.exists(notes_folder(filled.workspace.home))


def test_the_global_memory_can_be_encrypted_and_a_project_plain(filled):
    filled.save({"topic": "for all"}, scope="global")
    filled.encryption.encrypt(scope="global")

    filled.in_folder("").config.set("storage.encryption", "none")

    plain = again(filled).save({"topic": "shared in git"})
    sealed = again(filled).save({"topic": "only mine"}, scope="global")
    assert not files.is_sealed(Path(plain.path).read_bytes())
    assert files.is_sealed(Path(sealed.path).read_bytes())


def test_a_server_keeps_no_text_of_an_encrypted_memory(encrypted, monkeypatch):
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -(10**12))  # as if it were written long ago
    with long_lived():
        found = encrypted.search("quokkacode zebrafish").hits
        said = encrypted.observations.search("quokkacode zebrafish").hits
        assert found
        assert {hit.record.kind for hit in said} == {"decision", "session"}
        del found, said
        gc.collect()

        # Named tuples are what a search makes of sections, records and their words.
        kept = [
            each
            for each in gc.get_objects()
            if isinstance(each, tuple) and type(each) is not tuple
            for part in each
            if isinstance(part, str) and any(word in part for word in SECRET_WORDS)
        ]

    assert kept == []
