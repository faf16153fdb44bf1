"""What a team finds by meaning, where its PostgreSQL has pgvector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.services.upkeep import embed
from tests.conftest import Clock
from tests.embedding import SESSIONS, EmbeddingServer, embedding_server
from tests.postgres import Team
from tests.services.upkeep.test_team import Person

SECRET = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


class Asker(Person):
    """A person who searches by meaning."""

    def __init__(
        self, folder: Path, team: Team, role: str, clock: Clock, server: EmbeddingServer
    ) -> None:
        super().__init__(folder, team, role, clock)
        self.semantic = {"enabled": True, "provider": "ollama", "model": "m", "url": server.url}

    def embed(self, memory: Memory) -> None:
        root = memory.workspace.ready(memory.workspace.save_root("project"))
        embed.embed(root, memory.settings, {}, wait_s=20.0)

    def near(self, question: str) -> list[str]:
        with self.connected() as memory:
            hits = memory.team.search(question).hits
        return [hit.record.text.split("\n")[0] for hit in hits]


@pytest.fixture
def alice(tmp_path: Path, vector_team: Team, clock: Clock, server: EmbeddingServer) -> Asker:
    return Asker(tmp_path, vector_team, "alice", clock, server)


@pytest.fixture
def bob(tmp_path: Path, vector_team: Team, clock: Clock, server: EmbeddingServer) -> Asker:
    return Asker(tmp_path, vector_team, "bob", clock, server)


def test_a_session_is_found_by_its_meaning_and_nothing_private_has_a_vector(
    alice, bob, vector_team
):
    alice.alone.import_sessions(SESSIONS)
    alice.alone.save({"topic": "style of the css", "date": "2026-01-25"})
    day = next(alice.clone.rglob("2026-01-25.md"))
    day.write_text(day.read_text("utf-8").replace("css", f"css {SECRET}"), "utf-8")
    bob.alone.save({"topic": "Bob's own"})
    assert alice.push().count(0) == 1  # before there are vectors
    for person in (alice, bob):
        with person.connected() as memory:
            person.embed(memory)

    pushed = alice.push()

    # Days are sent again for their vectors; their records did not change.
    assert (pushed[0] >= 4, pushed[1:]) == (True, (0, 0))
    count = "SELECT count(DISTINCT session) FROM daily_memory.vectors"
    assert vector_team.owner(count) == [(4,)]
    assert bob.near("passport") == ["The login page"]  # a word that nobody wrote
    assert alice.push() == (0, 0, 0)
    with alice.connected() as memory:
        memory.mark(["2026-01-20#1"], {"private": True})
    alice.push()
    assert vector_team.owner(count) == [(3,)]
    assert bob.near("passport") == []
    vector_team.owner("DELETE FROM daily_memory.grants WHERE role = 'bob'")
    assert bob.near("redis cache") == []


def test_another_model_or_a_broken_one_leaves_the_search_by_words(alice, bob, server):
    alice.alone.save({"topic": "The login page", "key_points": ["authenticate"]})
    bob.alone.save({"topic": "Bob's own"})
    for person, model in ((alice, "m"), (bob, "another")):
        person.semantic["model"] = model
        with person.connected() as memory:
            person.embed(memory)
    alice.push()

    assert bob.near("passport") == []
    assert bob.near("login page") == ["The login page"]
    server.refusals = [(500, {})] * 9
    with bob.connected() as memory:
        found = memory.team.search("login page")
    assert [hit.record.text.split("\n")[0] for hit in found.hits] == ["The login page"]
    assert "keywords alone" in found.warnings[0]


def test_rows_of_others_are_out_of_reach(alice, vector_team):
    import psycopg

    alice.alone.save({"topic": "The login page"})
    with alice.connected() as memory:
        alice.embed(memory)
    alice.push()

    with psycopg.connect(vector_team.url("carol"), autocommit=True) as carol:
        assert carol.execute("SELECT count(*) FROM daily_memory.vectors").fetchone() == (0,)
    with psycopg.connect(vector_team.url("bob"), autocommit=True) as other:
        assert other.execute("SELECT count(*) FROM daily_memory.vectors").fetchone() == (1,)
        assert other.execute("DELETE FROM daily_memory.vectors").rowcount == 0
