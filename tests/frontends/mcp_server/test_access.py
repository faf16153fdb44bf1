"""Which projects a client may ask for, and which not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.errors import NotFoundError
from daily_memory.frontends.mcp_server.access import Access
from tests.frontends.mcp_server.conftest import Talk


@pytest.fixture
def library(memory: Memory, tmp_path: Path) -> Memory:
    """The memory of another project."""
    (tmp_path / "lib" / ".git").mkdir(parents=True)
    (tmp_path / "lib" / "src").mkdir()
    other = memory.in_folder(tmp_path / "lib")
    other.save({"topic": "缓存库的接口"})
    return other


@pytest.fixture
def open_talk(fresh: Callable[[], Memory], library: Memory) -> Talk:
    return Talk(Access(fresh, [library.project, "/nowhere/at/all"]))


def topics(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [hit["snippet"] for hit in answer["results"]]


@pytest.mark.parametrize("name", ["lib", "{tmp}/lib", "{tmp}/app/../lib/"])
def test_a_project_that_is_allowed_is_asked_by_name_or_folder(open_talk, tmp_path, name):
    project = name.format(tmp=tmp_path)

    assert topics(open_talk.call("memory_search", query="缓存", project=project)) == [
        "缓存库的接口"
    ]
    assert topics(open_talk.call("memory_search", query="缓存")) == []
    assert "缓存库" in open_talk.call("memory_inject", query="缓存", project=project)["context"]


def test_a_project_is_asked_by_the_name_that_the_user_gave_it(open_talk, library):
    library.projects.rename("lib", "缓存库")

    assert topics(open_talk.call("memory_search", query="缓存", project="缓存库")) == [
        "缓存库的接口"
    ]


def test_only_where_a_call_can_name_a_project_the_tools_take_one(
    fresh, talk, open_talk, memory, tmp_path
):
    def unreadable() -> Memory:
        raise NotFoundError("no folder '/nowhere'")

    outside = Talk(Access(lambda: Memory("", home=tmp_path / "home")))
    broken = Talk(Access(unreadable))

    takes = [
        {
            name
            for tool in talk.ask("list_tools").tools
            for name in tool.input_schema["properties"]
            if name == "project"
        }
        for talk in (talk, open_talk, outside, broken)
    ]
    assert takes == [set(), {"project"}, {"project"}, {"project"}]


def test_ones_own_project_may_be_named(talk, memory):
    for project in ("app", memory.project):
        assert talk.call("memory_search", query="缓存", project=project)["results"] == []


@pytest.mark.parametrize("allowed", ["lib", "lib/src"])
def test_a_folder_inside_a_project_means_that_project(fresh, library, tmp_path, allowed):
    talk = Talk(Access(fresh, [str(tmp_path / allowed)]))

    found = talk.call("memory_search", query="缓存", project=str(tmp_path / "lib" / "src"))

    assert topics(found) == ["缓存库的接口"]


@pytest.mark.parametrize("project", ["lib", "{tmp}/lib", "..", "../lib", "/", "/\0", "~"])
def test_any_other_project_is_refused(talk, library, tmp_path, project):
    refusal = talk.refusal("memory_search", query="缓存", project=project.format(tmp=tmp_path))

    assert "is not open to this server\nhint: these are: app; " in refusal
    assert "--allow-project DIR" in refusal


def test_writing_goes_where_the_caller_says_and_nowhere_else(open_talk, talk, library, memory):
    saved = open_talk.call("memory_save", topic="x", project="lib")
    assert saved["path"].startswith(library.project)
    assert "not open" in talk.refusal("memory_save", topic="x", project="lib")
    assert "not open" in talk.refusal("memory_delete", ids=[saved["id"]], project="lib")

    open_talk.call("memory_mark", ids=[saved["id"]], important=True, project="lib")
    assert library.get(saved["id"]).session.is_important
    assert list(memory.sessions()) == []


def test_a_live_session_is_found_in_the_project_that_it_began_in(open_talk, library):
    name = open_talk.call("memory_start_session", project="lib")["session_id"]

    open_talk.call("memory_log", session=name, kind="decision", text="接口不变")

    assert [one.text for one in library.observations.live(name).observations] == ["接口不变"]
    assert open_talk.call("memory_end_session", session=name)["id"]
    assert "no live session" in open_talk.refusal("memory_end_session", session="other")


def test_an_event_goes_to_the_project_of_its_folder(open_talk, talk, library, tmp_path):
    told = {"session_id": "s1", "prompt": "hello", "cwd": str(tmp_path / "lib" / "src")}

    open_talk.call("memory_hook_event", event="UserPromptSubmit", payload=told)

    assert len(library.observations.live("s1").observations) == 1
    assert "not open" in talk.refusal("memory_hook_event", event="Stop", payload=told)


@pytest.mark.parametrize("folder", ["", "{tmp}/home", "app", "../lib", "/a\0b"])
def test_an_event_of_no_project_is_one_of_ours(talk, memory, tmp_path, folder):
    told = {"session_id": "s1", "prompt": "hello", "cwd": folder.format(tmp=tmp_path)}

    talk.call("memory_hook_event", event="UserPromptSubmit", payload=told)

    assert len(memory.observations.live("s1").observations) == 1


def test_outside_any_project_there_is_the_memory_of_the_user(memory, tmp_path):
    outside = Memory("", home=tmp_path / "home", clock=memory.workspace.now)
    talk = Talk(Access(lambda: outside))

    saved = talk.call("memory_save", topic="缓存方案", project=os.fspath(tmp_path / "shop"))
    talk.call("memory_save", topic="缓存之外", project="other")
    name = talk.call("memory_start_session", project="shop")["session_id"]

    assert saved["scope"] == "global"
    assert outside.get(saved["id"]).session.project == "shop"
    assert outside.observations.live(name).project == "shop"
    assert topics(talk.call("memory_search", query="缓存", project="shop")) == ["缓存方案"]
    assert "之外" not in talk.call("memory_inject", query="缓存", project="shop")["context"]
    assert "之外" not in talk.call("memory_inject", query="", project="shop")["context"]
    assert "之外" in talk.call("memory_inject", query="")["context"]
    assert (
        talk.call("memory_inject", query="", limit=1)["context"].count("[memory global:2026") == 1
    )
