"""`memory undo`"""

from __future__ import annotations

import argparse
from datetime import datetime

from daily_memory.core.format.session_json import split_id
from daily_memory.core.undo_steps import Operation
from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import ListedOperation


EXAMPLES = """examples:
  memory undo              take back the last delete, edit, mark, merge, archive, restore or import
  memory undo --list       list what can be undone
  memory undo 12           take back this one

It prints the number that takes the undo itself back. Sessions return to their place and number;
if that is taken, to the next free one. Later edits of other lines, and imported sessions that
were edited, stay. Changes are kept for 30 days, the last 20 for longer."""

_DONE = {
    "delete": "deleted",
    "edit": "edited",
    "mark": "marked",
    "merge": "merged",
    "archive": "archived",
    "restore": "restored",
    "import": "imported",
}
_TOPIC_CHARS = 48


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "operation", nargs="?", default="", metavar="OPERATION", help="its number in --list"
    )
    parser.add_argument("--list", action="store_true", help="list what can be undone")
    add_options(parser, "dry_run", "scope")


def run(options: argparse.Namespace) -> int:
    if options.list and (options.operation or options.dry_run):
        raise InvalidInputError("--list shows all, and changes nothing", hint="give it alone")
    memory = open_memory(options)
    if options.list:
        found = memory.operations(scope=options.scope)
        if options.json:
            terminal.show_json({"operations": [json_shapes.operation(item) for item in found]})
            return 0
        for item in found:
            terminal.show(_line(item))
        if not found:
            terminal.talk("nothing to undo")
        return 0
    undone = memory.undo(options.operation, scope=options.scope, dry_run=options.dry_run)
    if options.json:
        terminal.show_json(json_shapes.undone(undone, dry_run=options.dry_run))
        return 0
    terminal.warn(undone.warnings)
    topics = undone.operation.topics
    lines = [
        f"{new}  {terminal.first_line(topics.get(split_id(old)[1], ''), _TOPIC_CHARS)}".rstrip()
        for old, new in undone.ids
    ]
    terminal.show_many(lines)
    what = _named(undone.operation, len(undone.ids))
    if options.dry_run:
        terminal.talk(f"would undo {what}; nothing was undone: this was a dry run")
        return 0
    again = [
        f"`memory undo {id_}{' --scope global' if root.scope == 'global' else ''}`"
        for id_, root in zip(undone.redo, undone.roots, strict=True)
        if id_
    ]
    terminal.talk(
        "; ".join((f"undid {what}", *(f"{command} takes that back" for command in again)))
    )
    return 0


def _named(operation: Operation, count: int) -> str:
    """Return what was done to so many sessions, under which number and when."""
    done = f"undo of {operation.undoes}," if operation.is_undo else _DONE[operation.action]
    return f"{operation.id}: {done} {counted(count, 'session')} at {_local(operation.at)}"


def _line(listed: ListedOperation) -> str:
    operation = listed.operation
    topics = [*operation.topics.items()]
    # Each memory counts for itself.
    where = "  [--scope global]" if listed.root.scope == "global" else ""
    what = f"undid {operation.undoes}: " if operation.is_undo else f"{_DONE[operation.action]} "
    if topics:
        id_, topic = topics[0]
        what += f"{listed.root.scoped(id_)} {terminal.first_line(topic, _TOPIC_CHARS)}"
    else:
        what += "what was observed"
    more = f" and {len(topics) - 1} more" if len(topics) > 1 else ""
    return f"{operation.id:>4}  {_local(operation.at)}  {what}{more}{where}"


def _local(at: str) -> str:
    """Return a moment on the user's clock."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
