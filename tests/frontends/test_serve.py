"""`memory serve`: what it prints, how it begins and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import threading
from pathlib import Path

import httpx2
import pytest

from daily_memory.frontends.cli.commands import serve
from daily_memory.frontends.http import server as loaded


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


@pytest.fixture
def asked(monkeypatch, cli):
    """Return a function that serves, asks once the address is printed, and ends the process."""

    def run(*words, ask=lambda _url, _token: None):
        read, write = os.pipe()
        monkeypatch.setattr(sys, "stdout", os.fdopen(write, "w", encoding="utf-8"))
        told: list[object] = []

        def client() -> None:
            with os.fdopen(read, encoding="utf-8") as output:
                line = output.readline().strip()
                told.append(line)
                url = json.loads(line)["url"] if line.startswith("{") else line
                try:
                    told.append(ask(*url.split("/#token=")))
                finally:
                    os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=client)
        thread.start()
        before = signal.getsignal(signal.SIGINT)
        status = cli("serve", *words).status
        thread.join()
        assert signal.getsignal(signal.SIGINT) is before
        return status, told

    return run


def get(path):
    def ask(url, token):
        headers = {"Authorization": f"Bearer {token}"}
        return httpx2.get(f"{url}{path}", headers=headers, trust_env=False).json()

    return ask


def test_it_prints_its_address_answers_and_ends_in_peace(asked, cli):
    cli("add", "缓存 TTL 定为 300 秒")
    port = free_port()

    status, (line, answer) = asked("--port", str(port), ask=get("/api/search?q=TTL"))

    assert re.fullmatch(rf"http://127\.0\.0\.1:{port}/#token=[0-9a-f]{{64}}", line)
    assert [one["id"][-2:] for one in answer["results"]] == ["#1"]
    assert status == 0


def test_it_tells_programs_the_port(asked):
    _, (line, answer) = asked("--port", "0", "--json", ask=get("/health"))

    told = json.loads(line)
    assert told["url"].startswith(f"http://127.0.0.1:{told['port']}/#token=")
    assert answer == {"ok": True}


def test_the_token_stays_until_it_is_renewed(asked):
    lines = [asked("--port", "0", *words)[1][0] for words in ([], [], ["--new-token"])]

    first, second, third = (line.partition("#")[2] for line in lines)
    assert first == second != third


def test_a_setting_that_changes_counts_at_once(asked, cli):
    cli("save", "--topic", "redis one", "--tag", "a")
    cli("save", "--topic", "redis two", "--tag", "a")

    def ask(url, token):
        before = get("/api/search?q=redis")(url, token)["count"]
        config = Path.cwd() / ".cursor" / "skills" / "memories" / "config.json"
        config.write_text('{"retrieval": {"max_results": 1}}', encoding="utf-8")
        return before, get("/api/search?q=redis")(url, token)["count"]

    assert asked("--port", "0", ask=ask)[1][1] == (2, 1)


def test_a_port_that_is_taken_is_told(cli):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = cli("serve", "--port", str(taken.getsockname()[1]))

    assert outcome.status == 4
    assert "hint: take another with --port N, or any free one with --port 0" in outcome.err


def test_a_port_below_1024_may_be_refused(cli, monkeypatch):
    def refuse(_self, _address):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", refuse)

    outcome = cli("serve", "--port", "80")

    assert outcome.status == 6
    assert "can't listen on port 80: permission denied" in outcome.err


def test_without_its_packages_it_says_what_to_install(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert loaded  # it is there, and has to be loaded anew
    monkeypatch.delitem(sys.modules, "daily_memory.frontends.http.server")
    monkeypatch.delattr("daily_memory.frontends.http.server")

    outcome = cli("serve")

    assert outcome.status == 6
    assert "the package 'uvicorn' is missing" in outcome.err
    assert outcome.err.endswith("[web]'\n")


def test_a_bug_is_told_without_what_is_stored(capsys):
    serve.report_bug(ZeroDivisionError("a secret"))

    assert capsys.readouterr().err == "error: this is a bug in daily-memory (ZeroDivisionError)\n"
