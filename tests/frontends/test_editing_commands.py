"""The commands that change what is there: `memory delete` and `memory mark`."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from daily_memory.frontends.cli import main
from daily_memory.services.changing import edit


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

    session = {"id": first, "topic": "缓存方案", "scope": "project"}
    assert cli("delete", first, "--json").json() == {
        "deleted": [first],
        "count": 1,
        "sessions": [session],
        "undo": "1",
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
    assert outcome.json() == {"marked": [first], "flags": flags, "undo": "2", "warnings": []}
    assert cli("show", first, "--json").json()["sessions"][0]["tags"] == ["redis", "outdated"]


def test_a_mark_needs_a_flag(saved):
    cli, [first, _] = saved

    outcome = cli("mark", first)

    assert outcome.status == 2
    assert "hint: one of --important" in outcome.err


def test_warnings_are_told(saved, monkeypatch):
    cli, [first, second] = saved
    monkeypatch.setattr(edit, "refresh", lambda *_: ["the index is behind"])

    assert "warning: the index is behind" in cli("mark", first, "--private").err
    assert "warning: the index is behind" in cli("delete", second).err


def test_what_the_user_says_is_deleted(saved):
    cli, [first, second] = saved

    assert cli("do", f"删除记忆: {first}、{second}").out.split() == [first, second]

    assert cli("undo").out.split() == [first, "缓存方案", second, "login", "bug"]

    outcome = cli("do", "delete memory about redis")
    assert outcome.status == 2
    assert "nothing was done, no terminal to ask: delete 1 session?" in outcome.err
    assert cli("do", "delete memory about redis", "--dry-run").out.startswith(first)
    assert cli("do", "delete memory about redis", "--yes").out.split() == [first]
    assert cli("do", "删除今天的记忆", "--yes").out.split() == [second]
    assert "are for delete and cleanup" in cli("do", "查看今日记忆", "--yes").err


def test_what_is_not_named_by_its_id_needs_a_yes(saved, monkeypatch, capsys):
    cli, ids = saved
    day = ids[0].partition("#")[0]

    for words in (
        ["today"],
        [day],
        ["--day", day, "today"],
        ["--query", "bug"],
        ["--tag", "redis"],
    ):
        outcome = cli("delete", *words)
        assert outcome.status == 2
        assert "hint: give --yes to go on without being asked" in outcome.err
    answer(monkeypatch, "yes\n")
    assert main(["delete", "--query", "login", "bug"]) == 3 - 1
    answer(monkeypatch, "yes\n")
    assert main(["delete", "--query", "login"]) == 0
    assert capsys.readouterr().err.count("delete 1 session? [y/N]") == 1
    outcome = cli("delete", "today", "--yes")
    assert (outcome.out.split(), outcome.status) == ([ids[0]], 0)
    assert f"{ids[0]}  缓存方案" in outcome.err
    assert cli("delete", "today").err.startswith(
        "no session fits: nothing was deleted; `memory list`"
    )
    assert cli("delete", "--before", "2020-01-01", "--yes", "--json").json()["undo"] is None


def test_what_is_meant_is_shown_with_its_flags(saved):
    cli, [first, _] = saved
    cli("save", "--scope", "global", "--topic", "x" * 90 + "\ny", "--tag", "important")

    assert cli("delete", "--query", "redis", "--dry-run").out.startswith(f"{first}  ")
    line = cli("delete", "today", "--scope", "global", "--dry-run").out
    assert line.endswith(f"  {'x' * 72}…  [global]  [important]\n")


def test_of_many_the_first_are_shown(saved):
    cli, _ = saved
    for number in range(20):
        cli("add", f"note {number}")

    assert "… and 2 more; --dry-run shows them all\n" in cli("delete", "today").err
    assert len(cli("delete", "today", "--dry-run").out.split("\n")) == 23


def test_undo_brings_back_and_lists(saved):
    cli, [first, second] = saved
    assert cli("undo", "--list").err == "nothing to undo\n"
    cli("mark", first, "--important")
    cli("delete", first, second)

    two, one = cli("undo", "--list").out.rstrip("\n").split("\n")
    assert two.startswith("   2  ")
    assert two.endswith(f"deleted {first} 缓存方案 and 1 more")
    assert f"marked {first} 缓存方案" in one
    assert [one["id"] for one in cli("undo", "--list", "--json").json()["operations"]] == ["2", "1"]
    assert "nothing was undone" in cli("undo", "--dry-run").err

    outcome = cli("undo")
    assert outcome.out == f"{first}  缓存方案\n{second}  login bug\n"
    assert outcome.err.startswith("undid 2: deleted 2 sessions (20")
    assert outcome.err.endswith("; `memory undo 3` takes that back\n")
    assert cli("undo", "1").err.startswith("undid 1: marked 1 session (")
    four, three = cli("undo", "--list").out.rstrip("\n").split("\n")
    assert "undid 1: " in four
    assert three.endswith(f"undid 2: {first} 缓存方案 and 1 more")
    again = cli("undo", "3", "--json").json()
    assert (again["undoes"], again["ids"], again["kept"]) == ("2", [second], [first])
    assert f"{first} was changed since; `memory delete {first}`" in again["warnings"][0]
    assert cli("undo", again["undo"]).err.startswith("undid 5: deleted 1 session (")
    assert cli("undo").status == 3
    assert cli("undo", "--list", "2").status == cli("undo", "--list", "--dry-run").status == 2
    cli("delete", first)
    assert cli("undo", "--json").json()["ids"] == [first]


def test_an_operation_in_the_global_memory_says_so(saved):
    cli, _ = saved
    made = cli("save", "--scope", "global", "--topic", "y" * 60 + "\nz").out.strip()
    cli("delete", made, "--scope", "global")

    assert cli("undo", "--list").out.endswith(f" {'y' * 48}…  [--scope global]\n")


def test_a_purge_wants_more_than_a_yes(saved, monkeypatch, capsys):
    cli, [first, second] = saved
    cli("delete", second)

    assert cli("delete", first, "--purge").status == 2
    refused = cli("delete", first, "--purge").err
    assert refused.startswith(f"{first}  缓存方案  (in: ")
    assert "purge 1 session?" in refused
    assert not cli("delete", first, "--purge", "--json").err.startswith(first)
    shown = cli("delete", first, second, "--purge", "--dry-run")
    assert shown.out == (
        f"{first}  缓存方案  (in: day, journal)\n{second}  login bug  (in: undo store, journal)\n"
    )
    dry = cli("delete", first, "--purge", "--dry-run", "--json").json()
    assert (dry["purged"], dry["dry_run"]) == ([first], True)
    answer(monkeypatch, "y\n")
    assert main(["delete", first, second, "--purge"]) == 2
    answer(monkeypatch, "purge 2\n")
    assert main(["delete", first, second, "--purge"]) == 0
    captured = capsys.readouterr()
    assert "purge 2 sessions? To go on, type: purge 2" in captured.err
    assert "other machines may have copies" in captured.err
    assert cli("undo").status == 3
    assert cli("delete", first, "--purge", "--yes").status == 3
    assert cli("delete", "--purge").status == 2


def test_what_is_meant_otherwise_is_purged_as_well(saved):
    cli, [first, _] = saved
    root = Path.cwd() / ".cursor/skills/memories"
    cli("save", "--topic", "a", "--point", "one and the same line")
    (root / "summary.md").write_text("one and the same line")

    assert cli("delete", "--query", "redis", "--purge", "--yes", "--json").json()["purged"] == [
        first
    ]
    assert "purged 2 sessions" in (err := cli("delete", "today", "--purge", "--yes").err)
    assert "summary.md:1 has one of its lines too" in err
    # The project of these tests has a folder `.git` that is none.
    assert "git may have it still" not in err
    subprocess.run(["git", "init", "--quiet"], check=True)
    again = cli("add", "again").out.strip()
    assert "git may have it still" in cli("delete", again, "--purge", "--yes").err
    assert "nothing was purged" in cli("delete", "today", "--purge", "--yes").err


def test_a_no_needs_no_advice(saved, monkeypatch, capsys):
    _, [first, _] = saved

    for said in ("n\n", "否\n"):
        answer(monkeypatch, said)
        assert main(["delete", first]) == 2
        assert capsys.readouterr().err.endswith("error: nothing was done\n")


def test_what_is_deleted_is_listed_once_and_shortened(saved, monkeypatch, capsys):
    cli, _ = saved
    for number in range(20):
        cli("add", f"note {number}")
    answer(monkeypatch, "")

    assert main(["delete", "today", "--yes"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("  note ") == 18
    assert main(["undo"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 22


def test_what_a_list_does_not_show_is_explained(saved):
    cli, _ = saved

    told = "no sessions in that time; `memory list` shows all\n"
    assert cli("list", "--until", "2020-01-01").err == told
    wrong = cli("list", "--since", "2026-13-01").err
    assert "hint: words such as yesterday" in wrong
    nothing = cli("delete").err
    assert "error: no id given, and nothing to choose by" in nothing
    assert cli("delete", "--purge").err == nothing
