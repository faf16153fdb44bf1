"""The quality of a digest: a score, and what lowers it.

A later reader needs more than a topic, about the work, said once. Notes by hand may be short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.wording import has_terms, is_empty, simplified
from daily_memory.model import BY_HAND, Session

# A digest below this is thin or noisy.
LEAST = 0.5

# What each finding subtracts, and its words.
_FINDINGS = {
    "nothing": (1.0, "it says nothing"),
    "topic_only": (0.6, "it has nothing but a topic"),
    "few_words": (0.6, "it says very little"),
    "questions": (0.5, "it has only questions, no outcome"),
    "noise": (0.6, "most lines are small talk or announcements"),
    "raw": (0.6, "most lines look like raw output"),
    "vague_topic": (0.3, "its topic does not say what it is about"),
}
_LEAST_TERMS = 4
_LONGEST_JUDGED = 2000
_RAW = re.compile(
    r"""
      ^\s* (?: \d{4}-\d\d-\d\d[T\ ]\d\d:\d\d | \[?(?:DEBUG|INFO|TRACE|WARN(?:ING)?|ERROR)\b[\]:\s]
        | Traceback\ \( | File\ "[^"]+",\ line\ \d | at\ [\w$.<>]+\( | \$\ | >>>\ | \+\+\+\ | ---\ |
        @@\ -\d | npm\ (?:ERR!|WARN) | [drwx-]{10}\s )
    """,
    re.VERBOSE,
)
_LETTER = re.compile(r"[^\W\d_]")


class Quality(NamedTuple):
    """The score of a digest from 0 to 1, and what lowers it, the worst first."""

    score: float
    reasons: tuple[str, ...]

    @property
    def is_poor(self) -> bool:
        return self.score < LEAST


def assess(session: Session) -> Quality:
    """Return the quality of a session, with reasons in English.

    >>> from datetime import date
    >>> assess(Session(date(2026, 1, 29), topic="帮我看个问题", conversation="3f2a"))
    Quality(score=0.1, reasons=('it has nothing but a topic', 'its topic does not say what it is \
about'))
    """
    found = sorted(set(_findings(session)), key=lambda name: (-_FINDINGS[name][0], name))
    score = max(0.0, 1 - sum(_FINDINGS[name][0] for name in found))
    return Quality(round(score, 2), tuple(_FINDINGS[name][1] for name in found))


def lines_of(session: Session) -> tuple[str, ...]:
    """Return the statements of a session, without topic and code; of a short note, its topic.

    >>> from datetime import date
    >>> lines_of(Session(date(2026, 1, 29), 1, topic="TTL 300 s", source="note"))
    ('TTL 300 s',)
    """
    notes = [line for note in session.notes for line in note.text.split("\n")]
    parts = (
        *session.summary.split("\n"),
        *session.key_points,
        *session.decisions,
        *session.open_questions,
        *session.next_steps,
        *notes,
    )
    is_short_note = session.source == BY_HAND and not any(parts)
    return tuple(part for part in ((session.topic,) if is_short_note else parts) if part.strip())


def _findings(session: Session) -> Iterator[str]:
    lines = lines_of(session)
    topic = session.topic.strip()
    is_by_hand = session.source in ("", BY_HAND) and not session.conversation
    if not (lines or topic or session.code):
        yield "nothing"
        return
    # A decision may be short.
    least = 1 if is_by_hand or session.decisions else _LEAST_TERMS
    if not lines and not session.code and not is_by_hand:
        yield "topic_only"
    elif not session.code and not (
        has_terms(topic, least) or has_terms(" \n".join((topic, *lines)), least)
    ):
        yield "few_words"
    if not is_by_hand and is_empty(simplified(topic)):
        yield "vague_topic"
    plain = [simplified(line[:_LONGEST_JUDGED]).strip() for line in lines]
    # One noisy line below a good topic does no harm.
    if 2 * sum(map(is_noise, plain)) > len(lines) > 1:
        yield "noise"
    if 2 * sum(map(is_raw, plain)) > len(lines):
        yield "raw"
    answers = (*session.decisions, *session.next_steps, session.summary, *session.code)
    if lines and not any(answers) and all(cues.ASKS.search(line) for line in plain):
        yield "questions"


def is_noise(line: str) -> bool:
    """Tell whether a line is about the conversation, not about the work."""
    is_talk = cues.NARRATION.match(line) or cues.SMALL_TALK.search(line)
    # "Let me note: TTL is 300 s" is worth keeping.
    return bool(is_empty(line) or (is_talk and not any(map(str.isdigit, line))))


def is_raw(line: str) -> bool:
    """Tell whether a line looks like program output."""
    if _RAW.match(line):
        return True
    # Quicker than to find each letter, and most lines are words.
    is_text = len(line) <= 30 or sum(map(str.isalpha, line)) * 3 >= len(line)
    return not is_text and len(_LETTER.findall(line)) * 3 < len(line)
