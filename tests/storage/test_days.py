"""Day files: found and read."""

from __future__ import annotations

import os
import tempfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.errors import BackendError
from daily_memory.model import Problem, Section, Session, SessionId, Span
from daily_memory.storage import days
from daily_memory.storage.fs import files
from daily_memory.storage.roots import project_root
from tests.storage.days import DAY, OTHER, write


def test_only_regular_files_named_like_a_day_are_listed(root):
    listed = ("2026-01-29.md", "2026-01-28.md")
    for name in (*listed, "2026-02-30.md", "notes.md", "2026-01-27.txt", ".notes.md"):
        write(root, b"", name)
    os.mkdir(os.path.join(root.daily_folder, "2026-01-26.md"))
    os.mkfifo(os.path.join(root.daily_folder, "2026-01-25.md"))
    os.symlink("/etc/passwd", os.path.join(root.daily_folder, "2026-01-24.md"))

    assert [(file.name, file.stamp) for file in days.list_days(root)] == [
        (name, files.stamp(os.path.join(root.daily_folder, name))) for name in sorted(listed)
    ]
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


TOLD = "## Session {0}\n\n### Topic\n{1}\n\n---\n"
BEFORE = st.sampled_from(["", "\ufeff", "---\nlanguage: en\n---\n", "# 2026-01-29\n\n", "said\n\n"])


@given(BEFORE, st.lists(st.sampled_from(["redis", "缓存", "é"]), max_size=4), st.booleans())
def test_each_section_is_read_alone_as_it_is_read_with_its_day(before, topics, is_crlf):
    text = before + "\n".join(TOLD.format(n, topic) for n, topic in enumerate(topics, 1))
    data = text.replace("\n", "\r\n" if is_crlf else "\n").rstrip().encode()
    starts = days.line_starts(data)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "2026-01-29.md")
        Path(path).write_bytes(data)
        day = days.parse_bytes(data, DAY, path)
        read = [
            days.section_at(path, DAY, span, starts[span.first - 1], starts[span.last])
            for _, span in day.all_sections
        ]

    plain = [one._replace(session=one.session._replace(copy=1)) for one in day.all_sections]
    assert read == plain


@pytest.mark.parametrize("added", ["x", "\n", "\n\n", "---\n", "ten bytes\n", "## Session 1\n"])
def test_a_section_that_moved_is_not_read(root, added):
    data = (TOLD.format(1, "redis") + "\n" + TOLD.format(2, "a topic of more bytes")).encode()
    span, start = Span(8, 13), len(TOLD.format(1, "redis")) + 1
    path = write(root, data)
    assert days.section_at(path, DAY, span, start, len(data))

    Path(path).write_bytes(added.encode() + data)

    assert days.section_at(path, DAY, span, start, len(data)) is None


lines = st.lists(
    st.sampled_from([b"a\n", b"\n", b"\r\n", "缓存\n".encode(), b"\xff\n"]), max_size=6
)


@given(lines, st.sampled_from([b"", b"x\n"]), lines, st.sampled_from([b"", b"end"]))
def test_what_is_cut_out_or_replaced_are_the_lines_of_the_span(above, line, below, last):
    data = b"".join([*above, b"## Session 1\n", *below, last])
    span = Span(len(above) + 1, len(above) + 1 + len(below) + bool(last))
    section = Section(Session(DAY), span)
    whole = b"".join([b"## Session 1\n", *below, last])

    assert days.cut(data, span) == whole
    assert list(days.cuts(data + line, [section])) == [(section, days.cut(data + line, span))]
    assert days.splice(data, span, line) == b"".join([*above, line])
    assert days.splice(data, Span(span.first, span.first), line) == data.replace(
        b"## Session 1\n", line
    )


@pytest.mark.parametrize(
    ("data", "span", "widened"),
    [
        (b"a\n\nb\n", Span(1, 1), Span(1, 2)),
        (b"a\n \t\r\nb", Span(1, 1), Span(1, 2)),
        (b"a\n\n\nb\n", Span(1, 1), Span(1, 2)),
        (b"a\nb\n", Span(1, 1), Span(1, 1)),
        (b"a\n\n", Span(1, 1), Span(1, 2)),
        (b"a\n", Span(1, 1), Span(1, 1)),
        (b"a", Span(1, 1), Span(1, 1)),
    ],
)
def test_the_empty_line_below_a_section_goes_with_it(data, span, widened):
    assert days.with_gap(data, span) == days.with_gap(data, span, days.line_starts(data)) == widened


def test_a_text_gets_the_line_ends_of_its_file():
    assert days.encode("缓存\nb\n", b"a\r\n") == "缓存\r\nb\r\n".encode()
    assert days.encode("缓存\nb\n", b"a\n") == "缓存\nb\n".encode()


def test_the_lines_of_a_day_are_there_or_one_that_is_empty(root):
    assert days.load_lines(root, DAY) == [""]
    assert days.load_data(root, DAY) == b""
    write(root, b"\xef\xbb\xbfa\nb\xff\n")

    assert days.load_lines(root, DAY) == ["a", "b\ufffd", ""]
    assert days.load_data(root, DAY) == b"\xef\xbb\xbfa\nb\xff\n"


def test_one_session_is_found_by_its_number_and_its_copy(root):
    write(root, OTHER + b"\n---\n\n## Session 2\n\n### Topic\nagain\n")

    ids = [SessionId(DAY, *wanted) for wanted in ((1,), (2,), (2, 2), (3,))]
    found = [days.find_section(root, id_) for id_ in ids]

    assert [one and one.session.topic for one in found] == ["one", "two", "again", None]


def test_a_day_file_is_large_above_a_million_bytes_for_each_megabyte(root):
    write(root, b"x" * 1_000_000)
    write(root, b"x" * 1_000_001, "2026-01-28.md")

    assert [file.name for file in days.large_days(root, 1)] == ["2026-01-28.md"]
    assert [file.name for file in days.large_days(root, 0.5)] == ["2026-01-28.md", "2026-01-29.md"]


def test_a_folder_that_may_not_be_read_is_told(root, monkeypatch):
    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", refuse)

    with pytest.raises(BackendError):
        days.list_days(root)


def test_a_day_that_goes_away_while_they_are_listed_hides_no_other(root, monkeypatch):
    for number in (27, 28, 29):
        write(root, OTHER, f"2026-01-{number}.md")
    real = os.listdir

    def listed_before(folder: str) -> list[str]:
        names = real(folder)
        os.unlink(os.path.join(folder, "2026-01-28.md"))
        return names

    monkeypatch.setattr(os, "listdir", listed_before)
    rows = days.day_rows(root)

    assert [row[0] for row in rows] == ["2026-01-27.md", "2026-01-29.md"]


def test_the_newest_days_are_regular_files_of_real_days_up_to_a_last(root):
    for number in (26, 27, 29):
        write(root, OTHER, f"2026-01-{number}.md")
    write(root, OTHER, "2026-02-30.md")
    os.mkdir(os.path.join(root.daily_folder, "2026-01-28.md"))

    rows = days.day_rows(root, 2, date(2026, 1, 28))

    assert [row[0] for row in rows] == ["2026-01-26.md", "2026-01-27.md"]


def test_a_day_that_can_not_be_read_is_a_problem_in_it(root, monkeypatch):
    write(root, OTHER)

    def refuse(path: str) -> bytes:
        raise BackendError("permission denied")

    monkeypatch.setattr(files, "read_bytes", refuse)

    (day,) = days.each_day(root)
    assert (day.sections, [p.message for p in day.problems]) == ((), ["permission denied"])
