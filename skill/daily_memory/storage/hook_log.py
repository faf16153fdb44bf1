"""`index/hook.log`: errors of hooks and digests, which no host shows and `doctor` does."""

from __future__ import annotations

from datetime import datetime

from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

MOST_BYTES = 200_000
_DIGEST = "digest: "


def add(root: Root, message: str, now: datetime) -> None:
    """Log an error; `message` must not hold memory text."""
    path = log_path(root)
    files.make_folder(root.index_folder, root.modes)
    if files.stamp(path)[0] > MOST_BYTES:
        files.remove(path)
    line = f"{now.isoformat(timespec='seconds')} {' '.join(message.split())}\n"
    files.append_line(path, files.to_bytes(line), root.modes)


def is_of_digest(line: str) -> bool:
    """Tell whether a line is about a digest, not about an event."""
    return line.partition(" ")[2].startswith(_DIGEST)


def load_since(root: Root, first: datetime) -> list[str]:
    """Return the lines written since a moment, oldest first."""
    text = files.to_text(files.find_bytes(log_path(root)) or b"")
    return [line for line in text.split("\n") if _is_since(line, first)]


def log_path(root: Root) -> str:
    return root.in_index("hook.log")


def _is_since(line: str, first: datetime) -> bool:
    try:
        return datetime.fromisoformat(line.partition(" ")[0]) >= first
    except (ValueError, TypeError):
        return False
