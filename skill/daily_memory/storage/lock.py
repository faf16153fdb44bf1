"""One writer per root: the kernel's lock, so that a killed process never leaves one behind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from daily_memory.errors import ConflictError
from daily_memory.storage import files
from daily_memory.storage.roots import Root

WAIT_S = 10.0


class LockBusyError(ConflictError):
    """Another process held the lock for longer than we wait."""

    code = "busy"


@contextlib.contextmanager
def locked(root: Root, *, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the root's lock.

    The lock file stays: removing it would let a waiter lock a file that nobody else can see.

    Raises:
        LockBusyError: somebody else held it for all of `wait_s` seconds.
    """
    # Loaded here: filelock costs 40 ms, and a search that finds nothing changed needs none.
    import filelock

    files.make_folder(root.index_folder, root.modes)
    path = os.path.join(root.index_folder, ".lock")
    lock = filelock.FileLock(path, timeout=wait_s, mode=root.modes.file, poll_interval=0.01)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise LockBusyError(
            f"another process has held the lock of {root.path!r} for {wait_s:g} s",
            hint="try again, or look for a `memory` process that hangs",
        ) from error
    try:
        yield
    finally:
        lock.release()
