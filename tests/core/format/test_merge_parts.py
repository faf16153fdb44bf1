"""A day file in pieces: together they are the file again, and each can be made safe to move."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.format import day_scan
from daily_memory.core.format.merge_parts import (
    Part,
    contained,
    is_one_section,
    parse_document,
    with_fact,
)
from tests.core.day_changes import LINES


@given(st.lists(LINES, max_size=14).map("\n".join))
def test_the_pieces_are_the_file_to_the_byte(text):
    document = parse_document(text)

    pieces = [piece for part in document.parts for piece in (part.text, part.tail)]
    assert "".join([document.head, *pieces]) == text
    assert [part.number for part in document.parts] == [
        block.number for block in day_scan.scan(text.split("\n")).blocks
    ]


def test_a_section_is_itself_whatever_its_number_and_what_it_continues():
    bare = Part(1, "", "## Session 1\ntext", "")
    facts = '<!-- memory {"continues":"2026-01-29#1"} -->'

    assert bare.identity == Part(2, "", f"## Session 2\n{facts}\ntext", "\n").identity
    assert bare.identity != Part(1, "", "## Session 1\nText", "").identity


@pytest.mark.parametrize("end", ["", "\r"])
def test_what_a_section_continues_is_noted_in_its_comment(end):
    bare = f"## 会话 2{end}\n文字{end}"

    named = with_fact(bare, "continues", "2026-01-29#1")

    assert (
        named == f'## 会话 2{end}\n<!-- memory {{"continues":"2026-01-29#1"}} -->{end}\n文字{end}'
    )
    assert with_fact(named, "continues", "2026-01-29#7") == named.replace("#1", "#7")
    assert with_fact("## Session 2", "continues", "2026-01-29#1").count("\n") == 1


@pytest.mark.parametrize(("depth", "escaped"), [(1, 1), (3, 3), (30, 20)])
def test_markers_hidden_behind_one_another_are_made_safe_too(depth, escaped):
    text = "<<<<<<< a\n||||||| b\n```py\nx\n" * depth + "=======\n"

    safe = contained(text)

    assert safe.count("\\<<<<<<<") == escaped
    assert safe.replace("\\", "") == text


@pytest.mark.parametrize(
    ("text", "fences", "is_one"),
    [
        ("## Session 1\ntext", "", True),
        ("## Session 1\ntext\n---", "", True),
        ("## Session 1\ntext\n---\nmore", "", False),
        ("text\n## Session 1", "", False),
        ("## Session 1\n## Session 2", "", False),
        ("text", "", False),
        ("## Session 1\n```", "", False),
        ("## Session 1\n```", "`", True),
        ("## Session 1\n```", "~`", True),
        ("## Session 1\n```\nx\n```", "", True),
    ],
)
def test_one_section_has_nothing_around_it_and_opens_no_other_fence(text, fences, is_one):
    assert is_one_section(text, fences) == is_one


def test_what_is_safe_stays_as_it_is():
    text = "---\nfence: '```'\n---\n# day\n\n```\n<<<<<<< a\n```\n## Session 1 - noon\n- ```\n"

    assert contained(text) == text
