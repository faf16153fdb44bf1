"""The archive: which days are past retention, taking them there, finding them, bringing them back.

A day leaves its folder only when its archive is on the disk and was read back. What a crash leaves
in both is shown once, and is put right by whatever comes next: the day file is the newer one.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Sequence, Set
from datetime import date, datetime
from itertools import accumulate, groupby
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import session_json
from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import Progress, watched
from daily_memory.core.settings import Settings
from daily_memory.core.undo_steps import ChangedDay, Operation
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Session, days_before
from daily_memory.services.changing import edit
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import Found
from daily_memory.services.writing import reminders
from daily_memory.storage import (
    archive_files,
    archive_moves,
    days,
    deleted,
    journal,
    observations,
    timestamps,
    undo_files,
)
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root

# So many days a run: a clock that is wrong, or a slip in a number, does not empty a memory at once.
MOST_DAYS = 100
# Where the newest session is so much older than today, it may be the clock that is wrong.
FAR_DAYS = 60
_CONFLICT = "merge conflict"


class Due(NamedTuple):
    """What of a root is past retention: sessions and files of live sessions, oldest first.

    `kept` are important sessions of these days, which stay. `left` is how many days are due beyond
    those of this run.
    """

    root: Root
    before: date
    sessions: tuple[Found, ...] = ()
    observed: tuple[str, ...] = ()
    kept: int = 0
    left: int = 0

    @property
    def days(self) -> int:
        return len({one.session.date for one in self.sessions})


class Moved(NamedTuple):
    """What was archived, deleted or restored: ids in order, and how many live sessions with them.

    `present` are ids that were where they were wanted already. `operation` is the id by which it is
    undone, "" where nothing was done.
    """

    ids: tuple[str, ...] = ()
    observed: int = 0
    warnings: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    operation: str = ""


# ---------------------------------------------------------------------------- what is due


def day_before(settings: Settings, today: date, *, days_back: int = 0) -> date | None:
    """Return the day before which sessions are past retention; None where they are kept for ever.

    `days_back` goes before the setting.
    """
    kept = days_back or settings.storage.retention_days
    return days_before(today, kept) if kept else None


def check_clock(roots: Sequence[Root], before: date, today: date) -> None:
    """See that the clock can be trusted with what is past retention.

    Raises:
        InvalidInputError: the newest session is so old that the clock may be wrong.
    """
    newest = max(
        (file.day for root in roots for file in days.list_days(root) if file.day <= today),
        default=today,
    )
    if newest < before and newest <= days_before(today, FAR_DAYS):
        raise InvalidInputError(
            f"the newest session is of {newest}, and by the clock today is {today}: nothing done",
            hint=f"if the clock is right, name the day yourself: --before {before}",
        )


def due(
    root: Root,
    before: date,
    today: date,
    progress: Progress | None = None,
    *,
    most_days: int = MOST_DAYS,
) -> Due:
    """Return what of a root is older than a day; important sessions are not.

    Raises:
        InvalidInputError: the day is still to come.
    """
    if before > today:
        raise InvalidInputError(f"{before} is still to come", hint=f"no day after {today} will do")
    found: list[Found] = []
    kept, taken, left = 0, 0, 0
    for day in days.each_day(root, last=days_before(before, 1), progress=progress):
        going = [one for one in day.sections if not one.session.is_important]
        if not going or _has_conflict(day):
            continue
        if taken == most_days:
            left += 1
            continue
        taken += 1
        kept += len(day.sections) - len(going)
        path = days.day_path(root, day.date)
        found += [Found(one.session, root, path, one.span) for one in going]
    last = found[-1].session.date if left else days_before(before, 1)
    ids = {str(one.session.id) for one in found}
    return Due(root, before, tuple(found), _settled(root, last, ids), kept, left)


def overflow(root: Root, most_mb: float, today: date) -> Due:
    """Return what must leave the days that are larger than so many megabytes, for them to fit.

    The oldest sessions of each go first; important ones stay. So does today's file, whose
    conversations still go on.
    """
    found: list[Found] = []
    kept = 0
    for file in days.large_days(root, most_mb):
        path = file.path(root)
        day = days.load_listed(root, file)
        if file.day >= today or _has_conflict(day) or not day.sections:
            continue
        # Where each line begins, since each section of a large file is looked for in it.
        starts = [0, *accumulate(len(line) + 1 for line in files.read_bytes(path).split(b"\n"))]
        excess = starts[-1] - most_mb * 1_000_000
        for section in day.sections:
            if excess <= 0:
                break
            if section.session.is_important:
                kept += 1
                continue
            found.append(Found(section.session, root, path, section.span))
            excess -= starts[section.span.last] - starts[section.span.first - 1]
    return Due(root, today, tuple(found), kept=kept)


def _has_conflict(day: Day) -> bool:
    """Tell whether a day waits for somebody to merge it: `doctor --fix` does."""
    return any(_CONFLICT in problem.message for problem in day.problems)


def _settled(root: Root, last: date, going: Collection[str]) -> tuple[str, ...]:
    """Return the files of old live sessions that are over, and of which no section stays."""
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
        wanted = session_json.parse_id(session_id)
    except InvalidInputError:
        return False
    return days.find_section(root, wanted.date, wanted.number, wanted.copy) is not None


# ---------------------------------------------------------------------------- archiving


def _is_going(ids: Collection[str], session: Session) -> bool:
    return str(session.id) in ids and not session.is_important


def store(wanted: Due, now: datetime, progress: Progress | None = None) -> Moved:
    """Take what is due into the archive; a day that can't be taken stays, and a warning says so.

    Raises:
        ConflictError: another process held the lock for too long; nothing was done.
        BackendError: nothing could be done, as on a disk that is full.
    """
    root = wanted.root
    failed: DailyMemoryError | None = None
    stored: list[str] = []
    warnings: list[str] = []
    observed = 0
    if not wanted.sessions and not wanted.observed:
        return Moved()
    topics = {str(one.session.id): one.session.topic for one in wanted.sessions}
    names = {path: observations.name_in(root, path) for path in wanted.observed}

    def changed() -> list[ChangedDay]:
        return undo_steps.moved(undo_steps.ARCHIVED, topics.items(), tuple(names.values()))

    with locked(root):
        operation = _noted(root, undo_steps.ARCHIVE, changed(), now)
        by_day = groupby(wanted.sessions, key=lambda one: one.session.date)
        going = [(day, {str(one.session.id) for one in group}) for day, group in by_day]
        for day, ids in watched(going, progress):
            try:
                stored += archive_moves.put_away(root, day, functools.partial(_is_going, ids))
            except DailyMemoryError as error:
                failed = failed or error
                warnings.append(f"{day} stays where it is: {error.message}")
        for path in wanted.observed:
            try:
                archive_moves.put_away_observed(root, path)
                observed += 1
            except DailyMemoryError as error:
                failed = failed or error
                del names[path]
                warnings.append(f"a live session stays where it is: {error.message}")
        topics = {id_: topics[id_] for id_ in stored}
        undo_files.update(root, operation._replace(days=tuple(changed())))
        if failed and not stored and not observed:
            raise failed
        warnings += edit.refresh(root, len(stored))
    moved = tuple(map(root.scoped, stored))
    return Moved(moved, observed, tuple(warnings), operation=operation.id)


def _noted(root: Root, action: str, changed: Sequence[ChangedDay], now: datetime) -> Operation:
    """Note how to undo a move, before anything is moved."""
    at = journal.format_moment(now)
    return undo_files.add(root, Operation("", at, action, tuple(changed)), now)


def archive_by_itself(root: Root, settings: Settings, now: datetime) -> Moved:
    """Archive what is past retention, if it is due.

    Nobody confirms it, so the clock must be trustworthy.

    Raises:
        InvalidInputError: the clock may be wrong.
        ConflictError: the lock was busy.
    """
    before = day_before(settings, now.date())
    if before is None or not reminders.is_archive_due(root, settings, now):
        return Moved()
    timestamps.note(root, timestamps.ARCHIVED, now)
    going = due(root, before, now.date())
    if not going.sessions and not going.observed:
        return Moved()
    # A session of today proves nothing: it has the time of the same clock.
    recent = days_before(now.date(), FAR_DAYS)
    if not any(recent <= file.day < now.date() for file in days.list_days(root)):
        raise InvalidInputError(
            f"nothing was saved in the {FAR_DAYS} days before {now.date()}: the clock may"
            " be wrong, so nothing was archived",
            hint="`memory cleanup --archive` does it once you have looked",
        )
    # Day by day: a save waits for one day at most, and a search indexes one.
    moved = [
        store(going._replace(sessions=tuple(sessions), observed=()), now)
        for _, sessions in groupby(going.sessions, key=lambda found: found.session.date)
    ]
    moved.append(store(going._replace(sessions=()), now))
    return Moved(
        tuple(id_ for part in moved for id_ in part.ids),
        sum(part.observed for part in moved),
        tuple(warning for part in moved for warning in part.warnings),
        operation=join(root, [part.operation for part in moved], undo_steps.ARCHIVE),
    )


# ---------------------------------------------------------------------------- deleting


def delete(wanted: Due, now: datetime) -> Moved:
    """Delete the sessions that are due, as one operation; days without anything else go as well.

    Live sessions of which no section was made are archived.

    Raises:
        ConflictError: a section changed at this very moment, or the lock was busy.
    """
    root = wanted.root
    ids = [str(one.session.id) for one in wanted.sessions]
    warnings: list[str] = []
    operation = ""
    if ids:
        deletion = edit.delete([root], ids, now)
        operation = deletion.operation
        warnings += deletion.warnings
        with locked(root):
            for day in sorted({one.session.date for one in wanted.sessions}):
                archive_moves.remove_bare(root, day)
            warnings += edit.refresh(root)
    gone = set(ids)
    others = tuple(path for path in wanted.observed if _digested(path) not in gone)
    stored = store(wanted._replace(sessions=(), observed=others), now)
    operation = join(root, (operation, stored.operation), undo_steps.DELETE)
    warnings += stored.warnings
    moved = tuple(map(root.scoped, ids))
    return Moved(moved, stored.observed, tuple(warnings), operation=operation)


def join(root: Root, parts: Sequence[str], action: str) -> str:
    """Make what was done in several parts one operation, and return its id, "" for none."""
    done = [one for one in parts if one]
    if len(done) > 1:
        with locked(root):
            undo_files.join(root, done, action)
    return done[-1] if done else ""


def _digested(path: str) -> str:
    return observations.load(path).digested


# ---------------------------------------------------------------------------- restoring


class Wanted(NamedTuple):
    """What is to come back: ids, days, or all of a time. `is_all` where there is no narrowing.

    The ids are as every door gives them; those in `of` a root are as they stand there.
    """

    ids: tuple[str, ...] = ()
    days: tuple[date, ...] = ()
    first: date | None = None
    last: date | None = None
    is_all: bool = False

    def of(self, root: Root) -> Wanted:
        """Return what of it one root may have."""
        named = map(session_json.split_id, self.ids)
        return self._replace(ids=tuple(id_ for label, id_ in named if label == root.label))

    def has(self, session: Session) -> bool:
        if str(session.id) in self.ids or session.date in self.days:
            return True
        if self.first or self.last:
            return (self.first or date.min) <= session.date <= (self.last or date.max)
        return self.is_all


def restore(
    roots: Sequence[Root],
    wanted: Wanted,
    now: datetime,
    progress: Progress | None = None,
    *,
    dry_run: bool = False,
) -> Moved:
    """Bring sessions, and what was observed of them, back from the archive.

    Raises:
        NotFoundError: a day or an id that was named is neither in the archive nor in a day file.
        DamagedDataError: the archive of a day that was named can't be read.
        ConflictError: the lock was busy for too long, or a day kept changing.
    """
    by_root = {root.path: wanted.of(root) for root in roots}
    # What was written by hand comes and goes with the sections around it.
    numbered = (one for one in browse.archived_sessions(roots) if one.session.number)
    found = [one for one in numbered if by_root[one.root.path].has(one.session)]
    present = _check_named(roots, wanted, found)
    ids = tuple(one.id for one in found)
    if dry_run:
        count = sum(len(_observed(root, by_root[root.path], found)) for root in roots)
        return Moved(ids, count, (), present)
    warnings: list[str] = []
    observed = 0
    operation = ""
    for root in roots:
        # A crash may have left some in both: their days are looked at too.
        own = by_root[root.path]
        days_, paths = _days(root, own), _observed(root, own, found)
        if not days_ and not paths:
            continue
        sections = [(str(one.session.id), one.session.topic) for one in found if one.root is root]
        names = [observations.name_in(root, path) for _, path in paths]
        with locked(root):
            if sections or names:
                changed = undo_steps.moved(undo_steps.RESTORED, sections, names)
                done = _noted(root, undo_steps.RESTORE, changed, now)
                operation = operation or done.id
            for day in watched(days_, progress):
                archive_moves.bring_back(root, day, own.has)
            # Who asks for what was deleted wants it back.
            lifted = {str(one.session.id) for one in found if one.root.path == root.path}
            deleted.lift(root, functools.partial(_is_among, lifted))
            for packed, path in paths:
                warning = archive_moves.bring_back_observed(root, packed, path)
                observed += not warning
                warnings += warning
            warnings += edit.refresh(root)
    return Moved(ids, observed, tuple(warnings), present, operation)


def _is_among(ids: Set[str], one: Deleted) -> bool:
    return one.id in ids


def _days(root: Root, wanted: Wanted) -> list[date]:
    named = {session_json.parse_id(one).date for one in wanted.ids}
    return [
        one.day
        for one in archive_files.list_days(root)
        if one.day in named or wanted._replace(ids=()).has(Session(one.day))
    ]


def _check_named(roots: Sequence[Root], wanted: Wanted, found: Sequence[Found]) -> tuple[str, ...]:
    """Return the ids that were named, or are of a day that was named, and are not archived."""
    for root in roots:
        for day in _days(root, wanted.of(root)):
            archive_files.find_data(root, day)  # what is damaged is no answer
    there = {one.id for one in found}
    present: list[str] = []
    for root in roots:
        for id_ in wanted.of(root).ids:
            if root.scoped(id_) not in there:
                if not _is_there(root, id_):
                    hint = "`memory list --archived` shows which there are"
                    message = f"no session {root.scoped(id_)} in the archive"
                    raise NotFoundError(message, hint=hint)
                present.append(root.scoped(id_))
    days_there = {one.session.date for one in found}
    for day in wanted.days:
        if day not in days_there:
            ids = [
                root.scoped(one.session.id)
                for root in roots
                for one in days.load_day(root, day).sections
            ]
            if not ids:
                hint = "`memory list --archived` shows which there are"
                raise NotFoundError(f"no sessions of {day} in the archive", hint=hint)
            present += ids
    return tuple(present)


def _observed(root: Root, wanted: Wanted, found: Sequence[Found]) -> list[tuple[str, str]]:
    """Return the archived live sessions of what comes back: where they are, and where they were."""
    names = {
        observations.file_name(one.session.conversation)
        for one in found
        if one.root is root and one.session.conversation
    }
    listed = []
    for packed, path in archive_files.list_observed(root):
        day = days.day_of(f"{os.path.basename(os.path.dirname(path))}.md")
        is_of_day = day is not None and wanted._replace(ids=()).has(Session(day))
        if is_of_day or os.path.basename(path) in names:
            listed.append((packed, path))
    return listed
