"""The context block: what of the memory a new conversation is told."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core import context
from daily_memory.core.context import ContextItem
from daily_memory.core.ranking import INJECT_FLOOR
from daily_memory.core.settings import Retrieval
from daily_memory.errors import BackendError, InvalidInputError
from daily_memory.model import Session, SessionId
from daily_memory.services import retrieval
from daily_memory.services.retrieval import Query
from daily_memory.storage import days, files, indexing
from daily_memory.storage.roots import Root

# Below this even the markers and one line do not fit.
LEAST_CHARS = 500
_RECENT_DAYS = 14
_RECENT_SESSIONS = 10

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


class Injection(NamedTuple):
    """The context block, empty where nothing is relevant, and the ids of what is in it."""

    text: str
    ids: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def inject(
    roots: Sequence[Root],
    query: Query,
    settings: Retrieval,
    today: date,
    *,
    max_chars: int,
    known: frozenset[str] = frozenset(),
    conversation: str = "",
) -> Injection:
    """Return the block: the summaries, then what is relevant to the query, or what is recent.

    What the conversation knows is left out: `known` are ids that it was told of, and of itself
    (`conversation`) it need not be told.

    Raises:
        InvalidInputError: `max_chars` leaves no room for a block.
    """
    if max_chars < LEAST_CHARS:
        raise InvalidInputError(f"max_chars: {max_chars} is less than {LEAST_CHARS}")
    summaries = [summary(root) for root in roots]
    items = [item for item, _ in summaries if item.lines]
    is_question = bool(query.text.strip())
    sessions, warnings = (
        _relevant(roots, query, settings, today) if is_question else _recent(roots, query)
    )
    warnings = (*(fault for _, fault in summaries if fault), *warnings)
    items += [
        _item(one) for one in sessions if not conversation or one.conversation != conversation
    ]
    items = [item for item in items if item.id not in known]
    if not items:
        return Injection("", warnings=warnings)
    nonce = context.draw_nonce(context.context_texts(items), _random_hex)
    block = context.format_context(items, nonce=nonce, max_chars=max_chars - 1)
    shown = [item.id for item in items if f"{context.HEADER_START} {item.id}" in block]
    return Injection(f"{block}\n" if block else "", tuple(shown), warnings)


def _random_hex() -> str:
    # What `secrets` does; to load it takes longer than a search.
    return os.urandom(12).hex()


def _relevant(
    roots: Sequence[Root], query: Query, settings: Retrieval, today: date
) -> tuple[list[Session], tuple[str, ...]]:
    """Return what is above the floor for a conversation: nothing is better than noise."""
    result = next(retrieval.search_many(roots, [query], settings, today))
    hits = [hit.session for hit in result.hits if hit.keyword >= INJECT_FLOOR]
    return hits, result.warnings


def _recent(roots: Sequence[Root], query: Query) -> tuple[list[Session], tuple[str, ...]]:
    """Return the important sessions of late, and the newest, newest first.

    What others call important does not go before what the user wrote: nobody can tag a text to
    the head of each conversation.
    """
    for root in roots:
        origins = indexing.load_origins(root)
        newest = [
            _with_origin(section.session, origins)
            for file in reversed(days.list_days(root)[-_RECENT_DAYS:])
            for section in reversed(days.load_listed(root, file).sections)
            if not section.session.is_private and not section.session.is_outdated
            if query.project in ("", root.project, section.session.project)
        ]
        if newest:
            first = [session for session in newest if session.is_important and not session.origin]
            rest = [session for session in newest if not session.is_important or session.origin]
            return [*first, *rest][: query.max_results or _RECENT_SESSIONS], ()
    return [], ()


def _with_origin(session: Session, origins: Mapping[SessionId, str]) -> Session:
    return session._replace(origin=origins.get(session.id) or session.origin)


def summary(root: Root) -> tuple[ContextItem, str]:
    """Return what stands in `summary.md`, without its headings and comments, and what is wrong."""
    item = ContextItem(id="summary", project=root.project, title=f"summary ({root.scope})")
    try:
        data = files.find_bytes(os.path.join(root.path, "summary.md")) or b""
    except BackendError as error:
        return item, f"without the summary: {error.message}"
    text = _COMMENT.sub("", data.decode("utf-8", "replace"))
    lines = [line.rstrip() for line in text.split("\n") if line.strip() and line[:2] != "# "]
    return item._replace(lines=tuple(lines)), ""


def _item(session: Session) -> ContextItem:
    return ContextItem(
        id=str(session.id),
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
