"""`index/spool/`: sessions that could not be saved because of the lock. The next run saves them."""

from __future__ import annotations

import json
import os
from datetime import datetime

from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

# A spool is written without the lock: what is younger may be in the hands of its writer.
_LEFT_OVER_S = 3600.0


def add(root: Root, session: dict[str, object], now: datetime) -> str:
    """Store a redacted session, and return the path. Needs no lock."""
    # Names in order of time, and none twice, even if the clock stands still.
    name = f"{_moment(now)}-{os.urandom(4).hex()}"
    path = os.path.join(_folder(root), f"{name}.json")
    files.make_folder(_folder(root), root.modes)
    files.replace(
        path, json.dumps(session, ensure_ascii=False).encode("utf-8", "replace"), root.modes
    )
    return path


def waiting(root: Root) -> list[str]:
    """Return the paths of the waiting sessions, oldest first."""
    try:
        names = sorted(os.listdir(_folder(root)))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
    return [os.path.join(_folder(root), name) for name in names if name.endswith(".json")]


def is_older(path: str, moment: datetime) -> bool:
    """Tell whether a session was stored before a moment, by the local time in its name."""
    return os.path.basename(path) < _moment(moment)


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y%m%dT%H%M%S%f")


def load(path: str) -> dict[str, object]:
    """Return a waiting session; {} for a file that is not ours."""
    try:
        session = json.loads(files.read_bytes(path))
    except ValueError:
        return {}
    return session if isinstance(session, dict) else {}


def remove_leftovers(root: Root) -> None:
    """Remove what a killed process left half written."""
    files.remove_leftovers(_folder(root), older_than_s=_LEFT_OVER_S)


def _folder(root: Root) -> str:
    return os.path.join(root.index_folder, "spool")
