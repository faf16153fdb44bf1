"""JSON as text: an addition moves nothing, and taking it away leaves what was there."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daily_memory.core.hosts import json_edit

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


def value(text: str) -> object:
    return json_edit.parse(text).value


@given(VALUES, INDENTS)
def test_what_is_read_is_what_json_reads(data, indent):
    assert value(json.dumps(data, indent=indent)) == data


def test_a_number_in_any_form_is_read():
    assert value("[-1.5e+3, 0, true, null]") == [-1500.0, 0, True, None]


def test_comments_and_trailing_commas_are_allowed():
    text = '\ufeff// 说明\n{ /* a */ "a": [1, 2,], // "b": 3\n "url": "http://x", }\n/* end */'

    assert value(text) == {"a": [1, 2], "url": "http://x"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ('{\n"a" 1}', 2),
        ('{\n\n"a": 1\n"b": 2}', 4),
        ("{1: 2}", 1),
        ('{"a": }', 1),
        ("[1 2]", 1),
        ("{} x", 1),
        ('{"a":\n nul}', 2),
        ('{"a": "\n"}', 1),
        ("{,}", 1),
        ('{"a": 1,,}', 1),
        (r'["\x"]', 1),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text, line):
    with pytest.raises(ValueError, match=f"not JSON in line {line}$"):
        json_edit.parse(text)


def test_nesting_beyond_reason_is_refused():
    with pytest.raises(ValueError, match="nested too deep"):
        json_edit.parse("[" * 100_000)


@given(OBJECTS, INDENTS, st.sampled_from(["\n", "\r\n"]), VALUES)
@example({"//": None}, None, "\n", None)
@example({"链接": "http://x"}, None, "\n", [])
def test_a_member_is_added_and_taken_out_again(data, indent, newline, new):
    data.pop("new", None)
    text = json.dumps(data, ensure_ascii=False, indent=indent).replace("\n", newline)

    added = json_edit.add(text, [], "new", new)
    removed = json_edit.remove(added, ["new"])

    assert value(added) == {**data, "new": new}
    assert removed == text
    assert "\r" not in text or not re.search(r"(?<!\r)\n", added)


@given(st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4), INDENTS, st.data())
def test_any_member_can_be_taken_out(data, indent, draw):
    index = draw.draw(st.integers(0, len(data) - 1))
    key = list(data)[index]

    text = json_edit.remove(json.dumps(data, indent=indent), [key])

    assert value(text) == {name: item for name, item in data.items() if name != key}


def test_an_addition_takes_the_indentation_of_the_file_and_moves_no_comment():
    text = '{\n\t// 第一\n\t"a": 1 // one\n}\n'

    added = json_edit.add(text, [], "b", {"c": [1]})

    assert added == (
        '{\n\t// 第一\n\t"a": 1, // one\n\t"b": {\n\t\t"c": [\n\t\t\t1\n\t\t]\n\t}\n}\n'
    )
    assert json_edit.remove(added, ["b"]) == text


def test_a_trailing_comma_is_kept_as_a_habit():
    text = '{\n  "a": [\n    1, // one\n  ],\n}\n'

    added = json_edit.add(text, ["a"], "", 2)

    assert added == '{\n  "a": [\n    1, // one\n    2,\n  ],\n}\n'
    assert json_edit.remove(added, ["a", 1]) == text


def test_a_list_on_one_line_stays_on_one_line():
    assert json_edit.add('{"a": [1]}', ["a"], "", "二") == '{"a": [1, "二"]}'
    assert json_edit.add('{"a": [1,]}', ["a"], "", 2) == '{"a": [1, 2]}'


def test_comments_in_an_empty_object_stay():
    assert json_edit.add("{ // 空\n}", [], "a", 1) == '{ // 空\n  "a": 1\n}'
    assert json_edit.remove('{ // 空\n  "a": 1\n}', ["a"]) == "{ // 空\n}"


def test_a_comment_ends_where_it_ends():
    text = '{\n  "a": [\n    1, /* one */] /* a */\n}'

    assert value(json_edit.add(text, ["a"], "", 2)) == {"a": [1, 2]}


def test_a_comment_before_a_comma_stays():
    assert json_edit.remove('{"a": 1 /* 一 */, "b": 2}', ["a"]) == '{ /* 一 */ "b": 2}'


def test_what_follows_does_not_end_up_in_a_comment():
    text = '{"a": 1, // one\n "b": 2, "c": 3}'

    assert value(json_edit.remove(text, ["b"])) == {"a": 1, "c": 3}


def test_of_two_members_with_one_name_the_last_counts():
    root = json_edit.parse('{"a": 1, "a": 2}')

    assert root.find("a") == root.items[1].node
    assert (root.place("a"), root.place("b")) == (1, -1)


def test_a_container_that_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        json_edit.add("{}", ["gone"], "a", 1)


def test_what_is_not_there_is_not_removed():
    text = '{"a": [1], "b": {}}'

    for path in (["c"], ["a", "b"], ["b", "c", "d"]):
        assert json_edit.remove(text, path, prune=True) == text


def test_only_what_became_empty_is_removed_with_a_value():
    text = '{"a": {"b": [1], "c": []}, "d": {}}'

    assert value(json_edit.remove(text, ["a", "b", 0], prune=True)) == {"a": {"c": []}, "d": {}}


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("[]", ["a"], "the whole"),
        ('{"a": [1]}', ["a", "b"], '"a"'),
        ('{"a": 1}', ["a", "b"], '"a"'),
    ],
)
def test_a_member_is_put_into_objects_only(text, path, name):
    with pytest.raises(ValueError, match=f"{name} is not an object"):
        json_edit.put(text, path, 1)


def test_a_value_is_replaced_in_its_place():
    assert json_edit.put('{"a": {"b": [1] /* 一 */}}', ["a", "b"], "二") == (
        '{"a": {"b": "二" /* 一 */}}'
    )
