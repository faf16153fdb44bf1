"""`index/undo/`: one file per operation on sections, to undo it.

A file is written before anything is changed. Its name has a number that only grows, and the time in
UTC. The last one, once undone, stays as an empty file: its number must not be used again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from datetime import datetime
from typing import NamedTuple

from daily_memory.core import undo_steps
from daily_memory.core.undo_steps import Operation, SectionChange
from daily_memory.errors import DailyMemoryError, DamagedDataError, NotFoundError
from daily_memory.storage import archive_files, journal
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

KEEP_DAYS = 30
# That many stay however old they are: a clock that jumps ahead must not make us forget.
KEEP_OPERATIONS = 20

_NAME = re.compile(r"^([0-9]{6,9})-([0-9]{8}T[0-9]{6})Z\.json\.gz\Z")


class _Stored(NamedTuple):
    number: int
    at: str
    path: str


def add(root: Root, operation: Operation, now: datetime) -> Operation:
    """Store an operation, durably, and return it with its id. Needs the lock."""
    stored = _stored(root)
    number = max((entry.number for entry in stored), default=0) + 1
    files.make_folder(root.undo_folder, root.modes)
    name = f"{number:06d}-{_moment(now)}Z.json.gz"
    kept = operation._replace(id=str(number))
    _write(root, os.path.join(root.undo_folder, name), kept)
    oldest = _moment(now, days_back=KEEP_DAYS)
    for place, entry in enumerate(reversed(stored), 1):
        is_old = place >= KEEP_OPERATIONS and entry.at < oldest
        if is_old or not files.stamp(entry.path)[0]:
            files.remove(entry.path)
    return kept


def store(root: Root, operation: Operation, now: datetime) -> Operation:
    """Store an operation in its new state; an empty one is not kept. Needs the lock."""
    if operation.id:
        update(root, operation)
    elif not operation.is_empty:
        return add(root, operation, now)
    return operation


def update(root: Root, operation: Operation) -> None:
    """Store an operation's new state, or remove it if it is empty. Needs the lock."""
    for entry in _stored(root):
        if str(entry.number) == operation.id:
            if operation.is_empty:
                remove(root, operation.id)
            else:
                _write(root, entry.path, operation)


def join(root: Root, ids: Collection[str], action: str) -> None:
    """Merge operations into one, under the id of the last. Needs the lock."""
    parts = [operation for operation in reversed(find_all(root)) if operation.id in ids]
    for whole in parts[-1:]:
        days = tuple(day for part in parts for day in part.days)
        update(root, whole._replace(action=action, days=days))
    for part in parts[:-1]:
        remove(root, part.id)


def remove(root: Root, operation_id: str) -> None:
    """Remove an operation. Needs the lock."""
    stored = _stored(root)
    for entry in stored:
        if str(entry.number) == operation_id:
            if entry.number == stored[-1].number:
                files.empty(entry.path)  # encrypted, nothing would still be something
            else:
                files.remove(entry.path)


def find_all(root: Root) -> list[Operation]:
    """Return the operations that can be undone, newest first; damaged ones are skipped."""
    found = []
    for entry in reversed(_stored(root)):
        try:
            found.append(_load(entry))
        except (DamagedDataError, NotFoundError):
            continue  # `doctor` tells of it; it must not hide the others
    return [operation for operation in found if not operation.is_empty]


def faults(root: Root) -> list[str]:
    """Return the paths of unreadable files."""
    broken = []
    for entry in _stored(root):
        try:
            _load(entry)
        except DailyMemoryError:
            broken.append(entry.path)
    return broken


def forget(root: Root, is_forgotten: Callable[[SectionChange], bool]) -> int:
    """Erase some changes; return in how many operations. Needs the lock."""
    count = 0
    for operation in find_all(root):
        left = undo_steps.without(operation, is_forgotten)
        if left != operation:
            update(root, left)
            count += 1
    return count


def forget_ids(root: Root, ids: Collection[str]) -> int:
    return forget(root, lambda change: change.id in ids)


def paths(root: Root) -> list[str]:
    return [stored.path for stored in _stored(root)]


def _stored(root: Root) -> list[_Stored]:
    matches = filter(None, map(_NAME.match, files.list_names(root.undo_folder)))
    return sorted(
        _Stored(int(match[1]), match[2], os.path.join(root.undo_folder, match[0]))
        for match in matches
    )


def _load(stored: _Stored) -> Operation:
    """Return an operation, empty if it was undone."""
    data = files.read_bytes(stored.path)
    if not data:
        return Operation(str(stored.number), "", "", ())
    try:
        return undo_steps.parse_operation(
            archive_files.unpack(data, stored.path), str(stored.number)
        )
    except (ValueError, DamagedDataError) as error:
        hint = "remove it; nothing else depends on it"
        raise DamagedDataError("{!r} is damaged", stored.path, hint=hint) from error


def _write(root: Root, path: str, operation: Operation) -> None:
    files.replace(path, archive_files.pack(undo_steps.format_operation(operation)), root.modes)


def _moment(now: datetime, *, days_back: int = 0) -> str:
    text = journal.format_moment(now, days_back=days_back)
    return text[:19].replace("-", "").replace(":", "")
