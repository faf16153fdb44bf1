"""A root as a source of search results: its index gives candidates, and their text is scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice

from daily_memory.core.search import query as querying
from daily_memory.core.search import ranking, text
from daily_memory.core.search.matching import SessionWords, session_words
from daily_memory.core.search.ranking import CANDIDATES, Decay, RankedSession
from daily_memory.core.search.snippet import snippet
from daily_memory.core.settings import Retrieval
from daily_memory.errors import ConflictError, DamagedDataError
from daily_memory.model import Section, Session, SessionId, Span, days_before
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days
from daily_memory.storage.fs import files
from daily_memory.storage.fs.file_cache import FileCache
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.sqlite import ReadError
from daily_memory.storage.index import refresh
from daily_memory.storage.index.lookup import Filters, Place
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from daily_memory.core.search.dates import Period
    from daily_memory.core.search.fusion import Blended
    from daily_memory.core.search.postings import Postings
    from daily_memory.core.search.translation import TranslatedScorer
    from daily_memory.services.reading.meaning import Meaning, Near

    class Index(Postings, Protocol):
        """What a search needs from an index; sessions are known by keys."""

        def important_keys(self) -> frozenset[int]: ...

        def matching_keys(self, filters: Filters) -> frozenset[int] | None:
            """Return the sessions that pass the filters; None if all do."""
            ...

        def places(self, keys: Sequence[int]) -> list[Place]:
            """Return where these sessions are, in the order of the keys."""
            ...

        def keys_at(self, day: int, number: int) -> list[tuple[int, bytes]]:
            """Return the keys and digests of the sessions with this number."""
            ...

        def digests_of(self, keys: Sequence[int]) -> dict[int, bytes]:
            """Return the digests of these sessions by key."""
            ...

        def close(self) -> None: ...


_SNIPPET_CHARS = 160
# Sections that are kept in memory, for servers.
_KEPT = FileCache(4_000)
# How often to retry if a file changes after it was indexed.
_ATTEMPTS = 3


class Query(NamedTuple):
    """A question with its filters; zero and empty values mean the settings.

    `conversation` is the one that asks: its own sessions are no answers.
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
    conversation: str = ""

    def is_of(self, root: Root, project: str) -> bool:
        """Tell whether a session of a root, with this project, passes the filter."""
        return not self.project or root.project == self.project or project in self.names

    def is_own(self, session: Session) -> bool:
        """Tell whether a session belongs to the asking conversation."""
        return bool(self.conversation) and session.conversation == self.conversation

    @property
    def names(self) -> tuple[str, ...]:
        """All names of the project; empty for any project."""
        return (self.project, *self.former) if self.project else ()


class Hit(NamedTuple):
    """A search result: the session, where it is, and its scores from 0 to 1.

    `terms` are all terms of the search: the words of the question and their substitutes.
    `found_terms` are the ones that it has, weighed against the number of `texts`. `relevance` is
    the score without the age; floors apply to it. `is_recorded`: the match was in the record of its
    conversation. A conversation without a section has the id of its best `record`; `is_over`: it
    has ended.
    """

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
    terms: tuple[str, ...] = ()
    translated: bool = False
    relevance: float = 1.0
    found_terms: tuple[querying.Term, ...] = ()
    texts: int = 0
    # None without search by meaning.
    semantic: float | None = None
    record: str = ""
    is_over: bool = True
    is_recorded: bool = False

    @property
    def id(self) -> str:
        """The id of the session, or of a record, with the label of its root."""
        return self.record or self.root.scoped(self.session.id)


class _WeighedQuestion(NamedTuple):
    """A question weighed against a memory, and its translation if the memory needs one."""

    query: querying.ParsedQuery
    translated: TranslatedScorer | None

    def ranked(
        self, read: Iterable[ReadSection], now: date, decay: Decay, *, needs_words: bool = True
    ) -> list[RankedSession]:
        return ranking.rank(
            self.query,
            ((each.section.session, each.words) for each in read),
            now,
            decay=decay,
            needs_words=needs_words,
            translated=self.translated,
        )

    def query_of(self, ranked: RankedSession) -> querying.ParsedQuery:
        """Return the question that a session matched: the original, or its translation."""
        return self.translated.query if self.translated and ranked.translated else self.query


class ReadSection(NamedTuple):
    """A section with its words."""

    section: Section
    words: SessionWords


class _MovedError(ConflictError):
    """A file changed after it was indexed."""


class RootSource:
    """The day files of a root with their index open, for the queries of one call."""

    is_archived = False
    # Whether unknown words are corrected as typos.
    _corrects = True

    def __init__(
        self, root: Root, is_hurried: bool = False, meaning: Meaning | None = None
    ) -> None:
        self.root = root
        self._meaning = meaning
        self._is_hurried = is_hurried
        self._at_a_glance = is_hurried
        self._stamps: Mapping[str, Stamp] = {}
        # The days that a hurried search did not index.
        self.unread: frozenset[int] = frozenset()
        self._is_last = False  # no other attempt follows
        # How many sessions are in the period of the last query.
        self.of_period = 0
        self._index, self._index_warnings = self._opened()
        self.warnings = self._index_warnings

    def close(self) -> None:
        self._index.close()

    def search(
        self, query: Query, settings: Retrieval, now: date, period: Period | None = None
    ) -> list[Hit]:
        """Return the sessions that answer a query, or with a period those of its days."""
        decay = Decay(settings.time_decay_rate, settings.time_decay_floor)
        for left in reversed(range(_ATTEMPTS)):
            self._is_last = not left
            try:
                if period:
                    return self._listed(query, now, period)
                near = self._near(query)
                asked, read = self._candidates(query, settings, now, decay, near)
                break
            except (_MovedError, DamagedDataError, ReadError) as error:
                if not left:
                    raise
                self._reopen(error)
        sections = {each.section.session.id: each.section for each in read}
        if near:
            everything = asked.ranked(read, now, decay, needs_words=False)
            blended = near.blended(asked.query, everything, settings, query.method)
            return [
                self._blended(asked.query_of(each.ranked), each, sections[each.ranked.session.id])
                for each in blended[: query.max_results]
            ]
        ranked = ranking.relevant(asked.ranked(read, now, decay))
        return [
            self._answer(asked.query_of(scored), scored, sections[scored.session.id])
            for scored in ranked[: query.max_results]
        ]

    def _reopen(self, error: _MovedError | DamagedDataError | ReadError) -> None:
        if isinstance(error, DamagedDataError):
            from daily_memory.storage.index import indexer  # rarely needed

            indexer.discard(self.root)  # it is built again from the files
        self.close()
        self._at_a_glance = False
        self._index, self._index_warnings = self._opened()
        self.warnings = self._index_warnings

    def _opened(self) -> tuple[Index, tuple[str, ...]]:
        """Return an up-to-date index, and warnings about it."""
        fresh = refresh.refresh(
            self.root,
            most_bytes=refresh.HURRY_BYTES if self._is_hurried else 0,
            at_a_glance=self._at_a_glance,
        )
        self.unread, self._stamps = fresh.unread, fresh.stamps
        return fresh.lookup, fresh.warnings

    def _path(self, day: date) -> str:
        return days.day_path(self.root, day)

    def _near(self, query: Query) -> Near | None:
        """Return how close sessions are in meaning, None to search by words only."""
        if self._meaning is None or query.method == "keyword":
            return None
        near = self._meaning.near(self.root, query.text)
        told = list(self._meaning.warnings)
        left = self._index.count - near.covered(is_archived=self.is_archived) if near else 0
        if left > 0:
            told.append(filled("{} not embedded yet: `memory embed`", counted(left, "session")))
        self.warnings = (*self._index_warnings, *told)
        return near

    def _candidates(
        self, query: Query, settings: Retrieval, now: date, decay: Decay, near: Near | None
    ) -> tuple[_WeighedQuestion, list[ReadSection]]:
        lookup = self._index
        prepared = querying.prepare(query.text, lookup, now, corrects=self._corrects)
        allowed = lookup.matching_keys(self._filters(query, now))
        translated = self._translated(query.text, settings.translation_weight)
        keys = ranking.candidates(
            prepared,
            lookup,
            now,
            decay=decay,
            important=lookup.important_keys(),
            allowed=allowed,
            translated=translated,
        )
        if near:
            keys = near.with_closest(keys, lookup, allowed)
        places = [place for place in lookup.places(keys) if place.day not in self.unread]
        return _WeighedQuestion(prepared, translated), list(map(self._read, places))

    def _translated(self, question: str, weight: float) -> TranslatedScorer | None:
        """Return the question in the other language, None if the memory has no text in it."""
        is_chinese = not text.is_mainly_chinese(question)
        if not weight or not self._index.has_language(is_chinese=is_chinese):
            return None
        # Loaded here: most memories are in one language.
        from daily_memory.core.search import translation
        from daily_memory.storage import dictionary

        dictionaries = dictionary.installed()
        reading = translation.read(question, self._index, dictionaries, weight=weight)
        return translation.TranslatedScorer(reading) if reading.query.terms else None

    def _listed(self, query: Query, now: date, period: Period) -> list[Hit]:
        """Return the newest sessions of a period; the question has no other words."""
        lookup, filters = self._index, self._filters(query, now)
        last = period.last.toordinal()
        narrowed = filters._replace(
            first_day=max(filters.first_day, period.first.toordinal()),
            last_day=min(filters.last_day or last, last),
        )
        matching = lookup.matching_keys(narrowed) or ()
        keys = [key for key in matching if lookup.days[key] not in self.unread]
        keys.sort(key=lambda key: (lookup.days[key], key), reverse=True)
        self.of_period = 0 if period.is_open else len(keys)
        return [
            Hit(
                session,
                self.root,
                self._path(session.date),
                span,
                score=1.0,
                keyword=1.0,
                decay=1.0,
                snippet=snippet(session, _ends(session) if period.is_open else (), _SNIPPET_CHARS),
                matched=(),
                explanation=(filled("of {}, and nothing else was asked for", session.date),),
                archived=self.is_archived,
            )
            for session, span in islice(self._of_period(keys, period), query.max_results)
        ]

    def _of_period(self, keys: Sequence[int], period: Period) -> Iterator[Section]:
        """Yield the sessions with these keys, or only those with open items if asked for."""
        for start in range(0, len(keys), CANDIDATES):
            for place in self._index.places(keys[start : start + CANDIDATES]):
                section = self._read(place).section
                if not period.is_open or _ends(section.session):
                    yield section

    def _answer(
        self, prepared: querying.ParsedQuery, ranked: RankedSession, section: Section
    ) -> Hit:
        places = ranked.match.terms
        session, span = section
        return Hit(
            session,
            self.root,
            self._path(session.date),
            span,
            score=ranked.score,
            keyword=ranked.keyword,
            decay=ranked.decay,
            snippet=snippet(session, ranking.found_words(places, prepared), _SNIPPET_CHARS),
            matched=ranking.matched(places, prepared),
            explanation=ranking.explain(ranked, prepared),
            archived=self.is_archived,
            terms=tuple([term.term for term in prepared.terms]),
            translated=bool(ranked.translated),
            relevance=ranked.relevance,
            found_terms=tuple([prepared.terms[place] for place in places]),
            texts=prepared.texts,
        )

    def _blended(self, prepared: querying.ParsedQuery, each: Blended, section: Section) -> Hit:
        from daily_memory.core.search import fusion  # with the vectors

        words = self._answer(prepared, each.ranked, section)
        return words._replace(
            score=each.score,
            semantic=each.semantic,
            relevance=each.blend,
            explanation=(*words.explanation, fusion.explain(each)),
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
            # Sessions in a project's own root need not name it.
            () if self.root.project == query.project else query.names,
        )

    def _read(self, place: Place) -> ReadSection:
        """Return the section at a place, read from its file."""
        day = date.fromordinal(place.day)
        path = self._path(day)
        stamp = files.stamp(path)

        def read() -> ReadSection | None:
            section = days.section_at(path, day, place.span, place.start, place.stop)
            return ReadSection(section, session_words(section.session)) if section else None

        is_indexed = stamp == self._stamps.get(os.path.basename(path), stamp)
        part = place.span
        held = _KEPT.get(self.root.modes, path, stamp, read, part=part) if is_indexed else None
        is_there = held and held.section.session.number == place.number
        if not is_there and self._is_last:
            # Something keeps saving the day: take the section as it is now.
            section = days.find_section(self.root, SessionId(day, place.number, place.copy))
            held = ReadSection(section, session_words(section.session)) if section else None
        if not (held and (is_there or self._is_last)):
            raise _MovedError("a day file keeps changing", hint="run the command again")
        session = held.section.session
        known = session.copy, session.project, session.origin
        named = place.copy, place.project, place.origin or session.origin
        if known == named:
            return held
        copy, project, origin = named
        session = session._replace(copy=copy, project=project, origin=origin)
        return held._replace(section=held.section._replace(session=session))


def _ends(session: Session) -> tuple[str, ...]:
    return (*session.open_questions, *session.next_steps)
