"""Messages in Chinese: the table fits the code, and a terminal speaks one language."""

from __future__ import annotations

import argparse
import ast
import errno
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import daily_memory
from daily_memory.core import config_layers, prompt_injection, templates
from daily_memory.core.hosts.table import HOSTS
from daily_memory.frontends import chinese
from daily_memory.frontends.cli import commands, parsers, terminal
from daily_memory.model import Problem
from daily_memory.text import Text, counted, filled, joined

PACKAGE = Path(daily_memory.__file__).parent
MESSAGES = chinese.load_messages()
# What such texts are called before they are raised.
NAMES = ("hint", "message", "note", "nothing", "question")
# What takes a message first, beside our errors.
MAKERS = {"filled", "say", "talk"}
# Programs read these, not people.
SILENT = ("frontends/mcp_server", "core/context.py")


def tree_of(path: Path | str) -> ast.AST:
    return ast.parse(Path(path).read_text(encoding="utf-8"))


@cache
def error_names() -> set[str]:
    """Return the names of our classes of errors."""
    source = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    ours = {"DailyMemoryError"}
    while (
        more := {a for a, b in re.findall(r"\nclass (\w+)\((\w+)\):", source) if b in ours} - ours
    ):
        ours |= more
    return ours


def makes_message(call: ast.Call) -> bool:
    name = getattr(call.func, "id", "") or getattr(call.func, "attr", "")
    return name in MAKERS or name in error_names()


def modules() -> Iterator[Path]:
    """Yield the modules whose messages people see."""
    for path in PACKAGE.rglob("*.py"):
        part = path.relative_to(PACKAGE).as_posix()
        if path.name != "__main__.py" and not part.startswith(SILENT):
            yield path


def texts_in(node: ast.AST) -> Iterator[str]:
    """Yield the constant texts in an expression as keys of the table."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield templates.without_formats(inner.value)


def messages_in(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions in a module that become messages."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and makes_message(node):
            yield from node.args[:1]
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "hint")
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in NAMES:
            yield node.value


def helps() -> Iterator[str]:
    """Yield all that the helps of the commands say."""
    for name, what in commands.COMMANDS.items():
        command = commands.load(name)
        yield what
        for argument in command.arguments:
            text = argument.settings["help"]
            yield text.template if isinstance(text, Text) else str(text)
        yield from (" ".join(text.split()) for text in parsers.explanations(command.examples))


def is_prose(text: str) -> bool:
    """Tell whether a text has more to say than names and commands."""
    bare = re.sub(r"^(memory|as in:? (memory )?[a-z]+) .*|`[^`]*`|\S*[._/]\S+", "", text)
    return len(re.findall(r"[a-z]{2,}", bare)) > 1


def has_chinese(text: str) -> bool:
    return {text, text.lstrip(" ")} & MESSAGES.keys() != set() or "\n" in text


def test_every_message_of_the_table_is_one_of_the_code():
    texts = {text for path in PACKAGE.rglob("*.py") for text in texts_in(tree_of(path))}
    known = {line.lstrip(" ") for text in texts for line in text.split("\n")} | {*helps()}
    known |= {f"{{}} {noun}" for noun in texts}  # what `counted` gets
    known |= {os.strerror(number).lower() for number in errno.errorcode}
    known |= {*texts_in(tree_of(argparse.__file__))}

    assert [key for key in MESSAGES if key.lstrip(" ") not in known] == []


def test_no_message_is_there_twice():
    text = Path(chinese.__file__).with_suffix(".txt").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line and not line.startswith("# ")]

    assert len(lines) == 2 * len(MESSAGES)


def test_every_message_has_both_languages_and_no_other_gaps():
    for english, translation in MESSAGES.items():
        gaps = re.findall(r"\{(\d)t?\}", translation)

        assert re.search(r"[\u4e00-\u9fff]", translation) or not is_prose(english), english
        assert {int(gap) for gap in gaps} <= set(range(english.count("{}"))), english


def test_every_message_that_people_see_has_chinese():
    messages = (node for path in modules() for node in messages_in(tree_of(path)))
    texts = {text for node in messages for text in texts_in(node) if is_prose(text)}

    assert {text for text in texts if not has_chinese(text)} == set()


def test_no_message_is_an_f_string_since_that_forgets_its_template():
    # Its values follow the template: `NotFoundError("no file {!r}", path)`, or `filled(...)`.
    filled = [
        f"{path}:{inner.lineno}"
        for path in modules()
        for node in messages_in(tree_of(path))
        for inner in ast.walk(node)
        if isinstance(inner, ast.JoinedStr) and any(map(is_prose, texts_in(inner)))
    ]

    assert filled == []


def test_no_message_is_changed_by_a_method_since_that_forgets_its_template():
    changed = [
        f"{path}:{node.lineno}"
        for path in modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") in ("filled", "counted", "joined")
    ]

    assert changed == []


def test_every_help_is_in_the_table():
    texts = {text for text in helps() if is_prose(text) and text.isascii()}

    assert {text for text in texts if not has_chinese(templates.without_formats(text))} == set()


def test_a_text_that_no_message_is_stays():
    assert chinese.translated("no session 3 on 2026-01-29") == "no session 3 on 2026-01-29"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            filled("archive {}?", filled("{} on {}", counted(3, "session"), counted(2, "day"))),
            "归档 2 天，共 3 条会话？",
        ),
        (
            filled("  {}; {}, from here", counted(3, "session"), counted(2, "observation")),
            "  3 条会话；2 条观察记录，来自本机",
        ),
        (filled("{} → {} ({})", "支付", "payment", "synonym"), "支付 → payment（同义词）"),
        (filled("nothing is stored on {}", filled("{} to {}", 1, 2)), "1 到 2 没有记忆"),
        (
            filled("can't {} {!r}: {}", "write", "/x", "permission denied"),
            "写入 '/x' 失败：没有权限",
        ),
        (filled("{} % of their words are the same", 83), "83% 的词相同"),
        (filled("decay × {:.3f}", 0.5), "衰减 × 0.500"),
        (
            filled("{}: {}; {}", "/x", joined(", ", [counted(3, "line")]), "written"),
            "/x: 3 行；已写入",
        ),
        (joined(" and ", ["important", "private"]), "重要、私密"),
        (joined("; ", ["没有", "as it was", "index"]), "没有；未变；index"),
        (joined(", ", map(str, range(12))), "，".join(map(str, range(12)))),
        (joined(": ", ["day", "unknown section"]), "day: 未知的分组"),
        (
            str(Problem("/x/a.md", 9, "the time of this session can't be read")),
            "/x/a.md:9: 无法识别这条会话的时间",
        ),
        (
            filled('messages: number {} is not {{"role", "content"}}', 3),
            'messages：第 3 个不是 {"role", "content"}',
        ),
    ],
)
def test_a_message_is_translated_with_what_is_in_it(text, expected):
    assert chinese.translated(text) == expected


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("list", "-n"), "参数 -n/--limit：需要一个值"),
        (("list", "-n", "-1"), "参数 -n/--limit：-1 小于 1"),
        (
            ("search", "x", "--method", "y"),
            "参数 --method：'y' 无效，可选：'keyword', 'semantic', 'hybrid'",
        ),
        (("show", "--nosuch"), "无法识别的参数：--nosuch"),
    ],
)
def test_what_argparse_says_is_said_in_chinese(cli, words, told):
    assert told in cli(*words, "--lang", "zh").err


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


def test_in_chinese_a_setting_is_named_beside_its_meaning(cli, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")

    assert "\n    另外要隐藏的内容：正则表达式\n" in cli("config", "redact_patterns").out
    assert "    结果条数：一次搜索给出的条数；1 到 100\n" in cli("config", "结果条数").out


def test_what_joins_chinese_texts_is_chinese(cli, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    cli("add", "redis TTL 300")
    cli("add", "redis TTL 300")

    assert cli("review").out.startswith("几乎相同：1\n")
    assert cli("cleanup").out.startswith("1 对近似重复的会话：至少 100% 的词相同\n")
    assert f"Claude Code，项目 {Path.cwd()}：4 个文件\n" in cli("install", "claude").out
    assert "Claude Code；还没有收到事件" in cli().out
    assert "    | 位于主题\n" in cli("search", "redis", "--explain").out
    assert "2020-01-06 到 2020-01-12 没有会话" in cli("show", "2020-01-06 to 2020-01-12").err


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

    assert notes - set(MESSAGES) == set()
