"""The database of the mirror: opened, lent, replaced by others, and its index of terms."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.record import Record, RecordFilters
from daily_memory.core.search import text
from daily_memory.errors import BackendError, DamagedDataError
from daily_memory.storage import mirror_db, mirror_terms
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.mirror_db import (
    BusyError,
    MirrorDatabase,
    MirroredFile,
    MirroredRecord,
    SessionRow,
    SummaryRow,
)
from daily_memory.storage.mirror_terms import TermIndex
from daily_memory.storage.roots import Root, project_root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """A root in an empty folder, whose name has all that an address must not have."""
    folder = tmp_path / "a %?#b"
    folder.mkdir()
    return project_root(str(folder))


def test_it_is_set_up_for_many_processes(root):
    with mirror_db.opened(root):
        connection = mirror_db.connect(mirror_db.mirror_path(root))
        names = ("journal_mode", "foreign_keys", "busy_timeout", "synchronous", "secure_delete")
        rows = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}
        connection.close()

    assert rows == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "busy_timeout": 5000,
        "synchronous": 1,
        "secure_delete": 1,
    }


def test_what_is_put_in_its_place_while_it_is_opened_is_opened_instead(root, monkeypatch):
    real = mirror_db.connect
    opened: list[str] = []

    def replaced(path: str) -> sqlite3.Connection:
        connection = real(path)
        if len(opened) < 3:
            opened.append(path)
            kept = Path(path).with_name(f"kept-{len(opened)}")
            kept.write_bytes(Path(path).read_bytes())
            os.replace(kept, path)
        return connection

    with locked(root):
        mirror_db.create(root)
    monkeypatch.setattr(mirror_db, "connect", replaced)
    with pytest.raises(BusyError) as caught, mirror_db.opened(root):
        pass
    assert caught.value.code == "busy"
    with mirror_db.opened(root) as lent:
        assert lent.meta("count") == 0


def test_another_that_made_it_first_is_no_trouble(root, monkeypatch):
    @contextlib.contextmanager
    def locked_late(root: Root, wait_s: float) -> Iterator[None]:
        with locked(root, wait_s=wait_s):
            mirror_db.create(root)
            connection = mirror_db.connect(mirror_db.mirror_path(root))
            with contextlib.closing(connection):
                MirrorDatabase(connection).note("theirs", 1)
            yield

    monkeypatch.setattr(mirror_db, "locked", locked_late)

    with mirror_db.opened(root) as opened:
        assert opened.meta("theirs") == 1


def test_what_the_system_refuses_is_told(root):
    with mirror_db.opened(root):
        pass
    path = mirror_db.mirror_path(root)

    with pytest.raises(BackendError, match="full"), mirror_db.translated():
        raise sqlite3.OperationalError("database or disk is full")
    os.unlink(path)
    os.mkdir(path)
    with pytest.raises(BackendError):
        mirror_db.check_not_newer(path)


def test_a_connection_that_can_not_be_set_up_is_closed(root, tmp_path):
    path = tmp_path / "x.sqlite3"
    path.write_bytes(b"no database at all, but long enough to be looked at" * 10)

    with pytest.raises(DamagedDataError):
        mirror_db.connect(str(path))
    with pytest.raises(BackendError):
        mirror_db.connect(str(tmp_path / "none.sqlite3"))


def fail(root: Root, statement: str) -> None:
    connection = mirror_db.connect(mirror_db.mirror_path(root))
    opened = MirrorDatabase(connection)
    with contextlib.closing(connection), opened.writing():
        opened.note("after", 1)
        connection.execute(statement)
        raise ZeroDivisionError


def test_a_transaction_that_fails_leaves_nothing(root):
    with mirror_db.opened(root) as opened, opened.writing():
        opened.note("before", 1)
    for statement in ("SELECT 1", "ROLLBACK"):  # which SQLite does itself where the disk is full
        with pytest.raises(ZeroDivisionError):
            fail(root, statement)

    with mirror_db.opened(root) as opened:
        assert (opened.meta("before"), opened.meta("after")) == (1, 0)


def test_the_log_is_emptied_while_the_mirror_is_open(root):
    log = Path(f"{mirror_db.mirror_path(root)}-wal")
    with mirror_db.opened(root) as opened:
        opened.note("word", 1)
        before = log.stat().st_size

        opened.empty_log()

        assert (before > 0, log.stat().st_size) == (True, 0)


def topics(root: Root) -> list[str]:
    """Return the topics of the sessions, as anybody reads them."""
    with contextlib.closing(mirror_db.connect(mirror_db.mirror_path(root))) as connection:
        return [topic for (topic,) in connection.execute("SELECT topic FROM sessions")]


def test_a_session_is_changed_under_its_id_and_forgotten_with_its_file(root):
    row = SessionRow("2026-01-29/c", 1, 2, "/app", "{}", "a.jsonl", "now", "c", private=True)
    said = MirroredRecord(0, 9, Record("2026-01-29/c:2", "now", "user", "缓存", "c"))
    file = MirroredFile("a.jsonl", (1, 2, 3), 4, False)
    with mirror_db.opened(root) as opened:
        with opened.writing():
            opened.put_file(file)
            opened.put_session(row)
            opened.put_session(row._replace(topic="half: \ud83d"))
            opened.put_observations(row.id, [said])
            opened.put_observations(row.id, [said])
            opened.put_summaries([SummaryRow(row.id, 1, "brief", "缓存")])
        before = opened.file("a.jsonl"), opened.stamps(), topics(root), opened.counts()
        with opened.writing():
            opened.forget("a.jsonl")
        after = opened.file("a.jsonl"), opened.stamps(), topics(root), opened.counts()

    counts = {"sessions": 1, "observations": 1, "summaries": 1, "private": 0}
    assert before == (file, ({"a.jsonl": (1, 2, 3)}, ["a.jsonl"]), ["half: ?"], counts)
    assert after == (None, ({}, []), [], dict.fromkeys(counts, 0))


def test_what_is_no_longer_said_is_neither_found_nor_in_the_file(root):
    row = SessionRow("a", 1, None, None, None, "a.jsonl", "", "a")
    kept, gone, changed = (
        MirroredRecord(n, 0, Record(f"{n}", "", "user", word, "a", tool="say"))
        for n, word in enumerate(("kafka", "nginx", "mongo"))
    )
    record = changed.record._replace(text="缓存", files=("é.py",))
    now = [kept, changed._replace(record=record)]
    with mirror_db.opened(root) as opened:
        with opened.writing():
            opened.put_session(row)
            for rows in ([kept, gone, changed], [kept, changed], now, now):
                opened.put_observations("a", rows)
        with opened.writing():
            opened.purge()
        opened.empty_log()
        words = ("kafka", "nginx", "mongo", "缓存", "say")
        found = [len(opened.find([word], 9, RecordFilters())) for word in words]
        (mirrored,) = opened.records(opened.find(["缓存"], 9, RecordFilters())).values()
        counts = opened.counts()
        data = Path(mirror_db.mirror_path(root)).read_bytes()

    assert (found, counts["observations"], counts["private"]) == ([1, 0, 0, 1, 2], 2, 0)
    assert mirrored.record.files == ("é.py",)
    assert [word for word in words if word.encode() in data] == ["kafka", "缓存", "say"]


@pytest.mark.parametrize(
    ("filters", "numbers"),
    [
        ({}, [1, 2, 3]),
        ({"kinds": ("user",)}, [1]),
        ({"kinds": ("tool", "user")}, [1, 2, 3]),
        ({"tools": ("bash",)}, [2]),
        ({"tools": ("bash", "edit")}, [2, 3]),
        ({"tags": ("REDIS",)}, [1, 3]),
        ({"tags": ("redis", "缓存")}, [3]),
        ({"first_day": "2026-01-29"}, [2, 3]),
        ({"last_day": "2026-01-29"}, [1, 2]),
        ({"first_day": "2026-01-29", "last_day": "2026-01-29"}, [2]),
        ({"projects": ("shop",)}, [1]),
        ({"projects": ("shop", "mall")}, [1, 2, 3]),
        ({"projects": ("mall",), "tags": ("redis",)}, [3]),
        ({"projects": ("other",)}, []),
    ],
)
def test_each_filter_leaves_the_observations_that_have_what_it_asks(root, filters, numbers):
    given = [
        ("a", "user", "", ("Redis",), "2026-01-28"),
        ("b", "tool", "bash", (), "2026-01-29"),
        ("b", "tool", "edit", ("redis", "缓存"), "2026-01-30"),
    ]
    with mirror_db.opened(root) as opened, opened.writing():
        for session, project in (("a", "shop"), ("b", "mall")):
            opened.put_session(
                SessionRow(session, 1, None, None, None, session, "", session, project=project)
            )
            opened.put_observations(
                session,
                [
                    MirroredRecord(
                        number,
                        0,
                        Record(f"{number}", day, kind, "word", of, tool=tool, tags=tags),
                    )
                    for number, (of, kind, tool, tags, day) in enumerate(given, 1)
                    if of == session
                ],
            )
        wanted = RecordFilters(**filters)
        keys = opened.find(["word"], 9, wanted)
        records = opened.records(sorted(keys))

        assert opened.passing([1, 2, 3], wanted) == set(keys)
        assert [(at.place, at.record.id) for at in records.values()] == [
            (number, f"{number}") for number in numbers
        ]
        assert opened.keys_beside([("b", 2), ("a", 9)]) == [3]


def test_many_observations_at_once_are_all_returned_in_the_order_asked_for(root):
    rows = [MirroredRecord(n, 0, Record(f"{n}", "", "user", "word", "a")) for n in range(1, 1202)]
    with mirror_db.opened(root) as opened, opened.writing():
        opened.put_session(SessionRow("a", 1, None, None, None, "a", "", "a", project="shop"))
        opened.put_observations("a", rows)
        keys = list(range(1201, 0, -1))

        assert [at.place for at in opened.records(keys).values()] == keys
        assert opened.passing(keys, RecordFilters(projects=("shop",))) == set(keys)
        beside = opened.keys_beside(("a", place) for place in range(2, 1201, 2))

    assert beside == list(range(1, 1202, 2))


def test_a_mirror_without_one_of_its_tables_is_not_sound(root):
    with mirror_db.opened(root) as opened, opened.writing():
        before = opened.is_sound()
    connection = mirror_db.connect(mirror_db.mirror_path(root))
    with contextlib.closing(connection):
        connection.execute("DROP TABLE observation_tags")

    with mirror_db.opened(root) as opened, opened.writing():
        assert (before, opened.is_sound()) == (True, False)


def test_words_that_another_connection_removed_are_added_again(root):
    row = [(1, ("redis", "缓存"))]
    with mirror_db.opened(root) as first, mirror_db.opened(root) as second:
        with first.writing():
            first.index.add(row)
        with second.writing():
            second.index.remove(row)
        with first.writing():
            first.index.add([(2, ("redis",))])
        assert first.index.vocabulary("", 1, 9) == ["redis"]


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:", isolation_level=None)
    made.executescript(mirror_terms.SCHEMA)
    yield made
    made.close()


def test_terms_are_found_whole_and_by_their_parts(connection):
    index = TermIndex(connection)
    index.add([(1, ("connectionpool", "缓", "存", "缓存")), (2, ("timeout", "100%", "a_b"))])

    assert index.frequencies(["缓存", "timeout", "none"]) == {"缓存": 1, "timeout": 1}
    assert index.containing("nectionpoo", 3) == ["connectionpool"]
    assert index.containing("100%", 3) == ["100%"]
    assert index.containing("%", 3) == index.containing("zzz", 3) == []
    assert index.find(["timeout", "缓存"], 9) == [2, 1]
    assert index.find([], 9) == index.find(['"'], 9) == []
    assert index.find(["缓\0存"], 9) == [1]
    index.command("integrity-check")
    index.remove([(1, ("connectionpool", "缓", "存", "缓存"))])
    index.command("optimize")
    assert index.vocabulary("", 0, 64) == ["100%", "a_b", "timeout"]
    assert index.find(["缓存"], 9) == []


def test_a_sqlite_without_fts5_is_no_damage():
    connection = sqlite3.connect(":memory:")

    with pytest.raises(BackendError, match="no such module"), mirror_db.translated():
        connection.execute("CREATE VIRTUAL TABLE x USING fts6(y)")
    connection.close()


@given(st.text())
def test_each_term_of_any_text_is_found_by_itself(said):
    terms = text.terms(said.encode("utf-8", "replace").decode())
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(mirror_terms.SCHEMA)
    index = TermIndex(connection)
    index.add([(1, terms)])

    assert index.frequencies(terms) == dict.fromkeys(terms, 1)
    assert all(index.find([term], 1) == [1] for term in terms)
    index.remove([(1, terms)])
    assert index.frequencies(terms) == {}
    connection.close()
