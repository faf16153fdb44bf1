"""Where to look when the index has no good answer: the archive, and conversations not saved yet.

Neither has an index. Only what has words of the question is parsed, so that a search that finds
nothing stays quick.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from math import inf

from daily_memory.core.progress import Progress
from daily_memory.core.search import prefilter
from daily_memory.errors import DailyMemoryError
from daily_memory.model import counted
from daily_memory.services.reading.archive_search import OpenedArchive
from daily_memory.services.reading.search import Query
from daily_memory.storage import archive_files, days, observations
from daily_memory.storage.archive_files import ArchivedDay
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.dates import Period

# How much of an archive is unpacked, the newest days first; how much where a host waits.
_MOST_BYTES = 4_000_000
_HURRY_BYTES = 200_000
# How many days are parsed: those that have most of the words.
_MOST_DAYS = 30
# How much of a question an observation must have to be named, and how many are.
_LEAST_SHARE = 0.5
_MOST_OBSERVED = 3
_MOST_LIVE = 20


# ---------------------------------------------------------------------------- the archive


class LikelyArchive(OpenedArchive):
    """The days of an archive that have words of a question, or are of the days it asks for."""

    def __init__(
        self,
        root: Root,
        progress: Progress | None,
        query: Query,
        period: Period | None,
        *,
        is_hurried: bool,
    ) -> None:
        listed, unread = _within(
            archive_files.list_days(root), _HURRY_BYTES if is_hurried else _MOST_BYTES
        )
        if period:
            chosen = [one for one in listed if period.first <= one.day <= period.last]
        else:
            chosen = _likely(root, listed, query)
        self._chosen = sorted(chosen)
        super().__init__(root, progress)
        if unread:
            what = counted(unread, "archived day")
            self.warnings += (f"{what} not searched: `memory search --archived` searches all",)

    def _days(self) -> Sequence[ArchivedDay]:
        return self._chosen


def _within(listed: Sequence[ArchivedDay], most_bytes: int) -> tuple[list[ArchivedDay], int]:
    """Return the newest days of no more bytes than that, and how many others there are."""
    taken: list[ArchivedDay] = []
    for one in reversed(listed):
        most_bytes -= files.stamp(one.path)[0]
        if most_bytes < 0:
            break
        taken.append(one)
    return taken, len(listed) - len(taken)


def _likely(root: Root, listed: Sequence[ArchivedDay], query: Query) -> list[ArchivedDay]:
    wanted = prefilter.needles(query.text)
    texts = (days.decode(archive_files.load_data(root, one.day)) for one in listed)
    shares = prefilter.shares(wanted, texts) if wanted else []
    ranked = sorted(zip(shares, listed, strict=False), reverse=True)
    return [one for share, one in ranked[:_MOST_DAYS] if share]


# ---------------------------------------------------------------------------- not saved yet


def observed(roots: Sequence[Root], query: Query, today: date) -> tuple[str, ...]:
    """Return a line that names what may answer a question in conversations not saved yet."""
    wanted = prefilter.needles(query.text)
    # What is asked of another time or with tags is asked of sections.
    is_meant = wanted and not (query.now or query.until or query.tags)
    found = sorted(_observed(roots, wanted, today), reverse=True) if is_meant else []
    if not found:
        return ()
    ids = ", ".join(id_ for _, id_ in found[:_MOST_OBSERVED])
    return (
        f"a conversation that is not saved yet may have the answer ({ids}):"
        " `memory search --observations` searches it, `memory timeline ID` shows it",
    )


def _observed(
    roots: Sequence[Root], wanted: Sequence[str], today: date
) -> Iterator[tuple[float, str]]:
    """Yield the ids of such observations with how much of the question they have."""
    now = datetime.combine(today, time.min).astimezone()
    for root in roots:
        for path in observations.unfinished(root, now, idle_s=-inf)[-_MOST_LIVE:]:
            try:
                live = observations.load(path)
            except DailyMemoryError:
                continue  # `memory doctor` tells of it
            public = [place for place, one in enumerate(live.observations) if not one.private]
            texts = [live.observations[place].text for place in public]
            for place, share in zip(public, prefilter.shares(wanted, texts), strict=True):
                if share >= _LEAST_SHARE:
                    yield share, root.scoped(observations.observation_id(live, place))
