"""`memory report`"""

from __future__ import annotations

import argparse
import os
import shutil

from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory

EXAMPLES = """examples:
  memory report                    the last 365 days, as text
  memory report --days 30 --scope all
  memory report --html report.html     with pictures, to be opened in a browser
  memory report --json | jq .recall

A session that a conversation received has "signs of use" if the assistant or a tool then named it,
one of its files, or three words that hardly any other session has."""

_DAYS = 365
_MOST_DAYS = 3_650_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--days", type=int, default=_DAYS, metavar="N", help=f"the last N days; default: {_DAYS}"
    )
    parser.add_argument("--html", metavar="FILE", help="write a page with pictures to a file")
    parser.add_argument(
        "--force", action="store_true", help="with --html: replace a file that is there"
    )
    add_options(parser, "scope")


def run(options: argparse.Namespace) -> int:
    _check(options)
    memory = open_memory(options)
    progress = terminal.progress_bar("days read")
    counts = memory.report(days=options.days, scope=options.scope, progress=progress)
    if options.html:
        page = memory.report_page(counts)
        terminal.write_file(options.html, page.encode("utf-8", "replace"))
    # It imports word tables, which `memory completion` does not need.
    from daily_memory.core.pages import report_text

    if options.json:
        terminal.show_json(json_shapes.report(counts))
    elif not options.html:
        for line in report_text.lines(counts, shutil.get_terminal_size().columns):
            terminal.show(line)
    if options.html:
        terminal.talk(f"{options.html}: open it in a browser")
    return 0


def _check(options: argparse.Namespace) -> None:
    if not 1 <= options.days <= _MOST_DAYS:
        raise InvalidInputError(f"--days: {options.days} is not between 1 and {_MOST_DAYS}")
    if options.force and not options.html:
        raise InvalidInputError("--force goes with --html FILE only")
    if options.html and os.path.lexists(options.html) and not options.force:
        hint = "name another file, or give --force to replace it"
        raise InvalidInputError(f"{options.html!r} is there already", hint=hint)
