"""`memory unlock`"""

from __future__ import annotations

import argparse
import sys

from daily_memory.core.format.session_json import parse_date
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import editor, terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory

EXAMPLES = """examples:
  memory unlock                  today, in $VISUAL or $EDITOR
  memory unlock 2026-01-29
  memory unlock 2026-01-29 --print            print the day as plain text
  memory unlock 2026-01-29 < new.md           replace the text of the day

The editor gets a temporary file. If the day changed meanwhile, nothing is overwritten and your
text is kept, encrypted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("day", nargs="?", default="today", help="YYYY-MM-DD; default: today")
    parser.add_argument("--print", action="store_true", help="print the text, change nothing")
    add_options(parser, "save_scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    day = memory.today() if options.day == "today" else parse_date(options.day, "day")
    unlocked = memory.encryption.unlock(day, scope=options.scope)
    text = unlocked.data.decode("utf-8", "surrogateescape")
    if options.print:
        terminal.write(text)
        return 0

    def keep(written: str) -> str:
        data = written.encode("utf-8", "surrogateescape")
        return memory.encryption.keep_text(unlocked.root, str(day), data)

    is_typed = sys.stdin.isatty()
    with editor.new_text(text, keep=keep, errors="surrogateescape") as new:
        if not new.strip():
            if is_typed:
                hint = "`memory delete` deletes sessions"
                raise InvalidInputError("there is no text left", hint=hint)
            hint = "run it in a terminal for your editor, or with --print to read the day"
            raise InvalidInputError("stdin, which is to give the new text, is empty", hint=hint)
        is_changed = memory.encryption.lock_again(unlocked, new.encode("utf-8", "surrogateescape"))
    if options.json:
        terminal.show_json({"path": unlocked.path, "changed": is_changed})
    else:
        terminal.talk(f"changed {unlocked.path}" if is_changed else "nothing changed")
    return 0
