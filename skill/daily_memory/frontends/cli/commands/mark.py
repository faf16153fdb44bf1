"""`memory mark`"""

from __future__ import annotations

import argparse

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory

EXAMPLES = """examples:
  memory mark 2026-01-29#1 --important     rank it up; it never fades
  memory mark 2026-01-29#1 --outdated      rank it down
  memory mark 2026-01-29#1 --private       keep it out of search and recall
  memory mark 2026-01-29#1 --not important remove one mark
  memory mark 2026-01-29#1 --clear         remove all three

`memory undo` takes it back."""

_FLAGS = {
    "important": "rank it up and never let it fade",
    "outdated": "rank it down, and leave it out of new conversations",
    "private": "keep it from every search and assistant",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="+", metavar="ID", help="a session id")
    for flag, what in _FLAGS.items():
        parser.add_argument(f"--{flag}", action="store_true", help=what)
    parser.add_argument(
        "--not",
        dest="without",
        action="append",
        default=[],
        choices=tuple(_FLAGS),
        help="remove this mark; repeatable",
    )
    parser.add_argument("--clear", action="store_true", help="remove all other marks")
    add_options(parser, "scope")


def run(options: argparse.Namespace) -> int:
    given = {flag: bool(getattr(options, flag)) for flag in _FLAGS}
    flags = given if options.clear else {flag: True for flag, is_set in given.items() if is_set}
    both = [flag for flag in options.without if given[flag]]
    if both:
        raise InvalidInputError(f"--{both[0]} and --not {both[0]} do not go together")
    flags |= dict.fromkeys(options.without, False)
    if not flags:
        hint = "one of --important, --outdated, --private, --not FLAG, --clear"
        raise InvalidInputError("no flag given", hint=hint)
    edited = open_memory(options).mark(options.id, flags, scope=options.scope)
    terminal.warn(edited.warnings)
    marked = [found.id for found in edited.sections]
    if options.json:
        undo = edited.operation or None
        warnings = list(edited.warnings)
        terminal.show_json({"marked": marked, "flags": flags, "undo": undo, "warnings": warnings})
        return 0
    for id_ in marked:
        terminal.show(id_)
    if not marked:
        terminal.talk("nothing to do: marked so already")
    else:
        terminal.talk(f"{_said(flags)}; `memory undo` takes it back")
    return 0


def _said(flags: dict[str, bool]) -> str:
    given = [flag for flag, is_set in flags.items() if is_set]
    if given:
        return f"marked as {' and '.join(given)}"
    gone = "marks" if len(flags) == len(_FLAGS) else f"mark {' and '.join(flags)}"
    return f"{gone} taken away"
