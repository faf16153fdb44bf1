"""`index/standing.json`: what a conversation is told at its start of what holds.

It has the lines that `memory summarize` would write now, the days that were read for them, and
which of these days matter to them. The start of a conversation reads it: nothing heavy is loaded.
"""

import json

from daily_memory.errors import DailyMemoryError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root


class Standing(NamedTuple):
    """The lines, and by the name of each day file its size, its time, and whether it matters."""

    lines: tuple[str, ...] = ()
    days: dict[str, tuple[int, int, int]] = {}  # noqa: RUF012  # never changed


def find(root: Root) -> "Standing | None":
    """Return what was noted last; None if nothing was, or the file can't be used."""
    try:
        data = json.loads(files.find_bytes(path_of(root)) or b"null")
        days = {str(name): (int(a), int(b), int(c)) for name, (a, b, c) in data["days"].items()}
        return Standing(tuple(map(str, data["lines"])), days)
    except (DailyMemoryError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None  # no access, cut off or edited: the end of a conversation writes it again


def save(root: Root, standing: Standing) -> None:
    files.make_folder(root.index_folder, root.modes)
    files.replace(path_of(root), json.dumps(standing._asdict()).encode(), root.modes)


def path_of(root: Root) -> str:
    return root.in_index("standing.json")
