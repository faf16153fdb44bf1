"""Where each part of a memory is."""

from __future__ import annotations

import os

import pytest

from daily_memory.errors import InvalidInputError
from daily_memory.storage import roots


def test_each_part_of_a_project_has_its_place():
    root = roots.project_root("/srv/app")

    assert root.path == "/srv/app/.cursor/skills/memories"
    assert (root.scope, root.project, root.label) == ("project", "app", "")
    assert root.daily_folder == f"{root.path}/daily"
    assert root.observations_folder == f"{root.path}/observations"
    assert root.archive_folder == f"{root.path}/archive"
    assert root.index_folder == f"{root.path}/index"
    assert root.undo_folder == f"{root.path}/index/undo"
    assert root.appending == f"{root.path}/index/appending"
    assert root.config == f"{root.path}/config.json"
    assert roots.project_folder(root) == "/srv/app"


def test_what_belongs_to_others_is_as_if_missing():
    root = roots.project_root("/srv/app")._replace(is_foreign=True)

    assert root.index_folder == f"{root.path}/untrusted-0/index"
    assert root.observations_folder == f"{root.path}/untrusted-0/observations"
    assert root.daily_folder == f"{root.path}/daily"


def test_the_memory_of_all_projects_is_below_the_home():
    root = roots.global_root("/home/bob")

    assert root.path == "/home/bob/.cursor/skills/memories"
    assert (root.scope, root.label, root.is_own) == ("global", "global", False)
    assert roots.notes_folder("/home/bob") == "/home/bob/.config/daily-memory/encrypted"
    assert root.scoped("2026-01-29#1") == "global:2026-01-29#1"
    assert roots.project_root("/srv/app").scoped("2026-01-29#1") == "2026-01-29#1"


def test_a_root_is_called_by_its_label_its_name_or_its_folder():
    own = roots.project_root("/srv/app")
    other = own._replace(label="app2", is_own=False)

    assert own.is_called("app")
    assert own.is_called("/srv/app")
    assert not own.is_called("global")
    assert other.is_called("app2")
    assert not other.is_called("app")
    assert roots.global_root("/home/bob").is_called("global")
    assert not roots.global_root("/home/bob").is_called("app")
    everywhere = roots.global_root("/home/bob")
    assert not everywhere.is_called(roots.project_folder(everywhere))
    assert not roots.project_root("/srv/global").is_called("global")


@pytest.mark.parametrize("folder", ["daily", "observations"])
def test_a_memory_is_there_with_its_first_folder(tmp_path, folder):
    root = roots.project_root(str(tmp_path))
    assert not root.exists

    os.makedirs(os.path.join(root.path, folder))

    assert root.exists


def test_the_home_is_a_folder_from_the_top(monkeypatch):
    assert roots.home_folder({"HOME": "/home/bob"}) == "/home/bob"

    monkeypatch.setenv("HOME", "")
    with pytest.raises(InvalidInputError):
        roots.home_folder({})
