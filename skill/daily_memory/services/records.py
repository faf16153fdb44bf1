"""Observations and sessions side by side: found, looked at, and put into their surroundings.

What is private is known to be there, and no more: these answers go to assistants.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from daily_memory.core import observation_ranking, snippet, text, word_parts
from daily_memory.core.observation import KINDS
from daily_memory.core.observation_ranking import Ranked, Ranking
from daily_memory.core.record import (
    PRIVATE_TEXT,
    RECORD_KINDS,
    SESSION,
    ObservationId,
    Record,
    RecordHit,
    find_observation_id,
)
from daily_memory.core.settings import Retrieval, Settings
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.services import retrieval, viewing
from daily_memory.services.injecting import session_lines
from daily_memory.services.viewing import Found
from daily_memory.storage import observations
from daily_memory.storage.observations import Live
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.services.mirroring import MirroredObservations

_MOST_RESULTS = 100
_SNIPPET_CHARS = 160


class Wanted(NamedTuple):
    """What narrows a search of records; empty means any, `limit` is how many at the most.

    `tools` and `project` are names, `tags` what all of a record's tags must hold, `since` and
    `until` days.
    """

    limit: int = 20
    kinds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    project: str = ""


class RecordResult(NamedTuple):
    """The records that match, best first."""

    hits: tuple[RecordHit, ...]
    warnings: tuple[str, ...] = ()


def search(
    roots: Sequence[Root], question: str, wanted: Wanted, settings: Settings, today: date
) -> RecordResult:
    """Return the observations and sessions that match, best first; none is an answer too.

    Raises:
        InvalidInputError: there is no such kind, or the limit is out of range.
    """
    _check(wanted)
    hits: list[RecordHit] = []
    warnings: tuple[str, ...] = ()
    if not wanted.tools and (not wanted.kinds or SESSION in wanted.kinds):
        found, warnings = _search_sessions(roots, question, wanted, settings.retrieval, today)
        hits += found
    if wanted.kinds != (SESSION,):
        found, told = _search_observations(roots, question, wanted, settings, today)
        hits += found
        warnings = tuple(dict.fromkeys((*warnings, *told)))
    hits.sort(key=lambda hit: (-hit.score, _newer_first(hit.record), hit.record.id))
    return RecordResult(tuple(hits[: wanted.limit]), warnings)


def get(roots: Sequence[Root], ids: Sequence[str]) -> tuple[Record, ...]:
    """Return the records with these ids, in their order; what is not there is left out."""
    return tuple(record for id_ in ids if (record := _find(roots, id_)))


def timeline(roots: Sequence[Root], record_id: str, window_min: int) -> tuple[Record, ...]:
    """Return what happened in the same conversation, so many minutes before and after.

    Raises:
        InvalidInputError: the window is less than 0.
        NotFoundError: there is no such record.
    """
    if window_min < 0:
        raise InvalidInputError(f"window: {window_min} is less than 0")
    for root in roots:
        record = _find((root,), record_id)
        if record:
            around = [
                one for one in _conversation(root, record) if _is_near(one, record, window_min)
            ]
            return tuple(around) or (record,)
    raise NotFoundError(f"no record {record_id!r}", hint="ids come from a search")


def observation_record(live: Live, number: int) -> Record:
    """Return one of the observations of a live session, by its place in `live.observations`."""
    one = live.observations[number]
    return Record(
        observations.observation_id(live, number),
        one.at,
        one.kind,
        PRIVATE_TEXT if one.private else one.text,
        live.conversation,
        tool=one.tool,
        project=live.project,
        files=() if one.private else one.files,
        tags=() if one.private else one.tags,
        private=one.private,
    )


def session_record(found: Found) -> Record:
    """Return a session as a record."""
    session = found.session
    is_private = session.is_private
    lines = (session.topic, *session_lines(session))
    return Record(
        str(session.id),
        f"{session.date.isoformat()}T{session.time or '00:00:00'}",
        SESSION,
        PRIVATE_TEXT if is_private else "\n".join(line for line in lines if line),
        session.conversation or str(session.id),
        project=session.project or found.root.project,
        files=() if is_private else session.files,
        tags=() if is_private else session.tags,
        private=is_private,
    )


def _check(wanted: Wanted) -> None:
    if not 1 <= wanted.limit <= _MOST_RESULTS:
        raise InvalidInputError(f"limit: {wanted.limit} is not between 1 and {_MOST_RESULTS}")
    for kind in wanted.kinds:
        if kind not in RECORD_KINDS:
            raise InvalidInputError(f"kind {kind!r} is not one of {', '.join(RECORD_KINDS)}")


# ---------------------------------------------------------------------------- by id


def _find(roots: Sequence[Root], record_id: str) -> Record | None:
    place = find_observation_id(record_id)
    if place:
        return next((one for root in roots for one in _at(root, place)), None)
    try:
        return session_record(viewing.get(roots, record_id))
    except (InvalidInputError, NotFoundError):
        return None


def _at(root: Root, place: ObservationId) -> Iterator[Record]:
    path = os.path.join(root.observations_folder, place.day, f"{place.name}.jsonl")
    if os.path.isfile(path):
        live = observations.load(path)
        if place.place in live.places:
            yield observation_record(live, live.places.index(place.place))


def _conversation(root: Root, record: Record) -> list[Record]:
    """Return all that is known of the conversation of a record, oldest first."""
    path = observations.find_path(root, record.conversation)
    place = find_observation_id(record.id)
    if place:
        path = os.path.join(root.observations_folder, place.day, f"{place.name}.jsonl")
    live = observations.load(path) if path else Live("")
    found = [observation_record(live, number) for number in range(len(live.observations))]
    return [record, *found] if record.kind == SESSION else found


def _is_near(one: Record, other: Record, window_min: int) -> bool:
    try:
        first, second = (datetime.fromisoformat(record.at) for record in (one, other))
    except ValueError:
        return one.id == other.id
    # A session knows no zone: it is in the user's own, as its observations are.
    apart = first.replace(tzinfo=None) - second.replace(tzinfo=None)
    return abs(apart) <= timedelta(minutes=min(window_min, 60 * 24 * 366))


# ---------------------------------------------------------------------------- by question


def _search_sessions(
    roots: Sequence[Root], question: str, wanted: Wanted, settings: Retrieval, today: date
) -> tuple[list[RecordHit], tuple[str, ...]]:
    query = retrieval.Query(
        question,
        wanted.limit,
        since=wanted.since,
        until=wanted.until,
        tags=wanted.tags,
        project=wanted.project,
    )
    result = next(retrieval.search_many(roots, [query], settings, today))
    hits = [
        RecordHit(
            session_record(Found(hit.session, hit.root, hit.path, hit.span)), hit.score, hit.snippet
        )
        for hit in result.hits
    ]
    return hits, result.warnings


def _search_observations(
    roots: Sequence[Root], question: str, wanted: Wanted, settings: Settings, today: date
) -> tuple[list[RecordHit], tuple[str, ...]]:
    """Return the observations that match: from the mirror, or from the files where it is none."""
    hits: list[RecordHit] = []
    warnings: list[str] = []
    for root in roots:
        answers, told = _mirrored(root, question, wanted, settings, today)
        warnings += told
        hits += answers[0] if answers else _from_files(root, question, wanted)
    return hits, tuple(warnings)


def _mirrored(
    root: Root, question: str, wanted: Wanted, settings: Settings, today: date
) -> tuple[list[list[RecordHit]], tuple[str, ...]]:
    """Return what the mirror answers, in a list; an empty one where the files must be asked."""
    if not settings.mirror.enabled:
        return [], ()
    # Loaded here: SQLite and what keeps the mirror true are needed only where there is one.
    from daily_memory.services import mirroring
    from daily_memory.storage.mirror import Filters

    filters = Filters(
        () if set(KINDS) <= set(wanted.kinds) else wanted.kinds,
        wanted.tools,
        wanted.tags,
        wanted.since.isoformat() if wanted.since else "",
        wanted.until.isoformat() if wanted.until else "",
        wanted.project,
    )

    def answer(corpus: MirroredObservations) -> list[RecordHit]:
        asked = word_parts.completed(question, corpus, corpus.containing)
        ranking = observation_ranking.rank(asked, corpus, today)
        return [
            _hit(corpus.record(one.document.id), one, ranking)
            for one in ranking.ranked[: wanted.limit]
        ]

    return mirroring.ask(root, settings, filters, answer)


def _hit(record: Record, one: Ranked, ranking: Ranking) -> RecordHit:
    words = observation_ranking.matched(one, ranking.query)
    return RecordHit(record, one.score, snippet.cut(record.text, words, _SNIPPET_CHARS))


def _from_files(root: Root, question: str, wanted: Wanted) -> Iterator[RecordHit]:
    """Yield the observations that have words of the question, scored by how many of them."""
    words = set(text.terms(question))
    for day in observations.list_days(root):
        if _is_within(day, wanted):
            for path in observations.list_paths(root, day):
                yield from _matches(observations.load(path), words, wanted)


def _matches(live: Live, words: set[str], wanted: Wanted) -> Iterator[RecordHit]:
    if wanted.project not in ("", live.project):
        return
    for number, one in enumerate(live.observations):
        if one.private or not _is_wanted(one.kind, one.tool, one.tags, wanted):
            continue
        shared = words & set(text.terms(one.text))
        if shared:
            record = observation_record(live, number)
            yield RecordHit(record, len(shared) / len(words), one.text[:_SNIPPET_CHARS])


def _is_wanted(kind: str, tool: str, tags: Sequence[str], wanted: Wanted) -> bool:
    return (
        (not wanted.kinds or kind in wanted.kinds)
        and (not wanted.tools or tool in wanted.tools)
        and set(wanted.tags) <= set(tags)
    )


def _is_within(day: str, wanted: Wanted) -> bool:
    first = wanted.since.isoformat() if wanted.since else ""
    return first <= day and (wanted.until is None or day <= wanted.until.isoformat())


def _newer_first(record: Record) -> int:
    digits = "".join(filter(str.isdigit, record.at[:19]))
    return -int(digits or 0)
