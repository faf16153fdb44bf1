"""What can be typed: the commands, and the options that all of them share.

Only the parser of the command in hand is built: building all of them would cost every search
a fifth of its time.
"""

from __future__ import annotations

import argparse
import importlib
from types import ModuleType
from typing import NoReturn

from daily_memory import __version__
from daily_memory.errors import InvalidInputError
from daily_memory.memory import Memory

# Command → what it does, in the order of the help.
COMMANDS = {
    "init": "make the memories folder of this project",
    "save": "save a session or a conversation: JSON on stdin, or --topic and --point",
    "add": "save a note in one line",
    "search": "find sessions by what they say",
    "inject": "print the context block for a new conversation",
    "list": "list sessions, oldest first",
    "show": "show a session, a day, or today",
    "today": "show what was saved today",
    "config": "show the settings and what they mean",
    "redact": "hide secrets in text from stdin",
    "reindex": "make the index anew from the day files",
    "doctor": "look for faults, and mend them with --fix or --restore",
    "import": "import sessions from JSON, JSONL or day files",
    "export": "print all sessions as JSON, JSONL or Markdown",
    "completion": "print the completion script of a shell",
    "demo": "show all of it in a temporary project",
}
_PROGRAM = "memory"
_HINT = "run `memory --help` to see the commands"


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors like any other of ours."""

    def error(self, message: str) -> NoReturn:
        raise InvalidInputError(message, hint=f"run `{self.prog} --help`")


def parse(words: list[str]) -> argparse.Namespace:
    """Return the options of a command line; `command` names the command.

    Raises:
        InvalidInputError: there is no such command, or an option is wrong.
    """
    before, name, rest = _split(words)
    if name not in COMMANDS:
        overview().parse_args(before)
        raise _unknown(name)
    parser = parser_of(name)
    return parser.parse_args([*before, *rest])


def _split(words: list[str]) -> tuple[list[str], str, list[str]]:
    """Cut the line at its command; options that all commands share may stand before it."""
    index = 0
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] == "--project" else 1
    return words[:index], words[index] if index < len(words) else "", words[index + 1 :]


def _unknown(name: str) -> InvalidInputError:
    if not name:
        return InvalidInputError("no command given", hint=_HINT)
    import difflib  # only for a slip of the fingers

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean `memory {near[0]}`?" if near else _HINT
    return InvalidInputError(f"no command {name!r}", hint=hint)


def load(name: str) -> ModuleType:
    """Return the module of a command."""
    # `import` is no name that a module could have.
    return importlib.import_module(
        f"daily_memory.frontends.cli.commands.{'import_' if name == 'import' else name}"
    )


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command."""
    parser = Parser(
        prog=f"{_PROGRAM} {name}",
        description=f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=load(name).EXAMPLES,
        allow_abbrev=False,
    )
    load(name).add_arguments(parser)
    add_shared(parser)
    parser.set_defaults(command=name)
    return parser


def add_shared(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command takes."""
    shared = parser.add_argument_group("options of every command")
    shared.add_argument(
        "--project", metavar="DIR", help="the project's folder; default: the one around you"
    )
    shared.add_argument("--json", action="store_true", help="answer as JSON on stdout")
    shared.add_argument("--debug", action="store_true", help="show where an error comes from")


def overview() -> argparse.ArgumentParser:
    """Return the parser of `memory` itself: its help lists the commands."""
    width = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{width}}  {what}" for name, what in COMMANDS.items())
    parser = Parser(
        prog=_PROGRAM,
        usage="memory COMMAND [OPTIONS]",
        description="A long-term memory for AI coding assistants, in Markdown files.",
        epilog=f"commands:\n{listed}\n\n`memory COMMAND --help` tells more of one.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"daily-memory {__version__}")
    return parser


def complete_parser() -> argparse.ArgumentParser:
    """Return a parser with every command in it, for the completion of a shell."""
    parser = argparse.ArgumentParser(prog=_PROGRAM)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command")
    for name, what in COMMANDS.items():
        one = commands.add_parser(name, help=what)
        load(name).add_arguments(one)
        add_shared(one)
    return parser


def open_memory(options: argparse.Namespace) -> Memory:
    """Return the memory that the options name."""
    return Memory(options.project or None)


def add_scope(parser: argparse.ArgumentParser, *, choices: tuple[str, ...]) -> None:
    """Add `--scope`, which names the roots to work on."""
    parser.add_argument(
        "--scope", choices=choices, default="", help="which memory; default: by the settings"
    )
