"""Replace sections: the undo is stored first, then each day is written once.

After a crash a section is in its day, in the undo store, or in both.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import accumulate, groupby
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import section_text
from daily_memory.core.format.markdown import Day
from daily_memory.core.undo_steps import Blanked, ChangedDay, Operation, SectionChange
from daily_memory.errors import ConflictError, DailyMemoryError
from daily_memory.model import Section, Session, Span
from daily_memory.services.reading.browse import StoredSession
from daily_memory.storage import archive_files, days, deleted, journal, undo_files
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root

# How often a day is planned again if an editor saves it at the same moment.
_ATTEMPTS = 5

# Returns the new text of a section, "" for none, from its day and its lines.
Written = Callable[[StoredSession, Day, str], str]
Observed = Mapping[StoredSession, tuple[Blanked, ...]]


class DayPlan(NamedTuple):
    """A day to be written: its bytes, and what is noted before."""

    path: str
    stamp: Stamp
    after: bytes
    day: ChangedDay
    records: tuple[JournalEntry, ...]


def apply(
    root: Root,
    action: str,
    wanted: Sequence[StoredSession],
    written: Written,
    now: datetime,
    observed: Observed | None = None,
) -> Operation:
    """Change sections, and return how to undo it. Call it with the lock held."""
    by_day: dict[date, list[StoredSession]] = {}
    for target in wanted:
        by_day.setdefault(target.session.date, []).append(target)
    kept = observed or {}
    plans = [planned(root, by_day[day], written, now, kept) for day in sorted(by_day)]
    operation = Operation("", journal.format_moment(now), action, tuple(plan.day for plan in plans))
    operation = undo_files.add(root, operation, now)
    done: list[ChangedDay] = []
    try:
        if action == undo_steps.DELETE:
            # Before any of it goes: killed in between, nothing may bring back what went.
            sessions = {str(target.session.id): target.session for target in wanted}
            changes = [target for plan in plans for target in plan.day.changes]
            deleted.add(root, notes_of(changes, sessions, operation.at))
        journal.add_records(root, [target for plan in plans for target in plan.records], now)
        for plan in plans:
            for _ in range(_ATTEMPTS):
                with contextlib.suppress(ConflictError):
                    files.replace(plan.path, plan.after, root.modes, expected=plan.stamp)
                    break
                # Somebody saved the file meanwhile: it is read again.
                changed = by_day[date.fromisoformat(plan.day.date)]
                plan = planned(root, changed, written, now, kept)
                rest = [target.day for target in plans[len(done) + 1 :]]
                operation = operation._replace(days=(*done, plan.day, *rest))
                undo_files.update(root, operation)
            else:
                raise _moving(plan.day.changes[0].id)
            done.append(plan.day)
    except BaseException:
        with contextlib.suppress(DailyMemoryError):
            undo_files.update(root, operation._replace(days=tuple(done)))
        raise
    return operation


def planned(
    root: Root, wanted: Sequence[StoredSession], written: Written, now: datetime, observed: Observed
) -> DayPlan:
    """Return the plan for one day, from its file as it is now."""
    day = wanted[0].session.date
    path = days.day_path(root, day)
    stamp = files.stamp(path)
    data = files.find_bytes(path) or b""
    left, changed = rewritten(data, days.parse_bytes(data, day, path), wanted, written, observed)
    return DayPlan(path, stamp, left, changed, records_of(changed.changes, now))


def rewritten(
    data: bytes, parsed: Day, wanted: Sequence[StoredSession], written: Written, observed: Observed
) -> tuple[bytes, ChangedDay]:
    """Return the bytes of a day with sections replaced, and the change."""
    starts = list(accumulate((len(line) + 1 for line in data.split(b"\n")), initial=0))
    newline = "\r\n" if b"\r\n" in data else "\n"
    by_session = {target.session: target for target in wanted}
    places = [place for place, s in enumerate(parsed.all_sections) if s.session in by_session]
    if len(places) < len(by_session):
        there = {section.session for section in parsed.all_sections}
        raise _moving(next(str(s.id) for s in by_session if s not in there))
    changes: list[SectionChange] = []
    pieces: list[bytes] = []
    end = 0
    for place in places:
        section = parsed.all_sections[place]
        target = by_session[section.session]
        lines = days.decode(_cut(data, starts, section.span)).replace("\r\n", "\n")
        text = written(target, parsed, lines)
        span = section.span if text else days.with_gap(data, section.span)
        before = _cut(data, starts, span)
        after = text.replace("\n", newline).encode("utf-8", "replace")
        begins = starts[span.first - 1]
        pieces += [data[end:begins], after]
        end = begins + len(before)
        changes.append(
            SectionChange(
                str(section.session.id),
                section.session.topic,
                undo_steps.to_text(before),
                undo_steps.to_text(after),
                begins,
                _previous(parsed, section),
                target.origin,
                observed.get(target, ()),
            )
        )
    left = b"".join([*pieces, data[end:]])
    return left, _changed(parsed, changes, left)


def _cut(data: bytes, starts: Sequence[int], span: Span) -> bytes:
    return data[starts[span.first - 1] : min(starts[span.last], len(data))]


def _previous(parsed: Day, section: Section) -> str:
    """Return the id of the section above: one with a number, which no other change moves."""
    above = [_id(target) for target in parsed.sections if target.span < section.span]
    return above[-1] if above else ""


def _changed(parsed: Day, changes: Sequence[SectionChange], left: bytes) -> ChangedDay:
    touched = {change.id for change in changes}
    others = [section for section in parsed.all_sections if _id(section) not in touched]
    numbered = {_id(section) for section in parsed.sections}
    is_empty = numbered <= touched and not any(change.after for change in changes)
    return ChangedDay(
        parsed.date.isoformat(),
        undo_steps.digest(left),
        tuple(map(_id, others)),
        tuple(changes),
        undo_steps.to_text(left) if is_empty else "",
    )


def _id(section: Section) -> str:
    return str(section.session.id)


def records_of(changes: Sequence[SectionChange], now: datetime) -> tuple[JournalEntry, ...]:
    """Return the records for the journal; those of other authors have no text."""
    at = journal.format_moment(now)
    return tuple(
        JournalEntry(at, target.id, "" if target.origin else target.after.replace("\r\n", "\n"))
        for target in changes
        if undo_steps.is_numbered(target.id)
    )


def notes_of(
    changes: Sequence[SectionChange], sessions: Mapping[str, Session], at: str
) -> list[Deleted]:
    """Return the notes by which deleted sections are recognized later."""
    found = []
    for change in changes:
        session = sessions[change.id]
        digests = {session.digest, section_text.text_digest(change.before)} - {""}
        key = deleted.key(session.conversation)
        found.append(Deleted(at, change.id, key, tuple(sorted(digests))))
    return found


# ---------------------------------------------------------------------------- what an import did


class Imported(NamedTuple):
    """What an import wrote: sessions in their days, in the archive, and changed ones.

    `renewed` have the text that stood there before; `others` are names of other files.
    """

    added: Sequence[Session] = ()
    archived: Sequence[Session] = ()
    renewed: Sequence[tuple[Session, str]] = ()
    others: Sequence[str] = ()


def note_import(root: Root, imported: Imported, now: datetime) -> tuple[str, ...]:
    """Note how to undo an import that was written; a fault is a warning.

    Call it with the lock held.
    """
    at = journal.format_moment(now)
    try:
        names = [(str(target.id), target.topic) for target in imported.archived]
        found = (
            *_renewed(root, imported.renewed),
            *_added(root, imported.added, _day_data),
            # As if they had been added to their days, and archived then.
            *_added(root, imported.archived, archive_files.find_data),
            *undo_steps.moved(undo_steps.ARCHIVED, names, ()),
        )
        others = tuple(imported.others)
        operation = Operation("", at, undo_steps.IMPORT, found, others=others)
        if not operation.is_empty:
            undo_files.add(root, operation, now)
    except DailyMemoryError as error:
        return (f"imported, but `memory undo` does not know of it: {error.message}",)
    return ()


def _day_data(root: Root, day: date) -> bytes | None:
    return files.find_bytes(days.day_path(root, day))


def _sections(
    data: bytes | None, day: date, sessions: Sequence[Session]
) -> Iterator[tuple[Section, bytes]]:
    """Yield the sections of these sessions with their lines."""
    wanted = {str(target.id) for target in sessions}
    for section in days.parse_bytes(data or b"", day, "").sections:
        if _id(section) in wanted:
            yield section, days.cut(data or b"", section.span)


def _by_day(sessions: Sequence[Session]) -> Iterator[tuple[date, list[Session]]]:
    ordered = sorted(sessions, key=lambda target: target.date)
    for day, group in groupby(ordered, key=lambda target: target.date):
        yield day, list(group)


def _added(
    root: Root,
    sessions: Sequence[Session],
    load: Callable[[Root, date], bytes | None],
) -> Iterator[ChangedDay]:
    for day, several in _by_day(sessions):
        changes = tuple(
            SectionChange(
                _id(section), section.session.topic, "", digest=undo_steps.text_digest(text)
            )
            for section, text in _sections(load(root, day), day, several)
        )
        yield ChangedDay(day.isoformat(), "", (), changes, kind=undo_steps.ADDED)


def _renewed(root: Root, renewed: Sequence[tuple[Session, str]]) -> Iterator[ChangedDay]:
    before = {str(session.id): text for session, text in renewed}
    for day, several in _by_day([session for session, _ in renewed]):
        data = _day_data(root, day) or b""
        changes = tuple(
            SectionChange(
                _id(target), target.session.topic, before[_id(target)], undo_steps.to_text(text)
            )
            for target, text in _sections(data, day, several)
        )
        yield ChangedDay(day.isoformat(), undo_steps.digest(data), (), changes)


def _moving(session_id: str) -> ConflictError:
    message = f"{session_id} changed while it was being written"
    return ConflictError(message, hint="run the command again")
