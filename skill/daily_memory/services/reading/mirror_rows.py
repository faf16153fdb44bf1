"""What files say, as rows of the mirror: sessions, observations and summaries."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from daily_memory.core.observation import Observation, parse_observation
from daily_memory.core.record import PRIVATE_TEXT
from daily_memory.model import Session
from daily_memory.storage import mirror_db, observations
from daily_memory.storage.mirror_db import ObservationRow, SessionRow, SummaryRow
from daily_memory.storage.observations import Line, Live

_BRIEF_CHARS, _DETAILED_CHARS = 900, 3200


# ---------------------------------------------------------------------------- live sessions


def live_row(
    session_id: str,
    source: str,
    live: Live,
    row: SessionRow | None,
    kept: Sequence[ObservationRow],
    last_ts: int,
) -> SessionRow:
    """Return the row of a live session; `row` is the one before, `kept` what is new in it."""
    first = [one.ts for one in kept[:1]]
    began = _seconds(live.began) or (row.started_at if row else 0) or next(iter(first), 0)
    return SessionRow(
        session_id,
        began,
        (last_ts or began) if is_over(live) else None,
        live.project or None,
        None if live.private else live.meta or None,
        source,
        live.began,
        live.conversation,
        live.host,
        live.project,
        private=live.private,
        ended=live.ended,
        digested=live.digested,
        skipped=live.skipped,
    )


def live_of(path: str, row: SessionRow | None) -> Live:
    """Return a live session as its row has it, without its observations."""
    live = observations.blank(path)
    if row is None:
        return live
    return live._replace(
        conversation=row.conversation,
        host=row.host,
        project=row.project,
        began=row.at,
        meta=row.meta_json or "",
        ended=row.ended,
        digested=row.digested,
        skipped=row.skipped,
        private=row.private,
    )


def is_over(live: Live) -> bool:
    return bool(live.ended or live.digested or live.skipped)


def observation_row(session_id: str, place: int, line: Line, *, is_hidden: bool) -> ObservationRow:
    """Return the row of an observation; of a private one it says only that there is one."""
    one = line.observation
    is_private = one.private or is_hidden
    tags = () if is_private else one.tags
    return ObservationRow(
        f"{session_id}:{line.place}",
        session_id,
        _seconds(one.at),
        one.kind,
        one.tool,
        PRIVATE_TEXT if is_private else one.text,
        is_private,
        tags,
        () if is_private else one.files,
        one.at,
        day_of(one.at) or session_id[:10],
        place,
        line.begins,
        None if is_private else mark(line),
        () if is_private else mirror_db.searched_terms(one.text, one.tool, tags),
    )


def observation_of(line: bytes) -> Observation:
    """Return the observation of a line that held one; an empty one where it no longer does."""
    return parse_observation(line.decode("utf-8", "replace")) or Observation("", "note", "")


def mark(line: Line) -> int:
    """Return a number that tells observations apart, but for one time in four billion."""
    key = observations.key_of(line.observation)
    return zlib.crc32("\0".join(key).encode("utf-8", "replace"))


# ---------------------------------------------------------------------------- day files


def section_row(session: Session, source: str, project: str) -> SessionRow:
    """Return the row of a section of a day file; `project` is that of its root."""
    at = f"{session.date.isoformat()}T{session.time or '00:00:00'}"
    is_private = session.is_private
    return SessionRow(
        str(session.id),
        _seconds(at),
        _seconds(at),
        session.project or project or None,
        None,
        source,
        at,
        session.conversation or str(session.id),
        session.source,
        session.project or project,
        "" if is_private else session.topic,
        mirror_db.format_list(() if is_private else session.tags),
        is_private,
    )


# ---------------------------------------------------------------------------- summaries


def summaries(row: SessionRow, brief: Session, detailed: Session) -> Iterator[SummaryRow]:
    """Yield the summaries of a session from its digests in two lengths, unless they say nothing."""
    for level, max_chars, session in (
        ("brief", _BRIEF_CHARS, brief),
        ("detailed", _DETAILED_CHARS, detailed),
    ):
        text = summary_text(session, max_chars)
        if text:
            yield SummaryRow(row.id, row.ended_at or row.started_at, level, text)


def summary_text(session: Session, max_chars: int) -> str:
    """Return what a session says, the most telling first, in so many characters at the most."""
    # Loaded here: it brings the search along.
    from daily_memory.services.reading.inject import session_lines

    text = "\n".join(line for line in (session.topic, *session_lines(session)) if line)
    if len(text) <= max_chars:
        return text
    # A whole line less is better than half a line more, but for a single long one.
    cut = text[: max_chars - 2]
    return f"{cut[: cut.rfind(chr(10))] if chr(10) in cut else cut}\n…"


# ---------------------------------------------------------------------------- times


def day_of(at: str) -> str:
    """Return the day of a time on the clock of its writer, "" for what is no time."""
    try:
        return date.fromisoformat(at[:10]).isoformat()
    except ValueError:
        return ""


def _seconds(at: str) -> int:
    """Return a time as seconds since 1970, 0 for what is no time; without a zone it is local."""
    try:
        return int(datetime.fromisoformat(at).timestamp())
    except (ValueError, OverflowError, OSError):
        return 0
