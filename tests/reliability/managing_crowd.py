"""A memory that one process manages while another saves and logs, and either may be killed.

Each thing that was acknowledged must be there once: in a day, in the archive, or where it was
deleted, back by an undo. What was killed may have been done or not, but not half.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections import Counter
from typing import NamedTuple

from tests.reliability.store import Done, Store, content, expected, is_polite, witness

DAYS = ("2026-01-27", "2026-01-28", "2026-01-29")
# How long a command takes about, from its start to its end, in seconds.
LENGTH_S = 0.5


class Managed(NamedTuple):
    """How many commands ran, how many of them were killed, and what went wrong."""

    commands: int
    killed: int
    faults: tuple[str, ...]


class _Beside:
    """Both processes, and what must be in the memory."""

    def __init__(self, store: Store, chance: int) -> None:
        self.store = store
        self.chance = random.Random(chance)
        self.saved: dict[int, str] = {}
        self.doubtful: set[int] = set()
        self.logged: list[str] = []
        self.count = 0
        self.commands = 0
        self.killed = 0
        self.faults: list[str] = []

    def manage(self) -> tuple[str, ...]:
        """Return a command that takes nothing away for good."""
        ids = [one["id"] for one in self.store.sessions("--archived")] or ["2026-01-29#1"]
        name = self.chance.choice(ids)
        return self.chance.choice(
            (
                ("delete", name, "--yes"),
                ("delete", name[:10], "--yes"),
                ("undo",),
                ("undo",),
                ("mark", name, self.chance.choice(("--important", "--outdated", "--clear"))),
                ("cleanup", "--archive", "--before", "2026-01-29", "--yes"),
                ("cleanup", "--archive", "--before", "2026-01-28", "--yes"),
                ("restore", "--all"),
                ("restore", name[:10]),
                ("cleanup", "--dedupe", "--yes"),
                ("cleanup", "--sanitize", "--yes"),
                ("summarize",),
                ("reindex",),
                ("doctor", "--fix"),
            )
        )

    def round(self) -> None:
        managing = self.store.start(*self.manage(), start_new_session=True)
        self.count += 1
        number = self.count
        data = witness(number, date=self.chance.choice(DAYS))
        saving = self.store.start("save", "--json", stdin=json.dumps(data), start_new_session=True)
        word = f"logged{number}x"
        logging = self.store.start("log", f"记录 {word}", "--json", start_new_session=True)
        self._ended(managing)
        done = self._ended(saving)
        if done.status == 0:
            self.saved[number] = str(data["date"])
        else:
            self.doubtful.add(number)
        if self._ended(logging).status == 0:
            self.logged.append(word)

    def _ended(self, process: subprocess.Popen[bytes]) -> Done:
        """Wait for a process, or kill it at some moment; note a fault where it is not polite."""
        self.commands += 1
        if self.chance.random() < 0.4:
            time.sleep(LENGTH_S * self.chance.random())
            process.send_signal(signal.SIGKILL)
        out, err = process.communicate()
        done = Done(process.returncode, out.decode(), err.decode("utf-8", "replace"))
        if done.status == -signal.SIGKILL:
            self.killed += 1
        else:
            fault = is_polite(done)
            self.faults += [fault] if fault else []
        return done

    def check(self) -> None:
        """Bring back everything, and look whether each session is there once."""
        while self.store.run("undo").status == 0:
            pass
        self.store.run("restore", "--all")
        self.store.run("doctor", "--fix")
        there = self.store.sessions("--archived")
        ids = Counter(one["id"] for one in there)
        self.faults += [f"the id {name} is there twice" for name, n in ids.items() if n > 1]
        found = Counter(map(_said, there))
        for number, day in self.saved.items():
            count = found.pop(_wanted(number, day), 0)
            if count != 1:
                self.faults.append(f"session {number} was saved, and is there {count} times")
        for number in self.doubtful:
            for day in DAYS:
                if found.pop(_wanted(number, day), 0) > 1:
                    self.faults.append(f"session {number} occurs more than once")
        self.faults += [f"nobody saved this: {said[:300]}" for said in found]
        log = b"".join(path.read_bytes() for path in self.store.root.glob("observations/*/*.jsonl"))
        for word in self.logged:
            if log.count(f'{word}"'.encode()) != 1:
                self.faults.append(f"{word} was logged, and is not there once")
        self.faults += self.store.index_faults()
        doctor = self.store.run("doctor")
        if doctor.status != 0:
            self.faults.append(f"doctor is not content: {doctor.out}")


def _said(session: dict[str, object]) -> str:
    """Return what a session says, but for its flags, which a killed undo may have left."""
    said = json.loads(content(session))
    said["tags"] = [one for one in said["tags"] if one not in ("important", "outdated")]
    return json.dumps({**said, "important": 0, "outdated": 0}, ensure_ascii=False, sort_keys=True)


def _wanted(number: int, day: str) -> str:
    return _said(json.loads(expected(number, date=day)))


def manage_beside(store: Store, rounds: int, chance: int) -> Managed:
    """Manage a memory beside saves and logs, and look every few rounds whether all is there."""
    beside = _Beside(store, chance)
    store.run("start", "talk")
    for number in range(1, rounds + 1):
        beside.round()
        if number % 10 == 0 or number == rounds:
            beside.check()
        if beside.faults:
            break
    return Managed(beside.commands, beside.killed, tuple(beside.faults))
