"""What a real terminal is sent: nothing that it would act on, whatever a day file holds."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from io import RawIOBase
from pathlib import Path

import pytest

pytest.importorskip("pty", reason="this system has no pseudo-terminals")
import fcntl  # not on Windows
import termios

# What we send ourselves: colours, and links to files.
OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;(?:file://[\w./%-]+)?\x1b\\")
ACTIVE = "\x1b]0;title\x07 \x1b[2J \u202egnp.exe\u202c 缓存\u200b"
DAY = f"## Session 1 - 10:00\n\n### Topic\nredis {ACTIVE}\n"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    root = tmp_path / "app" / ".cursor" / "skills" / "memories"
    (root / "daily").mkdir(parents=True)
    (root / "daily" / "2026-01-29.md").write_text(DAY, encoding="utf-8")
    folders = {"HOME": str(tmp_path), "MEMORY_PROJECT": str(tmp_path / "app")}
    given = {name: value for name, value in os.environ.items() if not name.endswith("_COLOR")}
    return {**given, **folders, "PYTHONIOENCODING": "utf-8", "TERM": "xterm"}


@pytest.mark.parametrize(
    "words",
    [
        ("edit", "2026-01-29#1", "--print"),
        ("unlock", "2026-01-29"),
        ("export", "--format", "md"),
        ("export", "--format", "json"),
        ("export", "--format", "jsonl"),
        ("show", "2026-01-29#1"),
        ("show", "2026-01-29#1", "--json"),
        ("search", "redis", "--json"),
        ("list",),
        ("list", "--by-day"),
        ("inject", "redis"),
    ],
)
def test_a_terminal_is_sent_nothing_that_it_would_act_on(words, environment):
    shown = on_a_terminal(environment, *words)

    assert "redis" in shown
    assert not set("\x1b\x07\u202e\u202c\u200b") & set(OURS.sub("", shown))


def test_a_terminal_gets_matches_set_off_and_ids_that_open_their_file(environment):
    shown = on_a_terminal(environment, "search", "redis")

    assert "\x1b[1;31mredis\x1b[0m" in shown
    assert re.search(r"\x1b\]8;;file://[^/]*/[^\x1b]*/2026-01-29\.md\x1b\\.*2026-01-29#1", shown)
    assert ".cursor/skills/memories/daily/2026-01-29.md:1" in OURS.sub("", shown)


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_no_colours_gets_none(setting, environment):
    assert "\x1b" not in on_a_terminal(environment | setting, "list")


def test_a_terminal_gets_each_session_in_one_row(environment):
    rows = on_a_terminal(environment | {"TERM": "dumb"}, "list", columns=30).splitlines()

    assert [len(row) for row in rows] == [30]
    assert rows[0].endswith("…")


def test_a_terminal_that_does_not_say_how_wide_it_is_gets_whole_rows(environment):
    assert "redis" in on_a_terminal(environment, "list", columns=0)


def test_a_pipe_gets_the_text_as_it_is(environment):
    words = [sys.executable, "-m", "daily_memory", "edit", "2026-01-29#1", "--print"]

    done = subprocess.run(words, env=environment, capture_output=True, check=True)

    assert ACTIVE in done.stdout.decode()


def on_a_terminal(environment: dict[str, str], *words: str, columns: int = 200) -> str:
    """Run a command whose output is a terminal, and return what that was sent."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        with subprocess.Popen(
            [sys.executable, "-m", "daily_memory", *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
        ) as process:
            os.close(theirs)
            sent = b"".join(iter(lambda: _read(terminal), b""))
        assert process.returncode == 0
        return sent.decode().replace("\r\n", "\n")


def _read(terminal: RawIOBase) -> bytes:
    try:
        return terminal.read(4096) or b""
    except OSError:
        return b""  # the other side is closed
