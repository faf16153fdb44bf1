"""`memory init`"""

from __future__ import annotations

import os
import sys

from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output

_NEXT = (
    "next: `memory install` lists the assistants found here; `memory install claude` sets one up",
    "`memory serve` shows it in your browser; `memory review` and `memory cleanup` look after it",
)


def run(options: Options) -> Output:
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
    value: dict[str, object] = {"path": root.path, "scope": root.scope, "made": list(made)}
    lines = [
        terminal.say("made: {}" if made else "already there: {}", root.path),
        *(f"  {path}" for path in made),
    ]
    if registration:
        value["git"] = registration._asdict()
        repository = registration.repository
        lines.append(
            terminal.say("git: {} shares the days and merges them section by section", repository)
        )
        done = registration.done or ("it was set up already",)
        lines += [f"  {terminal.say(what)}" for what in done]
    warnings = registration.warnings if registration else ()
    return Output(value, lines, _NEXT if made else (), warnings)


def _program() -> list[str]:
    """Return the words that start this program from any folder, also where PATH is another one."""
    script = os.path.abspath(sys.argv[0])
    is_command = os.access(script, os.X_OK) and not script.endswith(".py")
    return [script] if is_command else [sys.executable, script]


INIT = CliCommand(
    run,
    (
        command.flag("--global", "create the global memory", dest="is_global"),
        command.flag("--git", "let git track the memory and merge days section by section"),
    ),
    """examples:
  memory init              in this project
  memory init --global     for all projects
  memory init --git        share the memory through git; once in each clone""",
)
