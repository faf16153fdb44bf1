"""Roots: the project around you, the global one, and the projects seen."""

from __future__ import annotations

import os

import pytest

from daily_memory.errors import InvalidInputError
from daily_memory.storage import roots


def test_the_nearest_folder_with_a_marker_is_the_project(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "app" / "src").mkdir(parents=True)
    (tmp_path / "app" / "pyproject.toml").write_text("")

    found = roots.find_project(str(tmp_path / "app" / "src"), {"HOME": "/nowhere"})

    assert found == str(tmp_path / "app")


def test_the_home_folder_is_no_project_though_it_holds_the_global_memory(tmp_path):
    (tmp_path / ".cursor").mkdir()
    (tmp_path / "notes").mkdir()

    assert roots.find_project(str(tmp_path / "notes"), {"HOME": str(tmp_path)}) == ""


def test_outside_any_project_there_is_none(tmp_path):
    assert roots.find_project("/", {"HOME": str(tmp_path)}) == ""


def test_the_environment_comes_before_the_folders(tmp_path):
    (tmp_path / "a" / ".git").mkdir(parents=True)
    environment = {"HOME": "/nowhere", "MEMORY_PROJECT": str(tmp_path)}

    assert roots.find_project(str(tmp_path / "a"), environment) == str(tmp_path)


@pytest.mark.parametrize("folder", ["missing", "a\0b"])
def test_a_project_that_is_no_folder_is_refused(tmp_path, folder):
    with pytest.raises(InvalidInputError):
        roots.get_project(str(tmp_path / folder))


def test_a_root_knows_its_paths_and_its_project(tmp_path):
    root = roots.project_root(str(tmp_path / "app"))

    assert root.path == str(tmp_path / "app" / ".cursor" / "skills" / "memories")
    assert (root.scope, root.project) == ("project", "app")
    assert root.daily_folder == os.path.join(root.path, "daily")
    assert not root.exists


def test_without_a_home_in_the_environment_the_system_is_asked():
    assert roots.home_folder({}) == os.path.expanduser("~")
