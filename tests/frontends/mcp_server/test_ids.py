"""Each id that a tool gives is taken by each other tool, and means that session."""

from __future__ import annotations

import json
from datetime import timedelta
from urllib.parse import quote

import pytest

from daily_memory import Memory
from daily_memory.frontends.mcp_server.access import Access
from tests.frontends.mcp_server.conftest import Talk
from tests.many_memories import BARE, fill, scoped


@pytest.fixture
def topics(memory, tmp_path, clock):
    return fill(tmp_path, clock)


def found(talk, **more):
    results = talk.call("memory_search", query="缓存", **more)["results"]
    return {one["id"]: one["snippet"] for one in results}


def test_what_a_search_found_is_what_every_tool_takes(talk, topics, clock):
    assert set(found(talk)) == {BARE, f"global:{BARE}"}
    for label in ("", "global"):
        id_ = scoped(label)
        assert topics[label] in found(talk)[id_]
        shown = talk.call("memory_show", id=id_)["sessions"][0]
        assert (shown["id"], shown["topic"]) == (id_, topics[label])
        assert talk.call("memory_get_observations", ids=[id_])["items"][0]["id"] == id_
        assert talk.call("memory_timeline", observation_id=id_)["items"][0]["id"] == id_
        assert f"[memory {id_}" in talk.call("memory_inject", query="缓存")["context"]
        assert talk.call("memory_mark", ids=[id_], important=True)["marked"] == [id_]
        resource = talk.ask("read_resource", f"memory://session/{quote(id_)}").contents[0]
        assert json.loads(resource.text)["sessions"][0]["topic"] == topics[label]
        deleted = talk.call("memory_delete", ids=[id_])
        assert (deleted["deleted"], deleted["topics"]) == ([id_], [topics[label]])
        assert set(found(talk)) == {BARE, f"global:{BARE}"} - {id_}
        assert talk.call("memory_undo")["ids"] == [id_]
        clock.now += timedelta(minutes=1)


def test_what_is_saved_is_named_by_its_memory(topics, tmp_path, clock):
    talk = Talk(Access(lambda: Memory("", home=tmp_path / "home", clock=clock)))

    saved = talk.call("memory_save", topic="Redis")
    session = talk.call("memory_start_session")["session_id"]
    logged = talk.call("memory_log", session=session, kind="decision", text="用 Redis 做缓存")
    ended = talk.call("memory_end_session", session=session)

    ids = [saved["id"], logged["observation_id"], ended["id"]]
    assert all(id_.startswith("global:2026-01-29") for id_ in ids)
    for id_ in ids:
        assert talk.call("memory_get_observations", ids=[id_])["items"][0]["id"] == id_


def test_of_another_project_the_ids_bear_its_name(fresh, topics, tmp_path):
    name = "商城: new #2"
    talk = Talk(Access(fresh, [str(tmp_path / name)]))
    id_ = scoped(name)

    assert topics[name] in found(talk, project=name)[id_]
    for more in ({"project": name}, {}):
        assert talk.call("memory_show", id=id_, **more)["sessions"][0]["topic"] == topics[name]
    assert talk.call("memory_show", id=BARE)["sessions"][0]["topic"] == topics[""]
    assert talk.call("memory_delete", ids=[id_])["topics"] == [topics[name]]


def test_an_id_opens_no_project_that_is_not_allowed(talk, topics, tmp_path):
    for label in ("商城: new #2", str(tmp_path / "a/shop")):
        id_ = scoped(label)
        assert "no memory" in talk.refusal("memory_show", id=id_)
        assert "no memory" in talk.refusal("memory_delete", ids=[id_])
        assert "no memory" in talk.refusal("memory_mark", ids=[id_], private=True)
        assert talk.call("memory_get_observations", ids=[id_])["items"] == []
