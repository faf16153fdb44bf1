"""`memory install`"""

from __future__ import annotations

import difflib
import os
import sys
from collections import Counter
from collections.abc import Iterator

from daily_memory import results
from daily_memory.core.hosts.table import NAMES
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import counted, filled, joined

_DONE = {"create": "made", "change": "changed", "remove": "removed", "keep": "as it was"}
_WOULD = {"create": "make", "change": "change", "remove": "remove", "keep": "leave"}


def run(options: Options) -> Output:
    is_project = options.project is not None
    if options.user and is_project:
        raise InvalidInputError("--user and --project exclude each other", hint="give one of them")
    memory = open_memory(options, exactly=True)
    if is_project and not memory.project:
        # The user asked for a project here, whatever marks one elsewhere.
        memory = memory.in_folder(".")
    # Without a name it shows what it would do, with --yes it does that.
    is_dry = options.dry_run or not (options.hosts or options.yes)
    hosts = options.hosts or memory.setup.find_hosts()
    # All of them are looked through before the first is changed.
    for is_trial in dict.fromkeys((True, is_dry)) if len(hosts) > 1 else (is_dry,):
        installed = [
            memory.setup.install(
                host,
                scope="user" if options.user else "project" if is_project else "",
                uninstall=options.uninstall,
                dry_run=is_trial,
                argv=sys.argv,
            )
            for host in hosts
        ]
    values = [_as_json(result, options, is_dry=is_dry) for result in installed]
    is_one = len(options.hosts) == 1
    return Output(values[0] if is_one else {"hosts": values}, _lines(installed, options))


def _as_json(result: results.Installation, options: Options, *, is_dry: bool) -> dict[str, object]:
    return {
        "host": result.host.name,
        "scope": result.site.scope,
        "folder": result.site.folder,
        "uninstall": options.uninstall,
        "dry_run": is_dry,
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


def _lines(installed: list[results.Installation], options: Options) -> Iterator[str]:
    is_list = not (options.hosts or options.yes or options.dry_run)
    say = terminal.say
    words = _WOULD if options.dry_run or is_list else _DONE
    counts = Counter(note for result in installed for note in result.notes)
    shared = [note for note, count in counts.items() if count == len(installed) > 1]
    for result in installed:
        changed = sum(change.action != "keep" for change in result.changes)
        what = counted(changed, "file") if changed else "nothing to do"
        place = joined(" ", (result.site.scope, result.site.folder))
        yield say(joined(": ", (joined(", ", (result.host.title, place)), what)))
        top = os.path.realpath(result.site.folder) + os.sep
        for change in result.changes:
            action = terminal.label(words[change.action], 9)
            yield f"  {action}  {change.part:<5}  {change.path.removeprefix(top)}"
        own = [note for note in result.notes if note not in shared]
        yield from ("  " + say("note: {}", note) for note in own)
        for change in result.changes if options.dry_run else ():
            yield from diff(change)
    yield from (say("note: {}", note) for note in shared)
    if not installed:
        yield say("no assistant found; name one of {}", ", ".join(NAMES))
    elif is_list:
        yield say("nothing was changed: name one of them, or pass --yes for all")


def diff(change: results.FileChange) -> list[str]:
    """Return a change as the lines of a unified diff."""
    old, new = (_lines_of(data) for data in (change.before, change.after))
    old_name, new_name = (
        "/dev/null" if data is None else change.path for data in (change.before, change.after)
    )
    return list(difflib.unified_diff(old, new, old_name, new_name, lineterm=""))


def _lines_of(data: bytes | None) -> list[str]:
    """Return the lines of a file, and mark a last line without end, which a diff would hide."""
    *lines, last = (data or b"").decode("utf-8", "replace").split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


INSTALL = CliCommand(
    run,
    (
        command.argument("hosts", "HOST", filled("one of {}", ", ".join(NAMES)), nargs="*"),
        command.flag("--user", "for you, in all projects"),
        command.flag("--uninstall", "remove only what was added"),
        command.flag("-y --yes", "without HOST: install into all that are found"),
        *command.shared("dry_run"),
    ),
    """examples:
  memory install                     the assistants found here, and what it would change
  memory install cursor              in this project; outside any, for you
  memory install claude cursor       both of them
  memory install claude --user       for you, in all projects
  memory install trae --dry-run      show the changes
  memory install cursor --uninstall  remove it""",
)
