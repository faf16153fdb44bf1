"""The parsers of the commands, made with argparse.

Only the parser of the command in hand is built: building all of them would cost a fifth of a
search.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re

from daily_memory import __version__
from daily_memory.core import templates
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.command import COMMON, LEAST_ALIKE
from daily_memory.frontends.cli.commands import COMMANDS, FRONT_GROUPS, GROUPS, load
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, NoReturn

_WIDTH = 96
_NAME_WIDTH = max(map(len, COMMANDS))
# What follows a command after some blanks, or goes on below it.
_COMMENT = re.compile(r"(?: {2}\S.*? {2,}| {3,})(\S.*)")


# What argparse, and our types of values, complain about.
_COMPLAINTS = (
    "argument {}: {}",
    "the following arguments are required: {}",
    "unrecognized arguments: {}",
    "invalid choice: {} (choose from {})",
    "invalid {} value: {}",
    "not allowed with argument {}",
    "ignored explicit argument {}",
    "{} is less than 1",
)


class Parser(argparse.ArgumentParser):
    """A parser that speaks the user's language, and whose complaints are errors like ours."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, formatter_class=_Formatter, add_help=False, **settings)
        self.add_argument("-h", "--help", action="help", help=terminal.say("show this help"))

    def error(self, message: str) -> NoReturn:
        hint = filled("run `{} --help`", self.prog)
        slip = message.removeprefix("unrecognized arguments: ").partition(" ")[0]
        near = difflib.get_close_matches(slip, self._option_string_actions, n=1, cutoff=LEAST_ALIKE)
        if message.endswith(": ID"):
            hint = "`memory list` shows the ids"
        elif near and slip.startswith("--"):
            hint = filled("did you mean {}?", near[0])
        raise InvalidInputError(_as_text(message), hint=hint)


def _as_text(message: str) -> str:
    """Return a complaint of argparse as a text that can be translated."""
    template, values = templates.best_match(_COMPLAINTS, message)
    return filled(template, *map(_as_text, values)) if template else message


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """A formatter that knows its width; left alone, it loads `shutil` to ask for it each time."""

    def __init__(self, prog: str) -> None:
        columns = os.environ.get("COLUMNS", "")
        super().__init__(prog, width=int(columns) if columns.isdecimal() else _WIDTH)

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and terminal.say(heading))

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, prefix or terminal.say("usage: "))


def parser_of(name: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"memory {name}",
        description=_sentence(terminal.say(COMMANDS[name])),
        epilog=explained(load(name).examples),
        allow_abbrev=False,
    )
    _add_arguments(parser, name)
    # `parse_intermixed_args` takes as much off a usage as the English word has.
    parser.usage = parser.format_usage().removeprefix(terminal.say("usage: "))
    parser.set_defaults(command=name)
    return parser


def explained(examples: str) -> str:
    """Return the end of a help in the user's language: what is said of each example, and below."""
    for text in explanations(examples):
        english = " ".join(text.split())
        spoken = terminal.say(english)
        if spoken != english:
            examples = examples.replace(text, spoken.replace("。", "。\n").rstrip(), 1)
    return examples


def explanations(examples: str) -> Iterator[str]:
    """Yield the texts at the end of a help, without commands; one may be of several lines.

    >>> [*explanations("example:\\n  memory today    today's\\n\\nIt is\\nlong.")]
    ['example:', "today's", 'It is\\nlong.']
    """
    for block in examples.split("\n\n"):
        if "\n  " not in f"\n{block}":
            yield block
            continue
        for line in block.split("\n"):
            comment = _COMMENT.fullmatch(line) if line.startswith("  ") else None
            if comment:
                yield comment[1]
            elif line[:1].strip():
                yield line


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'。' if terminal.spoken() == 'zh' else '.'}"


def _add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    shared = parser.add_argument_group(terminal.say("options of every command"))
    for group, arguments in ((parser, load(name).arguments), (shared, COMMON)):
        for names, settings in arguments:
            settings = {**settings, "help": terminal.say(settings["help"])}  # type: ignore[arg-type]
            if name == "install" and names == ("--project",):
                # Between project and user, the bare word makes the choice.
                settings = {**settings, "nargs": "?", "const": ""}
            group.add_argument(*names, **settings)  # type: ignore[arg-type]  # as argparse takes them


def overview(*, shows_all: bool = False) -> argparse.ArgumentParser:
    """Return the parser of `memory` itself; its help lists the main commands, or all of them."""
    hint = terminal.say("`memory COMMAND --help` for details.")
    if not shows_all:
        hint += f"\n{terminal.say('`memory help --all` lists all commands.')}"
    parser = Parser(
        prog="memory",
        usage="memory COMMAND [OPTIONS]",
        description=terminal.say("A long-term memory for AI coding assistants, in Markdown files."),
        epilog=f"{list_commands(shows_all=shows_all)}\n\n{hint}",
    )
    version, what = f"daily-memory {__version__}", terminal.say("show the version")
    parser.add_argument("--version", action="version", version=version, help=what)
    return parser


def list_commands(*, shows_all: bool = False) -> str:
    """Return the main commands, or all of them, with what they do."""
    groups = list(GROUPS.items())[: None if shows_all else FRONT_GROUPS]
    lines = {
        terminal.say(title): [
            f"  {name:<{_NAME_WIDTH}}  {terminal.say(what)}" for name, what in group.items()
        ]
        for title, group in groups
    }
    return "\n\n".join("\n".join([f"{title}:", *rows]) for title, rows in lines.items())


def complete_parser(kinds: Mapping[str, object]) -> argparse.ArgumentParser:
    """Return a parser with every command in it, for the completion of a shell.

    `kinds` says how shtab completes a value, by a word of the name that the help gives it.
    """
    from daily_memory.core.hosts.table import NAMES  # not for every help

    parser = argparse.ArgumentParser(prog="memory")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command")
    for name, what in COMMANDS.items():
        command = commands.add_parser(name, help=terminal.say(what))
        _add_arguments(command, name)
        for action in command._actions:  # as shtab itself reads them
            words = [*action.option_strings, *str(action.metavar).split("|")]
            kind = next((kinds[word] for word in words if word in kinds), None)
            if action.dest == "hosts":
                action.choices = NAMES  # argparse would take no host for a wrong one
            if kind:
                action.complete = kind  # type: ignore[attr-defined]  # the way of shtab
    return parser
