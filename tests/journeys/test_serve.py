"""The server as a process of its own: attacked, ended, and side by side with another."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

# Attacks a loopback server the way a web page, a neighbour or a slow client would.
PROBE = Path(__file__).resolve().parents[3] / "shared" / "reliability" / "http_probe.py"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    for name in ("app/.git", "home"):
        (tmp_path / name).mkdir(parents=True)
    clean = {name: value for name, value in os.environ.items() if name != "MEMORY_PROJECT"}
    return {**clean, "HOME": str(tmp_path / "home")}


@contextmanager
def server(
    folder: Path, environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command; give the process and its address. It must end in peace when told to."""
    process = subprocess.Popen(
        [sys.executable, "-m", "daily_memory", "serve", "--port", "0", "--json"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    try:
        yield process, json.loads(process.stdout.readline())["url"]
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert errors.count("\n") == 1
    assert "Ctrl-C ends it" in errors


def test_two_servers_of_one_memory_know_the_same(tmp_path, environment):
    with (
        server(tmp_path / "app", environment) as (_, one),
        server(tmp_path / "app", environment) as (_, two),
    ):
        (first, token), (second, same) = one.split("/#token="), two.split("/#token=")
        headers = {"Authorization": f"Bearer {token}"}
        saved = httpx2.post(
            f"{first}/api/sessions", json={"topic": "缓存"}, headers=headers, trust_env=False
        ).json()
        days = httpx2.get(f"{second}/api/days", headers=headers, trust_env=False).json()["days"]

    assert token == same
    assert first != second
    assert [one["id"] for day in days for one in day["sessions"]] == [saved["id"]]


def test_only_the_user_can_read_the_token(tmp_path, environment):
    with server(tmp_path / "app", environment) as (_, url):
        path = tmp_path / "home/.cursor/skills/memories/index/http-token"

        assert url.endswith(path.read_text(encoding="ascii").strip())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert "\n*\n" in (path.parents[1] / ".gitignore").read_text(encoding="utf-8")


@pytest.mark.skipif(not PROBE.exists(), reason="the attacks are not part of this repository")
@pytest.mark.parametrize(
    ("read", "write", "body"),
    [
        ("/search?q=x", "/get_observations", '{"ids": ["x"]}'),
        ("/api/search?q=x", "/api/sessions", '{"topic": "probe", "key_points": ["x"]}'),
    ],
)
def test_no_attack_gets_through(tmp_path, environment, read, write, body):
    with server(tmp_path / "app", environment) as (process, url):
        address, _, token = url.partition("/#token=")
        words = ["--port", address.rpartition(":")[2], "--token", token, "--page", "/"]
        words += ["--read", read, "--write", write, "--body", body, "--pid", str(process.pid)]
        done = subprocess.run(
            [sys.executable, str(PROBE), *words], capture_output=True, text=True, check=False
        )

    assert json.loads(done.stdout)["failures"] == []
