"""What the order of calls and the modes of new files say about a power cut and other users."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from tests.reliability.injector import Point
from tests.reliability.store import Store

# A cache that a power cut may spoil: it is known by its stamps, and made anew.
_EXPENDABLE = (".lock", "lookup.sqlite3", "lookup.sqlite3-journal")


def order_faults(points: Sequence[Point]) -> list[str]:
    """Return where a power cut could take what a command says is done.

    Bytes are made durable before the file gets its name, names before anything is printed.
    """
    faults = []
    unsynced: dict[str, str] = {}
    for point in points:
        if point.call in ("fsync", "fdatasync"):
            unsynced = {key: why for key, why in unsynced.items() if key != point.path}
        elif point.call == "print":
            faults += [f"{why}, and {point.path!r} was printed" for why in unsynced.values()]
        elif os.path.basename(point.path) not in _EXPENDABLE:
            if point.call in ("write", "ftruncate"):
                unsynced[point.path] = f"{point.path} was written and not fsynced"
            elif point.call in ("replace", "rename"):
                if point.path in unsynced:
                    faults.append(f"{unsynced.pop(point.path)} before its {point.call}")
                unsynced[os.path.dirname(point.target)] = f"{point.target} has no durable name"
            elif point.call in ("create", "mkdir") and ".tmp-" not in point.path:
                unsynced[os.path.dirname(point.path)] = f"{point.path} has no durable name"
    faults += [f"{why} at the end" for why in unsynced.values()]
    return faults


def mode_faults(points: Sequence[Point], store: Store) -> list[str]:
    """Return what others may read, be it for a moment, and what its owner may not."""
    faults = [
        f"{point.call} {point.path}: mode {point.mode:o}" for point in points if point.mode & 0o077
    ]
    for top in (store.project / ".cursor", store.home / ".cursor"):
        for folder, _, names in os.walk(top):
            faults += _wrong(folder, 0o700)
            for name in names:
                faults += _wrong(os.path.join(folder, name), 0o600)
    return faults


def _wrong(path: str, wanted: int) -> list[str]:
    mode = stat.S_IMODE(os.lstat(path).st_mode)
    return [] if mode == wanted else [f"{path} has mode {mode:o}, not {wanted:o}"]
