"""`memory review`"""

from __future__ import annotations

import argparse

from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.model import counted

EXAMPLES = """examples:
  memory review              the first of each kind, each with the command that would fix it
  memory review --limit 0    all of them
  memory review --json | jq -r '.findings[].command'

Nothing is changed: look at each with `memory show ID`, then run its command, or leave it."""

_LIMIT = 5
_HEADINGS = {
    "contradiction": "contradicted later",
    "outdated": "perhaps outdated",
    "duplicate": "nearly the same",
    "poor": "thin or noisy",
    "important": "important for long",
    "summary": "summary",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-n",
        "--limit",
        type=int,
        default=_LIMIT,
        metavar="N",
        help=f"how many of each kind, 0 for all; default: {_LIMIT}",
    )
    add_options(parser, "scope")


def run(options: argparse.Namespace) -> int:
    if options.limit < 0:
        raise InvalidInputError(f"--limit: {options.limit} is less than 0", hint="0 shows all")
    reviewed = open_memory(options).review(
        scope=options.scope, limit=options.limit, progress=terminal.progress_bar("reviewing")
    )

    if options.json:
        terminal.show_json(json_shapes.review(reviewed))
        return 0
    for kind in _HEADINGS:
        remarks = [remark for remark in reviewed.remarks if remark.finding.kind == kind]
        if remarks:
            _show_kind(kind, remarks, reviewed)
    private = f"; {reviewed.private} private not looked at" if reviewed.private else ""
    found = "nothing to look at" if not reviewed.remarks else "nothing was changed"
    terminal.talk(f"{counted(reviewed.sessions, 'session')}{private}: {found}")
    return 0


def _show_kind(kind: str, remarks: list[Remark], reviewed: Reviewed) -> None:
    total = reviewed.counts[kind]
    more = f", the first {len(remarks)}: --limit 0 shows all" if total > len(remarks) else ""
    terminal.show(f"{_HEADINGS[kind]}: {total}{more}")
    for remark in remarks:
        for session in remark.finding.sessions:
            topic = " ".join(session.topic.split())
            terminal.show(f"  {remark.root.scoped(session.id):<14}  {topic}".rstrip())
        terminal.show(f"      {remark.finding.reason}")
        terminal.show(f"      {remark.command}")
    terminal.show()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import Remark, Reviewed
