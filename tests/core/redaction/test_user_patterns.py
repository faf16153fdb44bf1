"""A pattern of a user or of a project is taken only if its search ends; so is its time."""

from __future__ import annotations

import re
from itertools import count
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.redaction.privacy import Policy, redact
from daily_memory.core.redaction.user_patterns import (
    Allowance,
    is_match,
    pattern_fault,
    stretch,
)

HOSTILE = [
    r"(?:(?:a{0,8}){0,8}){0,8}b",
    r"(a+)+$",
    r"(a*)*$",
    r"(a+)*b",
    r"(a|a)+$",
    r"(a|aa)+$",
    r"(?:ab|cd|ce)*x",
    r"(?:foo|bar)+!",
    r"(?i:a|A)+b",
    r"(?i:s|ſ)+x",
    r"(?:\w{1,50}){1,50}",
    r"(x+x+)+y",
    r"(?:\w|\d)+!",
    r"(?:a?){40}a{40}",
    r"(?:a|b|ab){30}c",
    r"(?:a{1,9}){9}b",
    r"(?:(?:a{1,3}){1,3}){4,9}b",
    r"((a{0,4}){0,4}){0,4}((a{0,4}){0,4}){0,4}b",
    r"(?P<x>a+)(?P=x)+(?P=x)+(?P=x)+(?P=x)+b",
    r"(.*)(.*)(.*)(.*)(.*)(.*)\1\2\3b",
    r".*.*.*.*.*.*.*.*x",
    r"\s*\s*\s*\s*\s*\s*\s*x",
    r"(?:a.*)+b",
    r"(?:.*a){12}",
    r"(?:(?=.*a).)+b",
    r"(?:a??)*?b",
    r"(?:a+?)+?b",
    r"(?:[a-z]+|[0-9]+)*!",
    r"(?:a{0,300}){3,4}b",
    r"(?:(?:x{0}){60000}){60000}",
    r"(?:){60000}",
    r"(?x) ( a+ # ) \n )+ b",
    r"(a)?(?(1)a+|b+)+c",
    "a?" * 60 + "a" * 60,
    "a" * 501,
]

HARMLESS = [
    r"EMP-\d{6}",
    r"工号 ?[0-9]+",
    r"(?:EMP|INT)-\d{6}",
    r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}",
    r"(?:\d{1,3}\.){3}\d{1,3}",
    r"[\w.+-]+@[\w-]+\.[\w.-]+",
    r"(?i)project[ -]?(?:apollo|zeus)",
    r"(?<!\w)ACME[_-][A-Z]{2,8}(?!\w)",
    r"(?:foo|bar){1,9}!",
    r"(?:ab)+c",
    r"[]a]{2,3}[^]]x\]",
    r"(?#a note (with a bracket)x{b}{}\N{DIGIT ONE}",
    r"(?P<a>[a-z])(?P=a)",
    r"x{,3}y{2,}",
    r"^\s*salary\s*[:=]\s*\d+",
]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_pattern_that_may_take_for_ever_is_refused(pattern: str) -> None:
    assert pattern_fault(pattern)


@pytest.mark.parametrize("pattern", HARMLESS)
def test_a_usual_pattern_is_taken(pattern: str) -> None:
    assert pattern_fault(pattern) == ""


def test_the_more_repeats_a_pattern_has_the_less_it_sees_at_a_time() -> None:
    seen = [stretch(".*a" * repeats) for repeats in range(5)]

    assert seen == [4_000, 4_000, 250, 120, 60]


def test_a_fault_says_what_is_wrong() -> None:
    assert pattern_fault("(").startswith("not a regular expression")
    assert (
        pattern_fault("(a+)+") == "repeats within a repeat, or too many of them, may take for ever"
    )
    assert pattern_fault("(?x)a") == "conditions and the flag x are not taken"


@given(st.from_regex(r"\A(?:[ab.|?*+]|\(|\)|\[a\]|\{1,3\}|\\w|\(\?:){0,12}\Z"))
def test_any_pattern_that_compiles_is_read(pattern: str) -> None:
    fault = pattern_fault(pattern)

    try:
        re.compile(pattern)
    except re.error:
        assert fault.startswith("not a regular expression")
    else:
        assert not fault.startswith("not a regular expression")


def test_a_text_that_no_time_is_left_for_is_hidden_from_there_on() -> None:
    ticks = count(step=0.1)
    policy = Policy(patterns=("EMP-[0-9]+",), allowance=Allowance(lambda: next(ticks)))

    redacted = redact("EMP-1 a\nb\nc EMP-2\nd", policy)

    assert redacted.text == "[REDACTED:custom] a\n[REDACTED:unchecked]"
    assert redacted.counts == (("custom", 1), ("unchecked", 1))


def test_of_a_long_line_that_no_time_is_left_for_the_beginning_is_kept() -> None:
    ticks = count(step=0.1)
    policy = Policy(patterns=("EMP-[0-9]+",), allowance=Allowance(lambda: next(ticks)))
    text = "one line\n" + "x " * 4_000

    # After the first line and 4,000 characters of the second, in the middle of which others begin.
    assert redact(text, policy).text == f"{text[: 9 + 2_000]}[REDACTED:unchecked]"


def test_a_long_text_earns_its_own_time() -> None:
    ticks = count(step=0.001)
    policy = Policy(patterns=("EMP-[0-9]+",), allowance=Allowance(lambda: next(ticks)))
    text = ("line " * 100 + "\n") * 1_000

    assert redact(text, policy).text == text


def test_an_allowed_value_is_compared_where_that_takes_no_time() -> None:
    assert is_match("ghp_x+", "ghp_xxx")
    assert not is_match("(a+)+", "aaa")
    assert not is_match(".*a.*a.*a.*a", "a" * 100)


@pytest.mark.parametrize(
    ("pattern", "chars"),
    [
        # 200 repeats are counted one by one, 201 as one without an end
        ("a{0,199}a{0,199}", 250),
        ("a{0,200}a{0,200}", 120),
        ("a{0,201}a{0,201}", 250),
        ("(?:ab){12}", 4_000),
        ("(?:ab|ac){11}", 4_000),
        ("(?:ab|ac){12}", 2_000),
        ("x|(?:ab|ac){12}", 2_000),
        ("(?:ab){200}", 4_000),
        ("a?" * 12, 2_000),
        ("a{150,200}a{150,200}", 2_000),
        ("a{,200}a{,200}", 120),
        ("x|a{0,99}a{0,99}", 500),
        ("x|y{0,99}z{0,99}|w", 500),
        # a repeat without an end, and so many choices
        (f"[{ascii_lowercase}].*", 4_000),
        (f"(?:{'|'.join(ascii_lowercase[:5])}).*", 2_000),
        (f"(?:{'|'.join(ascii_lowercase[:6])}).*", 1_000),
        (f"(?:{'|'.join(ascii_lowercase[:21])}).*", 500),
    ],
)
def test_what_a_pattern_may_see_is_what_its_repeats_and_choices_allow(pattern, chars):
    assert stretch(pattern) == chars


def test_what_is_too_long_is_refused_at_its_bound() -> None:
    assert pattern_fault("a" * 500) == ""
    assert pattern_fault("a" * 501) == "longer than 500 characters"
    assert pattern_fault("(?:(?:ab){20}){100}") == ""
    assert pattern_fault("(?:(?:ab){20}){101}") != ""
    assert is_match("a+", "a" * 4_000)
    assert not is_match("a+", "a" * 4_001)


@pytest.mark.parametrize("place", [0, 1_997, 2_000, 3_998, 4_000, 5_999, 6_001, 9_000])
def test_a_match_is_hidden_wherever_it_is_in_a_long_line(place: int) -> None:
    before, after = "x" * place, "y" * 4_000

    redacted = redact(f"one\n{before} EMP-77 {after}\ntwo EMP-8", Policy(patterns=("EMP-[0-9]+",)))

    assert redacted.text == f"one\n{before} [REDACTED:custom] {after}\ntwo [REDACTED:custom]"


def test_without_a_clock_there_is_time_for_ever() -> None:
    allowance = Allowance()

    allowance.begin("")

    assert not allowance.is_spent()


def test_a_quarter_of_a_second_and_five_microseconds_a_character_are_allowed() -> None:
    times = iter([10.0, 10.2, 10.3, 20.0, 20.4, 20.6])
    allowance = Allowance(lambda: next(times))

    allowance.begin("")
    assert not allowance.is_spent()
    assert allowance.is_spent()

    allowance.begin("x" * 100_000)
    assert not allowance.is_spent()
    assert allowance.is_spent()
