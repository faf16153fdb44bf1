"""`memory mirror`: looked at, brought up to date, made anew, removed."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from daily_memory.frontends.cli import main, terminal


def switch(*, on: bool) -> None:
    (root,) = Path.cwd().rglob("memories")
    (root / "config.json").write_text(f'{{"mirror": {{"enabled": {str(on).lower()}}}}}')


@pytest.fixture
def switched(cli):
    """The command line in a project with a live session and the mirror on."""
    cli("start", "c")
    switch(on=True)
    cli("log", "Redis 缓存 TTL 300", "--kind", "decision")
    cli("mirror", "sync")
    cli("log", "private one", "--private")
    return cli


def test_its_state_is_told(switched):
    assert "mirror.sqlite3: behind" in switched("mirror", "status").out
    switched("mirror", "sync")

    outcome = switched("mirror", "status", "--json")

    (state,) = outcome.json()["mirrors"]
    assert state["state"] == "current"
    assert (state["sessions"], state["observations"], state["private"]) == (1, 2, 1)
    shown = switched("mirror", "status").out
    assert "mirror.sqlite3: current" in shown
    assert "1 session; 2 observations, 1 of them private; 0 summaries" in shown


def test_it_is_brought_up_to_date(switched):
    switched("mirror", "sync")
    path = next(Path.cwd().rglob("c.jsonl"))
    with path.open("ab") as file:
        file.write(b'{"ended":"x"}\n')
    assert "1 file changed since" in switched("mirror", "status").out

    assert "current" in switched("mirror", "sync").out


def test_made_anew_it_is_the_same(switched):
    (before,) = switched("mirror", "sync", "--json").json()["mirrors"]

    (after,) = switched("mirror", "rebuild", "--json").json()["mirrors"]

    assert {**after, "size": 0} == {**before, "size": 0}


def test_it_is_removed_only_with_consent(switched, monkeypatch):
    assert switched("mirror", "drop").status == 2
    shown = switched("mirror", "drop", "--dry-run")
    assert "MB; the files have it all" in shown.err
    assert "1 mirror would be removed" in shown.err
    assert switched("mirror", "status", "--json").json()["mirrors"][0]["state"] == "behind"

    outcome = switched("mirror", "drop", "--yes")

    assert outcome.status == 0
    assert "removed" in outcome.err
    assert "there is no mirror" in switched("mirror", "drop", "--yes").err
    nothing = {"dropped": [], "dry_run": False}
    assert switched("mirror", "drop", "--yes", "--json").json() == nothing
    assert "removes nothing" in switched("mirror", "sync", "--yes").err
    assert "the first search makes it" in switched("mirror", "status").out


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("是\n", 0), ("n\n", 2), ("", 2)])
def test_at_a_terminal_it_asks(answer, status, switched, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    monkeypatch.setattr(terminal, "is_terminal", lambda: True)

    assert main(["mirror", "drop"]) == status
    assert "remove 1 mirror? [y/N]" in capsys.readouterr().err


def test_without_the_setting_there_is_none(cli):
    assert "no memory here yet" in cli("mirror", "status").err
    cli("add", "redis")

    assert "mirror.enabled is false" in cli("mirror", "status").out
    outcome = cli("mirror", "sync")
    assert outcome.status == 2
    assert "in config.json switches it on" in outcome.err


def test_what_is_left_of_one_that_was_switched_off_is_told(switched):
    switched("mirror", "sync")
    switch(on=False)

    assert "memory mirror drop" in switched("mirror", "status").out
    assert "holds the text of observations" in switched("doctor").out


def test_a_save_and_an_end_are_in_it_at_once(switched):
    switched("save", "--topic", "部署", "--tag", "k8s")
    switched("log", "决定用 Redis 做缓存", "--kind", "decision")
    switched("end")

    (state,) = switched("mirror", "status", "--json").json()["mirrors"]

    assert state["state"] == "current"
    assert state["sessions"] == 3
    assert state["summaries"] == 4
