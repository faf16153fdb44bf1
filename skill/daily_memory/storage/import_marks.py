"""Which recordings and waiting sessions were imported: sections made of them say so.

They are listed apart from their files, which stay unchanged, and by hashes, since a name is that of
a conversation.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

# The origin of what came in a file.
ORIGIN = "import"


def note(root: Root, names: Iterable[str]) -> None:
    """List files that are about to be imported, by their names below the root. Needs the lock."""
    lines = b"".join(_line(name) for name in names)
    if lines:
        files.make_folder(root.index_folder, root.modes)
        files.append(_path(root), lines, root.modes)


def origin_of(root: Root, path: str) -> str:
    """Return the origin of what is made of a file, "" for the user's own."""
    try:
        noted = files.find_bytes(_path(root)) or b""
    except DailyMemoryError:
        return ORIGIN  # as far as is known
    return ORIGIN if _line(os.path.relpath(path, root.path)) in noted else ""


def _line(name: str) -> bytes:
    from _blake2 import blake2b  # hashlib would load OpenSSL

    data = os.fsencode(name.replace(os.sep, "/"))
    return b'"%b"\n' % blake2b(data, digest_size=16).hexdigest().encode()


def _path(root: Root) -> str:
    return os.path.join(root.index_folder, "imported.jsonl")
