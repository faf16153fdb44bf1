"""Opens SQLite databases and turns SQLite's errors into ours."""

from __future__ import annotations

import contextlib
import sqlite3 as sqlite3
from collections.abc import Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.errors import BackendError, DailyMemoryError, DamagedDataError
from daily_memory.text import filled

# How long to wait for another process that writes.
BUSY_S = 5.0
_BUSY = lazy_pattern("locked|busy")
# The disk, its owner or this SQLite is at fault, and not the database.
_REFUSED = lazy_pattern("full|readonly|unable to open|no such module")


class ReadError(BackendError):
    """SQLite says "disk I/O error": the disk fails, or the file was replaced while it was read."""


def connect(
    path: str, *, timeout_s: float = BUSY_S, autocommit: bool = False, is_read_only: bool = False
) -> sqlite3.Connection:
    """Open a database that exists. Threads may share the connection, one at a time.

    One that is read only is taken to be never written by anybody.
    """
    # mode=rw: SQLite would create a missing file, with permissions that are not ours.
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(
        f"file:{quoted}?{'immutable=1' if is_read_only else 'mode=rw'}",
        timeout=timeout_s,
        isolation_level=None if autocommit else "DEFERRED",
        check_same_thread=False,
        uri=True,
    )


@contextlib.contextmanager
def translated(
    name: str, rebuild: str, busy: type[DailyMemoryError] = BackendError
) -> Iterator[None]:
    """Turn errors of SQLite into ours.

    `name` is the database in messages, `rebuild` the command that replaces a damaged one.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            if _BUSY.search(str(error)):
                raise busy(
                    filled("{} is in use by another process", name), hint="try again"
                ) from error
            if "disk I/O" in str(error):
                raise ReadError("{}: {}", name, error, hint="run `memory doctor`") from error
            if _REFUSED.search(str(error)):
                raise BackendError("{}: {}", name, error, hint="run `memory doctor`") from error
        hint = filled("run `{}`", rebuild)
        raise DamagedDataError("{} is damaged: {}", name, error, hint=hint) from error
    except UnicodeDecodeError as error:
        # SQLite names a damaged table by its name, which may be damaged too.
        message = filled("{} is damaged: a name is not text", name)
        raise DamagedDataError(message, hint=filled("run `{}`", rebuild)) from error
