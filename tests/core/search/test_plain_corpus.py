"""The corpus that is made of texts at hand."""

from __future__ import annotations

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


def test_there_may_be_nothing_in_it():
    empty = PlainCorpus([])

    assert (empty.count, empty.average_lengths, empty.find(["redi"], 9)) == (0, (), [])
