"""The order of calls, and who may read what they make."""

from __future__ import annotations

import json

import pytest

from tests.reliability.store import CAN_FORK, MEMORIES, NOW, copy_tree, witness
from tests.reliability.traces import mode_faults, order_faults
from tests.reliability.victims import VICTIMS, two_sessions

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
_IDS = [victim.name for victim in VICTIMS]


@pytest.mark.parametrize("victim", VICTIMS, ids=_IDS)
def test_all_is_durable_before_anything_is_said(victim, store):
    victim.prepare(store)

    done = store.run(*victim.argv, stdin=victim.stdin, program=victim.program, watched=True)

    assert done.status == 0, done.err
    assert [point for point in done.points if point.call == "fsync"]
    assert order_faults(done.points) == []


@pytest.mark.parametrize("victim", VICTIMS, ids=_IDS)
def test_nobody_else_can_read_it_at_any_moment(victim, store, tmp_path):
    victim.prepare(store)
    for path in (store.root / "config.json", store.root / "summary.md", store.index / "spool"):
        if path.exists():  # made by the test itself
            path.chmod(0o700 if path.is_dir() else 0o600)
            for file in path.glob("*"):
                file.chmod(0o600)
    copy_tree(store.folder, tmp_path / "template")

    for umask in (0, 0o777):
        copy_tree(tmp_path / "template", store.folder)
        done = store.run(
            *victim.argv, stdin=victim.stdin, program=victim.program, watched=True, umask=umask
        )

        assert done.status == 0, (oct(umask), done.err)
        assert mode_faults(done.points, store) == [], oct(umask)


def test_a_session_that_waits_is_durable_and_private_too(store, held_lock):
    two_sessions(store)

    with held_lock(store):
        done = store.run("save", stdin=json.dumps(witness(5)), watched=True, umask=0, wait_s=0.05)

    assert done.status == 4
    assert [point for point in done.points if "spool" in point.path]
    assert order_faults([point for point in done.points if point.call != "print"]) == []
    assert not [point for point in done.points if point.mode & 0o077]


def test_a_group_shares_only_what_it_was_given(store):
    own = store.home / MEMORIES
    own.mkdir(parents=True)
    (own / "config.json").write_text('{"storage": {"shared_mode": "group"}}')

    done = store.run("save", stdin=json.dumps(witness(5)), watched=True, umask=0, now=NOW)

    assert done.status == 0, done.err
    assert not [point for point in done.points if point.mode & 0o007]
    assert store.day().stat().st_mode & 0o777 == 0o660
