"""Every call of every command that writes, spoiled in every way: what is left must be sound."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.reliability import injector
from tests.reliability.store import Done, Store, Zygote, content, copy_tree, is_polite, witness
from tests.reliability.victims import Victim

DEATHS = (*injector.DEATHS, "SIGKILL")
# A day on which no victim writes.
_NEXT_DAY = "2026-02-05"
# After these calls the disk is another; a death after any other call leaves what was there before.
_CHANGING = {"create", "write", "replace", "rename", "unlink", "mkdir", "commit", "ftruncate"}


class Trial(NamedTuple):
    """One call to spoil, and how."""

    number: int
    call: str
    kind: str


class State(NamedTuple):
    """What a memory holds: the sessions by what they say, and the bytes of what people own."""

    sessions: Counter[str]
    owned: Mapping[str, bytes]


class Bench:
    """A victim with the memory it starts from, and what becomes of that without a fault."""

    def __init__(self, victim: Victim, folder: Path, zygote: Zygote) -> None:
        self.victim = victim
        self._template = folder / "template"
        # Always at one place: the project's path is among what is written.
        self.store = Store(folder / "work", zygote)
        victim.prepare(self.store)
        copy_tree(self.store.folder, self._template)
        # Looking brings the index up to date: the command itself must find it as it was.
        self.before = self._state()
        copy_tree(self._template, self.store.folder)
        done = self._run(watched=True)
        assert done.status == 0, done.err
        self.points = [point for point in done.points if point.call != "print"]
        assert self.points, "a command that changes nothing is no victim"
        self.after = self._state()

    def trials(self, kinds: tuple[str, ...] = injector.KINDS) -> Iterator[Trial]:
        """Yield each call in each way that makes sense for it."""
        for point in self.points:
            for kind in kinds:
                can_be_half = point.call == "write"
                if kind in ("dies half way", "short write") and not can_be_half:
                    continue
                yield Trial(point.number, point.call, kind)

    def deaths(self) -> list[Trial]:
        """Return the deaths that leave something else than another death does.

        A death before a call leaves what a death after the one before it left, and a death after a
        call that changes nothing does too.
        """
        return [
            Trial(point.number, point.call, kind)
            for point in self.points
            for kind in ("dies after", "dies half way")
            if point.call == "write" or (point.call in _CHANGING and kind == "dies after")
        ]

    def sample(self, count: int) -> list[Trial]:
        """Return that many deaths and errors from all over the command, always the same ones."""
        chance = random.Random(self.victim.name)
        errors = (*injector.ERRORS, *injector.LASTING, "short write")
        trials = self.deaths()
        trials += [Trial(point.number, point.call, chance.choice(errors)) for point in self.points]
        return sorted(chance.sample(trials, min(count, len(trials))))

    def faults(self, trial: Trial) -> list[str]:
        """Spoil one call and return what is wrong afterwards."""
        self.reset()
        done = self.spoiled(trial)
        name = f"{self.victim.name}: {trial.kind} at call {trial.number}, {self.where(trial)}"
        try:
            return [f"{name}: {fault}" for fault in self._faults(trial, done)]
        except (AssertionError, ValueError, OSError) as error:
            return [f"{name}: {type(error).__name__}: {error}"]

    def reset(self) -> None:
        """Put the memory back to how it was at first."""
        copy_tree(self._template, self.store.folder)

    def spoiled(self, trial: Trial) -> Done:
        """Run the victim with one call spoiled."""
        return self._run(fault=(trial.kind, trial.number))

    def where(self, trial: Trial) -> str:
        """Return which call of which file it is, for people."""
        point = next(point for point in self.points if point.number == trial.number)
        return f"{trial.call} {point.path.replace(str(self.store.root), 'memories')}"

    # ------------------------------------------------------------------ below

    def _run(self, fault: tuple[str, int] | None = None, *, watched: bool = False) -> Done:
        victim = self.victim
        return self.store.run(
            *victim.argv, stdin=victim.stdin, program=victim.program, fault=fault, watched=watched
        )

    def _state(self) -> State:
        # The first who looks takes back what was begun and not finished: then come the bytes.
        sessions = Counter(map(content, self._sessions()))
        owned = self.store.day_bytes()
        for name in ("config.json", "summary.md"):
            if (self.store.root / name).exists():
                owned[name] = self.store.read(self.store.root / name)
        return State(sessions, owned)

    def _sessions(self) -> list[dict[str, Any]]:
        return self.store.sessions(*(["--archived"] if self.victim.is_archiving else []))

    def _faults(self, trial: Trial, done: Done) -> Iterator[str]:
        yield from self._faults_of_ending(trial, done)
        left = self._state()
        yield from self._faults_of_state(trial, done, left)
        self.store.age()
        saved = self.store.run("save", "--json", stdin=json.dumps(witness(99, date=_NEXT_DAY)))
        if saved.status != 0:
            yield f"the next save fails: {saved.err}"
            return
        if saved.json["warnings"] and "from the queue" not in str(saved.json["warnings"]):
            yield f"the next save warns: {saved.json['warnings']}"
        if self.store.leftovers():
            yield f"left over after the next save: {self.store.leftovers()}"
        yield from self._faults_after_repeating(done, left)
        doctor = self.store.run("doctor")
        if doctor.status != 0:
            yield f"doctor is not content: {doctor.out} {doctor.err}"

    def _faults_of_ending(self, trial: Trial, done: Done) -> Iterator[str]:
        if trial.kind in DEATHS:
            if done.status != injector.DEATH:
                yield f"did not die but ended with {done.status}: {done.err}"
            return
        # `doctor` tells of what it could not mend on stdout, by its own status.
        is_told = done.status == 5 and "fault:" in done.out
        if is_polite(done) and not is_told:
            yield is_polite(done)
        if trial.kind == "short write" and done.status != 0:
            yield f"a short write is no error, but it ended with {done.status}: {done.err}"

    def _faults_of_state(self, trial: Trial, done: Done, left: State) -> Iterator[str]:
        """What was there must be there; what was to be done is done or not."""
        kept = self.before.sessions & self.after.sessions
        known = self.before.sessions | self.after.sessions
        if kept - left.sessions:
            yield f"lost: {list(kept - left.sessions)}"
        if left.sessions - known:
            yield f"torn, double or unknown: {list(left.sessions - known)}"
        if self.victim.is_whole and left.sessions not in self._whole(trial, done, left):
            yield f"neither done nor undone: {list(left.sessions - kept)}"
        is_error = trial.kind not in DEATHS and done.status != 0
        # A save that failed is made again: it must not have been done. What rewrites comes to the
        # same when it is done again.
        is_once = self.victim.argv[0] in ("save", "add", "import") and not self.victim.can_repeat
        is_done = left.sessions != self.before.sessions
        if is_error and is_once and is_done and trial.kind not in injector.LASTING:
            yield f"it says that it failed, and did it: {done.err}"
        # What `doctor --fix` can't save yet, it says; that is no fault of the memory.
        is_told = not self.victim.is_whole and "is still queued" in done.out
        if done.status == 0 and left.sessions != self.after.sessions and not is_told:
            yield "it says that it is done, and it is not"
        for name in {*left.owned, *self.before.owned, *self.after.owned}:
            states = (self.before.owned.get(name), self.after.owned.get(name))
            is_empty = states[0] is None and left.owned.get(name) == b""
            if (
                left.owned.get(name) not in states
                and not is_empty
                and not self._is_step(name, left)
            ):
                yield f"{name} has other bytes: {(left.owned.get(name) or b'')[-200:]!r}"

    def _whole(self, trial: Trial, done: Done, left: State) -> list[Counter[str]]:
        is_hard = trial.kind in DEATHS or trial.kind in injector.LASTING
        if self.victim.argv[0] == "import" and is_hard and done.status != 0:
            # It goes day by day, and could not take back what it did: run again, it does the rest.
            return [left.sessions & (self.before.sessions | self.after.sessions)]
        return [self.before.sessions, self.after.sessions]

    def _is_step(self, name: str, left: State) -> bool:
        """Tell whether a day is between its states, for what goes step by step."""
        if self.victim.is_whole:
            return False
        data, before = left.owned.get(name, b""), self.before.owned.get(name, b"-")
        return data.startswith(before) or before.startswith(data.rstrip())

    def _faults_after_repeating(self, done: Done, left: State) -> Iterator[str]:
        """What was not done can be done again, nothing is there twice, and the index is right."""
        can_repeat = self.victim.can_repeat or self.victim.argv[0] == "import"
        is_wanted = left.sessions != self.after.sessions or can_repeat
        # A save that says so was done by the next one: done again, it would be there twice.
        if is_wanted and "the session is kept" not in done.err:
            again = self._run()
            if again.status != 0:
                yield f"run again it ends with {again.status}: {again.err}"
        sessions = self._sessions()
        fresh = next(s for s in reversed(sessions) if s["date"] == _NEXT_DAY)
        ended = Counter(map(content, sessions)) - Counter([content(fresh)])
        if is_wanted and ended != self.after.sessions:
            lost = list(self.after.sessions - ended)
            more = list(ended - self.after.sessions)
            yield f"run again: missing {lost}, too many {more}"
        yield from self.store.index_faults([s for s in sessions if not s.get("archived")])
