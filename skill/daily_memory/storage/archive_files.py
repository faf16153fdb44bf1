"""The archive: old days in `archive/YYYY/YYYY-MM-DD.md.gz`, and live sessions beside them.

Each file is the gzip of a day file, the same bytes for the same text.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from daily_memory.core.format import exact, markdown, move_sections
from daily_memory.core.format.markdown import Day
from daily_memory.errors import BackendError, ConflictError, DailyMemoryError, DamagedDataError
from daily_memory.model import Problem, Section, SessionId
from daily_memory.storage import days
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root
from daily_memory.text import filled

_OBSERVATIONS = "observations"
_PACKED = ".gz"
# gzip, deflate, no flags, no time, best compression, made on no system in particular (RFC 1952).
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
# A day has a few hundred kilobytes: what unpacks to more was made to fill memory.
_MOST_BYTES = 256_000_000


class ArchivedDay(NamedTuple):
    """A day with an archive file."""

    day: date
    path: str


def pack(data: bytes) -> bytes:
    """Return the gzip of some bytes; the same bytes always give the same gzip."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(data) + packer.flush()
    size = len(data) & 0xFFFFFFFF
    return _HEADER + packed + zlib.crc32(data).to_bytes(4, "little") + size.to_bytes(4, "little")


def unpack(data: bytes, path: str, most_bytes: int = _MOST_BYTES) -> bytes:
    """Return the contents of a gzip, at most `most_bytes`."""
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        found = unpacker.decompress(data, most_bytes + 1)
    except zlib.error as error:
        raise _damaged(path) from error
    if len(found) > most_bytes:
        message = filled("{!r} would be too large: more than {} bytes", path, most_bytes)
        raise DamagedDataError(message, hint="move it away")
    if not unpacker.eof or unpacker.unused_data:
        raise _damaged(path)
    return found


def is_bare(data: bytes) -> bool:
    """Tell whether the header of a gzip has no name, comment or extra fields."""
    return data[3:4] == b"\0"


def _damaged(path: str) -> DamagedDataError:
    hint = "take it back from git or a backup, or move it away"
    return DamagedDataError("{!r} is not an archive, or is damaged", path, hint=hint)


def day_path(root: Root, day: date) -> str:
    return os.path.join(root.archive_folder, f"{day.year:04}", f"{day.isoformat()}.md{_PACKED}")


def relative_path(day: date) -> str:
    """Return the path of a day's archive below the root, with slashes."""
    return f"archive/{day.year:04}/{day.isoformat()}.md{_PACKED}"


def list_days(root: Root) -> list[ArchivedDay]:
    """Return the archived days, oldest first. Links are not followed."""
    found = []
    for path in _below(root.archive_folder, depth=1):
        name = os.path.basename(path)
        day = days.day_of(name.removesuffix(_PACKED)) if name.endswith(_PACKED) else None
        if day and path == day_path(root, day):
            found.append(ArchivedDay(day, path))
    return sorted(found)


def _below(folder: str, depth: int) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    except PermissionError as error:
        raise files.refused(folder, "read", error) from error
    for entry in listed:
        if depth and entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, depth - 1)
        elif not depth and entry.is_file(follow_symlinks=False):
            yield entry.path


def find_data(root: Root, day: date) -> bytes | None:
    return _unpacked(day_path(root, day))


def _unpacked(path: str) -> bytes | None:
    packed = files.find_bytes(path)
    return None if packed is None else unpack(packed, path)


def store(root: Root, day: date, data: bytes) -> None:
    """Write the archive of a day, durably, and verify it."""
    _store(root, day_path(root, day), data)


def check_way(root: Root, path: str) -> None:
    """Check that no folder between the root and an archive file is a link."""
    folder = os.path.dirname(path)
    while folder != root.path:
        if os.path.islink(folder):
            # Whoever writes a memory that we clone must not choose where we write.
            hint = "put a folder in its place"
            raise BackendError("{!r} is a link, and is not followed", folder, hint=hint)
        folder = os.path.dirname(folder)


def _store(root: Root, path: str, data: bytes) -> None:
    check_way(root, path)
    files.make_folder(os.path.dirname(path), root.modes)
    files.replace(path, pack(data), root.modes, folder=root.index_folder)
    if _unpacked(path) != data:  # a disk that lies
        raise _damaged(path)


def remove(root: Root, path: str) -> None:
    """Remove an archive file, and folders that are empty then."""
    files.remove(path)
    folder = os.path.dirname(path)
    while folder != root.path and not os.listdir(folder):
        os.rmdir(folder)
        folder = os.path.dirname(folder)


def load_day(root: Root, day: date) -> Day:
    """Return an archived day, without the sections that its day file has too.

    A crash may leave a section in both. An archive that can't be read is a problem of the day.
    """
    path = day_path(root, day)
    try:
        data = find_data(root, day)
        if data is None:
            return Day(day, (), ())
        loaded = days.parse_bytes(data, day, path)
        present = days.find_data(root, day)
    except DailyMemoryError as error:
        return Day(day, (), (Problem(path, 0, error.message),))
    return loaded if present is None else without(loaded, data, present)


def without(stored: Day, data: bytes, present: bytes) -> Day:
    """Return an archived day without the sections that its day file, `present`, has too."""
    theirs = move_sections.parts_of(exact.to_text(present))
    parts = move_sections.parts_of(exact.to_text(data))
    kept = tuple(
        section
        for section, part in zip(stored.sections, parts, strict=True)
        if not any(move_sections.is_same(part, one) for one in theirs)
    )
    there = {
        section.session._replace(copy=1)
        for section in days.parse_bytes(present, stored.date, "").loose
    }
    loose = (one for one in stored.loose if one.session._replace(copy=1) not in there)
    return stored._replace(sections=kept, loose=tuple(loose))


def each_day(root: Root, *, first: date = date.min, last: date = date.max) -> Iterator[Day]:
    """Yield the archived days that have sections or problems, oldest first."""
    for day in list_days(root):
        if first <= day.day <= last:
            loaded = load_day(root, day.day)
            if loaded.all_sections or loaded.problems:
                yield loaded


def conversations(root: Root) -> set[str]:
    """Return the ids of all conversations in the days and the archive of a root."""
    known = set()
    for file in days.list_days(root):
        data = files.find_bytes(file.path(root)) or b""
        if b'"conversation"' in data:
            lines = days.decode(data).split("\n")
            known |= {markdown.parse_facts(line).get("conversation", "") for line in lines}
    for day in each_day(root):
        known |= {section.session.conversation for section in day.sections}
    return known - {""}


def load_data(root: Root, day: date) -> bytes:
    """Return the bytes of an archived day, empty if it can't be read."""
    try:
        return find_data(root, day) or b""
    except DailyMemoryError:
        return b""


def find_section(root: Root, wanted: SessionId) -> Section | None:
    """Return an archived session, None if there is none."""
    sections = load_day(root, wanted.date).all_sections
    return next((section for section in sections if section.session.id == wanted), None)


def last_number(root: Root, day: date) -> int:
    """Return the highest number of an archived day, 0 for none; it must not be reused."""
    return load_day(root, day).last_number if os.path.exists(day_path(root, day)) else 0


def observed_path(root: Root, path: str) -> str:
    """Return the archive path of a live session."""
    folder, name = os.path.split(path)
    day = os.path.basename(folder)
    return os.path.join(root.archive_folder, day[:4], _OBSERVATIONS, day, f"{name}{_PACKED}")


def list_observed(root: Root) -> list[tuple[str, str]]:
    """Return the archive path and the original path of each archived live session."""
    found = []
    for packed in _below(root.archive_folder, depth=3):
        folder, name = os.path.split(packed)
        day = os.path.basename(folder)
        path = os.path.join(root.observations_folder, day, name.removesuffix(_PACKED))
        if name.endswith(f".jsonl{_PACKED}") and packed == observed_path(root, path):
            found.append((packed, path))
    return found


def find_observed(root: Root, name: str) -> str:
    """Return the newest archived file of this name, "" if there is none."""
    found = [packed for packed, path in list_observed(root) if os.path.basename(path) == name]
    return found[-1] if found else ""


def store_observed(root: Root, path: str) -> None:
    """Archive a live session, durably, and verify it."""
    data = files.read_bytes(path)
    packed = observed_path(root, path)
    before = _unpacked(packed)
    if before is not None and not data.startswith(before):
        raise ConflictError("{!r} holds another live session", packed, hint="move one of them away")
    _store(root, packed, data)


def load_observed(path: str) -> bytes:
    return unpack(files.read_bytes(path), path)
