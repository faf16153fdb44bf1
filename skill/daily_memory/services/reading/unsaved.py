"""Conversations that are not saved yet: which of them may answer a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time

from daily_memory.core.search import prefilter
from daily_memory.errors import DailyMemoryError
from daily_memory.services.reading.sources import Query
from daily_memory.storage import observations
from daily_memory.storage.roots import Root

# How much of a question an observation must have to be named, and how many are.
_LEAST_SHARE = 0.5
_MOST_NAMED = 3
_MOST_LIVE = 20


def hint(roots: Sequence[Root], query: Query, today: date) -> tuple[str, ...]:
    """Return a line that names unsaved conversations that may answer a question, if any do."""
    needles = prefilter.needles(query.text)
    # Tags, and other times, are those of saved sections.
    if not needles or query.now or query.until or query.tags:
        return ()
    ranked = sorted(_likely(roots, needles, today), reverse=True)
    if not ranked:
        return ()
    ids = ", ".join(id_ for _, id_ in ranked[:_MOST_NAMED])
    return (
        f"a conversation that is not saved yet may have the answer ({ids}):"
        " `memory search --observations` searches it, `memory timeline ID` shows it",
    )


def _likely(
    roots: Sequence[Root], needles: Sequence[str], today: date
) -> Iterator[tuple[float, str]]:
    """Yield observations by id, each with the share of the question that it has."""
    now = datetime.combine(today, time.min).astimezone()
    for root in roots:
        for path in observations.unfinished(root, now)[-_MOST_LIVE:]:
            try:
                live = observations.load(path)
            except DailyMemoryError:
                continue  # `memory doctor` reports it
            public = [place for place, entry in enumerate(live.observations) if not entry.private]
            texts = [live.observations[place].text for place in public]
            for place, share in zip(public, prefilter.shares(needles, texts), strict=True):
                if share >= _LEAST_SHARE:
                    yield share, root.scoped(observations.observation_id(live, place))
