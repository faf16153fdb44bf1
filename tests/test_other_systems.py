"""Windows and macOS, as far as pure functions show it: consoles, paths and names."""

from __future__ import annotations

import io
import sys
import unicodedata
from datetime import date
from pathlib import Path

import pytest

from daily_memory.core.format.markdown import parse_day
from daily_memory.frontends.cli import main, terminal
from daily_memory.installation import parse_origin


class Console(io.TextIOWrapper):
    """A console with an encoding of its own."""

    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors="strict", newline="")

    def isatty(self) -> bool:
        return True

    def sent(self) -> bytes:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue()


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("cp936", "缓存 é \\U0001f680".encode("cp936")),
        ("cp1252", "\\u7f13\\u5b58 é \\U0001f680".encode("cp1252")),
        ("utf-8", "缓存 é 🚀".encode()),
    ],
)
def test_a_console_gets_what_it_can_show_and_nothing_fails(encoding, shown, monkeypatch):
    console = Console(encoding)
    monkeypatch.setattr(sys, "stdout", console)
    monkeypatch.setenv("TERM", "dumb")

    terminal.prepare()
    terminal.show("缓存 é 🚀")

    assert console.sent().rstrip() == shown


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [
        ({}, False),  # an old console of Windows shows the escapes
        ({"WT_SESSION": "1"}, True),
        ({"TERM_PROGRAM": "vscode"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb", "TERM_PROGRAM": "vscode"}, False),
        ({"FORCE_COLOR": "0", "TERM": "xterm"}, False),
    ],
)
def test_colours_are_for_consoles_that_know_them(environment, is_coloured):
    assert terminal.has_colours(Console("utf-8"), environment) is is_coloured


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("file:///C:/src/daily%20memory", "C:/src/daily memory"),
        ("file:///home/a/daily-memory", "/home/a/daily-memory"),
    ],
)
def test_the_folder_that_it_came_from_is_one_of_its_system(url, place):
    assert parse_origin({"url": url, "dir_info": {}}).place == place


@pytest.mark.parametrize("folder", ["C:\\shop", "\\\\server\\share\\shop", ".\\shop"])
def test_a_path_with_a_drive_or_a_server_is_no_name_of_a_project(folder, cli_in):
    assert "no folder " in cli_in("--project", folder, "list")


@pytest.fixture
def cli_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> str:
        main(list(words))
        return capsys.readouterr().err

    return run


def test_a_day_with_crlf_is_the_same_day():
    text = "## Session 1 - 10:00\n\n### Topic\n缓存\n\n### Tags\n#redis\n"
    (unix,), (windows,) = (
        parse_day(version, date(2026, 1, 29), "").sections
        for version in (text, text.replace("\n", "\r\n"))
    )

    assert windows == unix


def test_a_decomposed_name_of_a_project_is_found_as_macos_writes_it(memory):
    name = unicodedata.normalize("NFD", "café")
    folder = Path(memory.home) / name
    folder.mkdir()
    other = memory.in_folder(folder)
    other.add("TTL 300")

    assert other.projects.title(str(folder)) == name
    assert list(memory.in_folder(folder).sessions())
