"""What a new conversation reminds the user of, and which upkeep is due.

A hook asks at each start of a conversation, so whatever takes longer is imported where it is used.
"""

from datetime import date, datetime

from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.storage import days, observations, timestamps
from daily_memory.storage.roots import Root


def days_unreviewed(root: Root, review_days: int, now: datetime) -> int:
    """Return how many days a root was not reviewed; 0 if no reminder is due.

    They count from the last review, else from the oldest session. A reminder is repeated after
    `review_days`; 0 turns it off.
    """
    if not review_days:
        return 0
    today = now.date()
    reviewed = _day(root, timestamps.REVIEWED, today)
    reminded = _day(root, timestamps.REMINDED, today)
    if (today - max(reviewed, reminded)).days < review_days:
        return 0
    if reviewed == date.min:
        listed = days.list_days(root)
        reviewed = listed[0].day if listed else today
    passed = (today - reviewed).days
    return passed if passed >= review_days else 0


def reminder(root: Root, review_days: int, now: datetime) -> str:
    """Return a reminder to review the memory, "" if none is due, and note it as shown."""
    passed = days_unreviewed(root, review_days, now)
    if not passed or not _noted(root, timestamps.REMINDED, now):
        return ""
    return (
        f"记忆已有 {passed} 天没有审核：说“审核记忆”，看看哪些过时、矛盾或重复了；"
        "说“清理旧记忆”，看看可以整理什么。"
        f' / This memory was not reviewed for {passed} days: say "review my memories" or "clean up'
        ' old memories", or run `memory review` or `memory cleanup`; both only look.'
    )


def is_settling_due(root: Root, now: datetime) -> bool:
    """Tell whether to look at old live sessions today, and note it as done."""
    is_due = _day(root, timestamps.SETTLED, now.date()) != now.date()
    has_old = is_due and len(observations.list_days(root)) > observations.START_DAYS
    return has_old and _noted(root, timestamps.SETTLED, now)


def index_reminder(root: Root, now: datetime) -> str:
    """Return once a day that the index is being built."""
    if _day(root, timestamps.INDEXED, now.date()) == now.date():
        return ""
    if not _noted(root, timestamps.INDEXED, now):
        return ""
    return (
        "记忆的索引正在后台建立，建好之前较早的内容还搜不到；`memory reindex` 可以看到进度。"
        " / The index of this memory is being built in the background: until then older sessions"
        " are not found. `memory reindex` shows the progress."
    )


def note_reviewed(root: Root, now: datetime) -> None:
    """Note that the user reviews a root now, if it is writable."""
    _noted(root, timestamps.REVIEWED, now)


def is_archive_due(root: Root, settings: Settings, now: datetime) -> bool:
    """Tell whether archiving is automatic and was not tried today."""
    storage = settings.storage
    is_on = storage.auto_archive and storage.retention_days > 0
    return is_on and _day(root, timestamps.ARCHIVED, now.date()) != now.date()


def _day(root: Root, name: str, today: date) -> date:
    """Return the day on which something was last done, `date.min` if unknown.

    A day in the future is unknown: a wrong clock must not stop things for years.
    """
    moment = timestamps.load(root, name)
    return moment.date() if moment and moment.date() <= today else date.min


def _noted(root: Root, name: str, now: datetime) -> bool:
    """Note that something is done now; False if that fails: it must not be done at each start."""
    try:
        timestamps.note(root, name, now)
    except DailyMemoryError:
        return False
    return True
