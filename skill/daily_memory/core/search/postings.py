"""The interface of an inverted index."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Protocol


class Frequencies(Protocol):
    """In how many texts words are."""

    @property
    def count(self) -> int:
        """How many texts there are."""
        ...

    @property
    def average_lengths(self) -> Sequence[float]:
        """How many terms a text has in the mean, field by field; () when there are no texts."""
        ...

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many texts each term occurs; terms that occur nowhere are absent."""
        ...


class Lexicon(Frequencies, Protocol):
    """What is known of the words of many texts, be they sessions or observations."""

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        """Return the terms of a length; with a character, the words that begin with it."""
        ...

    def vocabulary_size(self) -> int:
        """Return about how many terms there are."""
        ...


class Postings(Lexicon, Protocol):
    """An inverted index over sessions, which are named by keys: small whole numbers.

    A newer session usually has a higher key; nothing depends on it but which part of a very
    long list is read. Lengths are those of `FieldReading.lengths`.
    """

    def has_language(self, *, is_chinese: bool) -> bool:
        """Tell whether any session is mainly in Chinese, or not."""
        ...

    def in_language(self, keys: Sequence[int], *, is_chinese: bool) -> list[int]:
        """Return those of the sessions that are mainly in Chinese, or not, in their order."""
        ...

    @property
    def days(self) -> Sequence[int]:
        """The day of each session as an ordinal, by key."""
        ...

    def postings(self, term: str) -> array[int]:
        """Return `key << 8 | impact` of each session with the term, by ascending key."""
        ...
