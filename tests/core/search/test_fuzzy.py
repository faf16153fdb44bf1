from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search import fuzzy, text
from daily_memory.core.search.fuzzy import one_slip, words_meant
from daily_memory.core.search.plain_lexicon import PlainLexicon
from daily_memory.model import Session
from tests.core.memories import ListedPostings


def lexicon(**frequencies):
    """Return a memory in which so many texts have each word."""
    texts = [
        [word for word, frequency in frequencies.items() if at < frequency]
        for at in range(max(frequencies.values(), default=0))
    ]
    return PlainLexicon(texts)


def test_one_slip_swaps_drops_adds_or_changes_a_letter():
    near = one_slip("cach")

    assert {"acch", "cah", "cache", "cash"} <= set(near)
    assert "cahes" not in near


def test_of_the_words_one_slip_away_the_one_that_is_used_most_was_meant():
    found = words_meant("filxs", lexicon(file=6, fix=2, fill=1, redi=9))

    assert [(like.term, like.frequency) for like in found] == [("file", 6), ("fix", 2), ("fill", 1)]
    assert [like.likelihood for like in found] == pytest.approx([0.8 * n / 9 for n in (6, 2, 1)])


def test_a_word_that_is_meant_has_four_letters_or_more():
    found = words_meant("inut", lexicon(input=2, int=9, nut=9))

    assert [like.term for like in found] == ["input"]


def test_at_most_three_words_come_back():
    assert len(words_meant("pool", lexicon(polo=1, poll=1, cool=1, tool=1))) == 3


@pytest.mark.parametrize(
    ("typed", "stem"),
    [
        *(("headad", "head"), ("crcle", "circl"), ("endiug", "end"), ("parsors", "parser")),
        *(("connectoin", "connect"), ("wrtiings", "write"), ("arary", "array")),
        *(("suore", "store"), ("legislatin", "legisl")),
    ],
)
def test_a_slip_that_hides_the_ending_from_the_stemmer_is_one_slip(typed, stem):
    (found, *_) = words_meant(typed, lexicon(**{text.stem(stem): 1, "other": 1}))

    assert found.term == text.stem(stem)
    assert text.stem(found.word) == found.term


@pytest.mark.parametrize(
    ("typed", "stem", "likelihood"),
    [
        ("reccomended", "recommend", 1 - 2 / 11),
        ("cnonecttion", "connect", 1 - 2 / 11),
        ("cnonetc", "connect", 0),
        # One in four letters, if they are no letters of ours.
        ("сервор", "сервер", 1 - 1 / 6),
        ("quue", "kuku", 0),
    ],
)
def test_a_longer_word_may_have_more_slips_one_in_four_letters(typed, stem, likelihood):
    found = words_meant(typed, lexicon(**{stem: 1}))

    assert [like.likelihood for like in found] == pytest.approx([likelihood] if likelihood else [])


def test_a_word_with_fewer_slips_is_meant_however_rare_it_is():
    found = words_meant("configuratoin", lexicon(configur=1, configurato=7))

    assert found[0].term == "configurato"
    assert [like.term for like in words_meant("reccomended", lexicon(recommend=1, reckoned=7))] == [
        "recommend"
    ]


def test_a_familiar_word_counts_as_often_as_it_is_said_to():
    memory = lexicon(owner=6)

    found = words_meant("ovner", memory, {"over": 94, "here": 50})

    assert [like[:3] for like in found] == [("over", "over", 0), ("owner", "owner", 6)]
    assert [like.likelihood for like in found] == pytest.approx([0.8 * 0.94, 0.8 * 0.06])


def test_of_a_large_vocabulary_only_the_likely_letters_are_compared(monkeypatch):
    memory = ListedPostings([Session(date.min, topic="recommendation")])
    monkeypatch.setattr(fuzzy, "MOST_VOCABULARY", 0)

    assert [like.term for like in words_meant("ercomendation", memory)] == ["recommend"]
    assert words_meant("xxcommendation", memory) == []


def test_hashes_are_not_compared_letter_by_letter():
    known = "bcdfgh" * 4

    assert [like.term for like in words_meant(known[:-1], lexicon(**{known: 1}))] == [known]
    # A letter too many at the beginning is one of two slips here, and the first letters differ.
    assert words_meant("ing" + known, lexicon(**{"ing" + known[:-9]: 1})) == []


@given(st.text(max_size=8), st.dictionaries(st.text(min_size=1, max_size=8), st.integers(1, 3)))
def test_what_comes_back_is_of_the_vocabulary_and_likely(word, frequencies):
    found = words_meant(word, lexicon(**frequencies)) if word else []

    assert all(frequencies[like.term] == like.frequency for like in found)
    assert sum(like.likelihood for like in found) <= 1
