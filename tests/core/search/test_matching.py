"""What a text has of a question."""

from __future__ import annotations

import pytest

from daily_memory.core.search.matching import Counts, Reader, words_of
from daily_memory.core.search.query import ParsedQuery, Term, TermPair

TERMS = ("redi", "cach", "缓存")


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (["nothing", "of it"], {}),
        (["The Redis cache", "redis"], {0: ({0: 1, 1: 1}, {0: 1}), 1: ({0: 1}, {})}),
        # Pairs end with a statement.
        (["redis", "cache"], {0: ({0: 1}, {}), 1: ({1: 1}, {})}),
        (["", "缓存 redis 缓存", "redis"], {1: ({0: 1, 2: 2}, {}), 2: ({0: 1}, {})}),
        (["缓存", "redis"], {0: ({2: 1}, {}), 1: ({0: 1}, {})}),
        # A word beside itself says nothing.
        (["redis redis"], {0: ({0: 2}, {})}),
    ],
)
def test_each_statement_has_its_own_words_and_pairs(
    statements: list[str], found: dict[int, Counts]
) -> None:
    terms = tuple(Term(term, term, 1.0) for term in TERMS)
    pairs = (TermPair(0, 1, 1.0), TermPair(0, 0, 1.0))
    query = ParsedQuery(terms, pairs, (), 3.0, (), (), 1)

    read = Reader(query).read(words_of(statements))

    assert read == found
    assert list(read) == list(found)
