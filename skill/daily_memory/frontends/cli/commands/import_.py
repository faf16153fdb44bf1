"""`memory import`"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from daily_memory.core.hosts.names import host_name
from daily_memory.core.imports import notes
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import ImportResult


EXAMPLES = """examples:
  memory import sessions.jsonl
  memory import backup.zip --dry-run
  memory import ../other                 merge the memory of another project
  memory import ../other/.cursor/skills/memories/daily/2026-01-29.md
  memory import --from claude --dry-run
  memory import --from cursor
  memory import --from notes ~/notes     a folder of Markdown notes
  memory import --from claude --again    deleted conversations too
  memory import --from trae-mem ~/.trae-mem/trae_mem.sqlite3

Nothing is imported twice, and one bad file means that nothing is imported. A whole memory goes
into an empty one as it is, and is merged into any other. --from imports the conversations of
this project: docs/sharing.md."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="JSON, JSONL, a day file, a folder of them, a memory or its zip",
    )
    parser.add_argument(
        "--from",
        dest="host",
        type=host_name,
        choices=("claude", "cursor", "trae-mem", "claude-mem", "notes"),
        help="import from another program; FILE may name its files",
    )
    parser.add_argument(
        "--all-projects",
        action="store_true",
        help="with --from: all projects, into the global memory",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="with --from: also what you deleted here",
    )
    parser.add_argument(
        "--with-config",
        action="store_true",
        help="of a zip or folder, into the global memory: its config.json too",
    )
    add_options(parser, "dry_run", "save_scope")


def run(options: argparse.Namespace) -> int:
    if options.host:
        return _run_from(options)
    if options.all_projects:
        raise InvalidInputError("--all-projects goes with --from only")
    if options.again:
        hint = "a file that you name brings in all that it has"
        raise InvalidInputError("--again goes with --from only", hint=hint)
    if not options.files:
        raise InvalidInputError("nothing to import", hint="name a file, or use --from")
    result = open_memory(options).import_files(
        options.files,
        scope=options.scope,
        with_config=options.with_config,
        dry_run=options.dry_run,
        progress=terminal.progress_bar("importing"),
    )
    terminal.warn(result.warnings)
    if options.json:
        terminal.show_json(
            {
                "imported": 0 if options.dry_run else len(result.ids),
                "present": result.present,
                "ids": list(result.ids),
                "redactions": dict(result.redactions),
                "renumbered": dict(result.renumbered),
                "restored": list(result.restored),
                "archived": list(result.archived),
                "returned": result.returned,
                "warnings": list(result.warnings),
                "dry_run": options.dry_run,
            }
        )
    _tell(result, options)
    return 0


def _tell(result: ImportResult, options: argparse.Namespace) -> None:
    """Tell people what came, or would come."""
    for was, now in result.renumbered:
        terminal.talk(f"{was} is another session here: it {_would(options)}{now}")
    done = "would be imported" if options.dry_run else "imported"
    terminal.talk(
        f"{counted(len(result.ids), 'session')} {done}, {result.present} there already,"
        f" {_hidden(result.redactions)}"
    )
    if result.archived:
        verb = "would go" if options.dry_run else "went"
        terminal.talk(f"{len(result.archived)} of them {verb} into the archive")
    if result.returned:
        terminal.talk(f"{result.returned} of them had been deleted here")
    if result.restored:
        verb = "would be written" if options.dry_run else "written"
        are = "it is" if len(result.restored) == 1 else "they are"
        terminal.talk(f"{counted(len(result.restored), 'file')} {verb} as {are}")
    if not (result.ids or result.present or result.restored):
        terminal.talk(_NOTHING)


_NOTHING = "no session was found; in a day, one begins with a line such as `## Session 1 - 10:30`"


def _hidden(redactions: Sequence[tuple[str, int]]) -> str:
    """Return how many secrets were hidden, and of what kinds."""
    kinds = ", ".join(kind for kind, _ in redactions)
    text = f"{counted(sum(count for _, count in redactions), 'secret')} hidden"
    return f"{text} ({kinds})" if kinds else text


def _would(options: argparse.Namespace) -> str:
    return "would become " if options.dry_run else "became "


def _run_from(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    result = memory.import_from(
        options.host,
        options.files,
        scope=options.scope,
        all_projects=options.all_projects,
        again=options.again,
        dry_run=options.dry_run,
        progress=terminal.progress_bar("conversations"),
    )
    terminal.warn((*map(str, memory.settings_problems), *result.warnings))
    if options.json:
        terminal.show_json(_as_json(result, is_dry_run=options.dry_run))
    elif options.dry_run:
        for session in result.sessions:
            where = f"  ({session.project})" if session.project else ""
            terminal.show(f"{session.date} {session.time}  {session.topic}{where}")
    for reason, count in result.skipped:
        terminal.talk(f"{counted(count, 'conversation')} passed over: {reason}")
    number = len(result.sessions) if options.dry_run else len(result.ids)
    done = "would be imported" if options.dry_run else "imported"
    what = "note" if options.host == notes.HOST else "conversation"
    terminal.talk(
        f"{counted(number, what)} {done}, {result.present} there already,"
        f" {_hidden(result.redactions)}"
    )
    if result.deleted:
        them = "it" if result.deleted == 1 else "them"
        left_out = f"{counted(result.deleted, what)} left out, deleted here before"
        terminal.talk(f"{left_out}: --again brings {them} in")
    if not (number or result.present or result.skipped or result.renewed or result.deleted):
        terminal.talk(f"nothing of {options.host} was found there")
    if result.renewed and not result.observations:
        renewed = "would be brought" if options.dry_run else "brought"
        terminal.talk(f"{counted(len(result.renewed), what)} {renewed} up to date")
    if result.observations:
        went_on = f", {counted(len(result.renewed), 'session')} brought up to date"
        terminal.talk(
            f"{counted(result.observations, 'observation')} {done}"
            f"{went_on if result.renewed else ''}"
        )
    return 0


def _as_json(result: ImportResult, *, is_dry_run: bool) -> dict[str, object]:
    listed = [
        {
            "date": session.date.isoformat(),
            "time": session.time,
            "topic": session.topic,
            "project": session.project or None,
            "conversation": session.conversation,
        }
        for session in result.sessions
    ]
    return {
        "imported": len(result.ids),
        "present": result.present,
        "deleted": result.deleted,
        "ids": list(result.ids),
        "redactions": dict(result.redactions),
        "skipped": dict(result.skipped),
        "renewed": list(result.renewed),
        "observations": result.observations,
        "warnings": list(result.warnings),
        **({"would_import": listed} if is_dry_run else {}),
    }
