"""`memory delete`"""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory import results
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory
from daily_memory.text import counted, filled

_WHY_NONE = "`memory list` shows what there is, with --archived the archive too"


def run(options: Options) -> Output:
    memory = open_memory(options)
    if options.purge:
        return _purge(memory, options)
    choices = _chosen(memory, options)
    lines = list(map(_line, choices))
    if options.dry_run:
        note = filled("{}; nothing was deleted: this was a dry run", counted(len(lines), "session"))
        return Output(_as_json(choices, None), lines, [note])
    is_listed = bool(choices) and _agree(lines, options)
    edited = memory.deletion.delete(choices)
    note = filled("no session fits: nothing was deleted; {}", _WHY_NONE)
    if choices:
        what = "it" if len(choices) == 1 else "them"
        note = filled(
            "deleted {}; `memory undo` brings {} back", counted(len(choices), "session"), what
        )
    # A person has just read what was listed.
    is_known = is_listed and terminal.is_terminal()
    ids = [] if is_known else [stored.id for stored in edited.sections]
    return Output(_as_json(choices, edited), ids, [note], edited.warnings)


def _chosen(memory: Memory, options: Options) -> tuple[results.StoredSession, ...]:
    named = [memory.id_of(name, scope=options.scope) for name in options.named]
    return memory.deletion.choose(
        [*named, *options.day],
        query=options.query,
        before=options.before,
        tags=options.tag,
        scope=options.scope,
    )


def _is_explicit(options: Options) -> bool:
    """Tell whether each session was named by its id: then there is nothing to be surprised by."""
    by_id = all("#" in name for name in options.named)
    return by_id and not (options.day or options.query or options.before or options.tag)


def _agree(lines: Sequence[str], options: Options) -> bool:
    """Ask if needed, and return whether the sessions were listed."""
    is_asked = not options.yes and terminal.is_terminal()
    is_listed = is_asked or not (options.json or _is_explicit(options))
    if is_listed:
        terminal.show_some(lines)
        if options.query:
            terminal.talk(
                filled("each has every word of {!r}; what has a part of it stays", options.query)
            )
    if is_asked or not _is_explicit(options):
        terminal.confirm(filled("delete {}?", counted(len(lines), "session")), is_sure=options.yes)
    return is_listed


def _line(stored: results.StoredSession) -> str:
    session = stored.session
    marks = {"global": stored.root.scope == "global", "important": session.is_important}
    notes = terminal.in_brackets(**marks)
    return f"{stored.id}  {terminal.title(session)}{notes}"


def _as_json(
    choices: Sequence[results.StoredSession], edited: results.Edited | None
) -> dict[str, object]:
    sessions = [
        {"id": choice.id, "topic": choice.session.topic, "scope": choice.root.scope}
        for choice in choices
    ]
    return {
        "deleted": [session["id"] for session in sessions],
        "count": len(sessions),
        "sessions": sessions,
        "undo": (edited.operation or None) if edited else None,
        "dry_run": edited is None,
        "warnings": list(edited.warnings) if edited else [],
    }


def _purge(memory: Memory, options: Options) -> Output:
    targets = _targets(memory, options)
    lines = list(map(_target_line, targets))
    what = counted(len(targets), "session")
    if targets and not (options.dry_run or options.yes):
        if not options.json:
            terminal.show_some(lines)
        terminal.confirm(
            filled("this can't be undone: purge {}?", what), answer=f"purge {len(targets)}"
        )
    purged = memory.deletion.purge(targets, dry_run=options.dry_run)
    value = json_shapes.purged(purged, dry_run=options.dry_run)
    if options.dry_run:
        return Output(value, lines, [filled("{}; nothing was purged: this was a dry run", what)])
    return Output(value, [target.name for target in purged.targets], _purge_notes(purged))


def _target_line(target: results.Target) -> str:
    places = ", ".join(map(terminal.say, target.places))
    return f"{target.name}  {terminal.first_line(target.topic)}  ({terminal.say('in')}: {places})"


def _purge_notes(purged: results.Purged) -> list[str]:
    if not purged.targets:
        return [filled("no session fits: nothing was purged; {}", _WHY_NONE)]
    return [
        filled("purged {} for good", counted(len(purged.targets), "session")),
        *(
            filled("{} has one of its lines too; check whether it may stay", place)
            for place in purged.elsewhere
        ),
        *(
            filled("git may have it still; which commits: {}", command)
            for command in purged.repositories
        ),
        "exports, backups and other machines may have copies, and so may what it came from",
    ]


def _targets(memory: Memory, options: Options) -> tuple[results.Target, ...]:
    """Return what is to be purged; a session that is named by its id may be deleted already."""
    if not _is_explicit(options):
        # What narrows needs the text of what is narrowed.
        return memory.deletion.traces(_chosen(memory, options))
    if not options.named:
        hint = "an id is like 2026-01-29#1, a day like 2026-01-29; or by words, age or tag"
        raise InvalidInputError("no id given, and nothing to choose by", hint=hint)
    choices: list[results.StoredSession] = []
    gone: list[str] = []
    for id_ in options.named:
        try:
            choices += memory.deletion.choose([id_], scope=options.scope)
        except NotFoundError:
            gone.append(id_)
    return memory.deletion.traces(choices, gone, scope=options.scope)


DELETE = CliCommand(
    run,
    (
        command.argument("named", "ID|DAY", "a session id, a day, or last", nargs="*"),
        command.argument(
            "--day", "DAY", "all sessions of this day; repeatable", nargs="+", default=[]
        ),
        command.argument("--query", "TEXT", "sessions with all of these words", default=""),
        command.day("--before", "sessions before this day"),
        command.flag("--purge", "leave no trace; there is no undo"),
        *command.shared("tag", "dry_run", "yes", "scope"),
    ),
    """examples:
  memory delete 2026-01-29#1                  one session
  memory delete 2026-01-29                    a day; also: today, 今天
  memory delete last                          the newest session
  memory delete --query "redis 缓存"          sessions with all of these words
  memory delete --before 2025-01-01 --tag trial --dry-run
  memory delete 2026-01-29#1 --purge          without a trace, without undo

Several options narrow the selection. `memory undo` takes a deletion back for 30 days. --purge
removes a session from all files of the memory, but not from copies elsewhere, such as git
history.""",
)
