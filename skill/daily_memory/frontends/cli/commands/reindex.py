"""`memory reindex`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory
from daily_memory.model import counted

EXAMPLES = """example:
  memory reindex

The index is derived from the day files. Rebuilding it changes no result."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_scope(parser, choices=("project", "global", "all"))


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    counts = memory.reindex(scope=options.scope, progress=screen.progress_bar("days read"))
    if options.json:
        screen.show_json({"roots": [{"path": path, "sessions": n} for path, n in counts.items()]})
    for path, count in counts.items():
        screen.talk(f"{counted(count, 'session')} indexed in {path}")
    return 0
