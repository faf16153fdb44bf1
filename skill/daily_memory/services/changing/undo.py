"""Undo: deleted sections come back, imported ones go, edits and moves are reverted.

Later changes to the day stay. Each step can be repeated: an undo that was killed is run again. An
undo is an operation as well, and can be undone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.format import exact, markdown, move_sections, section_text
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
from daily_memory.services.changing.replace import DayPlan
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
    """Undo an operation; without an id, the last one that is no undo itself."""
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
    operations = _operations(roots)
    if operation_id:
        chosen = [item for item in operations if item.operation.id == operation_id][:1]
        hint = "`memory undo --list` shows what can be undone"
        message = f"no operation {operation_id!r} to undo"
    else:
        # Each undo goes one step further back: an undo itself is undone by its id. Within a root
        # the numbers give the order: a clock may have been wrong.
        own = [item for item in reversed(operations) if not item.operation.is_undo]
        newest = {item.root.path: item for item in own}.values()
        last = max((_moment(item.operation) for item in newest), default=("", ""))
        chosen = [item for item in newest if _moment(item.operation) == last][::-1]
        hint = "what was done is kept for 30 days; `memory undo --list` has undos, too"
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

    def is_done(self, change: SectionChange, data: bytes) -> bool:
        """Tell whether a section has the text from before a change, or before an earlier one."""
        changes = [item for item in self.operation.changes if item.id == change.id]
        earlier = changes[: changes.index(change) + 1]
        return any(exact.to_bytes(item.before).strip() == data.strip() for item in earlier)


class _Done:
    """What has been undone: the new id of each section, and what went wrong with others."""

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


def _undone(root: Root, operation: Operation, now: datetime, *, opens_private: bool) -> Undone:
    undoing = _Undoing(root, operation, opens_private)
    done = _Done()
    with locked(root):
        redo = _redo(undoing, now)
        # Last first; sections move before their text is looked at.
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
        redo=(redo.id,),
    )


def _redo(undoing: _Undoing, now: datetime) -> Operation:
    """Return the operation that undoes this undo: one that was killed, or incomplete, has one."""
    operation = undoing.operation
    for earlier in undo_files.find_all(undoing.root):
        if earlier.undoes == operation.id:
            return earlier
    redoes = operation.undoes if operation.is_undo else ""
    at = journal.format_moment(now)
    return Operation("", at, operation.action, (), undoes=operation.id, redoes=redoes)


# ---------------------------------------------------------------------------- moved


def _move_back(
    undoing: _Undoing, moved: Sequence[ChangedDay], redo: Operation, done: _Done, now: datetime
) -> Operation:
    """Move sections and live sessions out of the archive again, or into it."""
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
                done.faults[change.id] = f"{change.id} is gone; bring it back first"
        changes = tuple(change for change in day.changes if change.id in source)
        plans.append(day._replace(kind=kind, changes=changes))
    redo = undo_files.store(root, undo_steps.with_days(redo, plans), now)
    for day in plans:
        if day.kind == undo_steps.ARCHIVED:
            archive_moves.put_away(root, date.fromisoformat(day.date), day.has)
        else:
            archive_moves.bring_back(root, date.fromisoformat(day.date), day.has)
        for name in day.files:
            done.warnings += _file_back(root, day.kind, name)
    return redo


def _ids_of(data: bytes, when: date) -> set[str]:
    return {str(item.session.id) for item in days.parse_bytes(data, when, "").sections}


def _file_back(root: Root, kind: str, name: str) -> list[str]:
    """Move a file of a live session; return a warning if it stays where it is."""
    path = os.path.join(root.path, *name.split("/"))
    packed = archive_files.observed_path(root, path)
    try:
        if kind == undo_steps.ARCHIVED:
            if os.path.isfile(path):
                archive_moves.put_away_observed(root, path)
        elif os.path.isfile(packed):
            return archive_moves.bring_back_observed(root, packed, path)
    except DailyMemoryError as error:
        return [f"{path!r} stays where it is: {error.message}"]
    return []


# ---------------------------------------------------------------------------- other texts


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

    redo, warnings = replace.write(undoing.root, redo, by_day, plan, now)
    done.warnings += warnings
    for when, undone in planned.items():
        done.add(undone.done)
        if undoing.operation.action == undo_steps.IMPORT:
            archive_moves.remove_bare(undoing.root, when)
    return redo


class _DayUndo:
    """A day in which changes are undone one after the other; nothing is written."""

    def __init__(self, undoing: _Undoing, when: date, changed: Sequence[ChangedDay]) -> None:
        self._undoing, self._root, self._when = undoing, undoing.root, when
        self._path = days.day_path(self._root, when)
        stamp = files.stamp(self._path)
        before = self._data = files.find_bytes(self._path)
        self.done = _Done()
        redo = []
        for day in changed:
            if day.kind == undo_steps.ADDED:
                redo.append(self._take_out(day))
            elif day.is_deleted:
                redo.append(self._put_back(day))
            else:
                redo.append(self._give_old_texts(day))
        # An earlier undo, which was killed, may have written this.
        is_changed = self._data != before
        self.plan = DayPlan(
            self._path, stamp, before, self._data, tuple(redo) if is_changed else ()
        )

    def _parsed(self, data: bytes | None = None) -> Day:
        return days.parse_bytes(self._data or b"" if data is None else data, self._when, "")

    def _take_out(self, day: ChangedDay) -> ChangedDay:
        """Remove the sections that were added and did not change since."""
        parsed, root, data = self._parsed(), self._root, self._data or b""
        added = {change.id for change in day.changes}
        there = [item for item in parsed.all_sections if str(item.session.id) in added]
        by_id = {str(item.session.id): (item, text) for item, text in days.cuts(data, there)}
        stored = _ids_of(archive_files.load_data(root, self._when), self._when)
        gone: list[StoredSession] = []
        for change in day.changes:
            id_ = change.id
            section, text = by_id.get(id_, (None, b""))
            if section is None and id_ in stored:
                self.done.faults[id_] = _archived(root, id_)
            elif section and undo_steps.text_digest(text) != change.digest:
                take = f"`memory delete {root.scoped(id_)}` takes it out"
                self.done.faults[id_] = f"{id_} was changed since; {take}"
            else:
                self.done.ids[id_] = id_
                if section:
                    origin = change.origin or section.session.origin
                    session, span = section.session, section.span
                    gone.append(StoredSession(session, root, self._path, span, origin))
        is_import = self._undoing.operation.action == undo_steps.IMPORT
        after, changed, warnings = replace.rewritten(
            data, parsed, gone, lambda *_: "", is_observed=not is_import
        )
        self.done.warnings += warnings
        self._data = after if gone else self._data
        return changed

    def _put_back(self, day: ChangedDay) -> ChangedDay:
        """Put deleted sections back where they were, or where there is room."""
        data = self._data or b""
        archived = archive_files.load_day(self._root, self._when).sections
        # Two of one number, in the day and in the archive, would be taken for one.
        stored = {section.session.number for section in archived}
        is_free = stored.isdisjoint(parse_id(change.id).number for change in day.changes)
        is_exact = is_free and day.left and undo_steps.digest(data) == day.left
        given = journal.last_number(self._root, self._when)
        ids: dict[str, str] = {}
        for change in day.changes:
            if is_exact:
                before = exact.to_bytes(change.before)
                data = data[: change.begins] + before + data[change.begins :]
                ids[change.id] = change.id
                continue
            parsed = self._parsed(data)
            there = _there(parsed, change, {*day.others, *ids.values()})
            number = _free(parsed, parse_id(change.id).number, given, stored)
            new = SessionId(self._when, number)
            added = b"" if there else _added(data, parsed, change, number)
            if there or added:
                data, ids[change.id] = added or data, there or str(new)
            else:
                self.done.faults[change.id] = f"{change.id} does not fit into its day any more"
        self._data = data
        self.done.ids |= ids
        new_ids = set(ids.values())
        back = [item for item in self._parsed().all_sections if str(item.session.id) in new_ids]
        digests = {
            str(item.session.id): undo_steps.text_digest(text)
            for item, text in days.cuts(data, back)
        }
        changes = [
            SectionChange(
                new,
                change.topic,
                "",
                origin=change.origin,
                digest=digests.get(new, ""),
            )
            for change in day.changes
            for new in [ids.get(change.id, "")]
            if new
        ]
        return ChangedDay(day.date, "", (), tuple(changes), kind=undo_steps.ADDED)

    def _give_old_texts(self, day: ChangedDay) -> ChangedDay:
        """Give edited and marked sections their old texts, merged with later edits."""
        undone: list[SectionChange] = []
        for change in reversed(day.changes):
            id_, data = change.id, self._data or b""
            sections = {str(item.session.id): item for item in self._parsed().all_sections}
            section = sections.pop(id_, None)
            if section is None:
                wanted = parse_id(id_)
                is_archived = archive_files.find_section(
                    self._root, self._when, wanted.number, wanted.copy
                )
                gone = f"{id_} is gone; bring it back first"
                self.done.faults[id_] = _archived(self._root, id_) if is_archived else gone
                continue
            now = days.cut(data, section.span)
            if self._undoing.is_done(change, now):
                self.done.ids[id_] = id_
                continue
            after = _with_old_text(data, section, change)
            found = {str(item.session.id): item for item in self._parsed(after).all_sections}
            new = found.pop(id_, None)
            others = [item.session for item in sections.values()]
            if not after or not new or [item.session for item in found.values()] != others:
                self.done.faults[id_] = f"{id_} was changed since, in the same lines"
                continue
            self._note_privacy(section.session, new.session)
            text = exact.to_text(days.cut(after, new.span))
            undone.append(change._replace(before=exact.to_text(now), after=text))
            self._data, self.done.ids[id_] = after, id_
        return ChangedDay(day.date, "", (), tuple(reversed(undone)))

    def _note_privacy(self, now: Session, new: Session) -> None:
        if now.is_private and not new.is_private and not self._undoing.opens_private:
            raise InvalidInputError(
                f"{now.id} would not be private any more: only its user can do that",
                hint=f"they can run `memory undo {self._undoing.operation.id}`",
            )
        if now.is_private != new.is_private:
            self.done.privacy[str(now.id)] = new.is_private


def _archived(root: Root, id_: str) -> str:
    return f"{id_} is archived; `memory restore {root.scoped(id_)}` brings it back"


def _there(parsed: Day, change: SectionChange, others: set[str]) -> str:
    """Return the id under which a session is there already, "" if it is not.

    A killed undo, or git, may have brought it back. Sections in `others`, and one that an import or
    a person wrote under its number, are other sessions.
    """
    session = replace.removed_session(change)
    session = session._replace(project=session.project or parsed.project)
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


def _added(data: bytes, parsed: Day, change: SectionChange, number: int) -> bytes:
    """Return a day with a section put back by its number; b"" if it can't be told from others."""
    newline = "\r\n" if b"\r\n" in data else "\n"
    text = change.before.replace("\r\n", "\n").rstrip("\n") + "\n\n"
    if not data:
        language = markdown.heading_language("auto", [replace.removed_session(change)])
        title = day_sections.title(parsed.date, language)
        return exact.to_bytes(title + markdown.renumbered(text, number))
    if number:
        text = markdown.renumbered(text, number).replace("\n", newline)
        moved = move_sections.move(text, exact.to_text(data), [0], wins=False)
        return exact.to_bytes(moved.target) if moved else b""
    # Text that people wrote outside of sections goes to the end.
    gap = b"\n" * (2 - data.endswith(b"\n"))
    after = data + (gap + exact.to_bytes(text)).replace(b"\n", newline.encode())
    found = days.parse_bytes(after, parsed.date, "")
    is_sound = [s.session for s in found.sections] == [s.session for s in parsed.sections]
    is_one_more = len(found.all_sections) == len(parsed.all_sections) + 1
    return after if is_sound and is_one_more else b""


def _with_old_text(data: bytes, section: Section, change: SectionChange) -> bytes:
    """Return a day with the old text of a section, merged with later edits; b"" on conflict."""
    now = days.cut(data, section.span)
    before, after = exact.to_bytes(change.before), exact.to_bytes(change.after)
    if now.strip() == after.strip():
        return days.splice(data, section.span, before)
    texts = [days.decode(text).replace("\r\n", "\n") for text in (after, now, before)]
    parts = [parse_document(text).parts for text in texts]
    if not all(len(part) == 1 for part in parts):
        return b""
    merged = merge_section(*(part[0] for part in parts))
    text = days.encode(f"{merged}\n", data)
    return days.splice(data, section.span, text) if merged else b""


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
                    root, path, [(at, exact.to_bytes(text)) for _, at, text in pieces]
                )
                if ids[change.id] != change.id:
                    observations.note_digested(root, path, ids[change.id])
            except DailyMemoryError as error:
                warnings.append(f"done, but not what was observed: {error.message}")
    return warnings
