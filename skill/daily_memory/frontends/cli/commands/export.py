"""`memory export`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory
from daily_memory.services.transfer import EXPORT_FORMATS

EXAMPLES = """examples:
  memory export > backup.json
  memory export --format md > memory.md"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=EXPORT_FORMATS, default="json", help="default: json")
    add_scope(parser, choices=("project", "global"))


def run(options: argparse.Namespace) -> int:
    for piece in open_memory(options).export(options.format, scope=options.scope):
        screen.write(piece)
    return 0
