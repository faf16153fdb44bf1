"""`memory list`"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import groupby, islice

from daily_memory import results
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_named
from daily_memory.frontends.cli.command import CliCommand, Options, Output, Styled
from daily_memory.model import days_before
from daily_memory.text import filled

# What fits on a page, where no period is given.
_PAGE = 50


def run(options: Options) -> Output | int:
    memory, name = open_named(options)
    is_all = options.all or bool(options.since or options.until or options.days is not None)
    most = options.limit or (None if is_all else _PAGE)
    first = options.since or date.min
    if options.days is not None:
        first = max(first, days_before(memory.today(), options.days - 1))
    sessions = memory.sessions(
        scope=options.scope,
        first=first,
        last=options.until or date.max,
        foreign=options.foreign,
        project=name,
        tags=options.tag,
        archived=options.archived,
        # A program gets all of them in the order in which they were saved.
        newest_first=not options.json or options.limit is not None,
    )
    names_project = options.scope == "all"
    if options.json:
        if options.limit:
            sessions = reversed(list(islice(sessions, options.limit)))
        return _show_json(sessions, names_project=names_project)
    every = (
        (_day_line(day, list(group)) for day, group in groupby(sessions, key=_day_of))
        if options.by_day
        else (_line(stored, names_project=names_project) for stored in sessions)
    )
    lines = list(islice(every, most))
    notes = [] if lines else [_nothing(options, name)]
    if next(every, None):
        notes.append(filled("the newest {}; `memory list --all` shows all", most))
    notes += terminal.reminder(memory, options)
    if options.all and len(lines) > _PAGE and terminal.is_terminal():
        import pydoc  # takes longer than all the rest of a start

        pydoc.pager("\n".join(terminal.safe(terminal.plain(line)) for line in lines))
        lines = []
    return Output(None, lines, notes=notes, is_cut=True)


def _day_of(stored: results.StoredSession) -> date:
    return stored.session.date


def _day_line(day: date, sessions: list[results.StoredSession]) -> command.Line:
    topics = "; ".join(terminal.title(stored.session, 200) for stored in sessions)
    count = f"{len(sessions):>4}"
    return Styled(day.isoformat(), "id", sessions[0].path), Styled(count, "dim"), f"  {topics}"


def _nothing(options: Options, project: str) -> str:
    if options.foreign:
        return "no sessions by other people"
    if options.tag:
        return "no sessions with this tag; `memory list` shows all"
    if options.since or options.until or options.days is not None:
        return "no sessions in that time; `memory list` shows all"
    if project:
        return filled("no sessions of the project {!r}", project)
    return "no sessions yet; save one with `memory save` or `memory add`"


def _line(stored: results.StoredSession, *, names_project: bool) -> command.Line:
    session, root = stored.session, stored.root
    project = session.project or (root.project if names_project or not root.is_own else "")
    tags = " ".join(f"#{tag}" for tag in session.tags)
    marks = {"global": root.scope == "global", "archived": stored.archived}
    return (
        *terminal.id_column(stored.id, stored.path),
        Styled(f" {session.time:<8}", "dim"),
        f"  {terminal.title(session, 200)}",
        Styled(f"  {tags}" if tags else "", "tag"),
        Styled(terminal.in_brackets(project, stored.origin, **marks), "dim"),
    )


def _show_json(sessions: Iterator[results.StoredSession], *, names_project: bool) -> int:
    """Print session by session: a memory of years need not fit into memory twice."""
    terminal.write('{"sessions": [')
    for place, stored in enumerate(sessions):
        terminal.write(",\n" if place else "\n")
        terminal.write(terminal.as_json(json_shapes.session(stored, names_project=names_project)))
    terminal.write("\n]}\n")
    return 0


LIST = CliCommand(
    run,
    (
        command.flag(
            "--all", filled("all sessions, not only the newest {}; in a pager on a terminal", _PAGE)
        ),
        command.number("-n --limit", filled("at most N sessions; default: {}", _PAGE)),
        command.flag("--by-day", "a line for each day"),
        command.number("--days", "all of the last N days"),
        command.flag("--foreign", "only sessions by other people"),
        *command.shared("tag", "since", "until", "archived", "scope"),
    ),
    """examples:
  memory list               the newest sessions
  memory list -n 10         the newest 10
  memory list --days 7
  memory list --by-day      the newest days, with their topics
  memory list --project shop    what the project of that name knows
  memory list --tag redis
  memory list --foreign     what came by git or import from others
  memory list --json | jq '.sessions[].topic'""",
)
