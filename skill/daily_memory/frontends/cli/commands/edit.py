"""`memory edit` and `memory mark`"""

from __future__ import annotations

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, editor, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output

_FLAGS = {
    "important": "rank it up and never let it fade",
    "outdated": "rank it down, and leave it out of new conversations",
    "private": "keep it from every search and assistant",
}


def _edit(options: Options) -> Output | int:
    memory = open_memory(options)
    opened = memory.open(options.id, scope=options.scope)
    stored = opened.found
    if options.print:
        terminal.write(opened.text)
        return 0

    def keep(text: str) -> str:
        return memory.encryption.keep_text(stored.root, str(stored.session.id), text.encode())

    with editor.new_text(opened.text, keep=keep if stored.root.modes.is_sealed else None) as text:
        edited = memory.edit(options.id, text, digest=opened.digest, scope=options.scope)
    is_changed = bool(edited.sections)
    value = {
        "id": stored.id,
        "changed": is_changed,
        "undo": edited.operation or None,
        "warnings": list(edited.warnings),
    }
    note = f"changed {stored.path}:{stored.span.first}" if is_changed else "nothing changed"
    return Output(value, notes=[note], warnings=edited.warnings)


EDIT = CliCommand(
    _edit,
    (
        command.argument("id", "ID", "a session id"),
        command.flag("--print", "print the text, change nothing"),
        *command.shared("scope"),
    ),
    """examples:
  memory edit 2026-01-29#1                       open $VISUAL or $EDITOR
  memory edit 2026-01-29#1 < section.md          replace the text of the section
  memory edit 2026-01-29#1 --print > section.md  print the text

The text is the whole section, with its heading. If the section changed meanwhile, nothing is
overwritten and your text is kept. `memory undo` takes an edit back.""",
)


def _mark(options: Options) -> Output:
    given = {name: bool(getattr(options, name)) for name in _FLAGS}
    flags = given if options.clear else {name: True for name, is_set in given.items() if is_set}
    both = [name for name in options.without if given[name]]
    if both:
        raise InvalidInputError(f"--{both[0]} and --not {both[0]} do not go together")
    flags |= dict.fromkeys(options.without, False)
    if not flags:
        hint = "one of --important, --outdated, --private, --not FLAG, --clear"
        raise InvalidInputError("no flag given", hint=hint)
    edited = open_memory(options).mark(options.id, flags, scope=options.scope)
    marked = [stored.id for stored in edited.sections]
    note = f"{_done(flags)}; `memory undo` takes it back"
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
        return f"marked as {' and '.join(given)}"
    if len(flags) == len(_FLAGS):
        return "marks taken away"
    return f"mark {' and '.join(flags)} taken away"


MARK = CliCommand(
    _mark,
    (
        command.argument("id", "ID", "a session id", nargs="+"),
        *(command.flag(f"--{name}", text) for name, text in _FLAGS.items()),
        command.repeated(
            "--not", None, "remove this mark; repeatable", dest="without", choices=tuple(_FLAGS)
        ),
        command.flag("--clear", "remove all other marks"),
        *command.shared("scope"),
    ),
    """examples:
  memory mark 2026-01-29#1 --important        rank it up; it never fades
  memory mark 2026-01-29#1 --outdated         rank it down
  memory mark 2026-01-29#1 --private          keep it out of search and recall
  memory mark 2026-01-29#1 --not important    remove one mark

`memory undo` takes it back.""",
)
