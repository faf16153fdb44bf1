"""SQLite: any folder may hold a database, and each fault of it is told as what it is."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from daily_memory.errors import BackendError, ConflictError, DamagedDataError
from daily_memory.storage.fs import sqlite


@pytest.mark.parametrize("folder", ["c#", "what?", "100%20", "缓存 ü"])
def test_a_database_is_found_whatever_its_folder_is_called(tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / "x.sqlite3"
    path.parent.mkdir()
    path.touch()
    written = sqlite.connect(str(path), autocommit=True)
    written.execute("CREATE TABLE t (x)")

    read = sqlite.connect(str(path), is_read_only=True)

    assert read.execute("SELECT count(*) FROM t").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        read.execute("CREATE TABLE u (x)")
    read.close()
    written.close()


def test_a_database_that_is_missing_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        sqlite.connect(str(tmp_path / "x.sqlite3"))

    assert list(tmp_path.iterdir()) == []


def test_a_connection_serves_all_threads_and_keeps_what_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    path.touch()
    with sqlite.connect(str(path), autocommit=True) as made:
        made.execute("CREATE TABLE t (x)")
    opened = sqlite.connect(str(path))

    thread = threading.Thread(target=opened.execute, args=["INSERT INTO t VALUES (1)"])
    thread.start()
    thread.join()

    assert opened.in_transaction
    assert opened.execute("SELECT x FROM t").fetchall() == [(1,)]
    opened.close()
    assert made.execute("SELECT x FROM t").fetchall() == []
    made.close()


@pytest.mark.parametrize(
    ("fault", "kind", "message", "hint"),
    [
        (sqlite3.OperationalError("database is locked"), ConflictError, "in use", "try again"),
        (sqlite3.OperationalError("table is busy"), ConflictError, "in use", "try again"),
        (sqlite3.OperationalError("disk I/O error"), sqlite.ReadError, "disk I/O", "doctor"),
        (sqlite3.OperationalError("disk is full"), BackendError, "is full", "doctor"),
        (sqlite3.OperationalError("a readonly database"), BackendError, "readonly", "doctor"),
        (sqlite3.OperationalError("unable to open file"), BackendError, "unable", "doctor"),
        (sqlite3.OperationalError("no such module: fts5"), BackendError, "fts5", "doctor"),
        (sqlite3.OperationalError("no such table: t"), DamagedDataError, "damaged: no", "rebuild"),
        (sqlite3.DatabaseError("is busy"), DamagedDataError, "damaged: is busy", "rebuild"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), DamagedDataError, "not text", "rebuild"),
    ],
)
def test_each_fault_is_told_as_what_it_is(
    fault: Exception, kind: type[Exception], message: str, hint: str
) -> None:
    with (
        pytest.raises(kind, match=f"^the mirror.*{message}") as caught,
        sqlite.translated("the mirror", "memory mirror rebuild", ConflictError),
    ):
        raise fault

    assert type(caught.value) is kind
    assert hint in str(getattr(caught.value, "hint", ""))
