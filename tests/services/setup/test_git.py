"""What git calls, and how it is told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory import DailyMemoryError, Memory, NotFoundError
from daily_memory.core.format import day_merge as core
from daily_memory.services.setup import git
from daily_memory.storage.git import repository
from tests.repositories import make_repository, use_clean_environment

ONE = "## Session 1 - 10:00\n\n一\n\n---\n"
TWO = "## Session 1 - 10:01\n\ntwo\n\n---\n"
BOTH = f"{ONE}\n{TWO.replace('Session 1', 'Session 2')}"


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    return [str(tmp_path / name) for name in ("base", "ours", "theirs")]


def merge(paths: list[str], *texts: str | bytes, name: str = "") -> bool:
    for path, text in zip(paths, texts, strict=True):
        Path(path).write_bytes(text if isinstance(text, bytes) else text.encode())
    base, ours, theirs = paths
    return Memory("").setup.merge_days(base, ours, theirs, name)


def test_a_day_is_merged_into_ours(paths):
    assert merge(paths, "", ONE, TWO, name="memories/daily/2026-01-29.md") is True

    assert Path(paths[1]).read_text() == BOTH
    assert sorted(path.name for path in Path(paths[1]).parent.iterdir()) == [
        "base",
        "ours",
        "theirs",
    ]


def test_without_a_name_the_content_tells(paths):
    assert merge(paths, "", ONE, TWO) is True
    assert Path(paths[1]).read_text() == BOTH
    assert merge(paths, "a\n", "b\n", "c\n") is False
    assert "<<<<<<<" in Path(paths[1]).read_text()


def test_a_name_that_is_no_day_is_merged_by_lines(paths):
    assert merge(paths, "", ONE, TWO, name="notes.md") is False

    text = Path(paths[1]).read_text()
    assert "<<<<<<< ours" in text
    assert "一" in text
    assert "two" in text


def test_a_day_without_sections_keeps_all_lines(paths):
    assert merge(paths, "a\n", "a\n甲\n", "a\n乙\n", name="2026-01-29.md") is True

    assert Path(paths[1]).read_text() == "a\n乙\n甲\n"


def test_a_day_that_is_no_text_is_left_to_git(paths):
    versions = [text.encode("utf-16") for text in ("a", ONE, TWO)]

    assert merge(paths, *versions, name="2026-01-29.md") is False

    assert Path(paths[1]).read_bytes() == versions[1]


def test_what_did_not_change_here_is_not_written(paths):
    merge(paths, ONE, BOTH, ONE)
    before = Path(paths[1]).stat()

    merge(paths, ONE, BOTH, ONE)

    assert Path(paths[1]).stat().st_ino == before.st_ino


def test_a_missing_file_is_told(paths):
    with pytest.raises(NotFoundError):
        Memory("").setup.merge_days(*paths)


def test_after_a_fault_of_ours_both_sides_are_still_there(paths, monkeypatch):
    monkeypatch.setattr(core, "merge_prose", None)

    with pytest.raises(TypeError):
        merge(paths, "", ONE, TWO)

    text = Path(paths[1]).read_text()
    assert "一" in text
    assert "two" in text


# ---------------------------------------------------------------------------- init --git


@pytest.fixture
def memory(tmp_path: Path, monkeypatch) -> Memory:
    """The memory of a repository."""
    use_clean_environment(monkeypatch, tmp_path / "home")
    make_repository(tmp_path / "app", tmp_path / "home")
    return Memory(tmp_path / "app", home=tmp_path / "home")


def test_the_driver_is_registered_once(memory, tmp_path):
    root, made, first = memory.setup.init_git(["/opt/我的 tools/100%/memory"])
    _, again, second = memory.setup.init_git(["/opt/我的 tools/100%/memory"])

    assert str(Path(root.path, ".gitattributes")) in made
    assert first.repository == str(tmp_path / "app")
    assert first.done == (
        f"let git have the days: {Path(root.path, '.gitignore')}",
        "registered the merge driver 'daily-memory'",
    )
    driver = repository.get_config(root.path, "merge.daily-memory.driver")
    assert "'/opt/我的 tools/100%%/memory' merge-driver %O %A %B %P" in driver
    assert (again, second) == ((), first._replace(done=()))


def test_attributes_and_ignored_files_of_a_person_are_added_to(memory):
    root, _ = memory.setup.init()
    attributes, ignore = (Path(root.path, name) for name in (".gitattributes", ".gitignore"))
    attributes.write_text("*.png binary")
    ignore.write_text("")

    _, _, registration = memory.setup.init_git(["memory"])

    assert attributes.read_text().startswith("*.png binary\n# ")
    assert "\n/daily/*.md merge=daily-memory\n" in attributes.read_text()
    assert ignore.read_text() == "", "both folders keep themselves out of git"
    assert registration.done[0] == f"added to {attributes}"
    assert registration.warnings == ()


def test_what_keeps_git_from_the_days_is_told(memory, tmp_path):
    root, _ = memory.setup.init()
    Path(root.daily_folder, ".gitattributes").write_text("*.md merge=union\n")
    (tmp_path / "app" / ".gitignore").write_text(".cursor/\n")

    _, _, registration = memory.setup.init_git(["memory"])

    assert [warning.split(" ")[1] for warning in registration.warnings] == [
        ".gitattributes",
        ".gitignore",
    ]


def test_outside_of_a_repository_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    memory = Memory(tmp_path / "plain", home=tmp_path)

    with pytest.raises(NotFoundError):
        memory.setup.init_git(["memory"])

    assert list((tmp_path / "plain").iterdir()) == []


def test_the_global_memory_may_be_in_a_repository_too(memory, tmp_path):
    make_repository(tmp_path / "home", tmp_path / "home")

    root, _, registration = memory.setup.init_git(["memory"], "global")

    assert root == memory.workspace.global_root
    assert registration.repository == str(tmp_path / "home")


def test_the_doctor_notes_a_clone_in_which_git_was_not_told(memory, monkeypatch):
    root, _ = memory.setup.init()
    assert git.unregistered(root) == (), "git is not to have the days yet"
    memory.setup.init_git(["memory"])
    assert git.unregistered(root) == ()
    repository.run(root.path, "config", "--unset", "merge.daily-memory.driver")
    (problem,) = git.unregistered(root)
    assert "`memory init --git`" in problem.message
    Path(root.path, "..", ".gitignore").write_text("memories/\n")
    assert git.unregistered(root) == (), "what git leaves out is never merged"
    monkeypatch.setenv("PATH", "")
    assert git.unregistered(root) == ()


def test_the_doctor_notes_nothing_where_there_is_no_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    root, _ = Memory(tmp_path / "plain", home=tmp_path).setup.init()

    assert git.unregistered(root) == ()
    Path(root.path, ".gitattributes").unlink()
    assert git.unregistered(root) == ()


def test_every_error_of_a_merge_is_one_of_ours(paths):
    for path in paths:
        Path(path).mkdir()

    with pytest.raises(DailyMemoryError):
        Memory("").setup.merge_days(*paths)
