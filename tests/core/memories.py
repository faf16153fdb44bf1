"""An inverted index in memory, for tests of the search."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from daily_memory.core.search import fields
from daily_memory.core.search.matching import SessionWords, session_words
from daily_memory.model import Session


class ListedPostings:
    """The postings of some sessions; the key of each is its place in the list."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self.sessions = sessions
        self.count = len(sessions)
        lengths = [fields.read(session).lengths for session in sessions]
        self.average_lengths = tuple(
            sum(column) / len(sessions) for column in zip(*lengths, strict=True)
        )
        self.days = [session.date.toordinal() for session in sessions]
        self._postings: dict[str, array[int]] = {}
        for key, session in enumerate(sessions):
            for term, impact in fields.read(session).impacts.items():
                self._postings.setdefault(term, array("I")).append(key << 8 | impact)

    def has_language(self, *, is_chinese: bool) -> bool:
        return bool(self.in_language(range(self.count), is_chinese=is_chinese))

    def in_language(self, keys: Sequence[int], *, is_chinese: bool) -> list[int]:
        return [key for key in keys if fields.is_chinese(self.sessions[key]) == is_chinese]

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return {term: len(self._postings[term]) for term in terms if term in self._postings}

    def postings(self, term: str) -> array[int]:
        return self._postings.get(term, array("I"))

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        near = (term for term in self._postings if shortest <= len(term) <= longest)
        return sorted(term for term in near if term.startswith(first))

    def vocabulary_size(self) -> int:
        return len(self._postings)


def with_words(sessions: Iterable[Session]) -> list[tuple[Session, SessionWords]]:
    """Return sessions with their words, as a search reads them."""
    return [(session, session_words(session)) for session in sessions]
