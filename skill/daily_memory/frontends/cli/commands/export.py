"""`memory export`"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from datetime import date

from daily_memory.errors import DamagedDataError, InvalidInputError, NotFoundError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import (
    add_options,
    day_option,
    open_memory,
    take_project_name,
)
from daily_memory.model import Problem, counted

EXAMPLES = """examples:
  memory export > backup.json
  memory export --format zip -o backup.zip        the whole memory
  memory export --format html -o memory.html      a page to read and search offline
  memory export --format md --since 2026-01-01 --tag redis
  memory export --format html --scope all -o all.html     all projects

`memory import` reads json, jsonl and zip. HTML leaves out private sessions. An export of an
encrypted memory is plain text: docs/sharing.md says how to encrypt it. The exit status is 5 if
a day could not be read."""

_ZIP = "zip"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("json", "jsonl", "md", "html", _ZIP),
        default="json",
        help="default: json",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file")
    parser.add_argument("--force", action="store_true", help="with -o: overwrite the file")
    parser.add_argument(
        "--with-observations",
        action="store_true",
        help="with --format zip: live sessions as well",
    )
    add_options(parser, "tag", "since", "until", "archived", "scope")


def run(options: argparse.Namespace) -> int:
    _check(options)
    name = take_project_name(options) if options.scope == "all" else ""
    memory = open_memory(options)
    if name:
        memory.projects.check(name)
    if memory.encryption.is_on(options.scope):
        terminal.warn((_PLAIN,))
    if options.format == _ZIP:
        data = memory.export_zip(scope=options.scope, with_observations=options.with_observations)
        return _write(options, iter([data])) if options.output else _send(data)
    numbers: list[int] = []
    missing: list[Problem] = []
    pieces = memory.export(
        options.format,
        scope=options.scope,
        first=day_option(options.since, "--since") or date.min,
        last=day_option(options.until, "--until") or date.max,
        tags=options.tag,
        project=name,
        count=numbers.append,
        archived=options.archived,
        warn=missing.append,
        progress=terminal.progress_bar("sessions") if options.output else None,
    )
    if options.output:
        _write(options, (piece.encode("utf-8", "replace") for piece in pieces), numbers)
    else:
        for piece in pieces:
            terminal.write(piece)
        if not sum(numbers):
            terminal.talk(_NOTHING)
    terminal.warn(tuple(f"{day.message}; its sessions are not in the export" for day in missing))
    return DamagedDataError.exit_status if missing else 0


_PLAIN = (
    "the memory is encrypted, and what is exported is not: keep it safe, or encrypt it with age"
)
_NOTHING = "no sessions: `memory list` shows which there are, and `--scope` names another memory"


def _send(data: bytes) -> int:
    sys.stdout.buffer.write(data)
    return 0


def _check(options: argparse.Namespace) -> None:
    is_zip = options.format == _ZIP
    if is_zip and not options.output and sys.stdout.isatty():
        raise InvalidInputError("a zip is not for the screen", hint="name a file with -o FILE")
    if is_zip and options.scope == "all":
        raise InvalidInputError("a zip holds one memory", hint="make one in each project")
    if is_zip and (options.since or options.until or options.tag):
        hint = "leave out --since, --until and --tag, or take another format"
        raise InvalidInputError("a zip holds the whole memory", hint=hint)
    if is_zip and options.archived:
        raise InvalidInputError("a zip holds the archive anyway", hint="leave out --archived")
    if options.with_observations and not is_zip:
        raise InvalidInputError("--with-observations goes with --format zip only")
    if options.force and not options.output:
        raise InvalidInputError("--force goes with -o FILE only")
    folder = os.path.dirname(options.output or "") or "."
    if not os.path.isdir(folder):
        raise NotFoundError(f"no folder {folder!r} to write to", hint="make it first")
    if options.output and os.path.lexists(options.output) and not options.force:
        hint = "name another file, or give --force to replace it"
        raise InvalidInputError(f"{options.output!r} is there already", hint=hint)


def _write(
    options: argparse.Namespace, pieces: Iterator[bytes], numbers: Sequence[int] | None = None
) -> int:
    """Write a file; `numbers` are of sessions, and add up as the pieces come."""
    data = b"".join(pieces)
    terminal.write_file(options.output, data)
    number = None if numbers is None else sum(numbers)
    if options.json:
        counts = {} if number is None else {"sessions": number}
        terminal.show_json(
            {"path": options.output, "format": options.format, "bytes": len(data), **counts}
        )
    sessions = "" if number is None else f"{counted(number, 'session')}, "
    terminal.talk(f"{options.output}: {sessions}{len(data):,} bytes")
    if number == 0:
        terminal.talk(_NOTHING)
    return 0
