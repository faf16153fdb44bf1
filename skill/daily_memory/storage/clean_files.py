"""`index/clean.json`: in which files nothing was found, so that they are not searched again.

A file is clean as long as it has the same size and times, and the rules and settings are the same.
There is an entry for each thing that is searched for.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.roots import Root

_NAME = "clean.json"
# A file that changed so shortly before it was searched may change again with the same times.
_STEP_NS = 2_000_000_000


def rules_of(module: ModuleType, settings: object = ()) -> str:
    """Return a fingerprint of settings, and of the rules in a module and its folder.

    Rules are known by the sizes and times of their files: they change with any version.
    """
    sources = sorted(
        (entry.name, entry.stat().st_size, entry.stat().st_mtime_ns)
        for entry in os.scandir(os.path.dirname(module.__file__ or ""))
        if entry.is_file()
    )
    known = files.to_bytes(repr((sources, settings)))
    return hashlib.blake2b(known, digest_size=16).hexdigest()


def load(root: Root, what: str, rules: str) -> dict[str, Stamp]:
    """Return the stamps of the clean files by name; none if they were searched by other rules."""
    try:
        noted = _load(root).get(what, {})
        if noted.get("rules") != rules:
            return {}
        return {str(name): (int(a), int(b), int(c)) for name, (a, b, c) in noted["files"].items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}  # edited: all is searched


def save(root: Root, what: str, rules: str, clean: Mapping[str, Stamp]) -> None:
    """Note the clean files with the stamps that they had before they were searched."""
    now = time.time_ns()
    settled = {name: stamp for name, stamp in clean.items() if max(stamp[1:]) + _STEP_NS < now}
    if settled == load(root, what, rules) or not os.path.isdir(root.index_folder):
        return
    noted = {**_load(root), what: {"rules": rules, "files": settled}}
    with contextlib.suppress(DailyMemoryError):  # nothing may be written: searched again
        files.replace(root.in_index(_NAME), json.dumps(noted).encode(), root.modes)


def _load(root: Root) -> dict[str, Any]:
    try:
        noted = json.loads(files.find_bytes(root.in_index(_NAME)) or b"{}")
    except (DailyMemoryError, ValueError, RecursionError):
        return {}  # no access, or cut off
    return noted if isinstance(noted, dict) else {}
