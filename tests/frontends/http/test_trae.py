"""The routes of trae-mem: its clients find what they know, and none of its faults."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from tests.conftest import NOW

ROW = {"id", "session_id", "ts", "kind", "tool_name", "content", "private", "tags_json"}


@pytest.fixture
def found(filled, served):
    """What a search for an observation gives."""
    return served.json("GET", "/search?q=token")["results"][0]


def test_it_is_in_good_health(served):
    assert served.json("GET", "/health") == {"ok": True}


def test_a_search_gives_the_fields_that_clients_know(found):
    assert set(found) == {"id", "ts", "kind", "tool_name", "session_id", "snippet", "score"}
    assert found["kind"] == "decision"
    assert found["tool_name"] is None
    assert found["session_id"] == "login-bug"
    assert found["ts"] == int(NOW.timestamp())
    assert "token" in found["snippet"]


def test_a_search_finds_sessions_as_well(filled, served):
    answer = served.json("GET", "/search?q=缓存")

    assert answer["query"] == "缓存"
    assert [(one["id"], one["kind"]) for one in answer["results"]] == [("2026-01-29#1", "session")]


@pytest.mark.parametrize("query", ["", "?q=", "?q=%20", "?limit=3"])
def test_no_question_finds_nothing(filled, served, query):
    assert served.json("GET", f"/search{query}")["results"] == []


def test_the_limit_holds_and_more_than_all_is_all(filled, served):
    assert len(served.json("GET", "/search?q=the+token&limit=1")["results"]) == 1
    assert len(served.json("GET", "/search?q=token&limit=5000")["results"]) == 1


@pytest.mark.parametrize("path", ["/search?q=x&limit=abc", "/search?q=x&limit=-1"])
def test_a_limit_that_is_none_is_refused_and_not_fatal(served, path):
    response = served.ask("GET", path)

    assert response.status_code == 400
    assert response.json()["error"].startswith("limit: ")
    assert served.ask("GET", "/health").status_code == 200


def test_a_timeline_has_what_happened_around(found, served):
    answer = served.json("GET", f"/timeline?observation_id={found['id']}&window=5")

    assert answer["observation_id"] == found["id"]
    assert [set(one) for one in answer["items"]] == [ROW] * 3
    texts = [one["content"] for one in answer["items"]]
    assert texts == ["登录接口报 401，决定检查 token", "ran the tests", "[PRIVATE]"]
    assert [one["private"] for one in answer["items"]] == [0, 0, 1]


@pytest.mark.parametrize("query", ["", "?observation_id=nonsense", "?observation_id=../../x"])
def test_a_timeline_of_nothing_is_empty(filled, served, query):
    assert served.json("GET", f"/timeline{query}")["items"] == []


def test_a_context_is_a_block_of_what_is_relevant(filled, served):
    answer = served.json("GET", "/inject?q=缓存&limit=1")

    assert answer["query"] == "缓存"
    assert "| - 缓存 TTL 定为 300 秒" in answer["context"]


@pytest.mark.parametrize(
    ("project", "is_told"), [("app", True), ("/x/app/", True), ("shop", False)]
)
@pytest.mark.parametrize("question", ["缓存", ""])
def test_a_context_is_of_the_project_that_is_asked_for(filled, served, project, is_told, question):
    context = served.json("GET", f"/inject?q={question}&project={project}")["context"]

    assert ("TTL" in context) == is_told


def test_without_a_question_a_context_has_so_many_of_the_latest(filled, served):
    context = served.json("GET", "/inject?limit=1")["context"]

    assert "Redis" in context
    assert "FastAPI" not in context


def test_observations_come_by_their_ids_oldest_first(filled, served):
    places = [f"2026-01-29/login-bug:{line}" for line in (3, 2, 99)]

    items = served.json("POST", "/get_observations", json={"ids": [*places, 42]})["items"]

    assert [set(one) for one in items] == [ROW] * 2
    assert {one["tool_name"] for one in items} == {"bash", None}
    (tool,) = [one for one in items if one["tool_name"]]
    assert json.loads(tool["tags_json"]) == {"ci": True}
    assert [one["ts"] for one in items] == sorted(one["ts"] for one in items)


@pytest.mark.parametrize("body", [{}, {"ids": []}, {"ids": None}])
def test_no_ids_give_no_observations(served, body):
    assert served.json("POST", "/get_observations", json=body) == {"items": []}


def test_errors_have_the_form_that_clients_know(served):
    refused = served.ask("POST", "/get_observations", json={"ids": "x"})
    nothing = served.ask("GET", "/nothing")

    assert (refused.status_code, refused.json()) == (400, {"error": "ids must be a list"})
    assert (nothing.status_code, nothing.json()) == (404, {"error": "not_found"})


def test_what_a_client_sends_besides_is_passed_over(filled, served):
    assert served.json("GET", "/search?q=token&q=x&_=1")["results"]
    assert served.json("POST", "/get_observations", json={"ids": [], "more": 1}) == {"items": []}


def test_a_time_that_can_not_be_read_is_none(memory, served):
    memory.start("x")
    live = memory.log("first token")
    with open(live.live.path, "a", encoding="utf-8") as file:
        file.write('{"at": "someday", "kind": "note", "text": "second token"}\n')

    results = served.json("GET", "/search?q=second")["results"]

    assert [one["ts"] for one in results] == [0]
    assert datetime.fromisoformat(live.live.began) == NOW
