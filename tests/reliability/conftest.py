"""What the tests of reliability share: one process that forks commands, and fast folders."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.reliability.store import REPOSITORY, Store, Zygote, scratch


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """The process whose forks run the commands."""
    started = Zygote()
    yield started
    started.close()


@pytest.fixture
def tmp_folder() -> Iterator[Path]:
    """A folder in memory, where there is such a thing."""
    with scratch() as folder:
        yield folder


@pytest.fixture
def store(tmp_folder: Path, zygote: Zygote) -> Store:
    """An empty project."""
    return Store(tmp_folder, zygote)


@contextmanager
def _held(store: Store, action: str = "") -> Iterator[subprocess.Popen[bytes]]:
    store.index.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.reliability.holder", str(store.index / ".lock"), action]
    process = subprocess.Popen(
        command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def held_lock() -> Callable[..., AbstractContextManager[subprocess.Popen[bytes]]]:
    """Return what holds a store's lock in another process; with "stop", in a suspended one."""
    return _held
