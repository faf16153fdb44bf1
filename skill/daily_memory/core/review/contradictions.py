"""Finds what a later session says against an earlier one.

"Use Flask" … "replaced Flask by FastAPI"; "TTL 定为 300 秒" … "TTL 改为 600 秒".

An earlier claim is contradicted where the last word on its name, its part or its value is another
one, in the same project. It is a matter of cues, not of understanding, and made to be right rather
than complete: who reads a wrong warning does not read the next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.progress import Progress, watched
from daily_memory.core.review.claims import ADOPTS, DROPS, SETS, SWITCHES, Claim, claims_of, telling
from daily_memory.model import Session

# How many later claims about one thing are looked at, the newest: a name may stand everywhere.
_MOST_LATER = 200

_Placed = tuple[int, Claim]


class Contradiction(NamedTuple):
    """Two statements that do not hold together; `subject` is what they are about."""

    earlier: Session
    later: Session
    before: str
    after: str
    subject: str


def find_contradictions(
    sessions: Sequence[Session], progress: Progress | None = None
) -> tuple[Contradiction, ...]:
    """Return what is said in these sessions and contradicted by a later one, oldest first.

    Of each earlier statement there is one contradiction, by the last word on the matter.
    """
    projects: dict[str, list[Session]] = defaultdict(list)
    for session in sorted(sessions, key=lambda one: one.id):
        projects[session.project.casefold()].append(session)
    found = [one for group in projects.values() for one in _in_project(group, progress)]
    return tuple(sorted(found, key=lambda one: (one.earlier.id, one.before, one.later.id)))


class _Index(NamedTuple):
    """The claims of a project, each with the place of its session, in order."""

    names: dict[str, list[_Placed]]
    parts: dict[str, list[_Placed]]
    values: dict[str, list[_Placed]]


def _in_project(sessions: Sequence[Session], progress: Progress | None) -> Iterator[Contradiction]:
    made = [claims_of(session) for session in watched(sessions, progress)]
    index = _indexed(made)
    for place, claims in enumerate(made):
        told: set[str] = set()
        for claim in claims:
            last = _last_word((place, claim), sessions, index)
            if last and claim.text not in told:
                told.add(claim.text)
                at, after = last
                subject = claim.name or " ".join(sorted(claim.about & after.about))
                yield Contradiction(sessions[place], sessions[at], claim.text, after.text, subject)


def _indexed(made: Sequence[Sequence[Claim]]) -> _Index:
    index = _Index(defaultdict(list), defaultdict(list), defaultdict(list))
    for place, claims in enumerate(made):
        for claim in claims:
            if claim.kind in (ADOPTS, DROPS):
                index.names[claim.name].append((place, claim))
                continue
            terms = index.parts if claim.kind == SWITCHES else index.values
            for term in claim.about:
                terms[term].append((place, claim))
    return index


def _last_word(own: _Placed, sessions: Sequence[Session], index: _Index) -> _Placed | None:
    """Return the last later claim about the same thing where it says otherwise."""
    place, claim = own
    if claim.kind == SETS:
        last = _last(own, claim.about, index.values, lambda one: _is_same_value_of(claim, one[1]))
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
    return _last(own, claim.about, index.parts, lambda one: _is_other_for(claim, one[1]))


def _last(
    own: _Placed,
    terms: Iterable[str],
    places: dict[str, list[_Placed]],
    is_meant: Callable[[_Placed], bool],
) -> _Placed | None:
    """Return the last claim under one of these terms, of a later session, that is meant."""
    found = []
    for term in sorted(terms):
        for other in places[term][: -_MOST_LATER - 1 : -1]:
            if other[0] <= own[0]:
                break
            if is_meant(other):
                found.append(other)
                break
    return max(found, key=lambda one: one[0], default=None)


def _is_other_for(claim: Claim, later: Claim) -> bool:
    """Tell whether a part is made with something else by now."""
    is_named = claim.name in later.text.casefold()
    return later.name != claim.name and later.about <= claim.about and not is_named


def _is_for_same(claim: Claim, session: Session, later: Claim, other: Session) -> bool:
    """Tell whether two claims may be about the same part: what they are for does not differ."""
    if not claim.about or not later.about or claim.about & later.about:
        return True
    around = telling(session.topic) | claim.about
    return bool(around & (telling(other.topic) | later.about) - {claim.name})


def _is_same_value_of(claim: Claim, later: Claim) -> bool:
    if later.unit != claim.unit and later.unit and claim.unit:
        return False
    if claim.about == later.about:
        return True
    return later.is_change and (claim.about < later.about or later.about < claim.about)
