"""What of a memory should be looked at, why, and which command would mend it.

Nothing is certain here and nothing is changed: each finding is a question to the user. So each is
told only where it is likely right; what a session might mean beyond its cues is left to people.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.progress import Progress, watched
from daily_memory.core.review import contradictions, duplicates, quality
from daily_memory.core.review.claims import ADOPTS, SETS, claims_of
from daily_memory.core.review.contradictions import Contradiction
from daily_memory.core.review.quality import lines_of
from daily_memory.model import Session, counted

CONTRADICTION, OUTDATED, DUPLICATE = "contradiction", "outdated", "duplicate"
POOR, IMPORTANT, SUMMARY = "poor", "important", "summary"
# In the order in which they are told.
KINDS = (CONTRADICTION, OUTDATED, DUPLICATE, POOR, IMPORTANT, SUMMARY)

# What was overtaken is outdated from this age on; a stop-gap, and what is important, from these.
OVERTAKEN_DAYS = 30
STOPGAP_DAYS = 90
IMPORTANT_DAYS = 180

_STOPGAP = re.compile(
    r"临时(?:方案|办法|措施|修复|绕过|处理|解决)|权宜之计|过渡方案|\b(?:as\sa|use[sd]?\sa|added\sa|adds?\sa|applied\sa|current|dirty)\swork-?around\b|\bstop-?gap\b"
    r"|\btemporar(?:y|ily)\s(?:fix|solution|hack|measure|disabl\w+|use|pin\w*)|\bpinn?ed\s.{1,40}\buntil\b",
    re.IGNORECASE,
)


class Finding(NamedTuple):
    """Sessions that should be looked at, the reason in words, and the words of a command.

    The command is without `memory`, and without what names the root.
    """

    kind: str
    sessions: tuple[Session, ...]
    reason: str
    command: tuple[str, ...]


def review(
    sessions: Sequence[Session], today: date, progress: Progress | None = None
) -> list[Finding]:
    """Return what should be looked at in the sessions of one root, by kind.

    Private ones are not looked at, and of outdated ones only how well they tell what they say.
    """
    seen = sorted((one for one in sessions if not one.is_private), key=lambda one: one.id)
    in_force = [one for one in seen if not one.is_outdated]
    against = contradictions.find_contradictions(in_force, progress)
    return [
        *_contradicted(against),
        *_overtaken(against, today),
        *_stopgaps(in_force, today),
        *_duplicates(in_force, progress),
        *_poor(seen, progress),
        *_old_important(in_force, today),
    ]


def _contradicted(against: Sequence[Contradiction]) -> Iterator[Finding]:
    """Yield what was contradicted, the latest first."""
    lost = _lost(against)
    # A topic and a line below it often say the same.
    told = {(one.later.id, one.earlier.id, one.subject): one for one in reversed(against)}
    for one in sorted(told.values(), key=lambda one: (one.later.id, one.earlier.id), reverse=True):
        reason = f"{_quoted(one.before)} … but later {_quoted(one.after)}"
        id_ = str(one.earlier.id)
        is_all = lost[one.earlier.id] >= _laid_down(one.earlier)
        command = ("mark", id_, "--outdated") if is_all else ("edit", id_)
        yield Finding(CONTRADICTION, (one.earlier, one.later), reason, command)


def _overtaken(against: Sequence[Contradiction], today: date) -> Iterator[Finding]:
    """Yield sessions of some age of which nothing holds that they laid down, the oldest first."""
    lost = _lost(against)
    by_earlier: dict[object, list[Contradiction]] = defaultdict(list)
    for one in against:
        by_earlier[one.earlier.id].append(one)
    for found in by_earlier.values():
        session = found[0].earlier
        age = (today - session.date).days
        if age >= OVERTAKEN_DAYS and lost[session.id] >= _laid_down(session):
            later = sorted({one.later.id for one in found})
            reason = f"{age} days old, and all that it lays down was overtaken by "
            reason += ", ".join(map(str, later))
            yield Finding(OUTDATED, (session,), reason, ("mark", str(session.id), "--outdated"))


def _lost(against: Sequence[Contradiction]) -> dict[object, set[str]]:
    lost: dict[object, set[str]] = defaultdict(set)
    for one in against:
        lost[one.earlier.id].add(one.before)
    return lost


def _laid_down(session: Session) -> set[str]:
    """Return the statements of a session that hold until something else is said."""
    claims = {claim.text for claim in claims_of(session) if claim.kind in (ADOPTS, SETS)}
    return claims | set(session.decisions)


def _stopgaps(sessions: Sequence[Session], today: date) -> Iterator[Finding]:
    for session in sessions:
        age = (today - session.date).days
        said = (text for text in (session.topic, *lines_of(session)) if _STOPGAP.search(text))
        text = next(said, "") if age >= STOPGAP_DAYS else ""
        if text:
            reason = f"{age} days old, and calls something makeshift: {_quoted(text)}"
            yield Finding(OUTDATED, (session,), reason, ("mark", str(session.id), "--outdated"))


def _duplicates(sessions: Sequence[Session], progress: Progress | None) -> Iterator[Finding]:
    by_id = {session.id: session for session in sessions}
    for one in duplicates.find_duplicates(sessions, progress):
        reason = f"{round(100 * one.similarity)} % of their words are the same"
        both = by_id[one.earlier], by_id[one.later]
        yield Finding(DUPLICATE, both, reason, ("delete", str(one.earlier)))


def _poor(sessions: Sequence[Session], progress: Progress | None) -> Iterator[Finding]:
    """Yield thin and noisy digests, the worst first."""
    judged = [(quality.assess(session), session) for session in watched(sessions, progress)]
    poor = [(found, session) for found, session in judged if found.is_poor]
    for found, session in sorted(poor, key=lambda one: (one[0].score, one[1].id)):
        reason = f"quality {found.score:.1f} of 1: {'; '.join(found.reasons)}"
        command = "edit" if found.score else "delete"
        yield Finding(POOR, (session,), reason, (command, str(session.id)))


def _old_important(sessions: Sequence[Session], today: date) -> Iterator[Finding]:
    for session in sessions:
        age = (today - session.date).days
        if session.is_important and age >= IMPORTANT_DAYS:
            reason = f"important for {counted(age, 'day')}, so it never fades: is it still?"
            yield Finding(IMPORTANT, (session,), reason, ("mark", str(session.id), "--clear"))


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line if len(line) <= 100 else line[:99].rstrip() + "…"}"'
