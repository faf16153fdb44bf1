"""Finds statements that a later session contradicts.

"Use Flask" … "replaced Flask by FastAPI"; "TTL 定为 300 秒" … "TTL 改为 600 秒".

In one project, a claim is contradicted if the last later claim about its name or part differs, a
statement if the last later one on the same thing has another value or a "never" (see `opposition`).
It prefers to miss one: people stop reading wrong warnings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.progress import Progress, watched
from daily_memory.core.review import opposition
from daily_memory.core.review.asking import Ask, Rows, ask_now
from daily_memory.core.review.claims import (
    ADOPTS,
    DROPS,
    SWITCHES,
    Claim,
    known_claims,
    telling,
)
from daily_memory.core.review.quality import lines_of
from daily_memory.core.search.text import terms
from daily_memory.model import Session, SessionId

# How many later claims about one thing are compared, newest first: a name may be everywhere.
_MOST_LATER = 200
# How many statements with the same word are compared, the newest.
_MOST_NEAR = 50

# What was measured once is no rule.
_MEASURED = re.compile(
    r"\b(?:took|takes|measured|latency|p9\d|p50|average|median|faster|slower|passed|failed|coverage)\b"
    r"|耗时|实测|测得|延迟|平均|中位|通过|失败|覆盖率|命中率|用时|[改优]化[前后]",
    re.IGNORECASE,
)

# Claims with the place of their session, by their kind and the name or term that they are about.
_Placed = tuple[int, Claim]
_Index = dict[tuple[str, str], list[_Placed]]
_NAMED = "named"


class Contradiction(NamedTuple):
    """Two statements that contradict each other; `subject` is what they are about."""

    earlier: Session
    later: Session
    before: str
    after: str
    subject: str


def find_contradictions(
    sessions: Sequence[Session], progress: Progress | None = None, ask: Ask = ask_now
) -> tuple[Contradiction, ...]:
    """Return the statements that a later session contradicts, oldest first."""
    projects: dict[str, list[Session]] = defaultdict(list)
    for session in sorted(sessions, key=lambda session: session.id):
        projects[session.project.casefold()].append(session)
    found: dict[tuple[SessionId, str], Contradiction] = {}
    for group in projects.values():
        for pair in (*_in_project(group, progress, ask), *_opposed(group, progress, ask)):
            found.setdefault((pair.earlier.id, pair.before), pair)
    return tuple(sorted(found.values(), key=lambda pair: (pair.earlier.id, pair.before)))


def _opposed(
    sessions: Sequence[Session], progress: Progress | None, ask: Ask
) -> Iterator[Contradiction]:
    """Yield the statements of which the last later one on the same thing says another value, or
    "never"; see `opposition`. What was measured is no rule.
    """
    lines = [
        (session, lines_in[place], opposition.Statement(frozenset(words), frozenset(names), *rest))
        for session in watched(sessions, progress)
        for lines_in in [lines_of(session)]
        for place, words, names, *rest in ask("opposed", session, _read)
    ]
    statements = [statement for _, _, statement in lines]
    near = _Near(statements)
    last: dict[int, int] = {}
    for place, statement in enumerate(watched(statements, progress)):
        if statement.value is None and not statement.is_negated:
            continue  # nearly all are so: what denies one is asked instead
        later = next(near.on_same(place, is_later=True), None)
        if later is not None:
            last[place] = later
        if statement.value is None:
            last.update(dict.fromkeys(near.on_same(place, is_later=False), place))
    for place, later in last.items():
        (session, line, statement), (after, reply, other) = lines[place], lines[later]
        if after is not session and opposition.are_opposed(statement, other):
            subject = " ".join(sorted(statement.words & other.words))
            yield Contradiction(session, after, line, reply, subject)


class _Near:
    """Which statements share words with one that they may oppose."""

    def __init__(self, statements: Sequence[opposition.Statement]) -> None:
        self._statements = statements
        self._groups: dict[opposition.Group, dict[str, list[int]]] = {}
        for place, statement in enumerate(statements):
            index = self._groups.setdefault(opposition.group(statement), {})
            for word in statement.words:
                index.setdefault(word, []).append(place)

    def on_same(self, place: int, *, is_later: bool) -> Iterator[int]:
        """Yield the statements on the same thing after one, or before it, the newest first."""
        statement = self._statements[place]
        index = self._groups.get(opposition.group_of_partners(statement), {})
        shared: Counter[int] = Counter()
        for word in statement.words & index.keys():
            at = bisect_right(index[word], place)
            listed = index[word][at:] if is_later else index[word][:at]
            shared.update(listed[-_MOST_NEAR:])
        least = opposition.least_shared(statement)
        near = sorted((at for at, count in shared.items() if count >= least), reverse=True)
        return (at for at in near if opposition.is_on_same(statement, self._statements[at]))


def _read(session: Session) -> Rows:
    """Return what the lines of a session say that are no measurement, with their places."""
    statements = (
        (place, opposition.read(line))
        for place, line in enumerate(lines_of(session))
        if not _MEASURED.search(line)
    )
    # "The TTL is 300 s" is about what its topic names.
    topic = frozenset(terms(session.topic))
    return [
        (place, sorted(words if len(words) > 1 else words | topic), sorted(names), *rest)
        for place, (words, names, *rest) in statements
        if words
    ]


def _in_project(
    sessions: Sequence[Session], progress: Progress | None, ask: Ask
) -> Iterator[Contradiction]:
    claims_by_place = [known_claims(session, ask) for session in watched(sessions, progress)]
    index: _Index = defaultdict(list)
    for place, claims in enumerate(claims_by_place):
        for claim in claims:
            is_named = claim.kind in (ADOPTS, DROPS)
            for term in [claim.name] if is_named else claim.about:
                index[_NAMED if is_named else claim.kind, term].append((place, claim))
    for place, claims in enumerate(claims_by_place):
        done: set[str] = set()
        for claim in claims:
            last = _last_word((place, claim), sessions, index)
            if last and claim.text not in done:
                done.add(claim.text)
                at, after = last
                subject = claim.name or " ".join(sorted(claim.about & after.about))
                yield Contradiction(sessions[place], sessions[at], claim.text, after.text, subject)


def _last_word(own: _Placed, sessions: Sequence[Session], index: _Index) -> _Placed | None:
    """Return the last later claim about the same thing, if it differs."""
    place, claim = own
    if claim.kind == SWITCHES:
        return None
    names = _later(own, _NAMED, {claim.name}, index)
    session = sessions[place]
    same = (other for other in names if _is_for_same(claim, session, other[1], sessions[other[0]]))
    last = next(same, None)
    if last or claim.kind == DROPS:
        return last if last and last[1].kind != claim.kind else None
    parts = _later(own, SWITCHES, claim.about, index)
    return next((other for other in parts if _is_other_for(claim, other[1])), None)


def _later(own: _Placed, kind: str, terms: Iterable[str], index: _Index) -> list[_Placed]:
    """Return the claims of later sessions under some terms, the newest first."""
    newest = (index[kind, term][: -_MOST_LATER - 1 : -1] for term in sorted(terms))
    later = [other for group in newest for other in group if other[0] > own[0]]
    return sorted(later, key=lambda placed: placed[0], reverse=True)


def _is_other_for(claim: Claim, later: Claim) -> bool:
    """Tell whether a part is made with something else now."""
    is_named = claim.name in later.text.casefold()
    return later.name != claim.name and later.about <= claim.about and not is_named


def _is_for_same(claim: Claim, session: Session, later: Claim, other: Session) -> bool:
    """Tell whether two claims may be about the same part."""
    if not claim.about or not later.about or claim.about & later.about:
        return True
    around = telling(session.topic) | claim.about
    return bool(around & (telling(other.topic) | later.about) - {claim.name})
