"""Live sessions: `memory start`, `log`, `end`, `observations` and `timeline`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from daily_memory import results
from daily_memory.core.observation import Observation
from daily_memory.core.record import Record, RecordHit
from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory
from daily_memory.model import KINDS, days_before
from daily_memory.text import counted, filled

_DAYS = 7
_MINUTES = 10


def _start(options: Options) -> Output:
    live = open_memory(options).start(options.conversation, host=options.source)
    return Output(json_shapes.live(live), [live.conversation])


def _log(options: Options) -> Output:
    text = terminal.read_input() if options.text == ["-"] else " ".join(options.text)
    logged = open_memory(options).log(
        text,
        kind=options.kind,
        tags=options.tag,
        private=options.private,
        tool=options.tool,
        conversation=options.conversation,
    )
    value = {**json_shapes.live(logged.live), "observation": logged.id}
    return Output(value, [logged.id], [filled("logged to {}", logged.path)])


def _end(options: Options) -> Output:
    if options.all and options.name:
        raise InvalidInputError("--all and a name do not go together")
    memory = open_memory(options)
    one = not options.all
    ended = [memory.end(options.name, so_far=options.so_far)] if one else memory.end_all()
    return Output(
        {"sessions": list(map(json_shapes.ended, ended))},
        [session.id for session in ended if session.id],
        [filled("not saved: {}", session.skipped) for session in ended if session.skipped],
        [warning for session in ended for warning in session.warnings],
    )


def _observations(options: Options) -> Output:
    live = open_memory(options).observations.live(options.conversation)
    shown = [item for item in live.observations if options.kind in (None, item.kind)]
    value = {**json_shapes.live(live), "observations": list(map(json_shapes.observation, shown))}
    return Output(value, _observation_lines(shown))


def _observation_lines(observations: Sequence[Observation]) -> Iterator[str]:
    for observation in observations:
        what = f"{observation.kind} {observation.tool}".rstrip()
        text = observation.text.replace("\n", f"\n{'':26}")
        yield f"{observation.at[11:19]}  {what:<14}  {text}"


def _timeline(options: Options) -> Output:
    memory = open_memory(options)
    if options.id:
        return _around(memory, options)
    if options.window is not None:
        hint = "`memory search --observations` shows ids"
        raise InvalidInputError("--window needs the id of an observation", hint=hint)
    last = options.until or date.max
    days = options.days or _DAYS
    first = options.since or days_before(options.until or memory.today(), days - 1)
    lives = list(memory.observations.live_sessions(first=first, last=last))
    notes = [] if lives else ["no live sessions in these days"]
    return Output({"sessions": list(map(json_shapes.live, lives))}, map(_live_line, lives), notes)


def _live_line(live: results.LiveSession) -> str:
    became = live.digested or live.skipped or "not saved yet"
    host = f"  {live.host}" if live.host else ""
    became, seen = map(terminal.say, (became, counted(len(live.observations), "observation")))
    return f"{live.began[:16]}  {live.conversation}{host}  {seen}  {became}"


def _around(memory: Memory, options: Options) -> Output:
    if options.since or options.until or options.days is not None:
        raise InvalidInputError("an id and days do not go together", hint="--window takes minutes")
    window = _MINUTES if options.window is None else options.window
    # The id may be from a search of all memories.
    records = memory.observations.timeline(options.id, window_min=window, scope="all")
    # An id that it had elsewhere is answered under ours.
    id_ = memory.observations.get([options.id], scope="all")[0].id
    value = {"id": id_, "records": list(map(json_shapes.record, records))}
    return Output(value, _record_lines(records, id_))


def _record_lines(records: Sequence[Record], id_: str) -> Iterator[str]:
    for record in records:
        yield f"{'>' if record.id == id_ else ' '} {record.id}  {_what(record)}"
        yield from (f"      {line}" for line in record.text.split("\n"))


def hit_lines(hits: Sequence[RecordHit], *, explain: bool) -> Iterator[str]:
    for hit in hits:
        notes = terminal.in_brackets(translated=hit.translated)
        yield f"{hit.record.id}  {hit.score:.2f}  {_what(hit.record)}{notes}"
        yield f"    {hit.snippet}"
        yield from (f"    | {terminal.say(line)}" for line in hit.explanation if explain)


def _what(record: Record) -> str:
    tags = (f"#{tag}" for tag in record.tags)
    when = record.at[:19].replace("T", " ")
    return "  ".join(filter(None, (when, record.kind, record.tool, *tags, record.origin)))


START = CliCommand(
    _start,
    (
        command.argument("conversation", "NAME", "its name", nargs="?", default=""),
        command.argument(
            "--source", "NAME", "the program it comes from, such as cursor", default=""
        ),
    ),
    """examples:
  memory start                     print the name of a new live session
  memory start login-bug           start or continue this one

`memory log` adds to it, `memory end` saves it. With hooks you don't need this.""",
)

LOG = CliCommand(
    _log,
    (
        command.argument("text", "TEXT", "what happened; - for stdin", nargs="+"),
        command.choice("--kind", KINDS, "default: note", default="note"),
        command.argument("--tool", "NAME", "the name of the tool, with --kind tool", default=""),
        command.flag("--private", "record it, but keep it out of the session"),
        command.argument(
            "--conversation", "NAME", "the live session; default: the last", default=""
        ),
        *command.shared("tag"),
    ),
    """examples:
  memory log "TTL 定为 300 秒" --kind decision
  memory log "why is it slow?" --kind user --conversation login-bug
  memory log "3 tests failed" --kind tool --tool pytest
  echo "a longer text" | memory log -

It prints the id of the observation.""",
)

END = CliCommand(
    _end,
    (
        command.argument(
            "name", "NAME", "the live session; default: the last", nargs="?", default=""
        ),
        command.flag("--all", "all live sessions that are not saved yet"),
        command.flag("--so-far", "save what there is and go on; no model is asked"),
    ),
    """examples:
  memory end                            digest and save the last live session
  memory end login-bug                  the one with that name
  memory end --all                      all unsaved ones, such as after a crash""",
)

OBSERVATIONS = CliCommand(
    _observations,
    (
        command.argument("conversation", "NAME", "the live session", nargs="?", default=""),
        command.choice("--kind", KINDS, "only this kind"),
    ),
    """examples:
  memory observations                       of the last live session
  memory observations login-bug --kind tool""",
)

TIMELINE = CliCommand(
    _timeline,
    (
        command.argument("id", "ID", "an observation", nargs="?", default=""),
        command.argument(
            "--window",
            "MIN",
            filled("minutes before and after it; default: {}", _MINUTES),
            type=int,
        ),
        command.number("--days", filled("the last N days; default: {}", _DAYS)),
        *command.shared("since", "until"),
    ),
    """examples:
  memory timeline              live sessions of the last 7 days
  memory timeline --since 2026-01-01 --json
  memory timeline 2026-01-29/3f2a-77:12 --window 30     around an observation""",
)
