"""`memory reindex`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.model import counted

EXAMPLES = """example:
  memory reindex

The index is derived from the day files. Rebuilding it changes no result."""


def add_arguments(parser: argparse.ArgumentParser) -> None:

    add_options(parser, "scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    counts = memory.reindex(scope=options.scope, progress=terminal.progress_bar("days read"))
    if options.json:
        terminal.show_json({"roots": [{"path": path, "sessions": n} for path, n in counts.items()]})
    for path, count in counts.items():
        terminal.talk(f"{counted(count, 'session')} indexed in {path}")
    return 0
