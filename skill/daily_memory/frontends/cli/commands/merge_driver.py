"""`memory merge-driver`"""

from __future__ import annotations

import argparse

from daily_memory.errors import DailyMemoryError
from daily_memory.frontends.cli import terminal
from daily_memory.memory import Memory

# What git takes for "the driver failed", and not for a conflict that it left in the file.
_FAILED = 129

EXAMPLES = """Git runs it when two branches changed a day; `memory init --git` registers it.

examples:
  memory merge-driver %O %A %B %P               as in the configuration of git
  memory merge-driver base.md ours.md theirs.md

Exit status: 0 merged, 1 conflicts (the file is no day file), 129 nothing was written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("base", help="the common ancestor; may be empty")
    parser.add_argument("ours", help="our version; the result is written here")
    parser.add_argument("theirs", help="their version")
    parser.add_argument("name", nargs="?", default="", help="the path in the repository")


def run(options: argparse.Namespace) -> int:
    try:
        is_clean = Memory.merge_days(options.base, options.ours, options.theirs, options.name)
    except DailyMemoryError as error:
        if options.debug:
            raise
        terminal.show_error(error, as_json=options.json)
        return _FAILED
    if options.json:
        terminal.show_json({"path": options.ours, "clean": is_clean})
    return 0 if is_clean else 1
