"""The state of a memory in a few numbers, as `memory` without a command shows it."""

from __future__ import annotations

from datetime import date, datetime

from daily_memory.named_tuples import NamedTuple
from daily_memory.services.reading import browse
from daily_memory.services.writing import reminders
from daily_memory.storage import days, observations, pending_saves
from daily_memory.storage.index import refresh
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.services.reading.browse import StoredSession


class Overview(NamedTuple):
    """What a root holds, and what waits.

    `recorded` is when the last event of a host came. Unfinished conversations are `live`, or
    `unsaved` if they are silent for long. `queued` sessions could not be written yet.
    `unreviewed_days` is 0 if no review is due.
    """

    root: Root
    sessions: int = 0
    days: int = 0
    last: StoredSession | None = None
    recorded: datetime | None = None
    live: int = 0
    unsaved: int = 0
    queued: int = 0
    unreviewed_days: int = 0


def overview(root: Root, review_days: int, now: datetime) -> Overview:
    """Return the state of a root, from the index and the newest files."""
    listed = days.list_days(root)
    open_ = observations.unfinished(root, now)
    silent = observations.unfinished(root, now, idle_s=observations.IDLE_S)
    return Overview(
        root,
        _count(root) if listed else 0,
        len(listed),
        next(browse.newest([root], browse.ANY, first=date.min, last=date.max), None),
        _last_event(root),
        len(open_) - len(silent),
        len(silent),
        len(pending_saves.list_kept(root)),
        reminders.days_unreviewed(root, review_days, now),
    )


def _count(root: Root) -> int:
    with refresh.opened(root) as index:
        return index.count


def _last_event(root: Root) -> datetime | None:
    recorded = observations.list_days(root)
    stamps = observations.list_stamps(root, recorded[-1]).values() if recorded else ()
    newest = max((stamp[1] for stamp in stamps), default=0)
    return datetime.fromtimestamp(newest / 1e9).astimezone() if newest else None
