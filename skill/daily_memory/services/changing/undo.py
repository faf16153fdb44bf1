"""Undo: deleted sections come back, imported ones go, edits and moves are reverted.

Later changes to the day stay. Each step can be repeated: an undo that was killed is run again. An
undo is an operation as well, and can be undone.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import markdown, section_text
from daily_memory.core.format.markdown import Day
from daily_memory.core.format.merge_parts import parse_document
from daily_memory.core.format.section_merge import merge_section
from daily_memory.core.format.session_json import parse_id
from daily_memory.core.undo_steps import ChangedDay, Operation, SectionChange
from daily_memory.errors import (
    ConflictError,
    DailyMemoryError,
    InvalidInputError,
    NotFoundError,
)
from daily_memory.model import Section, Session, SessionId, counted
from daily_memory.services.changing import edit, replace
from daily_memory.services.changing.replace import Observed
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession
from daily_memory.storage import (
    archive_files,
    archive_moves,
    day_sections,
    days,
    deleted,
    journal,
    observations,
    undo_files,
)
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root

# How often a day is tried again when an editor saves it at the same moment.
_ATTEMPTS = 5
# So many files that stay are named.
_MOST_NAMED = 5


class ListedOperation(NamedTuple):
    """An operation that can be undone, and the root in which it was done."""

    root: Root
    operation: Operation


class Undone(NamedTuple):
    """An undone operation, with the ids as they were and as they are now.

    `kept` are the ids that could not be undone; the warnings say why. `redo` has for each root the
    id of the operation that undoes this undo, "" if nothing changed.
    """

    operation: Operation
    ids: tuple[tuple[str, str], ...]
    kept: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    roots: tuple[Root, ...] = ()
    redo: tuple[str, ...] = ()


def listed(roots: Sequence[Root]) -> list[ListedOperation]:
    """Return the operations that can be undone, the last one first."""
    found = [ListedOperation(root, item) for root in roots for item in undo_files.find_all(root)]
    return sorted(found, key=lambda item: item.operation.at, reverse=True)


def undo(
    roots: Sequence[Root],
    now: datetime,
    operation_id: str = "",
    *,
    dry_run: bool = False,
    opens_private: bool = True,
) -> Undone:
    """Undo an operation; without an id, the last one that is no undo itself.

    Deleted sections get their numbers back, or the next free ones. Edited and marked sections get
    their old text, merged with later edits. Imported sections go, unless they were changed since.
    Archived and restored sections move back.
    """
    chosen = _chosen(roots, operation_id)
    if dry_run:
        first = chosen[0].operation
        named = [item.root.scoped(id_) for item in chosen for id_ in item.operation.topics]
        ids = [(id_, id_) for id_ in named]
        return Undone(first, tuple(ids))
    done = [_undone(item.root, item.operation, now, opens_private=opens_private) for item in chosen]
    return Undone(
        done[0].operation,
        tuple(pair for item in done for pair in item.ids),
        tuple(id_ for item in done for id_ in item.kept),
        tuple(warning for item in done for warning in item.warnings),
        tuple(item.root for item in chosen),
        tuple(id_ for item in done for id_ in item.redo),
    )


def _chosen(roots: Sequence[Root], operation_id: str) -> list[ListedOperation]:
    """Return the operation with an id, or the last one in all roots where it was done."""
    # Within a root the numbers give the order: a clock may have been wrong.
    by_root = [
        [ListedOperation(root, operation) for operation in undo_files.find_all(root)]
        for root in roots
    ]
    if operation_id:
        for found in by_root:
            for item in found:
                if item.operation.id == operation_id:
                    return [item]
        hint = "`memory undo --list` shows what can be undone"
        raise NotFoundError(f"no operation {operation_id!r} to undo", hint=hint)
    # Each undo goes one step further back: an undo itself is undone by its id.
    own = [[item for item in found if not item.operation.is_undo] for found in by_root]
    newest = [found[0] for found in own if found]
    if not newest:
        hint = "what was done is kept for 30 days; `memory undo --list` has undos, too"
        raise NotFoundError("nothing to undo", hint=hint)
    last = max(newest, key=lambda item: item.operation.at).operation
    return [item for item in newest if _moment(item.operation) == _moment(last)]


def _moment(operation: Operation) -> tuple[str, str]:
    return operation.at, operation.action


class _Back(NamedTuple):
    """A day with an operation undone: its bytes, the new id of each change, and the faults.

    `undone` is how to redo it. `gone` are the sections that go, `observed` the observations of
    their conversations.
    """

    data: bytes | None
    ids: dict[str, str]
    faults: dict[str, str]
    undone: ChangedDay
    gone: Sequence[StoredSession] = ()
    observed: Observed = MappingProxyType({})


class _Undoing(NamedTuple):
    """An operation to undo; `by_id` has the changes of each section, in order."""

    root: Root
    operation: Operation
    now: datetime
    by_id: Mapping[str, Sequence[SectionChange]]

    def is_done(self, change: SectionChange, now: bytes) -> bool:
        """Tell whether a section has the text from before a change, or before an earlier one."""
        changes = self.by_id[change.id]
        earlier = changes[: changes.index(change) + 1]
        return any(undo_steps.to_bytes(item.before).strip() == now.strip() for item in earlier)


class _WayBack:
    """The operation that undoes an undo, stored before each of its steps.

    An undo that was killed, or was incomplete, has one already, which goes on.
    """

    def __init__(self, undoing: _Undoing) -> None:
        self._root, self._now = undoing.root, undoing.now
        of = undoing.operation
        redoes = of.undoes if of.is_undo else ""
        at = journal.format_moment(self._now)
        empty = Operation("", at, of.action, (), undoes=of.id, redoes=redoes)
        earlier = (item for item in undo_files.find_all(self._root) if item.undoes == of.id)
        self.operation = next(earlier, empty)

    def note(self, days_: Sequence[ChangedDay]) -> None:
        """Note what is about to change, in the place of an earlier plan."""
        ids = {change.id for day in days_ for change in day.changes}
        is_moved = any(day.is_moved for day in days_)
        own = [day for day in self.operation.days if day.is_moved == is_moved]
        kept = undo_steps.without(
            self.operation._replace(days=tuple(own)), lambda item: item.id in ids
        )
        others = [day for day in self.operation.days if day.is_moved != is_moved]
        found = (day for day in (*others, *kept.days, *days_) if day.changes or day.files)
        operation = self.operation._replace(days=tuple(found))
        if self.operation.id:
            undo_files.update(self._root, operation)
            self.operation = operation
        elif not operation.is_empty:
            self.operation = undo_files.add(self._root, operation, self._now)

    def drop(self, days_: Sequence[ChangedDay]) -> None:
        """Remove what was not changed after all."""
        days_ = [day for day in self.operation.days if day not in days_]
        with contextlib.suppress(DailyMemoryError):
            undo_files.update(self._root, self.operation._replace(days=tuple(days_)))


def _undone(
    root: Root, operation: Operation, now: datetime, *, opens_private: bool = True
) -> Undone:
    by_id: dict[str, list[SectionChange]] = {}
    for change in operation.changes:
        by_id.setdefault(change.id, []).append(change)
    undoing = _Undoing(root, operation, now, by_id)
    ids: dict[str, str] = {}
    faults: dict[str, str] = {}
    warnings: list[str] = []
    with locked(root):
        if not opens_private:
            _check_private(root, operation)
        private = _private(root, operation)
        way_back = _WayBack(undoing)
        # Last first; sections move before their text is looked at.
        for is_moved, group in groupby(reversed(operation.days), key=lambda day: day.is_moved):
            step = _move_back if is_moved else _change_back
            done = step(undoing, list(group), way_back)
            ids.update(done.ids)
            faults.update(done.faults)
            warnings += done.warnings
        if faults and not ids:
            hint = "undo what came after it first, or name another one: `memory undo --list`"
            raise ConflictError(next(iter(faults.values())), hint=hint)
        warnings += _put_back_observed(root, operation, ids)
        warnings += _set_private(root, private, ids)
        _note(root, operation, ids, now)
        back = {
            item.id
            for day in operation.days
            if day.is_deleted
            for item in day.changes
            if item.id in ids
        }
        deleted.lift(root, lambda item: item.id in back)
        went = (
            day for day in operation.days if day.kind in (undo_steps.ADDED, undo_steps.RESTORED)
        )
        warnings += edit.refresh(root, sum(len(day.changes) for day in went))
        left = undo_steps.without(operation, lambda change: change.id in ids)
        if left.changes:
            undo_files.update(root, left)
        else:
            undo_files.remove(root, operation.id)
    warnings += [
        f"{old} is taken by another session by now: it came back as {new}"
        for old, new in ids.items()
        if old != new
    ]
    if operation.others and not operation.is_undo:
        named = ", ".join(operation.others[:_MOST_NAMED])
        more = len(operation.others) - _MOST_NAMED
        named += f" and {counted(more, 'more file')}" if more > 0 else ""
        warnings.append(f"what came beside the sessions stays: {named}")
    pairs = {item.id: ids[item.id] for item in operation.changes if item.id in ids}
    return Undone(
        operation,
        tuple((root.scoped(old), root.scoped(new)) for old, new in pairs.items()),
        tuple(map(root.scoped, faults)),
        (*warnings, *faults.values()),
        redo=(way_back.operation.id,),
    )


class _Done(NamedTuple):
    """The outcome of some steps: the new id of each change, and what went wrong."""

    ids: dict[str, str]
    faults: dict[str, str]
    warnings: list[str]


# ---------------------------------------------------------------------------- moved


def _move_back(undoing: _Undoing, moved: Sequence[ChangedDay], way_back: _WayBack) -> _Done:
    """Move sections and live sessions out of the archive again, or into it."""
    root = undoing.root
    done = _Done({}, {}, [])
    plans: list[tuple[ChangedDay, set[str]]] = []
    for day in moved:
        when = date.fromisoformat(day.date)
        present = {str(item.session.id) for item in days.load_day(root, when).sections}
        stored = _ids_of(archive_files.find_data(root, when) or b"", when)
        source, target = stored, present
        if day.kind == undo_steps.RESTORED:
            source, target = present, stored
        for change in day.changes:
            if change.id in source or change.id in target:
                done.ids[change.id] = change.id
            else:
                done.faults[change.id] = f"{change.id} is gone; bring it back first"
        plans.append((day, source & {change.id for change in day.changes}))
    way_back.note([_moved_back(day, ids) for day, ids in plans])
    for day, ids in plans:
        when = date.fromisoformat(day.date)
        if day.kind == undo_steps.ARCHIVED:
            archive_moves.bring_back(root, when, partial(_is_among, ids))
        elif ids:
            archive_moves.put_away(root, when, partial(_is_among, ids))
        for name in day.files:
            done.warnings.extend(_file_back(root, day.kind, name))
    return done


def _is_among(ids: Set[str], session: Session) -> bool:
    return str(session.id) in ids


def _ids_of(data: bytes, when: date) -> set[str]:
    return {str(item.session.id) for item in days.parse_bytes(data, when, "").sections}


def _moved_back(day: ChangedDay, ids: Set[str]) -> ChangedDay:
    other = undo_steps.RESTORED if day.kind == undo_steps.ARCHIVED else undo_steps.ARCHIVED
    return day._replace(
        kind=other, changes=tuple(change for change in day.changes if change.id in ids)
    )


def _file_back(root: Root, kind: str, name: str) -> list[str]:
    """Move a file of a live session; return a warning if it stays where it is."""
    path = os.path.join(root.path, *name.split("/"))
    packed = archive_files.observed_path(root, path)
    try:
        if kind == undo_steps.RESTORED:
            if os.path.isfile(path):
                archive_moves.put_away_observed(root, path)
        elif os.path.isfile(packed):
            return archive_moves.bring_back_observed(root, packed, path)
    except DailyMemoryError as error:
        return [f"{path!r} stays where it is: {error.message}"]
    return []


# ---------------------------------------------------------------------------- other texts


class _DayUndo(NamedTuple):
    """What becomes of a day: its file as it is, and the changes undone step by step."""

    path: str
    stamp: Stamp
    data: bytes | None
    backs: tuple[_Back, ...]

    @property
    def after(self) -> bytes | None:
        return self.backs[-1].data

    @property
    def undone(self) -> list[ChangedDay]:
        """How to redo it; nothing if an earlier undo already wrote this."""
        return [back.undone for back in self.backs] if self.after != self.data else []


def _change_back(undoing: _Undoing, changed: Sequence[ChangedDay], way_back: _WayBack) -> _Done:
    """Give days their old texts, merged with later changes; each day in one write."""
    by_day: dict[str, list[ChangedDay]] = {}
    for day in changed:
        by_day.setdefault(day.date, []).append(day)
    plans = {day: _planned(undoing, several) for day, several in by_day.items()}
    way_back.note([item for plan in plans.values() for item in plan.undone])
    done = _Done({}, {}, [])
    for name, several in by_day.items():
        try:
            plan = _written(undoing, plans[name], several, way_back)
        except BaseException:
            way_back.drop([item for plan in plans.values() for item in plan.undone])
            raise
        # What was done stays noted, whatever happens to the next days.
        del plans[name]
        for back in plan.backs:
            done.ids.update(back.ids)
            done.faults.update(back.faults)
            done.warnings.extend(edit.erase(back.gone, back.observed))
    return done


def _written(
    undoing: _Undoing, plan: _DayUndo, changed: Sequence[ChangedDay], way_back: _WayBack
) -> _DayUndo:
    """Write a day, planned again if somebody saves it at the same moment."""
    for _ in range(_ATTEMPTS):
        _note_gone(undoing, plan)
        if _is_written(undoing.root, plan):
            if undoing.operation.action == undo_steps.IMPORT:
                archive_moves.remove_bare(undoing.root, date.fromisoformat(changed[0].date))
            return plan
        plan = _planned(undoing, changed)
        way_back.note(plan.undone)
    hint = "run the command again"
    raise ConflictError(f"{plan.path!r} changed while it was being written", hint=hint)


def _planned(undoing: _Undoing, changed: Sequence[ChangedDay]) -> _DayUndo:
    when = date.fromisoformat(changed[0].date)
    path = days.day_path(undoing.root, when)
    stamp = files.stamp(path)
    before = data = files.find_bytes(path)
    backs: list[_Back] = []
    for day in changed:
        if day.kind == undo_steps.ADDED:
            backs.append(_without_added(undoing, data, day, when))
        elif day.is_deleted:
            backs.append(_with_deleted(undoing.root, data, day, when))
        else:
            backs.append(_with_old_texts(undoing, data, day, when))
        data = backs[-1].data
    return _DayUndo(path, stamp, before, tuple(backs))


def _is_written(root: Root, plan: _DayUndo) -> bool:
    """Write a day; tell whether nobody else wrote it at the same moment."""
    if plan.after is None or plan.after == (plan.data or b""):
        return True  # an absent day stays absent
    files.make_folder(root.daily_folder, root.modes)
    try:
        files.replace(plan.path, plan.after, root.modes, expected=plan.stamp)
    except ConflictError:
        return False
    return True


def _note_gone(undoing: _Undoing, plan: _DayUndo) -> None:
    """Note the sections that go, before they do: nothing may bring them back by itself."""
    for back in plan.backs:
        sessions = {str(item.session.id): item.session for item in back.gone}
        changes = back.undone.changes
        if sessions:
            at = journal.format_moment(undoing.now)
            noted = replace.notes_of(changes, sessions, at)
            if undoing.operation.action == undo_steps.IMPORT:
                # What was never deleted may be imported again.
                noted = [item._replace(conversation="") for item in noted]
            deleted.add(undoing.root, noted)
            records = replace.records_of(changes, undoing.now)
            journal.add_records(undoing.root, list(records), undoing.now)


# ---------------------------------------------------------------------------- added


def _without_added(undoing: _Undoing, data: bytes | None, day: ChangedDay, when: date) -> _Back:
    """Return a day without the sections that were added to it and did not change since."""
    root = undoing.root
    path = days.day_path(root, when)
    parsed = days.parse_bytes(data or b"", when, path)
    by_id = {str(section.session.id): section for section in parsed.all_sections}
    stored = _ids_of(archive_files.load_data(root, when), when)
    ids: dict[str, str] = {}
    faults: dict[str, str] = {}
    gone: list[StoredSession] = []
    for change in day.changes:
        section = by_id.get(change.id)
        if section is None and change.id in stored:
            bring = f"`memory restore {root.scoped(change.id)}` brings it back"
            faults[change.id] = f"{change.id} is archived; {bring}"
        elif section and _is_changed(data or b"", section, change):
            take = f"`memory delete {root.scoped(change.id)}` takes it out"
            faults[change.id] = f"{change.id} was changed since; {take}"
        else:
            ids[change.id] = change.id
            if section:
                origin = change.origin or section.session.origin
                gone.append(StoredSession(section.session, root, path, section.span, origin))
    if not gone:
        return _Back(data, ids, faults, day._replace(kind=undo_steps.CHANGED, changes=()))
    observed, _ = ({}, ()) if undoing.operation.action == undo_steps.IMPORT else edit.held(gone)
    left, changed = replace.rewritten(data or b"", parsed, gone, lambda *_: "", observed)
    return _Back(left, ids, faults, changed, gone, observed)


def _is_changed(data: bytes, section: Section, change: SectionChange) -> bool:
    return undo_steps.text_digest(days.cut(data, section.span)) != change.digest


# ---------------------------------------------------------------------------- deleted


def _with_deleted(root: Root, data: bytes | None, day: ChangedDay, when: date) -> _Back:
    left = data if data is not None else undo_steps.to_bytes(day.rest)
    # Two of one number, in the day and in the archive, would be taken for one.
    stored = {section.session.number for section in archive_files.load_day(root, when).sections}
    is_free = stored.isdisjoint(parse_id(change.id).number for change in day.changes)
    ids: dict[str, str] = {}
    faults: dict[str, str] = {}
    if is_free and day.left and undo_steps.digest(left) == day.left:
        for change in day.changes:
            before = undo_steps.to_bytes(change.before)
            left = left[: change.begins] + before + left[change.begins :]
        ids = {change.id: change.id for change in day.changes}
        return _Back(left, ids, faults, _added_again(left, day, ids, when))
    given = journal.last_number(root, when)
    for change in day.changes:
        parsed = days.parse_bytes(left, when, "")
        session = _session(change, parsed)
        there = _there(parsed, session, change, {*day.others, *ids.values()})
        if there:
            ids[change.id] = there
            continue
        new = SessionId(when, _free(parsed, parse_id(change.id).number, given, stored))
        added = _added(left, parsed, change, new)
        if added:
            left, ids[change.id] = added, str(new)
        else:
            faults[change.id] = f"{change.id} does not fit into its day any more"
    return _Back(left, ids, faults, _added_again(left, day, ids, when))


def _added_again(data: bytes, day: ChangedDay, ids: Mapping[str, str], when: date) -> ChangedDay:
    """Return the change of a day that has deleted sections again."""
    texts = {
        str(section.session.id): undo_steps.text_digest(days.cut(data, section.span))
        for section in days.parse_bytes(data, when, "").all_sections
    }
    changes = tuple(
        SectionChange(
            ids[change.id],
            change.topic,
            "",
            origin=change.origin,
            digest=texts.get(ids[change.id], ""),
        )
        for change in day.changes
        if change.id in ids
    )
    return ChangedDay(day.date, "", (), changes, kind=undo_steps.ADDED)


def _session(change: SectionChange, parsed: Day) -> Session:
    """Return the session of a section that went."""
    lines = change.before.replace("\r\n", "\n").encode("utf-8", "replace").decode().split("\n")
    session = markdown.parse_section(lines, parsed.date) or Session(parsed.date)
    return session._replace(project=session.project or parsed.project)


def _there(parsed: Day, session: Session, change: SectionChange, others: set[str]) -> str:
    """Return the id under which a session is there already, "" if it is not.

    A killed undo, or git, may have brought it back. Sections in `others`, and one that an import or
    a person wrote under its number, are other sessions.
    """
    for section in parsed.all_sections:
        now = section.session
        is_same = section_text.content(now) == section_text.content(session)
        is_own = str(now.id) == change.id and (
            now.topic != "" and (now.topic, now.time) == (session.topic, session.time)
        )
        if str(now.id) not in others and (is_same or is_own):
            return str(now.id)
    return ""


def _free(parsed: Day, number: int, given: int, stored: Set[int]) -> int:
    taken = {section.session.number for section in parsed.sections} | stored
    return number if number not in taken else max(given, parsed.last_number, *stored, 0) + 1


def _added(data: bytes, parsed: Day, change: SectionChange, new: SessionId) -> bytes:
    """Return a day with a section put back at its old place, else at the end; b"" if neither."""
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    text = undo_steps.to_bytes(change.before).replace(b"\r\n", b"\n").rstrip(b"\n")
    if new.number:
        text = undo_steps.to_bytes(markdown.renumbered(undo_steps.to_text(text), new.number))
    text += b"\n"
    sessions = [section.session for section in parsed.all_sections]
    for place in _places(data, parsed, change):
        head, tail = data[:place].replace(b"\r\n", b"\n"), data[place:]
        gap = b"" if not head or head.endswith(b"\n\n") else b"\n" * (2 - head.endswith(b"\n"))
        if not data:
            language = markdown.heading_language("auto", [_session(change, parsed)])
            gap = day_sections.title(parsed.date, language).encode()
        lines = (gap + text + (b"\n" if tail else b"")).replace(b"\n", newline)
        after = data[:place] + lines + tail
        found = days.parse_bytes(after, parsed.date, "").all_sections
        if _is_one_more(sessions, [section.session for section in found], new):
            return after
    return b""


def _is_one_more(before: list[Session], after: list[Session], new: SessionId) -> bool:
    """Tell whether one section was added, and nothing else changed."""
    if new.number:
        others = [session for session in after if session.id != new]
        return others == before and len(after) > len(others)
    # A section without a number is counted in order: those below count one more now.
    rest = Counter(item._replace(copy=1) for item in after)
    rest.subtract(item._replace(copy=1) for item in before)
    return sorted(rest[key] for key in rest if rest[key]) == [1]


def _places(data: bytes, parsed: Day, change: SectionChange) -> list[int]:
    """Return where a section may be inserted, the best place first."""
    by_id = {str(section.session.id): section for section in parsed.all_sections}
    own = parse_id(change.id).number
    later = [section for section in parsed.sections if section.session.number > own]
    places = [len(data)]
    if change.previous in by_id:
        span = days.with_gap(data, by_id[change.previous].span)
        places.insert(0, days.place(data, span)[1])
    elif later:
        places.insert(0, days.place(data, later[0].span)[0])
    return places


# ---------------------------------------------------------------------------- edited and marked


def _with_old_texts(undoing: _Undoing, data: bytes | None, day: ChangedDay, when: date) -> _Back:
    ids: dict[str, str] = {}
    faults: dict[str, str] = {}
    undone: list[SectionChange] = []
    left = data or b""
    for change in reversed(day.changes):
        parsed = days.parse_bytes(left, when, "")
        section = next((s for s in parsed.all_sections if str(s.session.id) == change.id), None)
        if section is None:
            wanted = parse_id(change.id)
            is_archived = archive_files.find_section(undoing.root, when, wanted.number, wanted.copy)
            bring = f"is archived; `memory restore {undoing.root.scoped(change.id)}` brings it back"
            missing = bring if is_archived else "is gone; bring it back first"
            faults[change.id] = f"{change.id} {missing}"
            continue
        now = days.cut(left, section.span)
        after = left
        if not undoing.is_done(change, now):
            after = _with_old_text(left, section, change)
        others = [s.session for s in parsed.all_sections if s is not section]
        found = days.parse_bytes(after, when, "").all_sections
        there = {str(item.session.id): item for item in found}
        if not after or [s.session for s in found if str(s.session.id) != change.id] != others:
            faults[change.id] = f"{change.id} was changed since, in the same lines"
            continue
        if after != left:
            text = undo_steps.to_text(days.cut(after, there[change.id].span))
            undone.append(change._replace(before=undo_steps.to_text(now), after=text))
        left, ids[change.id] = after, change.id
    changed = ChangedDay(day.date, "", (), tuple(reversed(undone)))
    return _Back(left if data is not None else None, ids, faults, changed)


def _with_old_text(data: bytes, section: Section, change: SectionChange) -> bytes:
    """Return a day with the old text of a section, merged with later edits; b"" on conflict."""
    now = days.cut(data, section.span)
    before, after = undo_steps.to_bytes(change.before), undo_steps.to_bytes(change.after)
    if now.strip() == after.strip():
        return days.splice(data, section.span, before)
    texts = [_plain(text) for text in (after, now, before)]
    parts = [parse_document(text).parts for text in texts]
    if not all(len(part) == 1 for part in parts):
        return b""
    merged = merge_section(*(part[0] for part in parts))
    newline = "\r\n" if b"\r\n" in data else "\n"
    text = f"{merged}\n".replace("\n", newline).encode("utf-8", "replace")
    return days.splice(data, section.span, text) if merged else b""


def _plain(data: bytes) -> str:
    return days.decode(data).replace("\r\n", "\n")


# ---------------------------------------------------------------------------- what goes with it


def _put_back_observed(root: Root, operation: Operation, ids: Mapping[str, str]) -> list[str]:
    """Put observations back; return what went wrong."""
    warnings = []
    for change in operation.changes:
        if change.id not in ids:
            continue
        for name, pieces in groupby(change.observed, key=lambda piece: piece.path):
            path = os.path.join(root.path, *name.split("/"))
            try:
                observations.put_back(
                    root, path, [(at, undo_steps.to_bytes(text)) for _, at, text in pieces]
                )
                if ids[change.id] != change.id:
                    observations.note_digested(root, path, ids[change.id])
            except DailyMemoryError as error:
                warnings.append(f"done, but not what was observed: {error.message}")
    return warnings


def _private(root: Root, operation: Operation) -> dict[str, bool]:
    """Return whether each section that gets another text is private now."""
    return {
        str(section.session.id): section.session.is_private
        for day in operation.days
        if day.kind == undo_steps.CHANGED and not day.is_deleted
        for section in days.load_day(root, date.fromisoformat(day.date)).all_sections
        if any(change.id == str(section.session.id) for change in day.changes)
    }


def _check_private(root: Root, operation: Operation) -> None:
    """Raise InvalidInputError if the undo would make a private section public."""
    is_private = _private(root, operation)
    for day in operation.days:
        for change in day.changes:
            lines = change.before.replace("\r\n", "\n").split("\n")
            before = markdown.parse_section(lines, date.fromisoformat(day.date))
            if is_private.get(change.id) and not (before and before.is_private):
                raise InvalidInputError(
                    f"{change.id} would not be private any more: only its user can do that",
                    hint=f"they can run `memory undo {operation.id}`",
                )


def _set_private(root: Root, before: Mapping[str, bool], ids: Mapping[str, str]) -> list[str]:
    """Hide or show the observations of sections that became private or public."""
    warnings: list[str] = []
    found = browse.get_many([root], [id_ for id_ in before if id_ in ids])
    for item in found:
        is_private = item.session.is_private
        if is_private != before[str(item.session.id)]:
            warnings += edit.set_private([item], is_private=is_private)
    return warnings


def _note(root: Root, operation: Operation, ids: Mapping[str, str], now: datetime) -> None:
    """Note in the journal that these sections are there again."""
    at = journal.format_moment(now)
    origins = {ids[item.id]: item.origin for item in operation.changes if item.id in ids}
    records = []
    for day in sorted({day.date for day in operation.days}):
        data = files.find_bytes(days.day_path(root, date.fromisoformat(day))) or b""
        for section in days.parse_bytes(data, date.fromisoformat(day), "").all_sections:
            id_ = str(section.session.id)
            if id_ in origins and undo_steps.is_numbered(id_):
                text = "" if origins[id_] else _plain(days.cut(data, section.span))
                records.append(JournalEntry(at, id_, text))
    journal.add_records(root, records, now)
