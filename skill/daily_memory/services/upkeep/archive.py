"""`memory.archive`: move old sessions out of the way of searches, delete them, or restore them."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Iterable, Sequence, Set
from datetime import date, datetime
from itertools import accumulate, groupby
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import session_json
from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import with_progress
from daily_memory.core.settings import Settings
from daily_memory.core.undo_steps import ChangedDay, Operation
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Session, check_period, days_before
from daily_memory.services import MemoryPart
from daily_memory.services.changing import edit
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession
from daily_memory.services.writing import reminders
from daily_memory.storage import (
    archive_files,
    archive_moves,
    days,
    deleted,
    journal,
    observations,
    undo_files,
)
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# The most days per run, so that a wrong clock or number does not empty a memory at once.
MOST_DAYS = 100
# If the newest session is this much older than today, the clock may be wrong.
FAR_DAYS = 60
_CONFLICT = "merge conflict"


class Due(NamedTuple):
    """Sessions and files of live sessions that are past retention, oldest first.

    `kept` counts important sessions of these days, which stay; `left`, days beyond the limit.
    """

    root: Root
    before: date
    sessions: tuple[StoredSession, ...] = ()
    observed: tuple[str, ...] = ()
    kept: int = 0
    left: int = 0

    @property
    def days(self) -> int:
        return len({item.session.date for item in self.sessions})


class ArchiveResult(NamedTuple):
    """What was archived, deleted or restored: ids, and the number of live sessions.

    `present` are ids that were not archived. `operation` is the id to undo it by, "" for none.
    """

    ids: tuple[str, ...] = ()
    observed: int = 0
    warnings: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    operation: str = ""


class Archive(MemoryPart):
    """The archive of the memory that a save goes to."""

    def due(
        self, *, days: int = 0, before: date | None = None, most_days: int = 0, scope: str = ""
    ) -> Due:
        """Return the sessions past retention, for `store` or `delete`; nothing is changed.

        Those are older than `days`, than `before`, or else than `storage.retention_days`;
        important sessions stay. `most_days` limits the number of day files, 100 by default.
        """
        workspace = self._workspace
        root, today = workspace.save_root(scope), workspace.today()
        if days < 0 or most_days < 0:
            raise InvalidInputError("{} days are less than 1", min(days, most_days))
        end = before or day_before(workspace.settings, today, days_back=days)
        if end is None:
            hint = "give --days N or --before DATE, or set storage.retention_days"
            raise InvalidInputError("retention is off: everything is kept", hint=hint)
        if before is None:
            check_clock(root, end, today)
        return due(root, end, today, most_days=most_days or MOST_DAYS)

    def overflow(self, *, scope: str = "") -> Due:
        """Return the oldest sessions of days larger than `storage.max_file_size_mb`, for `store`.

        Important sessions and those of today stay. Nothing is changed.
        """
        workspace = self._workspace
        most_mb = workspace.settings.storage.max_file_size_mb
        return overflow(workspace.save_root(scope), most_mb, workspace.today())

    def store(self, due: Due) -> ArchiveResult:
        """Move what `due` or `overflow` returned into the archive."""
        return self._moved(due.root, store(due, self._workspace.now()))

    def delete(self, due: Due) -> ArchiveResult:
        """Delete what `due` returned, as one operation; archive live sessions without a section."""
        return self._moved(due.root, delete(due, self._workspace.now()))

    def restore(
        self,
        ids: Sequence[str] = (),
        *,
        days: Sequence[date] = (),
        since: date | None = None,
        until: date | None = None,
        everything: bool = False,
        scope: str = "",
        dry_run: bool = False,
    ) -> ArchiveResult:
        """Bring sessions back from the archive as they were: by ids, days, or a period."""
        check_period(since, until)
        roots = self._workspace.roots_for_ids(ids, scope)
        owners = [browse.owning_root(roots, id_) for id_ in ids]
        named = frozenset((root.path, str(bare)) for root, bare in owners)
        wanted = RestoreRequest(named, tuple(days), since, until, everything)
        moved = restore(roots, wanted, self._workspace.now(), dry_run=dry_run)
        if not dry_run:
            for root in roots:
                self._moved(root, moved)
        return moved

    def store_due(self) -> tuple[str, ...]:
        """Archive what is past retention once a day, if that is on; return warnings."""
        root = self._workspace.save_root()
        try:
            moved = self._store_due(root)
        except DailyMemoryError as error:
            return (error.message,)
        return self._moved(root, moved).warnings

    def _store_due(self, root: Root) -> ArchiveResult:
        settings, now = self._workspace.settings, self._workspace.now()
        before = day_before(settings, now.date())
        is_due = before is not None and reminders.is_archive_due(root, settings, now)
        if before is None or not is_due or not reminders.note(root, reminders.ARCHIVED, now):
            return ArchiveResult()
        going = due(root, before, now.date())
        if not going.sessions and not going.observed:
            return ArchiveResult()
        # Sessions of today don't count: their date is from the same clock.
        recent = days_before(now.date(), FAR_DAYS)
        if not any(recent <= file.day < now.date() for file in days.list_days(root)):
            raise InvalidInputError(
                "nothing was saved in the {} days before {}: the clock may be wrong, so nothing "
                "was archived",
                FAR_DAYS,
                now.date(),
                hint="`memory cleanup --archive` does it once you have looked",
            )
        # Day by day, so that saves and searches wait for one day at most.
        moved = [
            store(going._replace(sessions=tuple(sessions), observed=()), now)
            for _, sessions in groupby(going.sessions, key=lambda found: found.session.date)
        ]
        moved.append(store(going._replace(sessions=()), now))
        return ArchiveResult(
            tuple(id_ for part in moved for id_ in part.ids),
            sum(part.observed for part in moved),
            tuple(warning for part in moved for warning in part.warnings),
            operation=join(root, [part.operation for part in moved], undo_steps.ARCHIVE),
        )

    def _moved(self, root: Root, moved: ArchiveResult) -> ArchiveResult:
        if moved.ids or moved.observed:
            self._workspace.after_write(root, is_moved=True, is_removed=bool(moved.ids))
        return moved


def day_before(settings: Settings, today: date, *, days_back: int = 0) -> date | None:
    """Return the day before which sessions are past retention; None if retention is off."""
    kept = days_back or settings.storage.retention_days
    return days_before(today, kept) if kept else None


def check_clock(root: Root, before: date, today: date) -> None:
    past = (file.day for file in days.list_days(root) if file.day <= today)
    newest = max(past, default=today)
    if newest < before and newest <= days_before(today, FAR_DAYS):
        raise InvalidInputError(
            "the newest session is of {}, and by the clock today is {}: nothing done",
            newest,
            today,
            hint=filled("if the clock is right, name the day yourself: --before {}", before),
        )


def due(
    root: Root,
    before: date,
    today: date,
    *,
    most_days: int = MOST_DAYS,
    loaded: Iterable[Day] | None = None,
) -> Due:
    """Return the sessions before a day, without important ones.

    `loaded` are all days, if the caller has read them.
    """
    if before > today:
        hint = filled("no day after {} will do", today)
        raise InvalidInputError("{} is still to come", before, hint=hint)
    found: list[StoredSession] = []
    kept, taken, left = 0, 0, 0
    last_due = days_before(before, 1)
    for day in loaded or days.each_day(root, last=last_due):
        if day.date > last_due:
            break
        going = [item for item in day.sections if not item.session.is_important]
        if not going or _has_conflict(day):
            continue
        if taken == most_days:
            left += 1
            continue
        taken += 1
        kept += len(day.sections) - len(going)
        path = days.day_path(root, day.date)
        found += [StoredSession(item.session, root, path, item.span) for item in going]
    last = found[-1].session.date if left else last_due
    ids = {str(item.session.id) for item in found}
    return Due(root, before, tuple(found), _settled(root, last, ids), kept, left)


def overflow(root: Root, most_mb: float, today: date) -> Due:
    """Return the sessions to archive so that each day file fits into so many megabytes."""
    found: list[StoredSession] = []
    kept = 0
    for file in days.large_days(root, most_mb):
        path = file.path(root)
        day = days.load_listed(root, file)
        if file.day >= today or _has_conflict(day) or not day.sections:
            continue
        # The offset of each line: cutting each section from a large file would be slow.
        starts = [0, *accumulate(len(line) + 1 for line in files.read_bytes(path).split(b"\n"))]
        excess = starts[-1] - most_mb * 1_000_000
        for section in day.sections:
            if excess <= 0:
                break
            if section.session.is_important:
                kept += 1
                continue
            found.append(StoredSession(section.session, root, path, section.span))
            excess -= starts[section.span.last] - starts[section.span.first - 1]
    return Due(root, today, tuple(found), kept=kept)


def _has_conflict(day: Day) -> bool:
    """Tell whether a day has merge conflicts; `doctor --fix` resolves them."""
    return any(_CONFLICT in problem.message for problem in day.problems)


def _settled(root: Root, last: date, going: Collection[str]) -> tuple[str, ...]:
    """Return the files of old live sessions that are over and whose section is gone."""
    found = []
    for day in observations.list_days(root):
        for path in observations.list_paths(root, day) if day <= last.isoformat() else ():
            if observations.is_settled(path):
                digested = observations.load(path).digested
                if not digested or digested in going or not _is_there(root, digested):
                    found.append(path)
    return tuple(found)


def _is_there(root: Root, session_id: str) -> bool:
    try:
        return days.find_section(root, session_json.parse_id(session_id)) is not None
    except InvalidInputError:
        return False


def _is_going(ids: Collection[str], session: Session) -> bool:
    return str(session.id) in ids and not session.is_important


def store(wanted: Due, now: datetime) -> ArchiveResult:
    """Move days that are due into the archive; one that can't be moved stays, with a warning."""
    root = wanted.root
    if not wanted.sessions and not wanted.observed:
        return ArchiveResult()
    topics = {str(item.session.id): item.session.topic for item in wanted.sessions}
    stored: list[str] = []
    observed: list[str] = []
    warnings: list[str] = []
    failed: DailyMemoryError | None = None

    def changed(ids: Collection[str], paths: Collection[str]) -> tuple[ChangedDay, ...]:
        names = tuple(map(root.name_of, paths))
        sections = [(id_, topics[id_]) for id_ in ids]
        return tuple(undo_steps.moved(undo_steps.ARCHIVED, sections, names))

    with locked(root):
        operation = _noted(root, undo_steps.ARCHIVE, changed(topics, wanted.observed), now)
        by_day = groupby(wanted.sessions, key=lambda item: item.session.date)
        going = [(day, {str(item.session.id) for item in group}) for day, group in by_day]
        for day, ids in with_progress(going):
            try:
                stored += archive_moves.archive_sections(
                    root, day, functools.partial(_is_going, ids)
                )
            except DailyMemoryError as error:
                failed = error
                warnings.append(filled("{} stays where it is: {}", day, error.message))
        for path in wanted.observed:
            try:
                archive_moves.archive_observations(root, path)
                observed.append(path)
            except DailyMemoryError as error:
                failed = error
                warnings.append(filled("a live session stays where it is: {}", error.message))
        undo_files.update(root, operation._replace(days=changed(stored, observed)))
        if failed and not stored and not observed:
            raise failed
        warnings += edit.refresh(root, len(stored))
    moved = tuple(map(root.scoped, stored))
    return ArchiveResult(moved, len(observed), tuple(warnings), operation=operation.id)


def _noted(root: Root, action: str, changed: Sequence[ChangedDay], now: datetime) -> Operation:
    """Store how to undo a move, before anything is moved."""
    at = journal.format_moment(now)
    return undo_files.add(root, Operation("", at, action, tuple(changed)), now)


def delete(wanted: Due, now: datetime) -> ArchiveResult:
    """Delete what is due, as one operation; live sessions without a section are archived."""
    root = wanted.root
    ids = [str(item.session.id) for item in wanted.sessions]
    warnings: list[str] = []
    operation = ""
    if ids:
        deletion = edit.delete([root], ids, now)
        operation, warnings = deletion.operation, list(deletion.warnings)
        with locked(root):
            for day in sorted({item.session.date for item in wanted.sessions}):
                archive_moves.remove_bare(root, day)
            warnings += edit.refresh(root)
    others = tuple(path for path in wanted.observed if observations.load(path).digested not in ids)
    stored = store(wanted._replace(sessions=(), observed=others), now)
    operation = join(root, (operation, stored.operation), undo_steps.DELETE)
    moved = tuple(map(root.scoped, ids))
    return ArchiveResult(moved, stored.observed, (*warnings, *stored.warnings), operation=operation)


def join(root: Root, parts: Sequence[str], action: str) -> str:
    """Join several operations into one, and return its id, "" for none."""
    done = [item for item in parts if item]
    if len(done) > 1:
        with locked(root):
            undo_files.join(root, done, action)
    return done[-1] if done else ""


class RestoreRequest(NamedTuple):
    """What to restore: ids with the paths of their roots, days, a period, or everything."""

    ids: frozenset[tuple[str, str]] = frozenset()
    days: tuple[date, ...] = ()
    first: date | None = None
    last: date | None = None
    is_all: bool = False

    def ids_in(self, root: Root) -> list[str]:
        return sorted(id_ for path, id_ in self.ids if path == root.path)

    def has(self, root: Root, session: Session) -> bool:
        return (root.path, str(session.id)) in self.ids or self.has_day(session.date)

    def has_day(self, day: date) -> bool:
        if self.first or self.last:
            is_within = (self.first or date.min) <= day <= (self.last or date.max)
            return is_within or day in self.days
        return self.is_all or day in self.days


def restore(
    roots: Sequence[Root], wanted: RestoreRequest, now: datetime, *, dry_run: bool = False
) -> ArchiveResult:
    """Move sessions and their observations back from the archive."""
    archived = browse.archived_sessions(roots)
    # Text outside of sections moves with the sections around it.
    found = [item for item in archived if item.session.number]
    found = [item for item in found if wanted.has(item.root, item.session)]
    days_by_root = [(root, _days(root, wanted)) for root in roots]
    present = _in_place(roots, wanted, found)
    ids = tuple(item.id for item in found)
    if dry_run:
        count = sum(len(_observed(root, wanted, found)) for root in roots)
        return ArchiveResult(ids, count, (), present)
    warnings: list[str] = []
    observed = 0
    operation = ""
    for root, days_ in days_by_root:
        paths = _observed(root, wanted, found)
        # `days_` counts too: after a crash a section may be in its day and in the archive.
        if not days_ and not paths:
            continue
        own = [item.session for item in found if item.root.path == root.path]
        topics = {str(session.id): session.topic for session in own}
        names = [root.name_of(path) for _, path in paths]
        with locked(root):
            if topics or names:
                changed = undo_steps.moved(undo_steps.RESTORED, topics.items(), names)
                done = _noted(root, undo_steps.RESTORE, changed, now)
                operation = operation or done.id
            for day in with_progress(days_):
                archive_moves.restore_sections(root, day, functools.partial(wanted.has, root))
            # A restored section is no longer deleted.
            deleted.lift(root, functools.partial(_is_among, topics.keys()))
            for packed, path in paths:
                warning = archive_moves.restore_observations(root, packed, path)
                observed += not warning
                warnings += warning
            warnings += edit.refresh(root)
    return ArchiveResult(ids, observed, tuple(warnings), present, operation)


def _is_among(ids: Set[str], item: Deleted) -> bool:
    return item.id in ids


def _days(root: Root, wanted: RestoreRequest) -> list[date]:
    named = {id_[:10] for id_ in wanted.ids_in(root)}
    listed = [item.day for item in archive_files.list_days(root)]
    chosen = [day for day in listed if day.isoformat() in named or wanted.has_day(day)]
    for day in chosen:
        archive_files.find_data(root, day)
    return chosen


def _in_place(
    roots: Sequence[Root], wanted: RestoreRequest, found: Sequence[StoredSession]
) -> tuple[str, ...]:
    """Return the requested ids that are in their days instead of the archive."""
    archived = {(item.root.path, str(item.session.id)) for item in found}
    present: list[str] = []
    for root in roots:
        for id_ in wanted.ids_in(root):
            if (root.path, id_) not in archived:
                if not _is_there(root, id_):
                    raise _not_archived(root.scoped(id_))
                present.append(root.scoped(id_))
    for day in sorted(set(wanted.days) - {item.session.date for item in found}):
        ids = [
            root.scoped(item.session.id)
            for root in roots
            for item in days.load_day(root, day).sections
        ]
        if not ids:
            raise _not_archived(str(day))
        present += ids
    return tuple(present)


def _not_archived(what: str) -> NotFoundError:
    hint = "`memory list --archived` shows which there are"
    return NotFoundError("not in the archive: {}", what, hint=hint)


def _observed(
    root: Root, wanted: RestoreRequest, found: Sequence[StoredSession]
) -> list[tuple[str, str]]:
    """Return the archived live sessions to restore, as pairs of paths: from, and to."""
    names = {
        observations.file_name(item.session.conversation)
        for item in found
        if item.root.path == root.path and item.session.conversation
    }
    listed = []
    for packed, path in archive_files.list_observed(root):
        day = days.day_of(f"{os.path.basename(os.path.dirname(path))}.md")
        if (day and wanted.has_day(day)) or os.path.basename(path) in names:
            listed.append((packed, path))
    return listed
