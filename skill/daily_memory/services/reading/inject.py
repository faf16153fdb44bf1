"""The context block: the memories that a conversation receives."""

from __future__ import annotations

import contextlib
import os
import re
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
from daily_memory.core.settings import Retrieval
from daily_memory.errors import BackendError, DailyMemoryError, DamagedDataError, InvalidInputError
from daily_memory.model import BY_HAND, IMPORTANT_TAGS, Section, Session, day_after
from daily_memory.named_tuples import NamedTuple
from daily_memory.services.reading import conversation_steps, search
from daily_memory.services.reading.root_search import Hit, Query
from daily_memory.storage import days, start_summary
from daily_memory.storage.fs import files
from daily_memory.storage.index import refresh
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# With less, not even the markers and one line fit.
LEAST_CHARS = 500
_RECENT_DAYS = 14
_RECENT_SESSIONS = 10
_IMPORTANT_MARKS = tuple(tag.encode() for tag in IMPORTANT_TAGS)

# Room for a whole brief digest of the last conversation.
_LAST_CHARS = 2500

# Characters that continue a file name; a dot may also end a sentence.
_OF_NAMES = (*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/", ".")

# The id of the summary.
_SUMMARY = "summary"

# In how many sessions the words of a message may meet by accident. An order has words of everyday
# work, and asks for nothing. "git init" asks for nothing either, and the answer to "what files did
# you change?" is in the conversation. A dictionary has a translation for every word.
_NO_ACCIDENT = 1 / 64
_MOST_OF_STATEMENT = 1.0
_MOST_OF_POINTING = 2.0
_MOST_TRANSLATED = 1 / 16

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


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
        summary(root, query.is_own)
        for root in roots
        if query.is_of(root, "") or not root.project
        if root.scoped(_SUMMARY) not in known
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
        recalled = recall.pick(sources, query.text, terms, query.now or today, free, told)
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
    if best.translated or best.semantic is not None:
        return ranking.INJECT_FLOOR
    if ranking.by_accident(best.found_terms, best.texts) <= _NO_ACCIDENT:
        return min(max(best.relevance, ranking.LONE_FLOOR), ranking.INJECT_FLOOR)
    if best.is_recorded:
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


def summaries(roots: Sequence[Root]) -> list[dict[str, str | None]]:
    """Return the text of each root's `summary.md`, if any; `origin` is who else wrote it."""
    items = [(root, summary(root)[0]) for root in roots]
    return [
        {
            "scope": root.scope,
            "project": root.project,
            "origin": item.origin or None,
            "text": "\n".join(item.lines),
        }
        for root, item in items
        if item.lines
    ]


def summary(
    root: Root, is_own: Callable[[Session], bool] = lambda _: False
) -> tuple[ContextItem, str]:
    """Return the summary of a root without comments and title, and a warning or "".

    Lines that only come from the asking conversation's own sessions are left out.
    """
    title = f"summary ({root.scope})"
    item = ContextItem(id=root.scoped(_SUMMARY), project=root.project, title=title)
    try:
        data = files.find_bytes(os.path.join(root.path, "summary.md")) or b""
    except (BackendError, DamagedDataError) as error:
        return item, filled("without the summary: {}", error.message)
    text = data.decode("utf-8", "replace")
    text, by_hand = with_standing(root, text)
    if summary_region.MARK in text:
        text = without_gone(root, text, is_own)
    lines = content_lines(text)
    if not lines:
        return item, ""
    from daily_memory.storage.git import authors  # only if there is a summary

    # Whole lines as git has them, which may begin with a comment.
    telling = [line for line in by_hand.split("\n") if content_lines(line)]
    # Our part is not from git, and a mere template has no author.
    origin = authors.of_summary(root, telling) if content_lines(by_hand) else ""
    return item._replace(lines=lines, origin=origin), ""


def _is_in(block: str, root: Root, session: Session) -> bool:
    """Tell whether the summary in a block contains a session, which then is a one-line note."""
    name = f"{context.HEADER_START} {root.scoped(_SUMMARY)}"
    return not session_lines(session) and any(
        str(session.id) in summary_region.sources(line.removeprefix(context.PREFIX))
        for part in f"\n{block}".split(f"\n{name}")[1:]
        for line in part.partition(f"\n{context.HEADER_START}")[0].split("\n")
    )


def with_standing(root: Root, text: str) -> tuple[str, str]:
    """Return the text of `summary.md` with our part up to date, and the text without our part."""
    noted = start_summary.find(root)
    if noted is None:
        return text, text
    try:
        return summary_region.put(text, list(noted.lines)), summary_region.put(text, [])
    except InvalidInputError:
        return text, text  # `memory doctor` and `memory summarize` report what is wrong


def content_lines(text: str) -> tuple[str, ...]:
    """Return the lines of `summary.md` without comments, titles and empty lines."""
    lines = _COMMENT.sub("", text).split("\n")
    return tuple(line.rstrip() for line in lines if line.strip() and line[:2] != "# ")


def without_gone(root: Root, text: str, is_own: Callable[[Session], bool] = lambda _: False) -> str:
    """Return the text of `summary.md` without our lines whose sources are all gone or own."""
    return summary_region.without_missing(text, lambda ids: _present(root, ids, is_own))


def _present(root: Root, ids: set[str], is_own: Callable[[Session], bool]) -> set[str]:
    present = _current_of(ids, lambda day: days.load_day(root, day).all_sections, is_own)
    if present == ids or not os.path.isdir(root.archive_folder):
        return present
    from daily_memory.storage import archive_files  # rarely needed

    return present | _current_of(
        ids - present, lambda day: archive_files.load_day(root, day).all_sections, is_own
    )


def _current_of(
    ids: set[str],
    sections_of: Callable[[date], Sequence[Section]],
    is_own: Callable[[Session], bool],
) -> set[str]:
    """Return the ids whose sections exist and are neither private, outdated nor own."""
    present: set[str] = set()
    for name in {id_.partition("#")[0] for id_ in ids}:
        day = days.day_of(f"{name}.md")
        with contextlib.suppress(DailyMemoryError):
            present |= {
                str(section.session.id)
                for section in (sections_of(day) if day else ())
                if not section.session.is_private and not section.session.is_outdated
                if not is_own(section.session)
            }
    return present & ids


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


def session_lines(session: Session, *, ends_first: bool = False) -> tuple[str, ...]:
    """Return the lines of a session, the most important first; with `ends_first`, open items."""
    ends = [
        f"- {label}: {item}"
        for label, items in (("open", session.open_questions), ("next", session.next_steps))
        for item in items
    ]
    parts = [session.summary, *(note.text for note in session.notes)]
    parts += [f"- decided: {item}" for item in session.decisions]
    parts += [f"- {point}" for point in session.key_points]
    parts = [*ends, *parts] if ends_first else [*parts, *ends]
    parts += [block.text for block in session.code]
    if session.files:
        parts.append(f"files: {', '.join(session.files)}")
    return tuple(line for part in parts if part for line in part.split("\n"))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.services.reading.meaning import Meaning
