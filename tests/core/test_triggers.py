"""Which triggers occur in a batch of texts."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.triggers import Batch, Search

LONG = "nothing of it occurs in these words 这里什么都没有 " * 500


@pytest.mark.parametrize("filler", ["", LONG], ids=["short", "long"])
def test_a_trigger_is_present_where_its_words_are(filler):
    batch = Batch([filler, "log in\nwith 密码", "curl\t-u"])

    found = batch.found(("密码", "log in", "wget", "curl\t", "-u", "-x", "口令", "码"))

    assert found == {1: ["密码", "log in", "码"], 2: ["curl\t", "-u"]}


@pytest.mark.parametrize("filler", ["", LONG], ids=["short", "long"])
def test_a_trigger_is_absent_where_only_its_letters_are(filler):
    batch = Batch([filler, "logging in", "码 密"])

    assert batch.found(("log in", "密码")) == {}


@pytest.mark.parametrize("filler", ["", LONG], ids=["short", "long"])
@given(st.data())
def test_it_finds_what_a_look_at_each_text_finds(filler, data):
    words = st.text("ab 码\u3000", max_size=8)
    texts = [filler, *data.draw(st.lists(words, max_size=5))]
    triggers = tuple(
        data.draw(st.lists(st.text("ab 码", min_size=1, max_size=4).filter(str.strip)))
    )

    found = Batch(texts).found(triggers)

    assert found == {
        number: here
        for number, text in enumerate(texts)
        if (here := [trigger for trigger in triggers if trigger in text])
    }


@pytest.mark.parametrize("filler", ["", LONG], ids=["short", "long"])
def test_a_search_is_for_the_texts_that_hold_what_it_needs(filler):
    by_word = Search(str.split, ("log in", "密码"))
    by_pattern = Search(str.split, pattern=re.compile("[A-Z]{3}[0-9]"))
    by_both = Search(str.split, ("curl",), re.compile("[A-Z]{3}"), several_lines=True)
    written = [filler, "LOG in 密码", "ABC1\ncurl", "ABC\nCURL"]

    batch = Batch([text.lower() for text in written], written)

    assert batch.searches((by_both, by_pattern, by_word)) == {
        1: [by_word],
        2: [by_both, by_pattern],
        3: [by_both],
    }


def test_threads_that_look_for_new_triggers_at_once_find_them_all():
    # Those of a memory in several servers' requests: what one looks for, another has not heard of.
    words = [" ".join(f"word{n}x{number}" for number in range(400)) for n in range(4)]
    rounds = range(30)
    triggers = [
        (*(f"{letter}{number}q{n}z" for n in range(50)), f"{letter}{number}")
        for number in rounds
        for letter in "abcdefgh"
    ]

    def found(wanted):
        text = f"{wanted[3]} {wanted[-1]} {wanted[40]}"
        return Batch([*words, text]).found(wanted)[len(words)]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(found, triggers))
    finally:
        sys.setswitchinterval(before)

    assert answers == [[wanted[3], wanted[40], wanted[-1]] for wanted in triggers]
    assert list(map(found, triggers)) == answers
