"""A project's memory in the team's database: pushed, searched and taken out again."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

import pytest

from daily_memory import InvalidInputError, Memory
from daily_memory.errors import BackendError, NotFoundError
from daily_memory.model import KINDS
from daily_memory.services.reading import team_search as reading
from tests.conftest import Clock
from tests.postgres import Team


class Person:
    """Somebody with a home, and a clone of the project `shop`."""

    def __init__(self, folder: Path, team: Team, role: str, clock: Clock) -> None:
        self.home, self.clone = folder / role / "home", folder / role / "shop"
        for path in (self.home, self.clone):
            path.mkdir(parents=True)
        self._url, self._clock = team.url(role), clock
        self.semantic: dict[str, object] = {}
        # Without a team nothing is pushed in the background.
        self.alone = self.open()

    def open(self) -> Memory:
        return Memory(self.clone, home=self.home, clock=self._clock)

    @contextlib.contextmanager
    def connected(self, *, recalls: bool = False, **settings: object) -> Iterator[Memory]:
        """The memory with the team's database set; it `recalls` from there too."""
        folder = self.home / ".cursor/skills/memories"
        folder.mkdir(parents=True, exist_ok=True)
        mirror = {"enabled": True, "engine": "postgresql", "url": self._url, "projects": ["shop"]}
        config = folder / "config.json"
        values = {"mirror": {**mirror, **settings}, "recall": {"team": recalls}}
        values |= {"semantic": self.semantic} if self.semantic else {}
        config.write_text(json.dumps(values))
        yield self.open()
        config.unlink()

    def push(self) -> tuple[int, int, int]:
        with self.connected() as memory:
            return memory.team.push()[4:]

    def found(self, question: str, *, observations: bool = False) -> list[str]:
        with self.connected() as memory:
            hits = memory.team.search(question, kinds=KINDS if observations else ()).hits
        return [hit.record.text.split("\n")[0] for hit in hits]


@pytest.fixture
def alice(tmp_path, team, clock) -> Person:
    return Person(tmp_path, team, "alice", clock)


@pytest.fixture
def bob(tmp_path, team, clock) -> Person:
    return Person(tmp_path, team, "bob", clock)


def test_what_one_saves_the_other_finds(alice, bob):
    alice.alone.save({"topic": "Redis 缓存方案", "key_points": ["过期时间定为 300 秒"]})
    alice.alone.start("c")
    alice.alone.log("try kubectl rollout restart", conversation="c", tool="Bash", kind="tool")
    bob.alone.save({"topic": "Deployment of the shop", "key_points": ["helm upgrade --atomic"]})

    assert alice.push() == (1, 2, 0)
    assert bob.push() == (1, 1, 0)

    assert bob.found("缓存多久过期") == ["Redis 缓存方案"]
    assert bob.found("redsi") == ["Redis 缓存方案"]  # a typo
    assert alice.found("helm") == ["Deployment of the shop"]
    assert bob.found("kubectl rollout", observations=True) == ["try kubectl rollout restart"]
    with bob.connected() as memory:
        (hit,) = memory.team.search("redis").hits
        assert hit.record.id == "team:shop:alice:2026-01-29#1"
        assert hit.record.origin == "alice"
        assert memory.team.get(hit.record.id) == (hit.record,)
        with pytest.raises(NotFoundError):
            memory.team.get("team:lab:alice:2026-01-29#1")
        with pytest.raises(InvalidInputError):
            memory.team.get("team:shop")


def test_nothing_private_or_secret_is_pushed_and_what_is_deleted_goes(alice, team):
    memory = alice.alone
    memory.save({"topic": "Public"})
    memory.save({"topic": "Diary of mine", "tags": ["private"]})
    memory.start("c")
    memory.log("whispered words", conversation="c", private=True)
    memory.log("spoken words", conversation="c")
    day = next(alice.clone.rglob("2026-01-29.md"))
    with day.open("a", encoding="utf-8") as file:  # by hand, and so not redacted yet
        file.write("\n## Session 9 - 11:00:00\n\n### Topic\nDB_PASSWORD=tulip-Bridge-42\n")

    alice.push()

    everything = str(team.owner("SELECT r::text FROM daily_memory.records AS r"))
    assert "Public" in everything
    assert "spoken" in everything
    assert "[REDACTED:password]" in everything
    stored = everything + str(team.owner("SELECT term FROM daily_memory.frequencies"))
    assert not [word for word in ("Diary", "diari", "whisper", "tulip") if word in stored]

    memory.mark(["2026-01-29#1"], {"private": True})
    memory.delete(["2026-01-29#9"])
    alice.push()

    assert team.owner("SELECT content FROM daily_memory.records") == [("spoken words",)]
    assert team.counts_are_right()


def test_a_purge_reaches_the_team_or_says_that_it_did_not(alice, team):
    memory = alice.alone
    for topic in ("Redis secret plan", "Kafka secret plan"):
        memory.save({"topic": topic})
    alice.push()

    with alice.connected() as connected:
        purged = connected.deletion.purge(connected.deletion.traces((), ["2026-01-29#1"]))
    assert purged.elsewhere == ()
    assert team.owner("SELECT content FROM daily_memory.records") == [("Kafka secret plan",)]

    with alice.connected(url="postgresql:///x?host=/nowhere") as connected:
        purged = connected.deletion.purge(connected.deletion.traces((), ["2026-01-29#2"]))
    assert "your team's database (not reached" in purged.elsewhere[0]


def test_what_could_not_be_pushed_is_pushed_the_next_time(alice, team):
    alice.alone.save({"topic": "Redis"})
    with (
        alice.connected(url="postgresql:///x?host=/nowhere") as memory,
        pytest.raises(BackendError),
    ):
        memory.team.push()
    with alice.connected(url="postgresql:///x?host=/nowhere") as memory:
        (warning,) = memory.background.run("team")
        assert warning.startswith("team: the team's database can't be used")

    with alice.connected() as memory:
        assert memory.team.status().behind == 1
        assert memory.background.run("team") == []

    assert team.owner("SELECT count(*) FROM daily_memory.records") == [(1,)]


def test_it_is_rebuilt_from_the_files_and_withdrawn(alice, team):
    alice.alone.save({"topic": "Redis"})
    alice.push()
    team.owner("UPDATE daily_memory.records SET content = 'something else'")

    with alice.connected() as memory:
        memory.team.push(from_scratch=True)
        assert team.owner("SELECT content FROM daily_memory.records") == [("Redis",)]
        assert memory.team.withdraw()[4:] == (1, 0, 1)
    assert team.owner("SELECT count(*) FROM daily_memory.records") == [(0,)]
    assert team.counts_are_right()


def test_a_renamed_project_leaves_nothing_under_its_old_name(alice, bob, team):
    team.grant("store", "alice", can_write=True)
    for person, topic in ((alice, "Redis of Alice"), (bob, "Redis of Bob")):
        person.alone.save({"topic": topic})
        person.push()

    alice.alone.projects.rename("shop", "store")
    with alice.connected(projects=["store"]) as memory:
        pushed = memory.team.push()
        # A name is asked for as the database has it, whatever it is called here.
        found = [
            [hit.record.text for hit in memory.team.search("redis", project=name).hits]
            for name in ("shop", "store")
        ]

    assert pushed.removed == 1
    assert found == [["Redis of Bob"], ["Redis of Alice"]]
    assert bob.found("redis") == ["Redis of Bob"]
    assert team.counts_are_right()


def test_sections_that_came_by_git_are_pushed_by_who_wrote_them(alice, bob):
    def git(person: Person, *words: str) -> None:
        name = person.clone.parent.name
        who = ["-c", f"user.name={name}", "-c", f"user.email={name}@example.org"]
        subprocess.run(["git", *who, *words], cwd=person.clone, check=True, capture_output=True)

    alice.alone.save({"topic": "Redis by Alice"})
    git(alice, "init", "-q")
    git(alice, "add", "-f", ".cursor/skills/memories/daily")
    git(alice, "commit", "-qm", "x")
    os.rmdir(bob.clone)
    git(alice, "clone", "-q", ".", str(bob.clone))
    subprocess.run(["git", "config", "user.email", "bob@example.org"], cwd=bob.clone, check=True)
    bob.alone = bob.open()
    bob.alone.save({"topic": "Redis by Bob"})
    alice.push()
    bob.push()

    assert sorted(alice.found("redis")) == ["Redis by Alice", "Redis by Bob"]
    with alice.connected() as memory:
        assert len(memory.team.search("redis", limit=20).hits) == 2


def test_only_listed_projects_are_shared_and_a_project_can_not_list_itself(alice):
    alice.alone.save({"topic": "Redis"})
    config = next(alice.clone.rglob("memories")) / "config.json"
    config.write_text('{"mirror": {"projects": ["shop"], "url": "postgresql:///evil"}}')

    with alice.connected(projects=[]) as memory:
        assert not memory.team.is_shared()
        with pytest.raises(InvalidInputError, match="'shop' is not shared"):
            memory.team.push()
        assert "evil" not in memory.settings.mirror.url
    with pytest.raises(InvalidInputError, match="no team's database"):
        alice.open().team.search("redis")


def test_recall_shows_what_the_team_knows_if_that_is_wanted_and_comes_in_time(alice, bob):
    alice.alone.save({"topic": "Redis eviction", "key_points": ["allkeys-lru since the outage"]})
    alice.push()
    question = "which redis eviction policy do we use?"

    with bob.connected() as memory:
        assert "allkeys" not in memory.inject(question).text
    with bob.connected(recalls=True) as memory:
        for _ in range(20):  # it may take longer on a busy machine, and then says nothing
            block = memory.inject(question)
            if block.ids:
                break
        assert block.ids == ("team:shop:alice:2026-01-29#1",)
        assert "allkeys-lru" in block.text
        assert "alice" in block.text
        assert memory.inject(question, known=frozenset(block.ids)).text == ""
    with bob.connected(recalls=True, url="postgresql:///x?host=/nowhere") as memory:
        assert memory.inject(question).text == ""


def test_recall_does_not_wait_for_a_database_that_is_slow(alice, team):
    with alice.connected() as memory:
        settings = memory.settings

        def redact(text: str) -> str:
            time.sleep(5)
            return text

        take = reading.asker("redis", settings, memory.today(), redact, within_s=0.05)
        began = time.monotonic()
        assert take() == []
        assert time.monotonic() - began < 2


def test_clocks_that_disagree_neither_lose_nor_repeat_anything(alice, bob, team):
    ahead, behind = (datetime(year, 5, 1, 12, tzinfo=timezone.utc) for year in (2091, 1999))
    for person, now, topic in ((alice, ahead, "Redis in 2091"), (bob, behind, "Redis in 1999")):
        Memory(person.clone, home=person.home, clock=partial(min, now, now)).save({"topic": topic})
    day = next(alice.clone.rglob("2091-05-01.md"))
    years_ahead = ahead.timestamp()
    os.utime(day, (years_ahead, years_ahead))

    assert (alice.push(), bob.push()) == ((1, 1, 0), (1, 1, 0))

    with alice.connected() as memory:
        assert memory.team.status().behind == 0
    assert alice.push() == (0, 0, 0)
    # An edit of the same size, whose time goes backwards.
    day.write_text(day.read_text("utf-8").replace("2091\n", "2092\n"), "utf-8")
    os.utime(day, (behind.timestamp(), behind.timestamp()))
    assert alice.push() == (1, 1, 1)
    assert sorted(bob.found("redis")) == ["Redis in 1999", "Redis in 2092"]
    day.unlink()
    assert alice.push() == (1, 0, 1)
    assert bob.found("redis") == ["Redis in 1999"]
    assert team.counts_are_right()
