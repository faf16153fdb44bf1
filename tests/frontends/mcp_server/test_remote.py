"""MCP over HTTP: the official client against a real server, with and without nginx before it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from daily_memory import Memory
from tests import components

PUBLIC = "https://memory.example.com/mcp"
START_S = 30


class Remote:
    """A running server, and the memory of its account."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        for name in ("home", "shop", "lab"):
            (folder / name).mkdir()
        self.shop, self.lab = (Memory(folder / name, home=self.home) for name in ("shop", "lab"))
        self.shop.save({"topic": "Redis in the shop"})
        self.lab.save({"topic": "Redis in the lab"})
        Memory("", home=self.home).save({"topic": "Redis at home, my own"})
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "daily_memory", "serve", "--http-mcp", "--json"),
                *("--port", "0", "--project", self.shop.project),
                *("--allow-project", self.lab.project, "--public-url", PUBLIC, *options),
            ],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "HOME": str(self.home)},
        )
        assert self._process.stdout
        self.port = json.loads(self._process.stdout.readline())["port"]
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def stop(self) -> None:
        assert self._process
        self._process.send_signal(signal.SIGTERM)
        assert self._process.wait(20) == 0

    def ask(
        self, token: str, method: str, *words: Any, url: str = "", certificate: str = ""
    ) -> Any:
        """Call a method of the SDK's client, with a token."""

        async def run() -> Any:
            verify = ssl.create_default_context(cafile=certificate) if certificate else True
            headers = {"Authorization": f"Bearer {token}"}
            async with (
                httpx2.AsyncClient(headers=headers, verify=verify) as web,
                Client(streamable_http_client(url or self.url, http_client=web)) as client,
            ):
                return await getattr(client, method)(*words)

        return anyio.run(run)

    def found(self, token: str, **arguments: Any) -> list[str]:
        result = self.ask(token, "call_tool", "memory_search", {"query": "redis", **arguments})
        assert not result.is_error, result.content
        return sorted(hit["snippet"] for hit in result.structured_content["results"])

    def audit(self) -> list[dict[str, Any]]:
        (path,) = self.home.rglob("mcp-audit.jsonl")
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def status(self, token: str = "", method: str = "POST", **headers: str) -> int:
        given = {"Authorization": f"Bearer {token}"} if token else {}
        response = httpx2.request(method, self.url, headers={**given, **headers}, json={})
        return int(response.status_code)


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    server = Remote(tmp_path_factory.mktemp("remote"))
    server.start()
    yield server
    server.stop()


def test_a_reader_reads_its_projects_and_nothing_global(remote):
    token = remote.shop.tokens.make("reader")
    only = remote.shop.tokens.make("narrow", projects=["lab"])

    names = {tool.name for tool in remote.ask(token, "list_tools").tools}
    assert "memory_search" in names
    assert not names & {"memory_save", "memory_delete", "memory_log", "memory_undo"}
    assert remote.found(token) == ["Redis in the shop"]
    assert remote.found(token, project="lab") == ["Redis in the lab"]
    assert remote.found(only) == ["Redis in the lab"]
    assert remote.found(only, project="lab") == ["Redis in the lab"]
    for arguments in ({"project": "shop"}, {"project": remote.shop.project}):
        refused = remote.ask(only, "call_tool", "memory_search", {"query": "redis", **arguments})
        assert refused.is_error
    day = remote.shop.today().isoformat()
    for id_ in (f"global:{day}#1", f"shop:{day}#1"):
        shown = remote.ask(only, "call_tool", "memory_show", {"id": id_})
        assert shown.is_error
        items = remote.ask(only, "call_tool", "memory_get_observations", {"ids": [id_]})
        assert items.structured_content == {"items": []}
    text = remote.ask(only, "read_resource", "memory://today").contents[0].text
    assert "Redis in the lab" in text
    assert "home" not in text + str(remote.ask(only, "get_prompt", "recall", {"topic": "redis"}))


def test_a_writer_saves_where_it_may_and_the_log_says_who_did_what(remote):
    token = remote.shop.tokens.make("writer", write=True, projects=["shop"])

    saved = remote.ask(token, "call_tool", "memory_save", {"topic": "Kafka by hand"})

    id_ = saved.structured_content["id"]
    assert remote.shop.get(id_).session.topic == "Kafka by hand"
    last = remote.audit()[-1]
    assert (last["who"], last["tool"], last["ok"]) == ("writer", "memory_save", True)
    assert last["saved"] == id_
    assert "Kafka" not in str(remote.audit())
    deleted = remote.ask(token, "call_tool", "memory_delete", {"ids": [id_]})
    assert not deleted.is_error


def test_a_token_is_stored_as_a_hash_and_ends_when_it_is_revoked(remote):
    token = remote.shop.tokens.make("leaver")
    stored = b"".join(path.read_bytes() for path in remote.home.rglob("*") if path.is_file())
    assert token.encode() not in stored
    assert remote.found(token)

    remote.shop.tokens.revoke("leaver")

    assert remote.status(token) == 401
    assert remote.audit()[-1] == {**remote.audit()[-1], "who": None, "ok": False}


def test_strangers_and_other_pages_are_refused(remote):
    token = remote.shop.tokens.make("visitor")

    assert remote.status() == 401
    assert remote.status("dm_" + "0" * 64) == 401
    assert remote.status(token, "GET") == 405
    assert remote.status(token, Host="evil.example.com") == 421
    assert remote.status(token, Origin="https://evil.example.com") == 403
    assert remote.status(remote.shop.tokens.make("nowhere", projects=["other"])) == 403


def test_who_asks_too_fast_has_to_wait(tmp_path):
    remote = Remote(tmp_path)
    token, other = (remote.shop.tokens.make(name) for name in ("fast", "slow"))
    remote.start("--rate", "3")
    try:
        codes = [remote.status(token) for _ in range(5)]
        assert codes[3:] == [429, 429]
        assert 429 not in codes[:3]
        assert remote.status(other) != 429
    finally:
        remote.stop()


# ---------------------------------------------------------------------------- behind nginx


@pytest.mark.needs("nginx", "openssl")
def test_behind_nginx_with_tls_as_the_docs_have_it(remote, tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "servers.md").read_text("utf-8")
    example = page.partition("```nginx\n")[2].partition("```")[0]
    with _nginx(example, remote.port, tmp_path) as (url, certificate):
        token = remote.shop.tokens.make("far")
        result = remote.ask(
            *(token, "call_tool", "memory_search", {"query": "redis"}),
            url=url,
            certificate=certificate,
        )
        assert result.structured_content["results"]
        answer = httpx2.post(url, json={}, verify=ssl.create_default_context(cafile=certificate))
        assert answer.status_code == 401


@contextlib.contextmanager
def _nginx(example: str, port: int, folder: Path) -> Iterator[tuple[str, str]]:
    """Run nginx with a server of the docs, on another port and with a certificate of its own."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    names = "subjectAltName=DNS:localhost,DNS:memory.example.com"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-keyout", key, "-out", certificate, "-subj", "/CN=memory", "-addext", names),
        ],
        check=True,
        capture_output=True,
    )
    own = 20_000 + os.getpid() % 20_000
    server = (
        example.replace("listen 443", f"listen 127.0.0.1:{own}")
        .replace("/etc/ssl/certs/memory.example.com.pem", str(certificate))
        .replace("/etc/ssl/private/memory.example.com.key", str(key))
        .replace("127.0.0.1:37777", f"127.0.0.1:{port}")
        # The client below has no name server that knows the name.
        .replace("server_name memory.example.com", "server_name localhost")
        .replace("$host", "memory.example.com")
    )
    config = folder / "nginx.conf"
    paths = "".join(
        f"{name}_temp_path {folder / name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off;\n{paths}{server}}}\n"
    )
    command = [components.require("nginx"), "-p", str(folder), "-c", str(config)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    url = f"https://localhost:{own}/mcp"
    verify = ssl.create_default_context(cafile=str(certificate))
    try:
        until = time.monotonic() + START_S
        while True:
            try:
                httpx2.get(url, verify=verify)
                break
            except httpx2.ConnectError:
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < until
                time.sleep(0.02)
        yield url, str(certificate)
    finally:
        process.terminate()
        process.wait(20)
