"""The SQLite databases of other programs, read without blocking them.

Programs may keep writing while we read: with a write-ahead log they can; otherwise they wait for
the few rows that we read at a time.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from daily_memory.core.imports import trae_mem as trae_mem_rows
from daily_memory.core.imports import transcripts
from daily_memory.core.imports.trae_mem import Localize, TraeMemSession
from daily_memory.core.imports.transcripts import Transcript
from daily_memory.core.json_fields import parse_object
from daily_memory.errors import BackendError, DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.sqlite import sqlite3
from daily_memory.text import filled

BUSY_S = 5.0
# The header's byte for the write version: 2 means a write-ahead log.
_WRITE_VERSION = 18
_COPY_ATTEMPTS = 3

_Needed = Mapping[str, tuple[str, ...]]
_TRAE_MEM: _Needed = {"sessions": ("id",), "observations": ("session_id", "kind", "content")}
# With their times and without.
_OBSERVATIONS = {
    True: "SELECT *, rowid AS row_number FROM observations WHERE session_id = ? ORDER BY ts, rowid",
    False: "SELECT *, rowid AS row_number FROM observations WHERE session_id = ? ORDER BY rowid",
}
_CLAUDE_MEM: _Needed = {
    "sdk_sessions": ("content_session_id", "memory_session_id", "project", "started_at_epoch"),
    "observations": ("memory_session_id", "type", "title"),
    "session_summaries": ("memory_session_id", "request"),
}
_CURSOR: _Needed = {"cursorDiskKV": ("key", "value")}


class Database(NamedTuple):
    """An open database: the ids of its conversations, and how to load one."""

    conversations: tuple[str, ...]
    load: Callable[[str], Transcript]


class TraeMem(NamedTuple):
    """An open database of trae-mem: the ids of its sessions, and how to load one."""

    sessions: tuple[str, ...]
    load: Callable[[str], TraeMemSession]


@contextlib.contextmanager
def trae_mem(path: str, local: Localize) -> Iterator[TraeMem]:
    with _opened(path, "trae-mem", _TRAE_MEM) as database:
        observations = _OBSERVATIONS[database.has("observations", ("ts",))]
        summaries = "SELECT * FROM summaries WHERE session_id = ? ORDER BY rowid"
        with_summaries = database.has("summaries", ("session_id", "level", "content"))

        def load(session: str) -> TraeMemSession:
            row = database.first("SELECT * FROM sessions WHERE id = ?", session)
            return trae_mem_rows.parse_session(
                {**row, "id": session},
                database.rows(observations, session),
                database.rows(summaries, session) if with_summaries else [],
                local,
            )

        # Observations may belong to a session that is not in the table.
        ids = "SELECT id FROM sessions UNION SELECT session_id FROM observations"
        yield TraeMem(database.texts(ids), load)


@contextlib.contextmanager
def claude_mem(path: str) -> Iterator[Database]:
    with _opened(path, "claude-mem", _CLAUDE_MEM) as database:
        # Prompts are kept since a later version only.
        prompts = "SELECT * FROM user_prompts WHERE content_session_id = ? ORDER BY prompt_number"
        with_prompts = database.has(
            "user_prompts", ("content_session_id", "prompt_number", "prompt_text")
        )

        def load(session: str) -> Transcript:
            row = database.first("SELECT * FROM sdk_sessions WHERE content_session_id = ?", session)
            own = row.get("memory_session_id")
            return transcripts.parse_claude_mem(
                {**row, "content_session_id": session},
                database.rows(prompts, session) if with_prompts else [],
                database.rows(
                    "SELECT * FROM observations WHERE memory_session_id = ? ORDER BY rowid", own
                ),
                database.rows(
                    "SELECT * FROM session_summaries WHERE memory_session_id = ? ORDER BY rowid",
                    own,
                ),
            )

        ids = "SELECT content_session_id FROM sdk_sessions ORDER BY started_at_epoch, rowid"
        yield Database(database.texts(ids), load)


@contextlib.contextmanager
def cursor(path: str) -> Iterator[Database]:
    with _opened(path, "Cursor", _CURSOR) as database:
        folders = _cursor_folders(database, path)
        ids, subagents = _composers(database)

        def load(conversation: str) -> Transcript:
            head = transcripts.parse_composer(
                conversation, _text_at(database, f"{_COMPOSER}{conversation}")
            )
            if head is None:
                return Transcript(conversation, transcripts.CURSOR)
            prefix = f"bubbleId:{conversation}:"
            bubbles = (
                parse_object(_text_at(database, f"{prefix}{bubble}")) or {}
                for bubble in head.bubbles
            )
            known = head.folder or folders.get(conversation, "")
            return transcripts.parse_bubbles(head._replace(folder=known), bubbles)

        yield Database(tuple(name for name in ids if name not in subagents), load)


_COMPOSER = "composerData:"


def _composers(database: _ReadOnlyConnection) -> tuple[list[str], set[str]]:
    """Return the conversations with content, and which of them belong to subagents."""
    ids: list[str] = []
    subagents: set[str] = set()
    # `;` follows `:`, so that SQLite can use the index of keys.
    for row in database.each(
        "SELECT key, CAST(value AS TEXT) AS value FROM cursorDiskKV"
        " WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"
    ):
        name = str(row["key"]).removeprefix(_COMPOSER)
        head = transcripts.parse_composer(name, row["value"] or "")
        if head and head.bubbles:
            ids.append(name)
            subagents.update(head.subagents)
    return ids, subagents


def _text_at(database: _ReadOnlyConnection, key: str) -> str:
    query = "SELECT CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key = ?"
    return database.first(query, key).get("value") or ""


def _cursor_folders(database: _ReadOnlyConnection, path: str) -> dict[str, str]:
    """Return the folder of each conversation; Cursor has a table for it since 2026."""
    if not database.has("composerHeaders", ("composerId", "value")):
        return {}
    storage = os.path.join(os.path.dirname(os.path.dirname(path)), "workspaceStorage")
    windows = _windows(storage)
    folders: dict[str, str] = {}
    for row in database.rows("SELECT * FROM composerHeaders"):
        head = parse_object(str(row["value"] or "")) or {}
        window = windows.get(str(row.get("workspaceId") or ""), "")
        folders[str(row["composerId"])] = transcripts.workspace_folder(head) or window
    return folders


def _windows(storage: str) -> dict[str, str]:
    found = {}
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(storage)):
            with contextlib.suppress(DailyMemoryError):
                text = files.read_bytes(os.path.join(storage, name, "workspace.json"))
                folder = (parse_object(text) or {}).get("folder")
                found[name] = transcripts.folder_of_uri(folder)
    return {name: folder for name, folder in found.items() if folder}


class _ReadOnlyConnection:
    """A read-only connection that raises our errors."""

    def __init__(self, connection: sqlite3.Connection, path: str, program: str) -> None:
        self._connection = connection
        self._path = path
        self._program = program
        connection.row_factory = sqlite3.Row
        # One bad byte must not make everything unreadable.
        connection.text_factory = files.to_text

    def each(self, query: str, *values: object) -> Iterator[dict[str, Any]]:
        with _translated(self._path, self._program):
            for row in self._connection.execute(query, values):
                yield dict(row)

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        return list(self.each(query, *values))

    def first(self, query: str, *values: object) -> dict[str, Any]:
        """Return the first row, empty if there is none."""
        return next(iter(self.rows(query, *values)), {})

    def texts(self, query: str) -> tuple[str, ...]:
        """Return the texts in the first column."""
        first = (next(iter(row.values())) for row in self.each(query))
        return tuple(value for value in first if isinstance(value, str) and value)

    def has(self, table: str, columns: tuple[str, ...]) -> bool:
        found = {row["name"] for row in self.rows("SELECT name FROM pragma_table_info(?)", table)}
        return found.issuperset(columns)


@contextlib.contextmanager
def _opened(path: str, program: str, needed: _Needed) -> Iterator[_ReadOnlyConnection]:
    """Open a database, and check that this program created it."""
    if not os.path.isfile(path):
        hint = "name the file, if it is elsewhere"
        raise NotFoundError("no {} database {!r}", program, path, hint=hint)
    for beside in (f"{path}-wal", f"{path}-shm", f"{path}-journal"):
        # SQLite would wait at a pipe for ever.
        if os.path.exists(beside) and not os.path.isfile(beside):
            raise BackendError("{!r} is not a regular file", beside, hint="move it away")
    with contextlib.ExitStack() as stack:
        with files.translated(path, "read"), _translated(path, program):
            uri = _uri(path, stack)
            connection = sqlite3.connect(uri, uri=True, timeout=BUSY_S)
            stack.callback(connection.close)
        reader = _ReadOnlyConnection(connection, path, program)
        missing = [table for table, columns in needed.items() if not reader.has(table, columns)]
        if missing:
            raise InvalidInputError(
                "{!r} is not a {} database: {!r} is missing in it",
                path,
                program,
                missing[0],
                hint=filled(
                    "name another file, or start {} once so that it updates this one", program
                ),
            )
        yield reader


def _uri(path: str, stack: contextlib.ExitStack) -> str:
    """Return the address that writes nothing beside a database and waits for nobody.

    https://www.sqlite.org/wal.html#read_only_databases
    """
    if os.path.exists(f"{path}-wal"):
        if os.path.exists(f"{path}-shm"):
            # Its program has it open: we read with it.
            return f"{Path(path).absolute().as_uri()}?mode=ro"
        # A log that lies alone must be worked in before it can be read, so that of a copy is. What
        # is in the copy lies on this disk already, and only its owner can look into the folder.
        path = _copied(path, stack.enter_context(tempfile.TemporaryDirectory(prefix="memory-")))
        return Path(path).as_uri()
    with files.stream(path, most=files.ANY_SIZE, follows_links=True) as file:
        with_log = file.read(_WRITE_VERSION + 1)[-1:] == b"\x02"
    # In WAL mode without a log, nobody has it open, and SQLite would create the log.
    return f"{Path(path).absolute().as_uri()}?" + ("immutable=1" if with_log else "mode=ro")


def _copied(path: str, folder: str) -> str:
    """Return a consistent copy of a database and its log."""
    copy = os.path.join(folder, "copy.db")
    for _ in range(_COPY_ATTEMPTS):
        before = files.stamp(path), files.stamp(f"{path}-wal")
        shutil.copyfile(path, copy)
        shutil.copyfile(f"{path}-wal", f"{copy}-wal")
        if before == (files.stamp(path), files.stamp(f"{path}-wal")):
            return copy
    raise BackendError("{!r} is being written to", path, hint="close its program and try again")


@contextlib.contextmanager
def _translated(path: str, program: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        hint = filled("close {} and run the command again", program)
        raise BackendError("can't read {!r}: {}", path, error, hint=hint) from error
    except sqlite3.DatabaseError as error:
        message = filled("{!r} is not an SQLite database, or is damaged", path)
        hint = filled("name the database of {}, or mend it with `sqlite3 FILE .recover`", program)
        raise InvalidInputError(message, hint=hint) from error
