"""`memory status`: which memories are used here. Bare `memory` adds the main commands."""

from __future__ import annotations

from collections.abc import Iterator

from daily_memory.frontends.cli import parsers
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output, flag
from daily_memory.memory import Memory
from daily_memory.model import counted


def run(options: Options) -> Output:
    memory = open_memory(options)
    why = memory.projects.reason()
    roots = list(_roots(memory))
    value = {
        "project": {"folder": memory.project or None, "why": why},
        "config": memory.config.path,
        "roots": roots,
    }
    where = f"{memory.project} ({why})" if memory.project else "none here, the global memory alone"
    lines = [f"project: {where}"]
    for root in roots:
        last = f", the last on {root['last']}" if root["last"] else ""
        sessions = counted(int(str(root["sessions"])), "session")
        lines.append(f"{root['scope']} memory: {sessions}{last}  {root['path']}")
    if options.commands:
        lines.append(f"\n{parsers.list_commands()}\n")
        lines.append("`memory COMMAND --help` for details, `memory help --all` for all commands")
    return Output(value, lines, warnings=map(str, memory.settings_problems))


def _roots(memory: Memory) -> Iterator[dict[str, object]]:
    for root in memory.roots:
        days = [stored.session.date.isoformat() for stored in memory.sessions(scope=root.scope)]
        row = {"scope": root.scope, "path": root.path, "sessions": len(days)}
        yield {**row, "last": max(days, default=None)}


STATUS = CliCommand(
    run,
    (flag("--commands", "list the main commands too"),),
    """example:
  memory status""",
)
