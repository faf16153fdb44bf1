"""Whatever may take long shows on a terminal how far it is, and nowhere else."""

from __future__ import annotations

import re
import sys

import pytest

from tests.frontends.test_cleanup_commands import OLD, SECOND, write

COMMANDS = [
    ["review"],
    ["summarize"],
    ["report", "--days", "36500"],
    ["doctor"],
    ["export", "--format", "html", "-o", "page.html"],
    ["export", "-o", "sessions.json"],
    ["export", "-o", "sessions.md"],
    ["export", "-o", "memory.zip"],
    ["cleanup"],
    ["cleanup", "--dedupe", "--dry-run"],
    ["cleanup", "--sanitize", "--dry-run"],
    ["cleanup", "--before", "2021-01-01", "--yes"],
]


@pytest.fixture
def old(cli):
    """The command line in a project with two old days."""
    write("2020-10-01", OLD.format("2020-10-01") + SECOND.format("缓存方案"))
    write("2020-10-02", OLD.format("2020-10-02"))
    return cli


def watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_long_work_shows_how_far_it_is(old, words, monkeypatch):
    watch(monkeypatch)

    outcome = old(*words)

    assert re.search(r"\r[a-z ]+: ([0-9]+)/\1\n", outcome.err), outcome


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_where_nobody_watches_it_shows_nothing(old, words):
    assert "\r" not in old(*words).err


def test_the_archive_is_shown_too(old, monkeypatch):
    old("cleanup", "--before", "2021-01-01", "--yes")
    watch(monkeypatch)

    assert "days read: 2/2\n" in old("search", "缓存", "--archived").err
    assert "days restored: 2/2\n" in old("restore", "--all", "--yes").err
