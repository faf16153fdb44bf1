"""Which sessions are meant: those that are named, by day or id, and those that say something."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.format import session_json
from daily_memory.core.search import fields, ranking, text
from daily_memory.core.search import query as querying
from daily_memory.errors import InvalidInputError
from daily_memory.model import Session
from daily_memory.services.reading import browse
from daily_memory.services.reading.browse import StoredSession
from daily_memory.storage.index import refresh
from daily_memory.storage.roots import Root


class SelectionRequest(NamedTuple):
    """What is meant: `named` are ids and days, of which the rest keeps some; alone, of all."""

    named: tuple[str, ...] = ()
    query: str = ""
    before: date | None = None
    tags: tuple[str, ...] = ()


class Choice(NamedTuple):
    """A session that is meant; with a query, how well it answers that, 0 to 1."""

    found: StoredSession
    score: float | None = None


def choose(
    roots: Sequence[Root], own: Sequence[Root], wanted: SelectionRequest, today: date
) -> tuple[Choice, ...]:
    """Return the sessions that are meant, oldest first, or with a query the best first."""
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
    kept = [entry for entry in dict.fromkeys(found) if _is_kept(entry.session, wanted)]
    return _asked(kept, wanted.query, today) if wanted.query else tuple(map(Choice, kept))


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


def _is_kept(session: Session, wanted: SelectionRequest) -> bool:
    tags = {tag.casefold() for tag in session.tags}
    return (wanted.before is None or session.date < wanted.before) and {
        tag.lstrip("#").casefold() for tag in wanted.tags
    } <= tags


def _asked(found: Sequence[StoredSession], query: str, today: date) -> tuple[Choice, ...]:
    """Return those that have every word of a query, with their scores, the best first.

    What a search shows beside these has a part of the question only: too little to be deleted for.
    """
    tokens = text.tokens(query)
    runs = [token for token in tokens if text.is_cjk(token)]
    words = {term for token in tokens if not text.is_cjk(token) for term in text.word_terms(token)}
    if not runs and not words:
        raise InvalidInputError(f"{query!r} has no word to look for", hint="say more")
    kept = [entry for entry in found if _says(entry.session, runs, words)]
    choices = []
    for path in dict.fromkeys(entry.root.path for entry in kept):
        own = {entry.session: entry for entry in kept if entry.root.path == path}
        fresh = refresh.refresh(next(iter(own.values())).root)
        try:
            prepared = querying.prepare(query, fresh.lookup, today)
            ranked = ranking.rank(prepared, own, today)
            choices += [Choice(own[entry.session], round(entry.score, 4)) for entry in ranked]
        finally:
            fresh.lookup.close()
    return tuple(sorted(choices, key=lambda entry: -(entry.score or 0)))


def _says(session: Session, runs: Sequence[str], words: set[str]) -> bool:
    """Tell whether a session, which is not private, has all runs of Chinese and all words."""
    if session.is_private:
        return False
    said = text.fold("\n".join(unit.text for unit in fields.units(session)))
    return all(run in said for run in runs) and (not words or words <= set(text.terms(said)))
