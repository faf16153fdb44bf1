"""Undo: restore deleted sections, remove imported ones, take back edits and moves.

Later changes to the day stay. Each step can be repeated, so an undo that was killed can be run
again. An undo is an operation too, and can be undone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import exact, markdown, move_sections, section_text
from daily_memory.core.format.markdown import Day
from daily_memory.core.format.merge_parts import parse_document, with_fact
from daily_memory.core.format.section_merge import merge_section
from daily_memory.core.format.session_json import parse_id
from daily_memory.core.undo_steps import ChangedDay, Operation, SectionChange
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Section, Session, SessionId
from daily_memory.services.changing import day_changes, edit
from daily_memory.services.changing.day_changes import DayPlan
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
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled, joined

# How many of the files that stay are named.
_MOST_NAMED = 5


class ListedOperation(NamedTuple):
    """An operation that can be undone, and its root."""

    root: Root
    operation: Operation


class Undone(NamedTuple):
    """An undone operation, with pairs of ids: before, and now.

    `kept` are the ids that could not be undone; the warnings say why. `redo` has, for each root,
    the id of the operation that undoes this undo, "" if nothing changed.
    """

    operation: Operation
    ids: tuple[tuple[str, str], ...]
    kept: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    roots: tuple[Root, ...] = ()
    redo: tuple[str, ...] = ()


def listed(roots: Sequence[Root]) -> list[ListedOperation]:
    """Return the operations that can be undone, the last one first."""
    return sorted(_operations(roots), key=lambda item: item.operation.at, reverse=True)


def _operations(roots: Sequence[Root]) -> list[ListedOperation]:
    return [ListedOperation(root, item) for root in roots for item in undo_files.find_all(root)]


def undo(
    roots: Sequence[Root],
    now: datetime,
    operation_id: str = "",
    *,
    dry_run: bool = False,
    opens_private: bool = True,
) -> Undone:
    """Undo an operation: the one with this id, or else the last that is not itself an undo."""
    chosen = _choose(roots, operation_id)
    if dry_run:
        first = chosen[0].operation
        named = [item.root.scoped(id_) for item in chosen for id_ in item.operation.topics]
        ids = [(id_, id_) for id_ in named]
        return Undone(first, tuple(ids))
    done = [
        _undo_in(item.root, item.operation, now, opens_private=opens_private) for item in chosen
    ]
    return Undone(
        done[0].operation,
        tuple(pair for item in done for pair in item.ids),
        tuple(id_ for item in done for id_ in item.kept),
        tuple(warning for item in done for warning in item.warnings),
        tuple(item.root for item in chosen),
        tuple(id_ for item in done for id_ in item.redo),
    )


def _choose(roots: Sequence[Root], operation_id: str) -> list[ListedOperation]:
    """Return the operation with an id, or the last one, once for each root it changed."""
    operations = _operations(roots)
    if operation_id:
        chosen = [item for item in operations if item.operation.id == operation_id][:1]
        hint = "`memory undo --list` shows what can be undone"
        message = filled("no operation {!r} to undo", operation_id)
    else:
        # Each undo goes one step further back; an undo itself is undone by its id. Within a root
        # the numbers give the order, since a clock may have been wrong.
        own = [item for item in reversed(operations) if not item.operation.is_undo]
        newest = {item.root.path: item for item in own}.values()
        last = max((_moment(item.operation) for item in newest), default=("", ""))
        chosen = [item for item in newest if _moment(item.operation) == last][::-1]
        hint = (
            "deletes and changes of the last 30 days can be undone;"
            " `memory delete ID` removes what was saved"
        )
        message = "nothing to undo"
    if not chosen:
        raise NotFoundError(message, hint=hint)
    return chosen


def _moment(operation: Operation) -> tuple[str, str]:
    return operation.at, operation.action


class _Undoing(NamedTuple):
    """An operation to undo; with `opens_private` false, nothing private may become public."""

    root: Root
    operation: Operation
    opens_private: bool


class _Done:
    """What has been undone: new ids by old ids, and faults of the others."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self.warnings: list[str] = []
        # Sections that became private, or public.
        self.privacy: dict[str, bool] = {}

    def add(self, other: _Done) -> None:
        self.ids |= other.ids
        self.faults |= other.faults
        self.warnings += other.warnings
        self.privacy |= other.privacy


def _undo_in(root: Root, operation: Operation, now: datetime, *, opens_private: bool) -> Undone:
    undoing = _Undoing(root, operation, opens_private)
    done = _Done()
    with locked(root):
        redo = _redo_operation(undoing, now)
        # Last first; moves of sections separate changes of their text.
        for is_moved, group in groupby(reversed(operation.days), key=lambda day: day.is_moved):
            step = _move_back if is_moved else _change_back
            redo = step(undoing, list(group), redo, done, now)
        ids, faults, warnings = done.ids, done.faults, done.warnings
        if faults and not ids:
            hint = "undo what came after it first, or name another one: `memory undo --list`"
            raise ConflictError(next(iter(faults.values())), hint=hint)
        warnings += _put_back_observed(root, operation, ids)
        for id_, is_private in done.privacy.items():
            warnings += edit.set_private(browse.get_many([root], [id_]), is_private=is_private)
        back = {item.id for item in operation.changes if item.is_removal and item.id in ids}
        deleted.lift(root, lambda item: item.id in back)
        added = (undo_steps.ADDED, undo_steps.RESTORED)
        went = sum(len(day.changes) for day in operation.days if day.kind in added)
        warnings += edit.refresh(root, went)
        left = undo_steps.without(operation, lambda change: change.id in ids)
        if left.changes:
            undo_files.update(root, left)
        else:
            undo_files.remove(root, operation.id)
    warnings += [
        filled("{} is taken by another session by now: it came back as {}", old, new)
        for old, new in ids.items()
        if old != new
    ]
    if operation.others and not operation.is_undo:
        names, more = operation.others[:_MOST_NAMED], len(operation.others) - _MOST_NAMED
        named = ", ".join(names)
        if more > 0:
            named = joined(" and ", (named, counted(more, "more file")))
        warnings.append(filled("what came beside the sessions stays: {}", named))
    pairs = {item.id: ids[item.id] for item in operation.changes if item.id in ids}
    return Undone(
        operation,
        tuple((root.scoped(old), root.scoped(new)) for old, new in pairs.items()),
        tuple(map(root.scoped, faults)),
        (*warnings, *faults.values()),
        redo=(redo.id,),
    )


def _redo_operation(undoing: _Undoing, now: datetime) -> Operation:
    """Return the operation that undoes this undo; an earlier, unfinished undo left one."""
    operation = undoing.operation
    for earlier in undo_files.find_all(undoing.root):
        if earlier.undoes == operation.id:
            return earlier
    redoes = operation.undoes if operation.is_undo else ""
    at = journal.format_moment(now)
    return Operation("", at, operation.action, (), undoes=operation.id, redoes=redoes)


def _move_back(
    undoing: _Undoing, moved: Sequence[ChangedDay], redo: Operation, done: _Done, now: datetime
) -> Operation:
    """Move sections and live sessions back out of the archive, or into it."""
    root = undoing.root
    plans: list[ChangedDay] = []
    for day in moved:
        when = date.fromisoformat(day.date)
        present = {str(item.session.id) for item in days.load_day(root, when).sections}
        stored = _ids_of(archive_files.find_data(root, when) or b"", when)
        source, kind = stored, undo_steps.RESTORED
        if day.kind == undo_steps.RESTORED:
            source, kind = present, undo_steps.ARCHIVED
        for change in day.changes:
            if change.id in present | stored:
                done.ids[change.id] = change.id
            else:
                done.faults[change.id] = filled("{} is gone; bring it back first", change.id)
        changes = tuple(change for change in day.changes if change.id in source)
        plans.append(day._replace(kind=kind, changes=changes))
    redo = undo_files.store(root, undo_steps.with_days(redo, plans), now)
    for day in plans:
        if day.kind == undo_steps.ARCHIVED:
            archive_moves.archive_sections(root, date.fromisoformat(day.date), day.has)
        else:
            archive_moves.restore_sections(root, date.fromisoformat(day.date), day.has)
        for name in day.files:
            done.warnings += _file_back(root, day.kind, name)
    return redo


def _ids_of(data: bytes, when: date) -> set[str]:
    return {str(item.session.id) for item in days.parse_bytes(data, when, "").sections}


def _file_back(root: Root, kind: str, name: str) -> list[str]:
    """Move the file of a live session; return a warning if it stays where it is."""
    path = root.at(name)
    packed = archive_files.observed_path(root, path)
    try:
        if kind == undo_steps.ARCHIVED:
            if os.path.isfile(path):
                archive_moves.archive_observations(root, path)
        elif os.path.isfile(packed):
            return archive_moves.restore_observations(root, packed, path)
    except DailyMemoryError as error:
        return [filled("{!r} stays where it is: {}", path, error.message)]
    return []


def _change_back(
    undoing: _Undoing, changed: Sequence[ChangedDay], redo: Operation, done: _Done, now: datetime
) -> Operation:
    """Give days their old texts, merged with later changes."""
    by_day: dict[date, list[ChangedDay]] = {}
    for day in changed:
        by_day.setdefault(date.fromisoformat(day.date), []).append(day)
    planned: dict[date, _DayUndo] = {}

    def plan(when: date) -> DayPlan:
        planned[when] = _DayUndo(undoing, when, by_day[when])
        return planned[when].plan

    redo, warnings = day_changes.write(undoing.root, redo, by_day, plan, now)
    done.warnings += warnings
    for when, undone in planned.items():
        done.add(undone.done)
        if undoing.operation.action == undo_steps.IMPORT:
            archive_moves.remove_bare(undoing.root, when)
    return redo


class _DayUndo:
    """Plans how to undo the changes of a day, one after the other; nothing is written."""

    def __init__(self, undoing: _Undoing, when: date, changed: Sequence[ChangedDay]) -> None:
        self._undoing, self._root, self._when = undoing, undoing.root, when
        self._path = days.day_path(self._root, when)
        stamp = files.stamp(self._path)
        before = self._data = files.find_bytes(self._path)
        self.done = _Done()
        self._changes: dict[str, list[SectionChange]] = {}
        for change in undoing.operation.changes:
            self._changes.setdefault(change.id, []).append(change)
        redo = []
        for day in changed:
            if day.kind == undo_steps.ADDED:
                redo.append(self._take_out(day))
            elif day.is_deleted:
                redo.append(self._put_back(day))
            else:
                redo.append(self._give_old_texts(day))
        # An earlier undo that was killed may have written it already.
        is_changed = self._data != before
        self.plan = DayPlan(
            self._path, stamp, before, self._data, tuple(redo) if is_changed else ()
        )

    def _parsed(self, data: bytes | None = None) -> Day:
        return days.parse_bytes(self._data or b"" if data is None else data, self._when, "")

    def _take_out(self, day: ChangedDay) -> ChangedDay:
        """Remove the sections that were added and have not changed since."""
        root, data = self._root, self._data or b""
        made = days.outline(data, self._when, "")
        there = made.sections({parse_id(change.id) for change in day.changes})
        by_id = {str(item.session.id): (item, text) for item, text in days.cuts(data, there)}
        stored = _ids_of(archive_files.load_data(root, self._when), self._when)
        gone: list[StoredSession] = []
        for change in day.changes:
            id_ = change.id
            section, text = by_id.get(id_, (None, b""))
            if section is None and id_ in stored:
                self.done.faults[id_] = _archived_fault(root, id_)
            elif section and undo_steps.text_digest(text) != change.digest:
                take = filled("`memory delete {}` takes it out", root.scoped(id_))
                self.done.faults[id_] = filled("{} was changed since; {}", id_, take)
            else:
                self.done.ids[id_] = id_
                if section:
                    origin = change.origin or section.session.origin
                    session, span = section.session, section.span
                    gone.append(StoredSession(session, root, self._path, span, origin))
        is_import = self._undoing.operation.action == undo_steps.IMPORT
        after, changed, warnings = day_changes.rewrite_sections(
            data, made, gone, lambda *_: "", is_observed=not is_import
        )
        self.done.warnings += warnings
        self._data = after if gone else self._data
        return changed

    def _put_back(self, day: ChangedDay) -> ChangedDay:
        """Put deleted sections back where they were, or where there is room."""
        data = self._data or b""
        archived = archive_files.load_day(self._root, self._when).sections
        # A section in the day and one in the archive with the same number would count as one.
        stored = {section.session.number for section in archived}
        is_free = stored.isdisjoint(parse_id(change.id).number for change in day.changes)
        is_exact = is_free and day.left and undo_steps.digest(data) == day.left
        if is_exact:
            self._data = _inserted(data, day.changes)
            ids = {change.id: change.id for change in day.changes}
        else:
            ids = self._added_back(day, stored)
        self.done.ids |= ids
        data = self._data or b""
        back = days.outline(data, self._when, "").sections(set(map(parse_id, ids.values())))
        digests = {
            str(item.session.id): undo_steps.text_digest(text)
            for item, text in days.cuts(data, back)
        }
        changes = [
            SectionChange(new, change.topic, "", origin=change.origin, digest=digests.get(new, ""))
            for change in day.changes
            for new in [ids.get(change.id, "")]
            if new
        ]
        return ChangedDay(day.date, "", (), tuple(changes), kind=undo_steps.ADDED)

    def _added_back(self, day: ChangedDay, stored: Set[int]) -> dict[str, str]:
        """Add deleted sections to a day that changed since; return new ids by old ids."""
        parsed = self._parsed()
        given = journal.last_number(self._root, self._when)
        taken = {section.session.number for section in parsed.sections} | stored
        present, others = _Present(parsed), set(day.others)
        ids: dict[str, str] = {}
        numbers: dict[SectionChange, int] = {}
        for change in day.changes:
            there = present.find(change, others)
            number = parse_id(change.id).number
            if not there:
                if number in taken:
                    number = max(given, *taken, 0) + 1
                taken |= {number} - {0}
                numbers[change] = number
            ids[change.id] = there or str(SessionId(self._when, number))
            others.add(ids[change.id])

        def add(changes: Sequence[SectionChange]) -> bool:
            by_number = sorted(changes, key=numbers.__getitem__)
            texts = [(change.before, numbers[change]) for change in by_number]
            added = _added(self._data or b"", self._when, texts)
            self._data = added or self._data
            return bool(added)

        for change in _in_parts(list(numbers), add):
            del ids[change.id]
            self.done.faults[change.id] = filled("{} does not fit into its day any more", change.id)
        return ids

    def _give_old_texts(self, day: ChangedDay) -> ChangedDay:
        """Give edited and marked sections their old texts, merged with later edits."""
        undone: dict[SectionChange, SectionChange] = {}

        def change_back(changes: Sequence[SectionChange]) -> bool:
            # A section that was changed twice is undone step by step.
            if len({change.id for change in changes}) < len(changes):
                return False
            redone = self._with_old_texts(changes)
            undone.update(redone or {})
            return redone is not None

        for change in _in_parts(day.changes[::-1], change_back):
            self.done.faults[change.id] = filled(
                "{} was changed since, in the same lines", change.id
            )
        changes = [undone[change] for change in day.changes if change in undone]
        return ChangedDay(day.date, "", (), tuple(changes))

    def _with_old_texts(
        self, changes: Sequence[SectionChange]
    ) -> dict[SectionChange, SectionChange] | None:
        """Give sections their old texts; return what undoes that, None if they don't fit."""
        data = self._data or b""
        before = self._parsed()
        ids = {change.id for change in changes}
        now = _texts(data, before, ids)
        wanted: dict[SectionChange, bytes] = {}
        for change in changes:
            section, text = now.get(change.id, (None, b""))
            if section is None:
                self.done.faults[change.id] = self._gone(change.id)
            elif any(exact.to_bytes(old).strip() == text.strip() for old in self._earlier(change)):
                self.done.ids[change.id] = change.id
            else:
                wanted[change] = _old_text(data, text, change)
        spans = {now[change.id][0].span: text for change, text in wanted.items()}
        after = days.spliced(data, spans)
        parsed = self._parsed(after)
        if not all(wanted.values()) or _others(before, ids) != _others(parsed, ids):
            return None
        new = _texts(after, parsed, ids)
        undone = {}
        for change in wanted:
            id_ = change.id
            self._note_privacy(now[id_][0].session, new[id_][0].session)
            texts = [exact.to_text(each[id_][1]) for each in (now, new)]
            undone[change] = change._replace(before=texts[0], after=texts[1])
            self.done.ids[id_] = id_
        self._data = after
        return undone

    def _earlier(self, change: SectionChange) -> Iterator[str]:
        for item in self._changes[change.id]:
            yield item.before
            if item == change:
                return

    def _gone(self, id_: str) -> str:
        if archive_files.find_section(self._root, parse_id(id_)._replace(date=self._when)):
            return _archived_fault(self._root, id_)
        return filled("{} is gone; bring it back first", id_)

    def _note_privacy(self, now: Session, new: Session) -> None:
        if now.is_private and not new.is_private and not self._undoing.opens_private:
            message = filled("{} would not be private any more: only its user can do that", now.id)
            hint = filled("they can run `memory undo {}`", self._undoing.operation.id)
            raise InvalidInputError(message, hint=hint)
        if now.is_private != new.is_private:
            self.done.privacy[str(now.id)] = new.is_private


def _archived_fault(root: Root, id_: str) -> str:
    return filled("{} is archived; `memory restore {}` brings it back", id_, root.scoped(id_))


def _in_parts(
    changes: Sequence[SectionChange], undo_all: Callable[[Sequence[SectionChange]], bool]
) -> list[SectionChange]:
    """Undo changes together, or in halves if they don't fit; return those that never fit."""
    if not changes or undo_all(changes):
        return []
    if len(changes) == 1:
        return list(changes)
    half = len(changes) // 2
    return [*_in_parts(changes[:half], undo_all), *_in_parts(changes[half:], undo_all)]


def _texts(data: bytes, parsed: Day, ids: Set[str]) -> dict[str, tuple[Section, bytes]]:
    there = [item for item in parsed.all_sections if str(item.session.id) in ids]
    return {str(item.session.id): (item, text) for item, text in days.cuts(data, there)}


def _others(parsed: Day, ids: Set[str]) -> list[Session | str]:
    """Return the sessions of a day; for these ids only the id."""
    named = ((str(item.session.id), item.session) for item in parsed.all_sections)
    return [id_ if id_ in ids else session for id_, session in named]


class _Present:
    """The sections of a day, by content."""

    def __init__(self, parsed: Day) -> None:
        self._project = parsed.project
        self._by_id = {str(item.session.id): item.session for item in parsed.all_sections}
        self._by_content: dict[Session, list[str]] = {}
        for id_, session in self._by_id.items():
            self._by_content.setdefault(section_text.comparable(session), []).append(id_)

    def find(self, change: SectionChange, others: Set[str]) -> str:
        """Return the id of a deleted section that is present already, "" if it is not.

        A killed undo, or git, may have brought it back. Sections in `others`, and one that an
        import or a person gave its number, are different sessions.
        """
        session = day_changes.removed_session(change)
        session = session._replace(project=session.project or self._project)
        same = self._by_content.get(section_text.comparable(session), [])
        own = self._by_id.get(change.id)
        is_own = own and own.topic and (own.topic, own.time) == (session.topic, session.time)
        ids = [*same, *([change.id] if is_own else [])]
        return next((id_ for id_ in ids if id_ not in others), "")


def _inserted(data: bytes, changes: Sequence[SectionChange]) -> bytes:
    """Return an unchanged day with deleted sections inserted where they were."""
    pieces, end, shift = [], 0, 0
    for change in changes:
        text = exact.to_bytes(change.before)
        pieces += [data[end : change.begins - shift], text]
        end = change.begins - shift
        shift += len(text)
    return b"".join([*pieces, data[end:]])


def _added(data: bytes, when: date, sections: Sequence[tuple[str, int]]) -> bytes:
    """Return a day with sections inserted by number; b"" if that would break other sections."""
    newline = "\r\n" if b"\r\n" in data else "\n"
    texts = [text.replace("\r\n", "\n").rstrip("\n") + "\n\n" for text, _ in sections]
    texts = [
        markdown.renumbered(text, number) if number else text
        for text, (_, number) in zip(texts, sections, strict=True)
    ]
    if not data:
        session = markdown.parse_section(texts[0].split("\n"), when) or Session(when)
        title = day_sections.title(when, markdown.heading_language("auto", [session]))
        added = exact.to_bytes(title + "".join(texts))
        is_whole = len(texts) == 1 or len(days.outline(added, when, "").cuts) == len(texts)
        return added if is_whole else b""
    if all(number for _, number in sections):
        text = "".join(texts).replace("\n", newline)
        if len(texts) > 1 and len(move_sections.parts_of(text)) != len(texts):
            return b""
        moved = move_sections.move(text, exact.to_text(data), range(len(texts)), wins=False)
        return exact.to_bytes(moved.target) if moved else b""
    if len(texts) > 1:
        return b""
    # Text outside of sections goes to the end.
    gap = b"\n" * (2 - data.endswith(b"\n"))
    after = data + (gap + exact.to_bytes(texts[0])).replace(b"\n", newline.encode())
    parsed, found = days.parse_bytes(data, when, ""), days.parse_bytes(after, when, "")
    is_sound = [s.session for s in found.sections] == [s.session for s in parsed.sections]
    is_one_more = len(found.all_sections) == len(parsed.all_sections) + 1
    return after if is_sound and is_one_more else b""


def _old_text(data: bytes, now: bytes, change: SectionChange) -> bytes:
    """Return the old text of a section, merged with later edits; b"" on a conflict."""
    before, after = exact.to_bytes(change.before), exact.to_bytes(change.after)
    if now.strip() == after.strip():
        return before
    texts = [days.decode(text).replace("\r\n", "\n") for text in (after, now, before)]
    parts = [parse_document(text).parts for text in texts]
    if not all(len(part) == 1 for part in parts):
        return b""
    merged = merge_section(*(part[0] for part in parts))
    if merged and section_text.is_signed(texts[1]):
        # A conversation that continues still updates it.
        merged = with_fact(merged, "digest", section_text.text_digest(merged))
    return days.encode(f"{merged}\n", data) if merged else b""


def _put_back_observed(root: Root, operation: Operation, ids: Mapping[str, str]) -> list[str]:
    """Put observations back; return warnings."""
    warnings = []
    for change in operation.changes:
        if change.id not in ids:
            continue
        for name, pieces in groupby(change.observed, key=lambda piece: piece.path):
            path = root.at(name)
            try:
                observations.put_back(
                    root, path, [(at, exact.to_bytes(text)) for _, at, text in pieces]
                )
                if ids[change.id] != change.id:
                    observations.note_digested(root, path, ids[change.id])
            except DailyMemoryError as error:
                warnings.append(filled("done, but not what was observed: {}", error.message))
    return warnings
