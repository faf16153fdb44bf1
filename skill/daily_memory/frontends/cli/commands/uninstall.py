"""`memory uninstall`"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from daily_memory import results
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output, Styled
from daily_memory.installation import uninstall_command
from daily_memory.text import filled


def run(options: Options) -> Output:
    memory = open_memory(options)
    removal = memory.setup.uninstall(dry_run=True, argv=sys.argv)
    is_dry = options.dry_run or not options.everything
    lines = list(_lines(removal))
    if not is_dry:
        if not options.yes:
            for line in lines:
                terminal.talk(line)
        terminal.confirm("remove all of this?", is_sure=options.yes)
        memory.setup.uninstall(argv=sys.argv)
    program = uninstall_command()
    value = {
        "dry_run": is_dry,
        "changed": [change.path for change in removal.changes],
        "removed": list(removal.paths),
        "repositories": list(removal.repositories),
        "kept": list(removal.kept),
        "program": program,
    }
    done = "nothing was changed; `memory uninstall --everything` does it"
    last = done if is_dry else filled("removed; the program itself goes with: {}", program)
    return Output(value, lines if is_dry else (), [last], removal.warnings)


def _lines(removal: results.Removal) -> Iterator[command.Line]:
    for change in removal.changes:
        yield (
            Styled(terminal.label(change.action, 8), "removed"),
            terminal.short_path(change.path),
            Styled(f"  ({change.part})", "dim"),
        )
    for path in removal.paths:
        yield Styled(terminal.label("remove", 8), "removed"), terminal.short_path(path)
    for path in removal.repositories:
        where = f"{terminal.short_path(path)}: {terminal.say('its merge driver')}"
        yield Styled(terminal.label("change", 8), "removed"), where
    for path in removal.kept:
        yield Styled(terminal.label("keep", 8), "good"), terminal.short_path(path)


UNINSTALL = CliCommand(
    run,
    (command.flag("--everything", "remove it, after asking"), *command.shared("dry_run", "yes")),
    """examples:
  memory uninstall                 what would be removed, and what stays
  memory uninstall --everything    remove it
  memory install cursor --uninstall    one assistant only

Memories stay, and so do the keys of encrypted ones. It ends with the command that removes the
program.""",
)
