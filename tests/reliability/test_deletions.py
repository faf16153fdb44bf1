"""A death at the calls of delete, undo and purge: nothing is lost, and nothing stays behind."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.reliability import injector
from tests.reliability.crashes import Bench
from tests.reliability.store import CAN_FORK, Store
from tests.reliability.victims import DELETION, Victim, deleted, live

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")
# Every sixth death; 1 tries all.
PARTS = 6
TALK = "2026-02-03#1"
PURGE = ("delete", TALK, "--purge", "--yes")
WORDS = ("xylophonezz", "木琴暗号")


def purged(store: Store) -> None:
    """As `live`, with a mark and what waits to be undone."""
    live(store)
    for words in (("mark", TALK, "--important"), ("delete", TALK), ("undo",)):
        done = store.run(*words)
        assert done.status == 0, done.err


def owned(store: Store) -> dict[str, bytes]:
    """Return the bytes of the days and of the live sessions, by name."""
    paths = [*store.daily.glob("*.md"), *store.root.glob("observations/*/*.jsonl")]
    return {path.name: path.read_bytes() for path in sorted(paths)}


def remaining(store: Store) -> list[str]:
    """Return the files that have one of the words, unpacked where they are packed."""
    found = []
    for path in sorted(store.root.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".gz" and data:
            data += gzip.decompress(data)
        if any(word.encode() in data for word in WORDS):
            found.append(str(path.relative_to(store.root)))
    return found


def test_what_a_killed_deletion_took_comes_back_to_the_byte(tmp_folder: Path, zygote):
    bench = Bench(Victim("delete", live, DELETION, is_whole=False), tmp_folder, zygote)
    faults = []

    for trial in bench.deaths()[::PARTS]:
        bench.reset()
        before = owned(bench.store)
        done = bench.spoiled(trial)
        assert done.status == injector.DEATH
        undone = bench.store.run("undo")
        # Where it died before it noted what it was about to do, nothing was done.
        if undone.status not in (0, 3) or owned(bench.store) != before:
            faults.append((bench.where(trial), trial.kind, undone.err))

    assert faults == []


def test_an_undo_that_was_killed_is_ended_by_the_next(tmp_folder: Path, zygote):
    bench = Bench(Victim("undo", deleted, ("undo",), is_whole=False), tmp_folder, zygote)
    bench.reset()
    assert bench.store.run("undo").status == 0
    wanted = owned(bench.store)
    faults = []

    for trial in bench.deaths()[::PARTS]:
        bench.reset()
        assert bench.spoiled(trial).status == injector.DEATH
        again = bench.store.run("undo")
        if again.status not in (0, 3) or owned(bench.store) != wanted:
            faults.append((bench.where(trial), trial.kind, again.err))

    assert faults == []


def test_a_purge_that_was_killed_is_ended_by_the_next(tmp_folder: Path, zygote):
    bench = Bench(Victim("purge", purged, PURGE), tmp_folder, zygote)
    bench.reset()
    assert remaining(bench.store) != []
    faults = []

    for trial in bench.deaths()[::PARTS]:
        bench.reset()
        assert bench.spoiled(trial).status == injector.DEATH
        again = bench.store.run(*PURGE)
        # 3: there was nothing left to purge.
        left = remaining(bench.store)
        kept = [session["id"] for session in bench.store.sessions()]
        # `#0` is the line that a person wrote below the sections.
        is_kept = kept == ["2026-01-29#1", "2026-01-29#2", "2026-01-29#0", "2026-01-30#1"]
        if again.status not in (0, 3) or left or not is_kept or bench.store.leftovers():
            faults.append((bench.where(trial), trial.kind, again.err, left, kept))

    assert faults == []
