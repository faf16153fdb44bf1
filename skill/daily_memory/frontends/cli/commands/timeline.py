"""`memory timeline`"""

from __future__ import annotations

import argparse
from datetime import date

from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import day_option, open_memory
from daily_memory.model import counted, days_before
from daily_memory.services.live import live_as_json

EXAMPLES = """examples:
  memory timeline              the live sessions of the last 7 days
  memory timeline --days 30
  memory timeline --since 2026-01-01 --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="YYYY-MM-DD", help="from this day on")
    parser.add_argument("--until", metavar="YYYY-MM-DD", help="up to this day")
    parser.add_argument(
        "--days", type=int, default=7, metavar="N", help="the last N days; default: 7"
    )


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    first = day_option(options.since, "--since")
    first = first or days_before(memory.today(), max(options.days, 1) - 1)
    last = day_option(options.until, "--until") or date.max
    lives = list(memory.live_sessions(first=first, last=last))
    if options.json:
        screen.show_json({"sessions": [live_as_json(live) for live in lives]})
        return 0
    for live in lives:
        became = live.digested or live.skipped or "not saved yet"
        seen = counted(len(live.observations), "observation")
        host = f"  {live.host}" if live.host else ""
        screen.show(f"{live.began[:16]}  {live.conversation}{host}  {seen}  {became}")
    if not lives:
        screen.talk("no live sessions in these days")
    return 0
