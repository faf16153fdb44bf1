"""What a line is worth, by its signs."""

from __future__ import annotations

from daily_memory.core.digests.digest import scored_lines
from daily_memory.core.observation import Observation

TALK = (
    Observation("", "user", "why does the import fail on Windows"),
    Observation("", "assistant", "The import failed because `open()` used the code page cp1252."),
)


def test_a_line_is_not_the_worse_for_a_conversation_without_tools():
    elsewhere = Observation("", "tool", "src/other.ts", tool="read")

    (without,) = scored_lines(TALK)
    (beside,) = scored_lines((*TALK, elsewhere))

    assert without.score > beside.score


def test_words_that_the_tools_met_add_to_a_line():
    opened = Observation("", "tool", '"open cp1252 code page" in src', tool="search")

    (beside,) = scored_lines((*TALK, opened._replace(text="src/other.ts")))
    (met,) = scored_lines((*TALK, opened))

    assert met.score > beside.score


def test_a_report_on_changed_files_weighs_more_than_an_explanation():
    edit = Observation("", "tool", "src/load.py", tool="edit", files=("src/load.py",))

    (told,) = scored_lines((*TALK, edit._replace(tool="read")))
    (report,) = scored_lines((*TALK, edit))

    assert report.score > told.score


def test_what_a_user_lists_or_chooses_weighs_more_and_a_link_or_a_heading_less():
    def score(line: str, before: str = "One more thing.") -> float:
        asked = Observation("", "user", "start with the importer")
        told = Observation("", "user", f"{before}\n{line}")
        talk = (asked, TALK[1], told, TALK[1])
        return next(found.score for found in scored_lines(talk) if found.text == line)

    plain = score("The name of each output file comes from its first heading line")

    assert plain < score(
        "The name of each output file comes from its first heading line", "Two changes:"
    )
    assert plain < score("The name of each output file must come from its first heading line")
    assert plain > score("The names of each output file come from https://example.org/list too")
    assert plain > score("The name of each output file comes from its first heading line:")


def test_a_message_that_is_cut_in_the_middle_of_a_very_long_conversation_is_weighed():
    told = Observation("", "user", "\n".join(f"use item{number}" for number in range(1500)))

    found = scored_lines((told, TALK[1]) * 5)

    assert {"use item0", "use item1499"} <= {line.text for line in found}
