"""`Memory`: which roots it writes to and asks, and which settings hold."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from daily_memory import InvalidInputError, Memory
from daily_memory.errors import DamagedDataError


def configure(folder: Path, text: str) -> None:
    path = folder / ".cursor/skills/memories/config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def scopes(memory: Memory, scope: str = "") -> list[str]:
    return [root.scope for root in memory.workspace.search_roots(scope)]


def test_outside_a_project_there_is_the_global_memory(tmp_path, monkeypatch):
    (tmp_path / "home").mkdir()
    monkeypatch.chdir("/")

    memory = Memory(home=tmp_path / "home", environment={})

    assert memory.save({"topic": "x"}).scope == "global"
    assert scopes(memory) == ["global"]
    with pytest.raises(InvalidInputError):
        memory.workspace.save_root("project")


@pytest.mark.parametrize(
    ("location", "saved", "asked"),
    [
        ("project-first", "project", ["project", "global"]),
        ("project-only", "project", ["project"]),
        ("global-only", "global", ["global"]),
    ],
)
def test_the_location_says_where_sessions_go_and_are_looked_for(
    memory, tmp_path, location, saved, asked
):
    for scope in ("project", "global"):
        memory.save({"topic": "x"}, scope=scope)
    configure(tmp_path / "home", f'{{"storage": {{"location": "{location}"}}}}')
    memory = memory.in_folder(memory.project)

    assert memory.save({"topic": "y"}).scope == saved
    assert scopes(memory) == asked


@pytest.mark.parametrize("scope", ["all", "nowhere"])
def test_a_save_goes_to_one_root(memory, scope):
    with pytest.raises(InvalidInputError):
        memory.save({"topic": "x"}, scope=scope)


def test_all_is_every_project_that_was_seen(memory, tmp_path):
    memory.save({"topic": "here"})
    (tmp_path / "other").mkdir()
    other = memory.in_folder(tmp_path / "other")
    other.save({"topic": "there"})

    assert [found.session.topic for found in memory.sessions(scope="all")] == ["here", "there"]
    assert [root.project for root in other.workspace.search_roots("all")] == ["other", "app"]


def test_the_project_s_settings_come_before_the_global_ones(memory, tmp_path):
    configure(tmp_path / "home", '{"retrieval": {"max_results": 7}}')
    assert memory.in_folder(memory.project).settings.retrieval.max_results == 7

    configure(tmp_path / "app", '{"retrieval": {"max_results": 9}, "x": 1}')
    memory = memory.in_folder(memory.project)
    assert memory.settings.retrieval.max_results == 9
    assert "unknown section" in memory.settings_problems[0].message


def test_with_settings_that_can_not_be_read_nothing_is_recorded(memory, tmp_path):
    (tmp_path / "app/.cursor/skills/memories/config.json").mkdir(parents=True)

    memory = memory.in_folder(memory.project)

    assert memory.settings.retrieval.max_results == 5
    assert "nothing is recorded until this is mended" in memory.settings_problems[0].message
    with pytest.raises(DamagedDataError, match=r"config\.json: can't be read"):
        memory.save({"topic": "x"})


def test_a_shared_memory_is_open_to_the_group(memory, tmp_path):
    configure(tmp_path / "home", '{"storage": {"shared_mode": "group"}}')
    old = os.umask(0)
    try:
        result = memory.in_folder(memory.project).save({"topic": "x"})
    finally:
        os.umask(old)

    assert os.stat(result.path).st_mode & 0o777 == 0o660


def test_a_home_that_can_not_be_written_does_not_spoil_a_save(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "home").write_text("a file")

    memory = Memory(tmp_path / "app", home=tmp_path / "home")

    assert memory.save({"topic": "x"}).id


def test_the_clock_is_the_local_one_unless_given(tmp_path):
    memory = Memory(tmp_path, home=tmp_path / "home")

    assert memory.save({"topic": "x"}).session.date == memory.today()


def test_redacting_counts_what_it_hides(memory):
    key = "AKIA" + "QWERTYUIOPASDFGH"

    text, counts = memory.redact(f"a {key}")

    assert key not in text
    assert sum(counts.values()) == 1


@pytest.mark.parametrize("broken", ["{", '{"storage": {"encryption": "aeg"}}', "[" * 100_000])
def test_what_is_stored_is_found_whatever_is_wrong_in_the_settings(memory, tmp_path, broken):
    memory.save({"topic": "缓存 TTL 定为 300 秒"})
    shutil.rmtree(tmp_path / "app/.cursor/skills/memories/index")  # as after a clone
    configure(tmp_path / "app", broken)

    memory = memory.in_folder(memory.project)

    assert [hit.session.topic for hit in memory.search("缓存 TTL").hits] == ["缓存 TTL 定为 300 秒"]
    assert [found.session.topic for found in memory.sessions()] == ["缓存 TTL 定为 300 秒"]
