import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search.fuzzy import Similar, lengths, similar_words


def test_swapped_letters_are_one_slip():
    found = similar_words("mesasg", ["messag", "massag", "redi"])

    assert found == [Similar("messag", 1 - 1 / 6)]


def test_at_most_three_words_come_back_the_likest_first():
    found = similar_words("cache", ["caches", "cach", "cachr", "cashe", "queue"])

    assert [like.word for like in found] == ["cach", "caches", "cachr"]


@pytest.mark.parametrize(
    ("mistyped", "stem"),
    [
        *(("headad", "head"), ("crcle", "circl"), ("endiug", "end")),
        *(("parsor", "pars"), ("parsors", "pars"), ("connectoin", "connect")),
    ],
)
def test_a_slip_that_hides_the_ending_from_the_stemmer_is_one_slip(mistyped, stem):
    found = similar_words(mistyped, [stem, "other"])

    assert [like.word for like in found] == [stem]


@pytest.mark.parametrize(
    ("mistyped", "stem", "slips", "length"),
    [
        ("cahc", "cach", 1, 4),
        ("timeuots", "timeout", 1, 8),
        ("cahces", "cach", 1, 6),
        ("conectes", "connect", 1, 9),
        ("conectad", "connect", 2, 9),
        ("conecter", "connect", 1, 9),
        ("conecters", "connect", 1, 10),
    ],
)
def test_a_word_is_like_a_stem_by_the_share_of_its_letters(mistyped, stem, slips, length):
    (found,) = similar_words(mistyped, [stem])

    assert found.word == stem
    assert found.similarity == pytest.approx(1 - slips / length)


@pytest.mark.parametrize(
    ("word", "shortest", "longest"), [("cach", 3, 5), ("timeout", 3, 9), ("connections", 6, 14)]
)
def test_how_long_a_word_can_be_that_is_like_another(word, shortest, longest):
    assert lengths(word) == (shortest, longest)


@given(st.text(max_size=8), st.lists(st.text(max_size=8)))
def test_what_comes_back_is_of_the_vocabulary_and_like_the_word(word, vocabulary):
    found = similar_words(word, vocabulary)

    assert all(like.word in vocabulary and 0.75 <= like.similarity <= 1 for like in found)
