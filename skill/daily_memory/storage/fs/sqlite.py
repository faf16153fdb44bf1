"""Python's `sqlite3`, which some Pythons are built without: then the day files alone must do."""

from __future__ import annotations

from daily_memory.errors import BackendError

try:
    import sqlite3 as sqlite3

    HAS_SQLITE = True
except ImportError:  # another Python; tests/journeys runs one in a process
    sqlite3 = None  # type: ignore[assignment]  # `check_sqlite` comes before each use
    HAS_SQLITE = False


def check_sqlite() -> None:
    """See that a database can be opened.

    Raises:
        BackendError: this Python has no `sqlite3`.
    """
    if not HAS_SQLITE:  # as above
        hint = "use a Python with it; save, search, list and show work without"
        raise BackendError("this Python has no module sqlite3", hint=hint)
