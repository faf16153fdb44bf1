"""The team over MCP, from a real database; and what people elsewhere see and leave."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.frontends.mcp_server.access import Access
from tests.frontends.mcp_server.conftest import Talk

QUESTION = "which redis eviction policy do we use?"


@pytest.fixture
def connected(memory: Memory, team, tmp_path) -> Memory:
    """A memory whose user is alice, who pushed a session and deleted it here."""
    # Without a team nothing is pushed in the background.
    memory.save({"topic": "Redis eviction", "key_points": ["allkeys-lru since the outage"]})
    mirror = {"enabled": True, "engine": "postgresql", "url": team.url("alice")}
    settings = {"mirror": {**mirror, "projects": ["app"]}, "recall": {"team": True}}
    config = Path(memory.home, ".cursor/skills/memories/config.json")
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps(settings))
    team.grant("app", "alice", can_write=True)
    sharing = memory.in_folder(memory.project)
    sharing.team.push()
    next(Path(memory.project).rglob("daily/*.md")).unlink()
    return sharing


@pytest.fixture
def open_connected(connected: Memory) -> Callable[[], Memory]:
    return lambda: connected.in_folder(connected.project)


def inputs(talk: Talk) -> set[str]:
    (tool,) = (tool for tool in talk.ask("list_tools").tools if tool.name == "memory_search")
    return set(tool.input_schema["properties"])


def test_a_search_may_ask_the_team_and_its_results_are_read(open_connected):
    asking = Talk(Access(open_connected))

    assert "team" in inputs(asking)
    assert asking.call("memory_search", query="redis")["results"] == []
    (hit,) = asking.call("memory_search", query="redis", team=True)["results"]
    assert (hit["id"][:15], hit["origin"]) == ("team:app:alice:", "alice")
    (item,) = asking.call("memory_get_observations", ids=[hit["id"]])["items"]
    assert "allkeys-lru since the outage" in item["text"]
    found = asking.call("memory_search", query="redis", team=True, kinds=["note"], project="app")
    assert found["results"] == []


def test_without_a_team_there_is_nothing_to_ask(talk):
    assert "team" not in inputs(talk)
    assert "no team's database" in talk.refusal("memory_search", query="redis", team=True)


def test_a_person_elsewhere_does_not_see_what_this_account_may_see(open_connected):
    outside = Talk(Access(open_connected, person="bob"))

    assert "team" not in inputs(outside)
    assert "own role" in outside.refusal("memory_search", query="redis", team=True)
    ids = ["team:app:alice:2026-01-29#1"]
    assert "own role" in outside.refusal("memory_get_observations", ids=ids)
    for _ in range(3):
        assert "allkeys" not in outside.call("memory_inject", query=QUESTION)["context"]


def test_what_a_person_saves_over_http_says_who_it_was(memory, fresh):
    outside = Talk(Access(fresh, person="bob"))

    by_bob = outside.call("memory_save", topic="Redis TTL", key_points=["300 s"])["id"]
    live = outside.call("memory_start_session")["session_id"]
    outside.call("memory_log", session=live, kind="decision", text="we chose kafka for events")
    outside.call("memory_log", session=live, kind="note", text="kafka 3.7 has tiered storage")
    logged = outside.call("memory_end_session", session=live)["id"]
    event = {"session_id": "c9", "prompt": "always use pnpm here, never npm, for every package"}
    outside.call("memory_hook_event", event="UserPromptSubmit", payload=event)
    ended = memory.end("c9")
    own = memory.save({"topic": "My own note", "key_points": ["mine"]}).id

    assert [memory.get(id_).origin for id_ in (by_bob, logged)] == ["mcp: bob", "mcp: bob"]
    assert not ended.id or memory.get(ended.id).origin == "mcp: bob"
    assert memory.get(own).origin == ""
    assert "origin mcp: bob" in memory.inject("redis TTL").text
