"""What the index notes of files to know them again: names, stamps, and checksums of recent ones."""

from __future__ import annotations

import os
from array import array
from functools import lru_cache

from daily_memory.errors import BackendError, DamagedDataError, NotFoundError
from daily_memory.storage.days import Row
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.index import keywords_json
from daily_memory.storage.index.lookup import Lookup
from daily_memory.storage.roots import Root


def folder_note(root: Root) -> str:
    return f"{files.stamp(root.daily_folder)}"


def stamp_of(root: Root, name: str) -> Stamp:
    return files.stamp(os.path.join(root.daily_folder, name))


def pack(rows: list[Row]) -> tuple[str, bytes]:
    """Return names and stamps in a form that is quick to make and compare."""
    stamps = array("q", [number for row in rows for number in row[1:]])
    return "\n".join([row[0] for row in rows]), stamps.tobytes()


def unpack(listed: tuple[str, bytes]) -> dict[str, Stamp]:
    """Return the stamps in a listing, by name; none if it is not a listing."""
    return _stamps_of(*listed).copy()


# For a server the listing is mostly that of last time.
@lru_cache(maxsize=2)
def _stamps_of(names: str, data: bytes) -> dict[str, Stamp]:
    numbers = array("q")
    try:
        numbers.frombytes(data)
        triples = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
        return dict(zip(names.split("\n"), triples, strict=False))
    except ValueError:
        return {}


def shard_rows(root: Root) -> list[Row]:
    return [(name, *stamp) for name, stamp in keywords_json.stamps(root).items()]


def are_recent_unchanged(root: Root, opened: Lookup) -> bool:
    """Check the files that may have changed without new times."""
    recent = filter(None, opened.meta("recent").split("\n"))
    return all(
        recent_note(name, readable(os.path.join(root.daily_folder, name))) == note
        for note in recent
        for name in [note.partition(" ")[0]]
    )


def recent_note(name: str, data: bytes) -> str:
    """Return a recently changed file with its checksum.

    A checksum is enough against an edit of the same length in the same moment; loading a hash would
    cost every search after a save 2 ms.
    """
    import zlib  # most searches have nothing to check

    return f"{name} {zlib.crc32(data)}"


def readable(path: str) -> bytes:
    """Return the bytes of a day file; none if it can't be read, which `doctor` reports."""
    try:
        return files.read_bytes(path)
    except (BackendError, NotFoundError, DamagedDataError):
        return b""
