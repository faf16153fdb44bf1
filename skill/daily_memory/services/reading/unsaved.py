"""Conversations that are not saved yet: which of them may answer a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time

from daily_memory.core.search import prefilter
from daily_memory.errors import DailyMemoryError
from daily_memory.services.reading.sources import Query
from daily_memory.storage import observations
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.translation import Dictionary

# How much of a question an observation must have to be named, and how many are.
_LEAST_SHARE = 0.5
_MOST_NAMED = 3
_MOST_LIVE = 20


def hint(
    roots: Sequence[Root],
    query: Query,
    today: date,
    dictionaries: Callable[[], Sequence[Dictionary]],
) -> tuple[str, ...]:
    """Return a line that names unsaved conversations that may answer a question, if any do.

    `dictionaries` gives those for the other language, as `prefilter.likely` asks for them.
    """
    # Tags, and other times, are those of saved sections.
    if query.now or query.until or query.tags:
        return ()
    texts = dict(_public(roots, today))
    shares = prefilter.likely(query.text, texts.values(), dictionaries)
    ranked = sorted(zip(shares, texts, strict=True), reverse=True)
    ids = [id_ for share, id_ in ranked[:_MOST_NAMED] if share >= _LEAST_SHARE]
    if not ids:
        return ()
    return (
        f"a conversation that is not saved yet may have the answer ({', '.join(ids)}):"
        " `memory search --observations` searches it, `memory timeline ID` shows it",
    )


def _public(roots: Sequence[Root], today: date) -> Iterator[tuple[str, str]]:
    """Yield the ids and texts of what unsaved conversations say."""
    now = datetime.combine(today, time.min).astimezone()
    for root in roots:
        for path in observations.unfinished(root, now)[-_MOST_LIVE:]:
            try:
                live = observations.load(path)
            except DailyMemoryError:
                continue  # `memory doctor` reports it
            for place, entry in enumerate(live.observations):
                if not entry.private:
                    yield root.scoped(observations.observation_id(live, place)), entry.text
