"""`memory cleanup`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daily_memory import results
from daily_memory.errors import BackendError, InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory
from daily_memory.text import counted, filled, joined


def run(options: Options) -> Output:
    is_old = options.archive or options.delete or options.days is not None or options.before
    if sum([bool(is_old), options.oversized, options.dedupe, options.sanitize]) > 1:
        hint = "run --oversized, --dedupe, --sanitize and the archive one by one"
        raise InvalidInputError("one thing at a time", hint=hint)
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
        hint = "name it: --archive, --delete, --oversized, --dedupe or --sanitize"
        raise InvalidInputError("--yes has nothing to confirm here", hint=hint)
    return _propose(memory, options)


def _propose(memory: Memory, options: Options) -> Output:
    with terminal.progress("looking"):
        proposals = memory.cleanup.proposals(scope=options.scope)
    lines = [
        line
        for proposal in proposals
        for line in (joined(": ", (proposal.what, proposal.why)), f"    {proposal.command}")
    ]
    done = "nothing was changed: run one of these commands" if lines else "nothing to clean up"
    value = {"proposals": list(map(json_shapes.proposal, proposals))}
    return Output(value, lines, [done], is_ours=True)


def _clear_old(memory: Memory, options: Options) -> Output:
    if options.days is not None and options.before:
        raise InvalidInputError("--{} and --{} do not go together", "days", "before")
    with terminal.progress("days read"):
        due = memory.archive.due(
            days=options.days or 0,
            before=options.before,
            most_days=options.limit,
            scope=options.scope,
        )
    return _take(memory, due, options)


def _take(memory: Memory, due: results.Due, options: Options) -> Output:
    sessions = filled("{} on {}", counted(len(due.sessions), "session"), counted(due.days, "day"))
    what = _with_live(sessions, len(due.observed))
    lines = list(map(_line, due.sessions))
    if options.dry_run or not (due.sessions or due.observed):
        would = filled("{} would be deleted" if options.delete else "{} would be archived", what)
        notes = [*_left(due), filled("{}: this was a dry run", would)]
        if not (due.sessions or due.observed):
            nothing = filled("nothing is older than {}, except important sessions", due.before)
            large = "no day is larger than storage.max_file_size_mb, except today's"
            notes = [large if options.oversized else nothing]
        ids = [stored.id for stored in due.sessions]
        return Output(_as_json(due, options, ids, len(due.observed)), lines, notes)
    if not options.json and not options.yes:
        terminal.show_some(lines)
        kept = counted(due.kept, "important session") if due.kept else ""
        for note in (*([filled("{} of these days stay", kept)] if kept else []), *_left(due)):
            terminal.talk(note)
    question = "delete {}?" if options.delete else "archive {}?"
    terminal.confirm(filled(question, what), is_sure=options.yes)
    if options.delete:
        moved = memory.archive.delete(due)
    else:
        with terminal.progress("days archived"):
            moved = memory.archive.store(due)
    value = _as_json(due, options, moved.ids, moved.observed, moved.warnings)
    count = _with_live(counted(len(moved.ids), "session"), moved.observed)
    line = filled(
        "{} archived; found with --archived, and brought back with `memory restore`", count
    )
    if options.delete:
        line = filled("{} deleted; `memory undo` brings them back", count)
    return Output(value, [line], _left(due), moved.warnings, is_ours=True)


def _as_json(
    due: results.Due,
    options: Options,
    ids: Sequence[str],
    observed: int,
    warnings: Sequence[str] = (),
) -> dict[str, object]:
    return {
        "deleted" if options.delete else "archived": list(ids),
        "live_sessions": observed,
        "before": due.before.isoformat(),
        "kept": due.kept,
        "days_left": due.left,
        "dry_run": options.dry_run,
        "warnings": list(warnings),
    }


def _left(due: results.Due) -> list[str]:
    days = counted(due.left, "more day")
    return [filled("{} past it: run it again, or give --limit N", days)] if due.left else []


def _with_live(sessions: str, count: int) -> str:
    return joined(" and ", (sessions, counted(count, "live session"))) if count else sessions


def _line(stored: results.StoredSession) -> str:
    return f"{stored.id:<14}  {terminal.title(stored.session)}"


def _agree(lines: Sequence[str], question: str, options: Options) -> None:
    for line in () if options.json else lines:
        terminal.show(line)
    terminal.confirm(question, is_sure=options.yes)


def _dedupe(memory: Memory, options: Options) -> Output:
    with terminal.progress("comparing"):
        pairs = memory.cleanup.duplicates(scope=options.scope)
    count = counted(len(pairs), "pair")
    is_dry = options.dry_run or not pairs
    lines = [line for pair in pairs for line in _pair_lines(pair)]
    if not is_dry:
        question = filled(
            "merge {}: add to the later sessions what they lack, delete the earlier?", count
        )
        _agree(lines, question, options)
    merged = memory.cleanup.merge(pairs, scope=options.scope, dry_run=is_dry)
    value = {
        "pairs": list(map(_pair_as_json, pairs)),
        "merged": [{"deleted": earlier, "into": later} for earlier, later in merged.ids],
        "dry_run": is_dry,
        "warnings": list(merged.warnings),
    }
    if is_dry:
        note = (
            filled("{} would be merged: this was a dry run", count)
            if pairs
            else "no near-duplicates"
        )
        return Output(value, lines, [note])
    number = counted(len(merged.ids), "session")
    done = filled("{} merged into later ones; `memory undo` brings them back", number)
    return Output(value, [done], warnings=merged.warnings, is_ours=True)


def _pair_lines(pair: results.DuplicatePair) -> Iterator[str]:
    yield terminal.say("{:.0%} alike", pair.similarity)
    yield f"  - {_line(pair.earlier)}"
    yield f"  + {_line(pair.later)}"
    if pair.added:
        gets = filled(
            "    the later one gets {} of the earlier one", counted(pair.added, "statement")
        )
        yield terminal.say(gets)


def _pair_as_json(pair: results.DuplicatePair) -> dict[str, object]:
    return {
        "earlier": pair.earlier.id,
        "later": pair.later.id,
        "similarity": pair.similarity,
        "added": pair.added,
    }


def _sanitize(memory: Memory, options: Options) -> Output:
    with terminal.progress("files read"):
        result = memory.cleanup.sanitize(scope=options.scope, dry_run=True)
    lines = [f"{file.name}  {_kinds(file.counts)}" for file in result.files]
    is_dry = options.dry_run or not result.files
    if not is_dry:
        files = counted(len(result.files), "file")
        _agree(lines, filled("hide {} in {}? there is no undo", _secrets(result), files), options)
        with terminal.progress("files read"):
            result = memory.cleanup.sanitize(scope=options.scope)
        lines = []
    value = {
        "files": [{"file": file.name, "counts": dict(file.counts)} for file in result.files],
        "counts": dict(result.counts),
        "dry_run": is_dry,
        "warnings": list(result.warnings),
    }
    warnings, status = [*result.warnings], 0
    if warnings and not options.dry_run:
        files = counted(len(warnings), "file")
        terminal.talk(filled("error: {} could not be cleaned: run it again", files))
        status = BackendError.exit_status
    return Output(value, lines, _sanitized(result, is_dry=is_dry), warnings, status)


def _sanitized(result: results.Sanitized, *, is_dry: bool) -> list[str]:
    if not result.files:
        return ["no secrets found"]
    secrets, kinds = _secrets(result), _kinds(result.counts)
    if is_dry:
        return [filled("{} would be hidden: this was a dry run ({})", secrets, kinds)]
    return [
        filled("{} hidden ({})", secrets, kinds),
        "git history, backups and other copies still have them: change these secrets",
    ]


def _secrets(result: results.Sanitized) -> str:
    return counted(sum(count for _, count in result.counts), "secret")


def _kinds(counts: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts)


CLEANUP = CliCommand(
    run,
    (
        command.flag("--archive", "archive days past storage.retention_days"),
        command.number("--days", "archive days older than N days"),
        command.day("--before", "archive days before this one"),
        command.flag("--delete", "delete instead of archiving"),
        command.flag(
            "--oversized", "archive the oldest sessions of days over storage.max_file_size_mb"
        ),
        command.flag("--dedupe", "merge near-duplicates"),
        command.flag("--sanitize", "redact old files; there is no undo"),
        command.number("-n --limit", "maximum number of days per run; default: 100", 100),
        *command.shared("dry_run", "yes", "save_scope"),
    ),
    """examples:
  memory cleanup                      show what could be cleaned up
  memory cleanup --archive            archive days past storage.retention_days
  memory cleanup --before 2026-01-01 --dry-run
  memory cleanup --days 365 --delete  delete instead; `memory undo` takes it back
  memory cleanup --dedupe             merge near-duplicates
  memory cleanup --sanitize           redact old files; there is no undo

Each asks first; without a terminal, pass --yes. #important sessions stay. `memory restore`
brings archived sessions back.""",
)
