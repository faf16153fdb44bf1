"""`memory list`"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from datetime import date

from daily_memory.core.format.session_json import parse_date
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import (
    add_options,
    open_memory,
    positive,
    take_project_name,
)
from daily_memory.model import days_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import StoredSession


EXAMPLES = """examples:
  memory list --days 7
  memory list --project shop    what the project of that name knows
  memory list --tag redis
  memory list --foreign     what came by git or import from others
  memory list --json | jq '.sessions[].topic'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=positive, metavar="N", help="the last N days")
    parser.add_argument("--foreign", action="store_true", help="only sessions by other people")
    add_options(parser, "tag", "since", "until", "archived", "scope")


def run(options: argparse.Namespace) -> int:
    name = take_project_name(options)
    memory = open_memory(options)
    if name:
        memory.projects.check(name)
    first = parse_date(options.since, "--since") if options.since else date.min
    last = parse_date(options.until, "--until") if options.until else date.max
    if options.days is not None:
        first = max(first, days_before(memory.today(), options.days - 1))
    found = memory.sessions(
        scope=options.scope,
        first=first,
        last=last,
        foreign=options.foreign,
        project=name,
        tags=options.tag,
        archived=options.archived,
    )
    if options.json:
        _show_json(found, names_project=options.scope == "all")
        return 0
    is_empty = True
    for session in found:
        is_named = options.scope == "all" or not session.root.is_own
        terminal.show(line_of(session, session.root.project if is_named else ""))
        is_empty = False
    if is_empty and options.foreign:
        terminal.talk("no sessions of others")
    elif is_empty and (options.since or options.until or options.days is not None):
        terminal.talk("no sessions of that time; `memory list` shows all")
    elif is_empty and name:
        terminal.talk(f"no sessions of the project {name!r}")
    elif is_empty:
        terminal.talk("no sessions; `memory save` or `memory add` makes the first one")
    terminal.remind(memory, options)
    return 0


def line_of(found: StoredSession, project: str) -> str:
    """Return a session in one line; `project` is that of its root, if it is to be named."""
    session = found.session
    tags = " ".join(f"#{tag}" for tag in session.tags)
    scope = "(global)" if found.root.scope == "global" else ""
    origin = f"[{found.origin}]" if found.origin else ""
    topic = session.topic.split("\n")[0]
    name = session.project or project
    other = f"[{name}]" if name else ""
    stored = "[archived]" if found.archived else ""
    said = "  ".join(part for part in (topic, tags, other, scope, origin, stored) if part)
    return f"{found.id:<14} {session.time:<8}  {said}".rstrip()


def _show_json(found: Iterable[StoredSession], *, names_project: bool) -> None:
    """Print session by session: a memory of years need not fit into memory twice."""
    terminal.write('{"sessions": [')
    for place, one in enumerate(found):
        terminal.write(",\n" if place else "\n")
        terminal.write(terminal.as_json(json_shapes.session(one, names_project=names_project)))
    terminal.write("\n]}\n")
