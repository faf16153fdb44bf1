"""A memory and a dictionary live through the same: saves, edits, deletions, deaths."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.reliability.store import DAY, Store, Zygote, content, expected, witness

_DAYS = (DAY, "2026-01-30", "2024-02-29")


class History(RuleBasedStateMachine):
    """What is done to the memory, and beside it what must be in it: a number for each session."""

    zygote: Zygote

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp(prefix="daily-memory-"))
        self.store = Store(self._folder, self.zygote)
        # Content of each session that is there, by its id.
        self.there: dict[str, str] = {}
        # Content of sessions that could not be written yet, and come with a later save.
        self.waiting: list[str] = []
        self.count = 0

    def teardown(self) -> None:
        try:
            if self.waiting:
                assert self.store.run("doctor", "--fix").status == 0
            self._check()
            assert self.waiting == []
            if self.there:
                assert self.store.run("search", "witness").status == 0
                self.store.age()
                self.store.run("save", "--json", stdin=self._next()[0])
                assert self.store.index_faults() == []
                doctor = self.store.run("doctor")
                assert doctor.status == 0, doctor.out
                assert self.store.leftovers() == []
        finally:
            shutil.rmtree(self._folder)

    def _next(self, **more: Any) -> tuple[str, str]:
        self.count += 1
        return (
            json.dumps(witness(self.count, **more), ensure_ascii=False),
            expected(self.count, **more),
        )

    def _check(self) -> None:
        assert self._found() == self.there

    def _found(self) -> dict[str, str]:
        """Return the content of each session by id; what waited is in the model from now on."""
        found = {one["id"]: content(one) for one in self.store.sessions()}
        for name in found.keys() - self.there.keys():
            if found[name] in self.waiting:
                self.waiting.remove(found[name])
                self.there[name] = found[name]
        return found

    # ------------------------------------------------------------------ what is done

    @rule(day=st.sampled_from(_DAYS))
    def save(self, day: str) -> None:
        data, said = self._next(date=day)
        done = self.store.run("save", "--json", stdin=data)
        assert done.status == 0, done.err
        assert done.json["id"] not in self.there
        self.there[done.json["id"]] = said

    @rule()
    def go_on(self) -> None:
        """A conversation is saved again: in its place, or anew where a person changed it."""
        data, said = self._next(conversation="talk")
        done = self.store.run("save", "--json", stdin=data)
        assert done.status == 0, done.err
        name = done.json["id"]
        if name in self.there:
            # It keeps the time at which it began.
            said = json.dumps(
                {**json.loads(said), "time": json.loads(self.there[name])["time"]},
                ensure_ascii=False,
                sort_keys=True,
            )
        self.there[name] = said

    @rule(days=st.lists(st.sampled_from(_DAYS), min_size=1, max_size=3))
    def take_in(self, days: list[str]) -> None:
        made = [self._next(date=day) for day in days]
        path = self.store.project / "in.jsonl"
        path.write_text("\n".join(data for data, _ in made), encoding="utf-8")
        for wanted in (len(days), 0):
            done = self.store.run("import", "in.jsonl", "--json")
            assert done.json["imported"] == wanted, done.err
            # They are taken in by day, in the order in which they stand.
            order = sorted(range(len(days)), key=lambda place: days[place])
            for place, name in zip(order, done.json["ids"], strict=False):
                assert name not in self.there
                self.there[name] = made[place][1]

    @rule(
        kind=st.sampled_from(["dies before", "dies after", "EIO", "ENOSPC"]), at=st.integers(1, 30)
    )
    def break_down(self, kind: str, at: int) -> None:
        """A save dies or fails at any call: what it brought is there once, or not."""
        data, said = self._next()
        self._found()
        done = self.store.run("save", "--json", stdin=data, fault=(kind, at))
        new = {name: text for name, text in self._found().items() if name not in self.there}
        assert len(new) <= 1
        if "the session is kept" in done.err:
            assert not new
            self.waiting.append(said)
        if done.status == 0:
            assert new
        elif kind in ("EIO", "ENOSPC"):
            assert not new
        assert set(new.values()) <= {said}
        self.there |= new

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def change_by_hand(self, data: Any) -> None:
        name = data.draw(st.sampled_from(sorted(self.there)))
        section = self._lines(name)
        path, lines, first, last = section
        for place in range(first, last):
            if "was whole" in lines[place]:
                lines[place] = lines[place].replace("was whole", "was changed 改过")
                self.there[name] = self.there[name].replace("was whole", "was changed 改过")
        path.write_text("\n".join(lines), encoding="utf-8")

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def delete_by_hand(self, data: Any) -> None:
        name = data.draw(st.sampled_from(sorted(self.there)))
        path, lines, first, last = self._lines(name)
        path.write_text("\n".join([*lines[:first], *lines[last:]]), encoding="utf-8")
        del self.there[name]

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def delete(self, data: Any) -> None:
        name = data.draw(st.sampled_from(sorted(self.there)))
        done = self.store.run("delete", name)
        assert done.status == 0, done.err
        del self.there[name]

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def mark(self, data: Any) -> None:
        name = data.draw(st.sampled_from(sorted(self.there)))
        said = json.loads(self.there[name])
        flag = data.draw(st.sampled_from(["--important", "--clear"]))
        done = self.store.run("mark", name, flag)
        assert done.status == 0, done.err
        said["important"] = flag == "--important"
        if not said["important"]:
            said["tags"] = [tag for tag in said["tags"] if tag != "important"]
        elif "important" not in said["tags"]:
            said["tags"].append("important")
        self.there[name] = json.dumps(said, ensure_ascii=False, sort_keys=True)

    @precondition(lambda self: self.there)
    @rule(count=st.integers(1, 40))
    def insert_lines(self, count: int) -> None:
        """Every section moves down, and nothing else is changed."""
        for path in self.store.daily.glob("*.md"):
            path.write_bytes(b"\n" * count + path.read_bytes())

    @rule(argv=st.sampled_from([("reindex",), ("doctor", "--fix"), ("doctor",)]))
    def maintain(self, argv: tuple[str, ...]) -> None:
        done = self.store.run(*argv)
        assert done.status == 0, done.out + done.err
        self._check()

    @rule()
    def lose_the_index(self) -> None:
        for name in ("keywords.json", "lookup.sqlite3"):
            (self.store.index / name).unlink(missing_ok=True)

    @precondition(lambda self: self.there)
    @rule(data=st.data())
    def search(self, data: Any) -> None:
        name = data.draw(st.sampled_from(sorted(self.there)))
        word = json.loads(self.there[name])["tags"][0]
        done = self.store.run("search", word, "--json")
        assert name in [hit["id"] for hit in done.json["results"]], done.out
        assert done.json["warnings"] == []

    def _lines(self, name: str) -> tuple[Path, list[str], int, int]:
        one = next(one for one in self.store.sessions() if one["id"] == name)
        path = self.store.day(one["date"])
        first, last = one["line_range"]
        return path, path.read_text(encoding="utf-8").split("\n"), first - 1, last


def live(zygote: Zygote, histories: int, steps: int) -> None:
    """Live that many histories of at most so many steps; fails at the first that goes wrong."""
    machine = type("History", (History,), {"zygote": zygote})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=histories,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )
