"""`index/standing.json`: summary lines for the start of a conversation.

They are the lines that `memory summarize` would write now. With them are the day files that they
were made from, so that only changed days are read again. The start of a conversation reads this
file instead of the days.
"""

import json

from daily_memory.errors import DailyMemoryError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root


class StartSummary(NamedTuple):
    """The lines; for each day file its size, its time, and whether the lines rest on it."""

    lines: tuple[str, ...] = ()
    days: dict[str, tuple[int, int, int]] = {}  # noqa: RUF012  # never changed


def find(root: Root) -> "StartSummary | None":
    """Return what was saved last, None for nothing usable."""
    try:
        data = json.loads(files.find_bytes(path_of(root)) or b"null")
        days = {str(name): (int(a), int(b), int(c)) for name, (a, b, c) in data["days"].items()}
        return StartSummary(tuple(map(str, data["lines"])), days)
    except (DailyMemoryError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None  # no access, cut off or edited: the end of a conversation writes it again


def save(root: Root, summary: StartSummary) -> None:
    files.make_folder(root.index_folder, root.modes)
    files.replace(path_of(root), json.dumps(summary._asdict()).encode(), root.modes)


def path_of(root: Root) -> str:
    return root.in_index("standing.json")
