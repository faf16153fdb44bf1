"""`memory today`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.frontends.cli.commands.show import sessions_of, show_sessions

EXAMPLES = """example:
  memory today"""


def add_arguments(parser: argparse.ArgumentParser) -> None:

    add_options(parser, "scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    found = sessions_of(memory, memory.today(), options.scope)
    if not found and not options.json:
        terminal.talk("nothing was saved today")
    else:
        show_sessions(found, as_json=options.json, names_project=options.scope == "all")
    terminal.remind(memory, options)
    return 0
