"""What a user was told already, so that it is not repeated at each start.

It is in the user's home: a stranger's repository must not say what was told.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # `hashlib` loads OpenSSL, and a hook waits for it

from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files

_FOLDER = os.path.join(".config", "daily-memory", "told")


def note(home: str, about: str, news: str) -> bool:
    """Record a message about something; return whether it is new. "" clears it."""
    path = os.path.join(home, _FOLDER, _digest(about))
    if not news:
        if os.path.lexists(path):
            files.remove(path)
        return False
    digest = _digest(news).encode()
    try:
        if files.find_bytes(path) == digest:
            return False
        files.make_folder(os.path.dirname(path))
        files.replace(path, digest)
    except DailyMemoryError:
        pass  # better told at each start than never
    return True


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
