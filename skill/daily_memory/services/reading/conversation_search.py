"""Recorded conversations as a source of search results, for questions that no section answers.

Records have no index: the newest are read, up to a size limit. The passages that share most words
with the question are scored as sections are.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from heapq import nlargest
from math import sqrt

from daily_memory.core import recall
from daily_memory.core.format.session_json import parse_id
from daily_memory.core.search import prefilter, ranking, text
from daily_memory.core.search.matching import session_words
from daily_memory.core.search.prefilter import RawTexts
from daily_memory.core.settings import Retrieval
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import Section, Session, Span
from daily_memory.named_tuples import NamedTuple
from daily_memory.services.reading import conversation_steps
from daily_memory.services.reading.root_search import Hit, Query, ReadSection, RootSource
from daily_memory.storage import days, observations
from daily_memory.storage.fs import files
from daily_memory.storage.index.lookup import Place
from daily_memory.storage.index.plain_lookup import PlainLookup
from daily_memory.storage.observations import LiveSession
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.dates import Period
    from daily_memory.core.search.translation import Dictionary

    Dictionaries = Callable[[], Sequence[Dictionary]]

# How much is read: months of work; in a hook, weeks.
_MOST_BYTES = 4_000_000
_HURRY_BYTES = 300_000
# How many conversations are scored, and how many passages of each, with their neighbours.
_MOST_CONVERSATIONS = 5
_MOST_PLACES = 4
# Conversations with a smaller share of the best one's words are left out.
_LEAST_SHARE = 0.5
_NO_SPAN = Span(0, 0)


class _Passage(NamedTuple):
    """A passage of a conversation as a session, the topic of the conversation, and its record."""

    said: Session
    topic: str
    record: str
    live: LiveSession
    section: str  # the id of what it was saved as, "" for none


class ConversationSource(RootSource):
    """The conversations of a root whose records share most words with a question."""

    # A few passages lack most words: correcting these takes longer than reading the records.
    _corrects = False

    def __init__(
        self, root: Root, query: Query, dictionaries: Dictionaries, *, is_hurried: bool
    ) -> None:
        self._places: list[_Passage] = []

        def shares(raw: RawTexts) -> list[float]:
            return prefilter.likely(query.text, raw, dictionaries)

        newest = list(_newest(root, query.conversation, is_hurried=is_hurried))
        self._records = RawTexts(days.decode(data) for _, data in newest)
        of_files = shares(self._records)
        best = nlargest(_MOST_CONVERSATIONS, zip(of_files, range(len(newest)), strict=True))
        for share, at in best:
            if share > _LEAST_SHARE * best[0][0]:
                self._places += _read(root, *newest[at], shares, number=len(self._places) + 1)
        super().__init__(root)

    def search(
        self, query: Query, settings: Retrieval, now: date, period: Period | None = None
    ) -> list[Hit]:
        """Return the conversations that answer a query, as their sections if they have any."""
        if period or not self._places:
            return []
        # The best places may be of one conversation.
        every = query._replace(max_results=_MOST_CONVERSATIONS * _MOST_PLACES)
        best: dict[str, Hit] = {}
        for hit in super().search(every, settings, now):
            best.setdefault(hit.session.conversation, hit)
        places = {place.said.id: place for place in self._places}
        return [each for hit in best.values() for each in self._saved(hit, places[hit.session.id])]

    def weighed(self, hit: Hit) -> Hit:
        """Return a hit with less relevance the more records have its words by accident.

        The right one is one of 1 + `others`. Sections are short: a word that few of them have may
        be in every record. A hit by meaning doesn't rest on its words.
        """
        if hit.semantic is not None:
            return hit
        known = self._records.frequencies(term.term for term in hit.found_terms)
        terms = [term._replace(frequency=known.get(term.term, 0)) for term in hit.found_terms]
        others = ranking.by_accident(terms, self._records.count)
        return hit._replace(relevance=hit.relevance / sqrt(1 + others))

    def _saved(self, hit: Hit, place: _Passage) -> Iterator[Hit]:
        """Yield a hit as the section of its conversation, unless that is deleted or private."""
        if not place.section:
            is_over = bool(place.live.ended or place.live.skipped)
            session = hit.session._replace(topic=place.topic)
            unsaved = hit._replace(session=session, record=place.record, is_over=is_over)
            yield unsaved._replace(is_recorded=True)
            return
        explanation = (*hit.explanation, "in what was said")
        for section, path, is_archived in _sections(self.root, place):
            session, span = section
            # Otherwise the user deleted the section, or made it private.
            if session.conversation == place.live.conversation and not session.is_private:
                hit = hit._replace(session=session, span=span, explanation=explanation)
                yield hit._replace(path=path, archived=is_archived, is_recorded=True)

    def _opened(self) -> tuple[PlainLookup, tuple[str, ...]]:
        return PlainLookup([Section(place.said, _NO_SPAN) for place in self._places]), ()

    def _read(self, place: Place) -> ReadSection:
        said = self._places[place.key].said
        return ReadSection(Section(said, _NO_SPAN), session_words(said))


def _newest(root: Root, own: str, *, is_hurried: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and bytes of records, the newest days first, up to the size limit."""
    left = _HURRY_BYTES if is_hurried else _MOST_BYTES
    name = observations.file_name(own) if own else ""
    for path, file, load in _records(root, is_archive_read=not is_hurried):
        size = files.stamp(file)[0]
        # One long conversation leaves room for the others.
        if size <= left and os.path.basename(path) != name:
            left -= size
            with contextlib.suppress(DailyMemoryError):  # `memory doctor` reports it
                yield path, load(file)
        if left <= 0:
            return


def _records(
    root: Root, *, is_archive_read: bool
) -> Iterator[tuple[str, str, Callable[[str], bytes]]]:
    """Yield the path of each record, its file, and the function that reads it; newest first."""
    for day in reversed(observations.list_days(root)):
        yield from ((path, path, files.read_bytes) for path in observations.list_paths(root, day))
    if is_archive_read and os.path.isdir(root.archive_folder):
        from daily_memory.storage import archive_files  # most memories have no archive

        for packed, path in reversed(archive_files.list_observed(root)):
            yield path, packed, archive_files.load_observed


def _read(
    root: Root, path: str, data: bytes, shares: Callable[[RawTexts], list[float]], number: int
) -> Iterator[_Passage]:
    """Yield the passages that share most words with a question, numbered from `number`."""
    from daily_memory.core.search import keywords  # 1 % of a hook, and few records answer

    live = observations.parse(path, data)
    if live.private or live.refused or not live.began:
        return
    passages = [
        (step, part)
        for step in conversation_steps.steps_of(root, live)
        for part in recall.split_passages(step.text)
    ]
    parts = [part for _, part in passages]
    best = nlargest(_MOST_PLACES, zip(shares(RawTexts(parts)), range(len(parts)), strict=True))
    first = Session(
        date.fromisoformat(live.began[: len("2026-01-29")]),
        key_points=tuple(parts[:1]),
        conversation=live.conversation,
        project=live.project,
    )
    topic = keywords.suggest_topic(first)
    ids = observations.digested_ids(data)
    for copy, (share, at) in enumerate(best, number):
        if share:
            # Beside Chinese, English would be taken for Chinese, and found by no translation.
            is_chinese = text.is_mainly_chinese(parts[at])
            near = parts[max(0, at - 1) : at + 2]
            alike = tuple(part for part in near if text.is_mainly_chinese(part) == is_chinese)
            said = first._replace(key_points=alike, copy=copy)
            yield _Passage(said, topic, passages[at][0].item.id, live, ids[-1] if ids else "")


def _sections(root: Root, place: _Passage) -> Iterator[tuple[Section, str, bool]]:
    """Yield the section that a passage was saved in, its file, and whether it is archived."""
    try:
        wanted = parse_id(place.section)
    except InvalidInputError:  # a damaged line: its section is unknown
        return
    section = days.find_section(root, wanted)
    if section:
        yield section, days.day_path(root, wanted.date), False
    elif os.path.isdir(root.archive_folder):
        from daily_memory.storage import archive_files  # as above

        section = archive_files.find_section(root, wanted)
        if section:
            yield section, archive_files.day_path(root, wanted.date), True
