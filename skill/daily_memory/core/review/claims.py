"""What the statements of a session settle: a name is adopted or dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.wording import simplified
from daily_memory.core.review import claim_cues
from daily_memory.core.review.asking import Ask, Rows
from daily_memory.core.review.claim_cues import Cue
from daily_memory.core.review.quality import lines_of
from daily_memory.core.search.text import terms
from daily_memory.model import Session

ADOPTS, DROPS, SWITCHES = "adopts", "drops", "switches"

_LONGEST = 400
_MOST_OF_SESSION = 60


class Claim(NamedTuple):
    """What one statement settles.

    `name` is what is adopted or dropped, in lower case, or what a part switches to; `about` are the
    terms of what it is for.
    """

    kind: str
    name: str
    about: frozenset[str]
    text: str


def claims_of(session: Session) -> tuple[Claim, ...]:
    """Return what a session settles, in the order of its statements.

    >>> from datetime import date
    >>> session = Session(date(2026, 1, 29), topic="把 Flask 换成 FastAPI")
    >>> [claim[:2] for claim in claims_of(session)]
    [('drops', 'flask'), ('adopts', 'fastapi')]
    """
    lines = dict.fromkeys((session.topic, *lines_of(session)))
    return tuple(
        claim for line in list(lines)[:_MOST_OF_SESSION] for claim in claims_in(line) if line
    )


def known_claims(session: Session, ask: Ask) -> tuple[Claim, ...]:
    """Return what `claims_of` does, where it may be known from last time."""
    rows = ask("claims", session, _rows_of)
    return tuple(Claim(kind, name, frozenset(about), *rest) for kind, name, about, *rest in rows)


def _rows_of(session: Session) -> Rows:
    return [(kind, name, sorted(about), *rest) for kind, name, about, *rest in claims_of(session)]


@lru_cache(maxsize=100_000)
def claims_in(text: str) -> tuple[Claim, ...]:
    """Return what one statement settles."""
    plain = simplified(text[:_LONGEST]).replace("`", "").replace("**", "")
    if cues.ASKS.search(plain.strip()):
        return ()
    possible = claim_cues.words_in(" ".join(plain.split()))
    if not possible:
        return ()
    claims: dict[Claim, None] = {}
    for part in claim_cues.CLAUSE.split(plain):
        clause = " ".join(part.split())
        present = claim_cues.words_in(clause, possible)
        if not present:
            continue
        found = list(_names_in(clause, present, text))
        if found and not claim_cues.UNSURE.search(clause):
            claims.update(dict.fromkeys(found))
    return tuple(claims)


def _names_in(clause: str, present: frozenset[str], text: str) -> Iterator[Claim]:
    for cue in claim_cues.with_words(claim_cues.REPLACED, present):
        match = cue.pattern.search(clause)
        if match and _is_name(match["old"]) and _is_name(match["new"]):
            yield from _replaced(match["old"], match["new"], clause, text)
            return
    for match in _names(claim_cues.GIVEN_UP, "old", clause, present):
        old = _key(match["old"])
        yield Claim(DROPS, old, _about(clause, old), text)
    for match in _names(claim_cues.CHANGED_TO, "new", clause, present):
        part = telling(match["part"])
        if part:
            yield Claim(SWITCHES, _key(match["new"]), part, text)
    for match in _names(claim_cues.TAKEN_UP, "new", clause, present):
        if not claim_cues.NEGATED.search(clause[: match.start()]):
            new = _key(match["new"])
            yield Claim(ADOPTS, new, _about(clause, new), text)


def _names(
    group: tuple[Cue, ...], name: str, clause: str, present: frozenset[str]
) -> Iterator[re.Match[str]]:
    for cue in claim_cues.with_words(group, present):
        yield from (match for match in cue.pattern.finditer(clause) if _is_name(match[name]))


def _replaced(before: str, after: str, clause: str, text: str) -> Iterator[Claim]:
    old, new = _key(before), _key(after)
    # "把缓存换成 Redis": the cache is a part, no product that is dropped.
    if before[0] >= "\u4e00" > after[0]:
        yield Claim(SWITCHES, new, telling(before), text)
    elif old != new:
        about = _about(clause, old, new)
        yield Claim(DROPS, old, about, text)
        yield Claim(ADOPTS, new, about, text)


def _is_name(text: str) -> bool:
    return _key(text) not in claim_cues.NO_NAMES and len(text) > 1


def _key(name: str) -> str:
    return " ".join(name.casefold().split()).rstrip("./,-@")


def _about(clause: str, *names: str) -> frozenset[str]:
    """Return the telling terms of a clause without the names."""
    rest = clause.casefold()
    for name in names:
        rest = rest.replace(name, " ")
    return telling(claim_cues.FILLER.sub(" ", rest))


@lru_cache(maxsize=20_000)
def telling(text: str) -> frozenset[str]:
    """Return the terms of a text that tell what it is about: no cues or single characters."""
    return frozenset(
        term
        for term in terms(simplified(text[:_LONGEST]))
        if len(term) > 1 and term not in claim_cues.CUE_TERMS and not term[0].isdigit()
    )
