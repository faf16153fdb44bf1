"""Finds the observations that answer a question, in whatever keeps them.

`services/records.py` opens a `Corpus` for each root, the mirror's where it is on and one made of
the files where it is off, and calls `rank`. `rank` calls the corpus: `frequencies` and
`vocabulary` once or twice to weigh the question, `find` once with terms of which it has made sure
that they are not too common, `neighbours` once with the few best. So one corpus answers as another
does, as long as both cut text with `core.text.terms`.
"""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple, Protocol

from daily_memory.core.postings import Lexicon


class Document(NamedTuple):
    """An observation as it is ranked.

    `id` is that of its record. `session` tells the observations of one live session from those of
    others. `place` counts them in their order, by ones, those that came twice left out and private
    ones counted: what stands side by side differs by 1. `at` is ISO 8601. `text` has all that is
    searched, as `searched_text` makes it.
    """

    id: str
    session: str
    place: int
    at: str
    text: str


class Corpus(Lexicon, Protocol):
    """The observations of a root, none of them private.

    What it tells as a `Lexicon` is of all of them, so that a filter changes no score;
    `average_lengths` has one number, the terms that an observation has in the mean. A corpus is
    made for a search: `find` returns only what the filters of that search let through.
    """

    def find(self, terms: Sequence[str], limit: int) -> list[Document]:
        """Return what has any of the terms, by BM25 the best first, ties: the newer first."""
        ...

    def neighbours(self, documents: Sequence[Document]) -> list[Document]:
        """Return what stands next to these in their sessions, whatever the filters are."""
        ...


def searched_text(text: str, tool: str, tags: Sequence[str]) -> str:
    """Return all of an observation that is searched: what it says, its tool and its tags."""
    return "\n".join(part for part in (text, tool, " ".join(tags)) if part)


class Ranked(NamedTuple):
    """An observation in its place, with a score from 0 to 1."""

    document: Document
    score: float
    words: tuple[str, ...]
    explanation: tuple[str, ...]


def rank(question: str, corpus: Corpus, today: date, limit: int) -> list[Ranked]:
    """Return the observations that answer a question best; ties: the newer first, then by id."""
    raise NotImplementedError
