"""Front matter: read where it is one, and never at the cost of a session."""

from __future__ import annotations

import pytest

from daily_memory.core.format.front_matter import NO_FRONT_MATTER, FrontMatter, parse_front_matter


def test_values_are_read_and_their_lines_counted():
    lines = ["---", "project: app", "language: zh", "---", "# day", "---"]

    assert parse_front_matter(lines) == FrontMatter({"project": "app", "language": "zh"}, 4)


def test_a_byte_order_mark_and_windows_line_ends_are_no_hindrance():
    assert parse_front_matter(["\ufeff---\r", "a: 1\r", "---\r"]) == FrontMatter({"a": 1}, 3)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# day\n---\na: 1\n---",
        "---\n## Session 1\nkey: value\n---",
        "---\nkey: value\n",
        "---\njust text\n---",
        "---\n- a\n- b\n---",
        "---\na: [\n---",
        "---\na:\tb: c\n---",
        "---\n1: one\n---",
        "---\ncontent: x\n---",
        "---\n---",
    ],
)
def test_anything_else_is_text(text):
    assert parse_front_matter(text.split("\n")) == NO_FRONT_MATTER
