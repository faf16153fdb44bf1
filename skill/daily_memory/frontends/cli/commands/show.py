"""`memory show` and `memory today`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from daily_memory.core.format.markdown import format_section, heading_language
from daily_memory.core.format.session_json import named_day, parse_date
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory, open_named
from daily_memory.frontends.cli.command import CliCommand, Options, Output, argument, shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.memory import Memory
    from daily_memory.results import StoredSession


def run(options: Options) -> Output:
    memory, name = open_named(options)
    if "#" not in options.what:
        return _output(_of_day(memory, options, name), options)
    request = {"scope": options.scope, "project": name, "archived": options.archived}
    session = memory.get(options.what, **request)
    if options.scope == "all":
        others = [other.id for other in memory.get_all(options.what, **request)[1:]]
        if others:
            terminal.talk(f"there is also {', '.join(others)}")
    return _output([session], options)


def _of_day(memory: Memory, options: Options, project: str) -> list[StoredSession]:
    day = _day(options.what, memory.today())
    period = {"scope": options.scope, "first": day, "last": day, "project": project}
    sessions = list(memory.sessions(**period, archived=options.archived))
    if sessions:
        return sessions
    stored = len(list(memory.sessions(**period, archived=True)))
    if stored:
        hint = f"`memory show {day} --archived` shows, `memory restore {day}` brings back"
        raise NotFoundError(f"no sessions on {day} but {stored} in the archive", hint=hint)
    hint = "run `memory list` to see which there are"
    raise NotFoundError(f"no sessions on {day}", hint=hint)


def _day(text: str, today: date) -> date:
    named = named_day(text, today)
    if named:
        return named
    try:
        return parse_date(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{terminal.first_line(text, 40)!r} is no id, no date and not `today`",
            hint="an id is like 2026-01-29#1, a date like 2026-01-29",
        ) from error


def _today(options: Options) -> Output:
    memory = open_memory(options)
    today = memory.today()
    sessions = list(memory.sessions(scope=options.scope, first=today, last=today))
    notes = [] if sessions else ["nothing was saved today"]
    reminder = terminal.reminder(memory, options)
    return _output(sessions, options)._replace(notes=[*notes, *reminder])


def _output(sessions: Sequence[StoredSession], options: Options) -> Output:
    """Return sessions as they are in their files, each with its place on stderr.

    A session of the global memory names its project; with the scope `all` each does.
    """
    names_project = options.scope == "all"
    value = [json_shapes.session(stored, names_project=names_project) for stored in sessions]
    return Output({"sessions": value}, _lines(sessions, names_project=names_project))


def _lines(sessions: Sequence[StoredSession], *, names_project: bool) -> Iterator[str]:
    for place, stored in enumerate(sessions):
        if place:
            yield ""
        session = stored.session
        project = session.project or (stored.root.project if names_project else "")
        notes = terminal.in_brackets(project, stored.origin, "archived" if stored.archived else "")
        terminal.talk(f"{stored.path}:{stored.span.first}{notes}")
        language = heading_language("auto", [session])
        yield format_section(session, language=language).rstrip("\n-")


SHOW = CliCommand(
    run,
    (
        argument("what", "ID|DATE|today", "a session id, a day, or today"),
        *shared("archived", "scope"),
    ),
    """examples:
  memory show 2026-01-29#1
  memory show 2026-01-29
  memory show today                           also: yesterday, 今天, 昨天
  memory show 2026-01-29#1 --project shop""",
)

TODAY = CliCommand(
    _today,
    shared("scope"),
    """example:
  memory today""",
)
