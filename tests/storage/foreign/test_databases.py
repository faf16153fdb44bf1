"""Other people's databases: what they hold comes out, and nothing in or beside them changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from pathlib import Path

import pytest

from daily_memory.core.digests.messages import Message
from daily_memory.core.imports.trae_mem import TraeMemSession
from daily_memory.core.imports.transcripts import Transcript
from daily_memory.core.observation import Observation
from daily_memory.errors import BackendError, InvalidInputError, NotFoundError
from daily_memory.storage.foreign import databases
from daily_memory.storage.foreign.databases import TraeMem
from tests.conversations import (
    CHINESE,
    add_claude_mem,
    add_cursor,
    add_prompts,
    add_trae_mem,
    make_claude_mem,
    make_cursor,
    make_trae_mem,
    put,
)

BEGAN = datetime(2026, 1, 20, 1, tzinfo=timezone.utc)
SAID = tuple(Message(role, text) for role, text in CHINESE)


@pytest.fixture
def trae(tmp_path: Path) -> Path:
    path = tmp_path / "t" / "trae.sqlite3"
    with make_trae_mem(path) as database:
        add_trae_mem(database, "t1", "/p", ("user", "登录失败", 0), ("decision", "用 Redis", 0))
        database.execute("INSERT INTO summaries VALUES ('s', 't1', 1, 'brief', '修复登录')")
    database.close()
    return path


def opened(path: Path) -> AbstractContextManager[TraeMem]:
    return databases.trae_mem(str(path), lambda moment: moment)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_trae_mem_is_read_and_left_as_it_was(trae):
    before = contents(trae.parent)

    with opened(trae) as database:
        kept = database.load("t1")

    assert database.sessions == ("t1",)
    assert (kept.conversation, kept.began, kept.folder) == (
        "t1",
        BEGAN,
        "/p",
    )
    assert [(one.kind, one.text, one.event) for one in kept.observations] == [
        ("user", "登录失败", "t1-0"),
        ("decision", "用 Redis", "t1-1"),
    ]
    assert kept.summaries == (("brief", "修复登录"),)
    assert contents(trae.parent) == before


def test_a_session_that_is_gone_by_now_is_empty(trae):
    with opened(trae) as database:
        assert database.load("t9") == TraeMemSession("t9")


def test_an_older_or_newer_form_costs_only_what_it_lacks(tmp_path):
    path = tmp_path / "old.sqlite3"
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE sessions (id TEXT PRIMARY KEY, colour TEXT);
            CREATE TABLE observations (session_id TEXT, kind TEXT, content TEXT, mood TEXT);
            INSERT INTO sessions VALUES ('t1', 'blue');
            INSERT INTO observations VALUES ('t1', 'user', '登录失败', 'glum'),
                ('t1', 'exception', 'E401', NULL), ('t2', 'note', 'of no session', NULL);
            """
        )
    database.close()

    with opened(path) as found:
        kept = [found.load(name) for name in found.sessions]

    assert kept == [
        TraeMemSession(
            "t1",
            observations=(
                Observation("", "user", "登录失败", event="t1:1"),
                Observation("", "error", "E401", event="t1:2"),
            ),
        ),
        TraeMemSession(
            "t2", observations=(Observation("", "note", "of no session", event="t2:3"),)
        ),
    ]


@pytest.mark.parametrize("with_prompts", [True, False])
def test_claude_mem_is_read_also_from_before_it_kept_prompts(tmp_path, with_prompts):
    path = tmp_path / "c.db"
    with make_claude_mem(path, with_prompts=with_prompts) as made:
        add_claude_mem(made, "s1", "shop")
        if with_prompts:
            add_prompts(made, "s1", "给购物车加缓存", "and tests")
    made.close()

    with databases.claude_mem(str(path)) as database:
        transcript = database.load("s1")
        assert database.load("gone") == Transcript("gone", "claude-mem")

    asked = ["给购物车加缓存", "and tests"] if with_prompts else ["加一个缓存"]
    assert [message.content for message in transcript.messages] == asked
    assert (transcript.project, transcript.began) == ("shop", BEGAN)
    assert dict(transcript.given) == {
        "topic": "给购物车加缓存",
        "summary": "Redis cache added",
        "key_points": ("TTL 用秒计算", "TTL was in milliseconds"),
        "decisions": ("Redis for the cart: 缓存 300 秒",),
        "next_steps": ("压测缓存",),
        "files": ("cart.py", "cache.py"),
    }


# ---------------------------------------------------------------------------- Cursor


def test_cursor_keeps_each_message_in_a_row(tmp_path):
    with make_cursor(tmp_path / "User") as made:
        add_cursor(made, "c1", CHINESE, workspaceIdentifier={"uri": {"fsPath": "/p"}})
        add_cursor(made, "helper", CHINESE)
        add_cursor(made, "c2", CHINESE[:1], subagentComposerIds=["helper"])
        add_cursor(made, "draft", ())
        put(made, "composerData:gone", None)
        put(made, "composerData:odd", [1])
        put(made, "bubbleId:c1:orphan", {"type": 1, "text": "deleted"})
        made.execute("DELETE FROM cursorDiskKV WHERE key = 'bubbleId:c2:0'")
    made.close()

    with databases.cursor(str(tmp_path / "User/globalStorage/state.vscdb")) as database:
        loaded = [database.load(name) for name in (*database.conversations, "gone")]

    assert database.conversations == ("c1", "c2")
    assert loaded == [
        Transcript("c1", "cursor", BEGAN, "/p", SAID),
        Transcript("c2", "cursor", BEGAN),
        Transcript("gone", "cursor"),
    ]


def test_cursor_tells_folders_at_several_places(tmp_path):
    user = tmp_path / "User"
    with make_cursor(user) as made:
        for name in ("by-head", "by-id", "unknown"):
            add_cursor(made, name, CHINESE)
        made.execute("CREATE TABLE composerHeaders (composerId TEXT, workspaceId TEXT, value TEXT)")
        head = '{"workspaceIdentifier": {"uri": {"fsPath": "/head"}}}'
        made.executemany(
            "INSERT INTO composerHeaders VALUES (?, ?, ?)",
            [("by-head", "w1", head), ("by-id", "w1", None), ("unknown", "empty-window", "odd")],
        )
    made.close()
    for name, text in (
        ("w1", '{"folder": "file:///h/%E9%A1%B9%E7%9B%AE"}'),
        ("w3", '{"workspace": "file:///x.code-workspace"}'),
        ("w4", "broken"),
    ):
        window = user / "workspaceStorage" / name
        window.mkdir(parents=True)
        (window / "workspace.json").write_text(text)
    (user / "workspaceStorage" / "w0").mkdir()

    with databases.cursor(str(user / "globalStorage/state.vscdb")) as database:
        folders = {name: database.load(name).folder for name in database.conversations}

    assert folders == {"by-head": "/head", "by-id": "/h/项目", "unknown": ""}


# ---------------------------------------------------------------------------- opening


def test_a_program_that_runs_is_read_with_and_not_held_up(trae):
    writer = sqlite3.connect(trae)
    writer.execute("PRAGMA journal_mode=WAL")
    add_trae_mem(writer, "t2", "/p", ("user", "still in the log", 0))
    before = sorted(os.listdir(trae.parent))

    with opened(trae) as database:
        add_trae_mem(writer, "t3", "/p", ("user", "written while we read", 0))
        (of_t3,) = database.load("t3").observations

    assert database.sessions == ("t1", "t2")
    assert of_t3.text == "written while we read"
    assert sorted(os.listdir(trae.parent)) == before
    writer.close()


def test_a_log_left_by_a_kill_is_read_from_a_copy(trae, tmp_path):
    writer = sqlite3.connect(trae)
    writer.execute("PRAGMA journal_mode=WAL")
    add_trae_mem(writer, "t2", "/p", ("user", "still in the log", 0))
    killed = tmp_path / "killed"
    killed.mkdir()
    for name in (trae.name, f"{trae.name}-wal"):
        shutil.copy(trae.parent / name, killed / name)
    writer.close()
    before = contents(killed)

    with opened(killed / trae.name) as database:
        sessions = database.sessions

    assert sessions == ("t1", "t2")
    assert contents(killed) == before


def test_a_database_that_has_a_log_but_is_closed_gets_no_files_beside_it(trae):
    writer = sqlite3.connect(trae)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.close()
    before = contents(trae.parent)

    with opened(trae) as database:
        assert database.sessions == ("t1",)
        assert sorted(contents(trae.parent)) == sorted(before)

    assert contents(trae.parent) == before


def test_a_copy_that_keeps_changing_is_given_up(trae, monkeypatch):
    (trae.parent / f"{trae.name}-wal").write_bytes(b"")
    copy = shutil.copyfile

    def meanwhile(source: str, target: str) -> None:
        copy(source, target)
        with open(trae, "ab") as file:
            file.write(b"\0")

    monkeypatch.setattr(shutil, "copyfile", meanwhile)

    with pytest.raises(BackendError) as caught, opened(trae):
        pass

    assert "is being written to" in caught.value.message


def test_a_missing_database_is_not_made(tmp_path):
    with pytest.raises(NotFoundError), opened(tmp_path / "gone.db"):
        pass

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"not a database at all" * 100, b"\0" * 5000])
def test_what_is_no_database_is_told(tmp_path, data):
    path = tmp_path / "x.db"
    path.write_bytes(data)

    with pytest.raises(InvalidInputError) as caught, databases.claude_mem(str(path)):
        pass

    assert "not an SQLite database, or is damaged" in caught.value.message


def test_a_database_of_another_program_is_told(trae):
    with pytest.raises(InvalidInputError) as caught, databases.claude_mem(str(trae)):
        pass

    assert "is not a claude-mem database: 'sdk_sessions' is missing" in (caught.value.message)


def test_a_database_that_is_damaged_inside_is_told(trae):
    with sqlite3.connect(trae) as database:
        for number in range(200):
            add_trae_mem(database, f"more-{number}", "/p", ("user", "x" * 500, 0))
    database.close()
    data = bytearray(trae.read_bytes())
    data[8192:-4096] = b"\xff" * (len(data) - 8192 - 4096)
    trae.write_bytes(data)

    with pytest.raises(InvalidInputError):
        load_all(trae)


def load_all(path: Path) -> list[TraeMemSession]:
    with opened(path) as database:
        return [database.load(name) for name in database.sessions]


def test_a_database_that_somebody_writes_to_without_a_log_is_waited_for(trae, monkeypatch):
    monkeypatch.setattr(databases, "BUSY_S", 0.01)
    writer = sqlite3.connect(trae)
    writer.execute("BEGIN EXCLUSIVE")

    with pytest.raises(BackendError) as caught, opened(trae):
        pass

    assert "locked" in caught.value.message
    assert "close trae-mem" in caught.value.hint
    writer.close()


def test_bytes_that_are_no_text_cost_only_themselves(trae):
    with sqlite3.connect(trae) as database:
        database.execute(
            "INSERT INTO observations VALUES ('o', 't1', 9, 'user', NULL, CAST(x'61ff62' AS TEXT),"
            " 0, NULL)"
        )
    database.close()

    with opened(trae) as read:
        assert read.load("t1").observations[0].text == "a\ufffdb"


def test_a_session_whose_name_is_no_text_is_none(trae):
    with sqlite3.connect(trae) as database:
        for name in (b"\x01", ""):
            database.execute("INSERT INTO sessions (id, started_at) VALUES (?, 1)", (name,))
    database.close()

    with opened(trae) as read:
        assert read.sessions == ("t1",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("beside", ["-wal", "-shm", "-journal"])
def test_a_pipe_beside_a_database_is_not_waited_for(trae, beside):
    os.mkfifo(f"{trae}{beside}")

    with pytest.raises(BackendError, match="is not a regular file"), opened(trae):
        pass


@pytest.mark.parametrize(
    ("opener", "program"),
    [
        (lambda path: databases.trae_mem(path, lambda moment: moment), "trae-mem"),
        (databases.claude_mem, "claude-mem"),
        (databases.cursor, "Cursor"),
    ],
)
def test_a_missing_database_is_named_by_its_program(tmp_path, opener, program):
    path = str(tmp_path / "gone.db")

    with pytest.raises(NotFoundError) as caught, opener(path):
        pass

    assert caught.value.message == f"no {program} database {path!r}"
