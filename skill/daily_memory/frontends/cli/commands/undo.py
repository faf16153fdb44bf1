"""`memory undo`"""

from __future__ import annotations

from datetime import datetime

from daily_memory import results
from daily_memory.core.format.session_json import split_id
from daily_memory.core.undo_steps import Operation
from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import counted, filled, joined

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


def run(options: Options) -> Output:
    if options.list and (options.operation or options.dry_run):
        raise InvalidInputError("--list shows all, and changes nothing", hint="use it alone")
    memory = open_memory(options)
    if options.list:
        listed = memory.operations(scope=options.scope)
        value = {"operations": list(map(json_shapes.operation, listed))}
        return Output(value, map(_line, listed), [] if listed else ["nothing to undo"])
    undone = memory.undo(options.operation, scope=options.scope, dry_run=options.dry_run)
    topics = undone.operation.topics
    lines = [
        f"{new}  {terminal.first_line(topics.get(split_id(old)[1], ''), _TOPIC_CHARS)}".rstrip()
        for old, new in undone.ids
    ]
    value = json_shapes.undone(undone, dry_run=options.dry_run)
    return Output(value, lines, [_note(undone, options)], undone.warnings)


def _note(undone: results.Undone, options: Options) -> str:
    operation = undone.operation
    count = terminal.say(counted(len(undone.ids), "session"))
    what = f"{operation.id}: {_action(operation)} {count} ({_local(operation.at)})"
    if options.dry_run:
        return filled("would undo {}; nothing was undone: this was a dry run", what)
    again = [
        filled(
            "`memory undo {}{}` takes that back",
            id_,
            " --scope global" if root.scope == "global" else "",
        )
        for id_, root in zip(undone.redo, undone.roots, strict=True)
        if id_
    ]
    return joined("; ", (filled("undid {}", what), *again))


def _line(listed: results.ListedOperation) -> str:
    operation = listed.operation
    topics = [*operation.topics.items()]
    # Each memory counts for itself.
    where = "  [--scope global]" if listed.root.scope == "global" else ""
    what = terminal.say("what was observed")
    if topics:
        id_, topic = topics[0]
        what = f"{listed.root.scoped(id_)} {terminal.first_line(topic, _TOPIC_CHARS)}"
    more = terminal.say(" and {} more", len(topics) - 1) if len(topics) > 1 else ""
    done = f"{operation.id:>4}  {_local(operation.at)}  {_action(operation)}"
    return f"{done} {what}{more}{where}"


def _action(operation: Operation) -> str:
    if operation.is_undo:
        return terminal.say("undid {}", operation.undoes) + ":"
    return terminal.say(_DONE[operation.action])


def _local(at: str) -> str:
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")


UNDO = CliCommand(
    run,
    (
        command.argument("operation", "OPERATION", "its number in --list", nargs="?", default=""),
        command.flag("--list", "list what can be undone"),
        *command.shared("dry_run", "scope"),
    ),
    """examples:
  memory undo              take back the last delete, edit, mark, merge, archive, restore or import
  memory undo --list       list what can be undone
  memory undo 12           take back this one

It prints the number that takes the undo itself back. Sessions return to their place and number;
if that is taken, to the next free one. Later edits of other lines, and imported sessions that
were edited, stay. Changes are kept for 30 days, the last 20 for longer.""",
)
