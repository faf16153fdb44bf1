"""Reviews a memory: what to look at, why, and which command fixes it.

Each finding is a question to the user: nothing is certain, and nothing is changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.progress import with_progress
from daily_memory.core.review import contradictions, duplicates, opposition, quality, replacements
from daily_memory.core.review.cache import Cache, Rows, uncached
from daily_memory.core.review.contradictions import Contradiction
from daily_memory.core.review.quality import lines_of
from daily_memory.model import Session, SessionId
from daily_memory.text import counted, filled, joined

CONTRADICTION, OUTDATED, DUPLICATE = "contradiction", "outdated", "duplicate"
POOR, IMPORTANT, SUMMARY = "poor", "important", "summary"
# In the order of the output.
KINDS = (CONTRADICTION, OUTDATED, DUPLICATE, POOR, IMPORTANT, SUMMARY)

# From these ages on, a workaround or an important session is worth a look.
STOPGAP_DAYS = 90
IMPORTANT_DAYS = 180

_STOPGAP = re.compile(
    r"""
      临时 (?: 方案 | 办法 | 措施 | 修复 | 绕过 | 处理 | 解决 ) | 权宜之计 | 过渡方案
    | \b (?: as\ a | use[sd]?\ a | added\ a | adds?\ a | applied\ a | current | dirty )
        \s work-?around \b
    | \b stop-?gap \b
    | \b temporar(?:y|ily) \s (?: fix | solution | hack | measure | disabl\w+ | use | pin\w* )
    | \b pinn?ed \s .{1,40} \b until \b
    """,
    re.IGNORECASE | re.VERBOSE,
)


class Finding(NamedTuple):
    """Sessions to look at, why, and a command (without `memory` and options for the root)."""

    kind: str
    sessions: tuple[Session, ...]
    reason: str
    command: tuple[str, ...]


def review(sessions: Sequence[Session], today: date, cache: Cache = uncached) -> list[Finding]:
    """Return what to look at in the sessions of one root, by kind."""
    public = sorted(
        (session for session in sessions if not session.is_private), key=lambda session: session.id
    )
    in_force = [session for session in public if not session.is_outdated]
    pairs = contradictions.find_contradictions(in_force, cache)
    return [
        *_contradicted(pairs),
        *_stopgaps(in_force, today),
        *_duplicates(in_force),
        *_poor(public, cache),
        *_old_important(in_force, today),
    ]


def fill_cache(session: Session, cache: Cache) -> None:
    """Compute what is cached of a single session."""
    if not session.is_private:
        cache("quality", session, _quality)
    contradictions.fill_cache(session, cache)


def _contradicted(pairs: Sequence[Contradiction]) -> Iterator[Finding]:
    lost: dict[SessionId, set[str]] = defaultdict(set)
    for pair in pairs:
        lost[pair.earlier.id].add(pair.before)
    # A topic and a line below it often say the same.
    unique = {(pair.later.id, pair.earlier.id, pair.subject): pair for pair in reversed(pairs)}
    order = sorted(unique.values(), key=lambda pair: (pair.later.id, pair.earlier.id), reverse=True)
    for pair in order:
        reason = filled("{} … but later {}", _quoted(pair.before), _quoted(pair.after))
        id_ = str(pair.earlier.id)
        is_all = lost[pair.earlier.id] >= _settled(pair.earlier)
        command = ("mark", id_, "--outdated") if is_all else ("edit", id_)
        yield Finding(CONTRADICTION, (pair.earlier, pair.later), reason, command)


def _settled(session: Session) -> set[str]:
    """Return the statements of a session that hold until contradicted."""
    lines = lines_of(session)
    adopted = {line for line in (session.topic, *lines) if replacements.adopts(line)}
    values = set(filter(opposition.states_value, lines))
    return adopted | values | set(session.decisions)


def _stopgaps(sessions: Sequence[Session], today: date) -> Iterator[Finding]:
    for session in sessions:
        age = (today - session.date).days
        if age < STOPGAP_DAYS:
            continue
        lines = (session.topic, *lines_of(session))
        text = next((line for line in lines if _STOPGAP.search(line)), "")
        if text:
            reason = filled("{} days old, with a workaround: {}", age, _quoted(text))
            yield Finding(OUTDATED, (session,), reason, ("mark", str(session.id), "--outdated"))


def _duplicates(sessions: Sequence[Session]) -> Iterator[Finding]:
    by_id = {session.id: session for session in sessions}
    for pair in duplicates.find_duplicates(sessions):
        reason = filled("{} % of their words are the same", round(100 * pair.similarity))
        both = by_id[pair.earlier], by_id[pair.later]
        yield Finding(DUPLICATE, both, reason, ("delete", str(pair.earlier)))


def _poor(sessions: Sequence[Session], cache: Cache) -> Iterator[Finding]:
    judged = [
        (quality.Quality(score, tuple(reasons)), session)
        for session in with_progress(sessions)
        for score, reasons in cache("quality", session, _quality)
    ]
    poor = [(judgement, session) for judgement, session in judged if judgement.is_poor]
    for judgement, session in sorted(poor, key=lambda pair: (pair[0].score, pair[1].id)):
        reason = filled("quality {:.1f} of 1: {}", judgement.score, joined("; ", judgement.reasons))
        command = "edit" if judgement.score else "delete"
        yield Finding(POOR, (session,), reason, (command, str(session.id)))


def _quality(session: Session) -> Rows:
    return [quality.assess(session)]


def _old_important(sessions: Sequence[Session], today: date) -> Iterator[Finding]:
    for session in sessions:
        age = (today - session.date).days
        if session.is_important and age >= IMPORTANT_DAYS:
            reason = filled(
                "important for {}, so it never fades: still important?", counted(age, "day")
            )
            yield Finding(IMPORTANT, (session,), reason, ("mark", str(session.id), "--clear"))


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line if len(line) <= 100 else line[:99].rstrip() + "…"}"'
