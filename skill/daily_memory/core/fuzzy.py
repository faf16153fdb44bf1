"""Finds the words of a memory that a mistyped word may mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MIN_LETTERS = 4
_LEAST_SIMILARITY = 0.75
_MOST_WORDS = 3


class Similar(NamedTuple):
    """A word of the memory and how like it is to the one asked for, up to 1."""

    word: str
    similarity: float


def similar_words(word: str, vocabulary: Iterable[str]) -> list[Similar]:
    """Return up to three words like this one, the likest first.

    The measure is the Damerau-Levenshtein distance, so that two swapped letters are one slip.
    """
    # Loaded here since it takes 18 ms, and most searches mistype nothing.
    from rapidfuzz import process
    from rapidfuzz.distance import DamerauLevenshtein

    letters = len(word)
    near = [
        other
        for other in vocabulary
        if letters * _LEAST_SIMILARITY <= len(other) <= letters / _LEAST_SIMILARITY
    ]
    found = process.extract(
        word,
        near,
        scorer=DamerauLevenshtein.normalized_similarity,
        score_cutoff=_LEAST_SIMILARITY,
        limit=None,
    )
    ranked = sorted((-similarity, other) for other, similarity, _ in found)
    return [Similar(other, -negative) for negative, other in ranked[:_MOST_WORDS]]
