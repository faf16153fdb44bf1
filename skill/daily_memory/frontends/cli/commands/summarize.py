"""`memory summarize`"""

from __future__ import annotations

import argparse

from daily_memory.core.review.summary_region import DEFAULT_MAX_CHARS
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.model import counted

EXAMPLES = """examples:
  memory summarize               write what still holds to summary.md
  memory summarize --dry-run     preview
  memory summarize --scope global

Every new conversation sees summary.md first. Your own text in it stays; the part between the
two comments is rewritten. To fix a wrong line, mark its source: `memory mark ID --outdated`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-chars",
        type=int,
        default=0,
        metavar="N",
        help=f"limit of the part; default: {DEFAULT_MAX_CHARS} minus what you wrote there",
    )
    add_options(parser, "dry_run", "save_scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    made = memory.summarize(
        scope=options.scope,
        max_chars=options.max_chars,
        dry_run=options.dry_run,
        progress=terminal.progress_bar("summarizing"),
    )

    if options.json:
        terminal.show_json(json_shapes.summary(made))
        return 0
    for line in made.text.split("\n") if made.text else ():
        terminal.show(line)
    number = counted(len(made.lines), "line")
    number += f", {made.left_out} more did not fit" if made.left_out else ""
    done = "unchanged" if not made.is_changed else "would change" if options.dry_run else "written"
    terminal.talk(f"{made.path}: {number}; {done}")
    return 0
