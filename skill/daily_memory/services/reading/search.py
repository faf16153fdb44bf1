"""Searching: a fresh index gives candidates, their own text is scored, the best are the hits."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from heapq import nlargest

from daily_memory.core.progress import Progress
from daily_memory.core.search import query as querying
from daily_memory.core.search import ranking
from daily_memory.core.search.ranking import Decay, Ranked
from daily_memory.core.search.snippet import snippet
from daily_memory.core.settings import Retrieval
from daily_memory.errors import ConflictError, DamagedDataError, InvalidInputError, LockedError
from daily_memory.model import Section, Session, Span, check_period, counted, days_before
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.index import refresh
from daily_memory.storage.index.lookup import Filters, Place
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from daily_memory.core.search.dates import Period
    from daily_memory.core.search.postings import Postings

    class Index(Postings, Protocol):
        """What a search asks of a root, by the keys of its sessions."""

        def important_keys(self) -> frozenset[int]: ...

        def matching_keys(self, filters: Filters) -> frozenset[int] | None:
            """Return the sessions that pass the filters; None where all do."""
            ...

        def places(self, keys: Sequence[int]) -> list[Place]:
            """Return where these sessions stand, in the order of the keys."""
            ...

        def close(self) -> None: ...


METHODS = ("keyword", "semantic", "hybrid")
_MOST_RESULTS = 100
_SNIPPET_CHARS = 160
# How often a file may change between being indexed and being read before we stop trying.
_ATTEMPTS = 3


class Query(NamedTuple):
    """A question, and what narrows it. Zero and empty mean: as the settings say.

    `now` asks as if that day were today; what is later does not exist then. `former` are names that
    the project had before.
    """

    text: str
    max_results: int = 0
    method: str = ""
    since: date | None = None
    until: date | None = None
    days: int = 0
    tags: tuple[str, ...] = ()
    project: str = ""
    now: date | None = None
    former: tuple[str, ...] = ()

    def is_of(self, root: Root, project: str) -> bool:
        """Tell whether a session that stands in a root and names a project is wanted."""
        return not self.project or root.project == self.project or project in self.names

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the project that is wanted; none where all are."""
        return (self.project, *self.former) if self.project else ()


class Hit(NamedTuple):
    """A session that was found: where it stands, why, and how sure. Scores are 0 to 1."""

    session: Session
    root: Root
    path: str
    span: Span
    score: float
    keyword: float
    decay: float
    snippet: str
    matched: tuple[str, ...]
    explanation: tuple[str, ...]
    archived: bool = False

    @property
    def id(self) -> str:
        """The id of the session, as every door prints and takes it."""
        return self.root.scoped(self.session.id)


class SearchResult(NamedTuple):
    """The hits of a query, best first; `method` is the one that was used.

    `unread` is how many days were not looked at, since the index was behind and time was short.
    `observed`: a conversation that is not saved yet may have the answer; a warning names it.
    """

    query: str
    method: str
    hits: tuple[Hit, ...]
    warnings: tuple[str, ...] = ()
    unread: int = 0
    observed: bool = False


def search_many(
    roots: Sequence[Root],
    queries: Iterable[Query],
    settings: Retrieval,
    today: date,
    progress: Progress | None = None,
    *,
    archived: bool = False,
    is_hurried: bool = False,
    goes_further: bool = True,
) -> Iterator[SearchResult]:
    """Yield the result of each query; the indexes are brought up to date before the first.

    With `archived`, the archives are searched as well, which are read for that. Who is in a hurry
    has an answer from the days that the index has and the newest. Where that is none, or a weak
    one, who `goes_further` has one from the archives too, and is told of conversations that are
    not saved yet.

    Raises:
        InvalidInputError: a number or the method of a query is none that there is.
        LockedError: a memory is encrypted, its key is not at hand, and the others have no answer.
    """
    kinds: list[Callable[[Root, Progress | None, bool], Opened]] = [Opened]
    if archived:
        from daily_memory.services.reading import archive_search  # hardly ever

        kinds.append(archive_search.OpenedArchive)
    opened: list[Opened] = []
    locked: dict[str, LockedError] = {}
    try:
        for kind in kinds:
            for root in roots:
                try:
                    opened.append(kind(root, progress, is_hurried))
                except LockedError as error:
                    # One locked memory of many does not keep the others from answering.
                    locked[root.path] = error
        for query in queries:
            checked = _checked(query, settings)
            found = _search(opened, checked, settings, today)
            if goes_further and _is_weak(found):
                found = _further(opened, checked, settings, today, progress, is_hurried=is_hurried)
            if locked and not found.hits:
                raise next(iter(locked.values()))
            told = (f"left out: {path!r}: {error.message}" for path, error in locked.items())
            yield found._replace(warnings=(*found.warnings, *told))
    finally:
        for one in opened:
            one.close()


def _further(
    opened: Sequence[Opened],
    query: Query,
    settings: Retrieval,
    today: date,
    progress: Progress | None,
    *,
    is_hurried: bool,
) -> SearchResult:
    """Return the result of a query with what the archives answer, and what is not saved yet."""
    roots = {one.root.path: one.root for one in opened}
    # In both of them most memories have nothing, and a search should not load what reads it.
    archives = [
        root
        for root in roots.values()
        if os.path.isdir(root.archive_folder) and len(opened) == len(roots)
    ]
    recorded = [root for root in roots.values() if os.path.isdir(root.observations_folder)]
    if not archives and not recorded:
        return _search(opened, query, settings, today)
    from daily_memory.services.reading import fallback  # as above

    period = querying.asked_period(query.text, query.now or today)
    likely = [
        fallback.LikelyArchive(root, progress, query, period, is_hurried=is_hurried)
        for root in archives
    ]
    found = _search([*opened, *likely], query, settings, today)
    told = fallback.observed(recorded, query, today)
    return found._replace(warnings=(*found.warnings, *told), observed=bool(told))


def _is_weak(found: SearchResult) -> bool:
    return max((hit.keyword for hit in found.hits), default=0.0) < ranking.INJECT_FLOOR


def _checked(query: Query, settings: Retrieval) -> Query:
    """Return the query with the settings where it says nothing."""
    if query.max_results < 0 or query.max_results > _MOST_RESULTS:
        raise InvalidInputError(f"k: {query.max_results} is not between 1 and {_MOST_RESULTS}")
    if query.days < 0:
        raise InvalidInputError(f"days: {query.days} is less than 1")
    check_period(query.since, query.until)
    method = query.method or settings.method
    if method not in METHODS:
        raise InvalidInputError(f"method: {method!r} is not one of {', '.join(METHODS)}")
    return query._replace(
        max_results=query.max_results or settings.max_results,
        # Whoever names a first day means it, whatever the settings are for other times.
        days=query.days or (0 if query.since else settings.search_scope_days),
        method=method,
    )


def _search(
    opened: Sequence[Opened], query: Query, settings: Retrieval, today: date
) -> SearchResult:
    now = query.now or today
    period = querying.asked_period(query.text, now)
    # Where nothing is of those days, the day may stand in the text of others.
    hits = [hit for one in opened for hit in one.search(query, settings, now, period)] or (
        [hit for one in opened for hit in one.search(query, settings, now)] if period else []
    )
    # Ties: the newer first, then by id; roots come in their own order.
    hits.sort(
        key=lambda hit: (
            -hit.score,
            -hit.session.date.toordinal(),
            hit.session.number,
            hit.session.copy,
        )
    )
    if period and period.first == date.min:
        # "Last time" is the last of them, and who is told of them may have no room for all.
        hits.sort(key=lambda hit: (hit.session.date, hit.session.number), reverse=True)
    warnings = [warning for one in opened for warning in one.warnings]
    left_out = sum(one.of_period for one in opened) - query.max_results
    # "Last time" is no number of days that anybody would want to see all of.
    if period and left_out > 0 and period.first > date.min:
        warnings.append(_cut_warning(left_out, period))
    if query.method == "semantic":
        warnings.append("there is no search by meaning in this version: keywords were used")
    return SearchResult(
        query.text,
        "keyword",
        tuple(hits[: query.max_results]),
        tuple(dict.fromkeys(warnings)),
        sum(len(one.unread) for one in opened),
    )


def _cut_warning(count: int, period: Period) -> str:
    days = f"--since {period.first} --until {period.last}"
    return f"{counted(count, 'more session')} of these days; `memory list {days}` shows all"


class _MovedError(ConflictError):
    """A file changed after it was indexed."""


class Opened:
    """A root with its index open, for the queries of one call."""

    def __init__(self, root: Root, progress: Progress | None, is_hurried: bool = False) -> None:
        self.root = root
        self._progress = progress
        self._most_bytes = refresh.HURRY_BYTES if is_hurried else 0
        self._at_a_glance = is_hurried
        self._stamps: Mapping[str, Stamp] = {}
        # The days that there was no time for.
        self.unread: frozenset[int] = frozenset()
        self._index, self.warnings = self._refreshed()
        self._data: dict[int, bytes] = {}
        # How many sessions are of the days that the last query named.
        self.of_period = 0

    def close(self) -> None:
        self._index.close()

    def search(
        self, query: Query, settings: Retrieval, now: date, period: Period | None = None
    ) -> list[Hit]:
        """Return what answers a query, or with a period the sessions of these days."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._search(query, settings, now, period)
            except _MovedError:
                self._reopen()
            except DamagedDataError:
                # Seen only where the damage lies: the files have it all.
                refresh.discard(self.root)
                self._reopen()
        return self._search(query, settings, now, period)

    def _reopen(self) -> None:
        self.close()
        self._data.clear()
        self._at_a_glance = False
        self._index, self.warnings = self._refreshed()

    def _refreshed(self) -> tuple[Index, tuple[str, ...]]:
        """Return an index that is true to the files, and what had to be said about it."""
        fresh = refresh.refresh(
            self.root,
            self._progress,
            most_bytes=self._most_bytes,
            at_a_glance=self._at_a_glance,
        )
        self.unread, self._stamps = fresh.unread, fresh.stamps
        return fresh.lookup, fresh.warnings

    def _search(
        self, query: Query, settings: Retrieval, now: date, period: Period | None
    ) -> list[Hit]:
        if period:
            return self._listed(query, now, period)
        lookup = self._index
        decay = Decay(settings.time_decay_rate, settings.time_decay_floor)
        prepared = querying.prepare(query.text, lookup, now)
        keys = ranking.candidates(
            prepared,
            lookup,
            now,
            decay=decay,
            important=lookup.important_keys(),
            allowed=lookup.matching_keys(self._filters(query, now)),
        )
        places = [place for place in lookup.places(keys) if place.day not in self.unread]
        sections = {section.session.id: section for section in map(self._section, places)}
        sessions = [section.session for section in sections.values()]
        ranked = ranking.rank(prepared, sessions, now, decay=decay)
        relevant = ranking.relevant(ranked)
        return [
            self._hit(prepared, one, sections[one.session.id])
            for one in relevant[: query.max_results]
        ]

    def _listed(self, query: Query, now: date, period: Period) -> list[Hit]:
        """Return the newest sessions of these days: each is all that was asked for."""
        lookup, filters = self._index, self._filters(query, now)
        last = period.last.toordinal()
        narrowed = filters._replace(
            first_day=max(filters.first_day, period.first.toordinal()),
            last_day=min(filters.last_day or last, last),
        )
        matching = lookup.matching_keys(narrowed) or ()
        keys = [key for key in matching if lookup.days[key] not in self.unread]
        self.of_period = len(keys)
        newest = nlargest(query.max_results, keys, key=lambda key: (lookup.days[key], key))
        return [
            Hit(
                section.session,
                self.root,
                days.day_path(self.root, section.session.date),
                section.span,
                score=1.0,
                keyword=1.0,
                decay=1.0,
                snippet=snippet(section.session, (), _SNIPPET_CHARS),
                matched=(),
                explanation=(f"of {section.session.date}, and nothing else was asked for",),
            )
            for section in map(self._section, lookup.places(newest))
        ]

    def _hit(self, prepared: querying.Query, ranked: Ranked, section: Section) -> Hit:
        terms = [prepared.terms[place] for place in ranked.match.terms]
        words = [word for term in terms for word in (term.word, term.term)]
        return Hit(
            ranked.session,
            self.root,
            days.day_path(self.root, ranked.session.date),
            section.span,
            ranked.score,
            ranked.keyword,
            ranked.decay,
            snippet(ranked.session, words, _SNIPPET_CHARS),
            ranking.matched(ranked, prepared),
            ranking.explain(ranked, prepared),
        )

    def _filters(self, query: Query, now: date) -> Filters:
        since, until = query.since or date.min, query.until or date.max
        if query.days:
            since = max(since, days_before(now, query.days - 1))
        if query.now:
            until = min(until, query.now)
        return Filters(
            0 if since == date.min else since.toordinal(),
            0 if until == date.max else until.toordinal(),
            query.tags,
            # Sessions of a project's own root need not name it.
            () if self.root.project == query.project else query.names,
        )

    def _section(self, place: Place) -> Section:
        """Return the section that stands at a place, read from its file."""
        data = self._data.get(place.day)
        day = date.fromordinal(place.day)
        if data is None:
            data = self._data[place.day] = self._load_data(day)
        section = days.section_at(data, day, place.span)
        if section is None or section.session.number != place.number:
            raise _MovedError("a day file keeps changing", hint="run the command again")
        session = section.session
        session = session._replace(
            copy=place.copy, project=place.project, origin=place.origin or session.origin
        )
        return section._replace(session=session)

    def _load_data(self, day: date) -> bytes:
        path = days.day_path(self.root, day)
        stamp = self._stamps.get(os.path.basename(path))
        if stamp and files.stamp(path) != stamp:
            raise _MovedError("a day file changed unseen", hint="run the command again")
        return days.load_data(self.root, day)


# ---------------------------------------------------------------------------- for every door


def result_as_json(result: SearchResult, *, explain: bool = False) -> dict[str, object]:
    """Return a result as the JSON object that every door gives."""
    return {
        "query": result.query,
        "method": result.method,
        "count": len(result.hits),
        "results": [_hit_as_json(hit, explain=explain) for hit in result.hits],
        "warnings": list(result.warnings),
    }


def _hit_as_json(hit: Hit, *, explain: bool) -> dict[str, object]:
    session = hit.session
    answer: dict[str, object] = {
        "id": hit.id,
        "date": session.date.isoformat(),
        "session": session.number,
        "time": session.time,
        "topic": session.topic,
        "tags": list(session.tags),
        "project": session.project or hit.root.project or None,
        "scope": hit.root.scope,
        "score": round(hit.score, 4),
        "scores": {
            "keyword": round(hit.keyword, 4),
            "semantic": None,
            "decay": round(hit.decay, 4),
        },
        "snippet": hit.snippet,
        "matched": list(hit.matched),
        "important": session.is_important,
        "outdated": session.is_outdated,
        "conversation": session.conversation or None,
        "origin": session.origin or None,
        "path": f"daily/{session.date.isoformat()}.md",
        "line_range": list(hit.span),
    }
    if hit.archived:
        from daily_memory.storage import archive_files  # as above

        answer |= {"path": archive_files.relative_path(session.date), "archived": True}
    return {**answer, "explanation": list(hit.explanation)} if explain else answer
