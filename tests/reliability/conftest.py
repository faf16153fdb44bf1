"""What the tests of reliability share: one process that forks commands, and fast folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reliability.store import Store, Zygote, scratch


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
