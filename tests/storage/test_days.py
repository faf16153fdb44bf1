"""Day files: found, read, appended to, and changed without moving another byte."""

from __future__ import annotations

import os
from datetime import date, datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.errors import BackendError, ConflictError
from daily_memory.model import Code, Problem, Session, Span
from daily_memory.storage import days, journal
from daily_memory.storage.fs import files
from daily_memory.storage.journal import Record
from daily_memory.storage.roots import Root, project_root

DAY = date(2026, 1, 29)
OTHER = b"## Session 1 - 10:30\n\n### Topic\none\n\n---\n\n## Session 2 - 11:00\n\n### Topic\ntwo\n"


@pytest.fixture
def root(tmp_path) -> Root:
    made = project_root(str(tmp_path))
    os.makedirs(made.daily_folder)
    return made


def write(root: Root, data: bytes, name: str = "2026-01-29.md") -> str:
    path = os.path.join(root.daily_folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def topics(root: Root) -> list[str]:
    return [section.session.topic for section in days.load_day(root, DAY).sections]


def test_a_new_day_has_a_title_and_the_session(root):
    saved = days.append_session(root, Session(DAY, topic="缓存方案"), language="auto").session

    text = files.read_bytes(days.day_path(root, DAY)).decode()
    assert text == "# 2026-01-29 对话记忆\n\n## Session 1\n\n### 主题\n缓存方案\n\n---\n"
    assert saved == Session(DAY, 1, topic="缓存方案")


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\n---", b"\n---\n"])
def test_a_session_is_parted_from_what_is_there_and_no_byte_of_it_moves(root, end):
    path = write(root, OTHER.rstrip() + end)

    days.append_session(root, Session(DAY, topic="three"), language="en")

    data = files.read_bytes(path)
    assert data.startswith(OTHER.rstrip() + end)
    assert b"\n\n## Session 3\n" in data
    assert topics(root) == ["one", "two", "three"]


def test_windows_line_ends_stay_and_are_used(root):
    path = write(root, OTHER.replace(b"\n", b"\r\n"))

    days.append_session(root, Session(DAY, topic="three"), language="en")

    data = files.read_bytes(path)
    assert data.count(b"\n") == data.count(b"\r\n")
    assert topics(root) == ["one", "two", "three"]


def test_a_number_that_is_free_is_kept_and_another_is_the_next(root):
    first = days.append_session(root, Session(DAY, 7, topic="a"), language="en").session
    second = days.append_session(root, Session(DAY, 7, topic="b"), language="en").session

    assert (first.number, second.number) == (7, 8)


@pytest.mark.parametrize("fences", ["```python", "~~~~", "```\n~~~"])
@pytest.mark.parametrize("code", ["1", "```\nnpm i\n```", "~~~~\nx", "## Session 9\n---"])
def test_code_does_not_close_a_fence_that_a_person_left_open(root, fences, code):
    write(root, f"{fences}\n\n## Session 1\n\n### Topic\nprecious\n\n---\n".encode())

    days.append_session(root, Session(DAY, topic="x", code=(Code("js", code),)), language="en")

    first, second = days.load_day(root, DAY).sections
    assert first.session.topic == "precious"
    assert second.session == Session(DAY, 2, topic="x", code=(Code("", code),))


def note_number(root: Root, number: int) -> None:
    files.make_folder(root.index_folder)
    record = Record("2026-01-29T10:00:00+00:00", f"{DAY}#{number}", "wiped out")
    journal.add_records(root, [record], datetime(2026, 1, 29, tzinfo=timezone.utc))


def test_a_number_that_was_given_lately_is_not_given_again(root):
    write(root, OTHER)
    note_number(root, 7)

    saved = days.append_session(root, Session(DAY, topic="x"), language="en").session

    assert saved.number == 8


def test_after_the_highest_number_the_lowest_free_one_is_given(root):
    write(root, OTHER.replace(b"Session 2", b"Session 999999999"))

    assert days.append_session(root, Session(DAY, topic="x"), language="en").session.number == 2
    assert topics(root) == ["one", "two", "x"]


def test_only_regular_files_named_like_a_day_are_listed(root):
    for name in ("2026-01-29.md", "2026-01-28.md", "2026-02-30.md", "notes.md", "2026-01-27.txt"):
        write(root, b"", name)
    os.mkdir(os.path.join(root.daily_folder, "2026-01-26.md"))
    os.mkfifo(os.path.join(root.daily_folder, "2026-01-25.md"))
    os.symlink("/etc/passwd", os.path.join(root.daily_folder, "2026-01-24.md"))

    assert [file.name for file in days.list_days(root)] == ["2026-01-28.md", "2026-01-29.md"]
    assert [(os.path.basename(p.path), p.message) for p in days.odd_files(root)] == [
        ("2026-01-24.md", "is a link; it is not followed"),
        ("2026-01-25.md", "is not a regular file"),
        ("2026-01-26.md", "is not a regular file"),
        ("2026-02-30.md", "is not named like a day, YYYY-MM-DD.md; not read"),
        ("notes.md", "is not named like a day, YYYY-MM-DD.md; not read"),
    ]


def test_a_root_without_days_has_none(tmp_path):
    root = project_root(str(tmp_path))

    assert days.list_days(root) == []
    assert days.odd_files(root) == []
    assert list(days.each_day(root)) == []


def test_bytes_that_are_no_text_are_a_problem_and_lines_stay_lines(root):
    path = write(root, b"## Session 1\n\n### Topic\nbad \xff\xfe here\n\n## Session 2\n")

    day = days.load_day(root, DAY)

    assert [s.span for s in day.sections] == [Span(1, 4), Span(6, 6)]
    assert day.problems == (Problem(path, 4, "is not UTF-8 from here on; save it as UTF-8"),)


def test_days_are_read_oldest_first_within_the_bounds(root):
    for name in ("2026-01-27.md", "2026-01-28.md", "2026-01-29.md"):
        write(root, OTHER, name)

    found = [day.date.day for day in days.each_day(root, first=date(2026, 1, 28))]

    assert found == [28, 29]


@given(st.binary(max_size=200), st.integers(1, 12), st.integers(0, 12), st.binary(max_size=20))
def test_a_splice_moves_no_byte_outside_the_span(data, first, more, replacement):
    span = Span(first, first + more)

    spliced = days.splice(data, span, replacement)

    removed = days.cut(data, span)
    place = len(b"".join(line + b"\n" for line in data.split(b"\n")[: first - 1]))
    assert spliced == data[:place] + replacement + data[place + len(removed) :]


def test_a_section_is_replaced_and_the_others_keep_every_byte(root):
    path = write(root, b"\xef\xbb\xbfintro\n" + OTHER + b"\n\nhand  \n")
    first = days.load_day(root, DAY).sections[0]

    days.replace_section(root, first, first.session._replace(topic="new"), language="en")

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
    days.replace_section(root, first, first.session._replace(topic="new"), language="en")

    data = files.read_bytes(path)
    assert b"new" in data
    assert data.endswith(b"by hand\n")


def test_a_section_that_is_gone_is_not_replaced(root):
    write(root, OTHER)
    first = days.load_day(root, DAY).sections[0]
    write(root, OTHER.replace(b"one", b"edited"))

    with pytest.raises(ConflictError):
        days.replace_section(root, first, first.session, language="en")


def test_a_number_is_changed_and_nothing_else(root):
    path = write(root, OTHER.replace(b"Session 2", b"Session 1"))
    second = days.load_day(root, DAY).sections[1]

    assert days.renumber(root, second) == 2

    assert files.read_bytes(path) == OTHER


def test_a_session_gets_no_number_that_an_editor_wiped_out(root):
    write(root, OTHER.replace(b"Session 2", b"Session 1"))
    note_number(root, 4)

    assert days.renumber(root, days.load_day(root, DAY).sections[1]) == 5


def test_a_section_that_keeps_changing_is_given_up_and_nothing_is_lost(root, monkeypatch):
    path = write(root, OTHER)
    first = days.load_day(root, DAY).sections[0]

    def always_changed(*_: object, **__: object) -> None:
        raise ConflictError("changed")

    monkeypatch.setattr(files, "replace", always_changed)
    with pytest.raises(ConflictError) as caught:
        days.replace_section(root, first, first.session, language="en")

    assert "changed while it was being written" in caught.value.message
    assert files.read_bytes(path) == OTHER


def test_a_folder_that_may_not_be_read_is_told(root, monkeypatch):
    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)

    with pytest.raises(BackendError):
        days.list_days(root)


def test_a_day_that_goes_away_while_they_are_listed_hides_no_other(root, monkeypatch):
    for number in (27, 28, 29):
        write(root, OTHER, f"2026-01-{number}.md")
    real = days._DAY_NAME

    class Meanwhile:
        def match(self, name: str) -> object:
            if name == "2026-01-28.md":
                os.unlink(os.path.join(root.daily_folder, name))
            return real.match(name)

    monkeypatch.setattr(days, "_DAY_NAME", Meanwhile())
    rows = days.day_rows(root)

    assert [row[0] for row in rows] == ["2026-01-27.md", "2026-01-29.md"]


def test_a_day_that_can_not_be_read_is_a_problem_in_it(root, monkeypatch):
    write(root, OTHER)

    def refuse(path: str) -> bytes:
        raise BackendError("permission denied")

    monkeypatch.setattr(files, "read_bytes", refuse)

    (day,) = days.each_day(root)
    assert (day.sections, [p.message for p in day.problems]) == ((), ["permission denied"])


def test_the_conversations_that_a_root_knows_are_those_of_its_facts(root):
    write(root, OTHER)
    for number, name in enumerate(("S1", "会话<2>"), 1):
        session = Session(date(2026, 1, number), topic="a", conversation=name)
        days.append_session(root, session, language="en")

    assert days.conversations(root) == {"S1", "会话<2>"}
