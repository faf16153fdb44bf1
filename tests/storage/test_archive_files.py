"""The archive on disk: gzip of day files, the same bytes each time; no link is followed."""

from __future__ import annotations

import gzip
import io
import os
from datetime import date
from pathlib import Path

import pytest

from daily_memory import BackendError, ConflictError, DamagedDataError
from daily_memory.model import Session, SessionId
from daily_memory.storage import archive_files, archive_moves, day_sections, days
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

DAY = date(2025, 10, 29)
TEXT = "# 2025-10-29 对话记忆\n\n## Session 1 - 09:00:00\n\n### 主题\n缓存\n\n---\n".encode()


@pytest.fixture
def root(tmp_path: Path) -> Root:
    found = Root(str(tmp_path / "memories"), "project")
    files.make_folder(found.index_folder)
    return found


def test_any_gzip_tool_reads_what_is_packed_and_the_other_way_round():
    assert gzip.decompress(archive_files.pack(TEXT)) == TEXT
    assert archive_files.unpack(gzip.compress(TEXT), "x") == TEXT
    assert archive_files.pack(TEXT) == archive_files.pack(TEXT)
    assert archive_files.pack(TEXT)[4:8] == b"\0\0\0\0"


def test_each_changed_byte_is_seen():
    packed = archive_files.pack(TEXT)
    for place in range(len(packed)):
        broken = packed[:place] + bytes([packed[place] ^ 0xFF]) + packed[place + 1 :]
        if place in (4, 5, 6, 7, 8, 9):
            continue  # when and where it was packed, which nobody asks
        with pytest.raises(DamagedDataError):
            archive_files.unpack(broken, "x")


@pytest.mark.parametrize(
    "data", [b"", archive_files.pack(TEXT)[:-1], archive_files.pack(TEXT) + b"more"]
)
def test_what_is_cut_or_followed_by_something_is_damaged(data):
    with pytest.raises(DamagedDataError, match="not an archive, or is damaged"):
        archive_files.unpack(data, "x")


def test_no_more_is_unpacked_than_is_allowed():
    packed = archive_files.pack(b"x" * 10)

    assert archive_files.unpack(packed, "x", 10) == b"x" * 10
    with pytest.raises(DamagedDataError, match="too large: more than 9 bytes"):
        archive_files.unpack(packed, "x", 9)


def test_what_we_pack_names_no_file():
    named = io.BytesIO()
    with gzip.GzipFile("note.md", "wb", fileobj=named) as file:
        file.write(TEXT)

    assert archive_files.is_bare(archive_files.pack(TEXT))
    assert not archive_files.is_bare(named.getvalue())
    assert not archive_files.is_bare(b"")


def test_only_days_in_the_folder_of_their_year_are_listed(root, tmp_path):
    archive_files.store(root, DAY, TEXT)
    for name in ("2025/2025-10-30.md", "2025/note.md.gz", "2024/2025-10-30.md.gz"):
        path = Path(root.path, "archive", name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
    Path(root.path, "archive", "2025", "2025-10-31.md.gz").symlink_to(
        archive_files.day_path(root, DAY)
    )

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "2023-10-29.md.gz").write_bytes(b"")
    Path(root.path, "archive", "2023").symlink_to(elsewhere)

    assert [(one.day, one.path) for one in archive_files.list_days(root)] == [
        (DAY, archive_files.day_path(root, DAY))
    ]
    assert archive_files.relative_path(DAY) == "archive/2025/2025-10-29.md.gz"
    assert [day.date for day in archive_files.each_day(root, first=date(2025, 10, 30))] == []


def test_a_refused_folder_is_our_error(root, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "no")

    monkeypatch.setattr(os, "scandir", refuse)

    with pytest.raises(BackendError):
        archive_files.list_days(root)


def test_no_link_leads_out_of_the_memory(root, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Path(root.path, "archive").symlink_to(elsewhere)

    with pytest.raises(BackendError, match="is a link"):
        archive_files.store(root, DAY, TEXT)

    assert list(elsewhere.iterdir()) == []


def test_what_stands_in_its_day_too_is_not_archived(root):
    more = TEXT + b"\n## Session 2 - 10:00:00\n\n### Topic\ntwo\n\n---\n"
    archive_files.store(root, DAY, more)
    assert [one.session.number for one in archive_files.load_day(root, DAY).sections] == [1, 2]

    files.make_folder(root.daily_folder)
    Path(days.day_path(root, DAY)).write_bytes(TEXT.replace("缓存".encode(), "改过".encode()))

    assert [one.session.number for one in archive_files.load_day(root, DAY).sections] == [2]
    assert archive_files.find_section(root, SessionId(DAY, 1)) is None
    assert archive_files.find_section(root, SessionId(DAY, 2, 2)) is None
    found = archive_files.find_section(root, SessionId(DAY, 2))
    assert found is not None
    assert found.session.topic == "two"
    assert archive_files.last_number(root, DAY) == 2
    assert archive_files.last_number(root, date(2025, 10, 30)) == 0


def test_a_damaged_archive_is_a_problem_and_hides_no_other(root):
    archive_files.store(root, DAY, TEXT)
    archive_files.store(root, date(2025, 10, 30), TEXT)
    Path(archive_files.day_path(root, DAY)).write_bytes(b"junk")

    found = list(archive_files.each_day(root))

    assert [(bool(day.problems), len(day.sections)) for day in found] == [(True, 0), (False, 1)]
    assert archive_files.load_data(root, DAY) == b""


def test_live_sessions_are_archived_beside_their_days(root):
    path = Path(root.observations_folder, "2025-10-29", "talk.jsonl")
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"session":{}}\n')

    archive_files.store_observed(root, str(path))
    packed = archive_files.observed_path(root, str(path))

    assert packed.endswith(
        "archive/2025/observations/2025-10-29/talk.jsonl.gz".replace("/", os.sep)
    )
    assert archive_files.list_observed(root) == [(packed, str(path))]
    assert archive_files.load_observed(packed) == b'{"session":{}}\n'
    assert archive_files.list_days(root) == []


def test_the_newest_live_session_of_a_name_is_found(root):
    paths = []
    for name in ("2025-10-28/a", "2025-10-29/b", "2025-10-30/a", "2025-10-31/b"):
        path = Path(root.observations_folder, f"{name}.jsonl")
        path.parent.mkdir(parents=True)
        path.write_bytes(name.encode())
        archive_files.store_observed(root, str(path))
        paths.append(archive_files.observed_path(root, str(path)))

    assert archive_files.find_observed(root, "a.jsonl") == paths[2]
    assert archive_files.find_observed(root, "c.jsonl") == ""


def test_a_live_session_takes_the_place_of_none_but_its_own_beginning(root):
    path = Path(root.observations_folder, "2025-10-29", "talk.jsonl")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"one\n")
    archive_files.store_observed(root, str(path))
    path.write_bytes(b"one\ntwo\n")
    archive_files.store_observed(root, str(path))
    path.write_bytes(b"other\n")

    with pytest.raises(ConflictError, match="holds another live session"):
        archive_files.store_observed(root, str(path))

    assert (
        archive_files.load_observed(archive_files.observed_path(root, str(path))) == b"one\ntwo\n"
    )


def test_other_files_among_them_are_none(root):
    for name in ("talk.txt.gz", "talk.jsonl"):
        path = Path(root.path, "archive", "2025", "observations", "2025-10-29", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")

    assert archive_files.list_observed(root) == []


def test_empty_folders_go_with_the_last_file(root):
    archive_files.store(root, DAY, TEXT)

    archive_files.remove(root, archive_files.day_path(root, DAY))

    assert not Path(root.path, "archive").exists()


def test_a_folder_with_another_file_stays(root):
    other = DAY.replace(day=30)
    for day in (DAY, other):
        archive_files.store(root, day, TEXT)

    archive_files.remove(root, archive_files.day_path(root, DAY))

    assert [listed.day for listed in archive_files.list_days(root)] == [other]


def test_the_conversations_that_a_root_knows_are_those_of_its_facts(root):
    for number, name in enumerate(("S1", "会话<2>"), 1):
        session = Session(date(2026, 1, number), topic="a", conversation=name)
        day_sections.append_session(root, session, language="en")

    assert archive_files.conversations(root) == {"S1", "会话<2>"}
    assert archive_moves.archive_sections(
        root, date(2026, 1, 1), lambda session: session.number == 1
    ) == ["2026-01-01#1"]
    assert archive_files.conversations(root) == {"S1", "会话<2>"}


@pytest.mark.parametrize(
    ("text", "is_bare"),
    [
        ("# 2025-10-29 对话记忆\n\n", True),
        ("\ufeff# 2025-10-29 对话记忆", True),
        ("# 2025-10-29 对话记忆\nmore", False),
        ("# 标题", False),
    ],
)
def test_a_day_with_nothing_but_its_title_is_bare(text, is_bare):
    assert archive_moves.is_bare(text.encode(), DAY) == is_bare
