"""The mirror: true to the files whatever happens to them, and as if it had been made just now."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daily_memory import InvalidInputError, Memory
from daily_memory.core.observation import Observation, format_observation
from daily_memory.core.settings import Settings
from daily_memory.errors import ConflictError
from daily_memory.model import Session
from daily_memory.services import mirroring, records
from daily_memory.storage import mirror, mirror_index, observations
from daily_memory.storage.mirror import Filters
from daily_memory.storage.roots import Root
from tests.conftest import Clock

ALL = Filters()


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """No connection outlives its folder."""
    yield
    mirror.close_idle()


@pytest.fixture
def on(memory) -> Memory:
    """A memory with the mirror switched on."""
    switch_on(memory)
    return memory


def switch_on(memory: Memory, **more: object) -> None:
    root = memory.save_root()
    os.makedirs(root.path, exist_ok=True)
    sections = {"mirror": {"enabled": True}, **more}
    Path(root.config).write_text(json.dumps(sections), encoding="utf-8")
    memory._settings = None


def database(root: Root) -> sqlite3.Connection:
    return sqlite3.connect(mirror.mirror_path(root))


def tables(root: Root) -> dict[str, list[Any]]:
    """Return what is in each table, without the numbers of the rows and how sure the stamps are."""
    connection = database(root)
    ids = dict(connection.execute("SELECT key, id FROM observations"))
    found: dict[str, list[Any]] = {}
    for name in ("sources", "sessions", "observations", "summaries", "meta"):
        cursor = connection.execute(f"SELECT * FROM {name}")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        for row in rows:
            row.pop("key", None)
            row.pop("is_sure", None)
        found[name] = sorted(rows, key=repr)
    found["tags"] = sorted(
        (tag, ids[key]) for tag, key in connection.execute("SELECT tag, key FROM observation_tags")
    )
    found["words"] = sorted(connection.execute("SELECT term FROM words"))
    found["terms"] = list(connection.execute("SELECT * FROM observations_vocabulary"))
    for term, *_ in found["terms"]:
        sql = "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?"
        rows = connection.execute(sql, (mirror_index.quoted(term),))
        found[f"with {term}"] = sorted(ids[key] for (key,) in rows)
    connection.close()
    return found


def asked(memory: Memory, *terms: str, filters: Filters = ALL) -> list[str]:
    """Return the ids of what the mirror finds."""
    found, warnings = mirroring.ask(
        memory.save_root(), memory.settings, filters, lambda corpus: corpus.find(terms, 100)
    )
    assert warnings == ()
    return [document.id for document in found[0]]


# ---------------------------------------------------------------------------- one history or another

TEXTS = st.sampled_from(
    [
        "缓存 TTL 定为 300 秒",
        "connectionPool timeout",
        "redis",
        "云工开物 优惠券",
        "\ud800 half",
        "完成",
    ]
)
NAMES = st.sampled_from(["a", "b"])
KINDS = st.sampled_from(["user", "assistant", "tool", "note", "decision"])
LOGGED = st.builds(
    lambda name, kind, text, tags, private: ("log", name, kind, text, tags, private),
    NAMES,
    KINDS,
    TEXTS,
    st.lists(st.sampled_from(["redis", "缓存"]), max_size=2),
    st.booleans(),
)
HOOKED = st.builds(
    lambda name, kind, text, turn, event, private: (
        "hook", name, kind, text, turn, event, private
    ),
    NAMES, KINDS, TEXTS, st.sampled_from(["", "t1"]), st.sampled_from(["", "e1"]), st.booleans(),
)  # fmt: skip
STEPS = st.one_of(
    LOGGED,
    HOOKED,
    st.tuples(st.just("end"), NAMES),
    st.tuples(st.just("wait"), st.sampled_from([1, 11, 86400])),
    st.tuples(st.just("save"), TEXTS, st.booleans()),
    st.tuples(st.just("line"), NAMES, st.sampled_from(['{"recalled":["x"]}\n', "no json\n", "\n"])),
    st.tuples(st.just("half"), NAMES),
    st.tuples(st.just("empty a line"), NAMES, st.integers(1, 9)),
    st.tuples(st.just("change"), NAMES),
    st.tuples(st.just("remove"), NAMES),
    st.tuples(st.just("edit day")),
    st.tuples(st.just("delete day")),
    st.tuples(st.just("search")),
)


class World:
    """A memory with the mirror on, and what may be done to it."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        (folder / "app").mkdir()
        self.memory = Memory(folder / "app", home=folder / "home", clock=self.clock)
        switch_on(self.memory)
        self.root = self.memory.save_root()

    def do(self, step: tuple[Any, ...]) -> None:
        name, *values = step
        getattr(self, f"_{name.replace(' ', '_')}")(*values)

    def path(self, name: str) -> Path:
        return Path(self.memory.start(name, host="cursor").path)

    def _log(self, name: str, kind: str, text: str, tags: list[str], private: bool) -> None:
        self.path(name)
        self.memory.log(text, kind=kind, tags=tags, private=private, conversation=name)

    def _hook(self, name: str, kind: str, text: str, turn: str, event: str, private: bool) -> None:
        one = Observation(
            self.clock.now.isoformat(), kind, text, "shell", ("src/a.py",), (), turn, event, private
        )
        observations.append(self.root, str(self.path(name)), format_observation(one))

    def _end(self, name: str) -> None:
        self.path(name)
        self.memory.end(name)

    def _wait(self, seconds: int) -> None:
        self.clock.now += timedelta(seconds=seconds)

    def _save(self, topic: str, private: bool) -> None:
        tags = ["redis", *(["private"] if private else [])]
        self.memory.save({"topic": topic, "key_points": ["要点 point"], "tags": tags})

    def _line(self, name: str, line: str) -> None:
        observations.append(self.root, str(self.path(name)), line)

    def _half(self, name: str) -> None:
        with open(self.path(name), "ab") as file:
            file.write('{"at":"","kind":"note","text":"half 一半"}'.encode())

    def _empty_a_line(self, name: str, place: int) -> None:
        path = self.path(name)
        lines = path.read_bytes().split(b"\n")
        lines[place % len(lines)] = b""
        path.write_bytes(b"\n".join(lines))

    def _change(self, name: str) -> None:
        """Change a text to another one of the same length."""
        path = self.path(name)
        path.write_bytes(path.read_bytes().replace(b"redis", b"mysql"))

    def _remove(self, name: str) -> None:
        self.path(name).unlink()

    def _edit_day(self) -> None:
        for path in Path(self.root.daily_folder).glob("*.md"):
            path.write_bytes(path.read_bytes().replace("要点".encode(), "改过".encode()))

    def _delete_day(self) -> None:
        for path in Path(self.root.daily_folder).glob("*.md"):
            path.unlink()

    def _search(self) -> None:
        asked(self.memory, "redi", "缓存")


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=1, max_size=14))
def test_kept_up_to_date_is_the_same_as_made_anew(steps):
    folder = Path(tempfile.mkdtemp())
    try:
        world = World(folder)
        for step in steps:
            world.do(step)

        mirroring.sync(world.root, world.memory.settings)
        kept = tables(world.root)
        mirroring.rebuild(world.root, world.memory.settings)

        assert kept == tables(world.root)
        check_against_files(world.memory)
    finally:
        mirror.close_idle()
        shutil.rmtree(folder)


def check_against_files(memory: Memory) -> None:
    """See that the mirror has the records of the files, and none else."""
    root = memory.save_root()
    expected = [
        records.observation_record(live, number)
        for live in memory.live_sessions()
        for number in range(len(live.observations))
    ]
    with mirror.borrowed(root) as opened:
        keys = opened.keys([record.id for record in expected])
        found = [record for _, record in opened.records(keys).values()]
        assert opened.counts()["observations"] == len(expected)
    assert found == [cleaned(record) for record in expected]


def cleaned(record: Any) -> Any:
    return record._replace(text=record.text.encode("utf-8", "replace").decode())
