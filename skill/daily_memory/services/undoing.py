"""Bringing back what the last deletion, edit or mark took: the same text under the same number.

Whatever was done to the day since stays. Each step can be done twice: killed half way, an undo is
done again, and then ends.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from daily_memory.core import operations
from daily_memory.core.format import markdown
from daily_memory.core.format.day_parts import parse_document
from daily_memory.core.format.markdown import Day
from daily_memory.core.format.section_merge import merge_section
from daily_memory.core.format.session_json import parse_id
from daily_memory.core.operations import Change, ChangedDay, Operation
from daily_memory.errors import ConflictError, DailyMemoryError, NotFoundError
from daily_memory.model import Section, Session, SessionId
from daily_memory.services import editing, recording, viewing
from daily_memory.storage import (
    archive,
    days,
    deleted,
    files,
    journal,
    observations,
    undo_store,
)
from daily_memory.storage.journal import Record
from daily_memory.storage.lock import locked
from daily_memory.storage.roots import Root

# How often a day is tried again when an editor saves it at the same moment.
_ATTEMPTS = 5


class Listed(NamedTuple):
    """An operation that can be undone, and the root in which it was done."""

    root: Root
    operation: Operation


class Undone(NamedTuple):
    """What was brought back: the operation, and the ids as they were and as they are now.

    `kept` are the ids of what could not be brought back; why stands in the warnings.
    """

    operation: Operation
    ids: tuple[tuple[str, str], ...]
    kept: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    roots: tuple[Root, ...] = ()


def listed(roots: Sequence[Root]) -> list[Listed]:
    """Return the operations that can be undone, the last one first."""
    found = [Listed(root, one) for root in roots for one in undo_store.find_all(root)]
    return sorted(found, key=lambda one: one.operation.at, reverse=True)


def undo(
    roots: Sequence[Root], now: datetime, operation_id: str = "", *, dry_run: bool = False
) -> Undone:
    """Bring back what an operation took; without a name, the last one.

    What was deleted comes back under its number, or where another text has that by now, under the
    next free one. What was edited or marked gets its old text, and keeps what was changed in it
    since.

    Raises:
        NotFoundError: there is nothing to undo, or no such operation.
        ConflictError: none of it can be brought back, since all was changed afterwards.
    """
    chosen = _chosen(roots, operation_id)
    if dry_run:
        first = chosen[0].operation
        named = [one.root.scoped(id_) for one in chosen for id_ in one.operation.topics]
        ids = [(id_, id_) for id_ in named]
        return Undone(first, tuple(ids))
    done = [_undone(one.root, one.operation, now) for one in chosen]
    return Undone(
        done[0].operation,
        tuple(pair for one in done for pair in one.ids),
        tuple(id_ for one in done for id_ in one.kept),
        tuple(warning for one in done for warning in one.warnings),
        tuple(one.root for one in chosen),
    )


def _chosen(roots: Sequence[Root], operation_id: str) -> list[Listed]:
    """Return an operation; the last one with its part in other roots, if it was done in several."""
    # In a root the numbers tell the order: a clock may have been wrong.
    by_root = [
        [Listed(root, operation) for operation in undo_store.find_all(root)] for root in roots
    ]
    if operation_id:
        for found in by_root:
            for one in found:
                if one.operation.id == operation_id:
                    return [one]
        hint = "`memory undo --list` shows what can be undone"
        raise NotFoundError(f"no operation {operation_id!r} to undo", hint=hint)
    newest = [found[0] for found in by_root if found]
    if not newest:
        raise NotFoundError("nothing to undo", hint="deletions are kept for 30 days")
    last = max(newest, key=lambda one: one.operation.at).operation
    return [one for one in newest if _moment(one.operation) == _moment(last)]


def _moment(operation: Operation) -> tuple[str, str]:
    return operation.at, operation.action


class _Back(NamedTuple):
    """A day as it will be: its bytes, the new id of each change, and what could not be done."""

    data: bytes
    ids: dict[str, str]
    faults: dict[str, str]


def _undone(root: Root, operation: Operation, now: datetime) -> Undone:
    ids: dict[str, str] = {}
    faults: dict[str, str] = {}
    warnings: list[str] = []
    with locked(root):
        private = _private(root, operation)
        for day in reversed(operation.days):  # what was done last is undone first
            back = _brought_back(root, day)
            ids.update(back.ids)
            faults.update(back.faults)
        if faults and not ids:
            hint = "undo what came after it first, or name another one: `memory undo --list`"
            raise ConflictError(next(iter(faults.values())), hint=hint)
        warnings += _put_back_observed(root, operation, ids)
        warnings += _set_private(root, private, ids)
        _note(root, operation, ids, now)
        deleted_ids = {one.id for one in operation.changes if not one.after and one.id in ids}
        deleted.lift(root, lambda one: one.id in deleted_ids)
        warnings += editing.refresh(root)
        left = operations.without(operation, lambda change: change.id in ids)
        if left.changes:
            undo_store.update(root, left)
        else:
            undo_store.remove(root, operation.id)
    warnings += [
        f"{old} is taken by another session by now: it came back as {new}"
        for old, new in ids.items()
        if old != new
    ]
    pairs = {one.id: ids[one.id] for one in operation.changes if one.id in ids}
    return Undone(
        operation,
        tuple((root.scoped(old), root.scoped(new)) for old, new in pairs.items()),
        tuple(map(root.scoped, faults)),
        (*warnings, *faults.values()),
    )


def _brought_back(root: Root, day: ChangedDay) -> _Back:
    """Write a day as it was before, with what was done to it since."""
    when = date.fromisoformat(day.date)
    path = days.day_path(root, when)
    for _ in range(_ATTEMPTS):
        stamp = files.stamp(path)
        data = files.find_bytes(path)
        if day.is_deleted:
            back = _with_deleted(root, data, day, when)
        else:
            back = _with_old_texts(root, data or b"", day, when)
        if back.data == (data or b""):
            return back  # where there is no day, none is made
        files.make_folder(root.daily_folder, root.modes)
        try:
            files.replace(path, back.data, root.modes, expected=stamp)
            return back
        except ConflictError:
            continue  # somebody saved the file meanwhile: it is read again
    hint = "run the command again"
    raise ConflictError(f"{path!r} changed while it was being written", hint=hint)


# ---------------------------------------------------------------------------- deleted


def _with_deleted(root: Root, data: bytes | None, day: ChangedDay, when: date) -> _Back:
    left = data if data is not None else operations.to_bytes(day.rest)
    # Two of one number, in the day and in the archive, would be taken for one.
    stored = {section.session.number for section in archive.load_day(root, when).sections}
    is_free = stored.isdisjoint(parse_id(change.id).number for change in day.changes)
    if is_free and day.left and operations.digest(left) == day.left:
        for change in day.changes:
            before = operations.to_bytes(change.before)
            left = left[: change.begins] + before + left[change.begins :]
        return _Back(left, {change.id: change.id for change in day.changes}, {})
    ids: dict[str, str] = {}
    faults: dict[str, str] = {}
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
    return _Back(left, ids, faults)


def _session(change: Change, parsed: Day) -> Session:
    """Return what a section said that went."""
    lines = change.before.replace("\r\n", "\n").encode("utf-8", "replace").decode().split("\n")
    session = markdown.parse_section(lines, parsed.date) or Session(parsed.date)
    return session._replace(project=session.project or parsed.project)


def _there(parsed: Day, session: Session, change: Change, others: set[str]) -> str:
    """Return the id under which a session stands already, "" where it does not.

    An undo may have been killed after it, or git may have brought it back. `others` are not it, nor
    is what an import or a person put under its number: nobody would ever see it again.
    """
    for section in parsed.all_sections:
        now = section.session
        is_same = recording.content(now) == recording.content(session)
        is_own = str(now.id) == change.id and (
            now.topic != "" and (now.topic, now.time) == (session.topic, session.time)
        )
        if str(now.id) not in others and (is_same or is_own):
            return str(now.id)
    return ""


def _free(parsed: Day, number: int, given: int, stored: Set[int]) -> int:
    taken = {section.session.number for section in parsed.sections} | stored
    return number if number not in taken else max(given, parsed.last_number, *stored, 0) + 1


def _added(data: bytes, parsed: Day, change: Change, new: SessionId) -> bytes:
    """Return a day with a section put in where it stood, else at its end; b"" if it can't be."""
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    text = operations.to_bytes(change.before).replace(b"\r\n", b"\n").rstrip(b"\n")
    if new.number:
        text = operations.to_bytes(markdown.renumbered(operations.to_text(text), new.number))
    text += b"\n"
    sessions = [section.session for section in parsed.all_sections]
    for place in _places(data, parsed, change):
        head, tail = data[:place].replace(b"\r\n", b"\n"), data[place:]
        gap = b"" if not head or head.endswith(b"\n\n") else b"\n" * (2 - head.endswith(b"\n"))
        if not data:
            language = markdown.heading_language("auto", [_session(change, parsed)])
            gap = days.title(parsed.date, language).encode()
        lines = (gap + text + (b"\n" if tail else b"")).replace(b"\n", newline)
        after = data[:place] + lines + tail
        found = days.parse_bytes(after, parsed.date, "").all_sections
        if _is_one_more(sessions, [section.session for section in found], new):
            return after
    return b""


def _is_one_more(before: list[Session], after: list[Session], new: SessionId) -> bool:
    """Tell whether a section came to the others, and nothing else changed."""
    if new.number:
        others = [session for session in after if session.id != new]
        return others == before and len(after) > len(others)
    # What has no number is counted in its order: what stood below counts one more now.
    rest = Counter(one._replace(copy=1) for one in after)
    rest.subtract(one._replace(copy=1) for one in before)
    return sorted(rest[key] for key in rest if rest[key]) == [1]


def _places(data: bytes, parsed: Day, change: Change) -> list[int]:
    """Return where a section may be put, the best place first."""
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


def _with_old_texts(root: Root, data: bytes, day: ChangedDay, when: date) -> _Back:
    ids: dict[str, str] = {}
    faults: dict[str, str] = {}
    for change in reversed(day.changes):
        parsed = days.parse_bytes(data, when, "")
        section = next((s for s in parsed.all_sections if str(s.session.id) == change.id), None)
        if section is None:
            wanted = parse_id(change.id)
            is_archived = archive.find_section(root, when, wanted.number, wanted.copy)
            bring = f"is archived; `memory restore {root.scoped(change.id)}` brings it back"
            missing = bring if is_archived else "is gone; bring it back first"
            faults[change.id] = f"{change.id} {missing}"
            continue
        after = _with_old_text(data, section, change)
        others = [s.session for s in parsed.all_sections if s is not section]
        found = days.parse_bytes(after, when, "").all_sections
        if not after or [s.session for s in found if str(s.session.id) != change.id] != others:
            faults[change.id] = f"{change.id} was changed since, in the same lines"
            continue
        data, ids[change.id] = after, change.id
    return _Back(data, ids, faults)


def _with_old_text(data: bytes, section: Section, change: Change) -> bytes:
    """Return a day with the old text of a section, and what was changed in it since; or b""."""
    now = days.cut(data, section.span)
    before, after = operations.to_bytes(change.before), operations.to_bytes(change.after)
    if now.strip() == before.strip():
        return data
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
    """Put back what was observed; return what went wrong."""
    warnings = []
    for change in operation.changes:
        if change.id not in ids:
            continue
        for name, pieces in groupby(change.observed, key=lambda piece: piece.path):
            path = os.path.join(root.path, *name.split("/"))
            try:
                observations.put_back(
                    root, path, [(at, operations.to_bytes(text)) for _, at, text in pieces]
                )
                if ids[change.id] != change.id:
                    observations.note_digested(root, path, ids[change.id])
            except DailyMemoryError as error:
                warnings.append(f"done, but not what was observed: {error.message}")
    return warnings


def _private(root: Root, operation: Operation) -> dict[str, bool]:
    """Return of each section that is there whether it is private."""
    if operation.action == operations.DELETE:
        return {}
    wanted = {change.id for change in operation.changes}
    return {
        str(section.session.id): section.session.is_private
        for day in operation.days
        for section in days.load_day(root, date.fromisoformat(day.date)).all_sections
        if str(section.session.id) in wanted
    }


def _set_private(root: Root, before: Mapping[str, bool], ids: Mapping[str, str]) -> list[str]:
    """Hide or show what was observed of sections that are private now, or no longer."""
    warnings: list[str] = []
    found = viewing.get_many([root], [id_ for id_ in before if id_ in ids])
    for one in found:
        is_private = one.session.is_private
        if is_private != before[str(one.session.id)]:
            warnings += editing.set_private([one], is_private=is_private)
    return warnings


def _note(root: Root, operation: Operation, ids: Mapping[str, str], now: datetime) -> None:
    """Note in the journal that these are there again."""
    at = journal.format_moment(now)
    origins = {ids[one.id]: one.origin for one in operation.changes if one.id in ids}
    records = []
    for day in sorted({day.date for day in operation.days}):
        data = files.find_bytes(days.day_path(root, date.fromisoformat(day))) or b""
        for section in days.parse_bytes(data, date.fromisoformat(day), "").all_sections:
            id_ = str(section.session.id)
            if id_ in origins and operations.is_numbered(id_):
                text = "" if origins[id_] else _plain(days.cut(data, section.span))
                records.append(Record(at, id_, text))
    journal.add_records(root, records, now)


# ---------------------------------------------------------------------------- for every door


def undone_as_json(undone: Undone, *, dry_run: bool = False) -> dict[str, object]:
    """Return what was brought back as the JSON object that every door gives."""
    return {
        "undone": undone.operation.id,
        "action": undone.operation.action,
        "ids": [new for _, new in undone.ids],
        "renumbered": {old: new for old, new in undone.ids if old != new},
        "kept": list(undone.kept),
        "dry_run": dry_run,
        "warnings": list(undone.warnings),
    }


def listed_as_json(one: Listed) -> dict[str, object]:
    """Return an operation as the JSON object that every door gives."""
    return {
        "id": one.operation.id,
        "at": one.operation.at,
        "action": one.operation.action,
        "count": len(one.operation.topics),
        "sessions": [
            {"id": one.root.scoped(id_), "topic": topic}
            for id_, topic in one.operation.topics.items()
        ],
        "scope": one.root.scope,
        "root": one.root.path,
    }
