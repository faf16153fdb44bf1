"""What is asked of git, and what becomes of its refusals."""

from __future__ import annotations

import os

import pytest

from daily_memory import BackendError, NotFoundError
from daily_memory.storage.git import repository
from tests.repositories import make_repository, use_clean_environment


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A repository; the git of this process knows no other configuration."""
    use_clean_environment(monkeypatch, tmp_path)
    return make_repository(tmp_path / "项目", tmp_path)


def test_the_top_is_that_of_a_folder_that_is_not_there_yet(made):
    assert repository.get_top(str(made.folder / "a" / "b")) == str(made.folder)


def test_a_folder_in_no_repository_is_told(made, tmp_path):
    with pytest.raises(NotFoundError, match="is not in a git repository"):
        repository.get_top(str(tmp_path))
    made.git("init", "--bare", "--quiet", str(tmp_path / "bare"))
    with pytest.raises(NotFoundError):
        repository.get_top(str(tmp_path / "bare"))


def test_a_repository_of_somebody_else_is_told_in_the_words_of_git(made, monkeypatch):
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    with pytest.raises(BackendError, match="dubious ownership"):
        repository.get_top(str(made.folder))


def test_without_git_it_is_told_what_to_install(made, monkeypatch):
    monkeypatch.setenv("PATH", "")

    with pytest.raises(BackendError) as raised:
        repository.get_top(str(made.folder))

    assert (raised.value.message, raised.value.hint) == (
        "the command `git` was not found",
        "install git",
    )
    assert not repository.is_unmerged(str(made.day("x")))


def test_a_git_that_hangs_is_an_error_after_a_while(made, tmp_path, monkeypatch):
    script = tmp_path / "bin" / "git"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")

    with pytest.raises(repository.GitTimeoutError, match=r"did not answer in 0\.1 s: git status"):
        repository.run(str(made.folder), "status", timeout_s=0.1)


def test_a_value_is_set_once(made):
    folder = str(made.folder)

    assert repository.set_config(folder, "merge.x.driver", 'a "b" %O 与') is True
    assert repository.set_config(folder, "merge.x.driver", 'a "b" %O 与') is False
    assert repository.get_config(folder, "merge.x.driver") == 'a "b" %O 与'


def test_a_configuration_that_somebody_holds_is_told(made):
    (made.folder / ".git" / "config.lock").touch()

    told = "^git refused: error: could not lock config file .git/config: File exists$"
    with pytest.raises(BackendError, match=told):
        repository.set_config(str(made.folder), "merge.x.driver", "a")


def test_attributes_and_ignored_files(made):
    (made.folder / ".gitattributes").write_text("*.md merge=ours\n")
    (made.folder / ".gitignore").write_text("/index/\n")
    folder = str(made.folder)

    assert repository.attribute(folder, "merge", "日.md") == "ours"
    assert repository.attribute(folder, "merge", "x.txt") == "unspecified"
    assert repository.is_ignored(folder, "index/a")
    assert not repository.is_ignored(folder, "daily/a")


def test_a_file_is_unmerged_until_its_conflict_is_solved(made):
    path = made.day("甲\n")
    made.commit()
    for branch, text in (("other", "乙\n"), ("main", "丙\n")):
        made.git("checkout", "--quiet", "-B", branch, "main")
        made.day(text)
        made.commit()
    assert not repository.is_unmerged(str(path))

    made.git("merge", "other", fails=True)

    assert repository.is_unmerged(str(path))
    assert not repository.is_unmerged(str(path.with_name("2026-01-28.md")))
    made.commit()
    assert not repository.is_unmerged(str(path))


def test_files_are_merged_as_git_does(tmp_path):
    paths = [str(tmp_path / name) for name in ("base", "-ours", "theirs")]

    def merge(*texts: bytes) -> bool:
        for path, text in zip(paths, texts, strict=True):
            with open(path, "wb") as file:
                file.write(text)
        return repository.merge_file(*paths)

    assert merge(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n") is True
    assert (tmp_path / "-ours").read_bytes() == b"A\nb\nC\n"
    assert merge(b"a\n", "甲\n".encode(), "乙\n".encode()) is False
    conflict = "<<<<<<< ours\n甲\n=======\n乙\n>>>>>>> theirs\n"
    assert (tmp_path / "-ours").read_text() == conflict
    assert merge(b"a\0", b"b\0", b"c\0") is False
    assert (tmp_path / "-ours").read_bytes() == b"b\0"
    assert merge(b"a\n", b"a\n", b"a\n") is True
    (tmp_path / "theirs").unlink()
    with pytest.raises(BackendError, match="git refused"):
        repository.merge_file(*paths)


def test_what_the_configuration_of_a_repository_names_is_not_run(tmp_path):
    made = make_repository(tmp_path / "app", tmp_path / "home")
    made.git("config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    (made.folder / "a").touch()
    made.git("-c", "core.fsmonitor=false", "add", "a")

    for words in (("status",), ("ls-files",), ("check-ignore", "a"), ("check-attr", "merge", "a")):
        repository.run(str(made.folder), *words)

    assert not (tmp_path / "ran").exists()


def test_the_program_that_checks_signatures_is_not_run(tmp_path):
    made = make_repository(tmp_path / "app", tmp_path / "home")
    for name in ("signs", "ran"):
        program = tmp_path / name
        program.write_text(
            # It reads what it is to sign: git takes a pipe that closes early for a failure.
            f"#!/bin/sh\ncat >/dev/null\ntouch {tmp_path}/{name}-it\n"
            "echo '[GNUPG:] SIG_CREATED ' >&2\necho -----BEGIN PGP SIGNATURE-----\n"
        )
        program.chmod(0o755)
    signing = ("-c", f"gpg.program={tmp_path}/signs", "commit", "--allow-empty", "-S", "-m", "x")
    made.git(*signing)
    made.git("config", "gpg.program", f"{tmp_path}/ran")
    made.git("config", "log.showSignature", "true")

    repository.run(str(made.folder), "log")

    assert (tmp_path / "signs-it").exists()
    assert not (tmp_path / "ran-it").exists()
