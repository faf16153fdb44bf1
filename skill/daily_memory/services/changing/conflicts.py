"""Resolve merge conflicts that git left in day files, as our merge driver would have."""

from __future__ import annotations

import os

from daily_memory.core.format import day_merge
from daily_memory.storage import days
from daily_memory.storage.days import DayFile
from daily_memory.storage.fs import files
from daily_memory.storage.git import repository
from daily_memory.storage.roots import Root
from daily_memory.text import filled

_BACKUPS = "backup"


def resolve_conflicts(root: Root) -> tuple[str, ...]:
    """Resolve conflicts in all day files; return what was done. Call it with the lock held.

    A copy of each file goes to `index/backup/`. Conflicts that lack a marker are left to a person.
    """
    resolved = (_resolve(root, file) for file in days.list_days(root))
    return tuple(message for message in resolved if message)


def _resolve(root: Root, file: DayFile) -> str:
    path = file.path(root)
    expected = files.stamp(path)
    data = files.find_bytes(path) or b""
    if b"<<<<<<<" not in data:
        return ""
    merged = day_merge.resolve_conflicts(
        data, file.day.isoformat(), with_quoted=repository.is_unmerged(path)
    )
    if merged == data:
        return ""
    stem = os.path.join(root.in_index(_BACKUPS), file.name.removesuffix(".md"))
    backup = files.write_numbered(stem, ".md", data, root.modes)
    files.replace(path, merged, root.modes, expected=expected)
    return filled("the merge conflict in {!r} is resolved; as it was: {!r}", path, backup)


def list_backups(root: Root) -> list[str]:
    """Return the paths of the copies, by name."""
    folder = root.in_index(_BACKUPS)
    paths = [os.path.join(folder, name) for name in files.list_names(folder)]
    return list(filter(os.path.isfile, paths))
