"""The lock: one writer, who is waited for as long as something happens, and no longer."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from types import SimpleNamespace

import pytest

from daily_memory.errors import BackendError
from daily_memory.storage import files, lock
from daily_memory.storage.roots import Root, project_root


@pytest.fixture
def root(tmp_path) -> Root:
    made = project_root(str(tmp_path))
    files.make_folder(made.index_folder)
    return made


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """A clock that only moves while somebody sleeps."""
    moved = SimpleNamespace(now=0.0)

    def sleep(seconds: float) -> None:
        moved.now += seconds

    monkeypatch.setattr(lock, "time", SimpleNamespace(monotonic=lambda: moved.now, sleep=sleep))
    return moved


def test_where_nothing_happens_the_wait_ends(root, clock):
    attempts = sum(1 for _ in lock._attempts(root, 8.0))

    assert clock.now == pytest.approx(8.0, abs=0.1)
    assert attempts == pytest.approx(200, abs=5)


def test_where_others_get_on_the_wait_goes_on_but_not_for_ever(root, clock):
    for count, _ in enumerate(lock._attempts(root, 8.0)):
        if count % 150 == 0:  # every six seconds
            os.mkdir(os.path.join(root.index_folder, str(count)))

    assert clock.now == pytest.approx(lock.QUEUE_S, abs=0.1)


def test_a_lock_that_can_not_be_opened_is_told(root):
    os.mkdir(os.path.join(root.index_folder, ".lock"))

    with pytest.raises(BackendError, match="can't lock"), lock.locked(root):
        pytest.fail("there is no lock to hold")


def lock_path(root: Root) -> str:
    return os.path.join(root.index_folder, ".lock")


def no_flock(handle: int, operation: int) -> None:
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


@pytest.fixture(params=["flock", "no flock on this file system", "no flock on this system"])
def system(request, monkeypatch) -> str:
    """Each way in which a system can keep two processes apart."""
    if "file system" in request.param:
        monkeypatch.setattr(fcntl, "flock", no_flock)
    elif request.param != "flock":
        monkeypatch.setitem(sys.modules, "fcntl", None)
    return str(request.param)


@pytest.mark.filterwarnings("ignore:flock not supported")
@pytest.mark.usefixtures("system")
def test_one_holds_the_lock_at_a_time(root):
    for _ in range(2):
        with (
            lock.locked(root),
            pytest.raises(lock.LockBusyError),
            lock.locked(root, wait_s=0),
        ):
            pytest.fail("two hold the lock")


def test_whoever_locks_with_flock_or_with_filelock_keeps_the_others_out(root, monkeypatch):
    """Versions of this program that ran until now use filelock, and so does one on Windows."""
    with lock.locked(root), monkeypatch.context() as context:
        context.setitem(sys.modules, "fcntl", None)
        with pytest.raises(lock.LockBusyError), lock.locked(root, wait_s=0):
            pytest.fail("two hold the lock")
    with open(lock_path(root), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(lock.LockBusyError), lock.locked(root, wait_s=0):
            pytest.fail("two hold the lock")


def test_a_new_lock_file_that_the_disk_refuses_to_lock_stays_for_the_others(root, monkeypatch):
    def refuse(handle: int, operation: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(fcntl, "flock", refuse)

    with pytest.raises(BackendError, match="can't lock"), lock.locked(root):
        pytest.fail("there is no lock to hold")
    assert os.path.exists(lock_path(root))


def test_a_lock_whose_file_was_removed_keeps_nobody_out(root, monkeypatch):
    flock = fcntl.flock

    def removed_before(handle: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        os.unlink(lock_path(root))
        flock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", removed_before)

    with lock.locked(root), pytest.raises(lock.LockBusyError), lock.locked(root, wait_s=0):
        pytest.fail("two hold the lock")


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_lock_file_is_for_whom_the_memory_is_for(root, umask):
    shared = root._replace(modes=files.Modes(shared=True))
    before = os.umask(umask)
    try:
        with lock.locked(shared):
            pass
    finally:
        os.umask(before)

    assert stat.S_IMODE(os.stat(lock_path(root)).st_mode) == 0o660
