"""What could be cleaned up: each with what, why, how many, and the command that does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.progress import Progress, watched
from daily_memory.core.review import quality
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import counted, days_before
from daily_memory.services.changing import sanitize
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import Found
from daily_memory.services.upkeep import archive, dedupe
from daily_memory.storage import days
from daily_memory.storage.roots import Root

ARCHIVE, DEDUPE, SANITIZE = "archive", "dedupe", "sanitize"
OUTDATED, THIN, LARGE = "outdated", "thin", "large"
# What was marked as outdated is looked at again for so long.
_OUTDATED_DAYS = 30
_MOST_NAMED = 5


class Proposal(NamedTuple):
    """One thing that could be done; `command` does it, `ids` are the first of what it is about."""

    kind: str
    number: int
    what: str
    why: str
    command: str
    ids: tuple[str, ...] = ()


def as_json(one: Proposal) -> dict[str, object]:
    """Return a proposal as the JSON object that every door gives."""
    return {
        "kind": one.kind,
        "count": one.number,
        "what": one.what,
        "why": one.why,
        "command": one.command,
        "ids": list(one.ids),
    }


def propose(
    root: Root, settings: Settings, today: date, progress: Progress | None = None
) -> tuple[Proposal, ...]:
    """Return what could be cleaned up in a root; nothing is changed."""
    found = list(browse.sessions([root], progress=progress))
    return (
        *_past_retention(root, settings, today),
        *_secrets(root, settings, progress),
        *_duplicates(found, today, progress),
        *_outdated(found, today),
        *_thin(found, progress),
        *_large(root, settings),
    )


def _past_retention(root: Root, settings: Settings, today: date) -> Iterator[Proposal]:
    before = archive.day_before(settings, today)
    if before is None:
        return
    try:
        archive.check_clock([root], before, today)
        due = archive.due(root, before, today)
    except DailyMemoryError as error:
        why = f"{error.message}; {error.hint}" if error.hint else error.message
        yield Proposal(ARCHIVE, 0, "nothing to archive", why, "memory cleanup --before DATE")
        return
    if due.sessions or due.observed:
        kept = f"; {counted(due.kept, 'important one')} stay" if due.kept else ""
        what = f"{counted(len(due.sessions), 'session')} of {counted(due.days, 'day')}"
        live = f" and {counted(len(due.observed), 'live session')}" if due.observed else ""
        yield Proposal(
            ARCHIVE,
            len(due.sessions),
            what + live,
            f"older than {settings.storage.retention_days} days{kept}",
            "memory cleanup --archive",
            _ids(due.sessions),
        )


def _secrets(root: Root, settings: Settings, progress: Progress | None) -> Iterator[Proposal]:
    found = sanitize.sanitize(root, settings, dry_run=True, progress=progress)
    count = sum(number for _, number in found.counts)
    if count:
        kinds = ", ".join(f"{name} {number}" for name, number in found.counts)
        what = f"{counted(count, 'secret')} in {counted(len(found.files), 'file')}"
        yield Proposal(SANITIZE, count, what, kinds, "memory cleanup --sanitize")


def _duplicates(
    found: Sequence[Found], today: date, progress: Progress | None
) -> Iterator[Proposal]:
    pairs = dedupe.find_among(found, today, progress)
    if pairs:
        least = min(pair.similarity for pair in pairs)
        yield Proposal(
            DEDUPE,
            len(pairs),
            counted(len(pairs), "pair") + " of near-duplicates",
            f"they share {least:.0%} of their words or more",
            "memory cleanup --dedupe",
            _ids([pair.earlier for pair in pairs]),
        )


def _outdated(found: Sequence[Found], today: date) -> Iterator[Proposal]:
    last = days_before(today, _OUTDATED_DAYS)
    old = [one for one in found if one.session.is_outdated and one.session.date <= last]
    old = [one for one in old if not one.session.is_important]
    if old:
        why = f"marked as outdated, and older than {_OUTDATED_DAYS} days"
        yield _named(OUTDATED, old, "session", why, "memory delete")


def _thin(found: Sequence[Found], progress: Progress | None) -> Iterator[Proposal]:
    thin = []
    why: dict[str, int] = {}
    for one in watched(found, progress):
        if one.session.is_important or one.session.is_private:
            continue
        assessed = quality.assess(one.session)
        if assessed.is_poor:
            thin.append(one)
            for reason in assessed.reasons:
                why[reason] = why.get(reason, 0) + 1
    if thin:
        common = sorted(why, key=lambda reason: (-why[reason], reason))[:2]
        yield _named(THIN, thin, "thin digest", "; ".join(common), "memory show")


def _large(root: Root, settings: Settings) -> Iterator[Proposal]:
    large = days.large_days(root, settings.storage.max_file_size_mb)
    if large:
        why = f"larger than {settings.storage.max_file_size_mb:g} MB"
        names = tuple(file.name.removesuffix(".md") for file in large[:_MOST_NAMED])
        command = "memory cleanup --oversized"
        yield Proposal(LARGE, len(large), counted(len(large), "day"), why, command, names)


def _named(kind: str, found: Sequence[Found], noun: str, why: str, command: str) -> Proposal:
    ids = _ids(found)
    # Only one is shown at a time.
    given = ids[:1] if command == "memory show" else ids
    return Proposal(
        kind, len(found), counted(len(found), noun), why, " ".join((command, *given)), ids
    )


def _ids(found: Sequence[Found]) -> tuple[str, ...]:
    return tuple(one.id for one in found[:_MOST_NAMED])
