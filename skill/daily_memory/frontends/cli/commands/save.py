"""`memory save`"""

from __future__ import annotations

import sys

from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from daily_memory.memory import Memory
    from daily_memory.results import SaveResult

EXAMPLES = """examples:
  echo '{"topic": "Redis TTL", "key_points": ["TTL 300 s"]}' | memory save
  memory save --topic "缓存方案" --point "TTL 定为 300 秒" --tag redis
  memory save --tag billing < session.json     the JSON, plus a tag
  memory save < conversation.json              {"messages": [{"role": "user", "content": "…"}]}

It prints the id once the session is on disk."""

_LISTS = {
    "point": "key_points",
    "decision": "decisions",
    "question": "open_questions",
    "next": "next_steps",
    "file": "files",
    "tag": "tags",
}
_HELP = {
    "point": "a key point",
    "decision": "a decision",
    "question": "an open question",
    "next": "a next step",
    "file": "a file that it is about",
    "tag": "a tag; important, outdated and private are flags",
}

# What each option is where it is not given; flags are False.
PLAIN: dict[str, object] = {
    "topic": None,
    "summary": None,
    **dict.fromkeys(_HELP),
    "code": None,
    "date": None,
    "time": None,
    "source": None,
    "important": False,
    "scope": "",
    "project": None,
    "json": False,
    "debug": False,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--topic", help="the topic, in one line")
    parser.add_argument("--summary", help="a short summary")
    for name, what in _HELP.items():
        parser.add_argument(
            f"--{name}", action="append", metavar="TEXT", help=f"{what}; again for more"
        )
    parser.add_argument(
        "--code", action="append", metavar="FILE", help="a file to add as a code block"
    )
    parser.add_argument("--date", metavar="YYYY-MM-DD", help="its day; default: today")
    parser.add_argument("--time", metavar="HH:MM", help="its time; default: now")
    parser.add_argument("--source", help="the program it comes from, such as cursor")
    parser.add_argument("--important", action="store_true", help="rank it up; it never fades")
    add_options(parser, "save_scope")


def run(options: argparse.Namespace) -> int:
    data = _with_input(_from_options(options))
    memory = open_memory(options)
    return show_saved(memory.save(data, scope=options.scope), memory, as_json=options.json)


def show_saved(result: SaveResult, memory: Memory, *, as_json: bool) -> int:
    """Print the id, or why there is none."""
    terminal.warn((*map(str, memory.settings_problems), *result.warnings))
    if as_json:
        terminal.show_json(json_shapes.saved(result))
    elif result.skipped:
        terminal.talk(f"not saved: {result.skipped}")
    else:
        terminal.show(result.id)
        hidden = sum(count for _, count in result.redactions)
        where = f"{result.path}:{result.span.first}"
        terminal.talk(
            f"saved to {where}" + (f"; {counted(hidden, 'secret')} hidden" if hidden else "")
        )
    return 0


def _from_options(options: argparse.Namespace) -> dict[str, object]:
    names = ("topic", "summary", "date", "time", "source")
    data = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    data.update(
        {key: getattr(options, name) for name, key in _LISTS.items() if getattr(options, name)}
    )
    if options.code:
        data["code"] = [_code(path) for path in options.code]
    if options.important:
        data["important"] = True
    return data


def _with_input(given: dict[str, object]) -> dict[str, object]:
    """Return what stdin says, and what the options say besides.

    A caller may leave stdin open and never write: if the options alone make a session, it is
    read only if it has something.
    """
    is_session = any(name in given for name in ("topic", "summary", "key_points"))
    if is_session and not terminal.has_input():
        return given
    if sys.stdin.isatty():
        raise InvalidInputError("nothing to save", hint="give --topic, or JSON on stdin")
    text = terminal.read_input()
    return _joined(terminal.parse_json(text), given) if text.strip() or not given else given


def _joined(data: dict[str, object], given: dict[str, object]) -> dict[str, object]:
    """Return a session with what the options give: more of a list, another value of all else."""
    joined = {**data, **given}
    for name in _LISTS.values():
        values, more = data.get(name), given.get(name)
        if values and isinstance(more, list):
            # A value that is neither a list nor a text is refused by `Memory.save`.
            joined[name] = [values, *more] if isinstance(values, str) else _longer(values, more)
    return joined


def _longer(values: object, more: list[str]) -> object:
    return [*values, *more] if isinstance(values, list) else values


def _code(path: str) -> dict[str, str]:
    text = terminal.read_file(path)
    extension = path.rpartition(".")[2] if "." in path else ""
    return {"language": extension, "text": text.rstrip("\n")}
