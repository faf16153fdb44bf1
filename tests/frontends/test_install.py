"""`memory install` at the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from daily_memory import InvalidInputError
from daily_memory.installation import install_command
from daily_memory.services.setup import program
from tests import components


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def _without_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds the assistants of this computer."""
    monkeypatch.setenv("PATH", "")


CURSOR = {
    ".cursor/hooks.json",
    ".cursor/mcp.json",
    ".cursor/rules/daily-memory.mdc",
    ".cursor/skills/daily-memory/SKILL.md",
}


def test_it_says_what_it_did_and_what_to_know(cli, tmp_path):
    outcome = cli("install", "cursor")

    lines = outcome.out.splitlines()
    assert lines[0] == f"Cursor, project {tmp_path / 'app'}: 4 files"
    assert lines[1:5] == [
        "  made       hooks  .cursor/hooks.json",
        "  made       mcp    .cursor/mcp.json",
        "  made       rule   .cursor/rules/daily-memory.mdc",
        "  made       skill  .cursor/skills/daily-memory/SKILL.md",
    ]
    assert names(tmp_path / "app") == CURSOR


def test_without_the_package_there_is_no_entry_and_it_is_said_how_to_get_one(cli, monkeypatch):
    monkeypatch.setattr(program, "find_spec", lambda _name: None)

    outcome = cli("install", "cursor")

    note = f"  note: no MCP entry: run `{install_command('mcp')}`, then this again"
    assert note in outcome.out.splitlines()
    assert "mcp.json" not in outcome.out


def test_without_a_name_it_shows_what_it_would_do_for_the_assistants_found(cli, tmp_path):
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    (tmp_path / "home" / ".gemini").mkdir()

    outcome = cli("install")

    shown = outcome.out.splitlines()
    app = tmp_path / "app"
    assert f"Claude Code, project {app}: 4 files" in shown
    assert "  make       hooks, mcp  .gemini/settings.json" in shown
    assert shown[-1] == "nothing was changed: name one of them, or pass --yes for all"
    assert names(app) == set()


def test_with_yes_it_installs_into_all_that_are_found(cli, tmp_path):
    (tmp_path / "home" / ".qwen").mkdir(parents=True)

    done = cli("install", "--yes", "--json").json()

    assert [host["host"] for host in done["hosts"]] == ["qwen"]
    assert ".qwen/settings.json" in names(tmp_path / "app")


def test_several_assistants_are_set_up_with_one_command(cli, tmp_path):
    done = cli("install", "Claude-Code", "cursor", "--json").json()

    assert [host["host"] for host in done["hosts"]] == ["claude", "cursor"]
    assert {".cursor/hooks.json", ".claude/settings.local.json"} <= names(tmp_path / "app")


def test_of_several_assistants_all_or_none_are_set_up(cli, tmp_path):
    (tmp_path / "app" / ".cursor").mkdir()
    (tmp_path / "app" / ".cursor" / "hooks.json").write_text("{")

    assert cli("install", "claude", "cursor").status != 0
    assert cli("install", "claude", "emacs").status == 2
    assert names(tmp_path / "app") == {".cursor/hooks.json"}


def test_notes_of_an_installation_are_in_one_language(cli, tmp_path):
    lines = cli("install", "trae", "--lang", "zh").out.splitlines()

    assert "  提示：请在 Trae 的“设置 → Hooks”里启用 hook" in lines


def test_where_no_assistant_is_found_it_names_them(cli):
    assert "no assistant found; name one of cursor," in cli("install").out


def test_a_second_run_has_nothing_to_do(cli, tmp_path):
    cli("install", "cursor")

    outcome = cli("install", "cursor")

    assert outcome.out.splitlines()[0].endswith(": nothing to do")
    assert "  as it was  hooks  .cursor/hooks.json" in outcome.out


def test_it_goes_as_it_came(cli, tmp_path):
    cli("install", "cursor")

    outcome = cli("install", "cursor", "--uninstall")

    assert "  removed    hooks  .cursor/hooks.json" in outcome.out
    assert names(tmp_path / "app") == set()


def test_the_default_is_the_project_around_and_else_the_user(cli, tmp_path, monkeypatch):
    assert cli("install", "trae", "--json").json()["scope"] == "project"
    outside = tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)

    assert cli("install", "trae", "--json").json()["scope"] == "user"
    assert ".trae/hooks.json" in names(tmp_path / "home")
    assert names(outside) == set()


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        (("install", "cursor", "--user"), "home"),
        (("install", "cursor", "--project"), "app"),
        (("install", "cursor", "--project", "../other"), "other"),
        (("--project", "../other", "install", "cursor"), "other"),
    ],
)
def test_the_scope_can_be_chosen(words, folder, cli, tmp_path):
    (tmp_path / "other").mkdir()

    assert cli(*words).status == 0
    assert ".cursor/hooks.json" in names(tmp_path / folder)


def test_a_folder_becomes_a_project_where_the_user_says_so(cli, tmp_path, monkeypatch):
    outside = tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)

    assert cli("install", "cursor", "--project").status == 0
    assert names(outside) == CURSOR


def test_both_scopes_at_once_are_refused(cli):
    outcome = cli("install", "cursor", "--user", "--project")

    assert outcome.status == 2
    assert "exclude each other" in outcome.err


def test_the_home_folder_is_no_project(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "home")

    outcome = cli("install", "cursor", "--project")

    assert outcome.status == 2
    assert "not inside a project" in outcome.err
    assert names(tmp_path / "home") == set()


def test_an_unknown_host_is_refused(cli):
    assert cli("install", "emacs").status == 2


def test_an_unknown_host_or_scope_is_refused_by_the_library(memory):
    with pytest.raises(InvalidInputError, match="host 'emacs' is not one of cursor"):
        memory.setup.install("emacs")
    with pytest.raises(InvalidInputError, match="scope 'all' is not one of project, user"):
        memory.setup.install("cursor", scope="all")


def test_a_broken_file_is_named_and_nothing_is_changed(cli, tmp_path):
    path = tmp_path / "app" / ".cursor" / "hooks.json"
    path.parent.mkdir()
    path.write_text('{"hooks": {,}}')

    outcome = cli("install", "cursor", "--json")

    assert outcome.status == 2
    assert outcome.json()["error"]["message"] == f"can't change {str(path)!r}: not JSON in line 1"
    assert names(tmp_path / "app") == {".cursor/hooks.json"}


def test_a_dry_run_shows_a_diff_that_patch_would_take(cli, tmp_path):
    path = tmp_path / "app" / ".cursor" / "hooks.json"
    path.parent.mkdir()
    path.write_text('{\n  "version": 1,\n  "hooks": {\n    "x": []\n  }\n}')

    outcome = cli("install", "cursor", "--dry-run")

    assert outcome.out.startswith(f"Cursor, project {tmp_path / 'app'}: 4 files\n  change ")
    assert f"\n--- {path}\n+++ {path}\n@@ -1,6 +1,66 @@\n" in outcome.out
    assert "\n--- /dev/null\n" in outcome.out
    assert "\n-}\n\\ No newline at end of file\n" not in outcome.out
    assert path.read_text() == '{\n  "version": 1,\n  "hooks": {\n    "x": []\n  }\n}'
    assert names(tmp_path / "app") == {".cursor/hooks.json"}


def test_a_dry_run_of_taking_out_shows_what_would_go(cli, tmp_path):
    cli("install", "cursor")

    outcome = cli("install", "cursor", "--uninstall", "--dry-run")

    assert "  remove     hooks  .cursor/hooks.json" in outcome.out
    assert "\n+++ /dev/null\n" in outcome.out
    assert names(tmp_path / "app") == CURSOR


def test_the_json_tells_every_file(cli, tmp_path):
    answer = cli("install", "vscode", "--dry-run", "--json").json()

    servers, rule = answer["files"][:2]
    assert answer["dry_run"]
    assert not answer["uninstall"]
    assert (answer["host"], answer["scope"]) == ("vscode", "project")
    assert answer["folder"] == str(tmp_path / "app")
    assert (servers["part"], servers["action"]) == ("mcp", "create")
    assert (rule["part"], rule["action"]) == ("rule", "create")
    assert rule["path"].endswith(".github/instructions/daily-memory.instructions.md")
    assert rule["diff"].startswith("--- /dev/null\n")
    assert any(note.startswith("no hooks") for note in answer["notes"])
    assert "diff" not in json.dumps(cli("install", "vscode", "--json").json())


def test_files_of_a_user_outside_the_home_are_shown_whole(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))

    outcome = cli("install", "codex", "--user")

    assert f"  made       hooks  {tmp_path / 'codex' / 'hooks.json'}" in outcome.out


def test_the_hooks_call_the_command_that_installed_them(tmp_path):
    """In a process of its own: there the command line is the script's."""
    script = components.require("memory")
    project = tmp_path / "项目"
    project.mkdir()
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": os.defpath}
    environment.pop("MEMORY_PROJECT", None)

    for words in ([script], [sys.executable, "-m", "daily_memory"]):
        subprocess.run(
            [*words, "install", "cursor", "--project", str(project)], env=environment, check=True
        )
        hooks = json.loads((project / ".cursor" / "hooks.json").read_text(encoding="utf-8"))
        assert hooks["hooks"]["stop"][0]["command"] == f"{script} hook cursor"


def test_doctor_tells_who_calls_us_before_anything_was_saved(cli, tmp_path):
    cli("install", "cursor")
    cli("install", "claude", "--user")

    out = cli("doctor").out
    assert f"{tmp_path / 'app'}/.cursor/hooks.json: Cursor: hooks, " in out
    assert f"{tmp_path / 'home'}/.claude/settings.json: Claude Code: hooks, " in out
    assert "Claude" not in cli("doctor", "--scope", "project").out
    assert "Cursor" not in cli("doctor", "--scope", "global").out


def test_doctor_of_a_home_folder_that_is_named_as_a_project(cli, tmp_path):
    cli("install", "claude", "--user")

    assert cli("doctor", "--project", str(tmp_path / "home")).out.count("Claude Code: ") == 1


def test_what_holds_for_projects_alone_is_no_news_for_a_user(cli):
    assert "trusted workspace" in cli("install", "cursor").out
    assert "trusted workspace" not in cli("install", "cursor", "--user").out


def test_uninstall_lists_first_and_removes_when_asked_to(cli, tmp_path):
    cli("add", "we use pnpm")
    cli("install", "cursor")
    hooks = tmp_path / "app" / ".cursor" / "hooks.json"

    listed = cli("uninstall")
    still = hooks.exists()
    refused = cli("uninstall", "--everything")
    done = cli("uninstall", "--everything", "--yes")

    assert "remove  .cursor/hooks.json  (hooks)" in listed.out.splitlines()
    assert "keep    .cursor/skills/memories" in listed.out.splitlines()
    assert (still, refused.status, done.status) == (True, 2, 0)
    assert not hooks.exists()
    assert "the program itself goes with: " in done.err
    assert "we use pnpm" in cli("list").out


def test_what_is_to_be_known_of_all_assistants_is_said_once(cli):
    lines = cli("install", "claude", "cursor").out.splitlines()

    (shared,) = (line for line in lines if "memory init --git" in line)
    assert lines[-1] == shared
    assert shared.startswith("note: ")
