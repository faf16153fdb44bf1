"""A connection to the team's database, to push and to search records.

`schema.py` has the tables. psycopg is an extra, and loaded only here.
"""

# ruff: noqa: S608  # statements are made of constants; user text is always a parameter

from __future__ import annotations

import atexit
import contextlib
import json
import select
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from daily_memory.backends.team.schema import STEPS, VECTORS
from daily_memory.core.progress import with_progress
from daily_memory.core.record import SESSION, Record, RecordFilters, day_of
from daily_memory.core.search import text
from daily_memory.core.search.fusion import Cosines
from daily_memory.core.search.fuzzy import MOST_VOCABULARY
from daily_memory.core.search.observation_ranking import MOST_LEADING, Document, searched_text
from daily_memory.errors import BackendError, ConflictError, DailyMemoryError, InvalidInputError
from daily_memory.text import filled

if TYPE_CHECKING:
    import psycopg

# How many rows a statement gets, which needs them in memory twice.
_LOT = 2000
_LOCAL = ("", "localhost", "127.0.0.1", "::1")
_SETUP = "its owner runs `memory mirror setup`"
_COLUMNS = "project, author, source, id, kind, at, content, conversation, tool, origin, files, tags"


class SharedRecord(NamedTuple):
    """A record to push, redacted; `session` and `place` are those of its `Document`.

    `vectors` are those of its parts, made by `model`.
    """

    record: Record
    session: str
    place: int
    model: str = ""
    vectors: tuple[Sequence[float], ...] = ()

    def row(self) -> dict[str, object]:
        """Return the columns that only depend on the record."""
        record = self.record
        terms = text.terms(_clean(searched_text(record.text, record.tool, record.tags)))
        values = {
            "id": record.id,
            "kind": record.kind,
            "at": record.at,
            "content": _clean(record.text),
            "conversation": _clean(record.conversation),
            "tool": _clean(record.tool),
            "origin": _clean(record.origin),
            "files": [_clean(name) for name in record.files],
            "tags": [_clean(tag.casefold()) for tag in record.tags],
            "session": self.session,
            "place": self.place,
        }
        known = json.dumps([text.VERSION, values]).encode()
        checksum = int.from_bytes(blake2b(known, digest_size=8).digest(), "big", signed=True)
        return {
            **values,
            "checksum": checksum,
            "length": len(terms),
            "terms": sorted(dict.fromkeys(terms)),
        }


class Pushed(NamedTuple):
    """What a push changed: days that differed, and records that were added and removed."""

    days: int = 0
    added: int = 0
    removed: int = 0


class TeamDatabase:
    """An open connection, for one thread at a time. `opened` gives one."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def version(self) -> int:
        """Return the version of the schema, 0 if there is none."""
        if not self.rows("SELECT to_regclass('daily_memory.meta')")[0][0]:
            return 0
        return int(self.rows("SELECT version FROM daily_memory.meta")[0][0])

    def check(self, steps: Sequence[str] = STEPS) -> None:
        """Raise BackendError if the schema has another version than ours."""
        version = self.version()
        if version > len(steps):
            message = filled(
                "the team's database has schema {}, this program knows {}", version, len(steps)
            )
            raise BackendError(message, hint="update Daily Memory")
        if not version:
            message = "the team's database has no tables of Daily Memory yet"
            raise BackendError(message, hint=_SETUP)
        if version < len(steps):
            message = filled(
                "the team's database has schema {}, this program needs {}", version, len(steps)
            )
            raise BackendError(message, hint=_SETUP)

    def setup(self, steps: Sequence[str] = STEPS) -> int:
        """Create or upgrade the schema; return how many steps that took."""
        with self._connection.transaction():
            self.rows("SELECT pg_advisory_xact_lock(hashtextextended('daily_memory', 0))")
            version = self.version()
            if version > len(steps):
                self.check(steps)
            if not version:
                self._connection.execute("CREATE SCHEMA IF NOT EXISTS daily_memory")
            for step in steps[version:]:
                self._connection.execute(step.encode())
            if version < len(steps):
                self._change("UPDATE daily_memory.meta SET version = %s", len(steps))
            self._connection.execute(VECTORS.encode())
        return len(steps) - version

    def push(
        self,
        project: str,
        source: str,
        days: Mapping[str, str],
        load: Callable[[str], Iterable[SharedRecord]],
    ) -> Pushed:
        """Make the records of one clone of a project equal to its `days`.

        `days` has fingerprints by day. For each that differs, `load` returns the records, and
        changed ones are replaced in one transaction with the fingerprint. So an interrupted push
        leaves whole days, and the next one pushes the others. Records of the clone under another
        project name are removed, since the project was renamed.
        """
        if project not in self.rows("SELECT daily_memory.granted(%s, true)", [project])[0][0]:
            hint = "its owner grants that: INSERT INTO daily_memory.grants (docs/team.md)"
            raise BackendError("this role may not push to project {!r}", project, hint=hint)
        sql = "SELECT project, day::text FROM daily_memory.days WHERE author = session_user"
        elsewhere = self.rows(f"{sql} AND source = %s AND project <> %s", source, project)
        removed = sum(self._remove_day(name, source, day) for name, day in elsewhere)
        stored = self.fingerprints(project, source)
        total = Pushed(removed=removed)
        waiting = [day for day in sorted({*days, *stored}) if days.get(day) != stored.get(day)]
        for count, day in enumerate(with_progress(waiting), 1):
            if day in days:
                added, removed = self._push_day(project, source, day, days[day], load(day))
            else:
                added, removed = 0, self._remove_day(project, source, day)
            total = Pushed(count, total.added + added, total.removed + removed)
        return total

    def fingerprints(self, project: str, source: str) -> dict[str, str]:
        """Return the fingerprint of each day that this role has pushed from a clone."""
        sql = (
            "SELECT day::text, fingerprint FROM daily_memory.days"
            " WHERE project = %s AND author = session_user AND source = %s"
        )
        return dict(self.rows(sql, project, source))

    def _push_day(
        self, project: str, source: str, day: str, mark: str, records: Iterable[SharedRecord]
    ) -> tuple[int, int]:
        shared = list(records)
        rows = {str(row["id"]): row for row in (record.row() for record in shared)}
        place = (project, source, day)
        with self._connection.transaction():
            # The row of the day is locked: a second push of this clone waits here.
            self._change(
                "INSERT INTO daily_memory.days (project, source, day, fingerprint)"
                " VALUES (%s, %s, %s, %s) ON CONFLICT (project, author, day, source) DO UPDATE"
                " SET fingerprint = excluded.fingerprint, pushed_at = now()",
                *place,
                mark,
            )
            stored = dict(self.rows(f"SELECT id, checksum FROM {_OF_DAY}", *place))
            stale = [id_ for id_, checksum in stored.items() if _differs(rows.get(id_), checksum)]
            if stale:
                self._change(f"DELETE FROM {_OF_DAY} AND id = ANY (%s)", *place, stale)
            new = [row for id_, row in rows.items() if _differs(row, stored.get(id_))]
            for start in range(0, len(new), _LOT):
                lot = json.dumps(new[start : start + _LOT], ensure_ascii=False)
                self._change(_INSERT, *place, lot)
            if self.has_vectors:
                self._change(f"DELETE FROM {_OF_DAY.replace('records', 'vectors')}", *place)
                pieces = [(e, part, v) for e in shared for part, v in enumerate(e.vectors)]
                lot = json.dumps(
                    [
                        {"s": each.session, "p": part, "m": each.model, "v": str([*vector])}
                        for each, part, vector in pieces
                    ]
                )
                self._change(_INSERT_VECTORS, *place, lot)
        return len(new), len(stale)

    def _remove_day(self, project: str, source: str, day: str) -> int:
        count = int(self.rows(f"SELECT count(*) FROM {_OF_DAY}", project, source, day)[0][0])
        self._change(f"DELETE FROM {_OF_DAY.replace('records', 'days')}", project, source, day)
        return count

    @cached_property
    def has_vectors(self) -> bool:
        """Whether vectors are kept: the extension pgvector was there when the owner looked."""
        return bool(self.rows("SELECT to_regclass('daily_memory.vectors')")[0][0])

    def counts(self, project: str, source: str) -> dict[str, int]:
        """Return how many sessions and observations a clone has in the database."""
        rows = self.rows(
            "SELECT count(*) FILTER (WHERE kind = %s), count(*) FILTER (WHERE kind <> %s)"
            " FROM daily_memory.records"
            " WHERE project = %s AND author = session_user AND source = %s",
            *(SESSION, SESSION, project, source),
        )
        return dict(zip(("sessions", "observations"), rows[0], strict=True))

    def corpus(self, filters: RecordFilters) -> TeamCorpus:
        """Return the records of the projects that the filters name, of those granted."""
        return TeamCorpus(self, filters)

    def ask(self, projects: Sequence[str], terms: Sequence[str]) -> dict[str, Any]:
        """Return which projects are granted, their totals, and how often they have each term."""
        import psycopg

        try:
            rows = self.rows("SELECT daily_memory.ask(%s, %s)", list(projects) or None, list(terms))
            known: dict[str, Any] = rows[0][0]
        except (psycopg.errors.UndefinedFunction, psycopg.errors.InvalidSchemaName):
            known = {"version": 0}
        if known["version"] != len(STEPS):
            self.check()
        return known

    def get(self, project: str, author: str, record_id: str) -> list[Record]:
        """Return the records with an id; each clone of the author's may have one."""
        sql = (
            f"SELECT {_COLUMNS} FROM daily_memory.records"
            " WHERE project = %s AND author = %s AND day = %s AND id = %s ORDER BY source"
        )
        rows = self.rows(sql, project, author, day_of(record_id) or None, record_id)
        return [_record(row) for row in rows]

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql.encode(), values or None).fetchall()

    def _change(self, sql: str, *values: object) -> None:
        self._connection.execute(sql.encode(), values or None)


_OF_DAY = (
    "daily_memory.records WHERE project = %s AND author = session_user AND source = %s AND day = %s"
)
_OWN_COLUMNS = (
    "id text, checksum bigint, kind text, at text, content text, conversation text, tool text,"
    " origin text, files text[], tags text[], session text, place integer, length integer,"
    " terms text[]"
)
_NAMES = ", ".join(column.split()[0] for column in _OWN_COLUMNS.split(", "))
_INSERT = (
    f"INSERT INTO daily_memory.records (project, source, day, {_NAMES})"
    f" SELECT %s, %s, %s::date, {_NAMES} FROM json_to_recordset(%s) AS r ({_OWN_COLUMNS})"
)


_INSERT_VECTORS = (
    "INSERT INTO daily_memory.vectors (project, source, day, session, part, model, embedding)"
    " SELECT %s, %s, %s::date, s, p, m, v::vector"
    " FROM json_to_recordset(%s) AS r (s text, p integer, m text, v text)"
)
# Compares all vectors, to know the mean and the deviation.
_CLOSEST = (
    "WITH near AS MATERIALIZED ("
    " SELECT project, author, day, source, session, max(1 - (embedding <=> %s::vector)) AS cosine"
    " FROM daily_memory.vectors"
    " WHERE model = %s AND vector_dims(embedding) = %s AND project = ANY (%s)"
    " GROUP BY 1, 2, 3, 4, 5)"
    f" SELECT {_COLUMNS}, session, place, cosine, (SELECT avg(cosine) FROM near),"
    " (SELECT stddev_pop(cosine) FROM near), (SELECT count(*) FROM near)"
    " FROM near JOIN daily_memory.records USING (project, author, day, source, session)"
    " ORDER BY cosine DESC LIMIT %s"
)


def _differs(row: Mapping[str, object] | None, checksum: int | None) -> bool:
    return row is None or row["checksum"] != checksum


def _clean(value: str) -> str:
    """Return a text that PostgreSQL accepts: without NUL and lone surrogates."""
    return value.replace("\0", " ").encode("utf-8", "replace").decode()


def _record(row: Sequence[Any]) -> Record:
    project, author, _, id_, kind, at, content, conversation, tool, origin, files, tags = row
    return Record(
        f"team:{project}:{author}:{id_}",
        at,
        kind,
        content,
        conversation,
        tool,
        project,
        tuple(files),
        tuple(tags),
        origin=origin or author,
    )


class TeamCorpus:
    """The records that a role may see, as `core.search.observation_ranking.Corpus`.

    What the first question needs to know comes in one answer.
    """

    def __init__(self, opened: TeamDatabase, filters: RecordFilters) -> None:
        self._opened = opened
        self._rows = opened.rows
        self._filters = filters
        self._rows_by_id: dict[str, Sequence[Any]] = {}
        self._frequencies: dict[str, int] = {}
        self._granted: dict[str, Any] = {}
        self._found: dict[tuple[frozenset[str], int], list[Document]] = {}
        self._words: dict[tuple[str, int, int], list[str]] = {}
        self._size = -1

    @property
    def count(self) -> int:
        return int(self._known["totals"][0])

    @property
    def average_lengths(self) -> tuple[float, ...]:
        return (float(self._known["totals"][1]) / self.count,) if self.count else ()

    @property
    def _projects(self) -> list[str]:
        return list(self._known["projects"])

    @property
    def _known(self) -> dict[str, Any]:
        if not self._granted:
            self._granted = self._opened.ask(self._filters.projects, ())
        return self._granted

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        cleaned = {term: _clean(term) for term in terms}
        unknown = [term for term in cleaned.values() if term not in self._frequencies]
        if unknown:
            self._granted = self._opened.ask(self._filters.projects, unknown)
            self._frequencies |= {**dict.fromkeys(unknown, 0), **self._granted["terms"]}
        return {term: n for term, clean in cleaned.items() if (n := self._frequencies[clean])}

    def vocabulary_size(self) -> int:
        """Return how many terms there are, at most one more than are ever read."""
        if self._size < 0:
            sql = (
                "SELECT count(*) FROM (SELECT FROM daily_memory.frequencies"
                " WHERE project = ANY (%s) LIMIT %s) AS terms"
            )
            self._size = int(self._rows(sql, self._projects, MOST_VOCABULARY + 1)[0][0])
        return self._size

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        if (first, shortest, longest) not in self._words:
            self._words[first, shortest, longest] = self._vocabulary(first, shortest, longest)
        return self._words[first, shortest, longest]

    def _vocabulary(self, first: str, shortest: int, longest: int) -> list[str]:
        last = chr(ord(first) + 1) if first else "\U0010ffff"
        sql = "SELECT daily_memory.words(%s, %s, %s, %s, %s)"
        rows = self._rows(sql, self._projects, first, last, shortest, longest)
        return sorted(term for (term,) in rows)

    def containing(self, part: str) -> list[str]:
        """Return terms that contain a part of a word; none if there are too many terms."""
        if len(part) < 3 or self.vocabulary_size() > MOST_VOCABULARY:
            return []
        sql = (
            "SELECT term FROM daily_memory.frequencies WHERE project = ANY (%s)"
            " AND position(%s IN term) > 0 GROUP BY term ORDER BY length(term), term LIMIT 3"
        )
        return [term for (term,) in self._rows(sql, self._projects, _clean(part))]

    def find(self, terms: Sequence[str], limit: int) -> list[Document]:
        # Without a translation the same terms are asked for again.
        key = frozenset(terms), limit
        if key not in self._found:
            self._found[key] = self._find(terms, limit)
        return self._found[key]

    def _find(self, terms: Sequence[str], limit: int) -> list[Document]:
        frequencies = self.frequencies(terms)
        if not frequencies:
            return []
        filters = self._filters
        rows = self._rows(
            f"SELECT {_COLUMNS}, session, place FROM daily_memory.find({', '.join(['%s'] * 11)})",
            list(filters.projects) or None,
            [_clean(term) for term in frequencies],
            [log(1 + self.count / count) for count in frequencies.values()],
            max((1.0, *self.average_lengths)),
            limit,
            MOST_LEADING,
            list(filters.kinds),
            list(filters.tools),
            [tag.casefold() for tag in filters.tags],
            filters.first_day,
            filters.last_day,
        )
        return [self._document(row) for row in rows]

    def closest(
        self, model: str, vector: Sequence[float], limit: int
    ) -> list[tuple[str, float, Cosines]]:
        """Return the ids of the sessions that are closest to a question, and how close.

        The last are the cosines of all that the role may see, for comparison.
        """
        if not self._opened.has_vectors:
            return []
        asked_for = str([*vector]), model, len(vector), self._projects, limit
        found = []
        for *columns, cosine, mean, deviation, count in self._rows(_CLOSEST, *asked_for):
            document = self._document(columns)
            if document.is_wanted:
                found.append((document.id, cosine, Cosines(mean, deviation, count)))
        return found

    def neighbours(self, documents: Iterable[Document]) -> list[Document]:  # noqa: ARG002  # Corpus
        """Return nothing: `find` returns the neighbours of the best already."""
        return []

    def record(self, document_id: str) -> Record:
        return _record(self._rows_by_id[document_id])

    def _document(self, row: Sequence[Any]) -> Document:
        *key, id_, kind, at, content, _, tool, _, _, tags, session, place = row
        project, author, source = key
        of_session = "\0".join((project, author, session[:10], source, session))
        document_id = f"{of_session}\0{id_}"
        self._rows_by_id[document_id] = row[:-2]
        searched = searched_text(content, tool, tags)
        is_wanted = self._filters.takes(kind, tool, tags, at[:10])
        return Document(document_id, of_session, place, at, searched, is_wanted)


# How long a connection may be idle between searches, before PostgreSQL closes it.
_KEPT_S = 120
_kept: dict[tuple[str, float], psycopg.Connection] = {}


def _is_open(connection: psycopg.Connection) -> bool:
    """Tell whether a connection is open on both sides: a server that closed it sent a message."""
    return not (connection.closed or select.select([connection.fileno()], [], [], 0)[0])


def close_kept() -> None:
    """Close the idle connections."""
    while _kept:
        _kept.popitem()[1].close()


atexit.register(close_kept)


@contextlib.contextmanager
def opened(url: str, *, timeout_s: float, reads: bool = False) -> Iterator[TeamDatabase]:
    """Connect to the database; its errors come out as ours.

    A statement may take `timeout_s`. `reads`: a standby will do, where the address names several
    servers, and the connection is kept for a while. What a role may see is asked anew each time.
    """
    try:
        import psycopg  # an extra
    except ImportError as error:
        from daily_memory.installation import install_command  # only to say what to run

        hint = install_command("postgresql")
        raise BackendError("psycopg is not installed", hint=hint) from error
    key = url, timeout_s
    try:
        waiting = _kept.pop(key, None) if reads else None
        if waiting and not _is_open(waiting):
            waiting.close()
            waiting = None
        connection = waiting or psycopg.connect(**_parameters(url, timeout_s, reads=reads))
        with contextlib.ExitStack() as closing:
            closing.callback(connection.close)
            yield TeamDatabase(connection)
            # Another thread may have kept one meanwhile.
            if reads and _is_open(connection) and _kept.setdefault(key, connection) is connection:
                closing.pop_all()
    except psycopg.errors.QueryCanceled as error:
        raise BackendError("the team's database took too long") from error
    except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected) as error:
        raise ConflictError("another writer was in the way", hint="try again") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise BackendError("the team's database refuses this to your role", hint=_SETUP) from error
    except psycopg.errors.DiskFull as error:
        raise BackendError("the disk of the team's database is full") from error
    except psycopg.Error as error:
        # The message may quote values of the statement.
        reason = str(error).strip().split("\n")[0] if error.sqlstate is None else error.sqlstate
        raise BackendError("the team's database can't be used: {}", reason) from error


def _parameters(url: str, timeout_s: float, *, reads: bool) -> dict[str, Any]:
    from psycopg.conninfo import conninfo_to_dict

    given = conninfo_to_dict(url)
    if given.get("password"):
        raise InvalidInputError("mirror.url holds a password", hint="put it into ~/.pgpass")
    hosts = str(given.get("host", "")).split(",")
    is_local = all(host in _LOCAL or host.startswith("/") for host in hosts)
    settings: dict[str, Any] = {
        "connect_timeout": max(2, int(timeout_s)),
        "application_name": "daily-memory",
        "target_session_attrs": "prefer-standby" if reads else "read-write",
        **({} if is_local else {"sslmode": "require"}),
        **given,
        "autocommit": True,
        # JIT compilation and custom plans take longer than running our statements.
        "options": f"-c statement_timeout={int(timeout_s * 1000)} -c jit=off"
        " -c plan_cache_mode=force_generic_plan"
        + f" -c idle_session_timeout={_KEPT_S * 1000}"
        * reads,
    }
    return settings


def refused(error: DailyMemoryError) -> str:
    """Return an error of the database as a warning."""
    return filled("the team was not searched: {}", error.message)
