"""Appends to a day file so that no crash leaves half a section.

`index/appending` notes what is about to be appended. Whoever holds the lock after a crash finds the
note, and removes the half.
"""

from __future__ import annotations

import json
import os
import zlib

from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root


def append(root: Root, path: str, data: bytes) -> None:
    """Append bytes to a day, durably, all or nothing. Call it with the lock held."""
    if not files.appends(path, root.modes):
        files.append(path, data, root.modes)  # another file in its place: there is never a half
        return
    note = format_note(os.path.basename(path), max(files.stamp(path)[0], 0), data)
    files.make_folder(root.index_folder, root.modes)
    files.overwrite(root.appending, note, root.modes)
    try:
        files.append(path, data, root.modes)
    finally:
        # Whole, or cut back: in either case there is nothing left to mend.
        files.empty(root.appending)


def recover(root: Root) -> None:
    """Remove the half of an interrupted append. Call it with the lock held."""
    if files.stamp(root.appending)[0] <= 0:
        return
    name, size, data = _load_note(root)
    path = os.path.join(root.daily_folder, name)
    found = files.read_raw(path) if name and os.path.exists(path) else None
    if found is not None and _is_half(found[size:], data):
        files.cut_off(path, size)
    files.empty(root.appending)


def format_note(name: str, size: int, data: bytes) -> bytes:
    """Return the note that `data` is about to be appended to a day file of `size` bytes."""
    head = json.dumps({"name": name, "size": size, "crc": zlib.crc32(data)})
    return head.encode() + b"\n" + data


def _is_half(tail: bytes, data: bytes) -> bool:
    """Tell whether a file ends with just the beginning of the data."""
    return 0 < len(tail) < len(data) and data.startswith(tail)


def _load_note(root: Root) -> tuple[str, int, bytes]:
    """Return day, size and data of the note; "" for a half-written one."""
    head, _, data = (files.find_bytes(root.appending) or b"").partition(b"\n")
    try:
        fields = json.loads(head)
        name, size, crc = str(fields["name"]), int(fields["size"]), int(fields["crc"])
    except (ValueError, KeyError, TypeError):
        return "", 0, b""
    is_whole = zlib.crc32(data) == crc and os.path.basename(name) == name and size >= 0
    return (name, size, data) if is_whole else ("", 0, b"")
