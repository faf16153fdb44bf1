"""Real processes that are killed, and that work at the same time; the long form is `soak.py`."""

from __future__ import annotations

import os

import pytest

from tests.reliability.crowd import crowd
from tests.reliability.kills import kill_writers
from tests.reliability.mirror_crowd import BUSY_LIMIT_S, mirror_crowd

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
KILLS = 12


def test_saves_that_are_killed_leave_whole_sessions_or_none(store):
    outcome = kill_writers(store, KILLS)

    assert outcome.faults == ()
    assert outcome.killed >= KILLS


@pytest.mark.parametrize(
    ("writers", "saves", "has_editor"),
    [(4, 4, False), (3, 3, True)],
    ids=["writers", "writers and an editor"],
)
def test_many_processes_at_once_lose_nothing(writers, saves, has_editor, store):
    outcome = crowd(store, writers, saves, has_editor=has_editor)

    assert outcome.faults == ()
    assert outcome.saves == writers * saves
    assert outcome.reads
    assert outcome.rebuilds
    assert outcome.edits or not has_editor


def test_servers_and_hooks_on_one_mirror_lose_nothing_and_wait_for_nobody(store):
    outcome = mirror_crowd(store, servers=3, hooks=3, turns=8)

    assert outcome.faults == ()
    assert (outcome.logged, outcome.appended, outcome.searches) == (24, 24, 24)
    assert outcome.slowest_log_s < BUSY_LIMIT_S
