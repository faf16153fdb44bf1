"""`memory config`"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from daily_memory.core.setting_keys import KEYS, Key, get_key, setting_values
from daily_memory.core.words import load_words
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, editor, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory
from daily_memory.text import filled, joined

_LEAST_WIDTH = 40
_NAMES = {key.name for key in KEYS}
# Action → the words that go with it.
_ACTIONS = {
    "list": (),
    "get": ("KEY",),
    "set": ("KEY", "VALUE"),
    "unset": ("KEY",),
    "edit": (),
    "path": (),
}
_WHENCE = {
    "default": "default",
    "project": "project's",
    "global": "global's",
    "both": "global's and project's",
}


def run(options: Options) -> Output:
    if options.action in _NAMES:
        options.words.insert(0, options.action)
        options.action = "get" if len(options.words) == 1 else "set"
    action, words, about = options.action, options.words, ""
    if action not in _ACTIONS:
        if words:
            get_key(action)  # says that there is none
        action, about = "list", action
    if len(words) != len(_ACTIONS[action]):
        usage = " ".join((action, *_ACTIONS[action]))
        hint = filled("as in: memory config {}; quote a value of several words", usage)
        raise InvalidInputError("too many or too few words after {!r}", action, hint=hint)
    memory = Memory("") if options.is_global else open_memory(options)
    if action == "edit":
        return _edit(memory)
    if action in ("set", "unset"):
        return _change(memory, words, options)
    warnings = list(map(str, memory.settings_problems))
    if action == "get":
        get_key(words[0])
        row = _row(memory, words[0])
        value = row["value"]
        text = value if isinstance(value, str) else terminal.as_json(value)
        return Output(row, [text], warnings=warnings)
    answer = {
        "path": memory.config.path,
        "values": setting_values(memory.settings),
        "problems": warnings,
        "settings": _rows(memory, about),
    }
    if not answer["settings"]:
        hint = filled("one of {}, a setting, or a word of what it does", ", ".join(_ACTIONS))
        raise InvalidInputError("no action or setting {!r}", about, hint=hint)
    lines = [memory.config.path] if action == "path" else _lines(memory, about)
    return Output(answer, lines, warnings=warnings)


def _lines(memory: Memory, about: str) -> Iterator[str]:
    for path in dict.fromkeys((memory.config.path, memory.config.global_path)):
        yield f"# {path}"
    for key, setting, source in _described(memory, about):
        value, default = terminal.as_json(setting), terminal.as_json(key.default)
        parts = [
            _WHENCE[source],
            *([filled("default: {}", default)] if value != default else []),
        ]
        yield f"{key.name} = {value}  ({terminal.say(joined(', ', parts))})"
        yield from _wrapped(
            terminal.say(joined("; ", filter(None, (_meaning(key), _allowed(key)))))
        )


def _meaning(key: Key) -> str:
    """Return what a setting means; in Chinese with its name, as the page has them."""
    if terminal.spoken() == "en":
        return key.meaning
    return f"{load_words('setting')['zh'][key.name]}：{terminal.say(key.meaning)}"


def _allowed(key: Key) -> str:
    if key.choices:
        return filled("one of {}", ", ".join(key.choices))
    return filled("{:,.12g} to {:,.12g}", key.low, key.high) if key.high else ""


def _wrapped(text: str) -> list[str]:
    """Return a text as wide as the terminal; elsewhere in one line, to be searched."""
    if not sys.stdout.isatty():
        return [f"    {text}"]
    width = max(_LEAST_WIDTH, shutil.get_terminal_size().columns) - 4
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return [f"    {line}" for line in lines]


def _described(memory: Memory, about: str) -> Iterator[tuple[Key, object, str]]:
    """Yield the settings with a word in their name or meaning; it may be Chinese."""
    for key, value, source in memory.config.describe():
        if about.casefold() in f"{key.name} {key.meaning} {_meaning(key)}".casefold():
            yield key, value, source


def _rows(memory: Memory, about: str = "") -> list[dict[str, object]]:
    return [
        {
            "name": key.name,
            "value": value,
            "default": key.default,
            "source": source,
            "meaning": key.meaning,
            "choices": list(key.choices),
            "range": [key.low, key.high] if key.high else None,
        }
        for key, value, source in _described(memory, about)
    ]


def _row(memory: Memory, name: str) -> dict[str, object]:
    return next(row for row in _rows(memory) if row["name"] == name)


def _change(memory: Memory, words: list[str], options: Options) -> Output:
    name, path = words[0], memory.config.path
    if options.action == "set":
        _ask_for_model(memory, name, words[1], options)
        memory.config.set_text(name, words[1])
    else:
        memory.config.unset(name)
    own = [problem for problem in memory.settings_problems if problem.message.startswith(name)]
    problems = list(map(str, own))
    row = _row(memory, name)
    value = row["value"]
    notes = [
        filled("{} is now {} ({}); file: {}", name, terminal.as_json(value), row["source"], path)
    ]
    if name == "storage.encryption":
        verb = "decrypt" if value == "none" else "encrypt"
        notes.append(filled("existing files stay as they are: `memory {}` converts them", verb))
    if options.is_global:
        here = _row(open_memory(options), name)
        if here["value"] != value:
            inside = terminal.as_json(here["value"])
            notes.append(filled("in this project it is {} ({})", inside, here["source"]))
    return Output({**row, "path": path, "warnings": problems}, notes=notes, warnings=problems)


def _ask_for_model(memory: Memory, name: str, text: str, options: Options) -> None:
    """Before a model for search by meaning is used: say what it loads or sends, and ask."""
    section, _, field = name.partition(".")
    if section != "semantic" or memory.config.path != memory.config.global_path:
        return
    before = memory.settings.semantic
    changes: Any = {field: memory.config.parse_value(name, text)}
    wanted = before._replace(**changes)
    if wanted.enabled is not True or wanted == before:
        return
    terminal.talk(memory.embedding.plan(wanted))
    terminal.confirm("search by meaning with it?", is_sure=options.yes)
    memory.embedding.prepare(wanted)


def _edit(memory: Memory) -> Output:
    before = memory.config.text()
    with editor.new_text(before, ".jsonc") as text:
        is_changed = memory.config.replace_text(text, before)
    path = memory.config.path
    note = filled("changed {}", path) if is_changed else "nothing changed"
    problems = map(str, memory.settings_problems)
    return Output({"path": path, "changed": is_changed}, notes=[note], warnings=problems)


CONFIG = CliCommand(
    run,
    (
        command.argument(
            "action",
            "ACTION",
            filled("{}; KEY or KEY VALUE alone work too; default: list", ", ".join(_ACTIONS)),
            nargs="?",
            default="list",
        ),
        command.argument("words", "KEY VALUE", "a setting and its value", nargs="*"),
        command.flag("--global", "use your own file, for all projects", dest="is_global"),
        *command.shared("yes"),
    ),
    """examples:
  memory config                                    every setting, its value and its meaning
  memory config retrieval.max_results              that one; also: config get KEY
  memory config archive                            the settings that have to do with it
  memory config set retrieval.max_results 8        comments and order of the file stay
  memory config set recording.redact_patterns '["工号 \\\\d+"]'
  memory config set --global retrieval.max_results 8         in all your projects
  memory config edit                               open $VISUAL or $EDITOR

Inside a project this changes the project's file; elsewhere, or with --global, your own. Lists
are JSON. Booleans are true and false, on and off, yes and no, 开 and 关.""",
)
