"""`memory install`"""

from __future__ import annotations

import argparse
import difflib
import os
import sys

from daily_memory.core.hosts.names import host_name
from daily_memory.core.hosts.table import NAMES
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import FileChange, Installation


EXAMPLES = """examples:
  memory install cursor              in this project; outside any, for you
  memory install claude --user       for you, in all projects
  memory install trae --dry-run      show the changes
  memory install cursor --uninstall  remove it"""

_DONE = {"create": "made", "change": "changed", "remove": "removed", "keep": "as it was"}
_WOULD = {"create": "make", "change": "change", "remove": "remove", "keep": "leave"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "host", type=host_name, choices=NAMES, help=f"one of {', '.join(NAMES)}", metavar="HOST"
    )
    parser.add_argument("--user", action="store_true", help="for you, in all projects")
    parser.add_argument("--uninstall", action="store_true", help="remove only what was added")
    add_options(parser, "dry_run")


def run(options: argparse.Namespace) -> int:
    is_project = options.project is not None
    if options.user and is_project:
        raise InvalidInputError("--user and --project exclude each other", hint="give one of them")
    memory = open_memory(options, exactly=True)
    if is_project and not memory.project:
        # The user asked for a project here, whatever marks one elsewhere.
        memory = memory.in_folder(".")
    result = memory.setup.install(
        options.host,
        scope="user" if options.user else "project" if is_project else "",
        uninstall=options.uninstall,
        dry_run=options.dry_run,
        argv=sys.argv,
    )
    if options.json:
        terminal.show_json(_as_json(result, options))
    elif options.dry_run:
        _show_diff(result)
    else:
        _show(result, _DONE)
    return 0


def _show(result: Installation, words: dict[str, str]) -> None:
    changed = sum(change.action != "keep" for change in result.changes)
    what = counted(changed, "file") if changed else "nothing to do"
    terminal.show(f"{result.host.title}, {result.site.scope} {result.site.folder}: {what}")
    for change in result.changes:
        terminal.show(f"  {words[change.action]:<9}  {change.part:<5}  {_short(result, change)}")
    for note in result.notes:
        terminal.show(f"  note: {note}")


def _show_diff(result: Installation) -> None:
    _show(result, _WOULD)
    for change in result.changes:
        for line in diff(change):
            terminal.show(line)


def diff(change: FileChange) -> list[str]:
    """Return a change as the lines of a unified diff."""
    old, new = (_lines(data) for data in (change.before, change.after))
    old_name, new_name = (
        "/dev/null" if data is None else change.path for data in (change.before, change.after)
    )
    return list(difflib.unified_diff(old, new, old_name, new_name, lineterm=""))


def _lines(data: bytes | None) -> list[str]:
    """Return the lines of a file, and mark a last line without end, which a diff would hide."""
    *lines, last = (data or b"").decode("utf-8", "replace").split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _short(result: Installation, change: FileChange) -> str:
    top = os.path.realpath(result.site.folder) + os.sep
    return change.path[len(top) :] if change.path.startswith(top) else change.path


def _as_json(result: Installation, options: argparse.Namespace) -> dict[str, object]:
    return {
        "host": result.host.name,
        "scope": result.site.scope,
        "folder": result.site.folder,
        "uninstall": options.uninstall,
        "dry_run": options.dry_run,
        "files": [
            {
                "path": change.path,
                "part": change.part,
                "action": change.action,
                **({"diff": "\n".join(diff(change))} if options.dry_run else {}),
            }
            for change in result.changes
        ],
        "notes": list(result.notes),
    }
