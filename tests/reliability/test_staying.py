"""A death where something is deleted or resumed: what went stays away, what stays is there once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conversations import CHINESE, ENGLISH, claude_lines, write_lines
from tests.reliability import injector
from tests.reliability.crashes import Bench
from tests.reliability.store import CAN_FORK, DAY, Store, content, witness
from tests.reliability.victims import OLD_DAYS, Victim, two_sessions

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
# Every sixth death; 1 tries all.
PARTS = 6
NAMES = ("0b9e2b61-6c1f-4b39-9d55-0c3c1f8a7e21", "notes-缓存")
IMPORT = ("import", "--from", "claude", "--json")
TALK = {"conversation": "talk-1", "topic": "talk 谈话"}


def imported(store: Store) -> None:
    """Two conversations that came from Claude Code, which keeps them, among other sessions."""
    two_sessions(store)
    for name, said in zip(NAMES, (CHINESE, ENGLISH), strict=True):
        path = store.home / ".claude" / "projects" / "slug" / f"{name}.jsonl"
        write_lines(path, claude_lines(said, name, store.project))
    assert store.run(*IMPORT).json["imported"] == len(NAMES)


def archived(store: Store) -> None:
    """A conversation in the archive, beside another session of its day."""
    two_sessions(store)
    for session in (witness(40, date=OLD_DAYS[1], **TALK), witness(41, date=OLD_DAYS[1])):
        stdin = json.dumps(session, ensure_ascii=False)
        assert store.run("save", stdin=stdin).status == 0
    assert store.run("cleanup", "--before", DAY, "--yes").status == 0


def conversations(store: Store) -> set[str]:
    return {one["conversation"] for one in store.sessions() if one["conversation"]}


@pytest.mark.parametrize("words", [(), ("--purge",)], ids=["delete", "purge"])
def test_wherever_a_deletion_dies_an_import_brings_back_nothing_that_went(
    tmp_folder: Path, zygote, words
):
    victim = Victim("delete", imported, ("delete", "--before", DAY, "--yes", *words))
    bench = Bench(victim, tmp_folder, zygote)
    gone = 0
    faults = []

    for trial in bench.deaths()[::PARTS]:
        bench.reset()
        assert bench.spoiled(trial).status == injector.DEATH
        before = conversations(bench.store)
        told = bench.store.run(*IMPORT).json
        # A name that somebody may guess is not kept of what is purged.
        lost = {NAMES[0]} - before if words else set(NAMES) - before
        gone += len(lost)
        if conversations(bench.store) & lost or told["deleted"] != len(lost):
            faults.append((bench.where(trial), trial.kind, before, told))

    assert faults == []
    assert gone > 0


def test_wherever_a_save_dies_an_archived_conversation_is_there_once(tmp_folder: Path, zygote):
    more = json.dumps(witness(20, **TALK), ensure_ascii=False)
    bench = Bench(Victim("save", archived, ("save", "--json"), more), tmp_folder, zygote)
    bench.reset()
    before = sorted(map(content, bench.store.sessions("--archived")))
    assert bench.store.run("save", stdin=more).status == 0
    after = sorted(map(content, bench.store.sessions("--archived")))
    assert len(before) == len(after)
    faults = []

    for trial in bench.deaths()[::PARTS]:
        bench.reset()
        assert bench.spoiled(trial).status == injector.DEATH
        left = sorted(map(content, bench.store.sessions("--archived")))
        again = bench.store.run("save", stdin=more)
        ended = sorted(map(content, bench.store.sessions("--archived")))
        fixed = bench.store.run("doctor", "--fix")
        is_sound = left in (before, after) and ended == after and not bench.store.index_faults()
        if not is_sound or again.status != 0 or fixed.status != 0:
            faults.append((bench.where(trial), trial.kind, again.err, left))

    assert faults == []
