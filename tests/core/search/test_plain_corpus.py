"""The corpus that is made of texts at hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import product

import pytest

from daily_memory.core.search import text
from daily_memory.core.search.observation_ranking import Document
from daily_memory.core.search.plain_corpus import PlainCorpus

SAID = ("redis redis ttl", "缓存 redis", "nginx")
DOCUMENTS = [
    Document(f"s:{place}", "s", place, f"2026-01-29T10:0{place}:00", said)
    for place, said in enumerate(SAID)
]
CORPUS = PlainCorpus(DOCUMENTS)


def test_it_knows_its_words():
    assert CORPUS.count == 3
    assert CORPUS.average_lengths == ((3 + 4 + 1) / 3,)
    assert CORPUS.frequencies(["redi", "缓存", "x"]) == {"redi": 2, "缓存": 1}
    assert CORPUS.vocabulary("n", 3, 9) == ["nginx"]
    assert CORPUS.vocabulary_size() == len(CORPUS.vocabulary())
    assert CORPUS.containing("edi") == ["redi"]


def test_it_finds_the_best_first():
    found = CORPUS.find(["redi", "ttl", "x"], 9)

    assert found == [DOCUMENTS[0], DOCUMENTS[1]]
    assert CORPUS.find(["redi", "ttl"], 1) == [DOCUMENTS[0]]


def test_it_finds_only_what_is_wanted():
    corpus = PlainCorpus([DOCUMENTS[0]._replace(is_wanted=False), DOCUMENTS[1]])

    assert corpus.find(["redi"], 9) == [DOCUMENTS[1]]


def test_it_knows_what_stands_next_to_what():
    assert CORPUS.neighbours([DOCUMENTS[0]]) == [DOCUMENTS[1]]
    assert CORPUS.neighbours([DOCUMENTS[1]]) == [DOCUMENTS[0], DOCUMENTS[2]]
    assert CORPUS.neighbours([DOCUMENTS[2]]) == [DOCUMENTS[1]]
    assert CORPUS.neighbours(DOCUMENTS) == DOCUMENTS

    # Between the first two one was left out, and the third is of another conversation.
    apart = [DOCUMENTS[0], DOCUMENTS[2], DOCUMENTS[1]._replace(id="t:3", session="t", place=3)]
    assert [PlainCorpus(apart).neighbours([each]) for each in apart] == [[], [], []]


def test_there_may_be_nothing_in_it():
    empty = PlainCorpus([])

    assert (empty.count, empty.average_lengths, empty.find(["redi"], 9)) == (0, (), [])


# How often each of three words is said.
COUNTS = list(product(range(4), range(3), range(2)))[1:]


@pytest.mark.parametrize("terms", [["redi"], ["redi", "ttl"], ["redi", "ttl", "port"], ["none"]])
@pytest.mark.parametrize("others", [0, 4, 60])
def test_the_best_are_those_of_the_full_text_search_of_sqlite(terms, others):
    said = [" ".join(["redis"] * a + ["ttl"] * b + ["port"] * c) for a, b, c in COUNTS]
    said += [" ".join(["lunch"] * (1 + number % 7)) for number in range(others)]
    corpus = PlainCorpus(
        Document(f"{number:03}", "s", number, "2026-01-29", each)
        for number, each in enumerate(said)
    )

    found = corpus.find(terms, 20)

    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE said USING fts5(terms)")
        database.executemany(
            "INSERT INTO said VALUES (?)", [(" ".join(text.terms(each)),) for each in said]
        )
        rows = database.execute(
            "SELECT rowid - 1 FROM said WHERE said MATCH ? ORDER BY rank, rowid LIMIT 20",
            (" OR ".join(terms),),
        )
        assert [each.place for each in found] == [place for (place,) in rows]
