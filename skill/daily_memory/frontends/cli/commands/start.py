"""`memory start`"""

from __future__ import annotations

import argparse

from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory start                     print the name of a new live session
  memory start login-bug           start or continue this one

`memory log` adds to it, `memory end` saves it. With hooks you don't need this."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("conversation", nargs="?", default="", metavar="NAME", help="its name")
    parser.add_argument("--source", default="", help="the program it comes from, such as cursor")


def run(options: argparse.Namespace) -> int:
    live = open_memory(options).start(options.conversation, host=options.source)
    if options.json:
        terminal.show_json(json_shapes.live(live))
    else:
        terminal.show(live.conversation)
    return 0
