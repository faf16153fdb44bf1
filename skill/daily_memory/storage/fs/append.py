"""Appends to day files so that no crash leaves half a section.

`index/appending` notes what is about to be appended. Whoever holds the lock after a crash finds the
note, and removes the half.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator

from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root


def append(root: Root, path: str, data: bytes) -> None:
    """Append bytes to a day, durably, all or nothing. Needs the lock."""
    with noted(root, [(path, data)]):
        files.append(path, data, root.modes)


@contextlib.contextmanager
def noted(root: Root, additions: Iterable[tuple[str, bytes]]) -> Iterator[None]:
    """Note what `files.append` is about to add, so that `recover` can undo half of it. Needs the
    lock.
    """
    note = b"".join(
        format_note(os.path.basename(path), max(files.stamp(path)[0], 0), data)
        for path, data in additions
        if files.can_append(path, root.modes)  # else another file takes its place: never a half
    )
    if not note:
        yield
        return
    files.overwrite(root.appending, note, root.modes)
    try:
        yield
    finally:
        # Appended or cut back: either way, nothing is left to recover.
        files.empty(root.appending)


def recover(root: Root) -> None:
    """Remove the half of an interrupted append. Needs the lock."""
    if files.stamp(root.appending)[0] <= 0:
        return
    for name, size, data in _load_note(root):
        path = os.path.join(root.daily_folder, name)
        if os.path.exists(path) and _is_half(files.read_raw(path)[size:], data):
            files.cut_off(path, size)
    files.empty(root.appending)


def format_note(name: str, size: int, data: bytes) -> bytes:
    head = json.dumps({"name": name, "size": size, "crc": zlib.crc32(data), "bytes": len(data)})
    return head.encode() + b"\n" + data


def _is_half(tail: bytes, data: bytes) -> bool:
    return 0 < len(tail) < len(data) and data.startswith(tail)


def _load_note(root: Root) -> list[tuple[str, int, bytes]]:
    """Return day, size and data of each append in the note; nothing if it is incomplete."""
    found: list[tuple[str, int, bytes]] = []
    rest = files.find_bytes(root.appending) or b""
    while rest:
        head, _, rest = rest.partition(b"\n")
        try:
            fields = json.loads(head)
            name, size, crc = str(fields["name"]), int(fields["size"]), int(fields["crc"])
            length = int(fields["bytes"])
        except (ValueError, KeyError, TypeError):
            return []
        data, rest = rest[:length], rest[length:]
        if zlib.crc32(data) != crc or os.path.basename(name) != name or size < 0:
            return []
        found.append((name, size, data))
    return found
