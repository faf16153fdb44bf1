"""The mirror: live sessions, observations and summaries in SQLite, for full-text search.

It is derived from the day files and from `observations/`, and can be deleted at any time.
`services/reading/mirror.py` keeps it current. SQLite lets one process write at a time; its
write-ahead log lets others read meanwhile. No private text is ever stored here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

from daily_memory.core.record import Record, RecordFilters, day_of, seconds
from daily_memory.core.search import text
from daily_memory.core.search.observation_ranking import searched_text
from daily_memory.errors import BackendError, ConflictError
from daily_memory.storage import mirror_terms
from daily_memory.storage.fs import files, sqlite
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.fs.sqlite import BUSY_S, sqlite3
from daily_memory.storage.mirror_terms import TermIndex
from daily_memory.storage.roots import Root

# Goes up with every change of the tables; so does `text.VERSION` with the splitting into terms.
SCHEMA = 3
_VERSION = SCHEMA * 1000 + text.VERSION
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE sources (
    name TEXT PRIMARY KEY, size INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL, checksum INTEGER NOT NULL, is_sure INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started_at INTEGER NOT NULL,
    ended_at INTEGER, project_path TEXT, meta_json TEXT, source TEXT NOT NULL, at TEXT NOT NULL,
    conversation TEXT NOT NULL, host TEXT NOT NULL, project TEXT NOT NULL, topic TEXT NOT NULL,
    tags_json TEXT, private INTEGER NOT NULL DEFAULT 0, ended TEXT NOT NULL,
    digested TEXT NOT NULL, skipped TEXT NOT NULL
);
CREATE INDEX sessions_by_source ON sessions (source);
CREATE INDEX sessions_by_project ON sessions (project);
CREATE TABLE observations (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL,
    ts INTEGER NOT NULL, kind TEXT NOT NULL, tool_name TEXT, content TEXT NOT NULL,
    private INTEGER NOT NULL DEFAULT 0, tags_json TEXT, files_json TEXT, at TEXT NOT NULL,
    day TEXT NOT NULL, place INTEGER NOT NULL, begins INTEGER NOT NULL, checksum INTEGER NOT NULL,
    FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX observations_by_session ON observations (session_id, place);
CREATE INDEX observations_by_day ON observations (day);
CREATE INDEX observations_by_kind ON observations (kind, day);
CREATE INDEX observations_by_tool ON observations (tool_name, day) WHERE tool_name IS NOT NULL;
CREATE TABLE observation_tags (
    tag TEXT NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (tag, key),
    FOREIGN KEY (key) REFERENCES observations (key) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX observation_tags_by_key ON observation_tags (key);
CREATE TABLE summaries (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    level TEXT NOT NULL, content TEXT NOT NULL,
    FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX summaries_by_session ON summaries (session_id);
"""
_TABLES = ("meta", "sources", "sessions", "observations", "observation_tags", "summaries", "words")


class BusyError(ConflictError):
    """Another process was writing the mirror for too long."""

    code = "busy"


class UnusableError(BackendError):
    """A newer version made the mirror."""


class MirroredFile(NamedTuple):
    """A file as it was when it was mirrored; `checksum` is the CRC-32 of its bytes.

    `is_sure`: no later change can have the same stamp.
    """

    name: str
    stamp: Stamp
    checksum: int
    is_sure: bool


class SessionRow(NamedTuple):
    """A live session, or a section of a day file. Times are seconds since 1970."""

    id: str
    started_at: int
    ended_at: int | None
    project_path: str | None
    meta_json: str | None
    source: str
    at: str
    conversation: str
    host: str = ""
    project: str = ""
    topic: str = ""
    tags_json: str | None = None
    private: bool = False
    ended: str = ""
    digested: str = ""
    skipped: str = ""


class SummaryRow(NamedTuple):
    """What a session was about; `level` is `brief` or `detailed`."""

    session_id: str
    created_at: int
    level: str
    content: str


class MirroredRecord(NamedTuple):
    """A record with its place in its session and the byte at which its line begins."""

    place: int
    begins: int
    record: Record

    @property
    def checksum(self) -> int:
        """A checksum of all of it."""
        return crc32(repr(self).encode("utf-8", "backslashreplace"))


translated = partial(sqlite.translated, "the mirror", "memory mirror rebuild", BusyError)


class MirrorDatabase:
    """An open mirror, for one thread at a time; see `opened`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.index = TermIndex(connection)

    @contextlib.contextmanager
    def writing(self, wait_s: float = BUSY_S) -> Iterator[None]:
        """Hold SQLite's write lock; commit at the end, roll back after an error."""
        with translated():
            self._connection.execute(f"PRAGMA busy_timeout = {int(wait_s * 1000)}")
            with self._transaction("BEGIN IMMEDIATE"):
                yield

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Read one consistent state, whatever others write meanwhile."""
        with translated(), self._transaction("BEGIN"):
            yield

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._connection.execute(begin)
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # SQLite itself rolls back when the disk is full.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        finally:
            self.index.known.clear()

    def stamps(self) -> tuple[dict[str, Stamp], list[str]]:
        """Return the stamp of each mirrored file, and the names of those not sure."""
        rows = self._rows("SELECT name, size, modified_ns, changed_ns, is_sure FROM sources")
        return {row[0]: row[1:4] for row in rows}, [row[0] for row in rows if not row[4]]

    def file(self, name: str) -> MirroredFile | None:
        """Return a mirrored file, None if it was not mirrored."""
        rows = self._rows("SELECT * FROM sources WHERE name = ?", (name,))
        return MirroredFile(name, rows[0][1:4], rows[0][4], bool(rows[0][5])) if rows else None

    def put_file(self, file: MirroredFile) -> None:
        row = (file.name, *file.stamp, file.checksum, file.is_sure)
        self._change("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?)", row)

    def forget(self, name: str) -> None:
        """Remove a file and everything that came from it."""
        self._remove("session_id IN (SELECT id FROM sessions WHERE source = ?)", (name,))
        self._change("DELETE FROM sessions WHERE source = ?", (name,))
        self._change("DELETE FROM sources WHERE name = ?", (name,))

    def meta(self, name: str) -> int:
        """Return a stored number, 0 for none."""
        rows = self._rows("SELECT value FROM meta WHERE name = ?", (name,))
        return int(rows[0][0]) if rows else 0

    def note(self, name: str, value: int) -> None:
        self._change("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def counts(self) -> dict[str, int]:
        """Return the number of rows of the main tables, and of private rows."""
        tables = ("sessions", "observations", "summaries")
        counted = {table: self._rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables}  # noqa: S608  # constants
        return {**counted, "private": counted["observations"] - self.meta("count")}

    def purge(self) -> None:
        """Erase all words of removed records from the file."""
        if not self.meta("is_purged"):
            self.index.command("optimize")
            self.note("is_purged", 1)

    def empty_log(self) -> None:
        """Truncate the write-ahead log, unless others are reading."""
        with translated():
            self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def is_sound(self) -> bool:
        """Tell whether SQLite finds no damage. Call it within `writing`."""
        try:
            for table in _TABLES:
                self._rows(f"SELECT * FROM {table} LIMIT 0")  # noqa: S608  # a constant
            self.index.command("integrity-check")
            return self._rows("PRAGMA quick_check") == [("ok",)]
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return False

    def put_session(self, row: SessionRow) -> None:
        changes = ", ".join(f"{name} = excluded.{name}" for name in row._fields[1:])
        sql = (
            f"INSERT INTO sessions ({_SESSION_COLUMNS}) VALUES ({_marks(row)})"  # noqa: S608  # names of columns
            f" ON CONFLICT (id) DO UPDATE SET {changes}"
        )
        self._change(sql, map(_clean, row))

    def put_summaries(self, rows: Iterable[SummaryRow]) -> None:
        for row in rows:
            values = (f"{row.session_id}/{row.level}", *map(_clean, row))
            self._change("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)", values)

    def put_observations(self, session_id: str, rows: Sequence[MirroredRecord]) -> None:
        """Make these the observations of a session."""
        sql = "SELECT id, checksum FROM observations WHERE session_id = ?"
        stored = dict(self._rows(sql, (session_id,)))
        checksums = {row.record.id: row.checksum for row in rows}
        stale = [id_ for id_, checksum in stored.items() if checksums.get(id_) != checksum]
        for id_ in stale:
            self._remove("id = ?", (id_,))
        indexed = []
        for row in rows:
            record = row.record
            if stored.get(record.id) == checksums[record.id]:
                continue
            key = self._insert(session_id, row, checksums[record.id])
            tags = dict.fromkeys(_clean(tag.casefold()) for tag in record.tags)
            self._connection.executemany(
                "INSERT INTO observation_tags VALUES (?, ?)", ((tag, key) for tag in tags)
            )
            if not record.private:
                indexed.append((key, _terms(record.text, record.tool, record.tags)))
        self.index.add(indexed)
        self._count(len(indexed), sum(len(terms) for _, terms in indexed))

    def _insert(self, session_id: str, row: MirroredRecord, checksum: int) -> int:
        record = row.record
        values = (
            record.id,
            session_id,
            int(seconds(record.at)),
            record.kind,
            record.tool or None,
            record.text,
            record.private,
            format_list(record.tags),
            format_list(record.files),
            record.at,
            day_of(record.at) or session_id[:10],
            row.place,
            row.begins,
            checksum,
        )
        sql = (
            "INSERT INTO observations (id, session_id, ts, kind, tool_name, content, private,"  # noqa: S608  # only question marks are put in
            f" tags_json, files_json, at, day, place, begins, checksum) VALUES ({_marks(values)})"
        )
        cursor = self._connection.execute(sql, tuple(map(_clean, values)))
        return int(cursor.lastrowid or 0)

    def _remove(self, where: str, values: Sequence[object]) -> None:
        columns = "key, content, tool_name, tags_json"
        sql = f"SELECT {columns} FROM observations WHERE {where} AND NOT private"  # noqa: S608  # a constant
        rows = self._rows(sql, values)
        removed = [
            (key, _terms(content, tool or "", _parse(tags))) for key, content, tool, tags in rows
        ]
        if removed:
            self.index.remove(removed)
            self._count(-len(removed), -sum(len(terms) for _, terms in removed))
            self.note("is_purged", 0)
        self._change(f"DELETE FROM observations WHERE {where}", values)  # noqa: S608  # a constant

    def _count(self, observations: int, terms: int) -> None:
        sql = "UPDATE meta SET value = value + ? WHERE name = ?"
        self._connection.executemany(sql, ((observations, "count"), (terms, "terms")))

    def find(self, terms: Sequence[str], limit: int, filters: RecordFilters) -> list[int]:
        """Return the keys of the observations with any of the terms, best BM25 first."""
        return self.index.find(terms, limit, *_conditions(filters))

    def passing(self, keys: Sequence[int], filters: RecordFilters) -> frozenset[int]:
        """Return those of the observations that pass the filters."""
        if not any(filters):
            return frozenset(keys)
        where, values = _conditions(filters)
        sql = f"SELECT key FROM observations WHERE {where} AND key IN"  # noqa: S608  # as above
        return frozenset(key for (key,) in self._some(sql, keys, values))

    def records(self, keys: Sequence[int]) -> dict[int, MirroredRecord]:
        rows = self._some(f"{_RECORDS} WHERE o.key IN", keys)
        found = {row[0]: MirroredRecord(row[1], row[2], _record(row[3:])) for row in rows}
        return {key: found[key] for key in keys if key in found}

    def keys_beside(self, places: Iterable[tuple[str, int]]) -> list[int]:
        """Return the keys of the neighbouring records, without private ones."""
        beside = [(session, near) for session, at in places for near in (at - 1, at + 1)]
        found: list[int] = []
        for start in range(0, len(beside), 200):
            part = beside[start : start + 200]
            marks = ", ".join(["(?, ?)"] * len(part))
            # Written as a join, since SQLite does not look up pairs in a list by an index.
            sql = (
                f"WITH beside (session_id, place) AS (VALUES {marks})"  # noqa: S608  # as above
                " SELECT o.key FROM beside AS b CROSS JOIN observations AS o"
                " ON o.session_id = b.session_id AND o.place = b.place WHERE NOT o.private"
            )
            values = [value for pair in part for value in pair]
            found += [key for (key,) in self._rows(sql, values)]
        return sorted(set(found))

    def _some(
        self, sql: str, values: Sequence[object], before: Sequence[object] = ()
    ) -> list[tuple[Any, ...]]:
        """Return the rows for a list of values, in batches that SQLite accepts."""
        found: list[tuple[Any, ...]] = []
        for start in range(0, len(values), 500):
            part = values[start : start + 500]
            found += self._rows(f"{sql} ({_marks(part)})", (*before, *part))
        return found

    def _rows(self, sql: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, tuple(values)).fetchall()

    def _change(self, sql: str, values: Iterable[object] = ()) -> None:
        self._connection.execute(sql, tuple(values))


_SESSION_COLUMNS = ", ".join(SessionRow._fields)
_RECORDS = (
    "SELECT o.key, o.place, o.begins, o.id, o.at, o.kind, o.content, s.conversation, o.tool_name,"
    " s.project, o.files_json, o.tags_json, o.private"
    " FROM observations AS o JOIN sessions AS s ON s.id = o.session_id"
)


def _terms(content: str, tool: str, tags: Sequence[str]) -> tuple[str, ...]:
    return tuple(text.terms(_clean(searched_text(content, tool, tags))))


def _record(row: Sequence[Any]) -> Record:
    id_, at, kind, content, conversation, tool, project, files_json, tags_json, private = row
    return Record(
        id_,
        at,
        kind,
        content,
        conversation,
        tool=tool or "",
        project=project,
        files=_parse(files_json),
        tags=_parse(tags_json),
        private=bool(private),
    )


def _conditions(filters: RecordFilters) -> tuple[str, list[object]]:
    """Return what the filters ask of an observation, with the values.

    By the `+`, SQLite looks up observations by their keys, and not by these columns.
    """
    projects = f"IN (SELECT id FROM sessions WHERE project IN ({_marks(filters.projects)}))"  # noqa: S608  # only question marks are put in
    tag = "+key IN (SELECT key FROM observation_tags WHERE tag = ?)"
    conditions: list[tuple[str, Sequence[str]]] = [
        (f"+kind IN ({_marks(filters.kinds)})", filters.kinds),
        (f"+tool_name IN ({_marks(filters.tools)})", filters.tools),
        ("+day >= ?", [filters.first_day] if filters.first_day else []),
        ("+day <= ?", [filters.last_day] if filters.last_day else []),
        (f"+session_id {projects}", filters.projects),
        *((tag, [name.casefold()]) for name in filters.tags),
    ]
    given = [(condition, values) for condition, values in conditions if values]
    cleaned = [_clean(value) for _, values in given for value in values]
    return " AND ".join(condition for condition, _ in given), cleaned


def _clean(value: Any) -> Any:
    """Return a value that SQLite accepts: without unpaired surrogates."""
    return files.to_bytes(value).decode() if isinstance(value, str) else value


def format_list(values: Sequence[str]) -> str | None:
    if not values:
        return None
    import json  # most observations have neither tags nor files

    return json.dumps([_clean(value) for value in values], ensure_ascii=False)


def _parse(told: str | None) -> tuple[str, ...]:
    if not told:
        return ()
    import json  # as above

    try:
        return tuple(json.loads(told))
    except ValueError as error:
        raise sqlite3.DatabaseError("a list is not JSON") from error


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def mirror_path(root: Root) -> str:
    return root.in_index("mirror.sqlite3")


@contextlib.contextmanager
def opened(root: Root) -> Iterator[MirrorDatabase]:
    """Open the mirror of a root; create it if there is none, or an older one."""
    with contextlib.closing(_open(root)) as connection:
        yield MirrorDatabase(connection)


def _open(root: Root) -> sqlite3.Connection:
    path = mirror_path(root)
    for _ in range(3):
        if _is_to_make(path):
            with locked(root, wait_s=BUSY_S):
                if _is_to_make(path):
                    create(root)
        before = _identity(path)
        check_not_newer(path)
        connection = connect(path)
        # It was replaced meanwhile: the log may belong to the other file.
        if before == _identity(path):
            return connection
        connection.close()
    raise BusyError("the mirror is being rebuilt all the time", hint="try again")


def _identity(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return status.st_dev, status.st_ino


def _is_to_make(path: str) -> bool:
    """Tell whether there is no usable mirror: none, an older one, or a link."""
    if os.path.islink(path) or not os.path.isfile(path):
        return True
    return 0 <= _version(path) < _VERSION


def _version(path: str) -> int:
    """Return the version of a mirror, -1 for no database."""
    with files.stream(path, most=files.ANY_SIZE) as file:
        head = file.read(100)
    # Bytes 60 to 63 are what `PRAGMA user_version` gives (https://www.sqlite.org/fileformat.html).
    if head and not head.startswith(b"SQLite format 3\0"):
        return -1
    return int.from_bytes(head[60:64], "big")


def check_not_newer(path: str) -> None:
    """Raise UnusableError if a newer version made the mirror."""
    if _version(path) > _VERSION:
        message = "index/mirror.sqlite3 is of a newer version and was left alone"
        raise UnusableError(message, hint="update Daily Memory, or run `memory mirror drop`")


def connect(path: str) -> sqlite3.Connection:
    """Connect to an existing mirror."""
    with translated():
        connection = sqlite.connect(path, autocommit=True)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            # What a power cut takes of it is rebuilt from the files.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")
        except BaseException:
            connection.close()
            raise
    return connection


def create(root: Root) -> None:
    """Create an empty mirror, replacing any other. Needs the root's lock."""
    path = mirror_path(root)
    remove(root)
    files.make_empty(path, root.modes)
    connection = connect(path)
    try:
        with translated():
            connection.execute("PRAGMA journal_mode = WAL")
            notes = "INSERT INTO meta VALUES ('is_purged', 1), ('count', 0), ('terms', 0);"
            version = f"PRAGMA user_version = {_VERSION};"
            tables = f"{_SCHEMA}{mirror_terms.SCHEMA}"
            connection.executescript(f"BEGIN IMMEDIATE; {tables}{notes}{version} COMMIT;")
    finally:
        connection.close()


def remove(root: Root) -> bool:
    """Remove the mirror; tell whether there was one. Needs the root's lock."""
    path = mirror_path(root)
    was_there = os.path.isfile(path)
    # The log first: beside a new database, SQLite would apply it.
    for ending in ("-wal", "-shm", ""):
        files.remove(f"{path}{ending}")
    return was_there
