"""`memory help`"""

from __future__ import annotations

import argparse

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import parsers, terminal
from daily_memory.frontends.cli.commands import COMMANDS

EXAMPLES = """examples:
  memory help             the main commands
  memory help --all       all commands
  memory help search      the options of a command"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="COMMAND", help="a command")
    parser.add_argument("--all", action="store_true", help="list all commands")


def run(options: argparse.Namespace) -> int:
    name = options.name
    if name and name not in COMMANDS:
        raise InvalidInputError(f"no command {name!r}", hint="`memory help --all` lists them")
    parser = parsers.parser_of(name) if name else parsers.overview(shows_all=options.all)
    terminal.write(parser.format_help())
    return 0
