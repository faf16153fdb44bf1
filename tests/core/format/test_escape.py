"""Escaping: any text becomes lines without structure, and comes back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.format.escape import (
    escape_characters,
    escape_ends,
    escape_structure,
    restore_characters,
    restore_structure,
)

tricky = st.text(alphabet=st.one_of(st.sampled_from("&#x0Dam;p\\ \t\r\n-`~<=>|!"), st.characters()))


@given(tricky)
def test_characters_and_ends_come_back(text):
    escaped = escape_ends(escape_characters(text))

    assert restore_characters(escaped.strip()) == text


@given(tricky.map(lambda text: text.replace("\n", " ")))
def test_a_line_comes_back(line):
    assert restore_structure(escape_structure(line)) == line


@pytest.mark.parametrize("line", ["plain", "#", "a # b", "- item", "--- a", "``", "<b>", "设计"])
def test_only_what_begins_like_structure_gets_a_backslash(line):
    expected = f"\\{line}" if line == "#" else line

    assert escape_structure(line) == expected


def test_a_reference_that_a_person_wrote_stays():
    assert restore_characters("&#x41; &amp; &#xD83D; &copy;") == "&#x41; &amp; &#xD83D; &copy;"
