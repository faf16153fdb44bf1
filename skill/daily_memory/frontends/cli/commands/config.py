"""`memory config`"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap

from daily_memory.core.settings import KEYS, NO_EFFECT, Key, get_key, setting_values
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import editor, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.memory import Memory

EXAMPLES = """examples:
  memory config                                    every setting, its value and its meaning
  memory config retrieval.max_results              that one; also: config get KEY
  memory config set retrieval.max_results 8        comments and order of the file stay
  memory config set recording.redact_patterns '["工号 \\\\d+"]'
  memory config set --global retrieval.max_results 8         in all your projects
  memory config unset retrieval.max_results        back to the default
  memory config edit                               open $VISUAL or $EDITOR
  memory config path                               print the path of the file

Inside a project this changes the project's file; elsewhere, or with --global, your own. Lists
are JSON. Booleans are true and false, on and off, yes and no, 开 and 关."""

_LEAST_WIDTH = 40
_NAMES = {key.name for key in KEYS}
# Action → how many words go with it.
_ACTIONS = {"list": 0, "get": 1, "set": 2, "unset": 1, "edit": 0, "path": 0}
_WHENCE = {
    "default": "default",
    "project": "project's",
    "global": "global's",
    "both": "global's and project's",
}
_USAGE = {"get": "get KEY", "set": "set KEY VALUE", "unset": "unset KEY"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        metavar="ACTION",
        help=f"{', '.join(_ACTIONS)}; a KEY alone is `get KEY`; default: list",
    )
    parser.add_argument("words", nargs="*", metavar="KEY VALUE", help="a setting and its value")
    parser.add_argument(
        "--global",
        action="store_true",
        dest="is_global",
        help="use your own file, for all projects",
    )


def run(options: argparse.Namespace) -> int:
    if options.action in _NAMES:
        options.words.insert(0, options.action)
        options.action = "get"
    action, words = options.action, options.words
    if action not in _ACTIONS:
        hint = f"one of {', '.join(_ACTIONS)}, or a setting"
        raise InvalidInputError(f"no action or setting {action!r}", hint=hint)
    if len(words) != _ACTIONS[action]:
        hint = f"as in: memory config {_USAGE.get(action, action)}; quote a value of several words"
        raise InvalidInputError(f"too many or too few words after {action!r}", hint=hint)
    memory = Memory("") if options.is_global else open_memory(options)
    if action == "edit":
        return _edit(memory, options)
    if action in ("set", "unset"):
        return _change(memory, words, options)
    terminal.warn(tuple(map(str, memory.settings_problems)))
    if action == "get":
        return _show_one(memory, words[0], options)
    return _show_all(memory, options)


def _show_one(memory: Memory, name: str, options: argparse.Namespace) -> int:
    get_key(name)
    (row,) = [row for row in _rows(memory) if row["name"] == name]
    if options.json:
        terminal.show_json(row)
    else:
        terminal.show(_plain(row["value"]))
    return 0


def _show_all(memory: Memory, options: argparse.Namespace) -> int:
    path = memory.config.path
    if options.json:
        problems = list(map(str, memory.settings_problems))
        idle = [key.name for key in KEYS if key.later]
        values = setting_values(memory.settings)
        answer = {"path": path, "values": values, "without_effect": idle, "problems": problems}
        terminal.show_json({**answer, "settings": _rows(memory)})
    elif options.action == "path":
        terminal.show(path)
    else:
        terminal.show(f"# {path}")
        own = memory.config.global_path
        if path != own:
            terminal.show(f"# {own}")
        for setting in memory.config.describe():
            value, default = _json(setting.value), _json(setting.key.default)
            whence = _WHENCE[setting.source]
            other = "" if value == default else f", default: {default}"
            terminal.show(f"{setting.key.name} = {value}  ({whence}{other})")
            later = f"; {NO_EFFECT}" if setting.key.later else ""
            _show_meaning(f"{setting.key.meaning}{_allowed(setting.key)}{later}")
    return 0


def _show_meaning(text: str) -> None:
    if not sys.stdout.isatty():
        terminal.show(f"    {text}")  # a line each, to be searched
        return
    width = max(_LEAST_WIDTH, shutil.get_terminal_size().columns)
    for line in textwrap.wrap(text, width - 4, break_long_words=False, break_on_hyphens=False):
        terminal.show(f"    {line}")


def _rows(memory: Memory) -> list[dict[str, object]]:
    return [
        {
            "name": key.name,
            "value": value,
            "default": key.default,
            "source": source,
            "meaning": key.meaning,
            "choices": list(key.choices),
            "range": [key.low, key.high] if key.high else None,
            "has_effect": not key.later,
        }
        for key, value, source in memory.config.describe()
    ]


def _change(memory: Memory, words: list[str], options: argparse.Namespace) -> int:
    name = words[0]
    if options.action == "set":
        memory.config.set_text(name, words[1])
    else:
        memory.config.unset(name)
    problems = [
        str(problem) for problem in memory.settings_problems if problem.message.startswith(name)
    ]
    terminal.warn(tuple(problems))
    (row,) = [row for row in _rows(memory) if row["name"] == name]
    if options.json:
        terminal.show_json({**row, "path": memory.config.path, "warnings": problems})
    else:
        where = memory.config.path
        terminal.talk(f"{name} is now {_json(row['value'])} ({row['source']}); file: {where}")
        if name == "storage.encryption":
            verb = "decrypt" if row["value"] == "none" else "encrypt"
            terminal.talk(f"what is there stays as it is: `memory {verb}` converts it")
        if options.is_global:
            _tell_otherwise(name, row["value"], options)
    return 0


def _tell_otherwise(name: str, value: object, options: argparse.Namespace) -> None:
    """Tell that the project around sets something else."""
    (row,) = [row for row in _rows(open_memory(options)) if row["name"] == name]
    if row["value"] != value:
        terminal.talk(f"in this project it is {_json(row['value'])} ({row['source']})")


def _edit(memory: Memory, options: argparse.Namespace) -> int:
    before = memory.config.text()
    with editor.new_text(before, ".jsonc") as text:
        is_changed = memory.config.replace_text(text, before)
    terminal.warn(tuple(map(str, memory.settings_problems)))
    if options.json:
        terminal.show_json({"path": memory.config.path, "changed": is_changed})
    else:
        terminal.talk(f"changed {memory.config.path}" if is_changed else "nothing changed")
    return 0


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else _json(value)


def _allowed(key: Key) -> str:
    if key.choices:
        return f"; one of {', '.join(key.choices)}"
    return f"; {key.low:,.12g} to {key.high:,.12g}" if key.high else ""
