"""One writer per root: the kernel's lock, so that a killed process never leaves one behind."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator

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
    if os.path.islink(root.index_folder):
        # Whoever writes a memory that we clone must not choose where we write.
        hint = "put a folder in its place"
        raise BackendError(f"{root.index_folder!r} is a link, and is not followed", hint=hint)
    files.make_folder(root.index_folder, root.modes)
    path = os.path.join(root.index_folder, ".lock")
    for _ in _attempts(root, wait_s):
        try:
            let_go = _grabbed(path, root.modes.file)
        except OSError as error:
            raise files.refused(path, "lock", error) from error
        if let_go:
            break
    else:
        raise LockBusyError(
            f"another process has held the lock of {root.path!r} for {wait_s:g} s",
            hint="try again, or look for a `memory` process that hangs",
        )
    try:
        appending.recover(root)
        yield
    finally:
        let_go()


def _grabbed(path: str, mode: int) -> Callable[[], object] | None:
    """Take the lock, and return what lets go of it; None where somebody else has it.

    Raises:
        OSError: the lock file can't be made, opened or locked.
    """
    try:
        return _flocked(path, mode)
    except ImportError:
        pass  # Windows
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
    # Loaded here: it takes 25 ms, a fifth of a save. Where there is flock, it calls that as well.
    import filelock

    lock = filelock.FileLock(path, timeout=0, mode=mode)
    try:
        lock.acquire()
    except filelock.Timeout:
        return None
    return lock.release


def _flocked(path: str, mode: int) -> Callable[[], object] | None:
    """Do what `_grabbed` does where the system has flock.

    Raises:
        ImportError: it has not.
        OSError: as in `_grabbed`; ENOSYS where the file system has no flock.
    """
    import fcntl  # not on Windows

    flags = os.O_RDWR | files.SAFELY
    try:
        handle, is_new = os.open(path, flags | os.O_CREAT | os.O_EXCL, mode), True
    except FileExistsError:
        handle, is_new = os.open(path, flags), False
    is_held = False
    try:
        if is_new:
            os.fchmod(handle, mode)  # the process may take something away from what is asked for
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A file that was removed meanwhile keeps nobody out: the next attempt makes another.
            is_held = os.fstat(handle).st_nlink > 0
    except OSError as error:
        if is_new and error.errno == errno.ENOSYS:
            os.unlink(path)  # where there is no flock, that the file is there will be the lock
        raise
    finally:
        if not is_held:
            os.close(handle)

    def let_go() -> None:
        # Closing is not enough: a process that is being started may have the file open as well.
        fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)

    return let_go if is_held else None


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
