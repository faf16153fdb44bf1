"""Finding sections: the same that a Markdown parser finds, whatever the file looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from daily_memory.core.format import day_scan
from daily_memory.core.format.day_scan import Fault

LINES = (
    "## Session 1 - 10:30:45",
    "## 会话 2 - 08:00",
    "## Session 3",
    "# 2026-01-29",
    "### 主题",
    "text 文字",
    "",
    "```",
    "```python",
    "````",
    "~~~",
    "   ```",
    "- item",
    "  more of it",
    "  ```",
    "> quote",
)


def spans(text: str) -> list[tuple[int, int]]:
    return [(block.first, block.last) for block in day_scan.scan(text.split("\n")).blocks]


@pytest.mark.parametrize(
    "heading",
    [
        "## Session 1 - 10:30:45",
        "## Session 1 - 10:30",
        "## 会话 1 - 10:30",
        "## 会话1",
        "## session 1",
        "##\tSession 1 — 9:05",
        "## Session 1: 10:30",
    ],
)
def test_every_form_of_the_heading_begins_a_section(heading):
    scan = day_scan.scan([heading, "text"])

    assert [(block.number, block.first, block.last) for block in scan.blocks] == [(1, 0, 1)]
    assert scan.faults == ()


@pytest.mark.parametrize(
    "heading", ["# Session 1", "### Session 1", "## Sessions", "## Session", " ## Session 1"]
)
def test_other_headings_begin_none(heading):
    assert day_scan.scan([heading, "text"]).blocks == ()


def test_a_time_that_is_none_is_a_fault_and_the_section_is_there():
    scan = day_scan.scan(["## session 1 （上午）", "text"])

    assert [(block.number, block.time) for block in scan.blocks] == [(1, "")]
    assert scan.faults == (Fault(1, "the time of this session can't be read"),)


def test_the_rule_that_closes_a_section_belongs_to_it_and_what_follows_does_not():
    text = "## Session 1\ntext\n---\nnot of it\n\n## Session 2\ntext\n\n"

    assert spans(text) == [(0, 2), (5, 6)]


def test_a_heading_inside_a_code_fence_starts_no_session():
    text = "## Session 1\n```\n## Session 9\n---\n```\nend"

    assert spans(text) == [(0, 5)]


def test_three_backticks_with_another_one_behind_them_open_no_fence():
    assert spans("## Session 1\n``` a`b\n## Session 2\n```") == [(0, 1), (2, 3)]
    assert spans("## Session 1\n~~~ a`b\n## Session 2\n~~~") == [(0, 3)]


def test_a_fence_inside_a_list_item_hides_nothing_below_the_item():
    text = "## Session 1\n- item\n  ```\n## Session 2\n  ```"

    assert spans(text) == [(0, 2), (3, 4)]


def test_a_fence_that_never_closes_is_text_and_a_fault():
    scan = day_scan.scan(["## Session 1", "```python", "print(1)", "## Session 2", "~~~~", "~~~"])

    assert [block.number for block in scan.blocks] == [1, 2]
    assert [fault.line for fault in scan.faults] == [2, 5, 6]
    assert scan.open_fences == "`~"


def test_both_sides_of_a_merge_conflict_are_found():
    text = (
        "## Session 1\n---\n<<<<<<< HEAD\n## Session 2\nours\n---\n=======\n"
        "## Session 2\ntheirs\n---\n>>>>>>> feature"
    )

    scan = day_scan.scan(text.split("\n"))

    assert [(block.number, block.first, block.last) for block in scan.blocks] == [
        (1, 0, 1),
        (2, 3, 5),
        (2, 7, 9),
    ]
    assert scan.faults == (Fault(3, "a merge conflict was left here"),)


def test_a_line_that_only_begins_like_a_conflict_marker_is_text():
    assert not day_scan.scan(["## Session 1", "<<<<<<<here", "=======", "text"]).faults


def test_what_the_base_of_a_conflict_had_is_passed_over():
    text = "<<<<<<< a\n## Session 1\n||||||| b\n## Session 7\n=======\n## Session 2\n>>>>>>> c"

    assert [block.number for block in day_scan.scan(text.split("\n")).blocks] == [1, 2]


def test_a_conflict_may_have_an_empty_base():
    text = "<<<<<<< a\n## Session 1\n||||||| b\n=======\n## Session 2\n>>>>>>> c"

    assert spans(text) == [(1, 1), (4, 4)]


def test_a_base_without_a_separator_hides_nothing():
    text = "<<<<<<< a\n## Session 1\n||||||| b\n## Session 2\ntext"

    assert [block.number for block in day_scan.scan(text.split("\n")).blocks] == [1, 2]


def test_a_marker_at_the_end_of_a_section_is_no_line_of_it():
    text = "<<<<<<< a\n## Session 1\nours\n=======\n## Session 2\ntheirs\n>>>>>>> c\n"

    assert spans(text) == [(1, 2), (4, 5)]


@given(st.lists(st.sampled_from(LINES), max_size=14))
def test_sections_begin_where_a_markdown_parser_sees_their_headings(lines):
    tokens = MarkdownIt().parse("\n".join(lines))
    headings = [
        token.map[0]
        for token in tokens
        if token.type == "heading_open" and token.tag == "h2" and token.level == 0 and token.map
    ]
    scan = day_scan.scan(lines)
    if scan.open_fences:
        return  # to CommonMark the rest of the file is code then; here no session is lost

    assert [block.first for block in scan.blocks] == headings


def test_hostile_lines_take_linear_time():
    lines = ["```a"] * 20_000 + ["~~~b"] * 20_000 + ["<<<<<<< x", "||||||| y"] * 5_000

    scan = day_scan.scan(["## Session 1", *lines])

    assert [block.number for block in scan.blocks] == [1]


def test_a_blank_line_leaves_a_list_item_open_and_text_below_it_closes_it():
    fence = "  ```\n## Session 2\n  ```"

    assert spans(f"## Session 1\n- item\n\n{fence}") == [(0, 3), (4, 5)]
    assert spans(f"## Session 1\n- item\ntext\n{fence}") == [(0, 5)]
    assert spans(f"## Session 1\n{fence}") == [(0, 3)]


@pytest.mark.parametrize("closer", ["````", "`````", "   ````", "````  "])
def test_a_fence_is_closed_by_as_many_of_its_own_signs(closer):
    text = f"## Session 1\n````\n## Session 2\n{closer}\n## Session 3"

    assert [block.number for block in day_scan.scan(text.split("\n")).blocks] == [1, 3]


@pytest.mark.parametrize("line", ["```", "    ````", "````x", "~~~~"])
def test_any_other_line_leaves_a_fence_open(line):
    text = f"## Session 1\n````\n{line}\n## Session 2\n````\n## Session 3"

    assert [block.number for block in day_scan.scan(text.split("\n")).blocks] == [1, 3]


@pytest.mark.parametrize("dash", ["-", "–", "—", ":", "："])
def test_each_sign_may_be_before_the_time(dash):
    headings = [f"## Session 1 {dash} 10:30:05", f"## Session 1{dash}10:30:05"]

    blocks = day_scan.scan(headings).blocks

    assert [(block.number, block.time) for block in blocks] == [(1, "10:30:05")] * 2


def test_loose_text_is_cut_at_headings_and_rules():
    text = (
        "# 2026-01-29\n\nfirst\nmore\n\n---\nsecond\n## Plans\nthird\n### part\nx\n"
        "<!-- note -->\n## Session 1\ntext\n---\nlast\n"
    )

    loose = day_scan.scan(text.split("\n")).loose

    assert [(block.first, block.last, block.parts) for block in loose] == [
        (2, 3, ()),
        (6, 6, ()),
        (7, 10, (9,)),
        (15, 15, ()),
    ]


def test_a_title_alone_is_no_loose_text():
    assert day_scan.scan(["# Notes"]).loose == ()
    assert len(day_scan.scan(["# Notes", "text"]).loose) == 1
    assert len(day_scan.scan(["## Notes"]).loose) == 1
