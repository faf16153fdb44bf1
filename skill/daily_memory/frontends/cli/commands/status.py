"""`memory status`: which memories are used here. Bare `memory` adds the main commands."""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import parsers, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.memory import Memory
from daily_memory.model import counted

EXAMPLES = """example:
  memory status"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--commands", action="store_true", help="list the main commands too")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    roots = _roots(memory)
    if options.json:
        project = {"folder": memory.project or None, "why": memory.projects.reason()}
        terminal.show_json({"project": project, "config": memory.config.path, "roots": roots})
        return 0
    if memory.project:
        terminal.show(f"project: {memory.project} ({memory.projects.reason()})")
    else:
        terminal.show("project: none here, the global memory alone")
    for root in roots:
        last = f", the last on {root['last']}" if root["last"] else ""
        sessions = counted(int(str(root["sessions"])), "session")
        terminal.show(f"{root['scope']} memory: {sessions}{last}  {root['path']}")
    if options.commands:
        terminal.show(f"\n{parsers.list_commands()}\n")
        terminal.show("`memory COMMAND --help` for details, `memory help --all` for all commands")
    terminal.warn(tuple(map(str, memory.settings_problems)))
    return 0


def _roots(memory: Memory) -> list[dict[str, object]]:
    rows = []
    for root in memory.roots:
        days = [found.session.date.isoformat() for found in memory.sessions(scope=root.scope)]
        row = {"scope": root.scope, "path": root.path, "sessions": len(days)}
        rows.append({**row, "last": max(days, default=None)})
    return rows
