"""The lock: one writer, who is waited for as long as something happens, and no longer."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from daily_memory.errors import BackendError
from daily_memory.storage.fs import lock
from daily_memory.storage.fs.files import Modes
from daily_memory.storage.fs.lock import LockBusyError, LockRefusedError, locked
from daily_memory.storage.roots import Root


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """A clock that only moves while somebody sleeps; `meanwhile` is what others do then."""
    moved = SimpleNamespace(now=0.0, naps=0, meanwhile=lambda: None)

    def sleep(seconds: float) -> None:
        moved.now += seconds
        moved.naps += 1
        moved.meanwhile()

    monkeypatch.setattr(lock, "time", SimpleNamespace(monotonic=lambda: moved.now, sleep=sleep))
    return moved


@pytest.fixture
def held(root) -> Iterator[None]:
    """Somebody else has the lock, and keeps it."""
    with open(os.path.join(root.index_folder, ".lock"), "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def free_handle() -> int:
    """Return the number that the next open file gets."""
    handle = os.open(os.devnull, os.O_RDONLY)
    os.close(handle)
    return handle


def test_where_nothing_happens_the_wait_ends(root, clock, held):
    free_before = free_handle()

    with pytest.raises(LockBusyError, match=r"held the lock of .* for 8 s") as caught, locked(root):
        pytest.fail("somebody else holds it")

    assert caught.value.code == "busy"
    assert free_handle() == free_before
    assert clock.now == pytest.approx(8.0, abs=0.1)
    assert clock.naps == pytest.approx(200, abs=5)


def test_where_others_get_on_the_wait_goes_on_but_not_for_ever(root, clock, held):
    def get_on() -> None:
        if clock.naps % 150 == 0:  # every six seconds
            os.mkdir(os.path.join(root.index_folder, str(clock.naps)))

    clock.meanwhile = get_on
    with pytest.raises(LockBusyError), locked(root):
        pytest.fail("somebody else holds it")

    assert clock.now == pytest.approx(lock.QUEUE_S, abs=0.1)


def test_who_waits_does_without_the_lock_once_another_did_the_work(root, clock, held):
    asked = []

    def is_done() -> bool:
        asked.append(clock.now)
        return len(asked) == 3

    with locked(root, is_done=is_done) as is_ours:
        assert not is_ours

    assert len(asked) == 3
    assert clock.now < 1


def test_who_gets_the_lock_is_not_asked(root):
    with locked(root, is_done=lambda: pytest.fail("it did not wait")) as is_ours:
        assert is_ours


def test_each_kind_of_work_has_a_lock_of_its_own(tmp_path):
    root = Root(str(tmp_path / "memories"), "project")

    with contextlib.ExitStack() as held:
        for name in (lock.NAME, lock.EMBEDDING, lock.TEAM, lock.SYNC):
            held.enter_context(locked(root, name=name, wait_s=0))
        with pytest.raises(LockBusyError), locked(root, wait_s=0):
            pass

    names = [".lock", ".lock-embedding", ".lock-sync", ".lock-team"]
    assert sorted(os.listdir(root.index_folder)) == names


def test_a_link_in_the_place_of_the_index_is_not_followed(root, tmp_path):
    os.rmdir(root.index_folder)
    os.symlink(tmp_path, root.index_folder)

    with pytest.raises(BackendError, match="is a link, and is not followed"), locked(root):
        pass


def test_a_lock_that_can_not_be_opened_is_told(root):
    os.mkdir(os.path.join(root.index_folder, ".lock"))

    with pytest.raises(BackendError, match="can't lock"), lock.locked(root):
        pytest.fail("there is no lock to hold")


def test_the_group_may_lock_what_it_shares(root):
    umask = os.umask(0o077)
    try:
        with locked(root._replace(modes=Modes(shared=True))):
            assert os.stat(os.path.join(root.index_folder, ".lock")).st_mode & 0o777 == 0o660
    finally:
        os.umask(umask)


# ---------------------------------------------------------------------------- no lock of the kernel


def refuse_to_lock(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def flock(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", flock)


def marker(root: Root) -> Path:
    return Path(root.index_folder, ".lock-held")


def test_where_the_kernel_has_no_lock_a_file_left_from_one_holds_nobody_up(root, monkeypatch):
    with locked(root):
        pass
    assert Path(root.index_folder, ".lock").exists()
    refuse_to_lock(monkeypatch, errno.ENOSYS)

    with locked(root, wait_s=0):
        assert marker(root).exists()
        with pytest.raises(LockBusyError), locked(root, wait_s=0):
            pass
    assert not marker(root).exists()
    with locked(root, wait_s=0):
        pass


def test_what_a_process_left_that_died_here_is_taken_away(root, monkeypatch):
    refuse_to_lock(monkeypatch, errno.ENOSYS)
    path = str(marker(root))
    code = (
        f"import filelock, os; held = filelock.SoftFileLock({path!r}); held.acquire(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert marker(root).exists()

    with locked(root):
        pass


@pytest.mark.parametrize("text", ["", "4711\nanother-machine\n"])
def test_what_was_left_elsewhere_an_hour_ago_is_taken_away(root, monkeypatch, text):
    refuse_to_lock(monkeypatch, errno.ENOSYS)
    marker(root).write_text(text)
    with pytest.raises(LockBusyError), locked(root, wait_s=0):
        pass
    before = time.time() - 4000
    os.utime(marker(root), (before, before))

    with locked(root):
        pass


def test_what_can_not_be_locked_is_refused(root, monkeypatch):
    refuse_to_lock(monkeypatch, errno.ENOLCK)

    with pytest.raises(LockRefusedError, match="no locks available"), locked(root):
        pass
