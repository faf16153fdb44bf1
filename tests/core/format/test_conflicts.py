"""Conflict markers: git's own are taken apart, somebody's quotation is left alone."""

from __future__ import annotations

import pytest

from daily_memory.core.format.conflicts import Versions, split_versions

MERGE = "above\n<<<<<<< HEAD\nours 一\n=======\ntheirs 二\n>>>>>>> feature\nbelow\n"
DIFF3 = MERGE.replace("=======", "||||||| 3f2a1bc\nbase\n=======")
QUOTED = f"text\n```text\n{MERGE}```\n"


def test_the_sides_are_told_and_what_both_have_stands_in_each():
    assert split_versions(MERGE) == Versions(
        "above\nbelow\n", "above\nours 一\nbelow\n", "above\ntheirs 二\nbelow\n"
    )


def test_the_base_is_told_where_git_wrote_it():
    assert split_versions(DIFF3) == Versions(
        "above\nbase\nbelow\n", "above\nours 一\nbelow\n", "above\ntheirs 二\nbelow\n"
    )


def test_several_conflicts_are_told_apart_at_once():
    found = split_versions(MERGE + DIFF3)

    assert found is not None
    assert found.ours == "above\nours 一\nbelow\nabove\nours 一\nbelow\n"
    assert found.base == "above\nbelow\nabove\nbase\nbelow\n"


def test_windows_line_ends_stay():
    found = split_versions(MERGE.replace("\n", "\r\n"))

    assert found is not None
    assert found.ours == "above\r\nours 一\r\nbelow\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# day\n\n## Session 1\n\ntext\n",
        "<<<<<<< HEAD\nours\n",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n",
        "<<<<<<< HEAD\nours\n>>>>>>> feature\n",
        "=======\ntheirs\n>>>>>>> feature\n",
        MERGE.replace("<<<<<<< HEAD", "<<<<<<<HEAD"),
        MERGE.replace("=======", "======= "),
        MERGE.replace("<<<<<<<", "<<<<<<<<<"),
        MERGE.replace("\n<", "\n <").replace("\n=", "\n ="),
    ],
)
def test_what_is_no_whole_conflict_is_none(text):
    assert split_versions(text) is None


def test_a_conflict_behind_a_marker_without_an_end_is_told():
    found = split_versions("<<<<<<< stray\ntext\n" + MERGE)

    assert found is not None
    assert found.theirs == "<<<<<<< stray\ntext\nabove\ntheirs 二\nbelow\n"


def test_of_nested_conflicts_the_inner_one_is_split_first():
    text = f"<<<<<<< HEAD\n{MERGE}=======\ntheirs\n>>>>>>> other\n"

    found = split_versions(text)

    assert found is not None
    assert found.ours == ("<<<<<<< HEAD\nabove\nours 一\nbelow\n=======\ntheirs\n>>>>>>> other\n")


def test_the_longer_markers_of_a_merged_base_stay_in_the_base():
    inner = "<<<<<<<<< Temporary merge branch 1\na\n=========\nb\n>>>>>>>>> Temporary 2\n"
    text = f"<<<<<<< HEAD\nours\n||||||| merged\n{inner}=======\ntheirs\n>>>>>>> other\n"

    assert split_versions(text) == Versions(inner, "ours\n", "theirs\n")


def test_a_conflict_with_two_middles_is_left_to_a_person():
    code = "```rst\nTitle\n=======\n```\n"

    assert split_versions(f"<<<<<<< HEAD\n{code}ours\n=======\ntheirs\n>>>>>>> a\n") is None


def test_a_bar_below_the_middle_is_text_of_theirs():
    text = "<<<<<<< HEAD\nours\n=======\n||||||| a\ntheirs\n>>>>>>> other\n"

    assert split_versions(text) == Versions("", "ours\n", "||||||| a\ntheirs\n")


def test_a_quoted_conflict_is_text():
    assert split_versions(QUOTED) is None


def test_a_quoted_conflict_is_real_where_git_says_so():
    found = split_versions(QUOTED, with_quoted=True)

    assert found is not None
    assert found.ours == "text\n```text\nabove\nours 一\nbelow\n```\n"


def test_a_conflict_inside_a_fence_is_real_if_its_labels_stand_outside_too():
    found = split_versions(MERGE + QUOTED)

    assert found is not None
    assert "<<<<<<<" not in found.ours


def test_a_quoted_conflict_beside_a_real_one_stays():
    quoted = QUOTED.replace("feature", "a-branch-of-an-example")

    found = split_versions(MERGE + quoted)

    assert found is not None
    assert found.ours == f"above\nours 一\nbelow\n{quoted}"
    assert found.theirs == f"above\ntheirs 二\nbelow\n{quoted}"


@pytest.mark.parametrize(
    "lines", ["<<<<<<< a\n", "<<<<<<< a\n=======\n=======\n", "```\n=======\n", ">>>>>>> b\n"]
)
def test_hostile_markers_take_linear_time(lines):
    text = lines * 20_000 + MERGE + ">>>>>>> b\n" * 20_000

    assert split_versions(text) is not None
