import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.search.fuzzy import Similar, similar_words


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


@given(st.text(max_size=8), st.lists(st.text(max_size=8)))
def test_what_comes_back_is_of_the_vocabulary_and_like_the_word(word, vocabulary):
    found = similar_words(word, vocabulary)

    assert all(like.word in vocabulary and 0.75 <= like.similarity <= 1 for like in found)
