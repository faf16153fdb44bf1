"""Looking at what is there: all sessions, one day, one session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core import session_json
from daily_memory.errors import NotFoundError
from daily_memory.model import Section, Session, Span
from daily_memory.storage import days
from daily_memory.storage.roots import Root


class Found(NamedTuple):
    """A session as it stands on disk: its root, its file and its lines."""

    session: Session
    root: Root
    path: str
    span: Span


def sessions(
    roots: Sequence[Root], *, first: date = date.min, last: date = date.max
) -> Iterator[Found]:
    """Yield the sessions of these days, oldest first in each root."""
    for root in roots:
        for day in days.each_day(root, first=first, last=last):
            for section in day.sections:
                yield _found(root, section)


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
            return _found(root, section)
    raise NotFoundError(
        f"no session {wanted}", hint=f"run `memory show {wanted.date}` to see that day's sessions"
    )


def as_json(found: Found) -> dict[str, object]:
    """Return a session as the JSON object that every door gives, with where it stands."""
    return {
        **session_json.format_session(found.session),
        "scope": found.root.scope,
        "path": relative_path(found),
        "line_range": list(found.span),
    }


def relative_path(found: Found) -> str:
    """Return the file below its root, with forward slashes on every system."""
    return f"daily/{found.session.date.isoformat()}.md"


def _found(root: Root, section: Section) -> Found:
    return Found(section.session, root, days.day_path(root, section.session.date), section.span)
