"""Which sessions are meant: those that are named, by day or id, and those that say something."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.format import session_json
from daily_memory.core.search import fields, text
from daily_memory.errors import InvalidInputError
from daily_memory.model import Session
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession
from daily_memory.storage.roots import Root


class SelectionRequest(NamedTuple):
    """What is meant: `named` are ids and days, of which the rest keeps some; alone, of all."""

    named: tuple[str, ...] = ()
    query: str = ""
    before: date | None = None
    tags: tuple[str, ...] = ()


def choose(
    roots: Sequence[Root], own: Sequence[Root], wanted: SelectionRequest, today: date
) -> tuple[StoredSession, ...]:
    """Return the sessions that are meant."""
    if wanted == SelectionRequest():
        hint = "an id is like 2026-01-29#1, a day like 2026-01-29; or by words, age or tag"
        raise InvalidInputError("no id given, and nothing to choose by", hint=hint)
    named = [_resolved(name, today) for name in wanted.named]
    ids = [name for name in named if isinstance(name, str)]
    found = list(browse.get_many(roots, ids)) if ids else []
    for day in sorted({day for day in named if isinstance(day, date)}):
        found += browse.sessions(own, first=day, last=day)
    if not wanted.named:
        found = list(browse.sessions(own))
    tagged = filter(browse.SessionFilter(wanted.tags).takes, dict.fromkeys(found))
    before = wanted.before or date.max
    kept = [entry for entry in tagged if entry.session.date < before]
    return _with_words(kept, wanted.query) if wanted.query else tuple(kept)


def _resolved(name: str, today: date) -> date | str:
    """Return the day that a name stands for, or the id, with its day in figures."""
    label, bare = session_json.split_id(name)
    head, mark, number = bare.partition("#")
    day = session_json.named_day(head, today)
    if day is None:
        return name if mark else _parsed(name)
    if not mark:
        return day
    return f"{label}:{day.isoformat()}#{number}" if label else f"{day.isoformat()}#{number}"


def _parsed(name: str) -> date:
    try:
        return session_json.parse_date(name)
    except InvalidInputError as error:
        hint = "an id is like 2026-01-29#1, a day like 2026-01-29; --query is for words"
        raise InvalidInputError(f"{name!r} is neither an id nor a day", hint=hint) from error


def _with_words(found: Sequence[StoredSession], query: str) -> tuple[StoredSession, ...]:
    """Return those that have every word of a query.

    What a search shows beside these has a part of the question only: too little to be deleted for.
    """
    tokens = text.tokens(query)
    runs = [token for token in tokens if text.is_cjk(token)]
    words = {term for token in tokens if not text.is_cjk(token) for term in text.word_terms(token)}
    if not runs and not words:
        raise InvalidInputError(f"{query!r} has no word to look for", hint="say more")
    return tuple(entry for entry in found if _says(entry.session, runs, words))


def _says(session: Session, runs: Sequence[str], words: set[str]) -> bool:
    """Tell whether a session, which is not private, has all runs of Chinese and all words."""
    if session.is_private:
        return False
    said = text.fold("\n".join(statement for _, statement in fields.units(session)))
    return all(run in said for run in runs) and (not words or words <= set(text.terms(said)))
