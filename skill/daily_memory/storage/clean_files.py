"""`index/clean.json`: in which files no secret was found, so that they are not searched again.

A file is clean as long as it has the same size and times, and the rules and settings are the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping

from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Policy
from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.roots import Root

# A file that changed so shortly before it was searched may change again with the same times.
_STEP_NS = 2_000_000_000


def rules_of(policy: Policy) -> str:
    """Return what stands for a policy and the rules of this version."""
    folder = os.path.dirname(privacy.__file__)
    sources = sorted(
        (entry.name, entry.stat().st_size, entry.stat().st_mtime_ns)
        for entry in os.scandir(folder)
        if entry.is_file()
    )
    # The last field is a clock.
    known = repr((sources, policy[:-1]))
    return hashlib.blake2b(known.encode("utf-8", "replace"), digest_size=16).hexdigest()


def load(root: Root, rules: str) -> dict[str, Stamp]:
    """Return the stamps of the clean files by name; none if they were searched by other rules."""
    try:
        noted = json.loads(files.find_bytes(_path(root)) or b"{}")
        if noted.get("rules") != rules:
            return {}
        return {str(name): (int(a), int(b), int(c)) for name, (a, b, c) in noted["files"].items()}
    except (DailyMemoryError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return {}  # no access, cut off or edited: all is searched


def save(root: Root, rules: str, clean: Mapping[str, Stamp]) -> None:
    """Note the clean files with the stamps that they had before they were searched."""
    now = time.time_ns()
    settled = {name: stamp for name, stamp in clean.items() if max(stamp[1:]) + _STEP_NS < now}
    with contextlib.suppress(DailyMemoryError):  # nothing may be written: searched again
        if settled and os.path.isdir(root.index_folder):
            data = json.dumps({"rules": rules, "files": settled}, ensure_ascii=False)
            files.replace(_path(root), data.encode("utf-8", "replace"), root.modes)


def _path(root: Root) -> str:
    return os.path.join(root.index_folder, "clean.json")
