"""`memory inject`"""

from __future__ import annotations

from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import (
    add_options,
    day_option,
    open_memory,
    take_project_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

EXAMPLES = """examples:
  memory inject "how do we cache reports?"     what is relevant to the question
  memory inject                                recent work, for a new conversation

It prints nothing if nothing is relevant."""

# What each option is where it is not given; flags are False.
PLAIN: dict[str, object] = {
    "query": [],
    "max_chars": 4000,
    "now": None,
    "scope": "",
    "project": None,
    "json": False,
    "debug": False,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", metavar="QUERY", help="the user's question")
    parser.add_argument(
        "--max-chars", type=int, default=4000, metavar="N", help="maximum length; default: 4000"
    )
    parser.add_argument("--now", metavar="YYYY-MM-DD", help="as if this day were today")
    add_options(parser, "scope")


def run(options: argparse.Namespace) -> int:
    name = take_project_name(options)
    memory = open_memory(options)
    if name:
        memory.projects.check(name)
    now = day_option(options.now, "--now")
    injection = memory.inject(
        " ".join(options.query),
        max_chars=options.max_chars,
        scope=options.scope,
        now=now,
        project=name,
    )
    terminal.warn((*map(str, memory.settings_problems), *injection.warnings))
    if options.json:
        answer = {"context": injection.text, "ids": list(injection.ids)}
        terminal.show_json({**answer, "warnings": list(injection.warnings)})
    else:
        terminal.write(injection.text)
    return 0
