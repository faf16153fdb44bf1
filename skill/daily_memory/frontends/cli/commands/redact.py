"""`memory redact`"""

from __future__ import annotations

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options


def run(options: Options) -> int:
    memory = open_memory(options)
    terminal.warn(map(str, memory.settings_problems))
    if options.jsonl:
        for number, item in terminal.read_jsonl():
            text = item.get("text")
            if not isinstance(text, str):
                raise InvalidInputError('line {} has no "text"', number)
            redacted, counts = memory.redact(text)
            terminal.show_json({"id": item.get("id"), "text": redacted, "redactions": counts})
        return 0
    redacted, counts = memory.redact(terminal.read_input())
    if options.json:
        terminal.show_json({"text": redacted, "redactions": counts})
    else:
        terminal.write(redacted)
    return 0


REDACT = CliCommand(
    run,
    (command.flag("--jsonl", 'lines {"id", "text"} in and out'),),
    """examples:
  git diff | memory redact
  memory redact --jsonl < texts.jsonl     lines {"id": …, "text": …} in and out""",
)
