"""`memory config`: every setting shown, changed and edited."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from daily_memory.frontends.cli import main

FILE = Path(".cursor/skills/memories/config.json")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_every_setting_is_shown_with_its_source(cli):
    cli("init")

    assert 'storage.location = "project-first"  (default)' in cli("config").out
    assert cli("config", "path").out.endswith("config.json\n")
    FILE.write_text('{"retrieval": {"max_results": 9, "x": 1}}')
    shown = cli("config")
    assert "retrieval.max_results = 9  (project's, default: 5)\n" in shown.out
    assert "number of search results; 1 to 100\n" in shown.out
    assert "retrieval.x: unknown key" in shown.err
    answer = cli("config", "--json").json()
    assert answer["values"]["retrieval.max_results"] == 9
    (row,) = [row for row in answer["settings"] if row["name"] == "retrieval.max_results"]
    assert (row["source"], row["default"], row["range"]) == ("project", 5, [1, 100])


def test_on_a_terminal_no_meaning_is_wider_than_it(cli, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")

    meanings = [line for line in cli("config").out.split("\n") if line.startswith("    ")]

    assert len(meanings) > 50
    assert max(map(len, meanings)) <= 60
    assert "0 to 1,000,000,000" in " ".join(" ".join(meanings).split())


def test_a_setting_is_set_got_and_unset(cli):
    outcome = cli("config", "set", "retrieval.max_results", "8")

    assert "retrieval.max_results is now 8 (project)" in outcome.err
    assert cli("config", "get", "retrieval.max_results").out == "8\n"
    assert cli("config", "get", "retrieval.method").out == "hybrid\n"
    assert cli("config", "get", "retrieval.max_results", "--json").json()["value"] == 8
    answer = cli("config", "unset", "retrieval.max_results", "--json").json()
    assert (answer["value"], answer["source"], answer["warnings"]) == (5, "default", [])


@pytest.mark.parametrize(("value", "verb"), [("age", "encrypt"), ("none", "decrypt")])
def test_who_sets_encryption_is_told_what_converts(cli, value, verb):
    assert f"`memory {verb}` converts" in cli("config", "set", "storage.encryption", value).err


def test_a_list_is_given_as_json(cli):
    cli("config", "set", "recording.redact_patterns", '["工号 ?[0-9]+"]')

    assert "E1234" not in cli("redact", stdin="工号 1234").out
    assert "1234" not in cli("redact", stdin="工号 1234").out
    refused = cli("config", "set", "recording.redact_patterns", "工号")
    assert refused.status == 2
    assert "give a JSON list" in refused.err


def test_the_file_of_all_projects_is_changed_with_global(cli, tmp_path):
    cli("init")
    outcome = cli("config", "set", "--global", "retrieval.max_results", "8")

    assert "in this project" not in outcome.err
    assert cli("config", "get", "retrieval.max_results").out == "8\n"
    cli("config", "set", "retrieval.max_results", "9")
    outcome = cli("config", "set", "--global", "retrieval.max_results", "7")
    assert "in this project it is 9 (project)" in outcome.err
    assert cli("config", "get", "retrieval.max_results", "--global").out == "7\n"
    assert cli("config", "get", "retrieval.max_results").out == "9\n"
    shown = cli("config").out.split("\n")
    assert shown[1] == f"# {tmp_path}/home/.cursor/skills/memories/config.json"
    assert str(tmp_path / "home") in cli("config", "path", "--global").out


@pytest.mark.parametrize(
    "words", [["set", "recall.at_start"], ["get"], ["list", "x"], ["edit", "x"]]
)
def test_too_many_and_too_few_words_are_refused(cli, words):
    outcome = cli("config", *words)

    assert outcome.status == 2
    assert f"as in: memory config {words[0]}" in outcome.err


def test_an_unknown_setting_gives_the_one_that_was_meant(cli):
    for action in (["get"], ["unset"]):
        outcome = cli("config", *action, "max_results")
        assert outcome.status == 2
        assert "did you mean retrieval.max_results?" in outcome.err


def test_settings_are_listed_by_a_word_in_either_language(cli):
    by_name = cli("config", "retention", "--json").json()["settings"]
    by_meaning = cli("config", "归档", "--lang", "zh").out
    assert "0 到 36,500" in by_meaning

    assert by_name[0]["name"] == "storage.retention_days"
    assert "storage.retention_days = 90" in by_meaning
    assert "mirror" not in by_meaning
    assert "no action or setting 'nonsense'" in cli("config", "nonsense").err
    assert "no setting 'language'" in cli("config", "language", "zh").err


def test_a_setting_and_a_value_alone_set_it(cli):
    cli("config", "storage.retention_days", "365")

    assert cli("config", "storage.retention_days").out == "365\n"


def test_the_file_is_edited_from_stdin(cli):
    changed = cli("config", "edit", stdin='{"retrieval": {"max_results": 3}} // 三')

    assert "changed " in changed.err
    assert FILE.read_text(encoding="utf-8").endswith("// 三")
    same = cli("config", "edit", "--json", stdin=FILE.read_text(encoding="utf-8"))
    assert same.json()["changed"] is False
    assert "nothing changed" in cli("config", "edit", stdin=FILE.read_text(encoding="utf-8")).err
    refused = cli("config", "edit", stdin='{"retrieval": {"max_results": 0}}')
    assert refused.status == 2
    assert "nothing was changed" in refused.err


@pytest.mark.parametrize(("number", "status"), [("6", 0), ("600", 2)])
def test_the_file_is_edited_in_an_editor_and_kept_when_it_is_wrong(
    cli, capsys, monkeypatch, tmp_path, number, status
):
    cli("config", "set", "retrieval.max_results", "5")
    before = FILE.read_text(encoding="utf-8")
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys; path = pathlib.Path(sys.argv[1]); assert path.suffix == '.jsonc'\n"
        f"text = path.read_text().replace('results\": 5', 'results\": {number}')\n"
        "path.write_text(text)",
        encoding="utf-8",
    )
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f'"{sys.executable}" "{script}"')
    monkeypatch.setattr(sys, "stdin", Terminal())

    assert main(["config", "edit"]) == status

    said = capsys.readouterr().err
    if status:
        kept = Path(said.split("what you wrote is in '")[1].split("'")[0])
        assert "600" in kept.read_text(encoding="utf-8")
        kept.unlink()
        assert FILE.read_text(encoding="utf-8") == before
    else:
        assert FILE.read_text(encoding="utf-8") == before.replace('results": 5', 'results": 6')


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("把记忆设置 retrieval.max_results 改为 8", 8),
        ("记忆设置: retrieval.max_results = 7。", 7),
        ("修改记忆设置 retrieval.max_results 设为 6", 6),
        ("set memory setting retrieval.max_results to 9", 9),
        ("Change the memory settings: Retrieval.max_results = 4", 4),
    ],
)
def test_settings_are_changed_by_what_the_user_says(cli, said, value):
    assert cli("do", said).status == 0

    assert cli("config", "get", "retrieval.max_results").out == f"{value}\n"
    assert cli("do", "记忆设置 retrieval.max_results").out == f"{value}\n"
    assert cli("do", "把记忆设置 retrieval.max_results 恢复默认").status == 0
    assert cli("do", "show the memory setting retrieval.max_results").out == "5\n"


def test_all_settings_are_shown_to_who_asks_for_them(cli):
    assert "retrieval.max_results = 5" in cli("do", "记忆设置").out
    assert "retrieval.max_results = 5" in cli("do", "memory settings").out


def test_outside_a_project_there_is_one_file(cli, tmp_path):
    lines = cli("config", "--global").out.split("\n")

    assert [line for line in lines if line.startswith("#")] == [
        f"# {tmp_path}/home/.cursor/skills/memories/config.json"
    ]
