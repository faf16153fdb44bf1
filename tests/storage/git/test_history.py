"""Who wrote which lines, as git knows it, whatever a repository or its configuration says."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory import BackendError
from daily_memory.storage.git import history
from daily_memory.storage.roots import Root
from tests.repositories import Repository, make_repository, use_clean_environment

DAY = "daily/2026-01-29.md"
ALICE = "Alice 张 <alice@x.example>"
ME = "a@example.com"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A memory that is a repository: a line of mine, then one of Alice in the same day."""
    use_clean_environment(monkeypatch, tmp_path)
    repository = make_repository(tmp_path / "项目", tmp_path)
    repository.commit_file(DAY, "mine\n")
    repository.commit_file(DAY, "mine\n缓存\n", ALICE)
    return repository


def written(repository: Repository, *paths: str) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Return for each file the lines of the user, and those of others with their author."""
    root = Root(str(repository.folder), "global")
    return {
        name: (
            sorted(line.decode() for line in lines.own),
            {line.decode(): author for line, author in lines.others.items()},
        )
        for name, lines in history.load_authors(root, paths or (DAY, "summary.md")).items()
    }


BOTH = {"2026-01-29.md": (["mine"], {"缓存": "Alice 张"})}


def test_each_line_has_the_author_of_its_commit(made: Repository) -> None:
    assert written(made) == BOTH

    made.commit_file("summary.md", "summed up\n", ALICE)
    made.commit_file("README.md", "of something else\n")

    assert written(made) == {**BOTH, "summary.md": ([], {"summed up": "Alice 张"})}
    assert list(written(made, "summary.md")) == ["summary.md"]


def test_of_very_many_days_all_are_asked_for(made: Repository) -> None:
    names = [f"daily/{number}.md" for number in range(200)]

    assert written(made, *names) == {}
    assert written(made, *names, "daily/200.md") == BOTH


def test_what_was_fetched_counts_before_it_is_merged_or_committed(made: Repository) -> None:
    made.git("checkout", "--quiet", "--detach", "HEAD~1")
    made.commit_file("summary.md", "told\n", ALICE)
    url, fetched = made.folder.as_uri(), made.git("rev-parse", "HEAD").strip()
    made.git("checkout", "--quiet", "main")
    assert "summary.md" not in written(made)

    made.git("fetch", "--quiet", url, f"{fetched}")
    by_fetch = written(made)
    made.git("fetch", "--quiet", url, "main")
    made.git("merge", "--quiet", "--no-ff", "--no-commit", fetched)
    by_merge = written(made)

    assert by_fetch == by_merge == {**BOTH, "summary.md": ([], {"told": "Alice 张"})}


def test_of_a_merge_only_what_no_parent_has_is_by_who_merged(made: Repository) -> None:
    made.branch("other", "HEAD~1")
    made.commit_file(DAY, "mine\n队列\n", "Bob <bob@x.example>")
    made.git("merge", "main", fails=True)
    made.commit_file(DAY, "mine\n缓存\n队列\nboth\n")

    others = {"缓存": "Alice 张", "队列": "Bob"}
    assert written(made) == {"2026-01-29.md": (["both", "mine"], others)}


def test_a_file_with_another_name_is_by_who_renamed_it(made: Repository) -> None:
    made.git("mv", DAY, "daily/2026-01-30.md")
    made.git("commit", "--quiet", "--message", "x")

    assert written(made, "daily") == {**BOTH, "2026-01-30.md": (["mine", "缓存"], {})}


def test_no_setting_of_a_repository_hides_an_author_or_runs_anything(
    made: Repository, tmp_path: Path
) -> None:
    made.commit_file("summary.md", "told\n", ALICE)
    made.commit_file(".gitattributes", "daily/* diff=evil filter=evil\nsummary.md binary\n")
    program, trap = tmp_path / "evil.sh", tmp_path / "ran"
    program.write_text(f'#!/bin/sh\necho "$0" >> "{trap}"\ncat "$1" 2>/dev/null\n')
    program.chmod(0o755)
    programs = ("diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor")
    for name in (*programs, "core.pager", "gpg.program"):
        made.git("config", name, str(program))
    made.git("config", "alias.log", f"!{program}")
    for name in ("log.showSignature", "diff.noprefix", "diff.mnemonicPrefix"):
        made.git("config", name, "true")
    for name, value in (
        ("color.ui", "always"),
        ("log.diffMerges", "off"),
        ("diff.context", "9"),
        ("diff.interHunkContext", "9"),
        ("diff.renames", "copies"),
    ):
        made.git("config", name, value)

    assert written(made) == {**BOTH, "summary.md": ([], {"told": "Alice 张"})}
    assert DAY in history.tracked(str(made.folder))
    assert not trap.exists()


def test_what_belongs_to_another_repository_in_the_environment_is_left_out(
    made: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, "/nowhere")

    assert written(made) == BOTH
    assert history.tracked(str(made.folder)) == [DAY]


@pytest.mark.parametrize("kept", ["GIT_AUTHOR_EMAIL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"])
def test_the_user_is_who_git_says(
    made: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    settings = tmp_path / "settings"
    settings.write_text("[user]\n\tname = \udcff\n\temail = Alice@x.example\n", errors="replace")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_AUTHOR_NAME", "GIT_CONFIG_NOSYSTEM"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "\udcff")
    monkeypatch.setenv(kept, "alice@x.example" if kept == "GIT_AUTHOR_EMAIL" else str(settings))

    assert written(made) == {"2026-01-29.md": (["缓存"], {"mine": "测试"})}
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    is_known = kept != "GIT_CONFIG_SYSTEM"
    assert written(made)["2026-01-29.md"][0] == ["缓存"] * is_known


def test_nothing_is_fetched_that_a_clone_lacks(made: Repository, tmp_path: Path) -> None:
    made.git("config", "uploadpack.allowFilter", "true")
    clone = Repository(tmp_path / "clone", made.home)
    made.git(
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        made.folder.as_uri(),
        str(clone.folder),
    )

    with pytest.raises(BackendError, match="git failed with status"):
        written(clone)


def test_what_git_tracks_has_any_name(made: Repository) -> None:
    made.commit_file("日 记\n.md", "x")
    (made.folder / "untracked").touch()

    assert history.tracked(str(made.folder)) == [DAY, "日 记\n.md"]
    assert history.tracked(str(made.folder / "daily")) == ["2026-01-29.md"]
    with pytest.raises(BackendError, match="git failed with status 128"):
        history.tracked(str(made.home))
