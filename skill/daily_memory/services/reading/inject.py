"""The context block: what of the memory a new conversation is told."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from daily_memory.core import context
from daily_memory.core.context import ContextItem
from daily_memory.core.phrases.earlier import is_about_earlier
from daily_memory.core.review import summary_region
from daily_memory.core.search.ranking import INJECT_FLOOR, SEARCH_FLOOR
from daily_memory.core.settings import Retrieval
from daily_memory.errors import (
    BackendError,
    DailyMemoryError,
    DamagedDataError,
    InvalidInputError,
)
from daily_memory.model import Section, Session, SessionId, day_after
from daily_memory.named_tuples import NamedTuple
from daily_memory.services.reading import search
from daily_memory.services.reading.sources import Query
from daily_memory.storage import days
from daily_memory.storage.fs import files
from daily_memory.storage.index import refresh
from daily_memory.storage.roots import Root

# Below this even the markers and one line do not fit.
LEAST_CHARS = 500
_RECENT_DAYS = 14
_RECENT_SESSIONS = 10

# What the summary is known by where others have an id.
_SUMMARY = "summary"

_Found = tuple[Root, Session]

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


class Injection(NamedTuple):
    """The context block, empty where nothing is relevant, and the ids of what is in it.

    They are what `known` tells another time. `unread` is how many days were not looked at
    (`SearchResult`).
    """

    text: str
    ids: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    unread: int = 0


class _Sessions(NamedTuple):
    found: list[_Found]
    warnings: tuple[str, ...] = ()
    unread: int = 0


def inject(
    roots: Sequence[Root],
    query: Query,
    settings: Retrieval,
    today: date,
    *,
    max_chars: int,
    known: frozenset[str] = frozenset(),
    conversation: str = "",
    own: str = "",
    is_hurried: bool = False,
) -> Injection:
    """Return the block: the summaries, then what is relevant to the query, or what is recent.

    Who is in a hurry has what is known without bringing a large index up to date.

    `own` is the path of the root that asks: what stands in others bears the name of its project.

    What the conversation knows is left out: `known` are the ids of what it was told, and of itself
    (`conversation`) it need not be told.

    Raises:
        InvalidInputError: `max_chars` leaves no room for a block.
    """
    if max_chars < LEAST_CHARS:
        raise InvalidInputError(f"max_chars: {max_chars} is less than {LEAST_CHARS}")
    summaries = [
        (root, *summary(root))
        for root in roots
        if query.is_of(root, "") or not root.project
        if root.scoped(_SUMMARY) not in known
    ]
    told = [item for _, item, _ in summaries if item.lines]
    is_question = bool(query.text.strip())
    found, warnings, unread = (
        _relevant(roots, query, settings, today, is_hurried=is_hurried)
        if is_question
        else _recent(roots, query, query.now or today, is_hurried=is_hurried)
    )
    sessions = [(root, _named(session, root, own)) for root, session in found]
    warnings = (*(fault for _, _, fault in summaries if fault), *warnings)
    told += [
        _item(root, one)
        for root, one in sessions
        if not conversation or one.conversation != conversation
    ]
    items = [item for item in told if item.id not in known]
    if not items:
        return Injection("", warnings=warnings, unread=unread)
    nonce = context.draw_nonce(context.context_texts(items), _random_hex)
    block = context.format_context(items, nonce=nonce, max_chars=max_chars - 1)
    # They keep their order, and no line of theirs begins as a header does.
    shown = items[: f"\n{block}".count(f"\n{context.HEADER_START} ")]
    ids = tuple(item.id for item in shown)
    return Injection(f"{block}\n" if block else "", ids, warnings, unread)


def _random_hex() -> str:
    # What `secrets` does; to load it takes longer than a search.
    return os.urandom(12).hex()


def _relevant(
    roots: Sequence[Root], query: Query, settings: Retrieval, today: date, *, is_hurried: bool
) -> _Sessions:
    """Return what is above the floor for a conversation: nothing is better than noise.

    Who asks for what was said before wants to see also what fits less.
    """
    is_earlier = is_about_earlier(query.text)
    result = next(
        search.search_many(
            roots,
            [query],
            settings,
            today,
            is_hurried=is_hurried,
            # Most prompts ask nothing of the memory: only who does can wait for the archive.
            goes_further=is_earlier or not is_hurried,
        )
    )
    floor = SEARCH_FLOOR if is_earlier else INJECT_FLOOR
    hits = [(hit.root, hit.session) for hit in result.hits if hit.keyword >= floor]
    return _Sessions(hits, result.warnings, result.unread)


def _named(session: Session, root: Root, own: str) -> Session:
    """Return the session with the name of its project, where that is not the one that asks."""
    project = "" if root.path == own else root.project
    return session._replace(project=session.project or project)


def _recent(roots: Sequence[Root], query: Query, today: date, *, is_hurried: bool) -> _Sessions:
    """Return the important sessions of late, and the newest, newest first.

    A day to come is not of late: a clock was wrong, or somebody wrote it. It may be tomorrow
    already where somebody else is.

    What others call important does not go before what the user wrote: nobody can tag a text to
    the head of each conversation.
    """
    most_bytes = refresh.HURRY_BYTES if is_hurried else 0
    unread = 0
    for root in roots:
        origins = refresh.find_origins(root, most_bytes=most_bytes)
        unread += len(origins.unread)
        newest = [
            _with_origin(section.session, origins.known)
            for file in reversed(days.list_days(root, newest=_RECENT_DAYS, last=day_after(today)))
            # Whose words they are is not known of others.
            if file.day.toordinal() not in origins.unread
            for section in reversed(days.load_listed(root, file).all_sections)
            if not section.session.is_private and not section.session.is_outdated
            if query.is_of(root, section.session.project)
        ]
        if newest:
            first = [session for session in newest if session.is_important and not session.origin]
            rest = [session for session in newest if not session.is_important or session.origin]
            newest = [*first, *rest][: query.max_results or _RECENT_SESSIONS]
            return _Sessions([(root, session) for session in newest], unread=unread)
    return _Sessions([], unread=unread)


def _with_origin(session: Session, origins: Mapping[SessionId, str]) -> Session:
    return session._replace(origin=origins.get(session.id) or session.origin)


def summary(root: Root) -> tuple[ContextItem, str]:
    """Return what stands in `summary.md`, without its headings and comments, and what is wrong."""
    title = f"summary ({root.scope})"
    item = ContextItem(id=root.scoped(_SUMMARY), project=root.project, title=title)
    try:
        data = files.find_bytes(os.path.join(root.path, "summary.md")) or b""
    except (BackendError, DamagedDataError) as error:
        return item, f"without the summary: {error.message}"
    text = data.decode("utf-8", "replace")
    if summary_region.MARK in text:
        text = without_gone(root, text)
    lines = told_lines(text)
    if not lines:
        return item, ""
    from daily_memory.storage.git import authors  # only where there is a summary

    # As git knows them: a comment that stands before a text is part of the line.
    origin = authors.of_summary(root, [line for line in text.split("\n") if told_lines(line)])
    return item._replace(lines=lines, origin=origin), ""


def told_lines(text: str) -> tuple[str, ...]:
    """Return the lines of `summary.md` that are told: no comments, no title, nothing empty."""
    lines = _COMMENT.sub("", text).split("\n")
    return tuple(line.rstrip() for line in lines if line.strip() and line[:2] != "# ")


def without_gone(root: Root, text: str) -> str:
    """Return the text of `summary.md` without our lines of which no source is there to be told.

    That is a session that was deleted, or is private or outdated by now. The few days that the
    lines come from are read: the index knows of an edit by hand no sooner than the next search.
    """
    return summary_region.kept(text, lambda ids: _present(root, ids))


def _present(root: Root, ids: set[str]) -> set[str]:
    present = _told_of(ids, lambda day: days.load_day(root, day).all_sections)
    if present == ids or not os.path.isdir(root.archive_folder):
        return present
    from daily_memory.storage import archive_files  # only for what went there

    return present | _told_of(
        ids - present, lambda day: archive_files.load_day(root, day).all_sections
    )


def _told_of(ids: set[str], sections_of: Callable[[date], Sequence[Section]]) -> set[str]:
    """Return those of the ids whose sections are there, and neither private nor outdated."""
    present: set[str] = set()
    for name in {id_.partition("#")[0] for id_ in ids}:
        day = days.day_of(f"{name}.md")
        with contextlib.suppress(DailyMemoryError):
            present |= {
                str(section.session.id)
                for section in (sections_of(day) if day else ())
                if not section.session.is_private and not section.session.is_outdated
            }
    return present & ids


def _item(root: Root, session: Session) -> ContextItem:
    return ContextItem(
        id=root.scoped(session.id),
        date=session.date.isoformat(),
        project=session.project,
        flags=tuple(
            name
            for name, is_set in (
                ("important", session.is_important),
                ("outdated", session.is_outdated),
            )
            if is_set
        ),
        origin=session.origin,
        title=session.topic,
        lines=session_lines(session),
    )


def session_lines(session: Session) -> tuple[str, ...]:
    """Return what a session says, the most telling first, a line each."""
    parts = [session.summary, *(note.text for note in session.notes)]
    parts += [f"- {point}" for point in session.key_points]
    for label, items in (
        ("decided", session.decisions),
        ("open", session.open_questions),
        ("next", session.next_steps),
    ):
        parts += [f"- {label}: {item}" for item in items]
    parts += [block.text for block in session.code]
    if session.files:
        parts.append(f"files: {', '.join(session.files)}")
    return tuple(line for part in parts if part for line in part.split("\n"))
