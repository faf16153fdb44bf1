"""The context block: the memories that a conversation receives."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import date
from math import inf

from daily_memory.core import context, recall
from daily_memory.core.context import ContextItem
from daily_memory.core.phrases.continuing import is_continuation
from daily_memory.core.recall import RecalledSession, ShownItem
from daily_memory.core.review import summary_region
from daily_memory.core.search import ranking
from daily_memory.core.search.earlier import is_about_earlier
from daily_memory.core.session_text import session_lines
from daily_memory.core.settings import Retrieval
from daily_memory.errors import InvalidInputError
from daily_memory.model import BY_HAND, IMPORTANT_TAGS, Session, day_after
from daily_memory.named_tuples import NamedTuple
from daily_memory.services.reading import conversation_steps, search, summary_text
from daily_memory.services.reading.root_search import Hit, Query
from daily_memory.services.reading.summary_text import SUMMARY
from daily_memory.storage import days
from daily_memory.storage.index import refresh
from daily_memory.storage.roots import Root

# With less, not even the markers and one line fit.
LEAST_CHARS = 500
_RECENT_DAYS = 14
_RECENT_SESSIONS = 10
_IMPORTANT_MARKS = tuple(tag.encode() for tag in IMPORTANT_TAGS)

# Room for a whole brief digest of the last conversation.
_LAST_CHARS = 2500

# Characters that continue a file name; a dot may also end a sentence.
_OF_NAMES = (*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/", ".")

# In how many sessions the words of a message may meet by accident. An order has words of everyday
# work, and asks for nothing. "git init" asks for nothing either, and the answer to "what files did
# you change?" is in the conversation. A dictionary has a translation for every word.
_NO_ACCIDENT = 1 / 64
_MOST_OF_STATEMENT = 1.0
_MOST_OF_POINTING = 2.0
_MOST_TRANSLATED = 1 / 16


class Injection(NamedTuple):
    """The context block, "" if nothing is relevant, and the ids in it.

    `marks` name the parts that were shown, for `known` of the next block.
    """

    text: str
    ids: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    unread: int = 0
    marks: tuple[str, ...] = ()


class _Sessions(NamedTuple):
    found: tuple[tuple[Root, Session], ...] = ()
    hits: tuple[Hit, ...] = ()  # of a question
    warnings: tuple[str, ...] = ()
    unread: int = 0
    is_recent: bool = False  # the first of them is the last conversation


def inject(
    roots: Sequence[Root],
    query: Query,
    settings: Retrieval,
    today: date,
    *,
    max_chars: int,
    known: frozenset[str] = frozenset(),
    resumed: str = "",
    own: str = "",
    folder: str = "",
    is_hurried: bool = False,
    meaning: Meaning | None = None,
    ask_team: Callable[[], Sequence[ContextItem]] = tuple,
) -> Injection:
    """Return the block: the summaries, then relevant sessions, or recent ones without a query.

    A query that only continues earlier work ("继续") gets recent sessions, and the summaries last.
    Left out are the ids `known` to the asking conversation, and its own sessions; sessions of the
    conversation `resumed` come first. Sessions of other roots than the one at `own` are shown with
    their project. Files named by sessions that are missing in `folder`, the project's, are marked.
    `is_hurried` does not wait for a large index. The answer of `ask_team` comes last.
    """
    if max_chars < LEAST_CHARS:
        raise InvalidInputError("{}: {} is less than {}", "max_chars", max_chars, LEAST_CHARS)

    summaries = [
        summary_text.summary(root, query.is_own)
        for root in roots
        if query.is_of(root, "") or not root.project
        if root.scoped(SUMMARY) not in known
    ]
    goes_on = is_continuation(query.text)
    if goes_on or not query.text.strip():
        last_day = query.now or today
        result = _recent(roots, query, last_day, resumed, is_hurried=is_hurried)
    else:
        result = _relevant(roots, query, settings, today, meaning, is_hurried=is_hurried)
    warnings = (*(warning for _, warning in summaries if warning), *result.warnings)
    standing = [item for item, _ in summaries if item.lines]
    # Like `secrets`, which takes longer to import than a search.
    nonce = os.urandom(12).hex()
    told = recall.shown_places(known)
    local = {hit.session.topic for hit in result.hits}
    others = [item for item in ask_team() if item.id not in told and item.title not in local]
    if result.hits:
        hits = [hit for hit in result.hits if not query.is_own(hit.session)]
        sources = [
            _source(
                hit,
                own,
                folder,
                is_known=bool(hit.record) or hit.id in told,
                is_whole=hit.id in known,
            )
            for hit in hits
        ]
        terms = tuple({term: None for hit in hits for term in hit.terms})
        free = context.free_chars([*standing, *others], nonce=nonce, max_chars=max_chars - 1)
        recalled = recall.pick_pieces(sources, query.text, terms, query.now or today, free, told)
    else:
        found = [
            _item(root, session, own, ends_first=result.is_recent and place == 0)
            for place, (root, session) in enumerate(result.found)
        ]
        sources = [
            RecalledSession(item, item.lines, (), 0.0, number=session.number)
            for item, (_, session) in zip(found, result.found, strict=True)
        ]
        # A summary that comes last may not fit.
        first_shown = [] if goes_on or resumed else standing
        held = context.format_context(first_shown, nonce=nonce, max_chars=max_chars - 1)
        # Marked before any is left out, since a session in the summary may replace another.
        recalled = [
            ShownItem(source.item._replace(lines=source.statements))
            for source, (root, session) in zip(
                recall.with_replacements(sources), result.found, strict=True
            )
            if not query.is_own(session) and source.item.id not in told
            if not _is_in(held, root, session)
        ]
    first = [ShownItem(item) for item in standing]
    items = [*recalled, *first] if goes_on or resumed else [*first, *recalled]
    items += map(ShownItem, others)
    if not items:
        return Injection("", warnings=warnings, unread=result.unread)
    block = context.format_context(
        [each.item for each in items], nonce=nonce, max_chars=max_chars - 1
    )
    # Items keep their order, and none of their lines begins like a header.
    parts = f"\n{block}".split(f"\n{context.HEADER_START} ")[1:]
    sessions = {root.scoped(session.id): session for root, session in result.found}
    return Injection(
        f"{block}\n" if block else "",
        tuple(each.item.id for each, _ in zip(items, parts, strict=False)),
        warnings,
        result.unread,
        tuple(
            _mark(each, part, sessions.get(each.item.id))
            for each, part in zip(items, parts, strict=False)
        ),
    )


def _mark(told: ShownItem, part: str, session: Session | None) -> str:
    """Return the mark of a shown item; if it was cut, with the pieces that are shown."""
    if session and context.CUT_MARK in part:
        places = recall.places_in(session_lines(session), frozenset(part.split("\n")))
        told = told._replace(places=places)
    return told.mark


def _relevant(
    roots: Sequence[Root],
    query: Query,
    settings: Retrieval,
    today: date,
    meaning: Meaning | None,
    *,
    is_hurried: bool,
) -> _Sessions:
    """Return the hits of a query, if any is above the floor, down to half the best score.

    The floor is lower for questions about earlier work.
    """
    result = next(
        search.search_many(roots, [query], settings, today, is_hurried=is_hurried, meaning=meaning)
    )
    # If the asking conversation is unknown, it may be one that is still open.
    unsaved = [hit for hit in result.unsaved if hit.is_over or query.conversation]
    every = sorted([*result.hits, *unsaved], key=lambda hit: -hit.score)
    good = _good(every, query.text)
    # Weaker hits would only take room from the best answer.
    hits = [hit for hit in every if hit.score >= good[0].score / 2] if good else []
    return _Sessions(warnings=result.warnings, unread=result.unread, hits=tuple(hits))


def _good(every: Sequence[Hit], message: str) -> list[Hit]:
    """Return the hits above the floor, if the words of any match for more than accident."""
    if is_about_earlier(message):
        floor, most = ranking.SEARCH_FLOOR, inf
    else:
        floor, most = _answer_floor(every), inf
        # Classifying the message takes longer, and often no hit is left by now.
        if any(hit.relevance >= floor for hit in every):
            floor, most = _needed(every, message, floor)
    good = [hit for hit in every if hit.relevance >= floor]
    return good if any(_is_no_accident(hit, most) for hit in good) else []


def _needed(every: Sequence[Hit], message: str, answer_floor: float) -> tuple[float, float]:
    """Return the floor for a message, and how many sessions may have its words by accident."""
    from daily_memory.core.search import everyday  # only if something was found

    if everyday.is_order(message):
        return ranking.INJECT_FLOOR, _NO_ACCIDENT
    asks = everyday.asks(message)
    if asks and not everyday.points(message):
        return answer_floor, inf
    # A hit by meaning need not share a word with the message.
    if everyday.is_name(message) or any(hit.semantic is not None for hit in every):
        return ranking.INJECT_FLOOR, inf
    return ranking.INJECT_FLOOR, _MOST_OF_POINTING if asks else _MOST_OF_STATEMENT


def _answer_floor(every: Sequence[Hit]) -> float:
    """Return the floor for a question, which is lower if one session stands out.

    That is if no other session would have its words by accident, or the others match less. It does
    not apply to passages of records, picked from thousands, to translations, which are guesses, and
    to hits by meaning, whose scores differ.
    """
    if not every:
        return ranking.INJECT_FLOOR
    best, *others = sorted(every, key=lambda hit: -hit.relevance)
    if best.semantic is not None:
        return ranking.INJECT_FLOOR
    if ranking.by_accident(best.found_terms, best.texts) <= _NO_ACCIDENT:
        return min(max(best.relevance, ranking.LONE_FLOOR), ranking.INJECT_FLOOR)
    if best.is_recorded or best.translated:
        return ranking.INJECT_FLOOR
    second = others[0].relevance if others else 0.0
    return min(ranking.INJECT_FLOOR, ranking.LONE_FLOOR + second / 2)


def _is_no_accident(hit: Hit, most: float) -> bool:
    """Tell whether a hit shares words with a message for more than accident."""
    if hit.translated:
        most = min(most, _MOST_TRANSLATED)
    return most == inf or ranking.by_accident(hit.found_terms, hit.texts) <= most


def _recent(
    roots: Sequence[Root], query: Query, today: date, resumed: str, *, is_hurried: bool
) -> _Sessions:
    """Return recent sessions: the last conversation, the user's important ones, then the newest.

    The asking conversation does not count as the last one; `resumed` does. Sessions from after
    tomorrow are left out, since a clock was wrong. Other authors' important sessions don't come
    first: a tag must not put a text at the head of each conversation.
    """

    def is_last(session: Session) -> bool:
        if resumed:
            return session.conversation == resumed
        return session.source != BY_HAND and not query.is_own(session)

    most_bytes = refresh.HURRY_BYTES if is_hurried else 0
    most = query.max_results or _RECENT_SESSIONS
    unread = 0
    for root in roots:
        origins = refresh.find_origins(root, most_bytes=most_bytes)
        unread += len(origins.unread)
        newest: list[Session] = []
        for file in reversed(days.list_days(root, newest=_RECENT_DAYS, last=day_after(today))):
            data = days.load_data(root, file.day)
            is_full = len(newest) >= most and not any(mark in data for mark in _IMPORTANT_MARKS)
            # The authors of sessions on unread days are unknown.
            if is_full or file.day.toordinal() in origins.unread:
                continue
            day = days.parse_bytes(data, file.day, file.path(root))
            newest += [
                section.session._replace(
                    origin=origins.known.get(section.session.id) or section.session.origin
                )
                for section in reversed(day.all_sections)
                if not section.session.is_private and not section.session.is_outdated
                if query.is_of(root, section.session.project)
            ]
        if newest:
            last = next((session for session in newest if is_last(session)), newest[0])
            newest.sort(
                key=lambda session: (
                    session is not last,
                    not session.is_important or bool(session.origin),
                )
            )
            found = tuple((root, session) for session in newest[:most])
            return _Sessions(found, unread=unread, is_recent=True)
    return _Sessions(unread=unread)


def _is_in(block: str, root: Root, session: Session) -> bool:
    """Tell whether the summary in a block contains a session, which then is a one-line note."""
    name = f"{context.HEADER_START} {root.scoped(SUMMARY)}"
    return not session_lines(session) and any(
        str(session.id) in summary_region.sources(line.removeprefix(context.PREFIX))
        for part in f"\n{block}".split(f"\n{name}")[1:]
        for line in part.partition(f"\n{context.HEADER_START}")[0].split("\n")
    )


def _source(hit: Hit, own: str, folder: str, *, is_known: bool, is_whole: bool) -> RecalledSession:
    item = _item(hit.root, hit.session, own, ends_first=False)
    if hit.record:
        item = item._replace(id=hit.record, flags=("not saved",), title=hit.session.topic, lines=())
    steps = conversation_steps.find_steps(hit.root, hit.session)
    gone = _gone(hit.session.files, folder) if hit.root.path == own else []
    return RecalledSession(
        item._replace(lines=()),
        () if is_whole else _with_gone(item.lines, gone),
        steps,
        hit.score,
        is_known=is_known,
        number=hit.session.number,
        former=item.lines if is_whole else (),
    )


def _gone(names: Sequence[str], folder: str) -> list[str]:
    """Return which files named by a session are missing in the project's folder.

    Names that lead out of the project are not looked up.
    """
    if not folder:
        return []
    inside = f"{os.path.normpath(folder)}{os.sep}"
    paths = {name: os.path.normpath(os.path.join(folder, name)) for name in names}
    return [
        name
        for name, path in paths.items()
        if path.startswith(inside) and not os.path.lexists(path)
    ]


def _with_gone(lines: Sequence[str], gone: Sequence[str]) -> tuple[str, ...]:
    """Return the lines with a mark after each of these files."""
    for name in gone:
        lines = [_with_mark(line, name) if name in line else line for line in lines]
    return tuple(lines)


def _with_mark(line: str, name: str) -> str:
    """Return a line with a mark after a file name, unless it is a part of another name."""
    # Not by a pattern, since compiling one for each file takes longer than the rest.
    first, *rest = line.split(name)
    marked = first
    for part in rest:
        is_part = marked[-1:] in _OF_NAMES or part[:1] in _OF_NAMES[:-1] or _is_ending(part)
        marked += name + ("" if is_part else " (gone)") + part
    return marked


def _is_ending(part: str) -> bool:
    return part[:1] == "." and part[1:2].isalnum()


def _item(root: Root, session: Session, own: str, *, ends_first: bool) -> ContextItem:
    flags = (("important", session.is_important), ("outdated", session.is_outdated))
    lines = session_lines(session, ends_first=ends_first)
    return ContextItem(
        id=root.scoped(session.id),
        date=session.date.isoformat(),
        project=session.project or ("" if root.path == own else root.project),
        flags=tuple(name for name, is_set in flags if is_set),
        origin=session.origin,
        # A note of one line has only a topic, which is then its line.
        title=session.topic if lines else "",
        lines=lines or (session.topic,),
        max_chars=_LAST_CHARS if ends_first else context.DEFAULT_MAX_ITEM_CHARS,
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.services.reading.meaning import Meaning
