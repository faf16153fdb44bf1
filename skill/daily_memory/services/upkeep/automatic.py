"""What a memory does by itself from time to time, and when its user is reminded of a review.

A hook asks at each start of a conversation, so that what takes longer is loaded where it is needed.
"""

from datetime import date, datetime

from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.storage import days, observations, timestamps
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.services.upkeep.archive import Moved


def days_unreviewed(root: Root, review_days: int, now: datetime) -> int:
    """Return for how many days nobody has looked through a root; 0 where nobody need be reminded.

    That is counted from the last review, else from the oldest session. `review_days` after a
    reminder comes the next one; 0 is never.
    """
    if not review_days:
        return 0
    today = now.date()
    began = _day(root, timestamps.REVIEWED, today)
    reminded = _day(root, timestamps.REMINDED, today)
    if (today - max(began, reminded)).days < review_days:
        return 0
    if began == date.min:
        listed = days.list_days(root)
        began = listed[0].day if listed else today
    passed = (today - began).days
    return passed if passed >= review_days else 0


def reminder(root: Root, review_days: int, now: datetime) -> str:
    """Return what the user is reminded of, in both languages, "" for nothing; it counts as told."""
    passed = days_unreviewed(root, review_days, now)
    if not passed:
        return ""
    try:
        timestamps.note(root, timestamps.REMINDED, now)
    except DailyMemoryError:
        return ""  # it would be told at each start
    return (
        f"记忆已有 {passed} 天没有审核：说“审核记忆”，看看哪些过时、矛盾或重复了；"
        "说“清理旧记忆”，看看可以整理什么。"
        f' / This memory was not reviewed for {passed} days: say "review my memories" or "clean up'
        ' old memories", or run `memory review` or `memory cleanup`; both only look.'
    )


def is_settling_due(root: Root, now: datetime) -> bool:
    """Tell whether live sessions of long ago are to be looked at today; it counts as done."""
    is_due = _day(root, timestamps.SETTLED, now.date()) != now.date()
    if not is_due or len(observations.list_days(root)) <= observations.START_DAYS:
        return False
    try:
        timestamps.note(root, timestamps.SETTLED, now)
    except DailyMemoryError:
        return False  # as above
    return True


def index_reminder(root: Root, now: datetime) -> str:
    """Return what the user is told where the index is behind, "" if that was told this day."""
    if _day(root, timestamps.INDEXED, now.date()) == now.date():
        return ""
    try:
        timestamps.note(root, timestamps.INDEXED, now)
    except DailyMemoryError:
        return ""  # as above
    return (
        "记忆的索引正在后台建立，建好之前较早的内容还搜不到；`memory reindex` 可以看到进度。"
        " / The index of this memory is being built in the background: until then older sessions"
        " are not found. `memory reindex` shows the progress."
    )


def note_reviewed(root: Root, now: datetime) -> None:
    """Note that the user looks through a root now, if it can be written to."""
    import contextlib  # no hook reviews

    with contextlib.suppress(DailyMemoryError):
        timestamps.note(root, timestamps.REVIEWED, now)


def is_archive_due(root: Root, settings: Settings, now: datetime) -> bool:
    """Tell whether the user wants old sessions archived by themselves, and today nobody tried."""
    storage = settings.storage
    wanted = storage.auto_archive and storage.retention_days > 0
    return wanted and _day(root, timestamps.ARCHIVED, now.date()) != now.date()


def archive(root: Root, settings: Settings, now: datetime) -> "Moved":
    """Archive what is past retention, if it is due; nobody is asked, so the clock must be sure.

    Raises:
        InvalidInputError: the clock may be wrong.
        ConflictError: the lock was busy.
    """
    from itertools import groupby  # no hook archives

    from daily_memory.core.undo_steps import ARCHIVE
    from daily_memory.model import days_before
    from daily_memory.services.upkeep import archive as archiving

    before = archiving.day_before(settings, now.date())
    if before is None or not is_archive_due(root, settings, now):
        return archiving.Moved()
    timestamps.note(root, timestamps.ARCHIVED, now)
    due = archiving.due(root, before, now.date())
    if not due.sessions and not due.observed:
        return archiving.Moved()
    # What was saved today would make any clock look right: some day before must be near as well.
    near = days_before(now.date(), archiving.FAR_DAYS)
    if not any(near <= file.day < now.date() for file in days.list_days(root)):
        raise InvalidInputError(
            f"nothing was saved in the {archiving.FAR_DAYS} days before {now.date()}: the clock may"
            " be wrong, and nothing is archived by itself",
            hint="`memory cleanup --archive` does it once you have looked",
        )
    # Day by day: who saves waits for one of them, and who searches brings the index up for one.
    moved = [
        archiving.store(due._replace(sessions=tuple(sessions), observed=()), now)
        for _, sessions in groupby(due.sessions, key=lambda one: one.session.date)
    ]
    moved.append(archiving.store(due._replace(sessions=()), now))
    return archiving.Moved(
        tuple(id_ for one in moved for id_ in one.ids),
        sum(one.observed for one in moved),
        tuple(warning for one in moved for warning in one.warnings),
        operation=archiving.join(root, [one.operation for one in moved], ARCHIVE),
    )


def _day(root: Root, name: str, today: date) -> date:
    """Return the day on which something was last done, the first of all days where none is known.

    A day to come is none: the clock was wrong then, and must not keep this still for years.
    """
    moment = timestamps.load(root, name)
    return moment.date() if moment and moment.date() <= today else date.min
