"""`memory inject`"""

from __future__ import annotations

from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_named
from daily_memory.frontends.cli.command import CliCommand, Options


def run(options: Options) -> int:
    memory, name = open_named(options)
    injection = memory.inject(
        " ".join(options.query),
        max_chars=options.max_chars,
        scope=options.scope,
        now=options.now,
        project=name,
    )
    terminal.warn((*map(str, memory.settings_problems), *injection.warnings))
    if options.json:
        value = {"context": injection.text, "ids": list(injection.ids)}
        terminal.show_json({**value, "warnings": list(injection.warnings)})
    else:
        terminal.write(injection.text)
    return 0


INJECT = CliCommand(
    run,
    (
        command.argument("query", "QUERY", "the user's question", nargs="*"),
        command.argument(
            "--max-chars", "N", "maximum length; default: 4000", type=int, default=4000
        ),
        *command.shared("now", "scope"),
    ),
    """examples:
  memory inject "how do we cache reports?"     what is relevant to the question
  memory inject                                recent work, for a new conversation

It prints nothing if nothing is relevant.""",
)
