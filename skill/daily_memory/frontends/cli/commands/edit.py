"""`memory edit`"""

from __future__ import annotations

from daily_memory.frontends.cli import command, editor, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import filled


def run(options: Options) -> Output | int:
    memory = open_memory(options)
    opened = memory.open(memory.id_of(options.id, scope=options.scope), scope=options.scope)
    stored = opened.found
    if options.print:
        terminal.write(opened.text)
        return 0

    def keep(text: str) -> str:
        return memory.encryption.keep_text(stored.root, str(stored.session.id), text.encode())

    with editor.new_text(opened.text, keep=keep if stored.root.modes.is_sealed else None) as text:
        edited = memory.edit(stored.id, text, digest=opened.digest, scope=options.scope)
    is_changed = bool(edited.sections)
    value = {
        "id": stored.id,
        "changed": is_changed,
        "undo": edited.operation or None,
        "warnings": list(edited.warnings),
    }
    note = (
        filled("changed {}:{}", stored.path, stored.span.first) if is_changed else "nothing changed"
    )
    return Output(value, notes=[note], warnings=edited.warnings)


EDIT = CliCommand(
    run,
    (
        command.argument("id", "ID", "a session id, or last"),
        command.flag("--print", "print the text, change nothing"),
        *command.shared("scope"),
    ),
    """examples:
  memory edit 2026-01-29#1                       open $VISUAL or $EDITOR
  memory edit 2026-01-29#1 < section.md          replace the text of the section
  memory edit 2026-01-29#1 --print > section.md  print the text
  memory edit last                               the newest session

The text is the whole section, with its heading. If the section changed meanwhile, nothing is
overwritten and your text is kept. `memory undo` takes an edit back.""",
)
