"""`memory.cleanup`: find and remove old, duplicate and sensitive memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.format.markdown import Day
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import days_before
from daily_memory.services import MemoryPart
from daily_memory.services.changing import sanitize
from daily_memory.services.changing.sanitize import Sanitized
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession
from daily_memory.services.upkeep import archive, dedupe
from daily_memory.services.upkeep.dedupe import DuplicatePair, Merged
from daily_memory.storage import days
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled, joined

ARCHIVE, DEDUPE, SANITIZE = "archive", "dedupe", "sanitize"
OUTDATED, LARGE = "outdated", "large"
# From this age on, outdated sessions are proposed for deletion.
_OUTDATED_DAYS = 30
_MOST_IDS = 5


class Proposal(NamedTuple):
    """Something to clean up, the command that does it, and the first ids concerned."""

    kind: str
    number: int
    what: str
    why: str
    command: str
    ids: tuple[str, ...] = ()


class Cleanup(MemoryPart):
    """Clean up the memory that a save goes to."""

    def proposals(self, *, scope: str = "") -> list[Proposal]:
        """Return what could be cleaned up; nothing is changed."""
        workspace = self._workspace
        root = workspace.save_root(scope)
        return list(propose(root, workspace.settings, workspace.today()))

    def duplicates(self, *, scope: str = "") -> tuple[DuplicatePair, ...]:
        """Return pairs of sessions that say nearly the same, the most similar first."""
        return dedupe.find(
            browse.sessions([self._workspace.save_root(scope)]), self._workspace.today()
        )

    def merge(
        self, pairs: Sequence[DuplicatePair], *, scope: str = "", dry_run: bool = False
    ) -> Merged:
        """Add to the later session of each pair what it lacks, and delete the earlier one."""
        if dry_run:
            return Merged()
        workspace = self._workspace
        root = workspace.save_root(scope)
        merged = dedupe.merge(root, pairs, workspace.settings, workspace.now())
        workspace.after_write(root, is_removed=True)
        return merged

    def sanitize(self, *, scope: str = "", dry_run: bool = False) -> Sanitized:
        """Hide the secrets in every file of the memory. This can't be undone."""
        root = self._workspace.save_root(scope)
        return sanitize.sanitize(root, self._workspace.settings, dry_run=dry_run)


def propose(root: Root, settings: Settings, today: date) -> tuple[Proposal, ...]:
    """Return what could be cleaned up in a root; nothing is changed."""
    loaded = list(days.each_day(root))
    found = list(browse.sessions([root], loaded=loaded))
    return (
        *_past_retention(root, settings, today, loaded),
        *_secrets(root, settings),
        *_duplicates(found, today),
        *_outdated(found, today),
        *_large(root, settings),
    )


def _past_retention(
    root: Root, settings: Settings, today: date, loaded: Sequence[Day]
) -> Iterator[Proposal]:
    before = archive.day_before(settings, today)
    if before is None:
        return
    try:
        archive.check_clock(root, before, today)
        due = archive.due(root, before, today, loaded=loaded)
    except DailyMemoryError as error:
        why = joined("; ", filter(None, (error.message, error.hint)))
        yield Proposal(
            ARCHIVE, 0, filled("nothing to archive"), why, "memory cleanup --before DATE"
        )
        return
    count = len(due.sessions)
    if count or due.observed:
        what = filled("{} on {}", counted(count, "session"), counted(due.days, "day"))
        if due.observed:
            what = joined(" and ", (what, counted(len(due.observed), "live session")))
        why = filled("older than {} days", settings.storage.retention_days)
        if due.kept:
            why = filled("{}; {} stay", why, counted(due.kept, "important one"))
        yield Proposal(ARCHIVE, count, what, why, "memory cleanup --archive", _ids(due.sessions))


def _secrets(root: Root, settings: Settings) -> Iterator[Proposal]:
    found = sanitize.sanitize(root, settings, dry_run=True)
    count = sum(number for _, number in found.counts)
    if count:
        kinds = ", ".join(f"{name} {number}" for name, number in found.counts)
        what = filled("{} in {}", counted(count, "secret"), counted(len(found.files), "file"))
        yield Proposal(SANITIZE, count, what, kinds, "memory cleanup --sanitize")


def _duplicates(found: Sequence[StoredSession], today: date) -> Iterator[Proposal]:
    pairs = dedupe.find(found, today)
    if pairs:
        what = filled("{} of near-duplicates", counted(len(pairs), "pair"))
        least = min(pair.similarity for pair in pairs)
        why = filled("at least {:.0%} of their words are the same", least)
        ids = _ids([pair.earlier for pair in pairs])
        yield Proposal(DEDUPE, len(pairs), what, why, "memory cleanup --dedupe", ids)


def _outdated(found: Sequence[StoredSession], today: date) -> Iterator[Proposal]:
    last = days_before(today, _OUTDATED_DAYS)
    old = [hit for hit in found if hit.session.is_outdated and hit.session.date <= last]
    old = [hit for hit in old if not hit.session.is_important]
    if old:
        why = filled("marked as outdated, and older than {} days", _OUTDATED_DAYS)
        command = " ".join(("memory delete", *_ids(old)))
        yield Proposal(OUTDATED, len(old), counted(len(old), "session"), why, command, _ids(old))


def _large(root: Root, settings: Settings) -> Iterator[Proposal]:
    large = days.large_days(root, settings.storage.max_file_size_mb)
    if large:
        why = filled("larger than {:g} MB", settings.storage.max_file_size_mb)
        names = tuple(file.name.removesuffix(".md") for file in large[:_MOST_IDS])
        command = "memory cleanup --oversized"
        yield Proposal(LARGE, len(large), counted(len(large), "day"), why, command, names)


def _ids(found: Sequence[StoredSession]) -> tuple[str, ...]:
    return tuple(hit.id for hit in found[:_MOST_IDS])
