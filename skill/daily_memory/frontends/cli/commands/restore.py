"""`memory restore`"""

from __future__ import annotations

import os
from datetime import date

from daily_memory import results
from daily_memory.core.format.session_json import parse_date
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import counted, filled


def run(options: Options) -> Output:
    is_narrowed = bool(options.since or options.until)
    if bool(options.what) + options.all + is_narrowed != 1:
        hint = "as in: memory restore 2026-01-29; `memory list --archived` shows what there is"
        raise InvalidInputError("name days or ids, --since and --until, or --all", hint=hint)
    memory = open_memory(options)
    request = {
        "ids": [name for name in options.what if "#" in name],
        "days": [_day(name) for name in options.what if "#" not in name],
        "since": options.since,
        "until": options.until,
        "everything": options.all,
        "scope": options.scope,
    }
    moved = memory.archive.restore(**request, dry_run=True)
    if not options.dry_run:
        # What was named was meant; of a whole time nobody knows how much it is.
        if not options.what and (moved.ids or moved.observed):
            what = counted(len(moved.ids), "session")
            terminal.confirm(filled("bring back {}?", what), is_sure=options.yes)
        with terminal.progress("days restored"):
            moved = memory.archive.restore(**request)
    value = {
        "restored": list(moved.ids),
        "present": list(moved.present),
        "live_sessions": moved.observed,
        "dry_run": options.dry_run,
        "warnings": list(moved.warnings),
    }
    return Output(value, moved.ids, _notes(moved, options), moved.warnings)


def _notes(moved: results.ArchiveResult, options: Options) -> list[str]:
    notes = []
    if moved.present:
        count = counted(len(moved.present), "session")
        notes.append(filled("{} in the day already: nothing to do", count))
    elif not moved.ids and not moved.observed:
        notes.append("the archive is empty" if options.all else "nothing is archived of that time")
    if moved.ids and options.dry_run:
        notes.append("nothing was changed: this was a dry run")
    elif moved.ids:
        notes.append(filled("brought back {}", counted(len(moved.ids), "session")))
    return notes


def _day(text: str) -> date:
    try:
        return parse_date(text)
    except InvalidInputError as error:
        hint = "an id is like 2026-01-29#1, a day like 2026-01-29"
        if os.path.isfile(text):
            hint = "a backup in a file comes back with `memory import FILE`"
        raise InvalidInputError("{!r} is neither an id nor a day", text, hint=hint) from error


RESTORE = CliCommand(
    run,
    (
        command.argument("what", "DATE|ID", "days and session ids", nargs="*"),
        command.flag("--all", "the whole archive"),
        *command.shared("since", "until", "dry_run", "yes", "scope"),
    ),
    """examples:
  memory restore 2026-01-29                   a day
  memory restore 2026-01-29#1 2026-01-28#4    single sessions
  memory restore --since 2026-01-01 --until 2026-01-31 --dry-run
  memory restore --all

`memory list --archived` shows what is archived. Mark restored sessions as important, or the
next cleanup archives them again.""",
)
