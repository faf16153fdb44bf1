"""`memory show`"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date

from daily_memory.core.format.markdown import format_section, heading_language
from daily_memory.core.format.session_json import named_day, parse_date
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import (
    add_options,
    open_memory,
    take_project_name,
)
from daily_memory.memory import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import StoredSession


EXAMPLES = """examples:
  memory show 2026-01-29#1
  memory show 2026-01-29
  memory show today                           also: yesterday, 今天, 昨天
  memory show 2026-01-29#1 --project shop"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="ID|DATE|today", help="a session id, a day, or today")
    add_options(parser, "archived", "scope")


def run(options: argparse.Namespace) -> int:
    name = take_project_name(options)
    memory = open_memory(options)
    what = options.what
    if "#" in what:
        wanted = {"scope": options.scope, "project": name, "archived": options.archived}
        session = memory.get(what, **wanted)
        others = memory.get_all(what, **wanted)[1:] if options.scope == "all" else []
        if others:
            terminal.talk(f"there is also {', '.join(other.id for other in others)}")
        return show_sessions([session], as_json=options.json, names_project=options.scope == "all")
    day = _day(what, memory.today())
    found = _of_day(memory, options, day, name)
    if not found:
        options.archived = True
        stored = len(_of_day(memory, options, day, name))
        if stored:
            hint = f"`memory show {day} --archived` shows, `memory restore {day}` brings back"
            message = f"no sessions on {day} but {stored} in the archive"
            raise NotFoundError(message, hint=hint)
        if name:
            memory.projects.check(name)
        raise NotFoundError(
            f"no sessions on {day}", hint="run `memory list` to see which there are"
        )
    return show_sessions(found, as_json=options.json, names_project=options.scope == "all")


def _of_day(
    memory: Memory, options: argparse.Namespace, day: date, project: str
) -> list[StoredSession]:
    return list(
        memory.sessions(
            scope=options.scope, first=day, last=day, project=project, archived=options.archived
        )
    )


def sessions_of(memory: Memory, day: date, scope: str) -> Sequence[StoredSession]:
    """Return the sessions of a day."""
    return list(memory.sessions(scope=scope, first=day, last=day))


def _day(text: str, today: date) -> date:
    named = named_day(text, today)
    if named:
        return named
    try:
        return parse_date(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{terminal.short(text)} is no id, no date and not `today`",
            hint="an id is like 2026-01-29#1, a date like 2026-01-29",
        ) from error


def show_sessions(
    found: Sequence[StoredSession], *, as_json: bool, names_project: bool = False
) -> int:
    """Print sessions as they stand in their files, each with where it is.

    One of the global memory names its project; with `names_project` each does.
    """
    if as_json:
        sessions = [json_shapes.session(one, names_project=names_project) for one in found]
        terminal.show_json({"sessions": sessions})
        return 0
    for place, one in enumerate(found):
        if place:
            terminal.show()
        language = heading_language("auto", [one.session])
        project = one.session.project or (one.root.project if names_project else "")
        stored = "archived" if one.archived else ""
        notes = "".join(f"  [{note}]" for note in (project, one.origin, stored) if note)
        terminal.talk(f"{one.path}:{one.span.first}{notes}")
        terminal.show(format_section(one.session, language=language).rstrip("\n-"))
    return 0
