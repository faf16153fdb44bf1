"""`memory mcp` as a process, as a host runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import project_root

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

COMMAND = [sys.executable, "-m", "daily_memory", "mcp"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "app"


def environment(project: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(project.parent / "home"), "MEMORY_PROJECT": str(project)}


class Host:
    """A host that writes lines by hand, and sees what comes back."""

    def __init__(self, project: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(project),
            start_new_session=True,
        )
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        hello["clientInfo"] = {"name": "test", "version": "0"}
        self.send("initialize", hello, 0)
        assert self.answer()["id"] == 0
        self.send("notifications/initialized", {})

    def send(self, method: str, params: dict[str, Any], id_: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        line = json.dumps(message if id_ is None else {**message, "id": id_})
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def call(self, tool: str, id_: int, **arguments: Any) -> None:
        self.send("tools/call", {"name": tool, "arguments": arguments}, id_)

    def answer(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def leave(self) -> int:
        """Close stdin, and return the exit status."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(20)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_client_of_the_sdk_saves_and_finds(project, mode):
    parameters = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=environment(project)
    )

    async def run() -> Any:
        async with Client(parameters, mode=mode) as client:
            tools = await client.list_tools()
            saved = await client.call_tool("memory_save", {"topic": "缓存方案 Redis"})
            found = await client.call_tool("memory_search", {"query": "缓存"})
            block = await client.get_prompt("recall", {"topic": "redis"})
            today = await client.read_resource("memory://today")
            return tools, saved, found, block, today

    tools, saved, found, block, today = anyio.run(run)

    assert len(tools.tools) == 15
    id_ = saved.structured_content["id"]
    assert [hit["id"] for hit in found.structured_content["results"]] == [id_]
    assert "缓存方案" in block.messages[0].content.text
    assert json.loads(today.contents[0].text)["sessions"][0]["id"] == id_


def test_others_are_answered_while_one_waits(project):
    host = Host(project)
    root = project_root(str(project))

    with locked(root):
        host.call("memory_save", 1, topic="waits for the lock")
        host.send("ping", {}, 2)
        host.call("memory_search", 3, query="x")
        before: list[int] = []
        while not {2, 3} <= set(before):  # on a busy machine the save may give up first
            before.append(host.answer()["id"])
    if 1 in before:
        return
    after = host.answer()

    assert (after["id"], after["result"]["isError"]) == (1, False)
    assert host.leave() == 0


def test_many_calls_at_once_are_all_done(project):
    host = Host(project)
    for number in range(12):
        host.call("memory_save", number, topic=f"topic {number} 中文")

    ids = {host.answer()["result"]["structuredContent"]["id"] for _ in range(12)}

    assert len(ids) == 12
    host.call("memory_show", 99, id=min(ids)[:10])
    assert len(host.answer()["result"]["structuredContent"]["sessions"]) == 12
    assert host.leave() == 0


@pytest.mark.skipif(os.name == "nt", reason="there are no process groups")
def test_it_goes_with_its_client_and_leaves_nobody_behind(project):
    host = Host(project)
    told = {"session_id": "s1", "cwd": str(project)}
    prompt = {**told, "prompt": "记住：我们用 pnpm，不用 npm"}
    host.call("memory_hook_event", 1, event="UserPromptSubmit", payload=prompt)
    host.answer()
    host.call("memory_hook_event", 2, event="SessionEnd", payload=told)
    assert host.answer()["result"]["structuredContent"] == {"ok": True}

    assert host.leave() == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(host.process.pid, 0)


def test_nothing_is_touched_before_something_is_asked(project):
    host = Host(project)
    host.send("tools/list", {}, 1)
    host.answer()

    assert host.leave() == 0
    assert list(project.iterdir()) == []
    assert list((project.parent / "home").iterdir()) == []


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("cursor", ".cursor/mcp.json"),
        ("claude", "../home/.claude.json"),
        ("trae", ".trae/mcp.json"),
        ("vscode", ".vscode/mcp.json"),
        ("codex", ".codex/config.toml"),
    ],
)
def test_what_is_installed_into_a_host_starts(project, host, path):
    install = [*COMMAND[:-1], "install", host, "--project"]
    subprocess.run(install, env=environment(project), cwd=project, check=True)
    text = (project / path).read_text(encoding="utf-8")
    for word in ("${workspaceFolder}", "${CLAUDE_PROJECT_DIR:-.}"):
        text = text.replace(word, str(project))  # as the host does
    written = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
    written = written["projects"][str(project)] if host == "claude" else written
    [servers] = [value for name, value in written.items() if name != "inputs"]
    entry = servers["daily-memory"]
    home = {"HOME": str(project.parent / "home"), "PATH": os.environ["PATH"]}
    parameters = StdioServerParameters(
        command=entry["command"], args=entry["args"], env=home, cwd=project.parent
    )

    async def run() -> Any:
        async with Client(parameters) as client:
            return await client.call_tool("memory_save", {"topic": "缓存方案"})

    path_ = anyio.run(run).structured_content["path"]

    assert path_.startswith(str(project))
