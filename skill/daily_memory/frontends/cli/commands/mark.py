"""`memory mark`"""

from __future__ import annotations

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import filled, joined

_FLAGS = {
    "important": "rank it up and never let it fade",
    "outdated": "rank it down, and leave it out of new conversations",
    "private": "keep it from every search and assistant",
}


def run(options: Options) -> Output:
    given = {name: bool(getattr(options, name)) for name in _FLAGS}
    flags = given if options.clear else {name: True for name, is_set in given.items() if is_set}
    both = [name for name in options.without if given[name]]
    if both:
        raise InvalidInputError("--{} and --not {} do not go together", both[0], both[0])
    flags |= dict.fromkeys(options.without, False)
    if not flags:
        hint = "one of --important, --outdated, --private, --not FLAG, --clear"
        raise InvalidInputError("no flag given", hint=hint)
    memory = open_memory(options)
    ids = [memory.id_of(id_, scope=options.scope) for id_ in options.id]
    edited = memory.mark(ids, flags, scope=options.scope)
    marked = [stored.id for stored in edited.sections]
    note = filled("{}; `memory undo` takes it back", _done(flags))
    value = {
        "marked": marked,
        "flags": flags,
        "undo": edited.operation or None,
        "warnings": list(edited.warnings),
    }
    notes = [note if marked else "nothing to do: marked so already"]
    return Output(value, marked, notes, edited.warnings)


def _done(flags: dict[str, bool]) -> str:
    given = [name for name, is_set in flags.items() if is_set]
    if given:
        return filled("marked as {}", joined(" and ", given))
    if len(flags) == len(_FLAGS):
        return "marks taken away"
    return filled("mark {} taken away", joined(" and ", flags))


MARK = CliCommand(
    run,
    (
        command.argument("id", "ID", "a session id, or last", nargs="+"),
        *(command.flag(f"--{name}", text) for name, text in _FLAGS.items()),
        command.repeated(
            "--not", None, "remove this mark; repeatable", dest="without", choices=tuple(_FLAGS)
        ),
        command.flag("--clear", "remove all other marks"),
        *command.shared("scope"),
    ),
    """examples:
  memory mark 2026-01-29#1 --important        rank it up; it never fades
  memory mark last --outdated                 rank the newest session down
  memory mark 2026-01-29#1 --private          keep it out of search and recall
  memory mark 2026-01-29#1 --not important    remove one mark

`memory undo` takes it back.""",
)
