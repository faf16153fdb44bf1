"""`index/claims/`: the first of several processes that receive one event handles it.

A host sends an event twice where the plugin is enabled beside an installation, or where the project
and the user both have hooks. A claim is an empty file, created exclusively.
"""

from __future__ import annotations

import contextlib
import os
import time

from daily_memory.errors import BackendError
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

_NAME = "claims"
# After that, an equal event is a new one.
_SAME_S = 5.0


def claim(root: Root, event: bytes) -> bool:
    """Claim an event; return whether nobody else has it, True if that can't be written down."""
    folder = root.in_index(_NAME)
    path = os.path.join(folder, files.digest(event))
    try:
        files.make_folder(folder, root.modes)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, root.modes.file))
    except FileExistsError:
        return not _is_fresh(path)
    except (OSError, BackendError):
        return True  # recorded twice is better than lost
    return True


def sweep(root: Root) -> None:
    """Remove expired claims."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(root.in_index(_NAME))):
            if not _is_fresh(entry.path):
                os.unlink(entry.path)


def _is_fresh(path: str) -> bool:
    try:
        return time.time() - os.stat(path).st_mtime < _SAME_S
    except OSError:
        return False  # swept just now
