"""The token of the HTTP server, in a file that only the user can read."""

from __future__ import annotations

import os
import re
import stat

from daily_memory.errors import BackendError
from daily_memory.services.setup import init
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root

_TOKEN = re.compile(rb"[0-9a-f]{64}\n?")


def get_token(root: Root, *, is_new: bool = False) -> str:
    """Return the token of the user's root; with `is_new`, or without one yet, a new one.

    Never that of a project: who wrote its repository could know the token in it. A new one is of
    256 bits, and the old one stops working.
    """
    path = root.in_index("http-token")
    with locked(root):
        init.ignore_derived(root)
        token = "" if is_new else _load(path)
        if not token:
            token = os.urandom(32).hex()
            # A file keeps its modes when it is replaced; they may be why there is a new one.
            files.remove(path)
            files.replace(path, f"{token}\n".encode())
    return token


def _load(path: str) -> str:
    """Return the token in a file; "" if there is none, or others could read it."""
    try:
        status = os.lstat(path)
        data = files.find_bytes(path) or b""
    except (OSError, BackendError):
        return ""
    is_private = os.name == "nt" or not stat.S_IMODE(status.st_mode) & 0o077
    return data.decode().strip() if is_private and _TOKEN.fullmatch(data) else ""
