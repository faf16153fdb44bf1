"""Sessions as JSON: what comes in is checked, what goes out comes back in."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given

from daily_memory.core.format.session_json import (
    format_session,
    named_day,
    parse_date,
    parse_id,
    parse_session,
)
from daily_memory.errors import InvalidInputError
from daily_memory.model import Code, Note, Session, SessionId
from tests.core.format.test_markdown import sessions

NOW = datetime(2026, 1, 29, 10, 30, 45)


def test_all_keys_are_read():
    data = {
        "topic": " 缓存方案 ",
        "summary": "a summary",
        "key_points": ["one", " "],
        "decisions": "one text",
        "code": [{"language": " json ", "text": "{}"}, "plain"],
        "open_questions": ["why?"],
        "next_steps": ["do"],
        "files": ["src/a.py"],
        "tags": ["#Web API", "redis"],
        "notes": [{"heading": "", "text": "above"}, {"heading": "备注", "text": "x"}],
        "date": "2026-01-28",
        "time": "9:05",
        "session": 4,
        "project": "app",
        "source": "cursor",
        "conversation": "c1",
        "origin": "import",
        "important": True,
    }

    draft = parse_session(data, NOW)

    assert draft.warnings == ()
    assert draft.session == Session(
        date(2026, 1, 28),
        4,
        "09:05",
        topic="缓存方案",
        summary="a summary",
        key_points=("one",),
        decisions=("one text",),
        code=(Code("json", "{}"), Code("", "plain")),
        open_questions=("why?",),
        next_steps=("do",),
        files=("src/a.py",),
        tags=("Web-API", "redis", "important"),
        notes=(Note("", "above"), Note("备注", "x")),
        conversation="c1",
        source="cursor",
        project="app",
        origin="import",
    )


@pytest.mark.parametrize(
    ("tags", "flags"), [((), (False,) * 3), (("重要", "过时", "私密"), (True,) * 3)]
)
def test_all_keys_are_given_out(tags, flags):
    session = Session(
        date(2026, 1, 28),
        *(4, "09:05", "缓存方案", "a summary"),
        key_points=("one",),
        code=(Code("json", "{}"),),
        notes=(Note("备注", "x"),),
        tags=tags,
        source="cursor",
    )

    names = ("important", "outdated", "private")
    facts = ("conversation", "project", "origin", "continues", "digest")
    assert format_session(session) == {
        "id": "2026-01-28#4",
        "date": "2026-01-28",
        "session": 4,
        "time": "09:05",
        "topic": "缓存方案",
        "summary": "a summary",
        "key_points": ["one"],
        "source": "cursor",
        **{key: [] for key in ("decisions", "open_questions", "next_steps", "files")},
        "code": [{"language": "json", "text": "{}"}],
        "notes": [{"heading": "备注", "text": "x"}],
        "tags": list(tags),
        **dict(zip(names, flags, strict=True)),
        **dict.fromkeys(facts),
    }


@pytest.mark.parametrize("flag", ["important", "outdated", "private"])
def test_a_flag_becomes_a_tag_once(flag):
    assert parse_session({"topic": "x", flag: True}, NOW).session.tags == (flag,)
    assert parse_session({"topic": "x", flag: False}, NOW).session.tags == ()
    assert parse_session({"topic": "x", "tags": [flag], flag: True}, NOW).session.tags == (flag,)


def test_texts_without_a_heading_stand_above_in_one():
    notes = [{"text": " a "}, {"heading": "b\n c", "text": "d"}, {"heading": "", "text": "e\n"}]

    parsed = parse_session({"topic": "x", "notes": notes}, NOW).session.notes

    assert parsed == (Note("", "a\n\ne"), Note("b c", "d"))


@pytest.mark.parametrize(
    ("given_number", "number"),
    [(1, 1), (999_999_999, 999_999_999), (1_000_000_000, 0), (0, 0), (-1, 0), ("1", 0), (True, 0)],
)
def test_a_number_that_no_section_can_have_is_none(given_number, number):
    assert parse_session({"topic": "x", "session": given_number}, NOW).session.number == number


def test_date_and_time_default_to_now():
    session = parse_session({"topic": "x"}, NOW).session

    assert (session.date, session.time) == (date(2026, 1, 29), "10:30:45")


@pytest.mark.parametrize("data", [{"date": "2026-01-28"}, {"time": ""}])
def test_another_day_or_an_empty_time_has_no_time(data):
    assert parse_session({"topic": "x", **data}, NOW).session.time == ""


@given(sessions)
def test_a_session_given_out_can_be_taken_in(session):
    session = session._replace(digest="", copy=1)
    try:
        first = parse_session(format_session(session), NOW).session
    except InvalidInputError:
        return  # nothing but code or tags in it

    assert parse_session(format_session(first), NOW).session == first


def test_what_an_answer_says_of_a_session_may_come_back_with_it():
    names = ("id", "copy", "path", "line_range", "scope", "lang", "store")
    said = dict.fromkeys(names, "")

    assert parse_session({"topic": "x", **said}, NOW).warnings == ()


def test_unknown_keys_are_a_warning():
    draft = parse_session({"topic": "x", "colour": 1, "path": "daily/2026-01-29.md"}, NOW)

    assert draft.warnings == ("unknown key 'colour' was ignored",)


def test_half_a_surrogate_pair_does_not_lose_the_session():
    assert parse_session({"topic": "a\ud800b"}, NOW).session.topic == "a\ufffdb"


def test_a_flag_that_is_there_in_chinese_is_not_doubled():
    session = parse_session({"topic": "x", "tags": "#重要", "important": True}, NOW).session

    assert session.tags == ("重要",)


def test_a_note_can_not_become_a_field_of_ours():
    data = {"topic": "x", "notes": [{"heading": "Topic", "text": "y"}]}

    assert parse_session(data, NOW).session.notes == (Note("Topic *", "y"),)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "nothing to save"),
        ({"topic": " ", "key_points": [""]}, "nothing to save"),
        ({"topic": 5}, "topic: 5 is not a text"),
        ({"topic": "x", "key_points": [1]}, "key_points: [1] is not a list of texts"),
        (
            {"topic": "x", "key_points": {"a": "b" * 99}},
            "key_points: a dict is not a list of texts",
        ),
        ({"topic": "x", "tags": 5}, "tags: 5 is not a list of texts"),
        ({"topic": "x", "date": "29.1.2026"}, "date: '29.1.2026' is not a date"),
        ({"topic": "x", "date": "2026-02-30"}, "date: '2026-02-30' is not a date"),
        ({"topic": "x", "time": "25:00"}, "time: '25:00' is not a time"),
        ({"topic": "x", "time": "10:30\n"}, "time: '10:30\\n' is not a time"),
        ({"topic": "x", "code": 5}, "code: 5 is not a list"),
        ({"topic": "x", "code": [{"language": "py"}]}, "code: {'language': 'py'} is not an object"),
        ({"topic": "x", "notes": ["y"]}, "notes: ['y'] is not a list"),
        ({"topic": "x", "important": "yes"}, "important: 'yes' is not true or false"),
    ],
)
def test_what_is_wrong_is_said(data, message):
    with pytest.raises(InvalidInputError) as caught:
        parse_session(data, NOW)

    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-29#1", SessionId(date(2026, 1, 29), 1)),
        ("2026-01-29#12~2", SessionId(date(2026, 1, 29), 12, 2)),
    ],
)
def test_an_id_is_read_and_written_alike(text, expected):
    assert parse_id(text) == expected
    assert str(expected) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-01-29",
        "2026-01-29#01",
        "2026-01-29#-1",
        "2026-01-29#1\n",
        "../x#1",
        "２０２６-01-29#1",
        "2026-13-45#1",
        None,
    ],
)
def test_anything_else_is_no_id(text):
    with pytest.raises(InvalidInputError):
        parse_id(text)


@pytest.mark.parametrize("text", ["20260129", "2026-W05-4", "２０２６-01-29", 5])
def test_only_one_form_of_a_date_is_read(text):
    with pytest.raises(InvalidInputError):
        parse_date(text)


@pytest.mark.parametrize(
    ("words", "age_days"),
    [("today Today 今天 今日", 0), ("yesterday 昨天 昨日", 1), ("前天", 2)],
)
def test_a_word_names_one_of_the_latest_days(words, age_days):
    for word in words.split():
        assert named_day(f" {word}", date(2026, 2, 1)) == date(2026, 2, 1) - timedelta(age_days)
    assert named_day("tomorrow", date(2026, 2, 1)) is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("day", "YYYY-MM-DD"),
        *((name, "words such as") for name in ("--since", "until", "--before")),
        *(("--x", "the help of this command"), ("date", "docs/commands.md, `save`")),
    ],
)
def test_a_wrong_value_says_where_to_look(name, hint):
    with pytest.raises(InvalidInputError) as caught:
        parse_date("20260129", name)

    assert caught.value.hint.removeprefix("see ").startswith(hint)


def test_a_wrong_id_says_where_to_find_one():
    with pytest.raises(InvalidInputError) as caught:
        parse_id("2026-01-29")

    assert caught.value.hint == "`memory list` shows the ids"
