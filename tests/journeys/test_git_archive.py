"""Days that one branch archived, in real git: what another branch wrote is not lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daily_memory.core.format.day_merge import merge_days
from daily_memory.services.setup import git
from daily_memory.storage import archive_files
from tests.repositories import Repository, make_repository

NAME = "2025-10-01.md"
PACKED = Path(".cursor/skills/memories/archive/2025/2025-10-01.md.gz")
TITLE = "# 2025-10-01 对话记忆\n\n"


def section(number: int, topic: str, tags: str = "") -> str:
    tagged = f"\n### 标签\n{tags}\n" if tags else ""
    return f"## Session {number} - 10:0{number}:00\n\n### 主题\n{topic}\n{tagged}\n---\n\n"


ONE = section(1, "缓存方案")
KEPT = section(2, "部署", "#important")
TWO = section(2, "FastAPI")
EDITED = ONE.replace("缓存方案", "改过的方案")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with the driver, and with nothing in it yet."""
    made = make_repository(tmp_path / "项目", tmp_path / "home")
    assert made.memory("init", "--git").returncode == 0
    made.commit("init")
    return made


def archive_on(repository: Repository, branch: str) -> None:
    repository.branch(branch)
    done = repository.memory("cleanup", "--before", "2026-01-01", "--yes")
    assert done.returncode == 0, done.stderr
    repository.commit(f"archive on {branch}")


def write_on(repository: Repository, branch: str, text: str) -> None:
    repository.branch(branch)
    repository.day(text, NAME)
    repository.commit(f"write on {branch}")


def topics(repository: Repository) -> list[tuple[str, str]]:
    """Return all sessions, those in the archive with a star."""
    told = json.loads(repository.memory("list", "--archived", "--json").stdout)["sessions"]
    return [(one["id"][10:] + "*" * one.get("archived", False), one["topic"]) for one in told]


def test_a_day_that_nobody_else_touched_stays_archived(repository):
    write_on(repository, "main", TITLE + ONE)
    archive_on(repository, "ours")
    repository.branch("theirs")
    (repository.folder / "code.py").write_text("x = 1\n")
    repository.commit("work")

    repository.git("merge", "--quiet", "--no-edit", "ours")

    assert topics(repository) == [("#1*", "缓存方案")]
    assert not repository.day(name=NAME).exists()


def test_a_section_that_another_branch_edited_comes_back_and_is_archived_again(repository):
    write_on(repository, "main", TITLE + ONE + KEPT)
    archive_on(repository, "ours")
    write_on(repository, "theirs", TITLE + EDITED + KEPT)
    repository.branch("ours", "ours")

    repository.git("merge", "--quiet", "--no-edit", "theirs")

    assert topics(repository) == [("#1", "改过的方案"), ("#2", "部署")]
    assert repository.memory("cleanup", "--before", "2026-01-01", "--yes").returncode == 0
    assert topics(repository) == [("#1*", "改过的方案"), ("#2", "部署")]


def test_a_whole_day_that_another_branch_changed_is_a_conflict_that_keeps_both(repository):
    write_on(repository, "main", TITLE + ONE)
    archive_on(repository, "ours")
    write_on(repository, "theirs", TITLE + EDITED + TWO)
    repository.branch("ours", "ours")

    # git itself says that one side removed what the other one changed; no driver is asked.
    repository.git("merge", "--quiet", "--no-edit", "theirs", fails=True)
    repository.commit("keep the day")

    assert topics(repository) == [("#1", "改过的方案"), ("#2", "FastAPI")]
    assert repository.memory("cleanup", "--before", "2026-01-01", "--yes").returncode == 0
    assert topics(repository) == [("#1*", "改过的方案"), ("#2*", "FastAPI")]


def test_what_was_deleted_here_and_archived_there_is_told_until_it_is_deleted_again(repository):
    write_on(repository, "main", TITLE + ONE + KEPT + section(3, "登录"))
    archive_on(repository, "theirs")
    repository.branch("ours")
    assert repository.memory("delete", "2025-10-01#1").returncode == 0
    repository.commit("delete one")

    repository.git("merge", "--quiet", "--no-edit", "theirs")

    assert topics(repository) == [("#1*", "缓存方案"), ("#2", "部署"), ("#3*", "登录")]
    told = repository.memory("doctor").stdout
    assert "2025-10-01#1 was deleted here, and came back in the archive" in told
    assert "2025-10-01#3" not in told
    assert repository.memory("restore", "2025-10-01#1").returncode == 0
    assert "came back in the archive" not in repository.memory("doctor").stdout
    assert repository.memory("delete", "2025-10-01#1").returncode == 0
    assert topics(repository) == [("#2", "部署"), ("#3*", "登录")]
    assert "came back in the archive" not in repository.memory("doctor").stdout


def test_a_day_that_both_branches_archived_is_the_same_file(repository):
    write_on(repository, "main", TITLE + ONE)
    archive_on(repository, "ours")
    archive_on(repository, "theirs")

    repository.git("merge", "--quiet", "--no-edit", "ours")

    assert topics(repository) == [("#1*", "缓存方案")]


def test_two_archives_of_a_day_are_merged_both_ways_alike(repository):
    write_on(repository, "main", TITLE + ONE)
    for branch, text in (("ours", ONE + TWO), ("theirs", ONE + section(3, "登录"))):
        write_on(repository, branch, TITLE + text)
        repository.memory("cleanup", "--before", "2026-01-01", "--yes")
        repository.commit("archive")

    outcomes = []
    for here, there in (("ours", "theirs"), ("theirs", "ours")):
        repository.branch("outcome", here)
        repository.git("merge", "--quiet", "--no-edit", there)
        outcomes.append((repository.folder / PACKED).read_bytes())
        assert topics(repository) == [("#1*", "缓存方案"), ("#2*", "FastAPI"), ("#3*", "登录")]

    assert outcomes[0] == outcomes[1]


def test_a_clone_from_before_the_archive_learns_of_it(repository):
    attributes = repository.day().parent.parent / ".gitattributes"
    attributes.write_text("/daily/*.md merge=daily-memory\n")

    assert repository.memory("init", "--git").returncode == 0

    assert "/archive/*/*.md.gz merge=daily-memory" in attributes.read_text()


def merged(tmp_path: Path, *versions: bytes) -> tuple[bool, bytes]:
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    for path, data in zip((base, ours, theirs), versions, strict=True):
        path.write_bytes(data)
    name = "archive/2025/2025-10-01.md.gz"
    return git.merge_files(str(base), str(ours), str(theirs), name), ours.read_bytes()


def test_an_archive_that_can_not_be_read_is_a_conflict(tmp_path):
    packed = archive_files.pack((TITLE + ONE).encode())

    assert merged(tmp_path, packed, packed[:-1], packed) == (False, packed[:-1])


def test_sections_of_two_archives_are_put_together(tmp_path):
    ours, theirs = (archive_files.pack((TITLE + text).encode()) for text in (ONE, ONE + TWO))

    assert merged(tmp_path, b"", ours, theirs) == (True, theirs)


def test_archives_that_say_the_same_are_left_alone(tmp_path):
    packed = archive_files.pack((TITLE + ONE).encode())

    assert merged(tmp_path, b"", packed, packed) == (True, packed)
    assert merge_days(b"", (TITLE + ONE).encode(), (TITLE + ONE).encode()) == (TITLE + ONE).encode()
