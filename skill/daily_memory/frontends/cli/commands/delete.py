"""`memory delete`"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from daily_memory.core.format.session_json import parse_date
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import add_options, open_memory
from daily_memory.memory import Memory
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import Choice, Purged, Target


EXAMPLES = """examples:
  memory delete 2026-01-29#1                  one session
  memory delete 2026-01-29#1 2026-01-28#4 --dry-run
  memory delete 2026-01-29                    a day; also: today, 今天
  memory delete --query "redis 缓存"          sessions with all of these words
  memory delete --before 2025-01-01 --tag trial
  memory delete 2026-01-29#1 --purge          without a trace, without undo

Several options narrow the selection. `memory undo` takes a deletion back for 30 days. --purge
removes a session from all files of the memory, but not from copies elsewhere, such as git
history."""


_WHY_NONE = "`memory list` shows what there is, with --archived the archive too"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "named",
        nargs="*",
        metavar="ID|DAY",
        help="a session id or a day",
    )
    parser.add_argument(
        "--day", nargs="+", default=[], metavar="DAY", help="all sessions of this day; repeatable"
    )
    parser.add_argument(
        "--query", default="", metavar="TEXT", help="sessions with all of these words"
    )
    parser.add_argument("--before", metavar="YYYY-MM-DD", help="sessions before this day")
    parser.add_argument("--purge", action="store_true", help="leave no trace; there is no undo")
    add_options(parser, "tag", "dry_run", "yes", "scope")


def run(options: argparse.Namespace) -> int:
    memory = open_memory(options)
    if options.purge:
        return _purge(memory, options)
    choices = _chosen(memory, options, [*options.named, *options.day])
    lines = [_line(choice) for choice in choices]
    if options.dry_run:
        return _show_dry_run(choices, lines, options)
    is_listed = bool(choices) and _agree(lines, options)
    edited = memory.deletion.delete(choices)
    terminal.warn(edited.warnings)
    if options.json:
        answer = _as_json(choices, options, edited.warnings)
        terminal.show_json({**answer, "undo": edited.operation or None})
        return 0
    if not (is_listed and terminal.is_terminal()):  # a person has just read them
        terminal.show_many([found.id for found in edited.sections])
    if not choices:
        terminal.talk(f"no session fits: nothing was deleted; {_WHY_NONE}")
    else:
        what = "it" if len(choices) == 1 else "them"
        terminal.talk(
            f"deleted {counted(len(choices), 'session')}; `memory undo` brings {what} back"
        )
    return 0


def _chosen(
    memory: Memory, options: argparse.Namespace, named: Sequence[str]
) -> tuple[Choice, ...]:
    before = parse_date(options.before, "--before") if options.before else None
    return memory.deletion.choose(
        named, query=options.query, before=before, tags=options.tag, scope=options.scope
    )


def _is_explicit(options: argparse.Namespace) -> bool:
    """Tell whether each session was named by its id: then there is nothing to be surprised by."""
    by_id = all("#" in name for name in options.named)
    return by_id and not (options.day or options.query or options.before or options.tag)


def _agree(lines: Sequence[str], options: argparse.Namespace) -> bool:
    """Show what would go, ask if needed, and return whether it was shown.

    Raises:
        InvalidInputError: there is none.
    """
    what = counted(len(lines), "session")
    is_asked = not options.yes and terminal.is_terminal()
    is_listed = is_asked or not (options.json or _is_explicit(options))
    if is_listed:
        terminal.show_some(lines)
        if options.query:
            terminal.talk(f"each has every word of {options.query!r}; what has a part of it stays")
    if is_asked or not _is_explicit(options):
        terminal.confirm(f"delete {what}?", is_sure=options.yes)
    return is_listed


def _show_dry_run(
    choices: Sequence[Choice], lines: Sequence[str], options: argparse.Namespace
) -> int:
    if options.json:
        terminal.show_json({**_as_json(choices, options, ()), "undo": None})
        return 0
    for line in lines:
        terminal.show(line)
    terminal.talk(f"{counted(len(lines), 'session')}; nothing was deleted: this was a dry run")
    return 0


def _line(choice: Choice) -> str:
    session = choice.found.session
    score = "" if choice.score is None else f"{choice.score:.2f}  "
    topic = terminal.first_line(session.topic)
    flags = ["global"] if choice.found.root.scope == "global" else []
    flags += ["important"] if session.is_important else []
    return f"{choice.found.id}  {score}{topic}" + "".join(f"  [{flag}]" for flag in flags)


def _as_json(
    choices: Sequence[Choice], options: argparse.Namespace, warnings: Sequence[str]
) -> dict[str, object]:
    sessions = [
        {
            "id": choice.found.id,
            "topic": choice.found.session.topic,
            "scope": choice.found.root.scope,
            "score": choice.score,
        }
        for choice in choices
    ]
    return {
        "deleted": [session["id"] for session in sessions],
        "count": len(sessions),
        "sessions": sessions,
        "dry_run": options.dry_run,
        "warnings": list(warnings),
    }


# ---------------------------------------------------------------------------- --purge


def _purge(memory: Memory, options: argparse.Namespace) -> int:
    targets = _targets(memory, options)
    if targets and not (options.dry_run or options.yes):
        _agree_to_purge(targets, as_json=options.json)
    purged = memory.deletion.purge(targets, dry_run=options.dry_run)
    if options.json:
        terminal.show_json(json_shapes.purged(purged, dry_run=options.dry_run))
    elif options.dry_run:
        for target in targets:
            terminal.show(_target_line(target))
        what = counted(len(targets), "session")
        terminal.talk(f"{what}; nothing was purged: this was a dry run")
    else:
        _show_purged(purged)
    return 0


def _agree_to_purge(targets: Sequence[Target], *, as_json: bool) -> None:
    """Show what would go, and wait for more than a yes.

    Raises:
        InvalidInputError: somebody answered something else, or nobody is there.
    """
    what = counted(len(targets), "session")
    if not as_json:
        terminal.show_some([_target_line(target) for target in targets])
    terminal.confirm(f"this can't be undone: purge {what}?", answer=f"purge {len(targets)}")


def _target_line(target: Target) -> str:
    return f"{target.name}  {terminal.first_line(target.topic)}  (in: {', '.join(target.places)})"


def _show_purged(purged: Purged) -> None:
    terminal.show_many([target.name for target in purged.targets])
    if not purged.targets:
        terminal.talk(f"no session fits: nothing was purged; {_WHY_NONE}")
        return
    terminal.talk(f"purged {counted(len(purged.targets), 'session')} for good")
    for place in purged.elsewhere:
        terminal.talk(f"{place} has a line that it had too; look whether that shall stay")
    for command in purged.repositories:
        terminal.talk(f"git may have it still; which commits: {command}")
    terminal.talk(
        "exports, backups, other machines may have copies as well, and so may what it came from"
    )


def _targets(memory: Memory, options: argparse.Namespace) -> tuple[Target, ...]:
    """Return what is to be purged; a session that is named by its id may be deleted already."""
    ids = [name for name in options.named if "#" in name]
    if not _is_explicit(options):
        # What narrows needs the text of what is narrowed.
        return memory.deletion.traces(_chosen(memory, options, [*options.named, *options.day]))
    if not ids:
        hint = "an id is like 2026-01-29#1, a day like 2026-01-29; or by words, age or tag"
        raise InvalidInputError("no id given, and nothing to choose by", hint=hint)
    choices: list[Choice] = []
    gone: list[str] = []
    for id_ in ids:
        try:
            choices += memory.deletion.choose([id_], scope=options.scope)
        except NotFoundError:
            gone.append(id_)
    return memory.deletion.traces(choices, gone, scope=options.scope)
