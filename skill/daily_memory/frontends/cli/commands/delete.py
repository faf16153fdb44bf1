"""`memory delete`"""

from __future__ import annotations

import argparse
import sys

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory
from daily_memory.model import counted
from daily_memory.services.viewing import Found

EXAMPLES = """examples:
  memory delete 2026-01-29#1
  memory delete 2026-01-29#1 2026-01-28#4 --dry-run
  memory delete 2026-01-29#1 --yes      without asking, on a terminal

The index forgets it at once, and what was recorded of its conversation goes with it. The journal of
this machine keeps the text of the section for two weeks."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="+", metavar="ID", help="a session, as `memory list` shows it")
    parser.add_argument("--dry-run", action="store_true", help="only show what would go")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_scope(parser, choices=("project", "global", "all"))


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    if not options.dry_run and not options.yes and sys.stdin.isatty() and sys.stdout.isatty():
        _ask(
            [_line(one) for one in memory.delete(options.id, scope=options.scope, dry_run=True)[0]]
        )
    edited = memory.delete(options.id, scope=options.scope, dry_run=options.dry_run)
    screen.warn(edited.warnings)
    deleted = [str(one.session.id) for one in edited.sections]
    if options.json:
        warnings = list(edited.warnings)
        screen.show_json({"deleted": deleted, "dry_run": options.dry_run, "warnings": warnings})
    elif options.dry_run:
        for one in edited.sections:
            screen.show(_line(one))
        screen.talk("nothing was deleted: this was a dry run")
    else:
        for id_ in deleted:
            screen.show(id_)
    return 0


def _ask(lines: list[str]) -> None:
    """Show what would go, and wait for a yes.

    Raises:
        InvalidInputError: the answer is another one.
    """
    for line in lines:
        screen.talk(line)
    screen.talk(f"delete {counted(len(lines), 'session')}? [y/N]")
    if sys.stdin.readline().strip().casefold() not in ("y", "yes", "是"):
        raise InvalidInputError("nothing was deleted", hint="answer y, or give --yes")


def _line(found: Found) -> str:
    return f"{found.session.id}  {found.session.topic}"
