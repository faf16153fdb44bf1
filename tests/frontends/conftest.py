"""The command line, called in this process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import pytest

from daily_memory.frontends.cli import main


class Outcome(NamedTuple):
    """What a command left: its exit status and what it printed."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Return a function that runs a command in an empty project."""
    project = tmp_path / "app"
    for name in ("app/.git", "home"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MEMORY_PROJECT", raising=False)

    def run(*words: str, stdin: str | bytes | TextIO = "") -> Outcome:
        if isinstance(stdin, str):
            stdin = stdin.encode()
        if isinstance(stdin, bytes):
            stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        status = main(list(words))
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run
