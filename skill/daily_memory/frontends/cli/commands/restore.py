"""`memory restore`"""

from __future__ import annotations

import argparse
from datetime import date

from daily_memory.core.format.session_json import parse_date
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, day_option, open_memory
from daily_memory.model import counted

EXAMPLES = """examples:
  memory restore 2026-01-29                   a day
  memory restore 2026-01-29#1 2026-01-28#4    single sessions
  memory restore --since 2026-01-01 --until 2026-01-31 --dry-run
  memory restore --all

`memory list --archived` shows what is archived. Mark restored sessions as important, or the
next cleanup archives them again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="*", metavar="DATE|ID", help="days and session ids")
    parser.add_argument("--all", action="store_true", help="the whole archive")
    add_options(parser, "since", "until", "dry_run", "yes", "scope")


def run(options: argparse.Namespace) -> int:
    is_narrowed = bool(options.since or options.until)
    if bool(options.what) + options.all + is_narrowed != 1:
        hint = "as in: memory restore 2026-01-29; `memory list --archived` shows what there is"
        raise InvalidInputError("name days or ids, --since and --until, or --all", hint=hint)
    memory = open_memory(options)
    wanted = {
        "ids": [name for name in options.what if "#" in name],
        "days": [_day(name) for name in options.what if "#" not in name],
        "since": day_option(options.since, "--since"),
        "until": day_option(options.until, "--until"),
        "everything": options.all,
        "scope": options.scope,
    }
    moved = memory.archive.restore(**wanted, dry_run=True)
    if not options.dry_run:
        # What was named was meant; of a whole time nobody knows how much it is.
        if (options.all or is_narrowed) and (moved.ids or moved.observed):
            what = counted(len(moved.ids), "session")
            terminal.confirm(f"bring back {what}?", is_sure=options.yes)
        moved = memory.archive.restore(**wanted, progress=terminal.progress_bar("days restored"))
    terminal.warn(moved.warnings)
    if options.json:
        terminal.show_json(
            {
                "restored": list(moved.ids),
                "present": list(moved.present),
                "live_sessions": moved.observed,
                "dry_run": options.dry_run,
                "warnings": list(moved.warnings),
            }
        )
        return 0
    terminal.show_many(moved.ids)
    if moved.present:
        terminal.talk(f"{counted(len(moved.present), 'session')} in the day already: nothing to do")
    elif not moved.ids and not moved.observed:
        terminal.talk("the archive is empty" if options.all else "nothing is archived of that time")
    if moved.ids and not options.dry_run:
        terminal.talk(f"brought back {counted(len(moved.ids), 'session')}")
    elif moved.ids:
        terminal.talk("nothing was changed: this was a dry run")
    return 0


def _day(text: str) -> date:
    try:
        return parse_date(text)
    except InvalidInputError as error:
        hint = "an id is like 2026-01-29#1, a day like 2026-01-29"
        raise InvalidInputError(f"{text!r} is neither an id nor a day", hint=hint) from error
