"""One writer per root: the kernel's lock, so that a killed process never leaves one behind."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from daily_memory.errors import BackendError, ConflictError, DailyMemoryError
from daily_memory.storage import appending, files
from daily_memory.storage.roots import Root

# How long to wait for one that does nothing, and at the most for many that do.
WAIT_S = 8.0
QUEUE_S = 120.0
# Sixty-four that ask every 5 ms leave no time to the one that writes.
_NAP_S = 0.04


class LockBusyError(ConflictError):
    """Another process held the lock for longer than we wait."""

    code = "busy"


@contextlib.contextmanager
def locked(root: Root, *, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the root's lock.

    The lock file stays: removing it would let a waiter lock a file that nobody else can see.

    Raises:
        LockBusyError: for all of `wait_s` seconds nobody let go of it, or the queue is too long.
        BackendError: the lock file can't be made or opened.
    """
    # Loaded here: filelock costs 40 ms, and a search that finds nothing changed needs none.
    import filelock

    if os.path.islink(root.index_folder):
        # Whoever writes a memory that we clone must not choose where we write.
        hint = "put a folder in its place"
        raise BackendError(f"{root.index_folder!r} is a link, and is not followed", hint=hint)
    files.make_folder(root.index_folder, root.modes)
    path = os.path.join(root.index_folder, ".lock")
    lock = filelock.FileLock(path, timeout=0, mode=root.modes.file)
    for _ in _attempts(root, wait_s):
        try:
            lock.acquire()
            break
        except filelock.Timeout:
            continue
        except OSError as error:
            raise files.refused(path, "lock", error) from error
    else:
        raise LockBusyError(
            f"another process has held the lock of {root.path!r} for {wait_s:g} s",
            hint="try again, or look for a `memory` process that hangs",
        )
    try:
        appending.recover(root)
        yield
    finally:
        lock.release()


def settle(root: Root) -> None:
    """Take back what a killed process left half written, for a reader who is about to look.

    Where another process holds the lock, it is writing just now or will do this itself.
    """
    with contextlib.suppress(DailyMemoryError), locked(root, wait_s=0):
        pass


def _attempts(root: Root, wait_s: float) -> Iterator[None]:
    """Yield at each moment when the lock should be asked for, until it is time to give up.

    A waiter gives up when nothing happens, not when many are before it: the folder changes with
    every save. All ask equally often: whoever came late must not overtake the others.
    """
    began = changed_at = time.monotonic()
    state = files.stamp(root.index_folder)
    yield
    while True:
        now = time.monotonic()
        if now - changed_at >= wait_s or now - began >= max(wait_s, QUEUE_S):
            return
        time.sleep(_NAP_S)
        before, state = state, files.stamp(root.index_folder)
        if state != before:
            changed_at = time.monotonic()
        yield
