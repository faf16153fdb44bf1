"""`memory hook`, `merge-driver` and `redact`: what programs call."""

from __future__ import annotations

from daily_memory.core.hosts.names import HOSTS
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.frontends import hooks
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory

# What git takes for "the driver failed", and not for a conflict that it left in the file.
_FAILED = 129


def _hook(options: Options) -> int:
    # A call without options never comes here (`__main__`): the host waits for it.
    return hooks.main([options.host, options.event])


HOOK = CliCommand(
    _hook,
    (
        command.argument("host", "HOST", f"who calls: {', '.join(HOSTS)}", nargs="?", default=""),
        command.argument(
            "event", "EVENT", "the event, if the JSON does not name it", nargs="?", default=""
        ),
    ),
    """example:
  echo '{"hook_event_name": "stop", "conversation_id": "1"}' | memory hook cursor

Hosts call it. `memory doctor` reports problems.""",
)


def _merge(options: Options) -> Output | int:
    try:
        paths = options.base, options.ours, options.theirs
        is_clean = Memory("").setup.merge_days(*paths, options.name)
    except DailyMemoryError as error:
        if options.debug:
            raise
        terminal.show_error(error, as_json=options.json)
        return _FAILED
    return Output({"path": options.ours, "clean": is_clean}, status=0 if is_clean else 1)


MERGE_DRIVER = CliCommand(
    _merge,
    (
        command.argument("base", None, "the common ancestor; may be empty"),
        command.argument("ours", None, "our version; the result is written here"),
        command.argument("theirs", None, "their version"),
        command.argument("name", None, "the path in the repository", nargs="?", default=""),
    ),
    """Git runs it when two branches changed a day; `memory init --git` registers it.

examples:
  memory merge-driver %O %A %B %P               as in the configuration of git
  memory merge-driver base.md ours.md theirs.md

Exit status: 0 merged, 1 conflicts (the file is no day file), 129 nothing was written.""",
)


def _redact(options: Options) -> int:
    memory = open_memory(options)
    terminal.warn(map(str, memory.settings_problems))
    if options.jsonl:
        for number, item in terminal.read_jsonl():
            text = item.get("text")
            if not isinstance(text, str):
                raise InvalidInputError(f'line {number} has no "text"')
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
    _redact,
    (command.flag("--jsonl", 'lines {"id", "text"} in and out'),),
    """examples:
  git diff | memory redact
  memory redact --jsonl < texts.jsonl     lines {"id": …, "text": …} in and out""",
)
