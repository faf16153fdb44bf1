"""Sections are added and changed without moving another byte."""

from __future__ import annotations

import os
from datetime import datetime, timezone

import pytest

from daily_memory.errors import ConflictError
from daily_memory.model import Code, Session
from daily_memory.storage import archive_moves, day_sections, days, journal
from daily_memory.storage.fs import files
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root
from tests.storage.days import DAY, OTHER, topics, write


def note_number(root: Root, number: int) -> None:
    files.make_folder(root.index_folder)
    record = JournalEntry("2026-01-29T10:00:00+00:00", f"{DAY}#{number}", "wiped out")
    journal.add_records(root, [record], datetime(2026, 1, 29, tzinfo=timezone.utc))


def test_a_new_day_has_a_title_and_the_session(root):
    saved = day_sections.append_session(
        root, Session(DAY, topic="缓存方案"), language="auto"
    ).session

    text = files.read_bytes(days.day_path(root, DAY)).decode()
    assert text == "# 2026-01-29 对话记忆\n\n## Session 1\n\n### 主题\n缓存方案\n\n---\n"
    assert saved == Session(DAY, 1, topic="缓存方案")


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\n---", b"\n---\n"])
def test_a_session_is_parted_from_what_is_there_and_no_byte_of_it_moves(root, end):
    path = write(root, OTHER.rstrip() + end)

    day_sections.append_session(root, Session(DAY, topic="three"), language="en")

    data = files.read_bytes(path)
    assert data.startswith(OTHER.rstrip() + end)
    assert b"\n\n## Session 3\n" in data
    assert topics(root) == ["one", "two", "three"]


def test_the_number_of_an_archived_session_is_not_given_again(root):
    write(root, OTHER)
    archive_moves.archive_sections(root, DAY, lambda session: session.number == 2)

    for wanted, number in ((2, 3), (0, 4), (1, 5)):
        session = Session(DAY, wanted, topic="new")
        assert day_sections.append_session(root, session, language="en").session.number == number


@pytest.mark.parametrize(
    ("front", "heading"),
    [("language: en\n", "### Topic"), ("language: xx\n", "### 主题"), ("", "### 主题")],
)
def test_headings_are_in_the_language_that_the_day_asks_for(root, front, heading):
    path = write(root, f"---\n{front}project: shop\n---\n".encode())

    day_sections.append_session(root, Session(DAY, topic="缓存方案"), language="auto")

    assert f"\n{heading}\n缓存方案\n".encode() in files.read_bytes(path)


def test_windows_line_ends_stay_and_are_used(root):
    path = write(root, OTHER.replace(b"\n", b"\r\n"))

    day_sections.append_session(root, Session(DAY, topic="three"), language="en")

    data = files.read_bytes(path)
    assert data.count(b"\n") == data.count(b"\r\n")
    assert topics(root) == ["one", "two", "three"]


def test_a_number_that_is_free_is_kept_and_another_is_the_next(root):
    first = day_sections.append_session(root, Session(DAY, 7, topic="a"), language="en").session
    second = day_sections.append_session(root, Session(DAY, 7, topic="b"), language="en").session

    assert (first.number, second.number) == (7, 8)


@pytest.mark.parametrize("fences", ["```python", "~~~~", "```\n~~~"])
@pytest.mark.parametrize("code", ["1", "```\nnpm i\n```", "~~~~\nx", "## Session 9\n---"])
def test_code_does_not_close_a_fence_that_a_person_left_open(root, fences, code):
    write(root, f"{fences}\n\n## Session 1\n\n### Topic\nprecious\n\n---\n".encode())

    day_sections.append_session(
        root, Session(DAY, topic="x", code=(Code("js", code),)), language="en"
    )

    first, second = days.load_day(root, DAY).sections
    assert first.session.topic == "precious"
    assert second.session == Session(DAY, 2, topic="x", code=(Code("", code),))


def test_a_number_that_was_given_lately_is_not_given_again(root):
    write(root, OTHER)
    note_number(root, 7)

    saved = day_sections.append_session(root, Session(DAY, topic="x"), language="en").session

    assert saved.number == 8


def test_after_the_highest_number_the_lowest_free_one_is_given(root):
    write(root, OTHER.replace(b"Session 2", b"Session 999999999"))

    assert (
        day_sections.append_session(root, Session(DAY, topic="x"), language="en").session.number
        == 2
    )
    assert topics(root) == ["one", "two", "x"]


def test_a_section_is_replaced_and_the_others_keep_every_byte(root):
    path = write(root, b"\xef\xbb\xbfintro\n" + OTHER + b"\n\nhand  \n")
    first = days.load_day(root, DAY).sections[0]

    day_sections.replace_section(root, first, first.session._replace(topic="new"), language="en")

    data = files.read_bytes(path)
    assert data.startswith(b"\xef\xbb\xbfintro\n## Session 1 - 10:30\n\n### Topic\nnew\n\n---\n")
    assert data.endswith(OTHER.partition(b"---\n")[2] + b"\n\nhand  \n")


def test_an_edit_made_at_the_same_moment_is_kept(root, monkeypatch):
    path = write(root, OTHER)
    first = days.load_day(root, DAY).sections[0]
    real = files.replace
    edits: list[str] = []

    def edited_meanwhile(*args: object, **kwargs: object) -> None:
        if not edits:
            edits.append(write(root, OTHER + b"by hand\n"))
        real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "replace", edited_meanwhile)
    day_sections.replace_section(root, first, first.session._replace(topic="new"), language="en")

    data = files.read_bytes(path)
    assert b"new" in data
    assert data.endswith(b"by hand\n")


def test_a_section_that_is_gone_is_not_replaced(root):
    write(root, OTHER)
    first = days.load_day(root, DAY).sections[0]
    write(root, OTHER.replace(b"one", b"edited"))

    with pytest.raises(ConflictError):
        day_sections.replace_section(root, first, first.session, language="en")


def test_a_number_is_changed_and_nothing_else(root):
    path = write(root, OTHER.replace(b"Session 2", b"Session 1"))
    second = days.load_day(root, DAY).sections[1]

    assert day_sections.renumber(root, second) == 2

    assert files.read_bytes(path) == OTHER


def test_a_session_gets_no_number_that_an_editor_wiped_out(root):
    write(root, OTHER.replace(b"Session 2", b"Session 1"))
    note_number(root, 4)

    assert day_sections.renumber(root, days.load_day(root, DAY).sections[1]) == 5


def test_a_section_that_keeps_changing_is_given_up_and_nothing_is_lost(root, monkeypatch):
    path = write(root, OTHER)
    first = days.load_day(root, DAY).sections[0]

    def always_changed(*_: object, **__: object) -> None:
        raise ConflictError("changed")

    monkeypatch.setattr(files, "replace", always_changed)
    changed = first.session._replace(topic="changed")
    with pytest.raises(ConflictError) as caught:
        day_sections.replace_section(root, first, changed, language="en")

    assert "kept changing" in caught.value.message
    assert files.read_bytes(path) == OTHER


def test_the_first_session_of_a_memory_makes_its_folder(root):
    os.rmdir(root.daily_folder)

    day_sections.append_session(root, Session(DAY, topic="one"), language="en")

    assert topics(root) == ["one"]


def test_several_sessions_are_added_as_one_by_one(root):
    both = [Session(DAY, topic="one"), Session(DAY, topic="two")]

    day_sections.append_sessions(root, both, language="en")

    assert files.read_bytes(days.day_path(root, DAY)) == (
        b"# 2026-01-29 Conversation memory\n\n## Session 1\n\n### Topic\none\n\n---\n\n"
        b"## Session 2\n\n### Topic\ntwo\n\n---\n"
    )


@pytest.mark.parametrize(
    ("end", "gap"), [("", "\n\n"), ("\n", "\n"), ("\n\n", ""), ("\r\n", "\r\n"), ("\r\n\r\n", "")]
)
def test_an_empty_line_is_above_a_session(root, end, gap):
    said = f"# A title{end}"
    path = write(root, said.encode())

    day_sections.append_session(root, Session(DAY, topic="one"), language="en")

    head = f"{said}{gap}## Session 1"
    assert files.read_bytes(path).decode().startswith(head)


def test_a_day_keeps_the_language_that_it_names(root):
    path = write(root, b"---\nlanguage: zh\n---\n\n")

    day_sections.append_session(root, Session(DAY, topic="one"), language="en")

    assert "### 主题\none" in files.read_bytes(path).decode()


def test_what_replaces_a_section_is_given_its_lines_without_returns(root):
    path = write(root, OTHER.replace(b"\n", b"\r\n"))
    first, _ = days.load_day(root, DAY).sections

    text = day_sections.rewrite_section(root, first, lambda _day, lines: lines + "more\n")

    assert "\r" not in text
    assert b"more\r\n" in files.read_bytes(path)
