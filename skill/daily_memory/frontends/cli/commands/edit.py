"""`memory edit`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import editor, terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory

EXAMPLES = """examples:
  memory edit 2026-01-29#1                       open $VISUAL or $EDITOR
  memory edit 2026-01-29#1 < section.md          replace the text of the section
  memory edit 2026-01-29#1 --print > section.md  print the text

The text is the whole section, with its heading. If the section changed meanwhile, nothing is
overwritten and your text is kept. `memory undo` takes an edit back."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a session id")
    parser.add_argument("--print", action="store_true", help="print the text, change nothing")
    add_options(parser, "scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    opened = memory.open(options.id, scope=options.scope)
    if options.print:
        terminal.write(opened.text)
        return 0
    root = opened.found.root

    def keep(text: str) -> str:
        return memory.encryption.keep_text(root, str(opened.found.session.id), text.encode())

    with editor.new_text(opened.text, keep=keep if root.modes.is_sealed else None) as text:
        edited = memory.edit(options.id, text, digest=opened.digest, scope=options.scope)
    terminal.warn(edited.warnings)
    if options.json:
        terminal.show_json(
            {
                "id": opened.found.id,
                "changed": bool(edited.sections),
                "undo": edited.operation or None,
                "warnings": list(edited.warnings),
            }
        )
    elif edited.sections:
        terminal.talk(f"changed {opened.found.path}:{opened.found.span.first}")
    else:
        terminal.talk("nothing changed")
    return 0
