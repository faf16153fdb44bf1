"""`memory timeline`: of live sessions, or of what happened around one observation."""

from __future__ import annotations

import argparse
from datetime import date

from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import records, terminal
from daily_memory.frontends.cli.arguments import (
    add_options,
    day_option,
    open_memory,
    positive,
)
from daily_memory.memory import Memory
from daily_memory.model import counted, days_before

EXAMPLES = """examples:
  memory timeline              live sessions of the last 7 days
  memory timeline --days 30
  memory timeline --since 2026-01-01 --json
  memory timeline 2026-01-29/3f2a-77:12 --window 30     around an observation"""

_DAYS = 7
_MINUTES = 10
_WHERE_IDS = "`memory search --observations` shows ids"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="an observation")
    parser.add_argument(
        "--window",
        type=int,
        metavar="MIN",
        help=f"minutes before and after it; default: {_MINUTES}",
    )
    parser.add_argument(
        "--days", type=positive, metavar="N", help=f"the last N days; default: {_DAYS}"
    )
    add_options(parser, "since", "until")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    if options.id:
        return _show_around(memory, options)
    if options.window is not None:
        raise InvalidInputError("--window needs the id of an observation", hint=_WHERE_IDS)
    first = day_option(options.since, "--since")
    days = _DAYS if options.days is None else options.days
    last = day_option(options.until, "--until")
    first = first or days_before(last or memory.today(), days - 1)
    lives = list(memory.observations.live_sessions(first=first, last=last or date.max))
    if options.json:
        terminal.show_json({"sessions": [json_shapes.live(live) for live in lives]})
        return 0
    for live in lives:
        became = live.digested or live.skipped or "not saved yet"
        seen = counted(len(live.observations), "observation")
        host = f"  {live.host}" if live.host else ""
        terminal.show(f"{live.began[:16]}  {live.conversation}{host}  {seen}  {became}")
    if not lives:
        terminal.talk("no live sessions in these days")
    return 0


def _show_around(memory: Memory, options: argparse.Namespace) -> int:
    if options.since or options.until or options.days is not None:
        raise InvalidInputError("an id and days do not go together", hint="--window takes minutes")
    window = _MINUTES if options.window is None else options.window
    # Wherever a search found it.
    around = memory.observations.timeline(options.id, window_min=window, scope="all")
    # An id that it had elsewhere is answered under ours.
    (asked,) = memory.observations.get([options.id], scope="all")[:1]
    return records.show_records(asked.id, around, as_json=options.json)
