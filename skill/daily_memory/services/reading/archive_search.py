"""The archive as a source of search results; it has no index, so it is read for each search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from daily_memory.core.progress import with_progress
from daily_memory.core.search import prefilter
from daily_memory.core.search.matching import session_words
from daily_memory.services.reading.root_search import Query, ReadSection, RootSource
from daily_memory.storage import archive_files, days
from daily_memory.storage.archive_files import ArchivedDay
from daily_memory.storage.fs import files
from daily_memory.storage.index.lookup import Place
from daily_memory.storage.index.plain_lookup import PlainLookup
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.dates import Period
    from daily_memory.core.search.translation import Dictionary
    from daily_memory.services.reading.meaning import Meaning

# How much of the archive a search without --archived reads, newest first; and in a hook.
_MOST_BYTES = 4_000_000
_HURRY_BYTES = 200_000
# How many days are parsed: those with the most words of the question.
_MOST_DAYS = 30


class ArchiveSource(RootSource):
    """The archive of a root, or some of its days."""

    is_archived = True

    def __init__(
        self,
        root: Root,
        chosen: Sequence[ArchivedDay] | None = None,
        meaning: Meaning | None = None,
    ) -> None:
        self._chosen = archive_files.list_days(root) if chosen is None else chosen
        super().__init__(root, meaning=meaning)

    def _opened(self) -> tuple[PlainLookup, tuple[str, ...]]:
        listed = with_progress(self._chosen)
        loaded = [archive_files.load_day(self.root, listed_day.day) for listed_day in listed]
        self._public = [
            section
            for day in loaded
            for section in day.all_sections
            if not section.session.is_private
        ]
        problems = (problem.message for day in loaded for problem in day.problems)
        return PlainLookup(self._public), tuple(problems)

    def _path(self, day: date) -> str:
        return archive_files.day_path(self.root, day)

    def _read(self, place: Place) -> ReadSection:
        section = self._public[place.key]
        return ReadSection(section, session_words(section.session))


def likely(
    root: Root,
    query: Query,
    period: Period | None,
    *,
    is_hurried: bool,
    dictionaries: Callable[[], Sequence[Dictionary]],
    most_bytes: int = _MOST_BYTES,
) -> ArchiveSource:
    """Return the archived days that have words of a question, or are in its `period`.

    `dictionaries` loads those for the other language, if `prefilter.likely` needs them.
    """
    every = archive_files.list_days(root)
    listed = _newest(every, min(most_bytes, _HURRY_BYTES) if is_hurried else most_bytes)
    if period:
        chosen = [day for day in listed if period.first <= day.day <= period.last]
    else:
        texts = (days.decode(archive_files.load_data(root, each.day)) for each in listed)
        shares = prefilter.likely(query.text, prefilter.RawTexts(texts), dictionaries)
        ranked = sorted(zip(shares, listed, strict=True), reverse=True)
        chosen = [day for share, day in ranked[:_MOST_DAYS] if share]
    source = ArchiveSource(root, sorted(chosen))
    if unread := len(every) - len(listed):
        what = counted(unread, "archived day")
        source.warnings += (
            filled("{} not searched: `memory search --archived` searches all", what),
        )
    return source


def _newest(every: Sequence[ArchivedDay], most_bytes: int) -> list[ArchivedDay]:
    """Return the newest days, up to a total size."""
    taken: list[ArchivedDay] = []
    for day in reversed(every):
        most_bytes -= files.stamp(day.path)[0]
        if most_bytes < 0:
            break
        taken.append(day)
    return taken
