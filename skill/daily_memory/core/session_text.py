"""The text of a session as lines, for a context block, a record or the mirror."""

from __future__ import annotations

from daily_memory.model import Session


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
