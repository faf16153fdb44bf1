"""A Python that was built without SQLite: the day files and keywords.json must do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    for name in ("app", "home", "modules"):
        (tmp_path / name).mkdir()
    (tmp_path / "modules" / "sqlite3.py").write_text("raise ImportError('not built')\n")
    paths = [str(tmp_path / "modules"), os.environ.get("PYTHONPATH", "")]
    folders = {"HOME": str(tmp_path / "home"), "MEMORY_PROJECT": str(tmp_path / "app")}
    return {**os.environ, **folders, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def test_a_memory_works_without_sqlite(environment, tmp_path):
    def memory(*words: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "daily_memory", *words],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    saved = json.loads(memory("save", "--topic", "Redis 缓存方案", "--tag", "redis", "--json"))
    memory("add", "用 pnpm，不用 npm #tooling")

    assert saved["id"] in memory("search", "redis 缓存")
    assert "pnpm" in memory("search", "pnpm", "--tag", "tooling")
    assert memory("search", "kubernetes") == "nothing relevant is stored\n"
    assert "pnpm" in memory("list")
    assert "Redis 缓存方案" in memory("show", saved["id"])
    assert "Redis 缓存方案" in memory("inject", "redis 缓存")
    memory("delete", saved["id"])
    memory("undo")
    assert saved["id"] in memory("search", "redis 缓存")
    memory("reindex")

    index = tmp_path / "app/.cursor/skills/memories/index"
    entries = json.loads((index / "keywords.json").read_text(encoding="utf-8"))["entries"]
    assert [entry["session"] for entry in entries] == [1, 2]
    assert not list(index.glob("*.sqlite3"))
    assert "this Python has no module sqlite3: save, search" in memory("doctor")
    assert "this Python has no module sqlite3" in memory(
        "import", "--from", "trae-mem", str(index / "keywords.json"), status=6
    )
    memory("config", "set", "mirror.enabled", "true")
    memory("save", "--topic", "TTL 300")
    assert "warning: without the mirror" in memory("search", "--observations", "TTL")
