"""Reminders at the start of a conversation, and which upkeep is due.

Hooks ask this at each start, so slow imports are inside the functions.
"""

import os
from datetime import date, datetime

from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.storage import days, observations
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

# Each is noted by the time of an empty file, `index/last-NAME`.
ARCHIVED, REVIEWED, REMINDED = "archived", "reviewed", "reminded"
INDEXED, SETTLED = "indexed", "settled"
# Larger file times have no date.
_LATEST_S = 200_000_000_000.0


def days_unreviewed(root: Root, review_days: int, now: datetime) -> int:
    """Return how many days a root was not reviewed; 0 if no reminder is due.

    The days count from the last review, or else from the oldest session. A reminder is repeated
    after `review_days`; 0 turns it off.
    """
    if not review_days:
        return 0
    today = now.date()
    reviewed = last_day(root, REVIEWED, today)
    reminded = last_day(root, REMINDED, today)
    if (today - max(reviewed, reminded)).days < review_days:
        return 0
    if reviewed == date.min:
        listed = days.list_days(root)
        reviewed = listed[0].day if listed else today
    passed = (today - reviewed).days
    return passed if passed >= review_days else 0


def reminder(root: Root, review_days: int, now: datetime) -> str:
    """Return a reminder to review the memory, "" if none is due; it is noted as shown."""
    passed = days_unreviewed(root, review_days, now)
    if not passed or not note(root, REMINDED, now):
        return ""
    return (
        f"记忆已有 {passed} 天没有审核：说“审核记忆”，看看哪些过时、矛盾或重复了；"
        "说“清理旧记忆”，看看可以整理什么。"
        f' / This memory was not reviewed for {passed} days: say "review my memories" or "clean up'
        ' old memories", or run `memory review` or `memory cleanup`; both only look.'
    )


def is_settling_due(root: Root, now: datetime) -> bool:
    """Tell whether to look for old live sessions today; it is noted as done."""
    is_due = last_day(root, SETTLED, now.date()) != now.date()
    has_old = is_due and len(observations.list_days(root)) > observations.START_DAYS
    return has_old and note(root, SETTLED, now)


def index_reminder(root: Root, now: datetime) -> str:
    """Return the message that the index is being built, "" if it was shown today."""
    if last_day(root, INDEXED, now.date()) == now.date():
        return ""
    if not note(root, INDEXED, now):
        return ""
    return (
        "记忆的索引正在后台建立，建好之前较早的内容还搜不到；`memory reindex` 可以看到进度。"
        " / The index of this memory is being built in the background: until then older sessions"
        " are not found. `memory reindex` shows the progress."
    )


def is_archive_due(root: Root, settings: Settings, now: datetime) -> bool:
    """Tell whether archiving is automatic and was not tried today."""
    storage = settings.storage
    is_on = storage.auto_archive and storage.retention_days > 0
    return is_on and last_day(root, ARCHIVED, now.date()) != now.date()


def last_day(root: Root, name: str, today: date) -> date:
    """Return the day on which something was last done, `date.min` if unknown.

    A day in the future counts as unknown: a wrong clock must not stop upkeep for years.
    """
    modified_s = min(files.stamp(_path(root, name))[1] / 1e9, _LATEST_S)
    day = datetime.fromtimestamp(modified_s).astimezone().date() if modified_s > 0 else date.min
    return day if day <= today else date.min


def note(root: Root, name: str, now: datetime) -> bool:
    """Note that something is done now; return False if that fails: then don't do it each time."""
    path = _path(root, name)
    try:
        files.make_folder(root.index_folder, root.modes)
        files.replace_raw(path, b"", root.modes)  # empty, so never encrypted
        with files.translated(path, "write"):
            os.utime(path, (now.timestamp(), now.timestamp()))
    except DailyMemoryError:
        return False
    return True


def _path(root: Root, name: str) -> str:
    return os.path.join(root.index_folder, f"last-{name}")
