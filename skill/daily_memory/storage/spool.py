"""Sessions that could not be saved because the lock was held: the next run saves them."""

from __future__ import annotations

import json
import os

from daily_memory.storage import files
from daily_memory.storage.roots import Root


def add(root: Root, session: dict[str, object], name: str) -> str:
    """Keep a session, already redacted, under a name of its own, and return the path."""
    path = os.path.join(_folder(root), f"{name}.json")
    files.make_folder(_folder(root), root.modes)
    files.replace(
        path, json.dumps(session, ensure_ascii=False).encode("utf-8", "replace"), root.modes
    )
    return path


def waiting(root: Root) -> list[str]:
    """Return the paths of the sessions that wait, oldest first."""
    try:
        names = sorted(os.listdir(_folder(root)))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [os.path.join(_folder(root), name) for name in names if name.endswith(".json")]


def load(path: str) -> dict[str, object]:
    """Return a session that waits; {} for a file that is none of ours."""
    try:
        session = json.loads(files.read_bytes(path))
    except ValueError:
        return {}
    return session if isinstance(session, dict) else {}


def _folder(root: Root) -> str:
    return os.path.join(root.index_folder, "spool")
