"""Finds the words of a memory that a mistyped word may mean."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from daily_memory.named_tuples import NamedTuple

MIN_LETTERS = 4
_LEAST_SIMILARITY = 0.75
_MOST_WORDS = 3


class Similar(NamedTuple):
    """A word of the memory and how like it is to the one asked for, up to 1."""

    word: str
    similarity: float


def lengths(word: str) -> tuple[int, int]:
    """Return how short and how long a word can be that is still like this one."""
    return ceil(len(word) * _LEAST_SIMILARITY), int(len(word) / _LEAST_SIMILARITY)


def similar_words(word: str, vocabulary: Iterable[str]) -> list[Similar]:
    """Return up to three words like this one, the likest first."""
    # Loaded here since it takes 18 ms, and most searches mistype nothing.
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    shortest, longest = lengths(word)
    near = [other for other in vocabulary if shortest <= len(other) <= longest]
    found = process.extract(
        word,
        near,
        scorer=OSA.normalized_similarity,
        score_cutoff=_LEAST_SIMILARITY,
        limit=None,
    )
    ranked = sorted((-similarity, other) for other, similarity, _ in found)
    return [Similar(other, -negative) for negative, other in ranked[:_MOST_WORDS]]
