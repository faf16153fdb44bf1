"""Messages in Chinese: the table fits the code, and a terminal speaks one language."""

from __future__ import annotations

import argparse
import ast
import errno
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import daily_memory
from daily_memory import errors
from daily_memory.core import config_layers, prompt_injection, templates
from daily_memory.core.hosts.table import HOSTS
from daily_memory.frontends import chinese
from daily_memory.frontends.cli import commands, parsers, terminal
from daily_memory.services.upkeep import issue_report

PACKAGE = Path(daily_memory.__file__).parent
COUNTED, MESSAGES = chinese.load_messages()
ERRORS = {name for name in vars(errors) if name.endswith("Error")}
# What such texts are called before they are raised.
NAMES = ("hint", "message", "note", "nothing", "question")
# Programs read these, not people.
SILENT = ("frontends/mcp_server", "core/context.py", "frontends/operations.py")


def tree_of(path: Path | str) -> ast.AST:
    return ast.parse(Path(path).read_text(encoding="utf-8"))


def errors_in(path: Path) -> Iterator[str]:
    """Yield the messages and hints of the errors that a module raises, as templates."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
            hints = [keyword.value for keyword in node.keywords if keyword.arg == "hint"]
            for argument in (*node.args[:1], *hints):
                yield from issue_report.source_texts(argument)
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in NAMES:
            yield from issue_report.source_texts(node.value)


def helps() -> Iterator[str]:
    """Yield all that the helps of the commands say."""
    for name, what in commands.COMMANDS.items():
        command = commands.load(name)
        yield what
        yield from (str(argument.settings["help"]) for argument in command.arguments)
        yield from (" ".join(text.split()) for text in parsers.explanations(command.examples))


def is_prose(text: str) -> bool:
    """Tell whether a text has more to say than names and commands."""
    bare = re.sub(r"^(memory|as in:? (memory )?[a-z]+) .*|`[^`]*`|\S*[._/]\S+", "", text)
    return len(re.findall(r"[a-z]{2,}", bare)) > 1


def test_every_message_of_the_table_is_one_of_the_code():
    texts = {
        text for path in PACKAGE.rglob("*.py") for text in issue_report.source_texts(tree_of(path))
    }
    theirs = issue_report.source_texts(tree_of(argparse.__file__))
    known = {line for text in texts for line in text.split("\n")} | {*helps()}
    known |= {re.sub(r"%(\(\w+\))?[rs]", "{}", text) for text in theirs}
    known |= {os.strerror(number).lower() for number in errno.errorcode}

    bare = {key: re.sub(r"\{\} (sessions?|days?|secrets?|files?)", "{}", key) for key in MESSAGES}
    unknown = [key for key in MESSAGES if not {key, bare[key]} & known]

    # One with gaps may be for several of the code.
    assert [key for key in unknown if not any(templates.gaps(key, text) for text in known)] == []
    assert [key for key in COUNTED if key.removeprefix("{} ") not in known] == []


def test_no_message_is_there_twice():
    text = Path(chinese.__file__).with_suffix(".txt").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line and not line.startswith("# ")]

    assert len(lines) == 2 * (len(COUNTED) + len(MESSAGES))


def test_every_message_has_both_languages_and_no_other_gaps():
    for english, translation in {**COUNTED, **MESSAGES}.items():
        gaps = re.findall(r"\{(\d)t?\}", translation)

        assert re.search(r"[\u4e00-\u9fff]", translation) or not is_prose(english), english
        assert {int(gap) for gap in gaps} <= set(range(english.count(templates.GAP))), english


def test_every_error_and_hint_that_people_see_is_said_in_chinese():
    modules = [path for path in PACKAGE.rglob("*.py") if not path.match("__main__.py")]
    seen = [
        path
        for path in modules
        if not path.as_posix().removeprefix(f"{PACKAGE.as_posix()}/").startswith(SILENT)
    ]
    raised = {
        text for path in seen for text in errors_in(path) if is_prose(text) and "\n" not in text
    }

    assert {text for text in raised - set(MESSAGES) if chinese.translated(text) == text} == set()


def test_every_help_is_in_the_table():
    texts = {text for text in helps() if is_prose(text) and text.isascii()}

    assert {text for text in texts if chinese.translated(text) == text} == set()


@pytest.mark.parametrize(
    "text",
    [
        "edit the file and save it",
        "one of the tests fails on main",
        "archive everything you know?",
        "we removed the cache, and saved a lot",
        "the deploy failed: no space was left on it",
        "TTL is 300 seconds and the key has a tenant",
    ],
)
def test_a_text_of_others_is_not_taken_for_a_message(text):
    assert chinese.translated(text) == text


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        (
            "archive 3 sessions on 2 days and 1 live session?",
            "归档 2 天，共 3 条会话和 1 个实时会话？",
        ),
        ("  3 sessions; 2 observations, from here", "  3 条会话；2 条观察记录，来自本机"),
        ("argument -n: expected one argument", "参数 -n：需要一个值"),
        ("argument -n: -1 is less than 1", "参数 -n：-1 小于 1"),
        ("支付 → payment (synonym)", "支付 → payment（同义词）"),
        ("is not used as a project: /x", "不作为项目使用：/x"),
        (
            "'/x' is not used as a project: '/x' belongs to 'root', not to you",
            "'/x' 不作为项目使用：'/x' 属于 'root'，不属于你",
        ),
        ("2026-01-01 to 2026-01-31", "2026-01-01 到 2026-01-31"),
        ("nothing is stored on 2026-01-01 to 2026-01-31", "2026-01-01 到 2026-01-31 没有记忆"),
        (
            "nothing was left open on 2026-01-01 to 2026-01-31",
            "2026-01-01 到 2026-01-31 没有未完成的事",
        ),
        (
            "/x is not used as a project: everybody can write to /x",
            "/x 不作为项目使用：所有人都可以写入 /x",
        ),
        ("can't write '/x/a.md': no space left on device", "写入 '/x/a.md' 失败：磁盘空间不足"),
        ("can't create '/x/.cursor': permission denied", "新建 '/x/.cursor' 失败：没有权限"),
        (
            "the index was not written: can't lock 'i/.lock': permission denied"
            "; check who owns the file and its folder, and who may write there",
            "索引没有写入：锁定 'i/.lock' 失败：没有权限"
            "；请检查文件和目录的所有者，以及你是否可以写入",
        ),
        ("83 % of their words are the same", "83% 的词相同"),
        (
            "/x/summary.md: 3 lines, 2 more did not fit; written",
            "/x/summary.md: 3 行，还有 2 行放不下；已写入",
        ),
        (
            "  35 sessions; 2 observations, 0 of them private",
            "  35 条会话；2 条观察记录，其中 0 条私密",
        ),
        ("known: 书店; a folder will do as well", "已有：书店；也可以用目录"),
        ("known: alice, bob, app; a folder will do as well", "已有：alice, bob, app；也可以用目录"),
        ("recall.max_chars: 'abc' is not a number", "recall.max_chars: 'abc' 不是数字"),
        ("a.html: 2 sessions, 10,008 bytes", "a.html：2 条会话，10,008 字节"),
        (
            "/a: Claude Code: hooks, rule; no event has come yet",
            "/a: Claude Code: hooks, rule；还没有收到事件",
        ),
        ("/x/a.md:9: the time of this session can't be read", "/x/a.md:9: 无法识别这条会话的时间"),
        (
            "the memory is encrypted, and there is no key at '/x/key.txt'; the session is kept",
            "记忆已加密，而 '/x/key.txt' 没有密钥；会话已留存",
        ),
        (
            "note: /x/.claude.json was changed since: our part is out, the rest is as you left it",
            "提示：/x/.claude.json 后来有改动：我们的部分已移除，其余保持原样",
        ),
        ("new key: /x/key.txt", "新密钥：/x/key.txt"),
        (
            "2026-12-01#7 looks like a command to the assistant: gives the assistant orders",
            "2026-12-01#7 像是给助手的指令：命令助手做事",
        ),
        ("marked as important; `memory undo` takes it back", "已标为重要；`memory undo` 可以撤销"),
    ],
)
def test_a_message_is_translated_with_what_is_in_it(english, expected):
    assert chinese.translated(english) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"recall": {',
            "/x/c.json:1: 不是 JSON（Expecting property name enclosed in double quotes）；已忽略",
        ),
        ("[]", "/x/c.json:1: 不是 JSON 对象；已忽略"),
        ('{"recall": 1}', "/x/c.json:1: recall：不是对象；保护类设置取最严格的值"),
        ('{"recall": {"nosuch": 1}}', "/x/c.json:1: recall.nosuch: 未知的设置项；已忽略"),
        ('{"nosuch": 1}', "/x/c.json:1: nosuch: 未知的分组；已忽略"),
        (
            '{"recording": {"auto_save": "yes"}}',
            "/x/c.json:1: recording.auto_save: 'yes' 不是 true 或 false；改用 False",
        ),
        (
            '{"mirror": {"url": "x"}}',
            "/x/c.json:1: mirror.url: 地址应以 postgresql:// 开头；改用 ''",
        ),
        (
            '{"recording": {"redact_patterns": ["(a"]}}',
            "/x/c.json:1: recording.redact_patterns: '(a' 不可用：不是正则表达式"
            "（missing ), unterminated subpattern at position 0）；修好之前不记录任何内容",
        ),
    ],
)
def test_what_is_wrong_with_settings_is_said_in_chinese(text, expected):
    (problem,) = config_layers.parse_settings(text, "/x/c.json").problems

    assert chinese.translated(str(problem)) == expected


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
    cli("add", "mysql port 3307", "--important")
    assert "  [重要]" in cli("search", "mysql").out
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


def test_why_a_text_looks_like_a_command_is_in_the_table():
    assert set(prompt_injection.REASONS) - set(MESSAGES) == set()


def test_what_is_said_of_each_host_is_in_the_table():
    notes = {note for host in HOSTS for note in (*host.notes, *host.project_notes)}

    assert {note for note in notes if chinese.translated(note) == note} == set()
