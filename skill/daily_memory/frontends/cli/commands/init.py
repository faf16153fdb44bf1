"""`memory init`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory init              in the project around you
  memory init --global     the memory that all your projects share"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--global", dest="is_global", action="store_true", help="make the global memory"
    )


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    if not options.is_global and not memory.project:
        # Said by the user on purpose: here shall be a project, whatever else marks one.
        memory = memory.in_folder(".")
    root, made = memory.init("global" if options.is_global else "project")
    if options.json:
        screen.show_json({"path": root.path, "scope": root.scope, "made": list(made)})
        return 0
    screen.show(f"{'made' if made else 'already there'}: {root.path}")
    for path in made:
        screen.show(f"  {path}")
    return 0
