"""One writer per root: the kernel's lock, so that a killed process never leaves one behind."""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Callable, Iterator

from daily_memory.errors import BackendError, ConflictError, DailyMemoryError
from daily_memory.storage.fs import append, files
from daily_memory.storage.roots import Root
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    import filelock

# The lock of whoever writes, and of the one process that embeds, pushes to a team, or syncs.
NAME, EMBEDDING, TEAM, SYNC = ".lock", ".lock-embedding", ".lock-team", ".lock-sync"
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
def locked(
    root: Root,
    *,
    wait_s: float = WAIT_S,
    name: str = NAME,
    is_done: Callable[[], bool] = lambda: False,
) -> Iterator[bool]:
    """Hold the root's lock, or one of another `name` that only keeps others from the same work.

    The lock file stays: removing it would let a waiter lock a file that nobody else can see.
    A waiter asks `is_done` again and again. Once another process did its work, this yields False,
    without the lock.

    Raises:
        LockBusyError: for all of `wait_s` seconds nobody let go of it, or the queue is too long.
        LockRefusedError: the lock file can't be made, opened or locked.
        BackendError: the folder of the lock can't be made, or is a link.
    """
    if os.path.islink(root.index_folder):
        # Whoever writes a memory that we clone must not choose where we write.
        hint = "put a folder in its place"
        raise BackendError("{!r} is a link, and is not followed", root.index_folder, hint=hint)
    files.make_folder(root.index_folder, root.modes)
    path = root.in_index(name)
    lock: filelock.BaseFileLock | None = None
    is_soft = False
    for attempt, _ in enumerate(_attempts(root, wait_s)):
        if attempt and is_done():
            yield False
            return
        if _is_busy(path):
            continue
        # Loaded here: filelock costs 40 ms, and one that only reads or waits needs none.
        import filelock

        lock = lock or filelock.FileLock(path, timeout=0, mode=root.modes.file)
        is_held = _is_acquired(lock, path)
        # To ask whether it is a SoftFileLock would load what only that needs: 15 ms.
        if not is_soft and not isinstance(lock, (filelock.UnixFileLock, filelock.WindowsFileLock)):
            # The kernel has no such lock here, and filelock took the file itself for one. Ours
            # always stays: by another file that goes with its holder, all know of each other.
            lock.release()
            is_soft = True
            lock = filelock.SoftFileLock(f"{path}-held", timeout=0, mode=root.modes.file)
            is_held = _is_acquired(lock, path)
        if is_held:
            break
        if is_soft:
            _remove_left_over(f"{path}-held")
    else:
        message = filled("another process has held the lock of {!r} for {:g} s", root.path, wait_s)
        raise LockBusyError(message, hint="try again, or look for a `memory` process that hangs")
    try:
        if name == NAME:
            append.recover(root)
        yield True
    finally:
        lock.release()


def _is_busy(path: str) -> bool:
    """Tell whether somebody holds a lock, where the kernel tells it without filelock."""
    try:
        import fcntl  # Windows has none

        handle = os.open(path, os.O_RDONLY | files.SAFELY)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)  # else the kernel may have no such locks
    finally:
        os.close(handle)
    return False


def _is_acquired(lock: filelock.BaseFileLock, path: str) -> bool:
    import filelock  # as above

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it fell back
            lock.acquire()
    except filelock.Timeout:
        return False
    except OSError as error:
        refused = files.refused(path, "lock", error)
        raise LockRefusedError(refused.message, hint=refused.hint) from error
    return True


def _remove_left_over(path: str) -> None:
    with contextlib.suppress(OSError):
        if time.time() - os.stat(path).st_mtime > _LEFT_OVER_S:
            os.unlink(path)


def settle(root: Root) -> None:
    """Remove the half of an interrupted append before reading."""
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
