"""`memory show`"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date

from daily_memory.core.markdown import format_section, heading_language
from daily_memory.core.session_json import parse_date
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory
from daily_memory.memory import Memory
from daily_memory.services import viewing
from daily_memory.services.viewing import Found

EXAMPLES = """examples:
  memory show 2026-01-29#1
  memory show 2026-01-29
  memory show today"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="ID|DATE|today", help="a session, a day, or today")
    add_scope(parser, choices=("project", "global", "all"))


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    what = options.what
    if "#" in what:
        return show_sessions([memory.get(what, scope=options.scope)], as_json=options.json)
    day = memory.today() if what in ("today", "今天") else _day(what)
    found = list(sessions_of(memory, day, options.scope))
    if not found:
        raise NotFoundError(
            f"no sessions on {day}", hint="run `memory list` to see which there are"
        )
    return show_sessions(found, as_json=options.json)


def sessions_of(memory: Memory, day: date, scope: str) -> Sequence[Found]:
    """Return the sessions of a day."""
    return list(memory.sessions(scope=scope, first=day, last=day))


def _day(text: str) -> date:
    try:
        return parse_date(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{screen.short(text)} is no id, no date and not `today`",
            hint="an id is like 2026-01-29#1, a date like 2026-01-29",
        ) from error


def show_sessions(found: Sequence[Found], *, as_json: bool) -> int:
    """Print sessions as they stand in their files, each with where it is."""
    if as_json:
        screen.show_json({"sessions": [viewing.as_json(one) for one in found]})
        return 0
    for place, one in enumerate(found):
        if place:
            screen.show()
        language = heading_language("auto", [one.session])
        origin = f"  [{one.origin}]" if one.origin else ""
        screen.talk(f"{one.path}:{one.span.first}{origin}")
        screen.show(format_section(one.session, language=language).rstrip("\n-"))
    return 0
