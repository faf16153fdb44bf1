"""`memory add`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.frontends.cli.commands.save import show_saved

EXAMPLES = """examples:
  memory add "我们用 pnpm，不用 npm #tooling"
  memory add "deploy only from main" --important"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text", nargs="+", metavar="TEXT", help="the note; words like #redis become tags"
    )
    parser.add_argument("--important", action="store_true", help="rank it up; it never fades")
    add_options(parser, "tag", "save_scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    tags = [*options.tag, *(["important"] if options.important else [])]
    result = memory.add(" ".join(options.text), tags=tags, scope=options.scope)
    return show_saved(result, memory, as_json=options.json)
