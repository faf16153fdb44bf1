"""`memory init`"""

from __future__ import annotations

import argparse
import os
import sys

from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory init              in this project
  memory init --global     for all projects
  memory init --git        share the memory through git; once in each clone"""

_NEXT = """\
next: `memory install HOST` has it remember by itself: cursor, claude, trae, vscode, codex
`memory serve` shows it in your browser; `memory review` and `memory cleanup` look after it"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--global", dest="is_global", action="store_true", help="create the global memory"
    )
    parser.add_argument(
        "--git",
        action="store_true",
        help="let git track the memory and merge days section by section",
    )


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options, exactly=True)
    if not options.is_global and not memory.project:
        # The user asked for a project here, whatever marks one elsewhere.
        memory = memory.in_folder(".")
    scope = "global" if options.is_global else "project"
    registration = None
    if options.git:
        root, made, registration = memory.setup.init_git(_program(), scope)
    else:
        root, made = memory.setup.init(scope)
    if registration:
        terminal.warn(registration.warnings)
    if options.json:
        git = {"git": registration._asdict()} if registration else {}
        terminal.show_json({"path": root.path, "scope": root.scope, "made": list(made), **git})
        return 0
    terminal.show(f"{'made' if made else 'already there'}: {root.path}")
    for path in made:
        terminal.show(f"  {path}")
    if registration:
        terminal.show(
            f"git: {registration.repository} shares the days and merges them section by section"
        )
        for done in registration.done or ("nothing was left to do",):
            terminal.show(f"  {done}")
    if made:
        terminal.talk(_NEXT)
    return 0


def _program() -> list[str]:
    """Return the words that start this program from any folder, also where PATH is another one."""
    script = os.path.abspath(sys.argv[0])
    is_command = os.access(script, os.X_OK) and not script.endswith(".py")
    return [script] if is_command else [sys.executable, script]
