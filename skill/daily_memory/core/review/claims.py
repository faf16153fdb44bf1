"""What the statements of a session lay down: a name is taken up or given up, a value is set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.wording import simplified
from daily_memory.core.review import claim_cues
from daily_memory.core.review.claim_cues import Cue
from daily_memory.core.review.quality import lines_of
from daily_memory.core.search.text import terms
from daily_memory.model import Session

ADOPTS, DROPS, SWITCHES, SETS = "adopts", "drops", "switches", "sets"

_LONGEST = 400
_MOST_OF_SESSION = 60


class Claim(NamedTuple):
    """What one statement lays down.

    `name` is what is taken up or given up, in small letters, or what comes in its place
    (SWITCHES); `about` are the terms of what it is for, or of what has the value. `value` is in
    the base unit of its `unit`: `s`, `B`, `%`, or "" for a mere number. `is_change`: it says that
    it was something else before.
    """

    kind: str
    name: str
    about: frozenset[str]
    text: str
    value: float = 0.0
    unit: str = ""
    is_change: bool = False


def claims_of(session: Session) -> tuple[Claim, ...]:
    """Return what a session lays down, in the order in which it says so.

    >>> from datetime import date
    >>> session = Session(date(2026, 1, 29), topic="把 Flask 换成 FastAPI")
    >>> [claim[:2] for claim in claims_of(session)]
    [('drops', 'flask'), ('adopts', 'fastapi')]
    """
    lines = dict.fromkeys((session.topic, *lines_of(session)))
    return tuple(
        claim for line in list(lines)[:_MOST_OF_SESSION] for claim in claims_in(line) if line
    )


@lru_cache(maxsize=100_000)
def claims_in(text: str) -> tuple[Claim, ...]:
    """Return what one statement lays down."""
    plain = simplified(text[:_LONGEST]).replace("`", "").replace("**", "")
    if cues.ASKS.search(plain.strip()):
        return ()
    found: list[Claim] = []
    for clause in claim_cues.CLAUSE.split(plain):
        said = " ".join(clause.split())
        present = claim_cues.words_in(said)
        claims = [*_names_in(said, present, text), *_values_in(said, present, text)]
        if claims and not claim_cues.UNSURE.search(said):
            found += claims
    return tuple(dict.fromkeys(found))


def _names_in(said: str, present: frozenset[str], text: str) -> Iterator[Claim]:
    for cue in claim_cues.REPLACED:
        match = next(cue.find(said, present), None)
        if match and _is_name(match["old"]) and _is_name(match["new"]):
            yield from _replaced(match["old"], match["new"], said, text)
            return
    for match in _names(claim_cues.GIVEN_UP, "old", said, present):
        old = _key(match["old"])
        yield Claim(DROPS, old, _about(said, old), text)
    for match in _names(claim_cues.CHANGED_TO, "new", said, present):
        part = telling(match["part"])
        if part:
            yield Claim(SWITCHES, _key(match["new"]), part, text, is_change=True)
    for match in _names(claim_cues.TAKEN_UP, "new", said, present):
        if not claim_cues.NEGATED.search(said[: match.start()]):
            new = _key(match["new"])
            yield Claim(ADOPTS, new, _about(said, new), text)


def _names(
    several: Sequence[Cue], group: str, said: str, present: frozenset[str]
) -> Iterator[re.Match[str]]:
    found = (match for cue in several for match in cue.find(said, present))
    return (match for match in found if _is_name(match[group]))


def _replaced(before: str, after: str, said: str, text: str) -> Iterator[Claim]:
    old, new = _key(before), _key(after)
    # "把缓存换成 Redis": what goes is no product, but what the new one is for.
    if _is_chinese(before) and not _is_chinese(after):
        yield Claim(SWITCHES, new, telling(before), text, is_change=True)
    elif old != new:
        about = _about(said, old, new)
        yield Claim(DROPS, old, about, text, is_change=True)
        yield Claim(ADOPTS, new, about, text, is_change=True)


def _is_name(text: str) -> bool:
    return _key(text) not in claim_cues.NO_NAMES and len(text) > 1


def _is_chinese(text: str) -> bool:
    return text[0] >= "\u4e00"


def _key(name: str) -> str:
    return " ".join(name.casefold().split()).rstrip("./,-@")


def _about(said: str, *names: str) -> frozenset[str]:
    """Return what a claim is for: the telling terms beside the names."""
    rest = said.casefold()
    for name in names:
        rest = rest.replace(name, " ")
    return telling(claim_cues.FILLER.sub(" ", rest))


def _values_in(said: str, present: frozenset[str], text: str) -> Iterator[Claim]:
    # Most statements have no number.
    if not claim_cues.DIGIT.search(said):
        return
    for cue in claim_cues.VALUES:
        match = next(cue.find(said, present), None)
        if match is None:
            continue
        part, verb = match["part"], match.groupdict().get("verb") or ""
        is_setting = bool(claim_cues.IS_SETTING.search(part))
        if claim_cues.IS_MEASURED.search(said) or not (verb or is_setting):
            continue
        part = claim_cues.FROM_NUMBER.sub("", part)
        # "Node 1" is not "node 2", nor is "service A" "service B".
        about = telling(part).union(claim_cues.NUMBERED.findall(part))
        unit, factor = _unit(match["unit"])
        if about and len(about) <= 6:
            value = float(match["number"]) * factor
            is_change = bool(claim_cues.CHANGES.search(verb)) or " now" in match.group().casefold()
            yield Claim(SETS, "", about, text, value, unit, is_change)
            return


def _unit(name: str | None) -> tuple[str, float]:
    return claim_cues.UNITS.get((name or "").casefold(), ("", 1.0))


@lru_cache(maxsize=20_000)
def telling(text: str) -> frozenset[str]:
    """Return the terms of a text that tell what it is about: no cues, no single characters."""
    return frozenset(
        term
        for term in terms(simplified(text[:_LONGEST]))
        if len(term) > 1 and term not in claim_cues.CUE_TERMS and not term[0].isdigit()
    )
