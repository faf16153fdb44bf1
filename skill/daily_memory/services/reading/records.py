"""Search observations and sessions together, look them up, and show what happened around them.

Of private ones only the existence is shown: these answers go to assistants.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from itertools import islice
from typing import NamedTuple

from daily_memory.core.format.session_json import split_id
from daily_memory.core.record import (
    PRIVATE_TEXT,
    RECORD_KINDS,
    SESSION,
    ObservationId,
    Record,
    RecordFilters,
    RecordHit,
    day_of,
    find_observation_id,
    of_observation,
    seconds,
)
from daily_memory.core.search import observation_ranking, ranking, snippet, word_parts
from daily_memory.core.search.observation_ranking import (
    CutText,
    Document,
    RankedObservation,
    Ranking,
)
from daily_memory.core.session_text import session_lines
from daily_memory.core.settings import Retrieval, Settings
from daily_memory.errors import BackendError, InvalidInputError, NotFoundError
from daily_memory.model import KINDS, check_period
from daily_memory.services.reading import browse, root_search
from daily_memory.services.reading import search as retrieval
from daily_memory.services.reading.browse import StoredSession
from daily_memory.storage import observations
from daily_memory.storage.fs.file_cache import FileCache
from daily_memory.storage.observations import LiveSession
from daily_memory.storage.roots import Root
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.observation_ranking import Corpus
    from daily_memory.services.reading.meaning import Meaning
    from daily_memory.services.reading.mirror import MirrorCorpus

_MOST_RESULTS = 100
_SNIPPET_CHARS = 160
_MOST_IN_A_ROW = 2
_LEAST_SHARE = 0.5
# Live sessions, parsed, for a search without a mirror.
_KEPT = FileCache(500)


class RecordQuery(NamedTuple):
    """The filters of a search of records; empty means any, `limit` is the most hits.

    `former` are earlier names of the project. A record must have all `tags`. `archived` adds
    sessions in the archive. `distinct` leaves out what a conversation repeats.
    """

    limit: int = 20
    kinds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    project: str = ""
    former: tuple[str, ...] = ()
    archived: bool = False
    distinct: bool = False
    method: str = ""

    @property
    def filters(self) -> RecordFilters:
        """The filters that apply to each record."""
        first, last = (day.isoformat() if day else "" for day in (self.since, self.until))
        projects = (self.project, *self.former) if self.project else ()
        return RecordFilters(self.kinds, self.tools, self.tags, first, last, projects)


class RecordResult(NamedTuple):
    """The records that match, best first."""

    hits: tuple[RecordHit, ...]
    warnings: tuple[str, ...] = ()


def search(
    roots: Sequence[Root],
    question: str,
    wanted: RecordQuery,
    settings: Settings,
    today: date,
    meaning: Meaning | None = None,
) -> RecordResult:
    """Return the matching observations and sessions, best first.

    With `meaning`, sessions are searched by their vectors too; observations have none.
    """
    check(wanted)
    sessions: list[RecordHit] = []
    found: list[RecordHit] = []
    warnings: tuple[str, ...] = ()
    if not wanted.tools and (not wanted.kinds or SESSION in wanted.kinds):
        sessions, warnings = _search_sessions(
            roots, question, wanted, settings.retrieval, today, meaning
        )
    if wanted.kinds != (SESSION,):
        found, told = _search_observations(roots, question, wanted, settings, today)
        warnings = tuple(dict.fromkeys((*warnings, *told)))
    hits = _merged(sorted(sessions, key=_order), sorted(found, key=_order))
    if wanted.distinct:
        hits = list(_distinct(hits))
    return RecordResult(tuple(hits[: wanted.limit]), warnings)


def get(roots: Sequence[Root], ids: Sequence[str]) -> tuple[Record, ...]:
    """Return the records with these ids, in this order; missing ones are left out."""
    elsewhere = _known_elsewhere(roots, ids)
    return tuple(record for id_ in ids if (record := _find(roots, elsewhere.get(id_, id_))))


def timeline(roots: Sequence[Root], record_id: str, window_min: int) -> tuple[Record, ...]:
    """Return the records of the same conversation within so many minutes before and after."""
    if window_min < 0:
        raise InvalidInputError("{}: {} is less than {}", "window", window_min, 0)
    record_id = _known_elsewhere(roots, (record_id,)).get(record_id, record_id)
    for root in roots:
        record = _find((root,), record_id)
        if record:
            around = [
                one for one in _conversation(root, record) if _is_near(one, record, window_min)
            ]
            return tuple(around) or (record,)
    raise NotFoundError("no record {!r}", record_id, hint="ids come from a search")


def observation_record(live: LiveSession, number: int) -> Record:
    """Return one of the observations of a live session, by its place in `live.observations`."""
    id_ = observations.observation_id(live, number)
    return of_observation(id_, live.observations[number], live.conversation, live.project)


def session_record(found: StoredSession) -> Record:
    """Return a session as a record."""
    session, id_ = found.session, found.id
    is_private = session.is_private
    lines = filter(None, (session.topic, *session_lines(session)))
    return Record(
        id_,
        f"{session.date.isoformat()}T{session.time or '00:00:00'}",
        SESSION,
        PRIVATE_TEXT if is_private else "\n".join(lines),
        session.conversation or id_,
        project=session.project or found.root.project,
        files=() if is_private else session.files,
        tags=() if is_private else session.tags,
        private=is_private,
        origin=found.origin or session.origin,
        archived=found.archived,
    )


def check(wanted: RecordQuery) -> None:
    """Raise InvalidInputError if a query is invalid."""
    check_period(wanted.since, wanted.until)
    if not 1 <= wanted.limit <= _MOST_RESULTS:
        message = filled("{}: {} is not between {} and {}", "limit", wanted.limit, 1, _MOST_RESULTS)
        raise InvalidInputError(message)
    for kind in wanted.kinds:
        if kind not in RECORD_KINDS:
            raise InvalidInputError("kind {!r} is not one of {}", kind, ", ".join(RECORD_KINDS))


def _known_elsewhere(roots: Sequence[Root], ids: Sequence[str]) -> dict[str, str]:
    """Return our ids for ids of another program whose data was imported."""
    foreign = {id_ for id_ in ids if id_ and "#" not in id_ and not find_observation_id(id_)}
    found: dict[str, str] = {}
    for root in roots:
        if foreign - found.keys():
            events = observations.find_events(root, sorted(foreign - found.keys()))
            found.update((event, root.scoped(id_)) for event, id_ in events.items())
    return found


def _find(roots: Sequence[Root], record_id: str) -> Record | None:
    try:
        asked, bare = browse.named_roots(roots, record_id)
        place = find_observation_id(bare)
        if place:
            return next((record for root in asked for record in _at(root, place)), None)
        # A search may have found it in the archive.
        return session_record(browse.get_all(asked, bare, archived=True)[0])
    except (InvalidInputError, NotFoundError):
        return None


def _at(root: Root, place: ObservationId) -> Iterator[Record]:
    path = os.path.join(root.observations_folder, place.day, f"{place.name}.jsonl")
    # A link or an unreadable file counts as missing.
    with contextlib.suppress(BackendError, NotFoundError):
        live = observations.load(path)
        if place.place in live.places:
            yield _scoped(root, observation_record(live, live.places.index(place.place)))


def _scoped(root: Root, record: Record) -> Record:
    """Return a record of a root with its id as users see it."""
    return record._replace(id=root.scoped(record.id))


def _conversation(root: Root, record: Record) -> list[Record]:
    """Return all records of the conversation of a record, oldest first."""
    path = observations.find_path(root, record.conversation)
    place = find_observation_id(split_id(record.id)[1])
    if place:
        path = os.path.join(root.observations_folder, place.day, f"{place.name}.jsonl")
    live = observations.load(path) if path else LiveSession("")
    numbers = range(len(live.observations))
    found = [_scoped(root, observation_record(live, number)) for number in numbers]
    return [record, *found] if record.kind == SESSION else found


def _is_near(one: Record, other: Record, window_min: int) -> bool:
    try:
        first, second = (datetime.fromisoformat(record.at) for record in (one, other))
    except ValueError:
        return one.id == other.id
    # A session has no time zone: it is the user's, like that of its observations.
    if not (first.tzinfo and second.tzinfo):
        first, second = first.replace(tzinfo=None), second.replace(tzinfo=None)
    return abs(first - second) <= timedelta(minutes=min(window_min, 60 * 24 * 366))


def _search_sessions(
    roots: Sequence[Root],
    question: str,
    wanted: RecordQuery,
    settings: Retrieval,
    today: date,
    meaning: Meaning | None,
) -> tuple[list[RecordHit], tuple[str, ...]]:
    query = root_search.Query(
        question,
        wanted.limit,
        wanted.method,
        since=wanted.since,
        until=wanted.until,
        tags=wanted.tags,
        project=wanted.project,
        former=wanted.former,
    )
    # Observations are searched anyway, and the archive only if asked for.
    found = retrieval.search_many(
        roots,
        [query],
        settings,
        today,
        archived=wanted.archived,
        goes_further=False,
        meaning=meaning,
    )
    result = next(found)
    hits = [
        RecordHit(
            session_record(
                StoredSession(hit.session, hit.root, hit.path, hit.span, "", hit.archived)
            ),
            hit.score,
            hit.snippet,
            hit.matched,
            hit.explanation,
            hit.translated,
        )
        for hit in result.hits
    ]
    return hits, result.warnings


def _search_observations(
    roots: Sequence[Root], question: str, wanted: RecordQuery, settings: Settings, today: date
) -> tuple[list[RecordHit], tuple[str, ...]]:
    """Return the matching observations, from the mirror or else from the files."""
    hits: list[RecordHit] = []
    warnings: list[str] = []
    for root in roots:
        answers, told = _mirrored(root, question, wanted, settings, today)
        warnings += told
        found = answers[0] if answers else _from_files(root, question, wanted, settings, today)
        hits += [hit._replace(record=_scoped(root, hit.record)) for hit in found]
    return hits, tuple(warnings)


def _mirrored(
    root: Root, question: str, wanted: RecordQuery, settings: Settings, today: date
) -> tuple[list[list[RecordHit]], tuple[str, ...]]:
    """Return the mirror's answer in a list, which is empty if the files must be searched."""
    if not settings.mirror.enabled:
        return [], ()
    # Loaded here: it imports SQLite.
    from daily_memory.services.reading import mirror

    def answer(corpus: MirrorCorpus) -> list[RecordHit]:
        weight = settings.retrieval.translation_weight
        found = best_hits(corpus, corpus.record, question, today, weight)
        return list(islice(found, wanted.limit))

    return mirror.ask(root, settings, _filters_in(root, wanted), answer)


def best_hits(
    corpus: Corpus,
    record: Callable[[str], Record],
    question: str,
    today: date,
    translation_weight: float,
) -> Iterator[RecordHit]:
    """Yield the best records of a corpus; `record` gives each by the id of its document."""
    asked = word_parts.completed(question, corpus, corpus.containing)
    answer = observation_ranking.rank(asked, corpus, today)
    if translation_weight:
        # Loaded here: a hook that recalls sessions does without.
        from daily_memory.core.search import translation
        from daily_memory.storage import dictionary

        dictionaries = dictionary.installed()
        reading = translation.read(question, corpus, dictionaries, weight=translation_weight)
        answer = observation_ranking.with_translation(answer, question, corpus, reading)
    for each in answer.ranked:
        yield _hit(record(each.document.id), each, answer)


def _hit(record: Record, ranked: RankedObservation, answer: Ranking) -> RecordHit:
    query = answer.query_of(ranked)
    return RecordHit(
        record,
        ranked.score,
        snippet.cut(record.text, ranking.found_words(ranked.terms, query), _SNIPPET_CHARS),
        ranking.matched(ranked.terms, query),
        observation_ranking.explain(ranked, query),
        bool(ranked.translated),
    )


def _from_files(
    root: Root, question: str, wanted: RecordQuery, settings: Settings, today: date
) -> list[RecordHit]:
    """Return the matching observations of the files; all of them are read."""
    # Loaded here: with a mirror it is not needed.
    from daily_memory.core.search.plain_corpus import PlainCorpus

    lives: dict[str, LiveSession] = {}
    documents: list[Document] = []
    filters = _filters_in(root, wanted)
    for live, read in observations.each_cached(root, _KEPT, _read):
        lives |= dict.fromkeys((document.session for document in read[:1]), live)
        documents += map(partial(_filtered, filters, live), read) if any(filters) else read
    if not documents:
        return []

    def record(id_: str) -> Record:
        session, _, place = id_.rpartition(":")
        return observation_record(lives[session], lives[session].places.index(int(place)))

    weight = settings.retrieval.translation_weight
    found = best_hits(PlainCorpus(documents), record, question, today, weight)
    return list(islice(found, wanted.limit))


def _read(live: LiveSession) -> tuple[LiveSession, list[Document]]:
    """Return a live session with its searchable observations."""
    numbers = (n for n, one in enumerate(live.observations) if not one.private)
    return live, [_document(live, number) for number in numbers]


def _document(live: LiveSession, number: int) -> Document:
    one = live.observations[number]
    id_ = observations.observation_id(live, number)
    searched = observation_ranking.searched_text(one.text, one.tool, one.tags)
    session = id_.rpartition(":")[0]
    return Document(id_, session, number, one.at, searched, cut=CutText(searched))


def _filtered(filters: RecordFilters, live: LiveSession, document: Document) -> Document:
    one = live.observations[document.place]
    day = day_of(one.at) or document.session[: len("2026-01-29")]
    passes = live.project in (filters.projects or (live.project,))
    passes = passes and filters.takes(one.kind, one.tool, one.tags, day)
    return document if passes else document._replace(is_wanted=False)


def _filters_in(root: Root, wanted: RecordQuery) -> RecordFilters:
    """Return the filters for a root; records in a project's own root need not name the project."""
    kinds = () if set(KINDS) <= set(wanted.kinds) else wanted.kinds
    is_own = wanted.project == root.project
    filters = wanted.filters._replace(kinds=kinds)
    return filters._replace(projects=()) if is_own else filters


def _merged(sessions: Sequence[RecordHit], observed: Sequence[RecordHit]) -> list[RecordHit]:
    """Return the hits of both kinds, best first, mixed.

    A session and its observations match together, and the reader of the first few hits wants both.
    So after two of one kind comes one of the other, if it has at least half the score.
    """
    left = [list(sessions)[::-1], list(observed)[::-1]]
    taken: list[int] = []
    hits: list[RecordHit] = []
    while left[0] and left[1]:
        better = min((0, 1), key=lambda kind: _order(left[kind][-1]))
        other = 1 - better
        is_turn = taken[-_MOST_IN_A_ROW:] == [better] * _MOST_IN_A_ROW
        fits = left[other][-1].score >= left[better][-1].score * _LEAST_SHARE
        taken.append(other if is_turn and fits else better)
        hits.append(left[taken[-1]].pop())
    return [*hits, *left[0][::-1], *left[1][::-1]]


def _distinct(hits: Sequence[RecordHit]) -> Iterator[RecordHit]:
    """Yield sessions in place of the first hit of their conversation, and only those observations
    that match a word which no earlier hit of the conversation did.
    """
    first: dict[str, RecordHit] = {}
    for hit in hits:
        if hit.record.kind == SESSION:
            first.setdefault(hit.record.conversation, hit)
    matched: dict[str, set[str]] = {}
    given: set[str] = set()
    for hit in hits:
        conversation = hit.record.conversation
        words = matched.setdefault(conversation, set())
        session = first.pop(conversation, None)
        if session:
            words.update(session.matched)
            given.add(session.record.id)
            yield session
        is_new = hit.record.kind == SESSION or not words.issuperset(hit.matched)
        if is_new and hit.record.id not in given:
            words.update(hit.matched)
            yield hit


def _order(hit: RecordHit) -> tuple[float, float, str]:
    """Return the sort key of a hit: by score, then the newer first, then by id."""
    return -hit.score, -seconds(hit.record.at), hit.record.id
