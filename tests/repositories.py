"""A git repository that is a project, for tests with real git."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import components

CHECKOUT = Path(__file__).resolve().parent.parent
PROGRAM = (sys.executable, str(CHECKOUT / "scripts" / "memory.py"))
DAILY = ".cursor/skills/memories/daily"


def clean_environment(home: Path) -> dict[str, str]:
    """Return an environment in which no configuration of the user's git holds."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept.pop("MEMORY_PROJECT", None)
    names = {"GIT_AUTHOR_NAME": "测试", "GIT_COMMITTER_NAME": "测试"}
    mails = {"GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_EMAIL": "a@example.com"}
    return {**kept, **names, **mails, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


def use_clean_environment(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Let git that this process runs know no configuration of the user's."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in clean_environment(home).items():
        monkeypatch.setenv(name, value)


class Repository(NamedTuple):
    """The work tree, and the home folder of whoever works there."""

    folder: Path
    home: Path

    def git(self, *words: str, fails: bool = False) -> str:
        """Run git and return what it printed; it must succeed, or fail where that is wanted."""
        done = self._run(["git", *words])
        assert bool(done.returncode) == fails, done.stdout + done.stderr
        return done.stdout

    def memory(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self._run([*PROGRAM, *words])

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.folder,
            env=clean_environment(self.home),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def day(self, text: str | bytes | None = None, name: str = "2026-01-29.md") -> Path:
        """Return the path of a day file, and write it if given a text."""
        path = self.folder / DAILY / name
        if text is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def commit(self, message: str = "change", *options: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message, *options)

    def commit_file(self, path: str, text: str, author: str = "") -> None:
        """Write a file and commit it, as the user or as somebody else."""
        file = self.folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        self.commit("x", *(("--author", author) if author else ()))

    def branch(self, name: str, start: str = "main") -> None:
        self.git("checkout", "--quiet", "-B", name, start)


def make_repository(folder: Path, home: Path) -> Repository:
    """Return a new repository on the branch `main`."""
    components.require("git")
    for path in (folder, home):
        path.mkdir(parents=True, exist_ok=True)
    repository = Repository(folder, home)
    repository.git("init", "--quiet", "--initial-branch", "main")
    return repository
