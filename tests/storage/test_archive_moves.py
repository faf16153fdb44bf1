"""Sections and live sessions go into the archive and come back, whatever a crash left of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daily_memory.model import Session
from daily_memory.storage import archive_files, archive_moves, days
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root
from tests.storage.days import DAY, OTHER, topics, write

TITLE = b"# 2026-01-29 \xe5\xaf\xb9\xe8\xaf\x9d\xe8\xae\xb0\xe5\xbf\x86\n\n"


def is_first(session: Session) -> bool:
    return session.number == 1


def is_any(session: Session) -> bool:
    return session.number > 0


def is_none(session: Session) -> bool:
    return session.number > 2


def archived(root: Root) -> list[str]:
    return [section.session.topic for section in archive_files.load_day(root, DAY).sections]


@pytest.mark.parametrize(
    ("is_moved", "ids", "left", "packed"),
    [
        (is_first, ["2026-01-29#1"], ["two"], ["one"]),
        (is_any, ["2026-01-29#1", "2026-01-29#2"], [], ["one", "two"]),
        (is_none, [], ["one", "two"], []),
    ],
)
def test_sections_go_into_the_archive_and_come_back_to_the_byte(root, is_moved, ids, left, packed):
    path = write(root, TITLE + OTHER)

    assert archive_moves.archive_sections(root, DAY, is_moved) == ids
    assert (topics(root), archived(root)) == (left, packed)
    assert os.path.exists(path) == bool(left)

    archive_moves.restore_sections(root, DAY, is_moved)
    assert (files.read_bytes(path), archived(root)) == (TITLE + OTHER, [])
    assert not os.path.exists(archive_files.day_path(root, DAY))


def test_others_stay_in_the_archive(root):
    write(root, OTHER)
    archive_moves.archive_sections(root, DAY, is_any)

    archive_moves.restore_sections(root, DAY, is_first)

    assert (topics(root), archived(root)) == (["one"], ["two"])
    assert b"one" not in archive_files.load_data(root, DAY)


def test_a_section_in_both_is_settled_in_favour_of_its_day(root):
    write(root, OTHER)
    archive_files.store(root, DAY, OTHER.replace(b"one", b"older"))
    archive_files.store(root, DAY.replace(day=28), b"")
    Path(archive_files.day_path(root, DAY.replace(day=28))).write_bytes(b"damaged")

    mended = archive_moves.settle(root)

    assert mended == [
        "2026-01-29#1 was in the archive as well as in its day",
        "2026-01-29#2 was in the archive as well as in its day",
    ]
    assert (topics(root), os.path.exists(archive_files.day_path(root, DAY))) == (
        ["one", "two"],
        False,
    )
    assert archive_moves.settle(root) == []


@pytest.mark.parametrize(("data", "is_removed"), [(TITLE, True), (TITLE + b"mine\n", False)])
def test_a_day_file_with_nothing_but_our_title_is_removed(root, data, is_removed):
    path = write(root, data)

    archive_moves.remove_bare(root, DAY)

    assert os.path.exists(path) != is_removed


def test_a_day_that_is_not_there_is_not_removed(root):
    archive_moves.remove_bare(root, DAY)

    assert not os.path.exists(days.day_path(root, DAY))


def test_a_live_session_goes_into_the_archive_and_comes_back(root):
    path = os.path.join(root.observations_folder, "2026-01-29", "c.jsonl")
    files.make_folder(os.path.dirname(path))
    files.append(path, b"{}\n")
    packed = archive_files.observed_path(root, path)

    archive_moves.archive_observations(root, path)
    assert (os.path.exists(packed), os.path.exists(os.path.dirname(path))) == (True, False)

    assert archive_moves.restore_observations(root, packed, path) == []
    assert (files.read_bytes(path), os.path.exists(packed)) == (b"{}\n", False)


@pytest.mark.parametrize(("present", "is_same"), [(b"{}\n", True), (b"{}\n{}\n", False)])
def test_a_live_session_that_is_another_by_now_stays_as_it_is(root, present, is_same):
    path = os.path.join(root.observations_folder, "2026-01-29", "c.jsonl")
    files.make_folder(os.path.dirname(path))
    files.append(path, b"{}\n")
    files.append(os.path.join(os.path.dirname(path), "other.jsonl"), b"{}\n")
    packed = archive_files.observed_path(root, path)
    archive_moves.archive_observations(root, path)
    files.append(path, present)

    warnings = archive_moves.restore_observations(root, packed, path)

    assert (len(warnings), os.path.exists(packed)) == ((0, False) if is_same else (1, True))
    assert files.read_bytes(path) == present
