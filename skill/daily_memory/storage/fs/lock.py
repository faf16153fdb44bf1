"""One writer per root: the kernel's lock, so that a killed process never leaves one behind."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator
from functools import partial

from daily_memory.errors import BackendError, ConflictError, DailyMemoryError
from daily_memory.storage.fs import append, files
from daily_memory.storage.roots import Root

# The lock of whoever writes, and of the one process that embeds.
NAME, EMBEDDING = ".lock", ".lock-embedding"
# How long to wait for one that does nothing, and at the most for many that do.
WAIT_S = 8.0
QUEUE_S = 120.0
# Sixty-four that ask every 5 ms leave no time to the one that writes.
_NAP_S = 0.04
# A marker that stands for the lock where the kernel has none: one so old is of a process that died
# on another machine, or in a container; of one that died here its number tells.
_LEFT_OVER_S = 3600.0


class LockBusyError(ConflictError):
    """Another process held the lock for too long."""

    code = "busy"


class LockRefusedError(BackendError):
    """The system can't lock here, as on some network drives."""


@contextlib.contextmanager
def locked(root: Root, *, wait_s: float = WAIT_S, name: str = NAME) -> Iterator[None]:
    """Hold the root's lock, or one of another `name` that only keeps others from the same work.

    The lock file stays: removing it would let a waiter lock a file that nobody else can see.

    Raises:
        LockBusyError: for all of `wait_s` seconds nobody let go of it, or the queue is too long.
        LockRefusedError: the lock file can't be made, opened or locked.
        BackendError: the folder of the lock can't be made, or is a link.
    """
    if os.path.islink(root.index_folder):
        # Whoever writes a memory that we clone must not choose where we write.
        hint = "put a folder in its place"
        raise BackendError(f"{root.index_folder!r} is a link, and is not followed", hint=hint)
    files.make_folder(root.index_folder, root.modes)
    path = os.path.join(root.index_folder, name)
    for _ in _attempts(root, wait_s):
        release = _take(path, root.modes)
        if release:
            break
    else:
        raise LockBusyError(
            f"another process has held the lock of {root.path!r} for {wait_s:g} s",
            hint="try again, or look for a `memory` process that hangs",
        )
    try:
        if name == NAME:
            append.recover(root)
        yield
    finally:
        release()


def _take(path: str, modes: files.Modes) -> Callable[[], None] | None:
    """Take the lock, and return what releases it; None if another process has it."""
    try:
        try:
            return _take_by_flock(path, modes)
        except ImportError:
            return _take_by_library(path, modes, is_marker=False)  # on Windows
        except OSError as error:
            if error.errno != errno.ENOSYS:
                raise
            # The kernel has no such lock here: another file is there while somebody holds it.
            return _take_by_library(f"{path}-held", modes, is_marker=True)
    except OSError as error:
        refused = files.refused(path, "lock", error)
        raise LockRefusedError(refused.message, hint=refused.hint) from error


def _take_by_flock(path: str, modes: files.Modes) -> Callable[[], None] | None:
    # What filelock does here, but filelock takes 40 ms to import, a quarter of a save.
    import fcntl

    if not os.path.lexists(path):
        with contextlib.suppress(BackendError):  # another process may be first
            files.make_empty(path, modes)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | files.SAFELY, modes.file)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return None
        raise
    return partial(os.close, handle)


def _take_by_library(
    path: str, modes: files.Modes, *, is_marker: bool
) -> Callable[[], None] | None:
    import filelock  # see above

    kind = filelock.SoftFileLock if is_marker else filelock.FileLock
    lock = kind(path, timeout=0, mode=modes.file)
    try:
        lock.acquire()
    except filelock.Timeout:
        if is_marker:
            _remove_left_over(path)
        return None
    return lock.release


def _remove_left_over(path: str) -> None:
    with contextlib.suppress(OSError):
        if time.time() - os.stat(path).st_mtime > _LEFT_OVER_S:
            os.unlink(path)


def settle(root: Root) -> None:
    """Remove the half of an interrupted append, before reading."""
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
