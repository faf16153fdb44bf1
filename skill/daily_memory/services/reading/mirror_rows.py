"""Rows of the mirror, made from day files and live sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daily_memory.core.record import seconds
from daily_memory.core.session_text import session_lines
from daily_memory.model import Session
from daily_memory.storage import mirror_db
from daily_memory.storage.mirror_db import MirroredRecord, SessionRow, SummaryRow
from daily_memory.storage.observations import LiveSession

_BRIEF_CHARS, _DETAILED_CHARS = 900, 3200


def live_row(
    session_id: str, source: str, live: LiveSession, observations: Sequence[MirroredRecord]
) -> SessionRow:
    """Return the row of a live session."""
    times = [int(seconds(one.record.at)) for one in (*observations[:1], *observations[-1:])] or [0]
    first, last = times[0], times[-1]
    began = int(seconds(live.began)) or first
    is_over = bool(live.ended or live.digested or live.skipped)
    return SessionRow(
        session_id,
        began,
        (last or began) if is_over else None,
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


def section_row(session: Session, source: str, project: str) -> SessionRow:
    """Return the row of a section of a day file; `project` is that of its root."""
    at = f"{session.date.isoformat()}T{session.time or '00:00:00'}"
    is_private = session.is_private
    return SessionRow(
        str(session.id),
        int(seconds(at)),
        int(seconds(at)),
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


def summaries(row: SessionRow, session: Session) -> Iterator[SummaryRow]:
    """Yield a brief and a detailed summary of a section, unless it is empty."""
    for level, max_chars in (("brief", _BRIEF_CHARS), ("detailed", _DETAILED_CHARS)):
        text = summary_text(session, max_chars)
        if text:
            yield SummaryRow(row.id, row.ended_at or row.started_at, level, text)


def summary_text(session: Session, max_chars: int) -> str:
    """Return the text of a session, the most important first, cut to a length."""
    text = "\n".join(line for line in (session.topic, *session_lines(session)) if line)
    if len(text) <= max_chars:
        return text
    # Cut at a line, unless there is only one.
    cut = text[: max_chars - 2]
    return f"{cut[: cut.rfind(chr(10))] if chr(10) in cut else cut}\n…"
