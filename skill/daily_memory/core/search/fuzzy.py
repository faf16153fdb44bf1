"""Finds the words of a memory that a mistyped word may mean."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from daily_memory.named_tuples import NamedTuple

_LEAST_STEM = 3
_LEAST_SIMILARITY = 0.75
_MOST_WORDS = 3
# What the stemmer takes off, by length; "" for a word as it is.
_ENDINGS = (("",), ("e", "s"), ("ed", "es", "er"), ("ers", "ing", "ion"))
_LONGEST_ENDING = 3


class Similar(NamedTuple):
    """A word of the memory and how like it is to the one asked for, up to 1."""

    word: str
    similarity: float


def lengths(word: str) -> tuple[int, int]:
    """Return how short and how long a word can be that is still like this one."""
    shortest = ceil(len(word) * _LEAST_SIMILARITY) - _LONGEST_ENDING
    return max(_LEAST_STEM, shortest), int(len(word) / _LEAST_SIMILARITY)


def similar_words(word: str, vocabulary: Iterable[str]) -> list[Similar]:
    """Return up to three words like this one, the likest first.

    The vocabulary is of stems. Where the slip is in the ending, or next to it, the stemmer leaves
    the ending on: "headad" is like "head" since "ad" is like "ed".
    """
    # Loaded here since it takes 18 ms, and most searches mistype nothing.
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    words = list(vocabulary)
    similar: dict[str, float] = {}
    most_slips = int(lengths(word)[1] * (1 - _LEAST_SIMILARITY))
    for size, endings in enumerate(_ENDINGS):
        head, tail = word[: len(word) - size], word[len(word) - size :]
        slips = min(OSA.distance(tail, ending) for ending in endings)
        if slips > 1 or len(head) < _LEAST_STEM:
            continue
        for other, distance, _ in process.extract(
            head, words, scorer=OSA.distance, score_cutoff=most_slips - slips, limit=None
        ):
            likeness = 1 - (slips + distance) / max(len(word), len(other) + size)
            if likeness >= _LEAST_SIMILARITY and len(other) >= _LEAST_STEM and other.isalpha():
                similar[other] = max(similar.get(other, 0.0), likeness)
    ranked = sorted((-likeness, other) for other, likeness in similar.items())
    return [Similar(other, -negative) for negative, other in ranked[:_MOST_WORDS]]
