"""JSON with comments: read in one pass, whatever stands there."""

from __future__ import annotations

import pytest

from daily_memory.core.jsonc import line_of_key, parse_jsonc, strip_comments


def test_what_looks_like_a_comment_in_a_string_is_text():
    text = '{"a": "http://x/*y*/", "b": "\\"//", "c": ",}"}'

    assert parse_jsonc(text) == {"a": "http://x/*y*/", "b": '"//', "c": ",}"}


def test_lines_stay_lines_without_the_comments():
    assert strip_comments("{/* a\nb */\n}") == "{\n\n}"


def test_a_key_that_is_not_there_has_no_line():
    assert line_of_key('{"a": {"b": 1}}', "a", "c") == 0


@pytest.mark.parametrize(
    ("text", "line"), [('{\n"a": 1,\n"a": 2}', 3), ('{"b": {"x": [], // x\n"x": []}}', 2)]
)
def test_a_key_that_stands_there_twice_is_a_fault_on_its_line(text, line):
    with pytest.raises(ValueError, match="occurs twice") as caught:
        parse_jsonc(text)

    assert getattr(caught.value, "lineno", 0) == line


@pytest.mark.parametrize("piece", ['\\"', '"', '"\\', "/*", "//", ", ", '"a\n'])
def test_a_hostile_text_is_refused_in_one_pass(piece):
    # A token that fails and is tried again one character later would take minutes.
    with pytest.raises(ValueError):  # noqa: PT011  # what is wrong is said elsewhere
        parse_jsonc('"' + piece * 200_000)
