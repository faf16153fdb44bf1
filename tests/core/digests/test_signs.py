"""What a line is worth, by its signs."""

from __future__ import annotations

from daily_memory.core.digests.digest import said_lines
from daily_memory.core.observation import Observation

TALK = (
    Observation("", "user", "why does the import fail on Windows"),
    Observation("", "assistant", "The import failed because `open()` used the code page cp1252."),
)


def test_a_line_is_not_the_worse_for_a_conversation_without_tools():
    elsewhere = Observation("", "tool", "src/other.ts", tool="read")

    (without,) = said_lines(TALK)
    (beside,) = said_lines((*TALK, elsewhere))

    assert without.score > beside.score


def test_words_that_the_tools_met_add_to_a_line():
    opened = Observation("", "tool", '"open cp1252 code page" in src', tool="search")

    (without,) = said_lines(TALK)
    (met,) = said_lines((*TALK, opened))

    assert met.score > without.score
