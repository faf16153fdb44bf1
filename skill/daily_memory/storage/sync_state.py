"""`index/sync.json`: what a memory is synced with, and which files changed since."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import NamedTuple

from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.roots import Root


class SyncState(NamedTuple):
    """What is known of the last sync.

    `url` and `name` are the repository and the memory in it; `ref` is its full name, which depends
    on the key. `machine` is this one. `files` have the stamps of the files that agree with the
    commit `clean`.
    """

    url: str = ""
    name: str = ""
    ref: str = ""
    machine: str = ""
    clean: str = ""
    files: Mapping[str, Stamp] = {}


def load(root: Root) -> SyncState:
    """Return the state; an empty one if there is none, or it can't be read."""
    try:
        noted = json.loads(files.find_bytes(_path(root)) or b"{}")
        stamps = {str(name): (int(a), int(b), int(c)) for name, (a, b, c) in noted["files"].items()}
        texts = {name: str(noted[name]) for name in ("url", "name", "ref", "machine", "clean")}
        return SyncState(**texts, files=stamps)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return SyncState()


def save(root: Root, state: SyncState) -> None:
    data = json.dumps(state._asdict(), ensure_ascii=False, indent=1).encode("utf-8", "replace")
    files.replace(_path(root), data + b"\n", root.modes)


def _path(root: Root) -> str:
    return os.path.join(root.index_folder, "sync.json")
