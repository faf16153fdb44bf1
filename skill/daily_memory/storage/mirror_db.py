"""The mirror: live sessions, observations and summaries in SQLite, for full-text search.

It is derived from the day files and from `observations/`, and may be deleted at any time. For each
of these files it notes what it was made from; `services/reading/mirror.py` compares. The words of a
search are in `storage/mirror_terms.py`. SQLite's own lock lets one process write at a time, and
its write-ahead log lets all others read meanwhile. Nothing here knows a private text.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.record import Record
from daily_memory.core.search import text
from daily_memory.core.search.observation_ranking import searched_text
from daily_memory.errors import BackendError, ConflictError, DamagedDataError
from daily_memory.storage import mirror_terms
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.fs.sqlite import check_sqlite, sqlite3
from daily_memory.storage.mirror_terms import Index, Totals
from daily_memory.storage.roots import Root

# Goes up with every change of the tables; the way of cutting terms counts as one.
SCHEMA = 1
_VERSION = SCHEMA * 1000 + text.VERSION
# How long a process waits for another one that writes.
BUSY_S = 5.0
_IDLE_CONNECTIONS = 4
# So many observations are listed in no time.
_FEW = 2000
_BUSY = lazy_pattern("locked|busy")
# What SQLite says where not the mirror is at fault but the disk or its owner.
_REFUSED = lazy_pattern("full|readonly|unable to open|disk I/O")
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE sources (
    name TEXT PRIMARY KEY, size INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL, read INTEGER NOT NULL, lines INTEGER NOT NULL,
    checksum INTEGER NOT NULL, answer INTEGER NOT NULL, is_sure INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started_at INTEGER NOT NULL,
    ended_at INTEGER, project_path TEXT, meta_json TEXT, source TEXT NOT NULL, at TEXT NOT NULL,
    conversation TEXT NOT NULL, host TEXT NOT NULL, project TEXT NOT NULL, topic TEXT NOT NULL,
    tags_json TEXT, private INTEGER NOT NULL DEFAULT 0, ended TEXT NOT NULL,
    digested TEXT NOT NULL, skipped TEXT NOT NULL, is_summarized INTEGER NOT NULL
);
CREATE INDEX sessions_by_source ON sessions (source);
CREATE INDEX sessions_by_project ON sessions (project);
CREATE INDEX sessions_to_summarize ON sessions (key) WHERE NOT is_summarized;
CREATE TABLE observations (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL,
    ts INTEGER NOT NULL, kind TEXT NOT NULL, tool_name TEXT, content TEXT NOT NULL,
    private INTEGER NOT NULL DEFAULT 0, tags_json TEXT, files_json TEXT, at TEXT NOT NULL,
    day TEXT NOT NULL, place INTEGER NOT NULL, begins INTEGER NOT NULL, mark INTEGER,
    FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX observations_by_session ON observations (session_id, place);
CREATE INDEX observations_by_mark ON observations (mark) WHERE mark IS NOT NULL;
CREATE INDEX private_observations ON observations (session_id, place) WHERE private;
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
    """Another process writes the mirror, and went on doing so for longer than we wait."""

    code = "busy"


class UnusableError(BackendError):
    """The mirror is there, and not for us: a newer version or another SQLite made it."""


class Source(NamedTuple):
    """A file as it was when it was mirrored.

    `read` is how many of its bytes are mirrored, in whole lines, `lines` how many lines these are,
    `checksum` their CRC-32. `answer` is where the last answer begins that no question followed, -1
    without one. `is_sure`: no change since can hide behind the same stamp. A file whose `read` is 0
    can't be continued: a change of it is read whole.
    """

    name: str
    stamp: Stamp
    read: int = 0
    lines: int = 0
    checksum: int = 0
    answer: int = -1
    is_sure: bool = False


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
    is_summarized: bool = True


class ObservationRow(NamedTuple):
    """An observation. `place` counts those of its session, `begins` is the byte of its line.

    `mark` is a number that those share which might be the same, None for a private one. `tags` and
    `files` come as they are; `terms` are what is searched, none of a private one.
    """

    id: str
    session_id: str
    ts: int
    kind: str
    tool_name: str
    content: str
    private: bool
    tags: tuple[str, ...]
    files: tuple[str, ...]
    at: str
    day: str
    place: int
    begins: int
    mark: int | None
    terms: tuple[str, ...]


class SummaryRow(NamedTuple):
    """What a session was about; `level` is `brief` or `detailed`."""

    session_id: str
    created_at: int
    level: str
    content: str


class Mirrored(NamedTuple):
    """An observation with its place in its session and the byte at which its line begins."""

    place: int
    begins: int
    record: Record


class Filters(NamedTuple):
    """What observations must have to be found; empty means any. Days are `YYYY-MM-DD`."""

    kinds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    first_day: str = ""
    last_day: str = ""
    projects: tuple[str, ...] = ()


class Mirror:
    """An open mirror, for one thread at a time. `borrowed` gives one."""

    def __init__(self, connection: sqlite3.Connection, level: str) -> None:
        self._connection = connection
        self.index = Index(connection, level)

    def close(self) -> None:
        self._connection.close()

    @contextlib.contextmanager
    def writing(self, wait_s: float | None = None) -> Iterator[None]:
        """Hold SQLite's lock for writing; commit at the end, take all back after an error.

        Raises:
            BusyError: another process held it for all of `wait_s`, without it of BUSY_S.
        """
        wait_ms = int((BUSY_S if wait_s is None else wait_s) * 1000)
        with translated():
            self._connection.execute(f"PRAGMA busy_timeout = {wait_ms}")
            with self._transaction("BEGIN IMMEDIATE"):
                yield

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """See one state of the mirror, whatever others write meanwhile."""
        with translated(), self._transaction("BEGIN"):
            yield

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._connection.execute(begin)
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            self.index.known.clear()
            # SQLite itself takes back a transaction for which the disk had no room.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    # ------------------------------------------------------------------ what it was made from

    def stamps(self) -> tuple[dict[str, Stamp], list[str]]:
        """Return the stamp of each file that is mirrored, and which of them are not sure."""
        rows = self._rows("SELECT name, size, modified_ns, changed_ns, is_sure FROM sources")
        return {row[0]: row[1:4] for row in rows}, [row[0] for row in rows if not row[4]]

    def source(self, name: str) -> Source | None:
        """Return a file as it was mirrored, None where it is not."""
        rows = self._rows("SELECT * FROM sources WHERE name = ?", (name,))
        return _source(rows[0]) if rows else None

    def put_source(self, source: Source) -> None:
        row = (source.name, *source.stamp, *source[2:])
        self._change(f"INSERT OR REPLACE INTO sources VALUES ({_marks(row)})", row)  # noqa: S608  # only question marks are put in

    def forget(self, name: str) -> None:
        """Remove a file with all that came from it."""
        sql = (
            "SELECT o.key, o.content, o.tool_name, o.tags_json FROM observations AS o"
            " JOIN sessions AS s ON s.id = o.session_id WHERE s.source = ? AND NOT o.private"
        )
        rows = self._rows(sql, (name,))
        removed = [(key, _terms(content, tool, tags)) for key, content, tool, tags in rows]
        self.index.remove(removed)
        self._count(-len(removed), -sum(len(terms) for _, terms in removed))
        if removed:
            self.note("is_purged", 0)
        self._change("DELETE FROM sessions WHERE source = ?", (name,))
        self._change("DELETE FROM sources WHERE name = ?", (name,))

    def meta(self, name: str) -> int:
        """Return the number that was noted under a name, 0 for none."""
        rows = self._rows("SELECT value FROM meta WHERE name = ?", (name,))
        return int(rows[0][0]) if rows else 0

    def note(self, name: str, value: int) -> None:
        self._change("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def totals(self) -> Totals:
        """Return how many observations are indexed."""
        return Totals(self.meta("count"), self.meta("terms"))

    def counts(self) -> dict[str, int]:
        """Return how many rows each of the three tables has, and how many are private."""
        tables = ("sessions", "observations", "summaries")
        found = {table: self._rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables}  # noqa: S608  # constants
        return {**found, "private": found["observations"] - self.totals().observations}

    def purge(self) -> None:
        """Let no word of what was removed stay in the file."""
        if not self.meta("is_purged"):
            self.index.purge()
            self.note("is_purged", 1)

    def empty_log(self) -> None:
        """Let nothing stay in the log either, unless others read it at this moment."""
        with translated():
            self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def is_sound(self) -> bool:
        """Tell whether SQLite finds nothing wrong. Call it within `writing`."""
        try:
            for table in _TABLES:
                self._rows(f"SELECT * FROM {table} LIMIT 0")  # noqa: S608  # a constant
            return self._rows("PRAGMA quick_check") == [("ok",)] and self.index.is_sound()
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return False

    # ------------------------------------------------------------------ what is in it

    def put_session(self, row: SessionRow) -> None:
        """Add a session, or change the one with that id."""
        names = ", ".join(row._fields)
        changes = ", ".join(f"{name} = excluded.{name}" for name in row._fields[1:])
        sql = (
            f"INSERT INTO sessions ({names}) VALUES ({_marks(row)})"  # noqa: S608  # names of columns
            f" ON CONFLICT (id) DO UPDATE SET {changes}"
        )
        self._change(sql, map(_clean, row))

    def session(self, session_id: str) -> SessionRow | None:
        """Return a session, None where there is none."""
        names = ", ".join(SessionRow._fields)
        rows = self._rows(f"SELECT {names} FROM sessions WHERE id = ?", (session_id,))  # noqa: S608  # names of columns
        return SessionRow(*rows[0]) if rows else None

    def sessions_to_summarize(self) -> list[SessionRow]:
        """Return the sessions that are over and have no summaries yet."""
        names = ", ".join(SessionRow._fields)
        sql = f"SELECT {names} FROM sessions WHERE NOT is_summarized ORDER BY id"  # noqa: S608  # names of columns
        return [SessionRow(*row) for row in self._rows(sql)]

    def put_summaries(self, session_id: str, rows: Iterable[SummaryRow]) -> None:
        """Replace the summaries of a session."""
        self._change("DELETE FROM summaries WHERE session_id = ?", (session_id,))
        for row in rows:
            values = (f"{row.session_id}/{row.level}", *map(_clean, row))
            self._change("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)", values)

    def set_summarized(self, session_id: str, *, is_summarized: bool) -> None:
        """Note whether a session has the summaries that it should have."""
        sql = "UPDATE sessions SET is_summarized = ? WHERE id = ?"
        self._change(sql, (is_summarized, session_id))

    def add_observations(self, rows: Sequence[ObservationRow]) -> None:
        """Add observations to a session that is there."""
        indexed = []
        for row in rows:
            key = self._insert(row)
            tags = dict.fromkeys(_clean(tag.casefold()) for tag in row.tags)
            self._connection.executemany(
                "INSERT INTO observation_tags VALUES (?, ?)", ((tag, key) for tag in tags)
            )
            if not row.private:
                indexed.append((key, row.terms))
        self.index.add(indexed)
        self._count(len(indexed), sum(len(terms) for _, terms in indexed))

    def _insert(self, row: ObservationRow) -> int:
        values = (
            *map(_clean, row[:4]),
            _clean(row.tool_name) or None,
            _clean(row.content),
            row.private,
            format_list(row.tags),
            format_list(row.files),
            *map(_clean, row[9:14]),
        )
        cursor = self._connection.execute(_INSERT, values)
        return int(cursor.lastrowid or 0)

    def _count(self, observations: int, terms: int) -> None:
        """Add to the totals."""
        if observations:
            sql = "UPDATE meta SET value = value + ? WHERE name = ?"
            self._connection.executemany(sql, ((observations, "count"), (terms, "terms")))

    # ------------------------------------------------------------------ questions

    def lines_with_mark(self, session_id: str, mark: int) -> list[int]:
        """Return where the lines begin of those with a mark in a session, in their order."""
        # Left alone SQLite looks through all of the session.
        sql = (
            "SELECT begins FROM observations INDEXED BY observations_by_mark"
            " WHERE mark = ? AND session_id = ?"
        )
        return sorted(begins for (begins,) in self._rows(sql, (mark, session_id)))

    def private_lines(self, session_id: str) -> list[int]:
        """Return where the lines of the private observations of a session begin, in their order."""
        sql = "SELECT begins FROM observations WHERE session_id = ? AND private ORDER BY place"
        return [begins for (begins,) in self._rows(sql, (session_id,))]

    def last_observation(self, session_id: str) -> tuple[int, int]:
        """Return place and time of the last observation of a session, (-1, 0) without one."""
        sql = "SELECT place, ts FROM observations WHERE session_id = ? ORDER BY place DESC LIMIT 1"
        rows = self._rows(sql, (session_id,))
        return (int(rows[0][0]), int(rows[0][1])) if rows else (-1, 0)

    def find(self, terms: Sequence[str], limit: int, filters: Filters) -> list[int]:
        """Return the keys of the observations with any of the terms, by BM25 the best first."""
        if filters == Filters():
            return self.index.find(terms, self.totals(), limit)
        where, values = _conditions(filters)
        few = f"SELECT key FROM observations WHERE {where}"  # noqa: S608  # only question marks are put in
        sql = f"SELECT count(*) FROM ({few} LIMIT {_FEW + 1})"  # noqa: S608  # as above
        if self._rows(sql, values)[0][0] <= _FEW:
            return self.index.find(terms, self.totals(), limit, few, values)
        # Most pass: to look at the best until there are enough takes less than to list all that do.
        found: list[int] = []
        best = self.index.find(terms, self.totals(), -1)
        for start in range(0, len(best), _FEW):
            part = best[start : start + _FEW]
            passing = self.passing(part, filters)
            found += [key for key in part if key in passing]
            if len(found) >= limit:
                break
        return found[:limit]

    def passing(self, keys: Sequence[int], filters: Filters) -> frozenset[int]:
        """Return which of these observations the filters let through."""
        if filters == Filters():
            return frozenset(keys)
        where, values = _conditions(filters, "+")
        sql = f"SELECT key FROM observations WHERE {where} AND key IN"  # noqa: S608  # as above
        return frozenset(key for (key,) in self._some(sql, keys, values))

    def records(self, keys: Sequence[int]) -> dict[int, Mirrored]:
        """Return observations by their keys, in the order of these."""
        rows = self._some(f"{_RECORDS} WHERE o.key IN", keys)
        found = {row[0]: Mirrored(row[1], row[2], _record(row[3:])) for row in rows}
        return {key: found[key] for key in keys if key in found}

    def keys_beside(self, places: Iterable[tuple[str, int]]) -> list[int]:
        """Return the keys of what stands directly before or after, none of it private."""
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

    # ------------------------------------------------------------------ below

    def _some(
        self, sql: str, values: Sequence[object], before: Sequence[object] = ()
    ) -> list[tuple[Any, ...]]:
        """Return the rows for a list of values, of which SQLite takes only so many at once."""
        found: list[tuple[Any, ...]] = []
        for start in range(0, len(values), 500):
            part = values[start : start + 500]
            found += self._rows(f"{sql} ({_marks(part)})", (*before, *part))
        return found

    def _rows(self, sql: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, tuple(values)).fetchall()

    def _change(self, sql: str, values: Iterable[object] = ()) -> None:
        self._connection.execute(sql, tuple(values))


_COLUMNS = (
    *("id", "session_id", "ts", "kind", "tool_name", "content", "private", "tags_json"),
    *("files_json", "at", "day", "place", "begins", "mark"),
)
_INSERT = (
    f"INSERT INTO observations ({', '.join(_COLUMNS)})"  # noqa: S608  # names of columns
    f" VALUES ({', '.join('?' * len(_COLUMNS))})"
)
_RECORDS = (
    "SELECT o.key, o.place, o.begins, o.id, o.at, o.kind, o.content, s.conversation, o.tool_name,"
    " s.project, o.files_json, o.tags_json, o.private"
    " FROM observations AS o JOIN sessions AS s ON s.id = o.session_id"
)


def searched_terms(content: str, tool: str, tags: Sequence[str]) -> tuple[str, ...]:
    """Return the terms by which an observation is found."""
    return tuple(text.terms(_clean(searched_text(content, tool, tags))))


def _terms(content: str, tool: str | None, tags_json: str | None) -> tuple[str, ...]:
    return searched_terms(content, tool or "", _parse(tags_json))


def _source(row: Sequence[Any]) -> Source:
    return Source(row[0], (row[1], row[2], row[3]), row[4], row[5], row[6], row[7], bool(row[8]))


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


def _conditions(filters: Filters, sign: str = "") -> tuple[str, list[object]]:
    """Return what the filters ask of an observation, with the values.

    With `+` for a sign, SQLite does not look for what passes by these columns.
    """
    values: list[object] = []
    parts = []
    for column, wanted in (("kind", filters.kinds), ("tool_name", filters.tools)):
        if wanted:
            parts.append(f"{sign}{column} IN ({_marks(wanted)})")
            values += wanted
    for comparison, day in (("day >= ?", filters.first_day), ("day <= ?", filters.last_day)):
        if day:
            parts.append(f"{sign}{comparison}")
            values.append(day)
    if filters.projects:
        marks = _marks(filters.projects)
        parts.append(f"{sign}session_id IN (SELECT id FROM sessions WHERE project IN ({marks}))")  # noqa: S608  # as above
        values += filters.projects
    for tag in filters.tags:
        parts.append(f"{sign}key IN (SELECT key FROM observation_tags WHERE tag = ?)")  # noqa: S608  # as above
        values.append(tag.casefold())
    return " AND ".join(parts), [_clean(value) for value in values]


def _clean(value: Any) -> Any:
    """Return a value as SQLite takes it: half of a surrogate pair is no text to it."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode()
    return value


def format_list(values: Sequence[str]) -> str | None:
    """Return texts as a JSON array, None for none."""
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
        raise sqlite3.DatabaseError("a list is no JSON") from error


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            if _BUSY.search(str(error)):
                raise BusyError("another process writes the mirror", hint="try again") from error
            if _REFUSED.search(str(error)):
                raise BackendError(f"the mirror: {error}", hint="check the disk") from error
        hint = "run `memory mirror rebuild`"
        raise DamagedDataError(f"the mirror is damaged: {error}", hint=hint) from error
    except UnicodeDecodeError as error:
        # SQLite tells of a damaged table by its name, and that may be damaged too.
        hint = "run `memory mirror rebuild`"
        raise DamagedDataError("the mirror is damaged: a name is no text", hint=hint) from error


# ---------------------------------------------------------------------------- opening


def mirror_path(root: Root) -> str:
    """Return where the mirror of a root is, or would be."""
    return os.path.join(root.index_folder, "mirror.sqlite3")


class _Opened(NamedTuple):
    """A mirror, and which file it is: the one of that name may be another by now."""

    mirror: Mirror
    file: tuple[int, int]


# Connections at rest, by process and path: to open one costs more than what most calls do with it.
_idle: dict[tuple[int, str], list[_Opened]] = {}


@contextlib.contextmanager
def borrowed(root: Root) -> Iterator[Mirror]:
    """Lend the mirror of a root, made where there is none or only an older one.

    Raises:
        UnusableError: a newer version made it, or a SQLite that can more than this one.
        DamagedDataError: it is no database, or a damaged one.
        BackendError: the system refuses.
        ConflictError: it has to be made, and another process is busy in the root.
    """
    path = mirror_path(root)
    place = os.getpid(), path
    opened = _taken(place) or _open(root)
    try:
        yield opened.mirror
    except BaseException:
        opened.mirror.close()
        raise
    waiting = _idle.setdefault(place, [])
    if len(waiting) < _IDLE_CONNECTIONS:
        waiting.append(opened)
    else:
        opened.mirror.close()


def close_idle() -> None:
    """Close the connections at rest, as before the files are moved."""
    for place in [place for place in _idle if place[0] == os.getpid()]:
        for opened in _idle.pop(place):
            opened.mirror.close()


def _taken(place: tuple[int, str]) -> _Opened | None:
    waiting = _idle.get(place, [])
    # Another thread may take the last one between a look and a `pop`.
    with contextlib.suppress(IndexError):
        while True:
            opened = waiting.pop()
            if opened.file == _identity(place[1]):
                return opened
            opened.mirror.close()
    return None


def _identity(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return status.st_dev, status.st_ino


def _open(root: Root) -> _Opened:
    path = mirror_path(root)
    for _ in range(3):
        if _is_to_make(path):
            with locked(root, wait_s=BUSY_S):
                if _is_to_make(path):
                    create(root)
        before = _identity(path)
        mirror = _connected(path)
        # Put in its place meanwhile: its log might be that of the other.
        if before == _identity(path):
            return _Opened(mirror, before)
        mirror.close()
    raise BusyError("the mirror is being made anew all the time", hint="try again")


def _is_to_make(path: str) -> bool:
    """Tell whether there is no mirror, an older one, or a link, which is not followed."""
    if os.path.islink(path) or not os.path.isfile(path):
        return True
    return 0 <= _version(path) < _VERSION


def _version(path: str) -> int:
    """Return the version that a file says it has; -1 for what is no database."""
    with files.stream(path, most=files.ANY_SIZE) as file:
        head = file.read(100)
    # Bytes 60 to 63 are what `PRAGMA user_version` gives (https://www.sqlite.org/fileformat.html).
    if head and not head.startswith(b"SQLite format 3\0"):
        return -1
    return int.from_bytes(head[60:64], "big")


def check_not_newer(path: str) -> None:
    """See that no newer version made a mirror.

    Raises:
        UnusableError: one did.
    """
    if _version(path) > _VERSION:
        raise UnusableError(
            "index/mirror.sqlite3 is of a newer version and was left alone",
            hint="update Daily Memory, or run `memory mirror drop`",
        )


def _connected(path: str) -> Mirror:
    check_not_newer(path)
    connection = connect(path)
    try:
        with translated():
            row = connection.execute("SELECT value FROM meta WHERE name = 'level'").fetchone()
            level = mirror_terms.LEVELS[int(row[0])] if row else ""
        if not mirror_terms.is_usable(connection, level):
            raise UnusableError(
                "this SQLite lacks the full-text search that the mirror was made with",
                hint="run `memory mirror rebuild` to make it with what there is",
            )
    except BaseException:
        connection.close()
        raise
    return Mirror(connection, level)


def connect(path: str) -> sqlite3.Connection:
    """Return a connection to a mirror that is there."""
    # Left alone SQLite makes a file that is not there, with a mode that is not ours.
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    check_sqlite()
    with translated():
        connection = sqlite3.connect(
            f"file:{quoted}?mode=rw",
            timeout=BUSY_S,
            # One thread at a time, but not always the same.
            check_same_thread=False,
            isolation_level=None,
            uri=True,
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            # What a power cut takes of it is made again from the files.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")
        except BaseException:
            connection.close()
            raise
    return connection


def create(root: Root, best: str = mirror_terms.TRIGRAM) -> None:
    """Make an empty mirror in the place of any other. Call it with the root's lock held.

    `best` is the most that is wanted of this SQLite.
    """
    path = mirror_path(root)
    files.make_way(path)
    remove(root)
    files.make_empty(path, root.modes)
    connection = connect(path)
    try:
        with translated():
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            mirror_terms.run(connection, _SCHEMA)
            level = mirror_terms.make_tables(connection, best)
            number = mirror_terms.LEVELS.index(level)
            values = {"level": number, "is_purged": 1, "count": 0, "terms": 0}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
            connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.execute("COMMIT")
    finally:
        connection.close()


def remove(root: Root) -> bool:
    """Remove the mirror; tell whether there was one. Call it with the root's lock held."""
    path = mirror_path(root)
    was_there = os.path.isfile(path)
    # The log goes first: beside another database it would be read as part of that.
    for ending in _ENDINGS:
        files.remove(f"{path}{ending}")
    return was_there


def set_aside(root: Root) -> None:
    """Rename a damaged mirror, in the place of an older one. Call it with the root's lock held."""
    path = mirror_path(root)
    remove_damaged(root)
    for ending in _ENDINGS:
        with files.translated(path, "rename"), contextlib.suppress(FileNotFoundError):
            os.rename(f"{path}{ending}", f"{path}{_DAMAGED}{ending}")


def remove_damaged(root: Root) -> None:
    """Remove what was set aside. Call it with the root's lock held."""
    for ending in _ENDINGS:
        files.remove(f"{mirror_path(root)}{_DAMAGED}{ending}")


_ENDINGS = ("-wal", "-shm", "")
_DAMAGED = ".damaged"
