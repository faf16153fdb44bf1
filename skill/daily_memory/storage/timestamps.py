"""When something was last done: the modification time of the empty file `index/last-NAME`.

A hook checks it at each start of a conversation with one `stat`, encrypted or not.
"""

import os
from datetime import datetime

from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

ARCHIVED, REVIEWED, REMINDED = "archived", "reviewed", "reminded"
INDEXED, SETTLED = "indexed", "settled"
_LATEST_S = 200_000_000_000.0


def load(root: Root, name: str) -> datetime | None:
    """Return when it was last done, None if unknown."""
    modified_s = files.stamp(_path(root, name))[1] / 1e9
    # A file system may give times for which there is no date.
    return (
        datetime.fromtimestamp(min(modified_s, _LATEST_S)).astimezone() if modified_s > 0 else None
    )


def note(root: Root, name: str, now: datetime) -> None:
    """Record that it is done now."""
    path = _path(root, name)
    files.make_folder(root.index_folder, root.modes)
    files.put(path, b"", root.modes)  # nothing is in it that could be encrypted
    with files.translated(path, "write"):
        os.utime(path, (now.timestamp(), now.timestamp()))


def _path(root: Root, name: str) -> str:
    return os.path.join(root.index_folder, f"last-{name}")
