"""`memory init`: the template, copied once and never over anything."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from daily_memory import NotFoundError
from daily_memory.services import setup


def test_a_root_is_made_whole_and_for_the_owner_only(memory):
    root, made = memory.init()

    names = sorted(str(Path(path).relative_to(root.path)) for path in made)
    assert names == [".gitattributes", ".gitignore", "config.json", "daily/.gitkeep", "summary.md"]
    assert Path(root.index_folder).is_dir()
    assert {stat.S_IMODE(p.stat().st_mode) for p in Path(root.path).rglob("*") if p.is_dir()} == {
        0o700
    }
    assert {stat.S_IMODE(Path(path).stat().st_mode) for path in made} == {0o600}
    assert memory.settings_problems == ()


def test_what_is_there_is_left_as_it_is(memory):
    root, _ = memory.init()
    Path(root.config).write_text("{}")

    assert memory.init() == (root, ())
    assert Path(root.config).read_text() == "{}"


def test_an_installation_without_its_template_is_told(memory, monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "_PACKAGE", str(tmp_path / "a" / "b" / "c"))

    with pytest.raises(NotFoundError):
        memory.init()


def test_a_save_without_init_keeps_the_index_out_of_git(memory):
    memory.save({"topic": "x"})

    path = Path(memory.project_root.path, ".gitignore")
    assert "/index/" in path.read_text().split("\n")
    path.write_text("mine")
    memory.save({"topic": "y"})
    assert path.read_text() == "mine"
