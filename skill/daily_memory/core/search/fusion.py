"""Keyword and semantic scores in one: how much each counts, and what is too little of both.

A cosine alone says little: in some models all texts have .8 with each other. What counts is how
far a session stands out among all texts of the memory, beyond what the best of so many would by
chance: of n values of a normal distribution the highest is near √(2 ln n) deviations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt

from daily_memory.core.search import ranking
from daily_memory.core.search.query import ParsedQuery
from daily_memory.core.search.ranking import RankedSession
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled

# So many deviations beyond chance are a full score.
_FULL = 4.0
# With few texts the deviation is uncertain: it is mixed with a usual one, as if of so many more.
_USUAL_SHARE, _USUAL_COUNT = 0.15, 4
# A semantic score that is enough of an answer by itself, as `ranking.SEARCH_FLOOR` is for words.
SEMANTIC_FLOOR = 0.25
# A model that tells texts half as well apart as their words do is no help; one that does it as well
# has its full weight. Measured in docs/benchmarks.md.
_UNKNOWN, _WELL_KNOWN = 0.5, 1.0


class Weights(NamedTuple):
    """The shares of both scores where all words of the question are found."""

    keyword: float
    semantic: float


class Cosines(NamedTuple):
    """The cosines of a question with all texts of a script: mean, standard deviation, number."""

    mean: float
    deviation: float
    texts: int


class Blended(NamedTuple):
    """A session with both scores, each 0..1. `blend` is of both; `score` is that after decay."""

    ranked: RankedSession
    score: float
    semantic: float
    blend: float
    share: float


def coverage(query: ParsedQuery) -> float:
    """Return how much of the question's weight is in words that the memory has, 0..1."""
    weights: dict[str, float] = {}
    for term in query.terms:
        if term.kind in ("exact", "fuzzy"):
            weights[term.word] = max(term.weight, weights.get(term.word, term.weight))
    return min(1.0, sum(weights.values()) / query.mass) if query.mass else 0.0


def semantic_score(cosine: float, cosines: Cosines) -> float:
    """Return how far a text stands out among the others, 0..1; 0 where it could be by chance."""
    count = max(cosines.texts, 2)
    total = count * cosines.mean - cosine
    squares = count * (cosines.deviation**2 + cosines.mean**2) - cosine**2
    # Of the others: in a small memory the text itself would hide how far out it is.
    mean = total / (count - 1)
    variance = max(0.0, squares / (count - 1) - mean**2)
    usual = (_USUAL_SHARE * max(1.0 - mean, 1e-3)) ** 2
    mixed = (variance * (count - 1) + usual * _USUAL_COUNT) / (count - 1 + _USUAL_COUNT)
    beyond = (cosine - mean) / sqrt(mixed) - sqrt(2 * log(count))
    return min(1.0, max(0.0, beyond / _FULL))


def trust(known: float) -> float:
    """Return how much a model counts, by how well it knows a script; both 0..1.

    >>> trust(0.4), trust(0.75), trust(1.0)
    (0.0, 0.5, 1.0)
    """
    return min(1.0, max(0.0, (known - _UNKNOWN) / (_WELL_KNOWN - _UNKNOWN)))


def share(weights: Weights, covered: float, trusted: float) -> float:
    """Return the share of the semantic score.

    It grows where few of the question's words are found, and is 0 where the model knows nothing.
    """
    semantic = weights.semantic * trusted
    total = weights.keyword * covered + semantic
    return semantic / total if total else 0.0


def blended(
    ranked: Iterable[RankedSession], semantic: Mapping[int, float], shares: Mapping[int, float]
) -> list[Blended]:
    """Return sessions with both scores, best first; ties: newer first.

    `semantic` and `shares` are by the place of a session in `ranked`.
    """
    found = [
        _blended(each, semantic.get(place, 0.0), shares.get(place, 0.0))
        for place, each in enumerate(ranked)
    ]
    return sorted(found, key=lambda each: ranking.order(each.score, each.ranked.session))


def _blended(ranked: RankedSession, semantic: float, share: float) -> Blended:
    blend = (1 - share) * ranked.relevance + share * semantic
    by_meaning = min(1.0, (semantic + ranked.date) * ranked.decay)
    # A translated session is ranked by other weights than the floors have.
    score = (1 - share) * ranked.score + share * by_meaning
    return Blended(ranked, score, semantic, blend, share)


def relevant(found: Sequence[Blended], *, floor: float = ranking.SEARCH_FLOOR) -> list[Blended]:
    """Return what answers the question by its words, or stands out by its meaning."""
    by_words = ranking.relevant([each.ranked for each in found], floor=floor)
    return [
        each
        for each in found
        if each.ranked in by_words or (each.share and each.semantic >= SEMANTIC_FLOOR)
    ]


def explain(each: Blended) -> str:
    """Return how the two scores became one."""
    return (
        filled(
            "semantic {:.3f}, share {:.2f}: {:.3f} of both", each.semantic, each.share, each.blend
        )
        if each.share
        else "semantic: not known, the words alone count"
    )
