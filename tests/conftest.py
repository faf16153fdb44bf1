"""What many tests need: a memory in a folder of its own, with a clock that stands still."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import settings

from daily_memory import Memory
from daily_memory.storage import workers
from daily_memory.storage.discovery import CEILINGS
from daily_memory.storage.fs import files
from tests import components

# No deadline: shared machines stall. Always the same examples, so that the same code always passes
# or always fails; `--hypothesis-profile=explore` tries many new ones.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("explore", deadline=None, derandomize=False, max_examples=1000)
settings.load_profile("default")

pytest_plugins = ["tests.browser", "tests.postgres"]

NOW = datetime(2026, 1, 29, 10, 30, 45, tzinfo=timezone(timedelta(hours=8)))


class Clock:
    """A clock that shows what a test sets it to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Check the programs of `pytest.mark.needs`."""
    for mark in item.iter_markers("needs"):
        for component in mark.args:
            components.require(component)


@pytest.fixture(autouse=True, scope="session")
def _ceiling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no test see what the machine has above the folders of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        own = str(tmp_path_factory.getbasetemp())
        # Messages are in English, whatever language the developer speaks.
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.setenv(CEILINGS, os.pathsep.join((own, os.path.dirname(own))))
        yield


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    """The memory of an empty project."""
    for name in ("app", "home"):
        (tmp_path / name).mkdir()
    return Memory(tmp_path / "app", home=tmp_path / "home", clock=clock)


def sign(memory: Memory) -> None:
    """Make the folders that are believed, so that a test can write into them by hand."""
    root = memory.workspace.project_root
    assert root is not None
    for folder in (root.index_folder, root.observations_folder):
        files.make_folder(folder, root.modes)


@pytest.fixture
def read_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that has so many processes read, however little there is to read."""
    monkeypatch.setattr(workers, "LEAST_BYTES", 0)
    monkeypatch.setattr(workers, "CHUNK_BYTES", 1)
    return lambda count: monkeypatch.setattr(workers, "cores", lambda: count)


@pytest.fixture
def day_file(memory: Memory) -> Callable[..., Path]:
    """Return a function that gives the path of a day file, and writes it if given a text."""

    def path(text: str | bytes | None = None, name: str = "2026-01-29.md") -> Path:
        assert memory.workspace.project_root is not None
        file = Path(memory.workspace.project_root.daily_folder) / name
        if text is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return path
