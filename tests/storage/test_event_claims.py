"""An event that a host gives to two processes is handled once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from daily_memory.storage import event_claims
from daily_memory.storage.roots import Root, project_root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return project_root(str(tmp_path))


def age(root: Root, seconds: float) -> None:
    for path in (Path(root.index_folder) / "claims").iterdir():
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - seconds))


def test_only_the_first_of_many_has_an_event(root):
    with ThreadPoolExecutor(8) as pool:
        first = list(pool.map(lambda _: event_claims.claim(root, b"event"), range(32)))

    assert sum(first) == 1
    assert event_claims.claim(root, b"another event")


def test_the_same_event_after_a_while_is_another_one(root):
    event_claims.claim(root, b"event")
    age(root, 60)

    assert event_claims.claim(root, b"event")


def test_old_claims_are_swept(root):
    event_claims.claim(root, b"old")
    age(root, 60)
    event_claims.claim(root, b"new")

    event_claims.sweep(root)

    assert len(list((Path(root.index_folder) / "claims").iterdir())) == 1
    assert not event_claims.claim(root, b"new")


def test_an_event_that_can_not_be_claimed_is_handled(root, tmp_path):
    (tmp_path / ".cursor").write_text("a file where a folder must be")

    assert event_claims.claim(root, b"event")
    event_claims.sweep(root)
