"""`index/clean.json`: files in which a scan found nothing, so that they are not scanned again.

A file is clean while its size and times, the rules and the settings stay the same. There is an
entry for each kind of scan.
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
# A file that changed so shortly before its scan may change again with the same times.
_STEP_NS = 2_000_000_000


def fingerprint(module: ModuleType, settings: object = ()) -> str:
    """Return a fingerprint of settings, and of the rules in a module and its folder.

    It is made of the sizes and times of their files, which change with any version.
    """
    sources = sorted(
        (entry.name, entry.stat().st_size, entry.stat().st_mtime_ns)
        for entry in os.scandir(os.path.dirname(module.__file__ or ""))
        if entry.is_file()
    )
    known = files.to_bytes(repr((sources, settings)))
    return hashlib.blake2b(known, digest_size=16).hexdigest()


def load(root: Root, scan: str, rules: str) -> dict[str, Stamp]:
    """Return the stamps of the clean files by name; none if other rules scanned them."""
    try:
        noted = _load(root).get(scan, {})
        if noted.get("rules") != rules:
            return {}
        return {str(name): (int(a), int(b), int(c)) for name, (a, b, c) in noted["files"].items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}  # edited: scan everything


def save(root: Root, scan: str, rules: str, clean: Mapping[str, Stamp]) -> None:
    """Store the clean files with the stamps that they had before the scan."""
    now = time.time_ns()
    settled = {name: stamp for name, stamp in clean.items() if max(stamp[1:]) + _STEP_NS < now}
    if settled == load(root, scan, rules) or not os.path.isdir(root.index_folder):
        return
    noted = {**_load(root), scan: {"rules": rules, "files": settled}}
    with contextlib.suppress(DailyMemoryError):  # read-only: scanned again
        files.replace(root.in_index(_NAME), json.dumps(noted).encode(), root.modes)


def _load(root: Root) -> dict[str, Any]:
    try:
        noted = json.loads(files.find_bytes(root.in_index(_NAME)) or b"{}")
    except (DailyMemoryError, ValueError, RecursionError):
        return {}  # no access, or cut off
    return noted if isinstance(noted, dict) else {}
