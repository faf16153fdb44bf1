"""Preferences, decisions, facts and open threads in force, for `summary.md`.

New conversations read this first, so it is short, and each line names its source sessions. The same
sessions always give the same lines. Statements that a later session contradicts are left out, and
so are threads that one closed. Decisions in a digest are guesses: of them only the user's rules
count, and what another session repeats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import chain, zip_longest
from typing import NamedTuple

from daily_memory.core.digests import cues, rules
from daily_memory.core.digests.wording import has_terms, shortened, simplified, terms_of
from daily_memory.core.format.section_text import digests
from daily_memory.core.progress import with_progress
from daily_memory.core.prompt_injection import find_suspicions
from daily_memory.core.review import opposition, replacements
from daily_memory.core.review.cache import Cache, Rows, uncached
from daily_memory.core.review.contradictions import find_contradictions
from daily_memory.core.review.quality import is_noise, is_raw, lines_of
from daily_memory.core.review.similarity import repeats
from daily_memory.model import Session, days_before

PREFERENCE, DECISION, FACT, OPEN = "preference", "decision", "fact", "open"
KINDS = (PREFERENCE, DECISION, FACT, OPEN)
HEADINGS = {
    "zh": dict(zip(KINDS, ("偏好与约定", "有效的决策", "长期事实", "未了的事"), strict=True)),
    "en": dict(
        zip(
            KINDS,
            ("Preferences", "Decisions in force", "Standing facts", "Open threads"),
            strict=True,
        )
    ),
}
# A thread is open for this long before the newest session.
OPEN_DAYS = 30

_MAX_LINE_CHARS = 160
_LEAST_TERMS = 2
_ALIKE = 0.8
_SETTLED = 0.6
_MOST_SOURCES = 3
# Per kind; far more than fit.
_MOST_CANDIDATES = 200
_MOST_OPEN = 60
_BY_HAND = "note"
_LIST_MARKS = re.compile(r"^(?:(?:[-*]|#+)(?: |$))+")
_OF_USER = re.compile(r"用户|\buser\b", re.IGNORECASE)
# What was found and done.
_DONE = cues.pattern_of(
    r"""
    原因 | 根因 | 发现 | 已(?!知) | 修复 | 完成 | 改[为成用] | 换成 | 新增 | 通过 | 成功
    | [降减][到至低少] | 恢复 | 上线了 | 验证 | 加[上了]
    | <word> (?: because | root\ cause | caused | fix(?:ed|es)? | applied | installed | enabled
      | configured | resolved | added | removed | replaced | changed | implemented | created
      | updated | renamed | moved | deployed | shipped | merged | deleted | reverted
      | pass(?:ed|es)? | no\ longer | verified | i['’]ve | now\ \w{3,12}s
      | (?: is | are ) \ (?: gone | green ) ) </word>
    """
)
_IS_TASK = re.compile(r"用户(?:希望|要求|想)|\buser\s(?:wants|asked|requested)\b", re.IGNORECASE)


class SummaryLine(NamedTuple):
    """A line of the summary, its source ids, and its author, "" for the user."""

    kind: str
    text: str
    ids: tuple[str, ...]
    origin: str = ""


class _Statement(NamedTuple):
    kind: str
    text: str
    session: Session
    is_vouched: bool = True


class WhatHolds(NamedTuple):
    """The statements in force by kind, the most important first, and the days they come from."""

    lines: dict[str, list[SummaryLine]]
    days: frozenset[date]


def statements_in_force(
    sessions: Sequence[Session], hide: Callable[[str], str] = str, cache: Cache = uncached
) -> WhatHolds:
    """Return the statements in force.

    `hide` removes secrets, which people may have written into a day file. Private and outdated
    sessions are left out. What others wrote comes last, and not at all if it looks like an
    instruction to the assistant.
    """
    current = sorted(
        (session for session in sessions if not session.is_private and not session.is_outdated),
        key=lambda session: session.id,
    )
    pairs = find_contradictions(current, cache)
    gone = {(pair.earlier.id, pair.before) for pair in pairs}
    by_kind: dict[str, list[_Statement]] = {kind: [] for kind in KINDS}
    by_kind[OPEN] += _open_threads(current)
    lasting = [by_kind[kind] for kind in KINDS if kind != OPEN]
    last = None
    for session in with_progress(sorted(current, key=_rank)):
        # What weighs less than enough others of each kind need not be read.
        if min(map(len, lasting)) >= _MOST_CANDIDATES and _rank(session) != last:
            continue
        last = _rank(session)
        for kind, text, is_vouched in cache("holds", session, _statements):
            if (session.id, text) not in gone:
                by_kind[kind].append(_Statement(kind, text, session, is_vouched))
    chosen = {
        kind: sorted(group, key=_weight)[:_MOST_CANDIDATES] for kind, group in by_kind.items()
    }
    days = {statement.session.date for group in chosen.values() for statement in group}
    # Later sessions still contradict, and recent ones may have closed a thread.
    days |= {pair.later.date for pair in pairs if pair.earlier.date in days}
    first = days_before(current[-1].date, OPEN_DAYS) if current else date.max
    days |= {session.date for session in current if session.date >= first}
    lines = {kind: _merged(group, hide) for kind, group in chosen.items()}
    return WhatHolds(lines, frozenset(days))


def select_lines(
    lines: dict[str, list[SummaryLine]], language: str, max_chars: int
) -> list[SummaryLine]:
    """Return the lines that fit into `max_chars`, taking turns between kinds."""
    taken: list[SummaryLine] = []
    for line in chain.from_iterable(zip_longest(*(lines[kind] for kind in KINDS))):
        more = [*taken, line] if line else taken
        if sum(len(text) + 1 for text in format_lines(more, language)) <= max_chars:
            taken = more
    return sorted(taken, key=lambda line: KINDS.index(line.kind))


def format_lines(lines: Sequence[SummaryLine], language: str) -> list[str]:
    """Return our part of `summary.md` as lines."""
    text: list[str] = []
    for kind in KINDS:
        own = [_format_line(line) for line in lines if line.kind == kind]
        if own:
            text += [*([""] if text else []), f"## {HEADINGS[language][kind]}", *own]
    return text


def _format_line(line: SummaryLine) -> str:
    origin = f"; {line.origin}" if line.origin else ""
    return f"- {line.text} ({', '.join(line.ids)}{origin})"


def _statements(session: Session) -> Rows:
    """Return kind and text of a session's preferences, decisions and facts.

    With them, whether each holds although nothing else says it.
    """
    found = []
    is_by_hand, is_written = session.source == _BY_HAND, _is_written(session)
    for text in dict.fromkeys(lines_of(session)):
        plain = simplified(text)
        if text in session.open_questions or text in session.next_steps or _is_open(plain):
            continue
        is_decision = text in session.decisions
        # Only the user's own flag counts.
        is_stressed = is_by_hand or (session.is_important and not session.origin)
        # Of a conversation the digest has the user's rules among the decisions; what else sounds
        # like one is advice of the assistant.
        is_by_user = is_decision or is_written or _OF_USER.search(plain)
        kind = PREFERENCE if is_by_user and rules.is_rule(plain) else ""
        # A digest has tasks of the user among them, which end with their conversation.
        is_chosen = is_decision and (is_written or bool(cues.CHOOSES.search(plain)))
        kind = kind or _kind_of(text, plain, is_decision=is_chosen, is_stressed=is_stressed)
        # A decision may be as short as "用 Go".
        if not kind or not has_terms(plain, 1 if is_decision else _LEAST_TERMS):
            continue
        is_useless = cues.ASKS.search(plain) or is_noise(plain) or is_raw(plain)
        if not is_useless and not _is_order(text, session):
            is_vouched = is_written or is_stressed or kind == PREFERENCE
            found.append((kind, text, is_vouched))
    return found


def _is_written(session: Session) -> bool:
    """Tell whether a session is not a digest, or a person edited it."""
    return not session.conversation or session.digest not in {"", *digests(session)}


def _kind_of(text: str, plain: str, *, is_decision: bool, is_stressed: bool) -> str:
    if is_decision or (cues.DECIDED.search(plain) and not cues.UNDECIDED.search(plain)):
        return DECISION
    # What was done or found once, or asked for, is history.
    is_history = _DONE.search(plain) or _IS_TASK.search(plain)
    is_fact = not is_history and (opposition.states_value(text) or replacements.adopts(text))
    return FACT if is_stressed or is_fact else ""


def _is_open(plain: str) -> bool:
    bare = plain.lstrip("*_ ")
    return bool(cues.TO_DO.match(bare) or cues.UNSOLVED.match(bare))


def _is_order(text: str, session: Session) -> bool:
    return bool(session.origin and find_suspicions(text))


def _open_threads(sessions: Sequence[Session]) -> Iterator[_Statement]:
    """Yield recent open threads that nothing closed since, the newest first."""
    if not sessions:
        return
    first = days_before(sessions[-1].date, OPEN_DAYS)
    recent = [session for session in sessions if session.date >= first]
    done = [
        (session.id, text)
        for session in recent
        for text in (session.topic, *session.decisions, *session.key_points, session.summary)
        if _DONE.search(simplified(text))
    ]
    count = 0
    # Open threads of a digest are shown to the next conversation with its section.
    for session in filter(_is_written, reversed(recent)):
        labelled = (text for text in lines_of(session) if _is_open(simplified(text)))
        for text in dict.fromkeys((*session.open_questions, *session.next_steps, *labelled)):
            is_short = not has_terms(text, _LEAST_TERMS)
            if count == _MOST_OPEN or is_short or _is_order(text, session):
                continue
            count += 1
            later = (closing for id_, closing in done if id_ > session.id)
            if not any(repeats(text, closing, _SETTLED) for closing in later):
                yield _Statement(OPEN, text, session)


def _merged(statements: Sequence[_Statement], hide: Callable[[str], str]) -> list[SummaryLine]:
    """Return distinct statements with all their sources, the most important first."""
    groups: list[list[_Statement]] = []
    for statement in statements:
        group = next((group for group in groups if _are_alike(statement, group[0])), None)
        if group is None:
            groups.append([statement])
        else:
            group.append(statement)
    groups = [group for group in groups if _holds(group)]
    groups.sort(key=lambda group: (_weight(group[0])[:2], -min(len(group), _MOST_SOURCES)))
    return [_line(group, hide) for group in groups]


def _holds(group: Sequence[_Statement]) -> bool:
    """Tell whether somebody wrote a statement, or two conversations have it."""
    talks = {statement.session.conversation for statement in group}
    return len(talks) > 1 or any(statement.is_vouched for statement in group)


def _weight(statement: _Statement) -> tuple[bool, bool, int, int, str]:
    return *_rank(statement.session), statement.text


def _rank(session: Session) -> tuple[bool, bool, int, int]:
    is_important = session.is_important and not session.origin
    return bool(session.origin), not is_important, -session.date.toordinal(), -session.number


def _are_alike(first: _Statement, other: _Statement) -> bool:
    if bool(first.session.origin) != bool(other.session.origin):
        return False
    own, others = len(terms_of(first.text)), len(terms_of(other.text))
    if abs(own - others) > 0.5 * own:
        return False
    return repeats(first.text, other.text, _ALIKE) and repeats(other.text, first.text, _ALIKE)


def _line(group: Sequence[_Statement], hide: Callable[[str], str]) -> SummaryLine:
    first = group[0]
    ids = sorted({statement.session.id for statement in group})[-_MOST_SOURCES:]
    origin = _clean(first.session.origin).replace("(", "").replace(")", "")
    # Hidden before it is cut: half a secret does not look like one.
    return SummaryLine(first.kind, _clean(hide(first.text)), tuple(map(str, ids)), origin)


def _clean(text: str) -> str:
    """Return a text as one line that can't open or close a comment."""
    line = _LIST_MARKS.sub("", " ".join(text.split()))
    return shortened(line.replace("<!--", "<! --").replace("-->", "-- >"), _MAX_LINE_CHARS)
