"""`index/keywords.json` and its older years `keywords-YYYY.json`: one entry a line, newest last.

They are for programs that want the keywords or lines of a session; docs/FORMAT.md has the form.
They are edited as text, without splitting lines: ten thousand sessions are fifteen megabytes, of
which a save changes one line.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.roots import Root

VERSION = "1.0"
# Above this many sessions, all years but the newest move to files of their own.
HOT_LIMIT = 5000
_NAME = re.compile(r"^keywords(?:-[0-9]{4})?\.json$")
_HOT = "keywords.json"
_ENTRIES = b'  "entries": [\n'
_END = b"  ]\n}\n"
# What stands between two entries.
_BETWEEN = b",\n"
_RANGE = b'"line_range": ['
# Where the date stands in the line of an entry.
_DATE = slice(len('    {"date": "'), len('    {"date": "2026-01-29'))


class Shard(NamedTuple):
    """One index file: the content hash of each day, and the text of its entries."""

    hashes: dict[str, str]
    entries: bytes

    @property
    def lines(self) -> list[bytes]:
        """The entries, each as a line without its comma."""
        return _lines(self.entries)


class KeywordIndex(NamedTuple):
    """All index files of a root by name. `is_foreign`: one has an unknown version."""

    shards: dict[str, Shard]
    is_foreign: bool = False

    @property
    def hashes(self) -> dict[str, str]:
        """The content hash of each day that the index holds, by file name."""
        return {
            name: value for shard in self.shards.values() for name, value in shard.hashes.items()
        }

    def day_lines(self, name: str) -> list[bytes]:
        """Return the entries of a day file, as lines."""
        shards = (shard for shard in self.shards.values() if name in shard.hashes)
        return [
            line for shard in shards for line in _lines(shard.entries[_day_in(shard.entries, name)])
        ]


# One entry or several with what stands between them, without copying them.
Entries = bytes | memoryview

EMPTY = KeywordIndex({})
# Stands for a file that can't be read: it fits no day, and so will be written anew.
BROKEN = Shard({"": ""}, b"")


def format_entry(section: Section, keywords: Sequence[str]) -> bytes:
    """Return the entry of a section as a line without its comma."""
    session = section.session
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
    entry["line_range"] = list(section.span)
    return b"    " + json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace")


def moved_entry(line: bytes, section: Section) -> bytes:
    """Return the entry of an unchanged section with its new lines."""
    head = line[: line.rindex(_RANGE)]
    return b"%b%b%d, %d]}" % (head, _RANGE, *section.span)


def entries_by_key(lines: Sequence[bytes]) -> dict[tuple[int, int], bytes]:
    """Return the entries of a day by number and copy; none if one is damaged."""
    try:
        entries = [json.loads(line) for line in lines]
        keys = [(entry["session"], entry.get("copy", 1)) for entry in entries]
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return dict(zip(keys, lines, strict=True))


# ---------------------------------------------------------------------------- reading


def shard_stamps(root: Root) -> dict[str, Stamp]:
    """Return the stamp of each index file, by name."""
    try:
        names = sorted(filter(_NAME.match, os.listdir(root.index_folder)))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}  # what may not be read says nothing: the day files are asked
    return {name: files.stamp(os.path.join(root.index_folder, name)) for name in names}


def load_index(root: Root) -> KeywordIndex:
    """Return the index files; a broken one is empty, and is written again."""
    shards: dict[str, Shard] = {}
    for name in shard_stamps(root):
        path = os.path.join(root.index_folder, name)
        data = _readable(path)
        shard = parse_shard(data)
        if shard is None and is_foreign(data):
            return KeywordIndex({}, is_foreign=True)
        shards[name] = shard or BROKEN
    return KeywordIndex(shards)


def _readable(path: str) -> bytes:
    try:
        return files.read_bytes(path)
    except DailyMemoryError:
        return b""


def parse_shard(data: bytes) -> Shard | None:
    """Return an index file that we wrote, None for any other content."""
    start = data.find(_ENTRIES)
    if start < 0 or not data.endswith(b"\n" + _END):
        return None
    try:
        header = json.loads(data[:start].rstrip().rstrip(b",") + b"}")
    except ValueError:
        return None
    if header.get("version") != VERSION or not isinstance(header.get("files"), dict):
        return None
    return Shard(header["files"], data[start + len(_ENTRIES) : -len(_END) - 1])


def _lines(entries: bytes) -> list[bytes]:
    return [line.removesuffix(b",") for line in entries.splitlines()]


def is_foreign(data: bytes) -> bool:
    """Tell whether a newer version wrote this index."""
    try:
        version = json.loads(data)["version"]
        return tuple(map(int, version.split("."))) > tuple(map(int, VERSION.split(".")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


# ---------------------------------------------------------------------------- writing


def update_index(
    root: Root,
    index: KeywordIndex,
    changed: Mapping[str, Sequence[bytes]],
    hashes: Mapping[str, str],
    *,
    count: int,
    now: str,
) -> None:
    """Write the index with the new entries of the `changed` days, by file name.

    `hashes` has all day files, `count` is the number of entries afterwards. Only files that change
    are written. Call it with the lock held.
    """
    days: dict[str, list[bytes]] = {}
    wanted = _layout(hashes, count)
    for shard_name, names in wanted.items():
        old = index.shards.get(shard_name)
        if old and old.hashes == {name: hashes[name] for name in names}:
            continue
        if old and set(old.hashes) | set(changed) >= set(names):
            entries = _spliced(old.entries, set(old.hashes) - set(names), changed, names)
        else:
            days = days or _days_of(index)
            entries = [line for name in names for line in changed.get(name, days.get(name, []))]
        path = os.path.join(root.index_folder, shard_name)
        files.make_way(path)
        data = format_shard({name: hashes[name] for name in names}, entries, now)
        files.replace(path, data, root.modes)
    for shard_name in set(index.shards) - set(wanted):
        files.remove(os.path.join(root.index_folder, shard_name))


def format_shard(hashes: dict[str, str], entries: Sequence[Entries], now: str) -> bytes:
    """Return an index file: keys in the order of docs/FORMAT.md, one entry a line."""
    listed = json.dumps(hashes, ensure_ascii=False, indent=4).replace("\n}", "\n  }")
    head = f'{{\n  "version": "{VERSION}",\n  "updated_at": "{now}",\n  "files": {listed},\n'
    # In one go: to copy the ten megabytes of ten thousand sessions takes 3 ms each time.
    between = [part for entry in entries for part in (_BETWEEN, entry)][1:]
    return b"".join([head.encode(), _ENTRIES, *between, b"\n" if entries else b"", _END])


def _layout(hashes: Mapping[str, str], count: int) -> dict[str, list[str]]:
    """Return the day files of each index file, which depends on nothing else."""
    names = sorted(hashes)
    newest = names[-1][:4] if names else ""
    layout: dict[str, list[str]] = {_HOT: []}
    for name in names:
        is_hot = count <= HOT_LIMIT or name[:4] == newest
        layout.setdefault(_HOT if is_hot else f"keywords-{name[:4]}.json", []).append(name)
    return layout


def _spliced(
    entries: bytes, gone: set[str], changed: Mapping[str, Sequence[bytes]], names: list[str]
) -> list[Entries]:
    """Return the entries with some days replaced or removed; the rest is not split."""
    text = memoryview(entries)
    parts: list[Entries] = []
    done = 0
    for name in sorted(gone | (set(changed) & set(names))):
        found = _day_in(entries, name)
        is_last = found.start == len(entries)
        end = found.start if is_last else max(done, found.start - len(_BETWEEN))
        parts.append(text[done:end])
        parts += changed.get(name, []) if name in names else []
        done = found.stop
    parts.append(text[done:])
    return [part for part in parts if part]


def _day_in(entries: bytes, name: str) -> slice:
    """Return where the entries of a day are in the text, or would be."""
    day = name.removesuffix(".md").encode()
    places = range(len(entries))

    def date_at(place: int) -> bytes:
        line = entries.rfind(b"\n", 0, place) + 1
        return entries[line + _DATE.start : line + _DATE.stop]

    first = bisect_left(places, day, key=date_at)
    return slice(first, bisect_right(places, day, lo=first, key=date_at))


def _days_of(index: KeywordIndex) -> dict[str, list[bytes]]:
    days: dict[str, list[bytes]] = {}
    for shard in index.shards.values():
        for line in shard.lines:
            days.setdefault(f"{line[_DATE].decode()}.md", []).append(line)
    return days
