"""`memory end`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import Ended


EXAMPLES = """examples:
  memory end                            digest and save the last live session
  memory end login-bug                  the one of that name
  memory end --all                      all unsaved ones, such as after a crash"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "name", nargs="?", default="", metavar="NAME", help="the live session; default: the last"
    )
    which.add_argument(
        "--conversation", default="", metavar="NAME", help="the same, for names that begin with -"
    )
    which.add_argument(
        "--all", action="store_true", help="all live sessions that are not saved yet"
    )
    parser.add_argument(
        "--so-far",
        action="store_true",
        help="save what there is and go on; no model is asked",
    )


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    if options.all:
        ended = memory.end_all()
    else:
        name = options.conversation or options.name
        ended = [memory.end(name, so_far=options.so_far)]
    if options.json:
        terminal.show_json({"sessions": [_as_json(session) for session in ended]})
        return 0
    for session in ended:
        terminal.warn(session.warnings)
        if session.id:
            terminal.show(session.id)
        elif session.skipped:
            terminal.talk(f"not saved: {session.skipped}")
    return 0


def _as_json(ended: Ended) -> dict[str, object]:
    return {
        "conversation": ended.conversation,
        "id": ended.id or None,
        "skipped": ended.skipped or None,
        "warnings": list(ended.warnings),
    }
