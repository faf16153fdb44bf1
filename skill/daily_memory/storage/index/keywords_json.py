"""`index/keywords.json`, and `keywords-YYYY-MM.json` for older months, one entry a line.

They are for programs that want the keywords or lines of a session; docs/FORMAT.md has the form.
The lookup cache holds the entries. A save writes one of the files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from daily_memory.errors import DailyMemoryError
from daily_memory.model import Session, Span
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.roots import Root

VERSION = "1.0"
# Above this many sessions, all months but the newest are in files of their own.
HOT_LIMIT = 1000
_NAME = re.compile(r"^keywords(?:-[0-9]{4}(?:-[0-9]{2})?)?\.json$")
HOT = "keywords.json"
_ENTRIES = b'  "entries": [\n'
_END = b"  ]\n}\n"
_LINE = b'    {"date": "'

# The index files, each with the content hashes of its day files by name.
Layout = Mapping[str, Mapping[str, str]]


def format_entry(session: Session, keywords: Sequence[str]) -> bytes:
    """Return the entry of a session without its lines."""
    entry: dict[str, object] = {
        "date": session.date.isoformat(),
        "session": session.number,
        "time": session.time,
        "keywords": list(keywords),
        "topics": [session.topic] if session.topic else [],
        "tags": list(session.tags),
    }
    if session.origin:
        entry["origin"] = session.origin
    if session.copy > 1:
        entry["copy"] = session.copy
    return files.to_bytes(_encoder().encode(entry))


@cache
def _encoder() -> JSONEncoder:
    from json import JSONEncoder  # a search formats none

    return JSONEncoder(ensure_ascii=False)


def format_line(entry: bytes, span: Span) -> bytes:
    """Return an entry with its lines, as a line of the file without its comma."""
    return b'    %b, "line_range": [%d, %d]}' % (entry[:-1], *span)


def stamps(root: Root) -> dict[str, Stamp]:
    """Return the stamp of each index file, by name."""
    try:
        names = sorted(filter(_NAME.match, os.listdir(root.index_folder)))
        return {row[0]: row[1:] for row in files.stamps(root.index_folder, names)}
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}  # what may not be read says nothing: the day files are asked


def is_foreign(root: Root) -> bool:
    """Tell whether a newer version wrote the index."""
    try:
        data = files.read_bytes(os.path.join(root.index_folder, HOT))
    except DailyMemoryError:
        return False
    match = re.search(rb'"version": *"([0-9]+)\.([0-9]+)"', data[:1000])
    if not match:
        return False
    return tuple(map(int, match.groups())) > tuple(map(int, VERSION.split(".")))


def layout(hashes: Mapping[str, str], count: int) -> Layout:
    """Return which index file has which days, by their hashes and the number of sessions."""
    newest = max(hashes, default="")[:7]
    days_of: dict[str, dict[str, str]] = {HOT: {}}
    for day in sorted(hashes):
        is_hot = count <= HOT_LIMIT or day[:7] == newest
        name = HOT if is_hot else f"keywords-{day[:7]}.json"
        days_of.setdefault(name, {})[day] = hashes[day]
    return days_of


def write(
    root: Root,
    before: Layout,
    after: Layout,
    noted: Mapping[str, Stamp],
    lines: Callable[[str], list[bytes]],
    now: str,
) -> None:
    """Write the index files that changed, with the `lines` of each day.

    A file that still has its `noted` stamp holds what `before` says; the lines before its first
    changed day stay. Call it with the lock held.
    """
    there = stamps(root)
    for name, days in after.items():
        is_known = name in before and noted.get(name) == there.get(name, files.NO_STAMP)
        write_file(root, name, before[name] if is_known else None, days, lines, now)
    for name in there.keys() - after.keys():
        path = os.path.join(root.index_folder, name)
        if os.path.isfile(path):
            files.remove(path)


def write_file(
    root: Root,
    name: str,
    old: Mapping[str, str] | None,
    days: Mapping[str, str],
    lines: Callable[[str], list[bytes]],
    now: str,
) -> None:
    """Write an index file of these days if it changed; `old` is what it has, None if unknown."""
    known = old or {}
    changed = [day for day in known.keys() | days.keys() if known.get(day) != days.get(day)]
    if old is not None and not changed:
        return
    first = min(changed, default="")
    path = os.path.join(root.index_folder, name)
    kept = _before(path, first.removesuffix(".md").encode()) if old else b""
    new = [line for day in days if day >= first for line in lines(day)]
    files.replace(path, _format(days, kept, new, now), root.modes)


def _before(path: str, day: bytes) -> bytes:
    """Return the lines of the days before a day, as they are in the file."""
    _, _, entries = files.read_bytes(path).partition(_ENTRIES)
    lines = entries.removesuffix(_END)
    # Most often the newest day changed: its lines are the last ones.
    end = len(lines)
    while (start := lines.rfind(_LINE, 0, end)) >= 0:
        if lines[start + len(_LINE) : start + len(_LINE) + len(day)] < day:
            break
        end = start
    return lines[:end].rstrip(b",\n")


def _format(hashes: Mapping[str, str], kept: bytes, lines: Sequence[bytes], now: str) -> bytes:
    import json  # a search formats none

    listed = json.dumps(hashes, indent=4).replace("\n}", "\n  }")
    head = f'{{\n  "version": "{VERSION}",\n  "updated_at": "{now}",\n  "files": {listed},\n'
    entries = b",\n".join([*filter(None, [kept]), *lines])
    return b"".join([head.encode(), _ENTRIES, entries, b"\n" if entries else b"", _END])


TYPE_CHECKING = False
if TYPE_CHECKING:
    from json import JSONEncoder
