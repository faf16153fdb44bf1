"""`memory start`"""

from __future__ import annotations

import argparse

from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory start                     begin a live session; its name is printed
  memory start login-bug           begin one of that name, or go on with it

`memory log` adds to it, `memory end` saves it. Hooks do all of this by themselves."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("conversation", nargs="?", default="", metavar="NAME", help="its name")
    parser.add_argument("--source", default="", help="where it comes from, such as cursor")


def run(options: argparse.Namespace) -> int:
    live = open_memory(options).start(options.conversation, host=options.source)
    if options.json:
        screen.show_json(json_shapes.live(live))
    else:
        screen.show(live.conversation)
    return 0
