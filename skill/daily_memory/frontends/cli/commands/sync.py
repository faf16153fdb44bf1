"""`memory sync`"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from daily_memory import results
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory
from daily_memory.text import counted, filled, joined


def run(options: Options) -> Output:
    memory = open_memory(options)
    if options.show_key or options.key:
        if options.show_key and options.key:
            raise InvalidInputError("--{} and --{} do not go together", "key", "show-key")
        return _key(memory, options)
    with terminal.progress("days compared"):
        synced = memory.sync.run(
            options.remote,
            name=options.name,
            scope=options.scope,
            is_new=options.new_key,
            dry_run=options.dry_run,
        )
    value = {"memories": list(map(_as_json, synced))}
    notes = ["nothing was changed or sent: this was a dry run"] if options.dry_run else []
    warnings = [warning for each in synced for warning in each.warnings]
    return Output(value, [line for each in synced for line in _lines(each)], notes, warnings)


def _key(memory: Memory, options: Options) -> Output:
    if options.show_key:
        key = memory.sync.key()
        return Output({"key": key}, [key], ["anybody with this key can write into your memory"])
    memory.sync.set_key(sys.stdin.readline() if options.key == "-" else options.key)
    return Output({"key": "stored"}, notes=["this machine has the key now; run `memory sync`"])


def _lines(synced: results.Synced) -> Iterator[str]:
    say = terminal.say
    yield f"{synced.root.path} ({synced.remote}: {synced.name})"
    for verb, changes in (("received: {}", synced.received), ("sent: {}", synced.sent)):
        pairs = zip(("{} new: {}", "{} changed: {}", "{} removed: {}"), changes, strict=True)
        parts = [filled(what, len(ids), _some(ids)) for what, ids in pairs if ids]
        yield f"  {say(verb, joined('; ', parts) if parts else 'nothing')}"
    if synced.private:
        yield say("  {} stayed here", counted(synced.private, "private session"))


def _some(ids: tuple[str, ...], most: int = 5) -> str:
    more = terminal.say(" and {} more", len(ids) - most) if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def _as_json(synced: results.Synced) -> dict[str, object]:
    return {
        "path": synced.root.path,
        "remote": synced.remote,
        "name": synced.name,
        "received": synced.received._asdict(),
        "sent": synced.sent._asdict(),
        "private": synced.private,
        "dry_run": synced.dry_run,
        "warnings": list(synced.warnings),
    }


SYNC = CliCommand(
    run,
    (
        command.argument(
            "--remote",
            "URL",
            "a repository, or a remote of this project such as origin",
            default="",
        ),
        command.argument(
            "--name", "NAME", "which memory in it; default: the project's name", default=""
        ),
        command.flag("--show-key", "print your key, for another machine"),
        command.argument(
            "--key", "KEY", "use the key of another machine; - reads it from stdin", default=""
        ),
        command.flag("--new-key", "add your memory next to other people's, with a key of your own"),
        *command.shared("dry_run", "save_scope"),
    ),
    """examples:
  memory sync --remote git@example.com:me/memories.git   the first time
  memory sync                                            from then on
  memory sync --dry-run                                  show what would come and go
  memory sync --show-key                                 for the next machine, which runs
  memory sync --key KEY                                  … this, and then the first line

Who can read the repository can read the memory. Private sessions and secrets stay here. For a
sync at the end of each conversation: memory config set --global sync.automatic on""",
)
