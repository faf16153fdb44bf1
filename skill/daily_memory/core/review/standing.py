"""What of a memory still stands: preferences, decisions in force, facts and open threads.

This is what a new conversation is told first, so it is short, and every line names the sessions
that it comes from. The same sessions always give the same lines: no clock, no model. What a later
session contradicts does not stand (`contradictions.py`); an open thread that a later one settled is
none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.wording import has_terms, repeats, shortened, simplified, terms_of
from daily_memory.core.progress import Progress, watched
from daily_memory.core.review.claims import ADOPTS, SETS, claims_in
from daily_memory.core.review.contradictions import find_contradictions
from daily_memory.core.review.quality import is_noise, is_raw, lines_of
from daily_memory.core.suspicion import find_suspicions
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
# Threads are open for so many days, counted back from the newest session.
OPEN_DAYS = 30

_MAX_LINE_CHARS = 160
_LEAST_TERMS = 2
_ALIKE = 0.8
_SETTLED = 0.6
_MOST_SOURCES = 3
# Of each kind; far more than fit.
_MOST_CANDIDATES = 200
_MOST_OPEN = 60
_BY_HAND = "note"
_PREFERS = re.compile(
    r"""
      喜欢 | 偏好 | 习惯 | 统一(?!了) | 一律 | 以后都 | 约定(?!了)
    | (?: ^ | [,;.:]\s* | \b(?:we|i|please)\s ) (?: always | never ) \b
    | \b (?: prefers? | from\ now\ on | convention | user\ likes ) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A task that the user gave, and not how things are.
_IS_TASK = re.compile(r"用户(?:希望|要求|想)|\buser\s(?:wants|asked|requested)\b", re.IGNORECASE)
_DIRT = re.compile(r"\s+")


class Line(NamedTuple):
    """One line of the summary: what it says, the ids that it comes from, and whose it is.

    `origin` is "" for what the user's own sessions say.
    """

    kind: str
    text: str
    ids: tuple[str, ...]
    origin: str = ""


class _Said(NamedTuple):
    kind: str
    text: str
    session: Session
    terms: frozenset[str]


def lines_in_force(
    sessions: Sequence[Session],
    hide: Callable[[str], str] = str,
    progress: Progress | None = None,
) -> dict[str, list[Line]]:
    """Return what stands, by kind, what matters most first.

    `hide` takes secrets out of a text: people may have written some into a day file.

    Private and outdated sessions are left out. What others wrote (`origin`) comes last, and not at
    all where it looks like an order to the assistant.
    """
    told = [
        one
        for one in sorted(sessions, key=lambda one: one.id)
        if not one.is_private and not one.is_outdated
    ]
    gone = {(one.earlier.id, one.before) for one in find_contradictions(told, progress)}
    said = [
        one
        for session in watched(told, progress)
        for one in _said_in(session)
        if (session.id, one.text) not in gone and not _is_order(one)
    ]
    open_ = list(_open_threads(told))
    return {
        kind: _merged(open_ if kind == OPEN else [one for one in said if one.kind == kind], hide)
        for kind in KINDS
    }


def chosen(found: dict[str, list[Line]], language: str, max_chars: int) -> list[Line]:
    """Return the lines that fit into so many characters, as `formatted` writes them, by kind.

    The kinds take turns, so that none pushes out the others.
    """
    rest = {kind: list(found[kind]) for kind in KINDS}
    taken: list[Line] = []
    free = max_chars
    while any(rest.values()):
        for kind in KINDS:
            if not rest[kind]:
                continue
            line = rest[kind].pop(0)
            cost = len(_format_line(line)) + 1
            if all(one.kind != kind for one in taken):
                cost += len(HEADINGS[language][kind]) + len("## \n\n")
            if cost <= free:
                taken.append(line)
                free -= cost
    return sorted(taken, key=lambda line: KINDS.index(line.kind))


def formatted(lines: Sequence[Line], language: str) -> list[str]:
    """Return the lines of our part of `summary.md`: a heading for each kind, and what stands."""
    written: list[str] = []
    for kind in KINDS:
        own = [_format_line(line) for line in lines if line.kind == kind]
        if own:
            gap = [""] if written else []
            written += [*gap, f"## {HEADINGS[language][kind]}", *own]
    return written


def _format_line(line: Line) -> str:
    origin = f"; {line.origin}" if line.origin else ""
    return f"- {line.text} ({', '.join(line.ids)}{origin})"


# ---------------------------------------------------------------------------- what is said


def _said_in(session: Session) -> Iterator[_Said]:
    decided = frozenset(session.decisions)
    is_by_hand = session.source == _BY_HAND
    topic = (session.topic,) if is_by_hand and not session.key_points else ()
    for text in dict.fromkeys((*topic, *lines_of(session))):
        plain = simplified(text)
        if text in session.open_questions or text in session.next_steps or _is_open(plain):
            continue
        # The user's own flag: what others call important is not so for the user.
        is_stressed = is_by_hand or (session.is_important and not session.origin)
        kind = _kind_of(text, plain, is_decision=text in decided, is_stressed=is_stressed)
        # "用 Go" decides something.
        least = 1 if text in decided else _LEAST_TERMS
        if kind and has_terms(plain, least) and not _is_no_use(plain):
            yield _Said(kind, text, session, terms_of(text))


def _kind_of(text: str, plain: str, *, is_decision: bool, is_stressed: bool) -> str:
    if _PREFERS.search(plain) and not cues.DECIDED_PLAINLY.search(plain):
        return PREFERENCE
    if is_decision or (cues.DECIDED.search(plain) and not cues.UNDECIDED.search(plain)):
        return DECISION
    # What was done or found once is history; what is used, or set, holds on.
    is_history = cues.DONE.search(plain) or cues.CAUSE.search(plain) or _IS_TASK.search(plain)
    holds_on = not is_history and any(one.kind in (ADOPTS, SETS) for one in claims_in(text))
    return FACT if is_stressed or holds_on else ""


def _is_no_use(plain: str) -> bool:
    return bool(cues.ASKS.search(plain) or is_noise(plain) or is_raw(plain))


def _is_open(plain: str) -> bool:
    """Tell whether a statement says of itself that it is left to do or to find out."""
    return bool(cues.LABELLED_TO_DO.match(plain) or cues.LABELLED_OPEN.match(plain))


def _is_order(said: _Said) -> bool:
    """Tell whether what another one wrote speaks to the assistant."""
    return bool(said.session.origin and find_suspicions(said.text))


def _open_threads(sessions: Sequence[Session]) -> Iterator[_Said]:
    """Yield what was left open of late and not settled since, the newest first."""
    if not sessions:
        return
    first = days_before(sessions[-1].date, OPEN_DAYS)
    late = [session for session in sessions if session.date >= first]
    done = [
        (session.id, text)
        for session in late
        for text in (session.topic, *session.decisions, *session.key_points, session.summary)
        if cues.DONE.search(simplified(text))
    ]
    count = 0
    for session in reversed(late):
        left = (text for text in lines_of(session) if _is_open(simplified(text)))
        for text in dict.fromkeys((*session.open_questions, *session.next_steps, *left)):
            said = _Said(OPEN, text, session, terms_of(text))
            if count == _MOST_OPEN or len(said.terms) < _LEAST_TERMS or _is_order(said):
                continue
            count += 1
            later = (settled for id_, settled in done if id_ > session.id)
            if not any(repeats(text, settled, _SETTLED) for settled in later):
                yield said


# ---------------------------------------------------------------------------- lines


def _merged(said: Iterable[_Said], hide: Callable[[str], str]) -> list[Line]:
    """Return what is said, each once with all its sources, in the order of what it matters."""
    groups: list[list[_Said]] = []
    ranked = sorted(said, key=_weight)
    for one in ranked[:_MOST_CANDIDATES]:
        for group in groups:
            if _are_alike(one, group[0]):
                group.append(one)
                break
        else:
            groups.append([one])
    groups.sort(key=lambda group: (_weight(group[0])[:2], -min(len(group), _MOST_SOURCES)))
    return [_line(group, hide) for group in groups]


def _weight(said: _Said) -> tuple[bool, bool, int, int, str]:
    session = said.session
    is_important = session.is_important and not session.origin
    day = session.date.toordinal()
    return bool(session.origin), not is_important, -day, -session.number, said.text


def _are_alike(one: _Said, other: _Said) -> bool:
    if bool(one.session.origin) != bool(other.session.origin):
        return False
    if abs(len(one.terms) - len(other.terms)) > 0.5 * len(one.terms):
        return False
    return repeats(one.text, other.text, _ALIKE) and repeats(other.text, one.text, _ALIKE)


def _line(group: Sequence[_Said], hide: Callable[[str], str]) -> Line:
    first = group[0]
    ids = sorted({one.session.id for one in group})[-_MOST_SOURCES:]
    origin = _clean(first.session.origin).replace("(", "").replace(")", "")
    # Before it is cut: half a secret looks like none.
    return Line(first.kind, _clean(hide(first.text)), tuple(map(str, ids)), origin)


def _clean(text: str) -> str:
    """Return a text as one line that ends no comment and begins none."""
    line = _DIRT.sub(" ", text).strip().lstrip("-*# ")
    line = line.replace("<!--", "<! --").replace("-->", "-- >")
    return shortened(line, _MAX_LINE_CHARS)
