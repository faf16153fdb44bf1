"""Looking at what is there: all sessions, one day, one session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core import session_json
from daily_memory.errors import NotFoundError
from daily_memory.model import Section, Session, SessionId, Span
from daily_memory.storage import days, indexing
from daily_memory.storage.roots import Root


class Found(NamedTuple):
    """A session as it stands on disk: its root, its file and its lines.

    `origin` is where it came from, "" for the user's own: what git knows goes before what the
    section says of itself.
    """

    session: Session
    root: Root
    path: str
    span: Span
    origin: str = ""


def sessions(
    roots: Sequence[Root],
    *,
    first: date = date.min,
    last: date = date.max,
    is_foreign: bool = False,
) -> Iterator[Found]:
    """Yield the sessions of these days, oldest first in each root; of others only, if so asked."""
    for root in roots:
        origins = indexing.load_origins(root)
        for day in days.each_day(root, first=first, last=last):
            for section in day.sections:
                found = _found(root, section, origins)
                if found.origin or not is_foreign:
                    yield found


def get(roots: Sequence[Root], text: str) -> Found:
    """Return the session with this id, from the first root that has it.

    Raises:
        InvalidInputError: it is not an id.
        NotFoundError: no root has it.
    """
    wanted = session_json.parse_id(text)
    for root in roots:
        section = days.find_section(root, wanted.date, wanted.number, wanted.copy)
        if section:
            return _found(root, section, indexing.load_origins(root))
    raise NotFoundError(
        f"no session {wanted}", hint=f"run `memory show {wanted.date}` to see that day's sessions"
    )


def as_json(found: Found) -> dict[str, object]:
    """Return a session as the JSON object that every door gives, with where it stands."""
    return {
        **session_json.format_session(found.session),
        "origin": found.origin or None,
        "scope": found.root.scope,
        "root": found.root.path,
        "path": relative_path(found),
        "line_range": list(found.span),
    }


def relative_path(found: Found) -> str:
    """Return the file below its root, with forward slashes on every system."""
    return f"daily/{found.session.date.isoformat()}.md"


def _found(root: Root, section: Section, origins: Mapping[SessionId, str]) -> Found:
    session = section.session
    origin = origins.get(session.id) or session.origin
    return Found(session, root, days.day_path(root, session.date), section.span, origin)
