"""`memory show` and `memory today`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice

from daily_memory import results
from daily_memory.core.format.markdown import format_section, heading_language
from daily_memory.core.format.session_json import parse_date
from daily_memory.core.record import is_of_team
from daily_memory.core.search.dates import Period, asked_period
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory, open_named
from daily_memory.frontends.cli.command import CliCommand, Options, Output, Styled
from daily_memory.memory import Memory

_LAST = ("last", "latest", "newest", "最近", "最后", "最新", "上次")


def run(options: Options) -> Output:
    if is_of_team(options.what):
        return _of_team(open_memory(options), options.what)
    memory, name = open_named(options)
    if "#" not in options.what:
        return _output(_of_days(memory, options, name), options)
    request = {"scope": options.scope, "project": name, "archived": options.archived}
    session = memory.get(options.what, **request)
    if options.scope == "all":
        others = [other.id for other in memory.get_all(options.what, **request)[1:]]
        if others:
            terminal.talk(f"there is also {', '.join(others)}")
    return _output([session], options)


def _of_team(memory: Memory, record_id: str) -> Output:
    records = memory.team.get(record_id)
    lines = [line for record in records for line in (record.at, *record.text.split("\n"), "")]
    return Output({"records": list(map(json_shapes.record, records))}, lines[:-1])


def _of_days(memory: Memory, options: Options, project: str) -> list[results.StoredSession]:
    wanted = {"scope": options.scope, "project": project}
    if options.what in _LAST:
        newest = memory.sessions(**wanted, newest_first=True, archived=options.archived)
        return list(islice(newest, 1))
    days = _days(options.what, memory.today())
    wanted |= {"first": days.first, "last": days.last}
    sessions = list(memory.sessions(**wanted, archived=options.archived))
    if sessions:
        return sessions
    stored = len(list(memory.sessions(**wanted, archived=True)))
    if stored:
        hint = f"`memory show {options.what} --archived` shows, `memory restore` brings back"
        raise NotFoundError(f"no sessions for {days} but {stored} in the archive", hint=hint)
    hint = "run `memory list` to see which there are"
    raise NotFoundError(f"no sessions for {days}", hint=hint)


def _days(text: str, today: date) -> Period:
    """Return the days that a date, or words such as `yesterday` or `上周`, name."""
    try:
        day = parse_date(text)
        return Period(day, day)
    except InvalidInputError as error:
        named = asked_period(text, today)
        if named and named.first > date.min:
            return named
        raise InvalidInputError(
            f"{terminal.first_line(text, 40)!r} is neither an id nor a day",
            hint="an id is like 2026-01-29#1, a day like 2026-01-29, yesterday or 昨天",
        ) from error


def _today(options: Options) -> Output:
    memory = open_memory(options)
    today = memory.today()
    sessions = list(memory.sessions(scope=options.scope, first=today, last=today))
    notes = [] if sessions else ["nothing was saved today"]
    reminder = terminal.reminder(memory, options)
    return _output(sessions, options)._replace(notes=[*notes, *reminder])


def _output(sessions: Sequence[results.StoredSession], options: Options) -> Output:
    """Return sessions as they are in their files, each with its place on stderr.

    A session of the global memory names its project; with the scope `all` each does.
    """
    names_project = options.scope == "all"
    value = [json_shapes.session(stored, names_project=names_project) for stored in sessions]
    return Output({"sessions": value}, _lines(sessions, names_project=names_project))


def _lines(
    sessions: Sequence[results.StoredSession], *, names_project: bool
) -> Iterator[command.Line]:
    for place, stored in enumerate(sessions):
        if place:
            yield ""
        session = stored.session
        project = session.project or (stored.root.project if names_project else "")
        notes = terminal.in_brackets(project, stored.origin, archived=stored.archived)
        terminal.talk((terminal.place_link(stored.path, stored.span.first), Styled(notes, "dim")))
        language = heading_language("auto", [session])
        text = format_section(session, language=language).rstrip("\n-")
        yield from map(_styled, text.split("\n"))


def _styled(line: str) -> command.Line:
    """Return a line of a section: what is read first stands out, what a program reads does not."""
    if line.startswith("#"):
        return (Styled(line, "bold" if line.startswith(("# ", "## ", "### ")) else "tag"),)
    return (Styled(line, "dim"),) if line.startswith("<!-- ") else line


SHOW = CliCommand(
    run,
    (
        command.argument(
            "what",
            "ID|DAY",
            "a session id, or days: a date, or words such as yesterday; default: last",
            nargs="?",
            default="last",
        ),
        *command.shared("archived", "scope"),
    ),
    """examples:
  memory show                   the last session
  memory show 2026-01-29#1
  memory show 2026-01-29
  memory show yesterday
  memory show 上周
  memory show 2026-01-29#1 --project shop
  memory show team:shop:alice:2026-01-29#1    found by `memory search --team`""",
)

TODAY = CliCommand(
    _today,
    command.shared("scope"),
    """example:
  memory today""",
)
