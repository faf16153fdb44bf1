"""`index/imported.jsonl`: recordings and waiting sessions that somebody else made.

Sections made of them get an origin. The files themselves stay unchanged. They are listed by hashes,
since their names are those of conversations.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

_NAME = "imported.jsonl"
# The origin of what came in a file.
ORIGIN = "import"


def note(root: Root, names: Iterable[str], origin: str = "") -> None:
    """List files by their names below the root, before they are written. Needs the lock."""
    end = f" {origin}\n" if origin else "\n"
    lines = b"".join(_mark(name) + files.to_bytes(end) for name in names)
    if lines:
        files.make_folder(root.index_folder, root.modes)
        files.append(root.in_index(_NAME), lines, root.modes)


def origin_of(root: Root, path: str) -> str:
    """Return the origin of sessions made from a file, "" for the user's own."""
    try:
        noted = files.find_bytes(root.in_index(_NAME)) or b""
    except DailyMemoryError:
        return ORIGIN  # better labelled than not
    _, mark, rest = noted.partition(_mark(os.path.relpath(path, root.path)))
    return files.to_text(rest.partition(b"\n")[0]).strip() or ORIGIN if mark else ""


def _mark(name: str) -> bytes:
    return b'"%b"' % files.digest(os.fsencode(name.replace(os.sep, "/"))).encode()
