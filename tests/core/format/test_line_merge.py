"""Three-way merge of lines: what only one side changed is taken over, the rest is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.format import line_merge
from daily_memory.core.format.line_merge import Lines, common_ends, merge_lines

lines = st.lists(st.sampled_from("甲乙丙abc"), max_size=8)


def refuse(*_: Lines) -> None:
    return None


def both(_before: Lines, _base: Lines, ours: Lines, theirs: Lines) -> Lines:
    return [*min(ours, theirs), *max(ours, theirs)]


def merged(base: str, ours: str, theirs: str) -> str:
    found = merge_lines(list(base), list(ours), list(theirs), refuse)
    return "conflict" if found is None else "".join(found)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "outcome"),
    [
        ("abc", "abc", "abX", "abX"),
        ("abc", "Xbc", "abY", "XbY"),
        ("abc", "aXc", "abcY", "aXcY"),
        ("ab", "Xb", "aY", "XY"),  # neighbours, one changed by each
        ("ab", "aX", "abY", "aXY"),  # put behind a line that the other side changed
        ("ab", "Xab", "Yb", "XYb"),
        ("abcd", "ad", "abcdX", "adX"),
        ("abc", "aXYc", "aXYc", "aXYc"),
        ("abc", "ac", "ac", "ac"),
        ("", "", "a", "a"),
        ("abc", "aXc", "aYc", "conflict"),
        ("abc", "aXbc", "aYbc", "conflict"),  # which comes first can't be told
        ("ab", "a", "abX", "conflict"),  # X may have belonged to what is gone
        ("ab", "b", "Xab", "conflict"),
        ("abcdef", "aXXXXf", "abYdef", "conflict"),
        ("abcdef", "aXf", "abYdZf", "conflict"),
    ],
)
def test_what_becomes_of_two_edits(base, ours, theirs, outcome):
    assert merged(base, ours, theirs) == outcome
    assert merged(base, theirs, ours) == outcome


def test_whoever_settles_is_told_what_stands_above_and_what_each_side_has():
    asked = []

    def settle(*sides: Lines) -> Lines:
        asked.append(sides)
        return ["!"]

    found = merge_lines(list("abcde"), list("aXcdeY"), list("abcdeZ"), settle)

    assert asked == [(list("abcde"), [], ["Y"], ["Z"])]
    assert found == list("aXcde!")


def test_an_edit_inside_the_lines_that_the_other_side_replaced_goes_to_both():
    found = merge_lines(list("abcdef"), list("aXYf"), list("abZdef"), both)

    assert found == list("aXYbZdef")


def test_texts_too_long_to_compare_count_as_changed_as_a_whole(monkeypatch):
    monkeypatch.setattr(line_merge, "MOST_COMPARED", 3)

    assert merged("abcd", "aXcY", "abcd") == "aXcY"
    assert merged("abcd", "aXcY", "abZd") == "conflict"


@given(lines, lines)
def test_one_edit_is_taken_over_and_the_same_edit_once(base, edited):
    assert merge_lines(base, edited, base, refuse) == edited
    assert merge_lines(base, edited, edited, refuse) == edited


@given(lines, lines, lines)
def test_the_sides_may_be_swapped_and_no_new_line_is_lost(base, ours, theirs):
    found = merge_lines(base, ours, theirs, both)

    assert found == merge_lines(base, theirs, ours, both)
    assert found is not None
    assert {line for line in (*ours, *theirs) if line not in base} <= set(found)


@pytest.mark.parametrize(
    ("one", "other", "ends"),
    [
        ("abcde", "abXde", (2, 2)),
        ("abc", "abc", (3, 0)),
        ("aaa", "aaaa", (3, 0)),
        ("abcd", "bcd", (0, 3)),
        ("abc", "", (0, 0)),
    ],
)
def test_the_lines_that_two_texts_begin_and_end_with_are_counted(one, other, ends):
    assert common_ends(list(one), list(other)) == common_ends(list(other), list(one)) == ends


@given(lines, lines)
def test_common_ends_never_overlap(one, other):
    head, tail = common_ends(one, other)

    assert one[:head] == other[:head]
    assert one[len(one) - tail :] == other[len(other) - tail :]
    assert head + tail <= min(len(one), len(other))
