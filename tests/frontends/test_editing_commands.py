"""The commands that change what is there: `memory delete` and `memory mark`."""

from __future__ import annotations

import io
import sys

import pytest

from daily_memory.frontends.cli import main
from daily_memory.services import editing


@pytest.fixture
def saved(cli):
    """The command line in a project with two sessions, and their ids."""
    ids = [cli("add", text).out.strip() for text in ("缓存方案 #redis", "login bug")]
    return cli, ids


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(text))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)


def test_what_is_deleted_is_named_and_gone(saved):
    cli, ids = saved

    assert cli("delete", *ids).out.split() == ids
    assert cli("list", "--json").json()["sessions"] == []
    assert cli("delete", ids[0]).status == 3


def test_a_dry_run_shows_what_would_go(saved):
    cli, [first, _] = saved

    outcome = cli("delete", first, "--dry-run")

    assert outcome.out == f"{first}  缓存方案\n"
    assert "nothing was deleted" in outcome.err
    assert cli("show", first).status == 0


def test_deleting_answers_as_json(saved):
    cli, [first, _] = saved

    assert cli("delete", first, "--json").json() == {
        "deleted": [first],
        "dry_run": False,
        "warnings": [],
    }


@pytest.mark.parametrize(("said", "status"), [("y\n", 0), ("是\n", 0), ("n\n", 2), ("", 2)])
def test_on_a_terminal_it_asks(saved, monkeypatch, capsys, said, status):
    cli, [first, _] = saved
    answer(monkeypatch, said)

    assert main(["delete", first]) == status

    captured = capsys.readouterr()
    assert "delete 1 session? [y/N]" in captured.err
    assert cli("show", first).status == (0 if status else 3)


def test_who_is_sure_is_not_asked(saved, monkeypatch, capsys):
    _, [first, _] = saved
    answer(monkeypatch, "")

    assert main(["delete", first, "--yes"]) == 0
    assert capsys.readouterr().out.strip() == first


def test_a_mark_is_put_and_taken(saved):
    cli, [first, _] = saved

    assert cli("mark", first, "--important").out.strip() == first
    assert cli("mark", first, "--important").err == "nothing to do: marked so already\n"
    assert cli("show", first, "--json").json()["sessions"][0]["tags"] == ["redis", "important"]

    outcome = cli("mark", first, "--clear", "--outdated", "--json")

    flags = {"important": False, "outdated": True, "private": False}
    assert outcome.json() == {"marked": [first], "flags": flags, "warnings": []}
    assert cli("show", first, "--json").json()["sessions"][0]["tags"] == ["redis", "outdated"]


def test_a_mark_needs_a_flag(saved):
    cli, [first, _] = saved

    outcome = cli("mark", first)

    assert outcome.status == 2
    assert "hint: one of --important" in outcome.err


def test_warnings_are_told(saved, monkeypatch):
    cli, [first, second] = saved
    monkeypatch.setattr(editing, "refresh", lambda _root: ["the index is behind"])

    assert "warning: the index is behind" in cli("mark", first, "--private").err
    assert "warning: the index is behind" in cli("delete", second).err


def test_what_the_user_says_is_deleted(saved):
    cli, [first, second] = saved

    assert cli("do", f"删除记忆: {first}、{second}").out.split() == [first, second]

    outcome = cli("do", "delete memory: redis")
    assert outcome.status == 2
    assert "name its id" in outcome.err
