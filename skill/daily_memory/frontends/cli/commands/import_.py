"""`memory import`"""

from __future__ import annotations

import argparse

from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import add_scope, open_memory
from daily_memory.model import counted

EXAMPLES = """examples:
  memory import sessions.jsonl
  memory import backup.json --scope global
  memory import ../other/.cursor/skills/memories/daily/2026-01-29.md

A file that was imported before adds nothing; one bad line, and nothing of its file is imported."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="JSON, JSONL, or a day file YYYY-MM-DD.md"
    )
    add_scope(parser, choices=("project", "global"))


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    progress = screen.progress_bar("sessions")
    results = [
        memory.import_file(path, scope=options.scope, progress=progress) for path in options.files
    ]
    screen.warn(tuple(warning for result in results for warning in result.warnings))
    ids = [name for result in results for name in result.ids]
    present = sum(result.present for result in results)
    hidden: dict[str, int] = {}
    for kind, count in (pair for result in results for pair in result.redactions):
        hidden[kind] = hidden.get(kind, 0) + count
    if options.json:
        screen.show_json(
            {"imported": len(ids), "present": present, "ids": ids, "redactions": hidden}
        )
    counts = f"{counted(len(ids), 'session')} imported, {present} there already"
    screen.talk(f"{counts}, {counted(sum(hidden.values()), 'secret')} hidden")
    return 0
