"""Search: the best hits of the sources, merged, with the warnings about them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from daily_memory.core.search import query as querying
from daily_memory.core.search import ranking
from daily_memory.core.search.earlier import is_about_earlier
from daily_memory.core.settings import Retrieval
from daily_memory.errors import InvalidInputError, LockedError
from daily_memory.model import check_period
from daily_memory.named_tuples import NamedTuple
from daily_memory.services.reading.root_search import Hit, Query, RootSource
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.dates import Period
    from daily_memory.core.search.translation import Dictionary
    from daily_memory.services.reading.conversation_search import ConversationSource
    from daily_memory.services.reading.meaning import Meaning

METHODS = ("keyword", "semantic", "hybrid")
_MOST_RESULTS = 100
# The share of the second score that is added if a session matches in two ways.
_SECOND_SHARE = 0.25
# From this relevance on a section answers a question; below it, records are searched too.
_ANSWERED = 0.25
_IS_OFF = (
    "search by meaning is off, keywords were used:"
    " `memory config set --global semantic.enabled true`"
)
_UNSAVED = (
    "a conversation that is not saved may have the answer ({}): `memory search --observations`"
    " searches it, `memory timeline ID` shows it"
)


class SearchResult(NamedTuple):
    """The hits of a query, best first; `method` is the method used.

    `unread` counts days that a hurried search did not index. `unsaved` are conversations without a
    section that may have the answer; a warning names them.
    """

    query: str
    method: str
    hits: tuple[Hit, ...]
    warnings: tuple[str, ...] = ()
    unread: int = 0
    unsaved: tuple[Hit, ...] = ()


def search_many(
    roots: Sequence[Root],
    queries: Iterable[Query],
    settings: Retrieval,
    today: date,
    *,
    archived: bool = False,
    is_hurried: bool = False,
    goes_further: bool = True,
    meaning: Meaning | None = None,
) -> Iterator[SearchResult]:
    """Yield the result of each query; the indexes are brought up to date before the first.

    `archived` searches the archives too. A hurried search only uses indexed and the newest days.
    With `goes_further`, recorded conversations are searched if there is no good answer, and the
    archives if there is none; a warning names an unsaved conversation that answers best. `meaning`
    searches the vectors of sessions too.
    """
    sources: list[RootSource] = []
    locked: dict[str, LockedError] = {}
    try:
        for root in roots:
            try:
                sources.append(RootSource(root, is_hurried, meaning))
            except LockedError as error:
                # The other memories can still answer.
                locked[root.path] = error
        if archived:
            from daily_memory.services.reading import archive_search  # rarely needed

            sources += [archive_search.ArchiveSource(root, meaning=meaning) for root in roots]
        for query in queries:
            checked = _checked(query, settings)
            now = checked.now or today
            period = querying.asked_period(checked.text, now)
            hits = _hits(sources, checked, settings, now, period)
            asked = sources
            best = max((hit.relevance for hit in hits), default=0.0)
            if goes_further and best < _ANSWERED:
                has_some = best >= ranking.INJECT_FLOOR
                # Beside a fair answer, only search the newest records.
                further = _Further(
                    checked, period, settings.translation_weight > 0, is_hurried or has_some
                )
                others = [] if archived or has_some else _likely_archives(sources, further)
                records = _conversations(sources, further)
                others += records
                hits += _hits(others, checked, settings, now, period)
                for record in records:
                    hits = [record.weighed(hit) if hit.root == record.root else hit for hit in hits]
                asked = [*sources, *others]
            result = _result(asked, hits, checked, period)
            if checked.method == "semantic" and meaning is None:
                result = result._replace(warnings=(*result.warnings, _IS_OFF))
            if locked and not result.hits:
                raise next(iter(locked.values()))
            left_out = (
                filled("left out: {!r}: {}", path, error.message) for path, error in locked.items()
            )
            yield result._replace(warnings=(*result.warnings, *left_out))
    finally:
        for source in sources:
            source.close()


class _Further(NamedTuple):
    """A question without a good answer in the index."""

    query: Query
    period: Period | None
    is_translated: bool
    is_hurried: bool

    def dictionaries(self) -> tuple[Dictionary, ...]:
        """Return the dictionaries for the other language."""
        from daily_memory.storage import dictionary  # not for memories in one language

        if not self.is_translated:
            return ()
        # A hook has no time for a large dictionary.
        return dictionary.installed()[: 1 if self.is_hurried else None]


def _likely_archives(sources: Sequence[RootSource], further: _Further) -> list[RootSource]:
    """Return the archives that may have an answer."""
    roots = [source.root for source in sources if os.path.isdir(source.root.archive_folder)]
    # In a hook, only prompts about the past wait for the archive.
    if not roots or (further.is_hurried and not is_about_earlier(further.query.text)):
        return []
    from daily_memory.services.reading import archive_search  # most memories have no archive

    query, period, _, is_hurried = further
    return [
        archive_search.likely(
            root, query, period, is_hurried=is_hurried, dictionaries=further.dictionaries
        )
        for root in roots
    ]


def _conversations(sources: Sequence[RootSource], further: _Further) -> list[ConversationSource]:
    """Return the recorded conversations of the roots that have any."""
    every = {source.root.path: source.root for source in sources}
    roots = [root for root in every.values() if os.path.isdir(root.observations_folder)]
    query = further.query
    # Only saved sections have tags and times.
    if not roots or query.now or query.until or query.tags:
        return []
    # If the sections answer, nothing else is read.
    from daily_memory.services.reading import conversation_search

    return [
        conversation_search.ConversationSource(
            root, query, further.dictionaries, is_hurried=further.is_hurried
        )
        for root in roots
    ]


def _checked(query: Query, settings: Retrieval) -> Query:
    """Return the query with the settings filled in."""
    if query.max_results < 0 or query.max_results > _MOST_RESULTS:
        raise InvalidInputError(
            "{}: {} is not between {} and {}", "k", query.max_results, 1, _MOST_RESULTS
        )
    if query.days < 0:
        raise InvalidInputError("{}: {} is less than {}", "days", query.days, 1)
    check_period(query.since, query.until)
    method = query.method or settings.method
    if method not in METHODS:
        raise InvalidInputError("method: {!r} is not one of {}", method, ", ".join(METHODS))
    return query._replace(
        max_results=query.max_results or settings.max_results,
        # The query's first day takes precedence over the setting.
        days=query.days or (0 if query.since else settings.search_scope_days),
        method=method,
    )


def _hits(
    sources: Sequence[RootSource],
    query: Query,
    settings: Retrieval,
    now: date,
    period: Period | None,
) -> list[Hit]:
    return [hit for source in sources for hit in source.search(query, settings, now, period)]


def _result(
    sources: Sequence[RootSource], every: Sequence[Hit], query: Query, period: Period | None
) -> SearchResult:
    """Return the best hits of these sources, with warnings."""
    # A session may match by its section and by the record of its conversation.
    best: dict[str, Hit] = {}
    for hit in sorted(every, key=lambda hit: -hit.score):
        first = best.setdefault(hit.id, hit)
        if first is not hit:
            best[hit.id] = first._replace(score=min(1.0, first.score + _SECOND_SHARE * hit.score))
    # Ties: the newer first, then by id; roots come in their own order.
    every = sorted(best.values(), key=lambda hit: ranking.order(hit.score, hit.session))
    unsaved = tuple(hit for hit in every if hit.record)
    hits = [hit for hit in every if not hit.record]
    if period and period.first == date.min:
        # "Last time" means the newest, and the context block may not have room for all.
        hits.sort(key=lambda hit: (hit.session.date, hit.session.number), reverse=True)
    warnings = [warning for source in sources for warning in source.warnings]
    if period and not hits:
        warnings.append(_nothing(period))
    if unsaved and every[0].record:
        warnings.append(filled(_UNSAVED, ", ".join(hit.id for hit in unsaved)))
    left_out = sum(source.of_period for source in sources) - query.max_results
    # "Last time" names no days to list.
    if period and left_out > 0 and period.first > date.min:
        warnings.append(_cut_warning(left_out, period))
    method = query.method if any(hit.semantic is not None for hit in hits) else "keyword"
    return SearchResult(
        query.text,
        method,
        tuple(hits[: query.max_results]),
        tuple(dict.fromkeys(warnings)),
        sum(len(source.unread) for source in sources),
        unsaved,
    )


def _nothing(period: Period) -> str:
    if period.first == date.min:  # "last time" and "待办" name no days
        return "nothing was left open" if period.is_open else "nothing is stored"
    template = "nothing was left open on {}" if period.is_open else "nothing is stored on {}"
    return filled(template, period)


def _cut_warning(count: int, period: Period) -> str:
    days = f"--since {period.first} --until {period.last}"
    return filled(
        "{} of these days; `memory list {}` shows all", counted(count, "more session"), days
    )
