"""The lock: one writer, who is waited for as long as something happens, and no longer."""

from __future__ import annotations

import os
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
