"""Front matter: read where it is one, and never at the cost of a session."""

from __future__ import annotations

from itertools import pairwise

import pytest

from daily_memory.core.format.front_matter import NO_FRONT_MATTER, FrontMatter, parse_front_matter


def test_values_are_read_and_their_lines_counted():
    lines = ["---", "project: app", "language: zh", "---", "# day", "---"]

    assert parse_front_matter(lines) == FrontMatter({"project": "app", "language": "zh"}, 4)


def test_a_byte_order_mark_and_windows_line_ends_are_no_hindrance():
    assert parse_front_matter(["\ufeff---\r", "a: 1\r", "---\r"]) == FrontMatter({"a": "1"}, 3)


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
        "---\n# a comment\n---",
        "---\n---",
    ],
)
def test_anything_else_is_text(text):
    assert parse_front_matter(text.split("\n")) == NO_FRONT_MATTER


def test_values_are_texts_and_lists_of_texts_and_what_is_deeper_is_left_out():
    text = "---\n1: 0xff\ncontent: null\ntags: [缓存, a: b, [x]]\nmeta:\n  type: [y]\n---"

    found = parse_front_matter(text.split("\n"))

    assert found.values == {"1": "0xff", "content": "", "tags": ["缓存"], "meta": ""}


def test_a_few_hundred_bytes_of_aliases_are_refused_and_not_multiplied():
    levels = [f"{a}: &{a} [{', '.join([f'*{b}'] * 9)}]" for b, a in pairwise("abcdefghij")]
    lines = ["---", "a: &a [lol]", *levels, "project: *j", "---", "# day"]

    found = parse_front_matter(lines)

    assert (found.values, found.line_count, found.fault_line) == ({}, 13, 2)
    assert found.fault == "the front matter is not read: it has an anchor or an alias (`&`, `*`)"


@pytest.mark.parametrize(
    ("block", "fault", "line"),
    [
        ("a: x\nb: *a", "has an anchor or an alias (`&`, `*`)", 3),
        ("a: x\nb: !!python/name:os.system", "has a tag (`!`)", 3),
        ("a: " + "[" * 60_000, "is nested deeper than 10 levels", 2),
        ("a: " + "{b: " * 15_000, "is nested deeper than 10 levels", 2),
        ("a: 1\n" * 14_000, "is larger than 64 KB", 1),
    ],
)
def test_what_is_refused_is_told_with_its_line(block, fault, line):
    lines = ["---", *block.split("\n"), "---", "# day"]

    found = parse_front_matter(lines)

    told = f"the front matter is not read: it {fault}"
    assert found == FrontMatter({}, len(lines) - 1, told, line)


@pytest.mark.parametrize("nothing", ["null", "Null", "NULL", "~"])
def test_nothing_is_an_empty_text(nothing):
    assert parse_front_matter(["---", f"a: {nothing}", "---"]).values == {"a": ""}


def test_ten_levels_are_not_too_many():
    block = "a: " + "[" * 9 + "]" * 9

    assert parse_front_matter(["---", block, "---"]).fault == ""


@pytest.mark.parametrize("block", ["\n" * 60_000 + "a: 1", "a: " + "9" * 60_000, "a: 2026-99-99"])
def test_what_costs_other_readers_much_is_a_text_like_any_other(block):
    assert list(parse_front_matter(["---", *block.split("\n"), "---"]).values) == ["a"]
