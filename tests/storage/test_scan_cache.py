"""In which files nothing was found when they were searched last."""

from __future__ import annotations

import os

import pytest

from daily_memory.core import prompt_injection
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Policy
from daily_memory.storage import scan_cache
from daily_memory.storage.roots import Root, project_root

OLD = (10, 1_000, 2_000)


@pytest.fixture
def root(tmp_path) -> Root:
    made = project_root(str(tmp_path))
    os.makedirs(made.index_folder)
    return made


def test_what_is_noted_is_known_as_long_as_the_rules_are_the_same(root):
    rules = scan_cache.fingerprint(privacy, Policy()[:-1])
    scan_cache.save(root, "x", rules, {"daily/2026-01-29.md": OLD})

    assert scan_cache.load(root, "x", rules) == {"daily/2026-01-29.md": OLD}
    assert scan_cache.load(root, "y", rules) == {}
    assert scan_cache.fingerprint(privacy, Policy()[:-1]) == rules
    assert scan_cache.fingerprint(prompt_injection, Policy()[:-1]) != rules
    for other in (Policy(patterns=("x",)), Policy(allow=("x",)), Policy(personal=False)):
        other_rules = scan_cache.fingerprint(privacy, other[:-1])
        assert scan_cache.load(root, "x", other_rules) == {}


def test_a_file_that_has_just_changed_is_searched_again(root, tmp_path):
    (tmp_path / "now").write_text("x")
    status = os.stat(tmp_path / "now")

    just_now = status.st_size, status.st_mtime_ns, status.st_ctime_ns
    scan_cache.save(root, "x", "rules", {"a": OLD, "b": just_now})

    assert scan_cache.load(root, "x", "rules") == {"a": OLD}


@pytest.mark.parametrize("text", ["", "[]", '{"x": {"rules": "r", "files": {"a": 1}}}', "{"])
def test_a_file_that_can_not_be_used_says_nothing_and_is_written_again(root, text):
    with open(os.path.join(root.index_folder, "clean.json"), "w") as file:
        file.write(text)

    assert scan_cache.load(root, "x", "r") == {}
    scan_cache.save(root, "x", "r", {"a": OLD})
    assert scan_cache.load(root, "x", "r") == {"a": OLD}


def test_where_nothing_can_be_written_nothing_is_noted(tmp_path):
    nowhere = project_root(str(tmp_path / "nowhere"))

    scan_cache.save(nowhere, "x", "rules", {"a": OLD})

    assert scan_cache.load(nowhere, "x", "rules") == {}


def test_what_is_searched_for_has_an_entry_of_its_own(root):
    scan_cache.save(root, "x", "rules", {"a": OLD})
    scan_cache.save(root, "y", "others", {"b": OLD})

    assert scan_cache.load(root, "x", "rules") == {"a": OLD}
    assert scan_cache.load(root, "y", "others") == {"b": OLD}
