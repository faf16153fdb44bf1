"""Finds statements that a later session contradicts.

"Use Flask" … "replaced Flask by FastAPI"; "TTL 定为 300 秒" … "TTL 改为 600 秒".

A claim is contradicted if the last later claim about its name, part or value in the same project
differs. It works by cues and prefers to miss one: people stop reading wrong warnings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.progress import Progress, watched
from daily_memory.core.review.claims import ADOPTS, DROPS, SETS, SWITCHES, Claim, claims_of, telling
from daily_memory.model import Session

# How many later claims about one thing are compared, newest first: a name may be everywhere.
_MOST_LATER = 200

_Placed = tuple[int, Claim]


class Contradiction(NamedTuple):
    """Two statements that contradict each other; `subject` is what they are about."""

    earlier: Session
    later: Session
    before: str
    after: str
    subject: str


def find_contradictions(
    sessions: Sequence[Session], progress: Progress | None = None
) -> tuple[Contradiction, ...]:
    """Return the statements that a later session contradicts, oldest first."""
    projects: dict[str, list[Session]] = defaultdict(list)
    for session in sorted(sessions, key=lambda session: session.id):
        projects[session.project.casefold()].append(session)
    found = [pair for group in projects.values() for pair in _in_project(group, progress)]
    return tuple(sorted(found, key=lambda pair: (pair.earlier.id, pair.before, pair.later.id)))


class _Index(NamedTuple):
    """The claims of a project by name, part and value, each with the place of its session."""

    names: dict[str, list[_Placed]]
    parts: dict[str, list[_Placed]]
    values: dict[str, list[_Placed]]


def _in_project(sessions: Sequence[Session], progress: Progress | None) -> Iterator[Contradiction]:
    claims_by_place = [claims_of(session) for session in watched(sessions, progress)]
    index = _Index(defaultdict(list), defaultdict(list), defaultdict(list))
    for place, claims in enumerate(claims_by_place):
        for claim in claims:
            if claim.kind in (ADOPTS, DROPS):
                index.names[claim.name].append((place, claim))
            else:
                terms = index.parts if claim.kind == SWITCHES else index.values
                for term in claim.about:
                    terms[term].append((place, claim))
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
    if claim.kind == SETS:
        last = _last(own, claim.about, index.values, lambda other: _is_same_value(claim, other[1]))
        return last if last and last[1].value != claim.value else None
    if claim.kind == SWITCHES:
        return None

    def is_for_same(other: _Placed) -> bool:
        return _is_for_same(claim, sessions[place], other[1], sessions[other[0]])

    named = _last(own, {claim.name}, index.names, is_for_same)
    if named:
        return named if named[1].kind != claim.kind else None
    if claim.kind == DROPS:
        return None
    return _last(own, claim.about, index.parts, lambda other: _is_other_for(claim, other[1]))


def _last(
    own: _Placed,
    terms: Iterable[str],
    claims: dict[str, list[_Placed]],
    is_meant: Callable[[_Placed], bool],
) -> _Placed | None:
    """Return the last claim under one of these terms, from a later session, that is meant."""
    hits = []
    for term in sorted(terms):
        newest = claims[term][: -_MOST_LATER - 1 : -1]
        later = (other for other in newest if other[0] > own[0] and is_meant(other))
        hits += [hit for hit in (next(later, None),) if hit]
    return max(hits, key=lambda hit: hit[0], default=None)


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


def _is_same_value(claim: Claim, later: Claim) -> bool:
    if later.unit != claim.unit and later.unit and claim.unit:
        return False
    if claim.about == later.about:
        return True
    return later.is_change and (claim.about < later.about or later.about < claim.about)
