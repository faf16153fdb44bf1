"""`memory merge-driver` and `memory init --git`: what they print and how they end."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from daily_memory import NotFoundError
from daily_memory.storage.git.repository import run
from tests.repositories import use_clean_environment

ONE = "## Session 1 - 10:00\n\n一\n\n---\n"
TWO = "## Session 2 - 10:01\n\ntwo\n\n---\n"


@pytest.fixture
def repository(cli, tmp_path, monkeypatch):
    """The command line in a git repository."""
    use_clean_environment(monkeypatch, tmp_path / "home")
    run(str(tmp_path / "app"), "init", "--quiet")
    return cli


@pytest.fixture
def versions(tmp_path) -> list[str]:
    """The paths of three versions of a day."""
    paths = [tmp_path / name for name in ("base", "ours", "theirs")]
    for path, text in zip(paths, ("", ONE, TWO), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def test_the_driver_merges_in_silence(cli, versions):
    outcome = cli("merge-driver", *versions)

    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert Path(versions[1]).read_text() == f"{ONE}\n{TWO}"


def test_the_driver_tells_of_a_conflict_in_what_is_no_day(cli, versions):
    outcome = cli("merge-driver", *versions, "notes.md", "--json")

    assert outcome.status == 1
    assert outcome.json() == {"path": versions[1], "clean": False}


def test_the_driver_ends_as_git_expects_of_one_that_failed(cli, versions):
    Path(versions[2]).unlink()

    outcome = cli("merge-driver", *versions, "daily/2026-01-29.md")

    assert outcome.status == 129
    assert outcome.err.startswith(f"error: no file {versions[2]!r}")
    assert Path(versions[1]).read_text() == ONE
    assert cli("merge-driver", *versions[:2]).status == 2
    with pytest.raises(NotFoundError):
        cli("merge-driver", *versions, "--debug")


def test_the_driver_needs_no_memory(cli, versions, monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORY_PROJECT", str(tmp_path / "gone"))

    assert cli("merge-driver", *versions).status == 0
    assert not (tmp_path / "app" / ".cursor").exists()


def test_init_with_git_says_what_it_did(repository, tmp_path):
    first, second = repository("init", "--git"), repository("init", "--git")

    top = str(tmp_path / "app")
    assert first.status == 0
    assert f"git: {top} shares the days and merges them section by section\n" in first.out
    assert first.out.endswith("  registered the merge driver 'daily-memory'\n")
    assert second.out.endswith("  it was set up already\n")


def test_init_with_git_as_json(repository, tmp_path):
    answer = repository("init", "--git", "--json").json()

    assert sorted(answer) == ["git", "made", "path", "scope"]
    assert sorted(answer["git"]) == ["done", "driver", "repository", "warnings"]
    assert sorted(repository("init", "--json").json()) == ["made", "path", "scope"]


def test_init_with_git_warns_where_days_are_ignored(repository, tmp_path):
    (tmp_path / "app" / ".gitignore").write_text(".cursor\n")

    assert "warning: a .gitignore leaves out" in repository("init", "--git").err


def test_init_with_git_outside_of_a_repository_makes_nothing(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))

    outcome = cli("init", "--git")

    assert outcome.status == 3
    assert outcome.err.endswith("is not in a git repository\nhint: run `git init` first\n")
    assert not (tmp_path / "app" / ".cursor").exists()


def test_init_without_git_installed_says_so(repository, monkeypatch):
    monkeypatch.setenv("PATH", "")

    outcome = repository("init", "--git")

    assert outcome.status == 6
    assert outcome.err == "error: the command `git` was not found\nhint: install git\n"


def test_git_is_told_to_start_what_was_started_here(repository, monkeypatch, tmp_path):
    command = tmp_path / "memory"
    shutil.copy(shutil.which("true") or "", command)
    monkeypatch.setattr(sys, "argv", [str(command)])
    assert f"then {command} merge-driver" in repository("init", "--git", "--json").out

    monkeypatch.setattr(sys, "argv", ["scripts/memory.py"])
    answer = repository("init", "--git", "--json").json()
    script = tmp_path / "app" / "scripts" / "memory.py"
    assert f"then {sys.executable} {script} merge-driver" in answer["git"]["driver"]


def test_a_sync_tells_in_chinese_what_came_and_went(repository, tmp_path):
    run(str(tmp_path), "init", "--quiet", "--bare", "remote")
    first, second = (
        repository("add", text).out.strip() for text in ("nginx 超时 60 秒", "use pgbouncer")
    )

    told = repository("sync", "--remote", str(tmp_path / "remote"), "--lang", "zh").out

    assert told.splitlines()[1:] == ["  收到：没有", f"  送出：新增 2 条：{first}, {second}"]
