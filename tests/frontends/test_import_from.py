"""`memory import --from`: what is typed, and what is shown."""

from __future__ import annotations

import pytest

from tests.conversations import (
    CHINESE,
    ENGLISH,
    add_trae_mem,
    claude_lines,
    make_trae_mem,
    write_lines,
)


@pytest.fixture
def transcripts(cli, tmp_path, monkeypatch):
    """Two conversations of Claude Code, one of this project and one of another."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "home" / "moved"))
    folder = tmp_path / "home" / "moved" / "projects" / "slug"
    for name, said, project in (("S1", CHINESE, "app"), ("S2", ENGLISH, "shop")):
        write_lines(folder / f"{name}.jsonl", claude_lines(said, name, tmp_path / project))
    return folder


def test_conversations_are_imported_and_the_rest_is_accounted_for(cli, transcripts):
    outcome = cli("import", "--from", "claude-code")

    assert outcome.status == 0
    assert outcome.out == ""
    assert outcome.err.splitlines() == [
        "1 conversation passed over: of another project, or of none that is known",
        "1 conversation imported, 0 there already, 1 secret hidden (password)",
    ]
    assert cli("search", "token 有效期", "--json").json()["count"] == 1


def test_a_dry_run_lists_what_would_come(cli, transcripts):
    outcome = cli("import", "--from", "claude-code", "--all-projects", "--dry-run")

    lines = [line.split("  ") for line in outcome.out.splitlines()]
    assert [(topic, project) for _, topic, project in lines] == [
        ("登录测试为什么失败？", "(app)"),
        ("Why does the checkout page load slowly?", "(shop)"),
    ]
    assert (
        outcome.err
        == "2 conversations would be imported, 0 there already, 1 secret hidden (password)\n"
    )


def test_the_answer_is_json_on_demand(cli, transcripts):
    planned = cli("import", "--from", "claude-code", "--dry-run", "--json").json()
    done = cli("import", "--from", "claude-code", str(transcripts), "--json").json()

    assert [entry["conversation"] for entry in planned["would_import"]] == ["S1"]
    assert planned["ids"] == []
    assert set(done) == {
        "imported",
        "present",
        "deleted",
        "ids",
        "redactions",
        "skipped",
        "observations",
        "warnings",
    }
    assert (done["imported"], done["redactions"]) == (1, {"password": 1})


def test_what_was_deleted_is_told_of_and_comes_when_asked_for(cli, transcripts):
    cli("import", "--from", "claude-code")
    cli("delete", "2026-01-20", "--yes")

    left = cli("import", "--from", "claude-code")
    again = cli("import", "--from", "claude-code", "--again", "--json")

    assert left.err.splitlines()[1:] == [
        "0 conversations imported, 0 there already, 0 secrets hidden",
        "1 conversation left out, deleted here before: --again brings them in",
    ]
    assert (again.json()["imported"], again.json()["deleted"]) == (1, 0)


def test_several_that_were_deleted_are_counted(cli, transcripts):
    everything = ("import", "--from", "claude-code", "--all-projects")
    cli(*everything)
    cli("delete", "--scope", "global", "--before", "2026-12-31", "--yes")

    assert cli(*everything).err.splitlines()[-1] == (
        "2 conversations left out, deleted here before: --again brings them in"
    )


def test_a_file_of_sessions_needs_no_again(cli, tmp_path):
    outcome = cli("import", "x.json", "--again")

    assert outcome.status == 2
    assert "--again goes with --from only" in outcome.err


def test_a_warning_names_the_file(cli, transcripts):
    path = transcripts / "S1.jsonl"
    path.write_bytes(path.read_bytes() + b"{half")

    assert (
        f"warning: {str(path)!r}: 1 line passed over" in cli("import", "--from", "claude-code").err
    )


@pytest.mark.parametrize("options", [("--dry-run",), ("--all-projects",), ()])
def test_an_option_without_its_other_half_is_refused(cli, options):
    assert cli("import", *options).status == 2


def test_what_trae_mem_observed_is_counted(cli, tmp_path):
    path = tmp_path / "trae.sqlite3"
    rows = (("user", "登录失败"), ("user", "why?"), ("decision", "用 Redis"))
    database = make_trae_mem(path)
    add_trae_mem(database, "t1", tmp_path / "app", *rows)

    planned = cli("import", "--from", "trae-mem", str(path), "--dry-run")
    first = cli("import", "--from", "trae-mem", str(path))
    database.close()

    assert planned.err.endswith("3 observations would be imported\n")
    assert first.err.splitlines() == [
        "1 conversation imported, 0 there already, 0 secrets hidden",
        "3 observations imported",
    ]


def test_a_host_that_there_is_not_is_refused(cli):
    assert cli("import", "--from", "emacs").status == 2


def test_notes_are_counted_as_notes(cli, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("端口 8080\n", encoding="utf-8")
    words = ("import", "--from", "notes", str(folder))

    assert "1 note would be imported" in cli(*words, "--dry-run").err
    assert "1 note imported, 0 there already" in cli(*words).err
    assert "0 notes imported, 1 there already" in cli(*words).err
