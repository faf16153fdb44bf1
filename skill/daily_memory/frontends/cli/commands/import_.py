"""`memory import`"""

from __future__ import annotations

from collections.abc import Iterator

from daily_memory import results
from daily_memory.core.hosts.names import host_name
from daily_memory.core.imports import notes
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, endings, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import counted, filled

_NOTHING = "no session was found; in a day, one begins with a line such as `## Session 1 - 10:30`"


def run(options: Options) -> Output:
    with endings.unwound():
        return _import_from(options) if options.host else _import_files(options)


def _import_files(options: Options) -> Output:
    if options.all_projects:
        raise InvalidInputError("{} goes with {} only", "--all-projects", "--from")
    if options.again:
        hint = "a file that you name brings in all that it has"
        raise InvalidInputError("{} goes with {} only", "--again", "--from", hint=hint)
    if not options.files:
        raise InvalidInputError("nothing to import", hint="name a file, or use --from")
    with terminal.progress("importing"):
        result = open_memory(options).import_files(
            options.files,
            scope=options.scope,
            with_config=options.with_config,
            dry_run=options.dry_run,
        )
    value = {
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
    return Output(value, notes=_notes(result, options), warnings=result.warnings)


def _notes(result: results.ImportResult, options: Options) -> Iterator[str]:
    is_dry = options.dry_run
    for was, now in result.renumbered:
        became = filled("it would become {}" if is_dry else "it became {}", now)
        yield filled("{} is another session here: {}", was, became)
    yield _summary(result, counted(len(result.ids), "session"), options)
    if result.archived:
        count = len(result.archived)
        would = filled("{} of them would go into the archive", count)
        yield would if is_dry else filled("{} of them went into the archive", count)
    if result.returned:
        yield filled("{} of them had been deleted here", result.returned)
    if result.restored:
        files = counted(len(result.restored), "file")
        yield filled("{} would be written unchanged" if is_dry else "{} written unchanged", files)
    if not (result.ids or result.present or result.restored):
        yield _NOTHING


def _summary(result: results.ImportResult, what: str, options: Options) -> str:
    secrets = counted(sum(count for _, count in result.redactions), "secret")
    kinds = ", ".join(kind for kind, _ in result.redactions)
    hidden = filled("{} hidden ({})", secrets, kinds) if kinds else filled("{} hidden", secrets)
    return filled("{}, {} there already, {}", _imported(what, options), result.present, hidden)


def _imported(what: str, options: Options) -> str:
    return filled("{} would be imported" if options.dry_run else "{} imported", what)


def _import_from(options: Options) -> Output:
    memory = open_memory(options)
    with terminal.progress("conversations"):
        result = memory.import_from(
            options.host,
            options.files,
            scope=options.scope,
            all_projects=options.all_projects,
            again=options.again,
            dry_run=options.dry_run,
        )
    sessions = result.sessions if options.dry_run else ()
    lines = [
        f"{session.date} {session.time}  {session.topic}"
        + (f"  ({session.project})" if session.project else "")
        for session in sessions
    ]
    warnings = (*map(str, memory.settings_problems), *result.warnings)
    return Output(_as_json(result, options), lines, _notes_from(result, options), warnings)


def _notes_from(result: results.ImportResult, options: Options) -> Iterator[str]:
    for reason, count in result.skipped:
        yield filled("{} passed over: {}", counted(count, "conversation"), reason)
    number = len(result.sessions) if options.dry_run else len(result.ids)
    what = "note" if options.host == notes.HOST else "conversation"
    yield _summary(result, counted(number, what), options)
    if result.deleted:
        left_out = counted(result.deleted, what)
        yield filled("{} left out, deleted here before: --again brings them in", left_out)
    if not (number or result.present or result.skipped or result.deleted):
        yield filled("nothing of {} was found there", options.host)
    if result.observations:
        yield _imported(counted(result.observations, "observation"), options)


def _as_json(result: results.ImportResult, options: Options) -> dict[str, object]:
    value: dict[str, object] = {
        "imported": len(result.ids),
        "present": result.present,
        "deleted": result.deleted,
        "ids": list(result.ids),
        "redactions": dict(result.redactions),
        "skipped": dict(result.skipped),
        "observations": result.observations,
        "warnings": list(result.warnings),
    }
    if options.dry_run:
        value["would_import"] = [
            {
                "date": session.date.isoformat(),
                "time": session.time,
                "topic": session.topic,
                "project": session.project or None,
                "conversation": session.conversation,
            }
            for session in result.sessions
        ]
    return value


IMPORT = CliCommand(
    run,
    (
        command.argument(
            "files",
            "FILE",
            "JSON, JSONL, a day file, a folder of them, a memory or its zip",
            nargs="*",
        ),
        command.choice(
            "--from",
            ("claude", "cursor", "codex", "trae-mem", "claude-mem", "notes"),
            "import from another program; FILE may name its files",
            dest="host",
            type=host_name,
        ),
        command.flag("--all-projects", "with --from: all projects, into the global memory"),
        command.flag("--again", "with --from: also what you deleted here"),
        command.flag(
            "--with-config", "of a zip or folder, into the global memory: its config.json too"
        ),
        *command.shared("dry_run", "save_scope"),
    ),
    """examples:
  memory import backup.zip --dry-run
  memory import ../other                 merge the memory of another project
  memory import ../other/.cursor/skills/memories/daily/2026-01-29.md
  memory import --from claude --dry-run
  memory import --from notes ~/notes     a folder of Markdown notes
  memory import --from trae-mem ~/.trae-mem/trae_mem.sqlite3

Nothing is imported twice, and one bad file means that nothing is imported. A whole memory goes
into an empty one as it is, and is merged into any other. --from imports the conversations of
this project: docs/sharing.md.""",
)
