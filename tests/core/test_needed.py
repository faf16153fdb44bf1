"""What has to stand in a text that a pattern fits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daily_memory.core import suspicion
from daily_memory.core.needed import folded, needed

FLAGS = re.IGNORECASE | re.MULTILINE


def sets(pattern: str) -> list[list[str]]:
    return [sorted(one) for one in needed(pattern, FLAGS)]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("password", [["password"]]),
        (
            "(?:忽略|无视)(?:之前|以上)的指令",
            [["忽略之前的指令", "忽略以上的指令", "无视之前的指令", "无视以上的指令"]],
        ),
        # What stands side by side stays so across what takes no room.
        (r"^\bsystem(?=\s)(?!x):", [["system:"]]),
        # A blank, a class or a dot between parts the two.
        (r"curl\s+secret", [["secret"], ["curl"]]),
        ("curl.secret", [["secret"], ["curl"]]),
        ("[ab]cd", [["acd", "bcd"]]),
        ("[a-z]cd", [["cd"]]),
        ("colou?r", [["color", "colour"]]),
        ("x{0,3}yes", [["yes"]]),
        ("(?:ha){2,3}", [["ha"]]),
        ("(?:hab+hab){1}", [["hab"], ["ha"]]),
        ("(?:run (?:this|these)[0-9]){1,2}", [["run these", "run this"]]),
        # Where one way needs nothing, none is needed.
        ("password|[0-9]{4}", []),
        ("(?:ab[0-9]|cd[0-9])", [["ab", "cd"]]),
        # One in which another one stands is not needed as well.
        ("instructions?", [["instruction"]]),
        # What is in most texts tells nothing.
        (r"a\d", []),
        ("(?:a.b)?", []),
    ],
)
def test_what_is_needed(pattern, expected):
    assert sets(pattern) == [sorted(one) for one in expected]


def test_too_many_ways_are_parted():
    pattern = "(?:one|two|three|four|five|six|seven|eight|nine) " * 3

    assert all(len(one) <= 64 for one in needed(pattern, FLAGS))
    assert sets(pattern)


def test_letters_are_compared_as_the_patterns_compare_them():
    for text in ("İgnore", "ıgnore", "IGNORE", "ſend", "\u212aeep"):
        assert re.search("ignore|send|keep", text, re.IGNORECASE)
        assert re.search("ignore|send|keep", folded(text))


RULES = suspicion._RULES


def test_every_rule_needs_something():
    assert [rule for rule in RULES if not needed(rule.source, suspicion._FLAGS)] == []


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data())
def test_whatever_fits_a_rule_holds_what_the_rule_needs(data):
    rule = data.draw(st.sampled_from(RULES))
    text = data.draw(st.from_regex(re.compile(rule.source, suspicion._FLAGS)))

    for literals in needed(rule.source, suspicion._FLAGS):
        assert any(literal in folded(text) for literal in literals)
