"""A team's database on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def connected(cli, team, tmp_path):
    """The command line in the project `app` with a section, its user alice sharing that."""
    cli("save", "--topic", "Redis 缓存方案", "--point", "过期时间 300 秒")
    mirror = {"engine": "postgresql", "url": team.url("alice"), "projects": ["app"]}
    config = Path(tmp_path, "home/.cursor/skills/memories/config.json")
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps({"mirror": {"enabled": True, **mirror}}))
    team.grant("app", "alice", can_write=True)
    return cli


def test_what_is_pushed_is_found_and_shown(connected):
    assert "behind" in connected("mirror", "status").out
    assert "1 day pushed: 1 added, 0 removed" in connected("mirror", "sync").out

    found = connected("search", "--team", "缓存", "过期")

    (line, *_) = found.out.splitlines()
    id_ = line.split()[0]
    assert id_.startswith("team:app:alice:20")
    assert connected("search", "--team", "缓存", "--json").json()["results"][0]["id"] == id_
    assert "过期时间 300 秒" in connected("show", id_).out
    assert connected("show", id_, "--json").json()["records"][0]["origin"] == "alice"
    assert "nothing relevant" in connected("search", "--team", "缓存", "--project", "shop").err
    assert "nothing relevant" in connected("search", "--team", "缓存", "--observations").err


def test_what_is_dropped_is_gone(connected, team):
    connected("mirror", "sync")
    assert connected("mirror", "drop").status == 2
    assert "1 record pushed from here" in connected("mirror", "drop", "--dry-run").err

    assert connected("mirror", "drop", "--yes").status == 0

    assert team.owner("SELECT count(*) FROM daily_memory.days") == [(0,)]


def test_what_does_not_fit_is_said(connected, cli):
    assert "--team and --archived" in cli("search", "--team", "x", "--archived").err
    assert "--team and --scope" in cli("search", "--team", "x", "--scope", "all").err
    assert "no query" in cli("search", "--team").err
    assert "nothing to do" in cli("mirror", "setup").err
    assert "no record" in cli("show", "team:app:alice:2020-01-01#1").err
