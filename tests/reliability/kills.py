"""SIGKILL at random moments of saves that run beside each other."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import time
from collections import Counter
from typing import NamedTuple

from tests.reliability.store import Store, content, expected, witness

WRITERS = 3


class Killing(NamedTuple):
    """What came of it: how many saves were killed, how many had ended before, and the faults.

    `slowest_s` is the longest that the save after a kill took.
    """

    killed: int
    ended: int
    slowest_s: float
    faults: tuple[str, ...]


class _Ledger:
    """Which sessions must be there, and which may be."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._acknowledged: dict[int, str] = {}
        self._doubtful: set[int] = set()
        self.last = 0

    def next(self) -> int:
        self.last += 1
        return self.last

    def note(self, number: int, out: bytes) -> None:
        """Note how a save ended. Once its id was printed it counts, whatever came then."""
        with contextlib.suppress(ValueError):
            self._acknowledged[number] = json.loads(out)["id"]
            return
        self._doubtful.add(number)

    def faults(self) -> list[str]:
        found = Counter(map(content, self._store.sessions()))
        ids = [session["id"] for session in self._store.sessions()]
        faults = [f"the id {name} is there twice" for name, n in Counter(ids).items() if n > 1]
        known = Counter(expected(number) for number in self._acknowledged)
        for number in self._acknowledged:
            if not found[expected(number)]:
                faults.append(f"save {number} was acknowledged and is lost")
        for number in self._doubtful:
            known[expected(number)] = min(1, found[expected(number)])
        faults += [f"torn, or there twice: {said[:300]}" for said in found - known]
        return faults


def kill_writers(store: Store, kills: int, seed: int = 1) -> Killing:
    """Kill that many saves, three at a time, at moments spread over the length of a save."""
    chance = random.Random(seed)
    ledger = _Ledger(store)
    length_s = _length(store, ledger)
    killed = ended = 0
    slowest_s = 0.0
    faults: list[str] = []
    rounds = 0
    while killed < kills and not faults:
        outcomes = _round(store, ledger, chance, length_s)
        killed += outcomes.count(True)
        ended += outcomes.count(False)
        rounds += 1
        number = ledger.next()
        began = time.perf_counter()
        done = store.process("save", "--json", stdin=json.dumps(witness(number)))
        slowest_s = max(slowest_s, time.perf_counter() - began)
        ledger.note(number, done.out.encode())
        if done.status != 0:
            faults.append(f"the save after kill {killed} failed: {done.err}")
        if rounds % 8 == 0:
            faults += ledger.faults()
    store.age()
    number = ledger.next()
    ledger.note(
        number, store.process("save", "--json", stdin=json.dumps(witness(number))).out.encode()
    )
    faults += ledger.faults() + store.index_faults()
    if store.leftovers():
        faults.append(f"left over: {store.leftovers()}")
    doctor = store.process("doctor")
    if doctor.status != 0:
        faults.append(f"doctor is not content: {doctor.out}")
    return Killing(killed, ended, slowest_s, tuple(faults))


def _length(store: Store, ledger: _Ledger) -> float:
    """Return how long saves beside each other take from their start to their end, in seconds."""
    lengths = []
    for _ in range(2):
        began = time.perf_counter()
        started = [_started(store, ledger.next()) for _ in range(WRITERS)]
        for place, process in enumerate(started):
            out, _ = process.communicate()
            ledger.note(ledger.last - WRITERS + 1 + place, out)
            lengths.append(time.perf_counter() - began)
    return statistics.median(lengths)


def _started(store: Store, number: int) -> subprocess.Popen[bytes]:
    data = json.dumps(witness(number), ensure_ascii=False)
    return store.start("save", "--json", stdin=data, start_new_session=True)


def _round(store: Store, ledger: _Ledger, chance: random.Random, length_s: float) -> list[bool]:
    """Start saves and kill each at a moment of its own; return which were killed in time."""
    began = time.perf_counter()
    running = []
    for _ in range(WRITERS):
        number = ledger.next()
        # The first third of a save only loads Python: less of the kills fall there.
        moment_s = length_s * chance.triangular(0.0, 1.15, 0.7)
        running.append((began + moment_s, number, _started(store, number)))
    outcomes = []
    for moment, number, process in sorted(running, key=lambda one: one[0]):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=max(0.0, moment - time.perf_counter()))
        # Of one that ended, the number may be another's by now.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
        ledger.note(number, out)
        outcomes.append(process.returncode == -signal.SIGKILL)
    return outcomes
