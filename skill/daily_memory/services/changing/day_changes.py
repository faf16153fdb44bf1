"""Write changed days: first the undo store, then each day once.

So after a crash each section is in its day, in the undo store, or in both.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import exact, markdown, section_text
from daily_memory.core.format.markdown import Day, Outline
from daily_memory.core.format.session_json import parse_id
from daily_memory.core.undo_steps import Blanked, ChangedDay, Operation, SectionChange
from daily_memory.errors import ConflictError, DailyMemoryError
from daily_memory.model import Section, Session, Span
from daily_memory.services.reading.browse import StoredSession
from daily_memory.storage import days, deleted, journal, observations, undo_files
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# How often a day is planned again if an editor saves it meanwhile.
_ATTEMPTS = 5

# Returns the new text of a section, "" to remove it, given its day and present text.
Written = Callable[[StoredSession, Day, str], str]


class DayPlan(NamedTuple):
    """A day to write: its bytes before and after, and what changes in it, in order."""

    path: str
    stamp: Stamp
    before: bytes | None
    after: bytes | None
    changed: tuple[ChangedDay, ...]
    warnings: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[SectionChange, ...]:
        return tuple(change for day in self.changed for change in day.changes)

    @property
    def removed(self) -> tuple[SectionChange, ...]:
        return tuple(change for change in self.changes if change.is_removal)


def apply(
    root: Root, action: str, targets: Sequence[StoredSession], written: Written, now: datetime
) -> tuple[Operation, list[str]]:
    """Change sections; return how to undo it, and warnings. Call it with the lock held."""
    by_day: dict[date, list[StoredSession]] = {}
    for target in targets:
        by_day.setdefault(target.session.date, []).append(target)

    def plan(day: date) -> DayPlan:
        path = days.day_path(root, day)
        stamp, data = files.stamp(path), days.find_data(root, day) or b""
        made = days.outline(data, day, path)
        after, changed, warnings = rewrite_sections(data, made, by_day[day], written)
        return DayPlan(path, stamp, data, after, (changed,), warnings)

    operation = Operation("", journal.format_moment(now), action, ())
    return write(root, operation, sorted(by_day), plan, now)


def write(
    root: Root,
    operation: Operation,
    dates: Iterable[date],
    plan: Callable[[date], DayPlan],
    now: datetime,
) -> tuple[Operation, list[str]]:
    """Write days as planned; return the operation with their changes, and warnings.

    A day that somebody saves meanwhile is planned again. If one can't be written, those before it
    are. Call it with the lock held.
    """
    plans = {day: plan(day) for day in dates}
    earlier = operation

    def store(plans: Iterable[DayPlan]) -> Operation:
        changed = [day for item in plans for day in item.changed]
        noted = undo_steps.with_days(earlier._replace(id=operation.id), changed)
        return undo_files.store(root, noted, now)

    operation = store(plans.values())
    done: list[DayPlan] = []
    try:
        _note_removed(root, operation, plans.values(), now)
        for day in plans:
            for _ in range(_ATTEMPTS):
                if _is_written(root, plans[day]):
                    break
                plans[day] = plan(day)
                operation = store(plans.values())
                _note_removed(root, operation, [plans[day]], now)
            else:
                raise _changing_error(day.isoformat())
            done.append(plans[day])
    except BaseException:
        with contextlib.suppress(DailyMemoryError):
            store(done)
        raise
    changes = [change for item in done for change in item.changes if not change.is_removal]
    _note(root, changes, {id_: text for item in done for id_, text in _texts(item)}, now)
    warnings = [warning for item in done for warning in item.warnings]
    return operation, warnings + _erase(root, [change for item in done for change in item.removed])


def _is_written(root: Root, plan: DayPlan) -> bool:
    """Write a day; return False if somebody else wrote it meanwhile."""
    if plan.after is None or plan.after == (plan.before or b""):
        return True
    files.make_folder(root.daily_folder, root.modes)
    try:
        files.replace(plan.path, plan.after, root.modes, expected=plan.stamp)
    except ConflictError:
        return False
    return True


def _note_removed(
    root: Root, operation: Operation, plans: Iterable[DayPlan], now: datetime
) -> None:
    """Note sections as deleted before they are removed, so that nothing restores them by itself."""
    removed = [change for plan in plans for change in plan.removed]
    if removed:
        # Undoing an import is no deletion: it may be imported again.
        is_import = operation.action == undo_steps.IMPORT
        at = journal.format_moment(now)
        deleted.add(root, [_deleted(change, at, is_import=is_import) for change in removed])
        _note(root, removed, {}, now)


def _deleted(change: SectionChange, at: str, *, is_import: bool) -> Deleted:
    """Return the entry by which a deleted section is recognized later."""
    session = removed_session(change)
    digests = {session.digest, section_text.text_digest(change.before)} - {""}
    conversation = "" if is_import else deleted.key(session.conversation)
    return Deleted(at, change.id, conversation, tuple(sorted(digests)))


def removed_session(change: SectionChange) -> Session:
    lines = change.before.replace("\r\n", "\n").encode("utf-8", "replace").decode().split("\n")
    when = date.fromisoformat(change.id[:10])
    return markdown.parse_section(lines, when) or Session(when)


def _texts(plan: DayPlan) -> Iterator[tuple[str, str]]:
    """Yield the ids and texts of the sections that a plan wrote."""
    given = {parse_id(change.id) for change in plan.changes if not change.is_removal}
    if not given:
        return
    when = date.fromisoformat(os.path.basename(plan.path).removesuffix(".md"))
    data = plan.after or b""
    for section, text in days.cuts(data, days.outline(data, when, plan.path).sections(given)):
        yield str(section.session.id), days.decode(text).replace("\r\n", "\n")


def _note(
    root: Root, changes: Sequence[SectionChange], texts: Mapping[str, str], now: datetime
) -> None:
    """Add sections to the journal; removed ones, and those of other authors, without text."""
    at = journal.format_moment(now)
    entries = [
        JournalEntry(at, change.id, "" if change.origin else texts.get(change.id, ""))
        for change in changes
        if undo_steps.is_numbered(change.id)
    ]
    journal.add_records(root, entries, now)


def _erase(root: Root, changes: Iterable[SectionChange]) -> list[str]:
    """Blank out the observations of removed sections; return warnings."""
    warnings = []
    for change in changes:
        for name, pieces in groupby(change.observed, key=lambda piece: piece.path):
            places = [(at, at + len(exact.to_bytes(text))) for _, at, text in pieces]
            try:
                observations.erase(root, root.at(name), places)
            except DailyMemoryError as error:
                warnings.append(observations_warning(error))
    return warnings


def observations_warning(error: DailyMemoryError) -> str:
    """Return the warning that observations could not be changed with their section."""
    return filled("done, but what was observed stays as it is: {}", error.message)


def _observed(root: Root, session: Session) -> Iterator[Blanked]:
    """Yield the observations that a section was made from."""
    for path, id_ in observations.source_files(root, session.conversation, str(session.id)):
        data, name = files.read_bytes(path), root.name_of(path)
        for begins, ends in observations.digested_ranges(path, data, id_):
            yield Blanked(name, begins, exact.to_text(data[begins:ends]))


def rewrite_sections(
    data: bytes,
    made: Outline,
    wanted: Sequence[StoredSession],
    written: Written,
    *,
    is_observed: bool = True,
) -> tuple[bytes, ChangedDay, tuple[str, ...]]:
    """Return a day with sections replaced or removed, the change, and warnings."""
    starts, line_end = days.line_starts(data), b"\r\n" if b"\r\n" in data else b"\n"
    ids = {target.session.id for target in wanted}
    sections = made.sections(ids)
    there = {section.session for section in sections}
    by_session: dict[Session, StoredSession] = {}
    for target in wanted:
        read = target.session
        by_session[read if read in there else _continued(read, sections, data)] = target
    changes: list[SectionChange] = []
    pieces: list[bytes] = []
    warnings: list[str] = []
    end = 0
    for section in sections:
        target = by_session[section.session]
        lines = days.decode(_cut(data, starts, section.span)).replace("\r\n", "\n")
        text = written(target, made.day, lines)
        span = section.span if text else days.with_gap(data, section.span, starts)
        before = _cut(data, starts, span)
        after = days.encode(text, line_end)
        begins = starts[span.first - 1]
        pieces += [data[end:begins], after]
        end = begins + len(before)
        observed: list[Blanked] = []
        try:
            if is_observed and not text:
                observed += _observed(target.root, section.session)
        except DailyMemoryError as error:
            warnings.append(observations_warning(error))
        changes.append(
            SectionChange(
                str(section.session.id),
                section.session.topic,
                exact.to_text(before),
                exact.to_text(after),
                begins,
                target.origin,
                tuple(observed),
            )
        )
    left = b"".join([*pieces, data[end:]])
    others = [str(made.id(cut)) for cut in made.cuts if made.id(cut) not in ids]
    name = made.day.date.isoformat()
    day = ChangedDay(name, undo_steps.digest(left), tuple(others), tuple(changes))
    return left, day, tuple(warnings)


def _continued(session: Session, sections: Sequence[Section], data: bytes) -> Session:
    """Return a session as it is now, if only its conversation continued since it was read."""
    for section in sections:
        now = section.session
        if now.conversation and _began(now) == _began(session):
            text = days.decode(days.cut(data, section.span))
            if now.digest == section_text.text_digest(text):
                return now
    raise _changing_error(str(session.id))


def _began(session: Session) -> tuple[object, ...]:
    return session.id, session.time, session.conversation


def _cut(data: bytes, starts: Sequence[int], span: Span) -> bytes:
    return data[starts[span.first - 1] : starts[span.last]]


class Imported(NamedTuple):
    """What an import added to days and to the archive, and the names of other files."""

    added: Sequence[SectionChange] = ()
    archived: Sequence[SectionChange] = ()
    others: Sequence[str] = ()


def note_import(root: Root, imported: Imported, now: datetime) -> tuple[str, ...]:
    """Store how to undo an import; return warnings. Call it with the lock held."""
    at = journal.format_moment(now)
    try:
        names = [(change.id, change.topic) for change in imported.archived]
        changed = (
            *_added(imported.added),
            # As if they had been added to their days and then archived.
            *_added(imported.archived),
            *undo_steps.moved(undo_steps.ARCHIVED, names, ()),
        )
        operation = Operation("", at, undo_steps.IMPORT, changed, others=tuple(imported.others))
        undo_files.store(root, operation, now)
    except DailyMemoryError as error:
        return (filled("imported, but `memory undo` does not know of it: {}", error.message),)
    return ()


def _added(changes: Iterable[SectionChange]) -> Iterator[ChangedDay]:
    for day, group in groupby(changes, key=lambda change: change.id[:10]):
        yield ChangedDay(day, "", (), tuple(group), kind=undo_steps.ADDED)


def _changing_error(name: str) -> ConflictError:
    message = filled("{} changed while it was being written", name)
    return ConflictError(message, hint="run the command again")
