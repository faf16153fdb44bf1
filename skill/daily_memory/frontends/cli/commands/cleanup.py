"""`memory cleanup`"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from daily_memory.errors import BackendError, InvalidInputError
from daily_memory.frontends.cli import consent, screen
from daily_memory.frontends.cli.arguments import add_scope, day_option, open_memory
from daily_memory.memory import Memory
from daily_memory.model import counted
from daily_memory.services.changing.sanitize import Sanitized
from daily_memory.services.upkeep.archive import Due, Moved
from daily_memory.services.upkeep.dedupe import Pair

EXAMPLES = """examples:
  memory cleanup                      what could be cleaned up, and why; changes nothing
  memory cleanup --archive            archive what is older than storage.retention_days
  memory cleanup --days 90            … what is older than 90 days
  memory cleanup --before 2026-01-01 --dry-run
  memory cleanup --days 365 --delete  delete it; `memory undo` brings it back
  memory cleanup --oversized          archive the oldest sessions of days that are too large
  memory cleanup --dedupe             merge sessions that say nearly the same
  memory cleanup --sanitize           hide secrets in files that are there already

Each asks before it does anything, with the exact number; without a terminal it needs --yes.
Sessions that are marked #important stay. What is archived is found with --archived, as in
`memory search WORDS --archived`, and comes back with `memory restore`."""

_MOST_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what to clean up; without one of these it only proposes")
    what.add_argument(
        "--archive", action="store_true", help="archive what is past storage.retention_days"
    )
    what.add_argument("--days", type=int, metavar="N", help="archive what is older than N days")
    what.add_argument("--before", metavar="YYYY-MM-DD", help="archive what is before this day")
    what.add_argument(
        "--delete", action="store_true", help="delete it and do not archive it; `memory undo`"
    )
    what.add_argument(
        "--oversized",
        action="store_true",
        help="archive the oldest sessions of days over storage.max_file_size_mb, until they fit",
    )
    what.add_argument("--dedupe", action="store_true", help="merge near-duplicates")
    what.add_argument("--sanitize", action="store_true", help="hide secrets; there is no undo")
    parser.add_argument(
        "--limit", type=int, default=100, metavar="N", help="day files at once; default: 100"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would be done")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_scope(parser, choices=("project", "global"))


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
        return _take(memory, memory.overflow(scope=options.scope), options)
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


# ---------------------------------------------------------------------------- proposals


def _propose(memory: Memory, options: argparse.Namespace) -> int:
    progress = screen.progress_bar("looking")
    found = memory.proposals(scope=options.scope, progress=progress)
    if options.json:
        from daily_memory.services.upkeep import (
            cleanup,  # its rules: `memory completion` goes without
        )

        screen.show_json({"proposals": [cleanup.as_json(one) for one in found]})
        return 0
    if not found:
        screen.talk("nothing to clean up")
    for one in found:
        screen.show(f"{one.what}: {one.why}")
        screen.show(f"    {one.command}")
    if found:
        screen.talk("nothing was changed: run one of these commands")
    return 0


# ---------------------------------------------------------------------------- what is old


def _clear_old(memory: Memory, options: argparse.Namespace) -> int:
    if options.days is not None and options.before:
        raise InvalidInputError("--days and --before do not go together")
    if options.limit < 1 or (options.days is not None and options.days < 1):
        raise InvalidInputError("--days and --limit begin at 1")
    due = memory.due(
        days=options.days or 0,
        before=day_option(options.before, "--before"),
        most_days=options.limit,
        scope=options.scope,
        progress=screen.progress_bar("days read"),
    )
    return _take(memory, due, options)


def _take(memory: Memory, due: Due, options: argparse.Namespace) -> int:
    """Archive or delete what is due, once the user agrees."""
    done = "deleted" if options.delete else "archived"
    if options.dry_run or not (due.sessions or due.observed):
        return _show_due(due, options, done)
    if not options.json and not options.yes:
        _list_due(due)
    verb = "delete" if options.delete else "archive"
    consent.confirm(f"{verb} {_what(due)}?", is_sure=options.yes)
    if options.delete:
        moved = memory.delete_due(due)
    else:
        moved = memory.archive(due, progress=screen.progress_bar("days archived"))
    return _show_moved(moved, due, options, done)


def _what(due: Due) -> str:
    live = f" and {counted(len(due.observed), 'live session')}" if due.observed else ""
    return f"{counted(len(due.sessions), 'session')} of {counted(due.days, 'day')}{live}"


def _list_due(due: Due) -> None:
    for one in due.sessions[:_MOST_SHOWN]:
        screen.talk(f"{one.id:<14}  {screen.first_line(one.session.topic)}")
    if len(due.sessions) > _MOST_SHOWN:
        screen.talk(f"… and {len(due.sessions) - _MOST_SHOWN} more")
    if due.kept:
        screen.talk(f"{counted(due.kept, 'important session')} of these days stay")
    _tell_left(due)


def _tell_left(due: Due) -> None:
    if due.left:
        screen.talk(f"{counted(due.left, 'more day')} past it: run it again, or give --limit N")


def _show_due(due: Due, options: argparse.Namespace, done: str) -> int:
    ids = [one.id for one in due.sessions]
    if options.json:
        _show_json(ids, len(due.observed), due, options, done, ())
        return 0
    if not ids and not due.observed:
        screen.talk(
            "no day is larger than storage.max_file_size_mb, but for today and what is important"
            if options.oversized
            else f"nothing is older than {due.before} but what is important"
        )
        return 0
    for one in due.sessions:
        screen.show(f"{one.id:<14}  {screen.first_line(one.session.topic)}")
    _tell_left(due)
    screen.talk(f"{_what(due)} would be {done}: this was a dry run")
    return 0


def _show_moved(moved: Moved, due: Due, options: argparse.Namespace, done: str) -> int:
    screen.warn(moved.warnings)
    if options.json:
        _show_json(list(moved.ids), moved.observed, due, options, done, moved.warnings)
        return 0
    back = "`memory undo` brings them back"
    if not options.delete:
        back = "found with --archived, and brought back with `memory restore`"
    live = f" and {counted(moved.observed, 'live session')}" if moved.observed else ""
    screen.show(f"{counted(len(moved.ids), 'session')}{live} {done}; {back}")
    _tell_left(due)
    return 0


def _show_json(
    ids: list[str],
    observed: int,
    due: Due,
    options: argparse.Namespace,
    done: str,
    warnings: Sequence[str],
) -> None:
    screen.show_json(
        {
            done: ids,
            "live_sessions": observed,
            "before": due.before.isoformat(),
            "kept": due.kept,
            "days_left": due.left,
            "dry_run": options.dry_run,
            "warnings": list(warnings),
        }
    )


# ---------------------------------------------------------------------------- near-duplicates


def _dedupe(memory: Memory, options: argparse.Namespace) -> int:
    pairs = memory.duplicates(scope=options.scope, progress=screen.progress_bar("comparing"))
    if not options.json:
        for pair in pairs:
            _show_pair(pair)
    if options.dry_run or not pairs:
        if options.json:
            rows = [_pair_as_json(pair) for pair in pairs]
            screen.show_json({"pairs": rows, "merged": [], "dry_run": True, "warnings": []})
        elif pairs:
            screen.talk(f"{counted(len(pairs), 'pair')} would be merged: this was a dry run")
        else:
            screen.talk("no near-duplicates")
        return 0
    consent.confirm(
        f"merge {counted(len(pairs), 'pair')}: the later ones get what they lack, "
        "and the earlier ones are deleted?",
        is_sure=options.yes,
    )
    merged = memory.merge_duplicates(pairs, scope=options.scope)
    screen.warn(merged.warnings)
    if options.json:
        done = [{"deleted": earlier, "into": later} for earlier, later in merged.ids]
        rows = [_pair_as_json(pair) for pair in pairs]
        warnings = list(merged.warnings)
        screen.show_json({"pairs": rows, "merged": done, "dry_run": False, "warnings": warnings})
    else:
        number = counted(len(merged.ids), "session")
        screen.show(f"{number} merged into later ones; `memory undo` brings them back")
    return 0


def _show_pair(pair: Pair) -> None:
    screen.show(f"{pair.similarity:.0%} alike")
    for mark, one in (("-", pair.earlier), ("+", pair.later)):
        screen.show(f"  {mark} {one.id:<14}  {screen.first_line(one.session.topic)}")
    if pair.added:
        screen.show(f"    the later one gets {counted(pair.added, 'statement')} of the earlier one")


def _pair_as_json(pair: Pair) -> dict[str, object]:
    return {
        "earlier": pair.earlier.id,
        "later": pair.later.id,
        "similarity": pair.similarity,
        "added": pair.added,
    }


# ---------------------------------------------------------------------------- secrets

_COPIES = "git history, backups and other copies still have them: change these secrets"


def _sanitize(memory: Memory, options: argparse.Namespace) -> int:
    progress = screen.progress_bar("files read")
    found = memory.sanitize(scope=options.scope, dry_run=True, progress=progress)
    if not options.json:
        for one in found.files:
            screen.show(f"{one.name}  {_kinds(one.counts)}")
    if options.dry_run or not found.files:
        return _show_sanitized(found, options, is_done=False)
    number = sum(count for _, count in found.counts)
    what = f"{counted(number, 'secret')} in {counted(len(found.files), 'file')}"
    consent.confirm(f"hide {what}? there is no undo", is_sure=options.yes)
    done = memory.sanitize(scope=options.scope, progress=progress)
    return _show_sanitized(done, options, is_done=True)


def _kinds(counts: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts)


def _show_sanitized(found: Sanitized, options: argparse.Namespace, *, is_done: bool) -> int:
    screen.warn(found.warnings)
    if options.json:
        rows = [{"file": one.name, "counts": dict(one.counts)} for one in found.files]
        counts = dict(found.counts)
        warnings = list(found.warnings)
        screen.show_json(
            {"files": rows, "counts": counts, "dry_run": not is_done, "warnings": warnings}
        )
        return _status(found, options)
    if not found.files:
        screen.talk("no secrets found")
        return _status(found, options)
    outcome = "hidden" if is_done else "would be hidden: this was a dry run"
    number = sum(count for _, count in found.counts)
    screen.talk(f"{counted(number, 'secret')} {outcome} ({_kinds(found.counts)})")
    if is_done:
        screen.talk(_COPIES)
    return _status(found, options)


def _status(found: Sanitized, options: argparse.Namespace) -> int:
    """Return 0, or another exit status where a file that was to be cleaned stays as it is."""
    if options.dry_run or not found.warnings:
        return 0
    what = counted(len(found.warnings), "file")
    error = BackendError(f"{what} could not be cleaned", hint="see the warnings, and run it again")
    return screen.show_error(error, as_json=False)
