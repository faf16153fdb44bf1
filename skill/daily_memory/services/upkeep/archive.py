"""The archive: which days are past retention, taking them there, finding them, bringing them back.

A day leaves its folder only when its archive is on the disk and was read back. What a crash leaves
in both is shown once, and is put right by whatever comes next: the day file is the newer one.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Iterator, Sequence, Set
from datetime import date, datetime
from itertools import accumulate, groupby
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import markdown, move_sections, session_json
from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import Progress, watched
from daily_memory.core.settings import Settings
from daily_memory.core.undo_steps import ChangedDay, Operation
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Section, Session, SessionId, days_before
from daily_memory.services.changing import edit
from daily_memory.services.reading.browse import Found
from daily_memory.storage import archive_files, days, deleted, journal, observations, undo_files
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import NO_STAMP
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import refresh
from daily_memory.storage.roots import Root

# So many days a run: a clock that is wrong, or a slip in a number, does not empty a memory at once.
MOST_DAYS = 100
# Where the newest session is so much older than today, it may be the clock that is wrong.
FAR_DAYS = 60
_ATTEMPTS = 5
_SLOWER = 3
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
                stored += _store_day(root, day, ids)
            except DailyMemoryError as error:
                failed = failed or error
                warnings.append(f"{day} stays where it is: {error.message}")
        for path in wanted.observed:
            try:
                put_away_observed(root, path)
                observed += 1
            except DailyMemoryError as error:
                failed = failed or error
                del names[path]
                warnings.append(f"a live session stays where it is: {error.message}")
        topics = {id_: topics[id_] for id_ in stored}
        undo_files.update(root, operation._replace(days=tuple(changed())))
        if failed and not stored and not observed:
            raise failed
        warnings += _refresh(root, gone=wanted.days)
    moved = tuple(map(root.scoped, stored))
    return Moved(moved, observed, tuple(warnings), operation=operation.id)


def _noted(root: Root, action: str, changed: Sequence[ChangedDay], now: datetime) -> Operation:
    """Note how to undo a move, before anything is moved."""
    at = journal.format_moment(now)
    return undo_files.add(root, Operation("", at, action, tuple(changed)), now)


def put_away(root: Root, day: date, ids: Collection[str]) -> None:
    """Take sections of a day into the archive, important ones as well. Call it with the lock held.

    Raises:
        ConflictError: the day kept changing, or one can't be told apart from what is around it.
    """
    _store_day(root, day, ids, important=True)


def _store_day(
    root: Root, day: date, ids: Collection[str], *, important: bool = False
) -> list[str]:
    path = days.day_path(root, day)
    for _ in range(_ATTEMPTS):
        stamp = files.stamp(path)
        data = files.find_bytes(path)
        if data is None:
            return []
        sections = days.parse_bytes(data, day, path).sections
        places = [
            place
            for place, one in enumerate(sections)
            if str(one.session.id) in ids and (important or not one.session.is_important)
        ]
        before = archive_files.find_data(root, day)
        moved = _moved(data, before, places, wins=True)
        if places:
            archive_files.store(root, day, archive_files.bytes_of(moved.target))
            try:
                _put(root, path, moved.source, stamp)
            except ConflictError:
                continue  # somebody saved the day meanwhile: what they wrote goes before ours
        return [str(sections[place].session.id) for place in places]
    raise ConflictError("it kept changing", hint="run the command again")


def put_away_observed(root: Root, path: str) -> None:
    """Take the file of a live session into the archive. Call it with the lock held.

    Raises:
        ConflictError: there is another one, or somebody wrote to it at this moment.
    """
    stamp = files.stamp(path)
    archive_files.store_observed(root, path)
    files.check_unchanged(path, stamp)  # a hook may write at any moment
    files.remove(path)
    if not os.listdir(os.path.dirname(path)):
        os.rmdir(os.path.dirname(path))


def _moved(
    source: bytes, target: bytes | None, places: Collection[int], *, wins: bool
) -> move_sections.Moved:
    """Return both texts of a day after a move.

    Raises:
        ConflictError: a section can't be told apart from what is around it.
    """
    theirs = None if target is None else archive_files.text_of(target)
    moved = move_sections.move(archive_files.text_of(source), theirs, places, wins=wins)
    if moved is None:
        message = "a section in it can't be told apart from what is around it"
        raise ConflictError(message, hint="close each code fence in it")
    return moved


def _put(root: Root, path: str, text: str | None, stamp: files.Stamp) -> None:
    """Write a file that still has a stamp; without a text it goes."""
    if text is not None:
        files.make_folder(os.path.dirname(path), root.modes)
        files.replace(path, archive_files.bytes_of(text), root.modes, expected=stamp)
        return
    files.check_unchanged(path, stamp)
    files.remove(path)


def _refresh(root: Root, gone: int = 0) -> list[str]:
    """Bring the index up to date where so many days are gone; return what went wrong."""
    try:
        # To take a session out of it takes several times as long as to put one in.
        if gone * _SLOWER > len(days.list_days(root)):
            refresh.rebuild(root)
        else:
            refresh.update(root)
    except DailyMemoryError as error:
        return [f"done, but the index was not brought up to date: {error.message}"]
    return []


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
                remove_bare(root, day)
            warnings += _refresh(root)
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


def remove_bare(root: Root, day: date) -> None:
    """Remove a day file in which nothing stands but the title that we wrote.

    Call it with the lock held.
    """
    path = days.day_path(root, day)
    stamp = files.stamp(path)
    data = files.find_bytes(path)
    titles = [f"# {day.isoformat()} {title}" for title in markdown.TITLES.values()]
    if data is not None and move_sections.is_only_title(archive_files.text_of(data), titles):
        _put(root, path, None, stamp)


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


def archived(
    roots: Sequence[Root], *, first: date = date.min, last: date = date.max
) -> Iterator[Found]:
    """Yield the archived sessions of these days, oldest first in each root."""
    for root in roots:
        for day in archive_files.each_day(root, first=first, last=last):
            for section in day.all_sections:
                yield found_in(root, section)


def found_in(root: Root, section: Section) -> Found:
    """Return an archived section with where it stands."""
    session = section.session
    path = archive_files.day_path(root, session.date)
    return Found(session, root, path, section.span, session.origin, archived=True)


def get_all(roots: Sequence[Root], wanted: SessionId) -> list[Found]:
    """Return the archived session with this id of each root that has one."""
    name = wanted.date, wanted.number, wanted.copy
    sections = ((root, archive_files.find_section(root, *name)) for root in roots)
    return [found_in(root, section) for root, section in sections if section]


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
    numbered = (one for one in archived(roots) if one.session.number)
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
                _restore_day(root, day, own)
            # Who asks for what was deleted wants it back.
            lifted = {str(one.session.id) for one in found if one.root.path == root.path}
            deleted.lift(root, functools.partial(_is_among, lifted))
            for packed, path in paths:
                warning = restore_observed(root, packed, path)
                observed += not warning
                warnings += warning
            warnings += _refresh(root)
    return Moved(ids, observed, tuple(warnings), present, operation)


def take_out(root: Root, day: date, ids: Collection[str]) -> None:
    """Bring sections of one day back from the archive. Call it with the lock held.

    Raises:
        ConflictError: the day kept changing.
        DamagedDataError: its archive can't be read.
    """
    _restore_day(root, day, Wanted(tuple(ids)))


def _is_among(ids: Set[str], one: Deleted) -> bool:
    return one.id in ids


def bring_back(root: Root, session: Session) -> None:
    """Bring one section back from the archive into its day. Call it with the lock held.

    Raises:
        ConflictError: the day kept changing.
        DamagedDataError: its archive can't be read.
    """
    _restore_day(root, session.date, Wanted((str(session.id),)))


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


def _restore_day(root: Root, day: date, wanted: Wanted) -> None:
    packed = archive_files.day_path(root, day)
    path = days.day_path(root, day)
    for _ in range(_ATTEMPTS):
        data = archive_files.find_data(root, day) or b""
        sections = days.parse_bytes(data, day, packed).sections
        places = [place for place, one in enumerate(sections) if wanted.has(one.session)]
        if not places:
            return
        stamp = files.stamp(path)
        moved = _moved(data, files.find_bytes(path), places, wins=False)
        try:
            _put(root, path, moved.target, stamp)
        except ConflictError:
            continue  # somebody saved the day meanwhile
        if moved.source is None:
            archive_files.remove(root, packed)
        else:
            archive_files.store(root, day, archive_files.bytes_of(moved.source))
        return
    raise ConflictError(f"{day} kept changing", hint="run the command again")


def settle(root: Root) -> list[str]:
    """Take out of the archive what stands in its day as well; return what was done.

    Call it with the lock held.
    """
    mended = []
    for one in archive_files.list_days(root):
        try:
            data = archive_files.find_data(root, one.day) or b""
            shown = {
                section.session.id for section in archive_files.load_day(root, one.day).sections
            }
            sections = days.parse_bytes(data, one.day, one.path).sections
            doubled = [str(s.session.id) for s in sections if s.session.id not in shown]
            if doubled:
                _restore_day(root, one.day, Wanted(tuple(doubled)))
                mended += [f"{name} was in the archive as well as in its day" for name in doubled]
        except DailyMemoryError:
            continue  # the report tells of it
    return mended


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


def restore_observed(root: Root, packed: str, path: str) -> list[str]:
    """Bring a live session back; return why it stays in the archive, where it does.

    Call it with the lock held.
    """
    data = archive_files.load_observed(packed)
    present = files.find_bytes(path)
    if present is not None and present != data:
        return [f"{path!r} is another one by now: the archived one stays in the archive"]
    if present is None:
        files.make_folder(os.path.dirname(path), root.modes)
        files.replace(path, data, root.modes, expected=NO_STAMP, folder=root.index_folder)
    archive_files.remove(root, packed)
    return []
