"""Messages in Chinese: the table fits the code, and a terminal speaks one language."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import daily_memory
from daily_memory import errors
from daily_memory.core import templates
from daily_memory.frontends.cli import chinese, terminal
from daily_memory.services.upkeep import issue_report

PACKAGE = Path(daily_memory.__file__).parent
MESSAGES = chinese.load_messages()
# What most people see. Errors of other parts are in the table where they are common.
COVERED = ("frontends/cli", "parts", "services/reading", "services/changing", "storage/fs")
# A new error may wait for its Chinese, but not many of them.
MOST_MISSING = 10
ERRORS = {name for name in vars(errors) if name.endswith("Error")}


def raised_in(folder: str) -> set[str]:
    """Return the messages of the errors that the modules of a folder raise, as templates."""
    calls = (
        node
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS and node.args
    )
    return {
        text
        for call in calls
        for text in issue_report.source_texts(call.args[0])
        if len(re.findall(r"[a-z]{2,}", text)) > 1
    }


def test_every_message_of_the_table_is_one_of_the_code():
    known = {text for path in PACKAGE.rglob("*.py") for text in texts_of(path)}
    lines = {line for text in known for line in text.split("\n")}
    nouns = {key.removeprefix("{} ") for key in MESSAGES if key.startswith("{} ")}

    assert [
        key for key in MESSAGES if key not in lines and key.removeprefix("{} ") not in nouns
    ] == []


def texts_of(path: Path) -> set[str]:
    return set(issue_report.source_texts(ast.parse(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("english", MESSAGES)
def test_every_message_has_both_languages_and_no_other_gaps(english):
    translation = MESSAGES[english]
    gaps = re.findall(r"\{(\d)t?\}", translation)

    assert re.search(r"[\u4e00-\u9fff]", translation) or not re.search(r"[a-z]{3}", english)
    assert {int(gap) for gap in gaps} <= set(range(english.count(templates.GAP)))


def test_the_errors_that_people_see_are_in_the_table():
    missing = {text for folder in COVERED for text in raised_in(folder)} - set(MESSAGES)

    assert len(missing) <= MOST_MISSING, sorted(missing)


@pytest.mark.parametrize(
    ("words", "environment", "language"),
    [
        ([], {"LANG": "zh_CN.UTF-8"}, "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ([], {"LANG": "de_DE.UTF-8"}, "en"),
        (["--lang", "zh"], {"LANG": "en_US"}, "zh"),
        (["--lang=en"], {"LANG": "zh_TW"}, "en"),
        ([], {}, "en"),
    ],
)
def test_the_language_is_that_of_the_option_or_of_the_environment(words, environment, language):
    assert terminal.find_language(words, environment, is_windows=False) == language


def test_a_chinese_user_is_spoken_to_in_chinese(cli, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")

    assert "已保存到 " in cli("add", "redis TTL 300").err
    assert cli("search", "kubernetes").err == "没有相关的记忆\n"
    assert cli("show", "2020-01-01").err.splitlines() == [
        "错误：2020-01-01 没有会话",
        "提示：运行 `memory list` 查看有哪些",
    ]
    assert "项目       " in cli().out
    assert "记忆       1 天，共 1 条会话" in cli().out
    assert "没有故障" in cli("doctor").out
    assert "搜索会话或观察记录" in cli("help").out
    assert "nothing relevant" in cli("search", "kubernetes", "--lang", "en").err


def test_json_is_the_same_in_every_language(cli, monkeypatch):
    english = cli("show", "2020-01-01", "--json").json()
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")

    assert cli("show", "2020-01-01", "--json").json() == english
    assert "no sessions" in json.dumps(english)


def test_the_text_of_a_memory_is_never_taken_for_a_message(cli, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    cli("save", "--topic", "nothing relevant is stored", "--point", "no command {}")

    shown = cli("search", "relevant stored").out + cli("show", "today").out + cli("list").out

    assert shown.count("nothing relevant is stored") == 3
    assert "没有" not in shown
