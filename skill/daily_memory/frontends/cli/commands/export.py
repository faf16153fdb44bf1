"""`memory export`"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from datetime import date

from daily_memory.errors import DamagedDataError, InvalidInputError, NotFoundError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory, open_named
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.model import Problem
from daily_memory.text import counted, filled

_ZIP = "zip"
_FORMATS = ("json", "jsonl", "md", "html", _ZIP)
_PLAIN = (
    "the memory is encrypted, and what is exported is not: keep it safe, or encrypt it with age"
)
_NOTHING = "no sessions: `memory list` shows which there are, and `--scope` names another memory"


def run(options: Options) -> Output | int:
    if options.file and options.output:
        raise InvalidInputError("two files to write to", hint="name one of them")
    options.output = options.output or options.file
    ending = (options.output or "").rpartition(".")[2].casefold()
    options.format = options.format or (ending if ending in _FORMATS else "json")
    _check(options)
    is_all = options.scope == "all"
    memory, name = open_named(options) if is_all else (open_memory(options), "")
    if memory.encryption.is_on(options.scope):
        terminal.warn([_PLAIN])
    if options.format == _ZIP:
        with terminal.progress("exporting"):
            data = memory.export_zip(
                scope=options.scope, with_observations=options.with_observations
            )
        if options.output:
            return _written(options, [data])
        sys.stdout.buffer.write(data)
        return 0
    numbers: list[int] = []
    missing: list[Problem] = []
    pieces = memory.export(
        options.format,
        scope=options.scope,
        first=options.since or date.min,
        last=options.until or date.max,
        tags=options.tag,
        project=name,
        count=numbers.append,
        archived=options.archived,
        warn=missing.append,
    )
    if options.output:
        output = _written(options, (piece.encode("utf-8", "replace") for piece in pieces), numbers)
    else:
        for piece in pieces:
            terminal.write(piece)
        # With --json too: stdout has the export.
        if not sum(numbers):
            terminal.talk(_NOTHING)
        output = None
    warnings = [filled("{}; its sessions are not in the export", day.message) for day in missing]
    status = DamagedDataError.exit_status if missing else 0
    if output:
        return output._replace(warnings=warnings, status=status)
    terminal.warn(warnings)
    return status


def _check(options: Options) -> None:
    is_zip = options.format == _ZIP
    if is_zip and not options.output and sys.stdout.isatty():
        raise InvalidInputError("can't print a zip to a terminal", hint="name a file with -o FILE")
    if is_zip and options.scope == "all":
        raise InvalidInputError("a zip holds one memory", hint="make one in each project")
    if is_zip and (options.since or options.until or options.tag):
        hint = "leave out --since, --until and --tag, or take another format"
        raise InvalidInputError("a zip holds the whole memory", hint=hint)
    if is_zip and options.archived:
        raise InvalidInputError("a zip holds the archive anyway", hint="leave out --archived")
    if options.with_observations and not is_zip:
        raise InvalidInputError("{} goes with {} only", "--with-observations", "--format zip")
    terminal.check_new_file(options.output, "-o", is_forced=options.force)
    folder = os.path.dirname(options.output or "") or "."
    if not os.path.isdir(folder):
        raise NotFoundError("no folder {!r} to write to", folder, hint="make it first")


def _written(options: Options, pieces: Iterable[bytes], numbers: list[int] | None = None) -> Output:
    """Write a file; `numbers` are of sessions, and add up as the pieces come."""
    path = options.output
    with terminal.progress("exporting"):
        data = b"".join(pieces)
    terminal.write_file(path, data)
    value: dict[str, object] = {"path": path, "format": options.format, "bytes": len(data)}
    notes = [filled("{}: {:,} bytes", path, len(data))]
    if numbers is not None:
        value["sessions"] = sum(numbers)
        notes = [filled("{}: {}, {:,} bytes", path, counted(sum(numbers), "session"), len(data))]
        notes += [] if sum(numbers) else [_NOTHING]
    return Output(value, notes=notes)


EXPORT = CliCommand(
    run,
    (
        command.argument("file", "FILE", "the file to write; default: stdout", nargs="?"),
        command.choice("--format", _FORMATS, "default: as the name of FILE ends, else json"),
        command.argument("-o --output", "FILE", "the same as FILE"),
        command.flag("--force", "with -o: overwrite the file"),
        command.flag("--with-observations", "with --format zip: live sessions as well"),
        *command.shared("tag", "since", "until", "archived", "scope"),
    ),
    """examples:
  memory export > backup.json
  memory export backup.zip           the whole memory
  memory export memory.html          a page to read and search offline
  memory export --format md --since 2026-01-01 --tag redis
  memory export all.html --scope all    all projects

`memory import` reads json, jsonl and zip. HTML leaves out private sessions. An export of an
encrypted memory is plain text: docs/sharing.md says how to encrypt it. The exit status is 5 if
a day could not be read.""",
)
