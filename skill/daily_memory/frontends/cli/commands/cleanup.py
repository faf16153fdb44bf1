"""`memory cleanup`"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from daily_memory.errors import BackendError, InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, day_option, open_memory
from daily_memory.memory import Memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import Due, Sanitized, StoredSession

EXAMPLES = """examples:
  memory cleanup                      show what could be cleaned up
  memory cleanup --archive            archive days past storage.retention_days
  memory cleanup --days 90            archive days older than 90 days
  memory cleanup --before 2026-01-01 --dry-run
  memory cleanup --days 365 --delete  delete instead; `memory undo` takes it back
  memory cleanup --oversized          archive the oldest sessions of huge days
  memory cleanup --dedupe             merge near-duplicates
  memory cleanup --sanitize           redact old files; there is no undo

Each asks first; without a terminal, pass --yes. #important sessions stay. `memory restore`
brings archived sessions back."""

_MOST_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what to clean up; without one of these it only proposes")
    what.add_argument(
        "--archive", action="store_true", help="archive days past storage.retention_days"
    )
    what.add_argument("--days", type=int, metavar="N", help="archive days older than N days")
    what.add_argument("--before", metavar="YYYY-MM-DD", help="archive days before this one")
    what.add_argument("--delete", action="store_true", help="delete instead of archiving")
    what.add_argument(
        "--oversized",
        action="store_true",
        help="archive the oldest sessions of days over storage.max_file_size_mb",
    )
    what.add_argument("--dedupe", action="store_true", help="merge near-duplicates")
    what.add_argument("--sanitize", action="store_true", help="redact old files; there is no undo")
    parser.add_argument(
        "-n",
        "--limit",
        type=int,
        default=100,
        metavar="N",
        help="maximum number of days per run; default: 100",
    )
    add_options(parser, "dry_run", "yes", "save_scope")


def run(options: argparse.Namespace) -> int:
    is_old = options.archive or options.delete or options.days is not None or options.before
    kinds = [bool(is_old), options.oversized, options.dedupe, options.sanitize]
    if sum(kinds) > 1:
        raise InvalidInputError(
            "one thing at a time",
            hint="run --oversized, --dedupe, --sanitize and the archive one by one",
        )
    memory = open_memory(options)
    if is_old:
        return _clear_old(memory, options)
    if options.oversized:
        return _take(memory, memory.archive.overflow(scope=options.scope), options)
    if options.dedupe:
        return _dedupe(memory, options)
    if options.sanitize:
        return _sanitize(memory, options)
    if options.yes:
        raise InvalidInputError(
            "--yes to what?",
            hint="name it: --archive, --delete, --oversized, --dedupe or --sanitize",
        )
    return _propose(memory, options)


def _propose(memory: Memory, options: argparse.Namespace) -> int:
    proposals = memory.cleanup.proposals(
        scope=options.scope, progress=terminal.progress_bar("looking")
    )
    if options.json:
        terminal.show_json(
            {"proposals": [json_shapes.proposal(proposal) for proposal in proposals]}
        )
        return 0
    for proposal in proposals:
        terminal.show(f"{proposal.what}: {proposal.why}")
        terminal.show(f"    {proposal.command}")
    done = "nothing was changed: run one of these commands"
    terminal.talk(done if proposals else "nothing to clean up")
    return 0


# ---------------------------------------------------------------------------- old sessions


def _clear_old(memory: Memory, options: argparse.Namespace) -> int:
    if options.days is not None and options.before:
        raise InvalidInputError("--days and --before do not go together")
    if options.limit < 1 or (options.days is not None and options.days < 1):
        raise InvalidInputError("--days and --limit begin at 1")
    due = memory.archive.due(
        days=options.days or 0,
        before=day_option(options.before, "--before"),
        most_days=options.limit,
        scope=options.scope,
        progress=terminal.progress_bar("days read"),
    )
    return _take(memory, due, options)


def _take(memory: Memory, due: Due, options: argparse.Namespace) -> int:
    """Archive or delete what is due, after a yes."""
    what = f"{counted(len(due.sessions), 'session')} of {counted(due.days, 'day')}"
    what += _and_live(len(due.observed))
    is_empty = not (due.sessions or due.observed)
    if options.dry_run or is_empty:
        return _show_due(due, options, "" if is_empty else what)
    if not options.json and not options.yes:
        for found in due.sessions[:_MOST_SHOWN]:
            terminal.talk(_line(found))
        if len(due.sessions) > _MOST_SHOWN:
            terminal.talk(f"… and {len(due.sessions) - _MOST_SHOWN} more")
        if due.kept:
            terminal.talk(f"{counted(due.kept, 'important session')} of these days stay")
        _show_left(due)
    terminal.confirm(f"{'delete' if options.delete else 'archive'} {what}?", is_sure=options.yes)
    if options.delete:
        moved = memory.archive.delete(due)
        back = "`memory undo` brings them back"
    else:
        moved = memory.archive.store(due, progress=terminal.progress_bar("days archived"))
        back = "found with --archived, and brought back with `memory restore`"
    terminal.warn(moved.warnings)
    if options.json:
        _show_json(due, options, moved.ids, moved.observed, moved.warnings)
    else:
        number = counted(len(moved.ids), "session") + _and_live(moved.observed)
        terminal.show(f"{number} {_done(options)}; {back}")
        _show_left(due)
    return 0


def _show_due(due: Due, options: argparse.Namespace, what: str) -> int:
    if options.json:
        _show_json(due, options, [found.id for found in due.sessions], len(due.observed))
    elif what:
        for found in due.sessions:
            terminal.show(_line(found))
        _show_left(due)
        terminal.talk(f"{what} would be {_done(options)}: this was a dry run")
    elif options.oversized:
        terminal.talk("no day is larger than storage.max_file_size_mb, except today's")
    else:
        terminal.talk(f"nothing is older than {due.before}, except important sessions")
    return 0


def _show_json(
    due: Due,
    options: argparse.Namespace,
    ids: Sequence[str],
    observed: int,
    warnings: Sequence[str] = (),
) -> None:
    terminal.show_json(
        {
            _done(options): list(ids),
            "live_sessions": observed,
            "before": due.before.isoformat(),
            "kept": due.kept,
            "days_left": due.left,
            "dry_run": options.dry_run,
            "warnings": list(warnings),
        }
    )


def _show_left(due: Due) -> None:
    if due.left:
        terminal.talk(f"{counted(due.left, 'more day')} past it: run it again, or give --limit N")


def _done(options: argparse.Namespace) -> str:
    return "deleted" if options.delete else "archived"


def _and_live(count: int) -> str:
    return f" and {counted(count, 'live session')}" if count else ""


def _line(found: StoredSession) -> str:
    return f"{found.id:<14}  {terminal.first_line(found.session.topic)}"


# ---------------------------------------------------------------------------- near-duplicates


def _dedupe(memory: Memory, options: argparse.Namespace) -> int:
    pairs = memory.cleanup.duplicates(
        scope=options.scope, progress=terminal.progress_bar("comparing")
    )
    count = counted(len(pairs), "pair")
    if not options.json:
        for pair in pairs:
            terminal.show(f"{pair.similarity:.0%} alike")
            terminal.show(f"  - {_line(pair.earlier)}")
            terminal.show(f"  + {_line(pair.later)}")
            if pair.added:
                added = counted(pair.added, "statement")
                terminal.show(f"    the later one gets {added} of the earlier one")
    is_dry = options.dry_run or not pairs
    if not is_dry:
        terminal.confirm(
            f"merge {count}: add to the later sessions what they lack, delete the earlier ones?",
            is_sure=options.yes,
        )
    merged = memory.cleanup.merge(pairs, scope=options.scope, dry_run=is_dry)
    terminal.warn(merged.warnings)
    if options.json:
        rows = [
            {
                "earlier": pair.earlier.id,
                "later": pair.later.id,
                "similarity": pair.similarity,
                "added": pair.added,
            }
            for pair in pairs
        ]
        done = [{"deleted": earlier, "into": later} for earlier, later in merged.ids]
        warnings = list(merged.warnings)
        terminal.show_json({"pairs": rows, "merged": done, "dry_run": is_dry, "warnings": warnings})
    elif not pairs:
        terminal.talk("no near-duplicates")
    elif is_dry:
        terminal.talk(f"{count} would be merged: this was a dry run")
    else:
        number = counted(len(merged.ids), "session")
        terminal.show(f"{number} merged into later ones; `memory undo` brings them back")
    return 0


# ---------------------------------------------------------------------------- secrets


def _sanitize(memory: Memory, options: argparse.Namespace) -> int:
    progress = terminal.progress_bar("files read")
    found = memory.cleanup.sanitize(scope=options.scope, dry_run=True, progress=progress)
    if not options.json:
        for file in found.files:
            terminal.show(f"{file.name}  {_kinds(file.counts)}")
    is_dry = options.dry_run or not found.files
    if not is_dry:
        what = f"{_secrets(found)} in {counted(len(found.files), 'file')}"
        terminal.confirm(f"hide {what}? there is no undo", is_sure=options.yes)
        found = memory.cleanup.sanitize(scope=options.scope, progress=progress)
    terminal.warn(found.warnings)
    if options.json:
        terminal.show_json(
            {
                "files": [{"file": file.name, "counts": dict(file.counts)} for file in found.files],
                "counts": dict(found.counts),
                "dry_run": is_dry,
                "warnings": list(found.warnings),
            }
        )
    elif not found.files:
        terminal.talk("no secrets found")
    elif is_dry:
        terminal.talk(
            f"{_secrets(found)} would be hidden: this was a dry run ({_kinds(found.counts)})"
        )
    else:
        terminal.talk(f"{_secrets(found)} hidden ({_kinds(found.counts)})")
        terminal.talk("git history, backups and other copies still have them: change these secrets")
    if options.dry_run or not found.warnings:
        return 0
    files = counted(len(found.warnings), "file")
    error = BackendError(f"{files} could not be cleaned", hint="see the warnings, and run it again")
    return terminal.show_error(error, as_json=False)


def _secrets(found: Sanitized) -> str:
    return counted(sum(count for _, count in found.counts), "secret")


def _kinds(counts: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts)
