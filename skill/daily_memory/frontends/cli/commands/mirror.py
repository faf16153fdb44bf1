"""`memory mirror`"""

from __future__ import annotations

import argparse
import os

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.memory import Memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import Status


ACTIONS = ("status", "sync", "rebuild", "drop")
EXAMPLES = """examples:
  memory mirror status      what it holds, and whether it is current
  memory mirror sync        update it; every search does so too
  memory mirror rebuild     build it again from the files
  memory mirror drop        remove it

Enable it with `memory config set mirror.enabled true`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    add_options(parser, "dry_run", "yes", "scope")


def run(options: argparse.Namespace) -> int:
    if (options.dry_run or options.yes) and options.action != "drop":
        raise InvalidInputError(
            f"{options.action} removes nothing", hint="leave --dry-run and --yes out"
        )
    memory = open_memory(options)
    if options.action == "drop":
        return _drop(memory, options)
    if options.action == "status":
        found = memory.mirror.status(scope=options.scope)
    else:
        found = memory.mirror.sync(
            scope=options.scope,
            rebuild=options.action == "rebuild",
            progress=terminal.progress_bar("files mirrored"),
        )
    if options.json:
        terminal.show_json({"mirrors": [status._asdict() for status in found]})
    else:
        for status in found:
            _show(status)
        if not found:
            terminal.talk("no memory here yet; `memory save` or `memory init` makes one")
    return 0


def _show(status: Status) -> None:
    terminal.show(f"{status.path}: {status.state}")
    if status.message:
        terminal.show(f"  {status.message}")
    if status.state in ("current", "behind"):
        parts = (
            counted(status.sessions, "session"),
            f"{counted(status.observations, 'observation')}, {status.private} of them private",
            "1 summary" if status.summaries == 1 else f"{status.summaries} summaries",
        )
        terminal.show(f"  {'; '.join(parts)}")
        terminal.show(f"  {status.size / 1e6:.1f} MB")
    if status.behind:
        terminal.show(
            f"  {counted(status.behind, 'file')} changed since; the next search reads them"
        )


def _drop(memory: Memory, options: argparse.Namespace) -> int:
    found = memory.mirror.paths(scope=options.scope)
    for path in found:
        terminal.talk(f"{path}  {os.path.getsize(path) / 1e6:.1f} MB; the files have it all")
    if found and not options.dry_run:
        terminal.confirm(f"remove {counted(len(found), 'mirror')}?", is_sure=options.yes)
        found = memory.mirror.drop(scope=options.scope)
    if options.json:
        terminal.show_json({"dropped": found, "dry_run": options.dry_run})
    done = "would be removed: this was a dry run" if options.dry_run else "removed"
    terminal.talk(f"{counted(len(found), 'mirror')} {done}" if found else "there is no mirror")
    return 0
