"""`memory undo`"""

from __future__ import annotations

import argparse
from datetime import datetime

from daily_memory.core.format.session_json import split_id
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory
from daily_memory.model import counted
from daily_memory.services import undoing
from daily_memory.services.undoing import Listed

EXAMPLES = """examples:
  memory undo              brings back what the last delete, edit, mark or merge took
  memory undo --list       what can be undone, the last one first
  memory undo 12           that one; --dry-run only shows it

Sessions come back under their old numbers, to where they stood. Where a number was given to another
session meanwhile, the next free one is taken, and it says so. What was edited since keeps that, if
it is about other lines. It is all kept for 30 days, and the last 20 for longer."""

_DONE = {"delete": "deleted", "edit": "edited", "mark": "marked", "merge": "merged"}
_TOPIC_CHARS = 48


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "operation", nargs="?", default="", metavar="OPERATION", help="its number in --list"
    )
    parser.add_argument("--list", action="store_true", help="show what can be undone")
    parser.add_argument("--dry-run", action="store_true", help="only show what would come back")
    add_scope(parser, choices=("project", "global", "all"))


def run(options: argparse.Namespace) -> int:
    if options.list and (options.operation or options.dry_run):
        raise InvalidInputError("--list shows all, and changes nothing", hint="give it alone")
    memory = open_memory(options)
    if options.list:
        found = memory.operations(scope=options.scope)
        if options.json:
            screen.show_json({"operations": [undoing.listed_as_json(one) for one in found]})
            return 0
        for one in found:
            screen.show(_line(one))
        if not found:
            screen.talk("nothing to undo")
        return 0
    undone = memory.undo(options.operation, scope=options.scope, dry_run=options.dry_run)
    if options.json:
        screen.show_json(undoing.undone_as_json(undone, dry_run=options.dry_run))
        return 0
    screen.warn(undone.warnings)
    topics = undone.operation.topics
    lines = [
        f"{new}  {screen.first_line(topics.get(split_id(old)[1], ''), _TOPIC_CHARS)}".rstrip()
        for old, new in undone.ids
    ]
    screen.show_many(lines)
    what = counted(len(undone.ids), "session")
    if options.dry_run:
        screen.talk(f"{what}; nothing was undone: this was a dry run")
    elif undone.operation.action == "delete":
        screen.talk(f"brought back {what}")
    else:
        screen.talk(f"{what} as before")
    return 0


def _line(one: Listed) -> str:
    operation = one.operation
    first = operation.changes[0]
    others = len(operation.topics) - 1
    more = f" and {others} more" if others else ""
    # Each memory counts for itself.
    where = "  [--scope global]" if one.root.scope == "global" else ""
    topic = screen.first_line(first.topic, _TOPIC_CHARS)
    what = f"{_DONE[operation.action]} {one.root.scoped(first.id)} {topic}"
    return f"{operation.id:>4}  {_local(operation.at)}  {what}{more}{where}"


def _local(at: str) -> str:
    """Return a moment on the user's clock."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
