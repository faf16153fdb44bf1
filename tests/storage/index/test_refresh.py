"""The index: true to the files at every answer, whatever was done to either."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from datetime import date
from pathlib import Path

import pytest

from daily_memory.errors import BackendError, DamagedDataError
from daily_memory.model import SessionId
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import indexer, lookup, refresh
from daily_memory.storage.roots import Root
from tests.storage.index.index_contents import (
    CACHE,
    DAY,
    MONTH,
    REDIS,
    TEXT,
    days_found,
    found,
    keyword_files,
    write,
    write_month,
)


def test_the_first_answer_makes_the_index(root):
    write(root, TEXT)

    assert found(root, "redi", "cach", "nowhere") == {
        "redi": [REDIS],
        "cach": [CACHE],
        "nowhere": [],
    }


def test_an_edit_made_a_moment_ago_is_in_the_next_answer_with_its_lines(root):
    path = write(root, TEXT)
    found(root, "redi")

    path.write_text(TEXT.replace("# day\n", "# day\n\nshifted\n").replace("cache", "queue"))

    assert found(root, "redi", "cach", "queue") == {
        "redi": [("2026-01-29", 1, 1, (5, 10))],
        "cach": [],
        "queue": [("2026-01-29", 2, 1, (12, 15))],
    }


def test_an_edit_that_leaves_size_and_time_as_they_were_is_seen(root):
    path = write(root, TEXT)
    found(root, "redi")
    before = os.stat(path)

    path.write_text(TEXT.replace("redis", "kafka"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert found(root, "redi", "kafka") == {"redi": [], "kafka": [REDIS]}


def test_days_come_and_go(root):
    write(root, TEXT)
    found(root, "redi")

    write(root, TEXT, "2026-01-28.md")
    Path(root.daily_folder, DAY).unlink()

    assert found(root, "redi") == {"redi": [("2026-01-28", 1, 1, (3, 8))]}


def test_without_the_index_folder_the_answer_is_the_same(root):
    write(root, TEXT)
    before = found(root, "redi", "cach")
    for name in os.listdir(root.index_folder):
        os.remove(os.path.join(root.index_folder, name))

    assert found(root, "redi", "cach") == before


@pytest.mark.parametrize("data", [b"", b"{", b'{"version": [], "entries": 5}'])
def test_a_broken_keyword_file_is_made_anew_in_silence(root, data):
    write(root, TEXT)
    found(root, "redi")
    path = Path(root.index_folder, "keywords.json")
    good = keyword_files(root)
    path.write_bytes(data)

    fresh = refresh.refresh(root)
    fresh.lookup.close()

    assert fresh.warnings == ()
    assert keyword_files(root) == good


def test_a_keyword_file_of_a_newer_version_is_left_alone_and_told(root):
    write(root, TEXT)
    path = Path(root.index_folder, "keywords.json")
    path.write_text('{"version": "2.0"}')

    fresh = refresh.refresh(root)
    fresh.lookup.close()

    assert "newer version" in fresh.warnings[0]
    assert path.read_text() == '{"version": "2.0"}'
    assert found(root, "redi") == {"redi": [REDIS]}


def test_a_cache_that_is_damaged_inside_is_made_anew(root):
    write(root, TEXT)
    found(root, "redi")
    path = Path(lookup.lookup_path(root))
    data = bytearray(path.read_bytes())
    data[4096 : 4096 * 6] = os.urandom(4096 * 5)
    path.write_bytes(data)

    write(root, TEXT + "\nzebra\n")

    assert found(root, "redi", "zebra") == {
        "redi": [REDIS],
        "zebra": [("2026-01-29", 2, 1, (10, 15))],
    }


def test_a_reader_does_not_wait_for_a_writer(root):
    write(root, TEXT)
    found(root, "redi")
    write(root, TEXT.replace("redis", "kafka"))

    with locked(root):
        fresh = refresh.refresh(root)

    assert [posting >> 8 for posting in fresh.lookup.postings("kafka")] != []
    assert fresh.warnings == ()
    fresh.lookup.close()


def test_where_nothing_can_be_written_the_answer_comes_from_memory(root, monkeypatch):
    write(root, TEXT)

    def refuse(*_: object, **__: object) -> None:
        raise BackendError("read-only file system")

    monkeypatch.setattr(files, "make_folder", refuse)
    fresh = refresh.refresh(root)

    assert fresh.lookup.count == 2
    assert fresh.warnings == ("the index was not written: read-only file system",)
    fresh.lookup.close()


@pytest.mark.parametrize("method", ["listing", "hashes"])
def test_damage_that_shows_at_once_is_mended_at_once(root, monkeypatch, method):
    write(root, TEXT)
    found(root, "redi")
    write(root, TEXT + "\nzebra\n")
    real = getattr(lookup.Lookup, method)
    failed: list[object] = []

    def broken(self: lookup.Lookup, *values: str) -> object:
        if "version" not in values and len(failed) < 1:
            failed.append(values)
            raise DamagedDataError("malformed")
        return real(self, *values)

    monkeypatch.setattr(lookup.Lookup, method, broken)

    assert found(root, "zebra") == {"zebra": [("2026-01-29", 2, 1, (10, 15))]}
    assert failed


@pytest.mark.parametrize("times", [0, 1, 9])
def test_origins_that_can_not_be_read_are_asked_of_a_new_index_once(root, monkeypatch, times):
    write(root, TEXT)
    found(root)
    left = [DamagedDataError("malformed")] * times
    theirs = {SessionId(date(2026, 1, 29), 1): "git: Alice 张"}

    def broken(_: lookup.Lookup) -> dict[SessionId, str]:
        if left:
            raise left.pop()
        return theirs

    monkeypatch.setattr(lookup.Lookup, "origins", broken)

    assert refresh.find_origins(root) == refresh.Origins(theirs if times < 2 else {})
    assert len(left) == max(times - 2, 0)


def test_who_is_in_a_hurry_has_the_newest_days_and_is_told_which_are_missing(root):
    size = write_month(root)

    fresh = refresh.refresh(root, most_bytes=2 * size)

    assert [date.fromordinal(day).isoformat() for day in sorted(fresh.unread)] == [
        name[:10] for name in MONTH[:7]
    ]
    assert days_found(fresh, "redi") == ["2026-01-08", "2026-01-09"]
    assert not os.path.exists(lookup.lookup_path(root))


def test_a_day_too_large_for_a_hurry_keeps_no_other_from_being_read(root):
    size = write_month(root)
    write(root, f"## Session 1\n\n### Topic\nredis {'x ' * 500}\n", "2026-02-01.md")

    fresh = refresh.refresh(root, most_bytes=2 * size)

    assert days_found(fresh, "redi") == ["2026-01-08", "2026-01-09"]


def test_little_is_indexed_in_a_hurry_too(root):
    size = write_month(root)

    fresh = refresh.refresh(root, most_bytes=9 * size)

    assert (fresh.unread, len(days_found(fresh, "redi"))) == (frozenset(), 9)
    assert os.path.exists(lookup.lookup_path(root))


def test_the_little_that_changed_in_a_large_memory_is_indexed_in_a_hurry_too(root):
    size = write_month(root)
    found(root)
    write(root, "## Session 1\n\n### Topic\nkafka\n", MONTH[0])

    refresh.refresh(root, most_bytes=2 * size).lookup.close()

    opened = lookup.open_lookup(root)
    assert opened
    assert opened.frequencies(["kafka", "redi"]) == {"kafka": 1, "redi": 8}
    opened.close()


@pytest.mark.parametrize("days", [2, 20])
def test_an_index_that_another_program_holds_is_not_waited_for_in_a_hurry(root, days):
    size = write_month(root)
    found(root)
    before = Path(lookup.lookup_path(root)).stat().st_ino
    other = sqlite3.connect(lookup.lookup_path(root))
    other.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()

    fresh = refresh.refresh(root, most_bytes=days * size, at_a_glance=True)

    assert len(days_found(fresh, "redi")) == min(days, 9)
    assert time.monotonic() - began < 3  # two waits of five seconds before
    other.close()
    assert Path(lookup.lookup_path(root)).stat().st_ino == before  # it is not made anew


@pytest.mark.parametrize("is_garbage", [True, False])
def test_a_damaged_listing_is_made_anew_in_a_hurry(root, is_garbage):
    size = write_month(root)
    found(root)
    path = Path(lookup.lookup_path(root))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        data = b"\xff" if is_garbage else bytes(20_000)
        connection.execute("UPDATE listed SET stamps = ?", [data])
    if not is_garbage:
        data = path.read_bytes()
        path.write_bytes(data[:-8192] + 8192 * b"\xff")  # where the listing goes on

    fresh = refresh.refresh(root, most_bytes=20 * size)

    assert len(days_found(fresh, "redi")) == 9


def write_quarter(root: Root) -> list[Path]:
    """Write ninety days, one session each, and index them."""
    first = date(2026, 1, 1).toordinal()
    days = [date.fromordinal(first + count) for count in range(90)]
    paths = [write(root, f"## Session 1\n\n### Topic\nredis {day}\n", f"{day}.md") for day in days]
    found(root)
    return paths


def glanced(root: Root) -> refresh.Freshness:
    fresh = refresh.refresh(root, most_bytes=refresh.HURRY_BYTES, at_a_glance=True)
    fresh.lookup.close()
    return fresh


def change_in_place(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"## Session 1\n\n### Topic\nkafka")


def test_where_nothing_changed_most_days_are_not_looked_at(root):
    paths = write_quarter(root)

    fresh = glanced(root)

    assert len(fresh.stamps) == 60
    assert not fresh.stamps.keys() & {path.name for path in paths[-15:]}


@pytest.mark.parametrize(("after_s", "not_looked_at"), [(0.9, 60), (1.0, 0)])
def test_within_a_second_after_all_days_were_checked_most_are_not_looked_at(
    root, monkeypatch, after_s, not_looked_at
):
    write_quarter(root)
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    found(root)

    monkeypatch.setattr(time, "monotonic", lambda: 1000.0 + after_s)
    fresh = refresh.refresh(root)
    fresh.lookup.close()

    assert len(fresh.stamps) == not_looked_at


@pytest.mark.parametrize(("after_s", "is_made_again"), [(0.9, False), (1.0, True)])
def test_a_lost_keywords_file_is_made_again_a_second_after_all_was_checked(
    root, monkeypatch, after_s, is_made_again
):
    write_quarter(root)
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    found(root)
    path = Path(root.in_index("keywords.json"))
    path.unlink()

    monkeypatch.setattr(time, "monotonic", lambda: 1000.0 + after_s)
    refresh.refresh(root).lookup.close()

    assert path.exists() == is_made_again


def test_a_new_day_a_lost_day_and_one_that_was_replaced_are_seen_at_a_glance(root):
    paths = write_quarter(root)
    write(root, TEXT.replace("redis", "kafka"), "2026-06-01.md")
    assert (glanced(root).stamps, found(root, "kafka")["kafka"] != []) == ({}, True)

    paths[10].unlink()
    assert glanced(root).stamps == {}

    other = paths[11].with_suffix(".new")
    other.write_bytes(paths[11].read_bytes().replace(b"redis", b"nginx"))
    other.replace(paths[11])
    assert glanced(root).stamps == {}
    assert len(found(root, "nginx")["nginx"]) == 1


def test_a_new_day_that_was_edited_in_its_place_is_seen_at_a_glance(root):
    paths = write_quarter(root)

    change_in_place(paths[-1])

    assert glanced(root).stamps == {}


def test_each_old_day_is_looked_at_in_its_turn(root, monkeypatch):
    # No file is looked into because it was written at this very moment.
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -(10**12))
    paths = write_quarter(root)
    change_in_place(paths[3])

    seen = []
    for moment in range(5):
        monkeypatch.setattr(time, "time", lambda moment=moment: float(moment))
        seen.append(glanced(root).stamps == {})

    assert seen.index(True) == 3


def test_a_part_of_an_index_is_not_current_at_a_glance(root, monkeypatch):
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -(10**12))  # as above
    size = write_month(root)
    with locked(root):
        indexer.update(root, most_bytes=4 * size)

    fresh = refresh.refresh(root, most_bytes=2 * size, at_a_glance=True)

    assert (len(days_found(fresh, "redi")), len(fresh.unread)) == (6, 3)
    indexer.build(root)
    assert len(found(root, "redi")["redi"]) == 9


def test_an_index_that_was_never_made_is_none_to_glance_at(root):
    assert glanced(root).stamps == {}


def test_a_damaged_index_is_looked_at_as_a_whole(root):
    write_quarter(root)
    path = Path(lookup.lookup_path(root))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE listed SET stamps = zeroblob(20000)")
    path.write_bytes(path.read_bytes()[:-8192] + 8192 * b"\xff")

    assert glanced(root).stamps == {}


def test_where_time_is_over_the_rest_is_left(root, monkeypatch):
    size = write_month(root)
    monkeypatch.setattr(indexer, "HURRY_S", 0)

    fresh = refresh.refresh(root, most_bytes=2 * size)

    assert (days_found(fresh, "redi"), len(fresh.unread)) == ([], 9)
