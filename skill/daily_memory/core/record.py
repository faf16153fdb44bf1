"""Records: observations and sessions in one form, for searching both.

The id of an observation is its place, `2026-01-29/3f2a-77:12`: lines of its file never move. The id
of a session is `2026-01-29#3`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime
from typing import NamedTuple

from daily_memory.model import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.observation import Observation

SESSION = "session"
RECORD_KINDS = (*KINDS, SESSION)
# Replaces a private text in searches; only the owner may read it.
PRIVATE_TEXT = "[PRIVATE]"

_OBSERVATION_ID = re.compile(
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2})/([0-9a-z_.-]{1,100}):([1-9][0-9]{0,8})\Z"
)


class Record(NamedTuple):
    """An observation or a session.

    `at` is ISO 8601, with the zone where it is known. `kind` is one of RECORD_KINDS. `conversation`
    is the live session that it belongs to, or the session's own id where it has none. `origin` is
    where a session of others came from.
    """

    id: str
    at: str
    kind: str
    text: str
    conversation: str
    tool: str = ""
    project: str = ""
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    private: bool = False
    origin: str = ""
    archived: bool = False


class RecordHit(NamedTuple):
    """A search result with a snippet; its score is 0 to 1."""

    record: Record
    score: float
    snippet: str
    matched: tuple[str, ...] = ()
    explanation: tuple[str, ...] = ()
    translated: bool = False


class RecordFilters(NamedTuple):
    """Filters for records; empty means any. Days are `YYYY-MM-DD`."""

    kinds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    first_day: str = ""
    last_day: str = ""
    projects: tuple[str, ...] = ()

    def takes(self, kind: str, tool: str, tags: Iterable[str], day: str) -> bool:
        """Tell whether a record passes, except for the project."""
        return (
            kind in (self.kinds or (kind,))
            and tool in (self.tools or (tool,))
            and {tag.casefold() for tag in self.tags} <= {tag.casefold() for tag in tags}
            and self.first_day <= day <= (self.last_day or day)
        )


def is_of_team(record_id: str) -> bool:
    """Tell whether an id is that of a record in the team's database."""
    return record_id.startswith("team:")


def day_of(at: str) -> str:
    """Return the day of a time in its own zone, "" if it is invalid."""
    try:
        return date.fromisoformat(at[:10]).isoformat()
    except ValueError:
        return ""


def seconds(at: str) -> float:
    """Return a time as seconds since 1970, 0 if it is invalid; without a zone it is local."""
    try:
        return datetime.fromisoformat(at).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def of_observation(
    id_: str, one: Observation, conversation: str, project: str, *, is_private: bool = False
) -> Record:
    """Return an observation as a record; the text of a private one is hidden."""
    is_private = is_private or one.private
    return Record(
        id_,
        one.at,
        one.kind,
        PRIVATE_TEXT if is_private else one.text,
        conversation,
        tool=one.tool,
        project=project,
        files=() if is_private else one.files,
        tags=() if is_private else one.tags,
        private=is_private,
    )


class ObservationId(NamedTuple):
    """Where an observation stands: the day, the file without its ending, the line from 1."""

    day: str
    name: str
    place: int


def find_observation_id(text: str) -> ObservationId | None:
    """Return the place in an observation id, None for other texts.

    >>> find_observation_id("2026-01-29/3f2a-77:12").place
    12
    >>> find_observation_id("2026-01-29/../config.json:1") is None
    True
    """
    match = _OBSERVATION_ID.match(text)
    if not match or not match[2].strip("."):
        return None
    return ObservationId(match[1], match[2], int(match[3]))
