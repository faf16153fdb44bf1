"""`memory show` and `memory today`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daily_memory import results
from daily_memory.core.format.markdown import format_section, heading_language
from daily_memory.core.phrases import naming
from daily_memory.core.record import is_of_team
from daily_memory.errors import NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory, open_named
from daily_memory.frontends.cli.command import CliCommand, Options, Output, Styled
from daily_memory.memory import Memory
from daily_memory.text import filled


def run(options: Options) -> Output:
    if is_of_team(options.what):
        return _of_team(open_memory(options), options.what)
    memory, name = open_named(options)
    request = {"scope": options.scope, "project": name}
    sessions = memory.named(options.what, **request, archived=options.archived)
    if not sessions:
        raise _missing(memory, options.what, request)
    if "#" in options.what and options.scope == "all":
        every = memory.get_all(options.what, **request, archived=options.archived)
        if every[1:]:
            terminal.talk(filled("there is also {}", ", ".join(other.id for other in every[1:])))
    return _output(sessions, options)


def _of_team(memory: Memory, record_id: str) -> Output:
    records = memory.team.get(record_id)
    lines = [line for record in records for line in (record.at, *record.text.split("\n"), "")]
    return Output({"records": list(map(json_shapes.record, records))}, lines[:-1])


def _missing(memory: Memory, what: str, request: dict[str, str]) -> NotFoundError:
    """Return the error that says where the sessions are which were not found."""
    if naming.is_last(what):
        hint = "`memory add` saves the first one; `memory list --archived` shows the archive"
        return NotFoundError("no sessions are saved here", hint=hint)
    days = naming.named_days(what, memory.today())
    stored = len(memory.named(what, **request, archived=True))
    if stored:
        hint = filled("`memory show {} --archived` shows, `memory restore` brings back", what)
        return NotFoundError(
            "no sessions for {} but {} in the archive", str(days), stored, hint=hint
        )
    hint = "run `memory list` to see which there are"
    return NotFoundError("no sessions for {}", str(days), hint=hint)


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
