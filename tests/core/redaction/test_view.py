"""Views: what a reader sees of a text, and where each finding is in the text itself."""

from __future__ import annotations

import pytest

from daily_memory.core.redaction import view
from daily_memory.core.redaction.view import Redaction, view_of


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("ＡＰＩ＿ｋｅｙ＝０９", "API_key=09"),
        ("－＠．＋／＃＄％＆＊＾｜～＜＞", "-@.+/#$%&*^|~<>"),
        ("│a┃b╿ ─━╾ ┌┼╬", "|a|b| --- +++"),
        ("pass\u200bwo\u00adrd\ufeff\U000e0041", "password"),
        ("a\u202ab\u202ec\u2060d\u2064e\u2066f\u2069g\u200f", "abcdefg"),
        ('"one" + "two"', '"onetwo"'),
        ("'one' . 'two' & 'three'", "'onetwothree'"),
        ('"one"\n  "two" \\\n more', '"onetwo" more'),
        ("tok\x1b[0;31men\x1b[m", "token"),
        ("tok\\\n en", "token"),
        ("\"one\" + 'two'", "\"one\" + 'two'"),
        ("İstanbul 缓存", "İstanbul 缓存"),
        # what is beside those letters and signs is seen as it is
        ("Ｘ：＠［｀｛X", "X：@［｀｛X"),
        *[(each, each) for each in ("a\u00aeb\u2010c\u202fd", "a\u2065b\u206ac\u206fd")],
        ("\u24ff▀ ╿", "\u24ff▀ |"),
    ],
)
def test_a_text_is_seen_as_a_reader_sees_it(text: str, seen: str) -> None:
    found = view_of(text)

    assert found.text == seen
    assert found.lowered == seen.replace("İ", "I").lower()


def test_a_finding_is_where_its_first_and_last_letter_are() -> None:
    text = "a\u200b\u200bbc\u200bd\u200be"
    seen = view_of(text)

    places = [view.original(seen, Redaction(at, at + 1, "x")) for at in range(5)]

    assert [text[found.start : found.end] for found in places] == ["a", "b", "c", "d", "e"]
    assert view.original(seen, Redaction(1, 4, "x")) == Redaction(3, 7, "x")
    assert view.original(view_of("abc"), Redaction(1, 2, "x")) == Redaction(1, 2, "x")
    assert view.original(view_of("\u200b" * 9 + "a"), Redaction(0, 1, "x")) == Redaction(9, 10, "x")


def test_what_nobody_sees_is_left_out() -> None:
    assert view.without_invisible("a\u200bb 缓\ufeff存") == "ab 缓存"
    assert view.without_invisible("缓存") == "缓存"


def test_a_window_is_the_line_of_a_trigger_and_the_two_below() -> None:
    text = "zero\none\nkey two\nthree\nfour\nfive\nsix\n"

    (window,) = view.windows(view_of(text), ["key"])

    assert text[slice(*window)] == "key two\nthree\nfour"
    assert view.windows(view_of("key\n\nthree\nfour"), ["key"]) == [(0, 10)]
    assert view.windows(view_of(text), ["absent"]) == []


def test_triggers_that_are_close_share_a_window() -> None:
    text = "key one\ntwo\nkey three\nfour\nfive\nsix\nseven\neight\nkey nine\n"

    windows = view.windows(view_of(text), ["key"])

    assert [text[slice(*window)] for window in windows] == [
        "key one\ntwo\nkey three\nfour\nfive",
        "key nine\n",
    ]


def test_a_trigger_right_behind_a_window_has_one_of_its_own() -> None:
    text = "key one\ntwo\nthree\nkey four\nfive"

    windows = view.windows(view_of(text), ["key"])

    assert [text[slice(*window)] for window in windows] == [
        "key one\ntwo\nthree",
        "key four\nfive",
    ]


def test_of_a_very_long_line_what_is_near_is_a_window() -> None:
    text = f"{'a' * 2000} key {'b' * 20_000}\nlast"

    (window,) = view.windows(view_of(text), ["key"])

    assert window == (2001 - 600, 2001 + 10_000)


def test_stretches_that_touch_are_one() -> None:
    assert view.joined([(3, 8), (0, 5), (8, 9), (11, 20), (12, 15)]) == [(0, 9), (11, 20)]


def test_findings_that_overlap_are_one_of_the_first_kind() -> None:
    found = [Redaction(*each) for each in ((4, 9, "b"), (0, 5, "a"), (9, 10, "c"), (20, 21, "d"))]

    assert view.merged([*found, Redaction(0, 2, "e"), Redaction(20, 22, "f")]) == [
        Redaction(0, 9, "a"),
        Redaction(9, 10, "c"),
        Redaction(20, 22, "f"),
    ]
    assert view.merged([*found, Redaction(9, 11, "g"), Redaction(10, 12, "h")])[1] == (9, 12, "g")
