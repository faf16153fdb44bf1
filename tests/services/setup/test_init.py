"""`memory init`: the template, copied once and never over anything."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from daily_memory import NotFoundError
from daily_memory.services.setup import init
from daily_memory.storage.git import repository
from tests.repositories import make_repository


def test_a_root_is_made_whole_and_for_the_owner_only(memory):
    root, made = memory.setup.init()

    names = sorted(str(Path(path).relative_to(root.path)) for path in made)
    assert names == [".gitattributes", ".gitignore", "config.json", "daily/.gitkeep", "summary.md"]
    assert Path(root.index_folder).is_dir()
    assert {stat.S_IMODE(p.stat().st_mode) for p in Path(root.path).rglob("*") if p.is_dir()} == {
        0o700
    }
    assert {stat.S_IMODE(Path(path).stat().st_mode) for path in made} == {0o600}
    assert memory.settings_problems == ()


def test_what_is_there_is_left_as_it_is(memory):
    root, _ = memory.setup.init()
    Path(root.config).write_text("{}")

    assert memory.setup.init() == (root, ())
    assert Path(root.config).read_text() == "{}"


def test_an_installation_without_its_template_is_told(memory, monkeypatch, tmp_path):
    monkeypatch.setattr(init, "PACKAGE", str(tmp_path / "a" / "b" / "c"))

    with pytest.raises(NotFoundError):
        memory.setup.init()


def git_takes(memory, tmp_path) -> set[str]:
    """Return the files of the memory that `git add -A` in its project takes, by their names."""
    repository.run(str(tmp_path / "app"), "add", "-A")
    listed = repository.run(str(tmp_path / "app"), "ls-files", "-z").stdout.split("\0")
    return {Path(path).name for path in listed if path}


def test_conversations_stay_out_of_git_until_the_user_wants_them_there(memory, tmp_path):
    make_repository(tmp_path / "app", tmp_path / "home")
    saved = memory.save({"topic": "退款接口 refund"})
    memory.start("c")
    memory.log("a note", conversation="c")
    assert git_takes(memory, tmp_path) == set()

    memory.setup.init()
    assert git_takes(memory, tmp_path) == set()

    memory.setup.init_git(["memory"])
    day = Path(saved.path).name
    assert git_takes(memory, tmp_path) == {
        ".gitattributes",
        ".gitignore",
        ".gitkeep",
        "config.json",
        "summary.md",
        day,
    }


def test_a_memory_whose_days_are_there_already_goes_on_sharing_them(memory, day_file):
    day_file("## Session 1\nx\n")

    memory.save({"topic": "y"})

    ignored = Path(memory.workspace.project_root.path, ".gitignore").read_text().split("\n")
    assert "/index/" in ignored
    assert "*" not in ignored


def test_an_ignore_file_of_the_user_is_left_as_it_is(memory):
    memory.save({"topic": "x"})
    path = Path(memory.workspace.project_root.path, ".gitignore")
    path.write_text("mine")

    memory.save({"topic": "y"})

    assert path.read_text() == "mine"
