"""Sections move from one text of a day into another, and nothing of either is lost."""

from __future__ import annotations

import pytest

from daily_memory.core.format.move_sections import MovedSections, move, parts_of

HEAD = "# 2026-01-29 对话记忆\n\n手写的开头\n\n"
ONE = "## Session 1 - 09:00\n### 主题\n缓存方案\n\n---\n\n"
TWO = "## Session 2 - 10:00\n### Topic\ntwo\n\n---\n\nby hand, below two\n\n"
THREE = "## Session 3 - 11:00\n### Topic\nthree"


def moved(source: str, target: str | None, *places: int, wins: bool = True) -> MovedSections:
    result = move(source, target, places, wins=wins)
    assert result is not None
    return result


def test_a_whole_day_goes_as_it_is():
    text = HEAD + ONE + TWO + THREE

    assert moved(text, None, 0, 1, 2) == MovedSections(None, text)


@pytest.mark.parametrize("places", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_moves_there_and_back_is_the_same_to_the_byte(places, newline, mark):
    text = mark + (HEAD + ONE + TWO + THREE).replace("\n", newline)

    there = moved(text, None, *places)
    assert there.source is not None
    back = moved(there.target, there.source, *range(len(places)), wins=False)

    assert (len(parts_of(there.source)), len(parts_of(there.target))) == (
        3 - len(places),
        len(places),
    )
    assert back == MovedSections(None, text)


def test_sections_come_to_stand_by_their_numbers():
    result = moved(HEAD + ONE + THREE, HEAD + TWO, 0, 1)

    assert [part.number for part in parts_of(result.target)] == [1, 2, 3]
    assert result.target == HEAD + ONE + TWO + THREE


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_heading_that_ended_its_file_gets_the_line_ends_of_the_day(newline):
    one, two = (text.replace("\n", newline) for text in (f"{HEAD}## Session 1", TWO))

    assert moved(two, one, 0).target == f"{one}{newline}{newline}{two}"


def test_of_two_sections_with_a_number_the_one_that_was_there_stays_first():
    other = ONE.replace("09:00", "10:30")

    assert moved(HEAD + other, HEAD + ONE + TWO, 0).target == HEAD + ONE + other + TWO


def test_what_is_there_already_is_not_there_twice():
    text = HEAD + ONE + TWO

    assert moved(text, text, 0, 1) == MovedSections(None, text)


@pytest.mark.parametrize("wins", [True, False])
def test_of_two_states_of_a_section_one_stays_with_the_words_below_both(wins):
    edited = TWO.replace("two\n\n---", "edited\n\n---").replace("by hand", "other words")

    result = moved(HEAD + edited, HEAD + TWO, 0, wins=wins)

    assert ("edited" in result.target, "\ntwo\n" in result.target) == (wins, not wins)
    assert "by hand, below two" in result.target
    assert "other words, below two" in result.target
    assert len(parts_of(result.target)) == 1


def test_two_without_a_time_are_two_sections():
    first, second = ("## Session 1\n### Topic\na\n\n---\n", "## Session 1\n### Topic\nb\n\n---\n")

    result = moved(first, second, 0)

    assert [part.number for part in parts_of(result.target)] == [1, 1]


def test_a_section_at_the_end_of_a_file_gets_an_empty_line_behind_it():
    result = moved(HEAD + THREE.replace("3", "5"), HEAD + THREE, 0)

    assert result.target == HEAD + THREE + "\n\n" + THREE.replace("3", "5")


def test_what_only_one_head_says_is_kept():
    front = "---\nproject: shop\n---\n"

    result = moved(front + HEAD + ONE, "# title\n\n" + TWO, 0)

    assert result.target.startswith(front + "# title\n\n# 2026-01-29 对话记忆\n手写的开头\n\n## S")
    assert (
        moved("# title\n\n" + ONE, front + HEAD + "# title\n" + TWO, 0).target.count("# title") == 1
    )


def test_a_head_without_a_line_end_gets_one():
    result = moved("more\n" + ONE, "head", 0)

    assert result.target == "head\n\nmore\n\n" + ONE


def test_what_can_not_be_told_apart_stays_where_it_is():
    # The fence is text as long as nothing below it closes it.
    opened = "## Session 1 - 09:00\n### Topic\n```\nnever closed\n\n"
    closing = "## Session 2 - 10:00\n### Topic\n```\nx\n```\n\n"

    assert len(parts_of(opened)) == 1
    assert move(opened, closing, (0,), wins=True) is None
