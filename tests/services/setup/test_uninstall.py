"""`memory uninstall --everything`: what is left is what was there before, and the memories."""

from __future__ import annotations

from pathlib import Path

from daily_memory import Memory
from daily_memory.core.hosts.table import HOSTS


def all_files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_left_but_the_memories_and_what_was_there_before(memory, tmp_path):
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}\n')
    before = all_files(tmp_path)
    memory.add("we use pnpm")
    for host in HOSTS:
        for scope in ("user", "project"):
            if scope == "user" or host.project.rule or host.project.servers:
                memory.setup.install(host.name, scope=scope)

    listed = memory.setup.uninstall(dry_run=True)
    untouched = settings.read_text()
    memory.setup.uninstall()

    left = all_files(tmp_path) - before
    assert untouched != settings.read_text() == '{"model": "opus"}\n'
    beside = [path for path in left if "skills/memories/" not in path]
    assert beside == ["home/.config/daily-memory/secret"]
    assert any("daily/" in path for path in left)
    assert len(listed.changes) > 20
    assert listed.kept[:2] == (memory.roots[0].path, memory.roots[1].path)
    assert listed.kept[2:] == (str(tmp_path / beside[0]),)


def test_who_comes_back_finds_undo_and_recordings_again(memory, tmp_path):
    saved = memory.add("we use pnpm")
    memory.delete([saved.id])
    memory.setup.uninstall()

    again = Memory(memory.project, home=tmp_path / "home")

    assert again.undo().ids == ((saved.id, saved.id),)
    assert list(Path(again.roots[0].path).glob("untrusted-*")) == []


def test_no_host_is_given_the_skill_of_one_that_goes_too(memory):
    for name in ("cursor", "claude"):
        memory.setup.install(name, scope="project")

    listed = memory.setup.uninstall(dry_run=True).changes

    assert {change.action for change in listed} == {"remove"}


def test_a_key_stays_with_the_memories_that_it_opens(memory, tmp_path):
    memory.add("we use pnpm")
    key = tmp_path / "home" / ".config" / "daily-memory" / "key.txt"
    key.write_text("AGE-SECRET-KEY-…")

    removal = memory.setup.uninstall()

    assert str(key) in removal.kept
    assert {path.name for path in key.parent.iterdir()} == {"key.txt", "secret"}


def test_the_other_projects_on_the_list_are_cleaned_too(memory, tmp_path):
    (tmp_path / "other").mkdir()
    other = Memory(tmp_path / "other", home=tmp_path / "home")
    other.add("TTL 300")
    other.setup.install("cursor", scope="project")

    memory.setup.uninstall()

    assert not (tmp_path / "other" / ".cursor" / "hooks.json").exists()
    assert list((tmp_path / "other").rglob("daily/*.md"))


def test_a_file_that_two_projects_share_goes_with_the_last_of_them(memory, tmp_path):
    (tmp_path / "other").mkdir()
    other = Memory(tmp_path / "other", home=tmp_path / "home")
    for project in (memory, other):
        project.add("TTL 300")
        project.setup.install("claude", scope="project")

    memory.setup.uninstall()

    assert not (tmp_path / "home" / ".claude.json").exists()
