"""Who wrote a section or the summary, asked of git where this machine did not write it."""

from __future__ import annotations

import os
from datetime import date, datetime, timezone
from pathlib import Path

import pytest

from daily_memory.core.format import markdown
from daily_memory.model import Section
from daily_memory.storage import journal
from daily_memory.storage.git import authors
from daily_memory.storage.git.authors import Authors
from daily_memory.storage.index.lookup import Current, Indexed
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root
from tests.repositories import Repository, make_repository, use_clean_environment

DAY = date(2026, 1, 29)
NAME = f"{DAY}.md"
MINE = "## Session 1 - 10:00\n\n### Topic\nmine\n\n---\n\n"
ALICES = "## Session 2 - 11:00\n\n### Topic\n缓存\n\n---\n"
ALICE = "Alice 张 <alice@x.example>"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A memory in a repository, with a section of mine and one of Alice."""
    use_clean_environment(monkeypatch, tmp_path)
    repository = make_repository(tmp_path / "app", tmp_path)
    for folder in ("daily", "index"):
        (repository.folder / folder).mkdir()
    (repository.folder / ".gitignore").write_text("/index/\n")
    repository.commit_file(f"daily/{NAME}", MINE)
    repository.commit_file(f"daily/{NAME}", MINE + ALICES, ALICE)
    return repository


def root_of(repository: Repository) -> Root:
    return Root(str(repository.folder), "global")


def indexed(section: Section) -> Indexed:
    first, last = section.span
    digest = str(section.session.number).encode()
    return Indexed(section.session, Current(0, first, last, 0, 0, b""), digest, {}, ())


def origins(root: Root) -> tuple[dict[str, str], str]:
    """Return the origin of each section of the day by its topic, and why git did not answer."""
    data = Path(root.daily_folder, NAME).read_bytes()
    sections = markdown.parse_day(data.decode(), DAY).sections
    asked = Authors(root, {NAME: data}, [NAME])
    marked = asked.marked([indexed(section) for section in sections])
    assert asked.marked([]) == []
    return {each.session.topic: each.origin for each in marked}, asked.fault


def test_a_section_that_another_committed_has_an_origin(made: Repository) -> None:
    assert origins(root_of(made)) == ({"mine": "", "缓存": "git: Alice 张"}, "")


def test_what_this_machine_wrote_is_the_users_own_whoever_committed_it(made: Repository) -> None:
    root = root_of(made)
    journal.add_records(
        root,
        [JournalEntry("2026-01-29T11:00:00Z", f"{DAY}#2", ALICES)],
        datetime(2026, 1, 29, 12, tzinfo=timezone.utc),
    )
    assert origins(root)[0] == {"mine": "", "缓存": ""}

    made.commit_file(f"daily/{NAME}", MINE + ALICES.replace("缓存", "队列"), ALICE)
    assert origins(root)[0] == {"mine": "", "队列": "git: Alice 张"}


def test_what_is_not_committed_yet_has_no_origin(made: Repository) -> None:
    made.git("mv", f"daily/{NAME}", "daily/2026-01-28.md")
    made.git("commit", "--quiet", "--message", "x", "--amend", "--no-edit")
    (made.folder / "daily" / NAME).write_text(MINE)
    made.git("checkout", "--quiet", "--orphan", "other")
    for ref in made.git("for-each-ref", "--format=%(refname)").split():
        made.git("update-ref", "-d", ref)

    assert origins(root_of(made)) == ({"mine": ""}, "")


def test_a_git_that_fails_is_told_and_nobody_named(made: Repository) -> None:
    (made.folder / ".git" / "config").write_text("[broken")

    found, fault = origins(root_of(made))

    assert found == {"mine": "", "缓存": ""}
    assert fault == "git failed with status 128"


def test_outside_of_a_repository_git_is_not_asked(
    made: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.rename(made.folder / ".git", made.folder / "elsewhere")
    monkeypatch.setenv("PATH", "/nowhere")

    assert origins(root_of(made)) == ({"mine": "", "缓存": ""}, "")
    assert authors.of_summary(root_of(made), ["told"]) == ""


def test_the_summary_is_of_who_committed_its_lines(
    made: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = root_of(made)
    made.commit_file("summary.md", "# told\n", ALICE)
    made.commit_file("summary.md", "# told\nmine\n")

    assert authors.of_summary(root, ["# told", "  mine"]) == "git: Alice 张"
    assert authors.of_summary(root, ["mine", "mine"]) == ""
    monkeypatch.setenv("PATH", "/nowhere")

    # Git is asked once for a text; without it the user does not count as the author.
    assert authors.of_summary(root, ["mine", "mine"]) == ""
    assert authors.of_summary(root, ["mine"]) == "git: ?"
    assert authors.of_summary(root, ["mine"]) == "git: ?"


def test_the_origin_of_a_summary_is_noted_in_the_index(made: Repository) -> None:
    root = root_of(made)
    made.commit_file("summary.md", "told\n", ALICE)
    os.rmdir(root.index_folder)

    authors.of_summary(root, ["told"])

    noted = Path(root.index_folder, "summary-origin").read_text(encoding="utf-8")
    assert noted[32:] == "git: Alice 张"
    Path(root.index_folder, "summary-origin").write_text(f"{noted[:32]}git: Bob")
    assert authors.of_summary(root, ["told"]) == "git: Bob"


def test_a_folder_is_in_a_repository_if_one_above_has_a_git_folder_or_file(tmp_path):
    for name in ("app/.git", "app/src/deep", "tree/src", "none/src"):
        (tmp_path / name).mkdir(parents=True)
    assert not authors.has_repository(str(tmp_path / "app/src/deep"))

    (tmp_path / "app/.git/HEAD").touch()
    (tmp_path / "tree/.git").touch()

    assert authors.has_repository(str(tmp_path / "app"))
    assert authors.has_repository(str(tmp_path / "app/src/deep"))
    assert authors.has_repository(str(tmp_path / "tree/src"))
    assert not authors.has_repository(str(tmp_path / "none/src"))
