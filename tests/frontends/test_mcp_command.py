"""`memory mcp` at the command line."""

from __future__ import annotations

import io
import json

import pytest

from daily_memory.frontends.cli.commands import serve as command
from daily_memory.frontends.mcp_server import server
from tests.frontends.mcp_server.test_wire import INITIALIZE, LIST


@pytest.fixture
def serve(cli, monkeypatch):
    """Return a function that runs the command, and gives what a client gets."""

    def run(*words: str, lines: bytes = INITIALIZE + LIST):
        client = io.BytesIO()
        monkeypatch.setattr(server, "take_streams", lambda: (io.BytesIO(lines), client))
        assert cli("mcp", *words).status == 0
        answers = [json.loads(line) for line in client.getvalue().split(b"\n") if line]
        return {answer["id"]: answer for answer in answers}

    return run


def names(answers):
    return {tool["name"] for tool in answers["a"]["result"]["tools"]}


def test_it_serves_the_client_at_stdin(serve):
    answers = serve()

    info = answers[0]["result"]["serverInfo"]
    assert (info["name"], info["title"]) == ("daily-memory", "Daily Memory")
    assert "memory_search" in names(answers)


def test_names_and_tools_are_chosen(serve):
    assert "trae_mem_search" in names(serve("--names", "trae-mem"))
    assert "memory_save" not in names(serve("--tools", "read"))


def test_a_project_that_is_none_ends_nothing(serve):
    call = {"name": "memory_search", "arguments": {"query": "x"}}
    line = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}

    answers = serve("--project", "/nowhere", lines=INITIALIZE + json.dumps(line).encode())

    assert answers[1]["result"]["isError"] is True
    assert "no folder '/nowhere'" in answers[1]["result"]["content"][0]["text"]


def test_without_its_package_it_says_what_to_install(cli, monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda _name: None)

    outcome = cli("mcp")

    assert outcome.status == 6
    assert outcome.err.startswith("error: the package 'mcp' is missing\nhint: run: ")
    assert outcome.err.endswith("[mcp]'\n")
