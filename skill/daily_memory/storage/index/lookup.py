"""The lookup cache: an inverted index in SQLite, so that a cold search reads only what it needs.

It is derived from the day files, knows their stamps, and can be deleted at any time. A posting is
one unsigned 32-bit number, `key << 8 | impact`: the key is a session in this cache, the impact
(1..255) the weight of the term in it. The postings of a term are in one row up to `MOST_POSTINGS`,
then in another, so that a new session touches short rows only. Which terms a session has is not
kept a second time: to remove one, the rows are searched for its key.
"""

from __future__ import annotations

import contextlib
import os
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import count, islice, zip_longest

from daily_memory.core.search import fields, text
from daily_memory.errors import BackendError, DamagedDataError, NotFoundError
from daily_memory.model import Session, SessionId, Span
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files, sqlite
from daily_memory.storage.fs.sqlite import sqlite3
from daily_memory.storage.index import keywords_json
from daily_memory.storage.roots import Root

# The days of so many sessions are in one row.
BLOCK = 512
# A longer row would not fit into a quarter of a page, and take pages of its own.
MOST_POSTINGS = 225
_MOST_BYTES = MOST_POSTINGS * array("I").itemsize
# Whether SQLite gives and takes a database as bytes: not before Python 3.11.
CAN_SEAL = hasattr(sqlite3.Connection, "serialize")
# Another order of bytes, or another way of cutting terms, makes the cache unreadable.
_VERSION = f"9/{text.VERSION}/{sys.byteorder}"
# See `_rows_with`.
_FEW = 20
# So many sessions are in memory with all their terms.
_TOGETHER = 200
# What a kept one remembers: answers of so many rows, and so many rows in all; a row is up to 1 kB.
_MOST_ROWS, _MOST_REMEMBERED = 1_000, 20_000
# How long to wait for another process that holds the file while a host waits.
_HURRY_S = 0.2
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE listed (
    month TEXT PRIMARY KEY, names TEXT NOT NULL, stamps BLOB NOT NULL, hashes TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, day INTEGER NOT NULL, number INTEGER NOT NULL,
    copy INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    start INTEGER NOT NULL, stop INTEGER NOT NULL, source BLOB NOT NULL,
    important INTEGER NOT NULL, tags TEXT NOT NULL, project TEXT NOT NULL,
    digest BLOB NOT NULL, lengths TEXT NOT NULL, entry BLOB NOT NULL,
    origin TEXT NOT NULL, chinese INTEGER NOT NULL
);
CREATE INDEX sessions_by_day ON sessions (day);
CREATE INDEX important_sessions ON sessions (key) WHERE important;
CREATE INDEX sessions_by_language ON sessions (chinese);
CREATE TABLE postings (
    term TEXT, first INTEGER, data BLOB NOT NULL, PRIMARY KEY (term, first)
) WITHOUT ROWID;
CREATE TABLE vocabulary (term TEXT PRIMARY KEY, frequency INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE blocks (block INTEGER PRIMARY KEY, days BLOB NOT NULL);
"""
# A new row, or more in the last one of the term.
_ADD_POSTINGS = f"""
INSERT INTO postings VALUES (?1, coalesce((
    SELECT first FROM (
        SELECT first, length(data) AS size FROM postings WHERE term = ?1 ORDER BY first DESC LIMIT 1
    ) WHERE size + length(?3) <= {_MOST_BYTES}
), ?2), ?3)
ON CONFLICT (term, first) DO UPDATE SET data = CAST(data || excluded.data AS BLOB)
"""  # noqa: S608  # a constant
_ADD_FREQUENCY = """
INSERT INTO vocabulary VALUES (?, ?)
ON CONFLICT (term) DO UPDATE SET frequency = frequency + excluded.frequency
"""


class Current(NamedTuple):
    """Where a section is now, in lines and in bytes of its file, and the digest of its lines."""

    copy: int
    first: int
    last: int
    start: int
    stop: int
    source: bytes


class Indexed(NamedTuple):
    """A section for the cache. `origin` is its author by git, "" for the user.

    `digest` is that of the session. A cache for one answer does without `keywords`.
    """

    session: Session
    current: Current
    digest: bytes
    impacts: Mapping[str, int]
    lengths: tuple[int, ...]
    keywords: Sequence[str] = ()
    origin: str = ""


class Place(NamedTuple):
    """Where a session is: day (an ordinal), number, copy, project, lines, origin, and bytes."""

    key: int
    day: int
    number: int
    copy: int
    project: str
    span: Span
    origin: str = ""
    start: int = 0
    stop: int = 0


class Filters(NamedTuple):
    """What sessions must have to be found; days are ordinals, both included."""

    first_day: int = 0
    last_day: int = 0
    tags: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()

    def has(self, session: Session) -> bool:
        """Tell whether a session passes."""
        return (
            self.first_day <= session.date.toordinal() <= (self.last_day or date.max.toordinal())
            and (not self.projects or session.project in self.projects)
            and {tag.casefold() for tag in self.tags} <= {tag.casefold() for tag in session.tags}
        )


NO_FILTERS = Filters()
_translated = partial(sqlite.translated, "the lookup cache", "memory reindex")


class Lookup:
    """An open cache. Whoever opens one closes it."""

    def __init__(
        self, connection: sqlite3.Connection, store: Callable[[bytes], None] | None = None
    ) -> None:
        self._connection = connection
        self._store = store
        self._totals: tuple[int, ...] = ()
        self._loaded_days: array[int] | None = None
        self._chinese: dict[int, bool] = {}
        self._put_back: Callable[[Lookup], None] | None = None
        self._remembered: dict[tuple[object, ...], list[tuple[Any, ...]]] = {}
        self._rows_left = _MOST_REMEMBERED

    def close(self) -> None:
        if self._put_back is None:
            self._connection.close()
            return
        self._connection.rollback()
        self._put_back(self)

    def keep_open(self, put_back: Callable[[Lookup], None] | None) -> None:
        """Instead of being closed, be put back, and remember what was read: see `kept`."""
        self._put_back = put_back

    # ------------------------------------------------------------------ what a search asks

    @property
    def count(self) -> int:
        return int(self._total_values()[0])

    @property
    def average_lengths(self) -> tuple[float, ...]:
        """Mean length of each field over all sessions, in terms."""
        count, *sums = self._total_values()
        return tuple(total / max(count, 1) for total in sums)

    @property
    def days(self) -> Sequence[int]:
        """The day of each session, as an ordinal, by key; 0 for an unused key."""
        if self._loaded_days is None:
            self._loaded_days = array("i")
            for (data,) in self._rows("SELECT days FROM blocks ORDER BY block"):
                self._loaded_days.frombytes(data)
        return self._loaded_days

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many sessions each term occurs, without those that occur nowhere."""
        wanted = list(dict.fromkeys(terms))
        found: dict[str, int] = {}
        # SQLite of some systems allows 999 parameters at the most.
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT term, frequency FROM vocabulary WHERE term IN ({marks})"  # noqa: S608  # only question marks are put in
            found.update(self._rows(sql, part))
        return found

    def postings(self, term: str) -> array[int]:
        """Return the postings of a term, each `key << 8 | impact`."""
        sql = "SELECT data FROM postings WHERE term = ? ORDER BY first"
        return _numbers(b"".join(data for (data,) in self._rows(sql, [term])))

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        """Return the terms of a length; with a character, the words that begin with it."""
        # Codes such as e4031 may be most of the terms, and a digit comes before all letters.
        least = f"{first}a" if first else ""
        last = chr(ord(first) + 1) if first else "\U0010ffff"
        # One long text takes less time, and less memory where it is kept, than many rows.
        sql = (
            "SELECT group_concat(term, char(10)) FROM vocabulary"
            " WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
        )
        return (self._rows(sql, [least, last, shortest, longest])[0][0] or "").split()

    def vocabulary_size(self) -> int:
        """Return how many terms there are."""
        return int(self._rows("SELECT count(*) FROM vocabulary")[0][0])

    def places(self, keys: Sequence[int]) -> list[Place]:
        """Return where these sessions are, in the order of the keys."""
        marks = ",".join("?" * len(keys))
        columns = "key, day, number, copy, project, first, last, origin, start, stop"
        sql = f"SELECT {columns} FROM sessions WHERE key IN ({marks})"  # noqa: S608  # only question marks are put in
        rows = self._rows(sql, keys)
        found = {
            key: Place(key, day, number, copy, project, Span(first, last), *rest)
            for key, day, number, copy, project, first, last, *rest in rows
        }
        return [found[key] for key in keys if key in found]

    def has_language(self, *, is_chinese: bool) -> bool:
        """Tell whether any session is mainly in Chinese, or not."""
        return bool(self._rows("SELECT 1 FROM sessions WHERE chinese = ? LIMIT 1", [is_chinese]))

    def in_language(self, keys: Sequence[int], *, is_chinese: bool) -> list[int]:
        """Return those of the sessions that are mainly in Chinese, or not, in their order."""
        # No key is ever that of another session: a server asks for each once.
        unknown = [key for key in keys if key not in self._chinese]
        if unknown:
            marks = ",".join("?" * len(unknown))
            sql = f"SELECT key, chinese FROM sessions WHERE key IN ({marks})"  # noqa: S608  # only question marks are put in
            self._chinese.update(self._rows(sql, unknown))
        return [key for key in keys if self._chinese.get(key) == is_chinese]

    def important_keys(self) -> frozenset[int]:
        return frozenset(key for (key,) in self._rows("SELECT key FROM sessions WHERE important"))

    def matching_keys(self, filters: Filters) -> frozenset[int] | None:
        """Return the sessions that pass the filters; None without filters."""
        if filters == NO_FILTERS:
            return None
        sql = "SELECT key, tags, project FROM sessions WHERE day BETWEEN ? AND ?"
        last = filters.last_day or date.max.toordinal()
        rows = self._rows(sql, [filters.first_day, last])
        wanted, names = {tag.casefold() for tag in filters.tags}, filters.projects
        return frozenset(
            key
            for key, tags, project in rows
            if (not names or project in names) and wanted <= set(tags.split())
        )

    # ------------------------------------------------------------------ what vectors are of

    def sections(self) -> list[tuple[int, int, bytes]]:
        """Return day, number and digest of every section."""
        return self._rows("SELECT day, number, digest FROM sessions ORDER BY day, number, copy")

    def keys_at(self, day: int, number: int) -> list[tuple[int, bytes]]:
        """Return the keys and digests of the sections with this number, most often one."""
        sql = "SELECT key, digest FROM sessions WHERE day = ? AND number = ?"
        return self._rows(sql, [day, number])

    def digests_of(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Return the digests of these sessions by key."""
        marks = ",".join("?" * len(keys))
        sql = f"SELECT key, digest FROM sessions WHERE key IN ({marks})"  # noqa: S608  # only question marks are put in
        return dict(self._rows(sql, keys))

    # ------------------------------------------------------------------ what it was made from

    def meta(self, name: str) -> str:
        """Return the value noted under a name, "" for none."""
        rows = self._rows("SELECT value FROM meta WHERE name = ?", [name])
        return str(rows[0][0]) if rows else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(filter(None, self.meta("warnings").split("\n")))

    def listing(self, month: str = "") -> tuple[str, bytes]:
        """Return the names of the day and index files noted last, a line each, and their stamps.

        Those of all months, or of one.
        """
        sql = (
            "SELECT names, stamps FROM listed WHERE ? IN ('', month) AND names != '' ORDER BY month"
        )
        rows = self._rows(sql, [month])
        return "\n".join([names for names, _ in rows]), b"".join([stamps for _, stamps in rows])

    def months(self) -> list[str]:
        """Return the months of the listing, oldest first; last comes that of the index files."""
        return [month for (month,) in self._rows("SELECT month FROM listed ORDER BY month")]

    def hashes(self, month: str = "") -> dict[str, str]:
        """Return the content hashes of the day files in the cache, or of a month, by name."""
        sql = "SELECT hashes FROM listed WHERE ? IN ('', month) ORDER BY month"
        lines = "\n".join([hashes for (hashes,) in self._rows(sql, [month])]).split("\n")
        return {name: value for name, _, value in (line.partition(" ") for line in lines) if name}

    def digests(self, day: date) -> dict[bytes, bytes]:
        """Return the digests of a day's sections in the cache, by those of their lines."""
        sql = "SELECT source, digest FROM sessions WHERE day = ?"
        return dict(self._rows(sql, [day.toordinal()]))

    def entry_lines(self, name: str) -> list[bytes]:
        """Return the entries of a day file for `keywords.json`, in its order."""
        sql = "SELECT entry, first, last FROM sessions WHERE day = ? ORDER BY first"
        rows = self._rows(sql, [date.fromisoformat(name[:10]).toordinal()])
        return [
            keywords_json.format_line(_unpacked(entry), Span(first, last))
            for entry, first, last in rows
        ]

    def origins(self) -> dict[SessionId, str]:
        """Return the origin of each section that others wrote, by id."""
        rows = self._rows("SELECT day, number, copy, origin FROM sessions WHERE origin != ''")
        return {
            SessionId(date.fromordinal(day), number, copy): origin
            for day, number, copy, origin in rows
        }

    def is_sound(self) -> bool:
        """Tell whether SQLite finds nothing wrong with the file."""
        try:
            return self._rows("PRAGMA quick_check") == [("ok",)]
        except DamagedDataError:
            return False

    # ------------------------------------------------------------------ changing it

    def begin(self) -> None:
        """Read one state until it is closed."""
        self._change("BEGIN")

    def begin_again(self) -> None:
        """Read one state of a kept cache, which nobody can change until it is closed."""
        self.begin()
        self._change("SELECT count(*) FROM meta")

    def keep_readable(self) -> None:
        """Let SQLite write nothing before the commit, so that others can read meanwhile."""
        self._change("PRAGMA cache_spill = 0")

    def keep(self, day: date, kept: Mapping[bytes, Current]) -> list[int]:
        """Update the lines of the sections of a day; return the keys of those not `kept`."""
        columns = "key, digest, copy, first, last, start, stop, source"
        sql = f"SELECT {columns} FROM sessions WHERE day = ?"  # noqa: S608  # a constant
        removed = []
        moved = []
        for key, digest, *place in self._rows(sql, [day.toordinal()]):
            if digest not in kept:
                removed.append(key)
            elif kept[digest] != tuple(place):
                moved.append((*kept[digest], key))
        values = "copy = ?, first = ?, last = ?, start = ?, stop = ?, source = ?"
        sql = f"UPDATE sessions SET {values} WHERE key = ?"  # noqa: S608  # a constant
        self._change_many(sql, moved)
        return removed

    def remove(self, keys: Sequence[int]) -> None:
        """Remove sections; many at once are cheaper."""
        dropped = set(keys)
        if not dropped:
            return
        removed: dict[str, int] = {}
        changed = []
        for term, first, data in self._rows_with(dropped):
            postings = _numbers(data)
            left = array("I", [posting for posting in postings if posting >> 8 not in dropped])
            if len(left) < len(postings):
                removed[term] = removed.get(term, 0) + len(postings) - len(left)
                changed.append((left.tobytes(), term, first))
        where = "WHERE term = ? AND first = ?"
        self._change_many(f"UPDATE postings SET data = ? {where}", changed)  # noqa: S608  # a constant
        empty = [place for data, *place in changed if not data]
        self._change_many(f"DELETE FROM postings {where}", empty)  # noqa: S608  # a constant
        self._change_many(
            "UPDATE vocabulary SET frequency = frequency - ? WHERE term = ?",
            [(count, term) for term, count in removed.items()],
        )
        terms = [(term,) for term in removed]
        self._change_many("DELETE FROM vocabulary WHERE term = ? AND frequency = 0", terms)
        sql = "SELECT lengths FROM sessions WHERE key = ?"
        lengths = [self._rows(sql, [key])[0][0].split() for key in dropped]
        self._count(-1, [tuple(map(int, each)) for each in lengths])
        self._change_many("DELETE FROM sessions WHERE key = ?", [(key,) for key in dropped])
        self._note_days(dict.fromkeys(dropped, 0))

    def add(self, added: Iterable[Indexed]) -> None:
        """Add sections; many at once are cheaper. Of each only its postings stay in memory."""
        row = self._rows("SELECT coalesce(max(key), -1) + 1 FROM sessions")[0]
        # A key is never used again, not even that of a last session that was removed: whoever
        # still holds the key must not find another session under it.
        first = max(int(row[0]), int(self.meta("next_key") or 0))
        postings: dict[str, array[int]] = defaultdict(partial(array, "I"))
        days: dict[int, int] = {}
        lengths: list[tuple[int, ...]] = []
        sql = f"INSERT INTO sessions VALUES ({','.join('?' * 17)})"  # noqa: S608  # only question marks are put in
        several = iter(added)
        while some := list(islice(several, _TOGETHER)):
            self._change_many(sql, map(_session_row, count(first + len(days)), some))
            for key, indexed in enumerate(some, first + len(days)):
                shifted = key << 8
                for term, impact in indexed.impacts.items():
                    postings[term].append(shifted | impact)
                days[key] = indexed.session.date.toordinal()
                lengths.append(indexed.lengths)
        if days:
            self._add_postings(postings)
            self._note_days(days)
            self._count(1, lengths)
            self.note(next_key=str(first + len(days)))

    def _add_postings(self, postings: Mapping[str, array[int]]) -> None:
        # In order of the primary key: SQLite then appends to its tree instead of searching it.
        terms = sorted(postings)
        rows = ((term, part) for term in terms for part in _parts(postings[term]))
        values = ((term, part[0] >> 8, part.tobytes()) for term, part in rows)
        self._change_many(_ADD_POSTINGS, values)
        frequencies = ((term, len(postings[term])) for term in terms)
        self._change_many(_ADD_FREQUENCY, frequencies)

    def note(self, **values: str) -> None:
        """Note values under names, for `meta`."""
        self._change_many("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    def note_listing(self, listed: Iterable[tuple[str, str, bytes, str]], *, is_all: bool) -> None:
        """Note month, names, stamps and hashes of files: of all there are, or of these months."""
        if is_all:
            self._change("DELETE FROM listed")
        self._change_many("INSERT OR REPLACE INTO listed VALUES (?, ?, ?, ?)", listed)

    def compact(self) -> None:
        """Give back the room that pages have left after many changes."""
        self._change("PRAGMA cache_spill = 1")
        with contextlib.suppress(BackendError):  # somebody reads: it stays larger
            self._change("VACUUM")

    def commit(self) -> None:
        with _translated():
            self._connection.commit()
        if self._store:
            self._store(self._connection.serialize())  # type: ignore[attr-defined]  # see CAN_SEAL
        self._totals, self._loaded_days = (), None

    def take_back(self) -> None:
        """Drop what was changed since the last commit."""
        with _translated():
            self._connection.rollback()
        self._totals, self._loaded_days = (), None

    # ------------------------------------------------------------------ below

    def _rows(self, sql: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        asked = (sql, *values)
        if asked in self._remembered:
            return self._remembered[asked]
        # What failed once is not kept.
        put_back, self._put_back = self._put_back, None
        with _translated():
            rows = self._connection.execute(sql, asked[1:]).fetchall()
        self._put_back = put_back
        if put_back and len(rows) <= _MOST_ROWS:
            if self._rows_left < 0:
                self._remembered.clear()
                self._rows_left = _MOST_REMEMBERED
            self._remembered[asked] = rows
            self._rows_left -= len(rows) + 1
        return rows

    def _change(self, sql: str, values: Iterable[object] = ()) -> None:
        with _translated():
            self._connection.execute(sql, tuple(values))

    def _change_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        with _translated():
            self._connection.executemany(sql, rows)

    def _total_values(self) -> tuple[int, ...]:
        if not self._totals:
            self._totals = tuple(map(int, (self.meta("totals") or "0").split()))
        return self._totals

    def _rows_with(self, keys: set[int]) -> list[tuple[str, int, bytes]]:
        """Return the rows of postings that may have one of some sessions."""
        # To search for few keys takes SQLite a tenth of the time that it takes to return all rows.
        # Sessions that were added together share the higher bytes of their keys.
        parts = {key.to_bytes(3, sys.byteorder) for key in keys}
        if len(parts) > _FEW:
            parts = {(key >> 8).to_bytes(2, sys.byteorder) for key in keys}
        few = sorted(parts) if len(parts) <= _FEW else []
        has_key = " OR ".join(["instr(data, ?)"] * len(few)) or "1"
        sql = f"SELECT term, first, data FROM postings WHERE first <= ? AND ({has_key})"  # noqa: S608  # only question marks are put in
        return self._rows(sql, [max(keys), *few])

    def _count(self, sign: int, lengths: Sequence[Sequence[int]]) -> None:
        """Add sessions of these lengths to the totals, or subtract them."""
        count, *sums = self._total_values()
        changes = [sign * sum(column) for column in zip(*lengths, strict=True)]
        sums = [total + change for total, change in zip_longest(sums, changes, fillvalue=0)]
        self._totals = (count + sign * len(lengths), *sums)
        self.note(totals=" ".join(map(str, self._totals)))

    def _note_days(self, days: Mapping[int, int]) -> None:
        """Note the day of each key; 0 for a key that is gone."""
        for block in sorted({key // BLOCK for key in days}):
            rows = self._rows("SELECT days FROM blocks WHERE block = ?", [block])
            noted = _numbers(rows[0][0], "i") if rows else array("i", bytes(4 * BLOCK))
            for key in range(block * BLOCK, (block + 1) * BLOCK):
                noted[key % BLOCK] = days.get(key, noted[key % BLOCK])
            sql = "INSERT OR REPLACE INTO blocks VALUES (?, ?)"
            self._change(sql, (block, noted.tobytes()))


# ---------------------------------------------------------------------------- opening


def lookup_path(root: Root) -> str:
    """Return where the cache of a root is, or would be."""
    return os.path.join(root.index_folder, "lookup.sqlite3")


def can_store(root: Root) -> bool:
    """Tell whether the cache of a root can be kept in a file."""
    return CAN_SEAL or not root.modes.is_sealed


def open_lookup(root: Root, *, is_hurried: bool = False) -> Lookup | None:
    """Return the cache of a root; None if there is none that can be used."""
    path = lookup_path(root)
    if not os.path.isfile(path) or not can_store(root):
        return None
    try:
        lookup = (
            _open_sealed(root)
            if root.modes.is_sealed
            else Lookup(_connect(path, is_hurried=is_hurried))
        )
    except (BackendError, NotFoundError, DamagedDataError):
        return None  # gone this very moment, or not ours to read
    try:
        if is_hurried:
            # One lock for all that is asked: on a network each of them takes its time.
            lookup.begin()
        if lookup.meta("version") == _VERSION:
            return lookup
    except BackendError:
        if is_hurried:
            lookup.close()
            raise
    except DamagedDataError:
        pass  # Garbage, or a file of another program: it is made anew like any other cache.
    lookup.close()
    return None


def create_lookup(root: Root) -> Lookup:
    """Return a new, empty cache in the place of any other. Call it with the lock held."""
    path = lookup_path(root)
    for name in (path, f"{path}-journal"):
        files.remove(name)
    if root.modes.is_sealed:
        return _initialised(sqlite3.connect(":memory:"), _store(root))
    files.make_empty(path, root.modes)
    return _initialised(_connect(path))


def purge(root: Root) -> None:
    """Erase every word of removed sections from the cache. Call it with the lock held."""
    opened = open_lookup(root)
    if opened is None:
        return
    try:
        with _translated():
            opened._connection.execute("VACUUM")
        opened.commit()
    finally:
        opened.close()


def _open_sealed(root: Root) -> Lookup:
    """Return the cache of an encrypted root, in memory: SQLite would write plain text."""
    data = files.read_bytes(lookup_path(root))
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    with _translated():
        connection.deserialize(data)  # type: ignore[attr-defined]  # see CAN_SEAL
        # Nor may what SQLite sorts go to a file.
        connection.execute("PRAGMA temp_store = MEMORY")
    return Lookup(connection, _store(root))


def _store(root: Root) -> Callable[[bytes], None] | None:
    if not CAN_SEAL:
        return None
    return lambda data: files.replace(lookup_path(root), data, root.modes)


def copy_in_memory(lookup: Lookup | None) -> Lookup:
    """Return a copy that can be changed where the file can't; an empty one without a file."""
    connection = sqlite3.connect(":memory:")
    if lookup is None:
        return _initialised(connection)
    with _translated():
        # A copy would wait without end for a file that is held: from here on nobody can.
        if not lookup._connection.in_transaction:
            lookup.begin()
        lookup.meta("version")
        lookup._connection.backup(connection)
    return Lookup(connection)


def _connect(path: str, *, is_hurried: bool = False) -> sqlite3.Connection:
    with _translated():
        return sqlite.connect(path, timeout_s=_HURRY_S if is_hurried else sqlite.BUSY_S)


def _initialised(
    connection: sqlite3.Connection, store: Callable[[bytes], None] | None = None
) -> Lookup:
    with _translated():
        # One transaction: of its own accord SQLite would make each statement durable.
        connection.executescript(f"BEGIN;{_SCHEMA}COMMIT;")
    lookup = Lookup(connection, store)
    lookup.note(version=_VERSION)
    lookup.commit()
    return lookup


def _session_row(key: int, indexed: Indexed) -> tuple[object, ...]:
    session = indexed.session
    shown = session._replace(origin=indexed.origin or session.origin)
    return (
        key,
        session.date.toordinal(),
        session.number,
        *indexed.current,
        session.is_important,
        " ".join(tag.casefold() for tag in session.tags),
        session.project,
        indexed.digest,
        " ".join(map(str, indexed.lengths)),
        _packed(keywords_json.format_entry(shown, indexed.keywords)),
        indexed.origin,
        fields.is_chinese(session),
    )


def _parts(postings: array[int]) -> Iterator[array[int]]:
    """Yield the postings of a term in parts that fit into a row."""
    for start in range(0, len(postings), MOST_POSTINGS):
        yield postings[start : start + MOST_POSTINGS]


def _numbers(data: bytes, kind: str = "I") -> array[int]:
    numbers = array(kind)
    numbers.frombytes(data)
    return numbers


def _packed(entry: bytes) -> bytes:
    import zlib  # only where something changes

    return zlib.compress(entry)


def _unpacked(entry: bytes) -> bytes:
    import zlib  # as above

    return zlib.decompress(entry)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
