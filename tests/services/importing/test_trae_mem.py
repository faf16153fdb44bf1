"""Migrating from trae-mem: nothing is lost on the way but secrets, and nothing comes twice."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daily_memory import BackendError, InvalidInputError, Memory, NotFoundError
from daily_memory.core.observation import Observation
from daily_memory.core.progress import progress_to
from daily_memory.storage import observations
from daily_memory.storage.fs import files
from daily_memory.storage.observations import LiveSession
from tests.conftest import sign
from tests.conversations import (
    CHINESE,
    ENGLISH,
    Said,
    add_observation,
    add_trae_mem,
    end_trae_mem,
    make_trae_mem,
)

TAGS = ("redis", "where=login", "off=false")
OTHER_PROJECT = ("of another project, or of none that is known", 1)
TOO_SHORT = (
    "the conversation is shorter than 3 turns (recording.min_conversation_length);"
    " what was observed is kept"
)


@pytest.fixture
def memory(tmp_path: Path, clock) -> Memory:
    (tmp_path / "app").mkdir()
    (tmp_path / "home").mkdir()
    return Memory(tmp_path / "app", home=tmp_path / "home", clock=clock, environment={})


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The database of trae-mem where it keeps it, open as if it ran."""
    connection = make_trae_mem(tmp_path / "home/.trae-mem/trae_mem.sqlite3")
    connection.execute("PRAGMA journal_mode=WAL")
    yield connection
    connection.close()


def asked(said: Said) -> list[tuple[str, str]]:
    return [("user", text) for role, text in said if role == "user"]


def live(memory: Memory, conversation: str = "t1") -> LiveSession:
    (found,) = [
        one for one in memory.observations.live_sessions() if one.conversation == conversation
    ]
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "index" not in path.parts
    }


def root(memory: Memory) -> Path:
    assert memory.workspace.project_root is not None
    return Path(memory.workspace.project_root.path)


# ---------------------------------------------------------------------------- what comes over


def test_a_session_comes_over_with_its_observations_summaries_and_times(memory, database, tmp_path):
    add_trae_mem(
        database,
        "t1",
        tmp_path / "app",
        ("user", "登录测试为什么失败？ password=hunter2xyz99"),
        ("tool", '输入={"file_path": "src/auth.py"}\n输出="x"', 0, "Read"),
        ("note", "[PRIVATE]", 1),
        ("decision", "token 有效期定为 300 秒"),
    )
    database.execute("UPDATE sessions SET meta_json = ?", ('{"source": "startup"}',))
    end_trae_mem(database, "t1", "- 修复登录", "- 修复登录\n- 改了 auth.py")

    result = memory.import_from("trae-mem")

    (found,) = memory.sessions()
    session = found.session
    assert result.ids == ("2026-01-20#1",)
    assert (result.observations, result.redactions) == (4, (("password", 1),))
    assert (session.time, session.conversation, session.source) == ("09:00:00", "t1", "trae-mem")
    assert (session.summary, session.notes[0].text) == ("- 修复登录", "- 改了 auth.py")
    assert session.decisions == ("token 有效期定为 300 秒",)
    assert session.tags == ("redis",)

    def at(second: int, kind: str, text: str, **more: Any) -> Observation:
        when = f"2026-01-20T09:00:0{second}+08:00"
        return Observation(when, kind, text, tags=TAGS, event=f"t1-{second}", **more)

    path = root(memory) / "observations/2026-01-20/t1.jsonl"
    assert live(memory) == LiveSession(
        str(path),
        "t1",
        "trae-mem",
        "app",
        "2026-01-20T09:00:00+08:00",
        (
            at(0, "user", "登录测试为什么失败？ password=[REDACTED:password]"),
            at(1, "tool", '输入={"file_path": "src/auth.py"}\n输出="x"', tool="Read")._replace(
                files=("src/auth.py",)
            ),
            at(2, "note", "[PRIVATE]", private=True),
            at(3, "decision", "token 有效期定为 300 秒"),
        ),
        digested="2026-01-20#1",
        skipped="it is being imported",
        ended="trae-mem",
        places=(2, 3, 4, 5),
        meta=json.dumps({"project_path": str(tmp_path / "app"), "source": "startup"}),
    )


def test_without_a_summary_the_session_is_digested(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE), ("decision", "用 Redis"))

    memory.import_from("trae-mem")

    (found,) = memory.sessions()
    assert found.session.topic == "登录测试为什么失败？"
    assert found.session.decisions == ("用 Redis", "我们决定 token 有效期定为 300 秒。")


def test_an_observation_is_found_by_the_id_that_it_had(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(ENGLISH))
    add_trae_mem(database, "t2", tmp_path / "app", *asked(CHINESE))
    memory.import_from("trae-mem")

    found = memory.observations.get(["t2-1", "t1-0", "gone", "2026-01-20#1", ""])

    assert [one.id for one in found] == ["2026-01-20/t2:3", "2026-01-20/t1:2", "2026-01-20#1"]
    assert [one.id for one in memory.observations.timeline("t1-0")] == [
        "2026-01-20/t1:2",
        "2026-01-20/t1:3",
        "2026-01-20/t1:4",
    ]
    with pytest.raises(NotFoundError):
        memory.observations.timeline("gone")


def test_what_is_found_in_one_memory_is_not_looked_for_in_the_next(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(ENGLISH))
    add_trae_mem(database, "t2", tmp_path / "shop", *asked(CHINESE))
    memory.import_from("trae-mem")
    memory.import_from("trae-mem", all_projects=True)

    assert [one.project for one in memory.observations.get(["t1-0", "t2-0"])] == ["app", "shop"]
    assert [one.project for one in memory.observations.get(["t1-0"])] == ["app"]


def test_private_blocks_that_trae_mem_let_through_are_hidden(memory, database, tmp_path):
    leak = '输入={"command": "echo <private>sk-SECRET-123456</private>"}\n输出="ok"'
    rows = (("tool", leak, 0, "Bash"), ("note", "begins <private>sk-SECRET-123456"))
    add_trae_mem(database, "t1", tmp_path / "app", *asked(ENGLISH), *rows, ("note", "goes on"))
    end_trae_mem(database, "t1", f"- Bash: {leak}", "<private>sk-SECRET-123456")

    memory.import_from("trae-mem")

    assert not any(b"SECRET" in data for data in contents(root(memory)).values())
    assert live(memory).observations[-1].text == "goes on"


def test_the_name_of_a_session_or_of_its_folder_may_be_private(memory, database, tmp_path):
    (tmp_path / "password=tulip-Bridge-42").mkdir()
    name = "<private>tulip</private>"
    add_trae_mem(database, name, tmp_path / "password=tulip-Bridge-42", *asked(ENGLISH))

    memory.import_from("trae-mem", all_projects=True)

    written = [
        path for path in Path(memory.workspace.global_root.path).rglob("*") if path.is_file()
    ]
    assert written
    assert all("tulip" not in f"{path}{path.read_bytes()!r}" for path in written)


def test_what_was_too_short_for_a_section_keeps_its_observations(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", ("user", "登录失败"))

    result = memory.import_from("trae-mem")

    assert (result.ids, result.observations, result.skipped) == ((), 1, ((TOO_SHORT, 1),))
    assert live(memory).skipped == TOO_SHORT.partition(";")[0]
    assert list(memory.sessions()) == []
    assert memory.import_from("trae-mem").present == 1


def test_a_session_of_nothing_but_stops_has_no_section(memory, database, tmp_path):
    root(memory).mkdir(parents=True)
    (root(memory) / "config.json").write_text('{"recording": {"min_conversation_length": 0}}')
    add_trae_mem(database, "t1", tmp_path / "app", ("note", "停止，原因=done"))

    result = memory.import_from("trae-mem")

    reason = "nothing that could be kept was said; what was observed is kept"
    assert result.skipped == ((reason, 1),)


def test_what_the_user_did_not_want_kept_is_passed_over(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE), ("user", "不要保存"))
    add_trae_mem(database, "t2", tmp_path / "app")

    result = memory.import_from("trae-mem")

    assert result.skipped == (
        ("nothing that could be kept was said", 1),
        ("the user said not to save this conversation", 1),
    )
    assert list(memory.observations.live_sessions()) == []


def test_whoever_imports_asks_for_it_also_where_auto_save_is_off(memory, database, tmp_path):
    root(memory).mkdir(parents=True)
    (root(memory) / "config.json").write_text('{"recording": {"auto_save": false}}')
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))

    assert len(memory.import_from("trae-mem").ids) == 1


# ---------------------------------------------------------------------------- which sessions


def test_sessions_of_other_projects_go_into_the_global_memory(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app" / "src", *asked(CHINESE))
    add_trae_mem(database, "t2", tmp_path / "shop", *asked(ENGLISH))
    add_trae_mem(database, "t3", "", *asked(ENGLISH))
    database.execute("UPDATE sessions SET project_path = NULL WHERE id = 't3'")
    database.commit()

    own = memory.import_from("trae-mem")
    others = memory.import_from("trae-mem", all_projects=True)
    again = memory.import_from("trae-mem", all_projects=True)

    sessions = {found.session.conversation: found for found in memory.sessions(scope="all")}
    assert own.skipped == ((OTHER_PROJECT[0], 2),)
    assert {name: found.session.project for name, found in sessions.items()} == {
        "t1": "",
        "t2": "shop",
        "t3": "",
    }
    assert (len(others.ids), others.present) == (2, 1)
    assert (again.ids, again.present) == ((), 3)


def test_of_a_session_in_two_files_the_first_one_is_taken(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    copy = tmp_path / "copy.sqlite3"
    with make_trae_mem(copy) as older:
        add_trae_mem(older, "t1", tmp_path / "app", asked(CHINESE)[0])
    older.close()

    own = str(tmp_path / "home/.trae-mem/trae_mem.sqlite3")
    result = memory.import_from("trae-mem", [own, str(copy)])

    assert (len(result.ids), result.observations) == (1, 3)


def test_a_session_that_tells_no_time_is_as_old_as_its_file(memory, tmp_path):
    path = tmp_path / "old.sqlite3"
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE sessions (id TEXT PRIMARY KEY);
            CREATE TABLE observations (session_id TEXT, kind TEXT, content TEXT);
            INSERT INTO observations VALUES ('t1', 'decision', '用 Redis');
            """
        )
    database.close()
    os.utime(path, (1768870800, 1768870800))

    result = memory.import_from("trae-mem", [str(path)], all_projects=True)

    assert result.ids == ("global:2026-01-20#1",)
    assert live_ids(memory.workspace.global_root) == ["2026-01-20/t1"]


def live_ids(of) -> list[str]:
    return [
        f"{day}/{Path(path).stem}"
        for day in observations.list_days(of)
        for path in observations.list_paths(of, day)
    ]


# ---------------------------------------------------------------------------- again


def test_importing_again_adds_nothing(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    add_trae_mem(database, "t2", tmp_path / "app", *asked(ENGLISH))
    end_trae_mem(database, "t2", "- done", "- done")
    memory.import_from("trae-mem")
    before = contents(root(memory))

    result = memory.import_from("trae-mem")

    assert (result.ids, result.present, result.observations) == ((), 2, 0)
    assert contents(root(memory)) == before


def test_a_session_that_went_on_stays_as_it_was_imported(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    memory.import_from("trae-mem")
    before = contents(root(memory))
    add_observation(database, "more", "t1", "decision", "TTL 定为 60 秒")
    end_trae_mem(database, "t1", "- 登录修好了", "")

    assert memory.import_from("trae-mem").present == 1
    assert contents(root(memory)) == before


def test_what_was_deleted_comes_back_if_it_is_asked_for_again(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    (imported,) = memory.import_from("trae-mem").ids
    memory.delete([imported])

    result = memory.import_from("trae-mem", again=True)

    assert (result.ids, result.observations) == (("2026-01-20#2",), 3)
    assert [one.event for one in live(memory).observations] == ["t1-0", "t1-1", "t1-2"]
    assert live(memory).digested == "2026-01-20#2"


@pytest.mark.parametrize("has_section", [False, True])
def test_an_import_that_was_killed_is_ended_by_the_next(memory, database, tmp_path, has_section):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    memory.import_from("trae-mem")
    whole = contents(root(memory))
    path = root(memory) / "observations/2026-01-20/t1.jsonl"
    path.write_bytes(path.read_bytes().rpartition(b'{"digested"')[0])
    if not has_section:
        (root(memory) / "daily/2026-01-20.md").unlink()

    memory.import_from("trae-mem")

    assert len(live(memory).observations) == 3
    assert live(memory).digested == f"2026-01-20#{1 if has_section else 2}"
    assert len(list(memory.sessions())) == 1
    assert not has_section or contents(root(memory)) == whole


def test_what_hooks_recorded_of_a_session_is_left_as_it_is(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    memory.start("t1")
    memory.log("用 Redis", kind="decision", conversation="t1")
    before = contents(root(memory))

    for again in (False, True):
        assert memory.import_from("trae-mem", again=again).present == 1
    assert contents(root(memory)) == before


def test_a_section_that_was_deleted_does_not_come_back(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    memory.import_from("trae-mem")
    (root(memory) / "daily/2026-01-20.md").unlink()
    add_observation(database, "more", "t1", "decision", "TTL 定为 60 秒")

    result = memory.import_from("trae-mem")

    assert (result.ids, result.present, result.observations) == ((), 1, 0)
    assert len(live(memory).observations) == 3


def test_what_was_deleted_does_not_come_back_with_its_observations(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    (imported,) = memory.import_from("trae-mem").ids
    memory.delete([imported])
    add_observation(database, "more", "t1", "decision", "TTL 定为 60 秒")

    for _ in range(2):
        result = memory.import_from("trae-mem")

        assert (result.ids, result.deleted) == ((), 1)
        assert live(memory).observations == ()


def test_a_session_refused_here_stays_so(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    path = root(memory) / "observations/2026-01-20/t1.jsonl"
    sign(memory)
    path.parent.mkdir(parents=True)
    path.write_text(
        observations.format_line(refused=True) + observations.format_line(skipped="refused")
    )

    assert memory.import_from("trae-mem").present == 1
    assert list(memory.sessions()) == []


# ---------------------------------------------------------------------------- all or nothing


def test_a_dry_run_tells_what_would_come_and_writes_nothing(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    done: list[tuple[int, int]] = []

    with progress_to(lambda *state: done.append(state)):
        result = memory.import_from("trae-mem", dry_run=True)

    assert [session.topic for session in result.sessions] == ["登录测试为什么失败？"]
    assert (result.ids, result.observations, done) == ((), 3, [(1, 1)])
    assert not (tmp_path / "app" / ".cursor").exists()


def test_a_day_that_can_not_be_written_takes_all_back(memory, database, tmp_path):
    memory.save({"topic": "another one", "date": "2026-01-20"})
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    memory.import_from("trae-mem")
    add_observation(database, "more", "t1", "decision", "TTL 定为 60 秒")
    add_trae_mem(database, "t2", tmp_path / "app", *asked(ENGLISH))
    database.execute("UPDATE sessions SET started_at = 1769000000 WHERE id = 't2'")
    database.commit()
    before = contents(root(memory))
    (root(memory) / "daily/2026-01-21.md").mkdir()

    with pytest.raises(BackendError):
        memory.import_from("trae-mem")

    assert contents(root(memory)) == before
    (root(memory) / "daily/2026-01-21.md").rmdir()
    assert memory.import_from("trae-mem").ids == ("2026-01-21#1",)


def test_a_file_that_can_not_be_noted_in_is_a_warning(memory, database, tmp_path):
    add_trae_mem(database, "t1", tmp_path / "app", *asked(CHINESE))
    path = root(memory) / "observations/2026-01-20/t1.jsonl"

    def disturb(*_: int) -> None:
        if path.is_file():  # the section stands, and is being indexed
            path.unlink()
            path.mkdir()

    with progress_to(disturb):
        result = memory.import_from("trae-mem")

    assert result.ids == ("2026-01-20#1",)
    assert "imported, but not noted so" in result.warnings[0]


def test_what_is_missing_or_no_database_of_trae_mem_is_told(memory, tmp_path):
    (tmp_path / "x.sqlite3").write_bytes(b"no database" * 500)

    with pytest.raises(NotFoundError):
        memory.import_from("trae-mem")
    with pytest.raises(InvalidInputError, match="not an SQLite database"):
        memory.import_from("trae-mem", [str(tmp_path / "x.sqlite3")])
    assert files.find_bytes(str(root(memory) / "daily")) is None
