"""The index: true to the files at every answer, whatever was done to either."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daily_memory.errors import BackendError, ConflictError, DamagedDataError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import keywords_json, lookup, refresh
from daily_memory.storage.roots import Root, project_root

DAY = "2026-01-29.md"
TEXT = (
    "# day\n\n## Session 1 - 10:00\n\n### Topic\nredis\n\n---\n\n"
    "## Session 2 - 11:00\n\n### Topic\ncache\n"
)


def write(root: Root, text: str, name: str = DAY) -> Path:
    path = Path(root.daily_folder, name)
    path.write_bytes(text.encode())
    return path


def found(root: Root, *terms: str) -> dict[str, list[tuple[object, ...]]]:
    """Return where the fresh index has each term: day, number, copy and lines."""
    opened = refresh.refresh(root).lookup
    try:
        return {
            term: sorted(
                (date.fromordinal(p.day).isoformat(), p.number, p.copy, tuple(p.span))
                for p in opened.places([posting >> 8 for posting in opened.postings(term)])
            )
            for term in terms
        }
    finally:
        opened.close()


def keyword_files(root: Root) -> dict[str, Any]:
    """Return the contents of the index files for other programs, but for when they were made."""
    loaded = {
        name: json.loads(Path(root.index_folder, name).read_bytes())
        for name in keywords_json.stamps(root)
    }
    return {name: {**index, "updated_at": ""} for name, index in loaded.items()}


def entries(root: Root) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = keyword_files(root)["keywords.json"]["entries"]
    return listed


REDIS = ("2026-01-29", 1, 1, (3, 8))
CACHE = ("2026-01-29", 2, 1, (10, 13))


def test_the_first_answer_makes_the_index(root):
    write(root, TEXT)

    assert found(root, "redi", "cach", "nowhere") == {
        "redi": [REDIS],
        "cach": [CACHE],
        "nowhere": [],
    }


def test_the_files_for_other_programs_say_when_they_were_made(root):
    write(root, TEXT)
    found(root)

    made = json.loads(Path(root.index_folder, "keywords.json").read_bytes())["updated_at"]

    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", made)


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


def test_private_sessions_are_in_no_index(root):
    write(root, TEXT.replace("redis\n", "redis\n\n### Tags\n#私密\n"))

    assert found(root, "redi", "cach")["redi"] == []
    assert b"redis" not in Path(root.index_folder, "keywords.json").read_bytes()


def test_a_day_that_can_not_be_read_hides_no_other(root, monkeypatch):
    write(root, TEXT)
    write(root, TEXT, "2026-01-28.md")
    real = files.read_bytes

    def read(path: str) -> bytes:
        if path.endswith("2026-01-28.md"):
            raise BackendError("permission denied")
        return real(path)

    monkeypatch.setattr(files, "read_bytes", read)

    assert found(root, "redi") == {"redi": [REDIS]}


def test_what_did_not_change_is_not_read_again(root, monkeypatch):
    # Files of this very moment are always read: their times can't be trusted yet.
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -10_000_000_000)
    write(root, TEXT, "2026-01-28.md")
    write(root, TEXT)
    found(root, "redi")
    read: list[str] = []
    real = files.read_bytes

    def noted(path: str) -> bytes:
        read.append(os.path.basename(path))
        return real(path)

    monkeypatch.setattr(files, "read_bytes", noted)

    write(root, TEXT + "\nzebra\n")
    with locked(root):
        refresh.update(root)

    assert [name for name in read if name.startswith("2026")] == [DAY]


def test_entries_have_the_new_lines_and_words_of_a_changed_day(root):
    path = write(root, TEXT)
    found(root, "redi")
    before = entries(root)

    path.write_text("\n\n" + TEXT.replace("cache", "queue"))
    found(root, "redi")

    after = entries(root)
    assert after[0] == {**before[0], "line_range": [5, 10]}
    assert after[1]["keywords"] == ["queue"]


def test_with_many_sessions_a_save_writes_the_newest_month_alone(root, monkeypatch):
    monkeypatch.setattr(keywords_json, "HOT_LIMIT", 3)
    for name in ("2025-05-01.md", "2026-01-28.md", DAY):
        write(root, TEXT, name)
    found(root)
    before = keywords_json.stamps(root)
    assert sorted(before) == ["keywords-2025-05.json", "keywords.json"]

    write(root, TEXT.replace("redis", "nginx"))
    found(root)

    after = keywords_json.stamps(root)
    assert after["keywords-2025-05.json"] == before["keywords-2025-05.json"]
    assert [entry["keywords"] for entry in entries(root)] == [
        ["redis"],
        ["cache"],
        ["nginx"],
        ["cache"],
    ]


def test_a_save_in_a_large_memory_looks_at_the_newest_month_alone(root, monkeypatch):
    # Files of this very moment are always read: their times can't be trusted yet.
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -10_000_000_000)
    monkeypatch.setattr(keywords_json, "HOT_LIMIT", 3)
    for name in ("2025-05-01.md", "2026-01-28.md", DAY):
        write(root, TEXT, name)
    found(root)
    edited = Path(root.daily_folder, "2025-05-01.md")
    edited.write_text(TEXT.replace("redis", "kafka"))
    with open(os.path.join(root.daily_folder, DAY), "a") as file:
        file.write("\n---\n\n## Session 3 - 12:00\n\n### Topic\nnginx\n")

    with locked(root):
        refresh.update(root, written=[DAY])

    opened = lookup.open_lookup(root)
    assert opened
    assert set(opened.frequencies(["nginx", "kafka"])) == {"nginx"}
    opened.close()
    # The next reader sees the edit.
    after = everything(root)
    assert found(root, "kafka") == {"kafka": [("2025-05-01", 1, 1, (3, 8))]}
    with locked(root):
        refresh.rebuild(root)
    assert everything(root) == after


def test_a_save_that_makes_a_memory_small_again_puts_all_months_in_one_file(root, monkeypatch):
    monkeypatch.setattr(keywords_json, "HOT_LIMIT", 3)
    for name in ("2025-05-01.md", DAY):
        write(root, TEXT, name)
    found(root)
    write(root, TEXT.partition("## Session 2")[0])

    with locked(root):
        refresh.update(root, written=[DAY])

    assert [entry["topics"] for entry in entries(root)] == [["redis"], ["cache"], ["redis"]]
    assert list(keyword_files(root)) == ["keywords.json"]


sections = st.lists(
    st.tuples(
        st.integers(1, 3), st.sampled_from(["redis", "缓存 cache", "C++", "deploy now", "#private"])
    ),
    max_size=4,
)


@settings(max_examples=25)
@given(
    states=st.lists(
        st.dictionaries(st.sampled_from(["2026-01-28.md", DAY]), sections), min_size=1, max_size=4
    )
)
def test_updated_step_by_step_equals_made_anew(tmp_path_factory, states):
    root = project_root(str(tmp_path_factory.mktemp("p")))
    os.makedirs(root.daily_folder)
    for state in states:
        for name in ("2026-01-28.md", DAY):
            if name in state:
                parts = (f"## Session {n} - 10:00\n\n{text}\n\n---\n" for n, text in state[name])
                write(root, "\n".join(parts), name)
            else:
                Path(root.daily_folder, name).unlink(missing_ok=True)
        updated = everything(root)

    with locked(root):
        refresh.rebuild(root)

    assert everything(root) == updated


def everything(root: Root) -> tuple[object, object]:
    opened = refresh.refresh(root).lookup
    terms = opened.vocabulary()
    opened.close()
    return found(root, *terms), keyword_files(root)


def test_a_folder_named_like_an_index_file_stays_and_is_reported(root):
    write(root, TEXT)
    os.makedirs(os.path.join(root.index_folder, "keywords.json", "kept"))

    fresh = refresh.refresh(root)
    fresh.lookup.close()

    assert "the index was not written: can't write" in fresh.warnings[0]
    assert os.path.isdir(os.path.join(root.index_folder, "keywords.json", "kept"))


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


@pytest.mark.parametrize("is_damaged", [False, True])
def test_where_most_sessions_went_a_new_index_is_made(root, is_damaged):
    many = "".join(f"## Session {n}\n### Topic\nredis\n\n---\n\n" for n in range(1, 300))
    path = write(root, many)
    assert len(found(root, "redi")["redi"]) == 299
    path.write_text(TEXT)
    if is_damaged:
        Path(lookup.lookup_path(root)).write_bytes(b"garbage")

    with locked(root):
        refresh.update_without(root, 297)

    assert found(root, "redi", "cach") == {"redi": [REDIS], "cach": [CACHE]}


def test_a_cache_that_can_not_be_counted_is_made_anew(root, monkeypatch):
    many = "".join(f"## Session {n}\n### Topic\nredis\n\n---\n\n" for n in range(1, 300))
    path = write(root, many)
    assert len(found(root, "redi")["redi"]) == 299
    path.write_text(TEXT)

    real, asked = lookup.Lookup.meta, []

    def damaged_at_first(self: lookup.Lookup, name: str) -> str:
        asked.append(name)
        if name == "totals" and asked.count(name) == 1:
            raise DamagedDataError("no such page")
        return real(self, name)

    monkeypatch.setattr(lookup.Lookup, "meta", damaged_at_first)
    with locked(root):
        refresh.update_without(root, 297)

    assert found(root, "redi", "cach") == {"redi": [REDIS], "cach": [CACHE]}


# ---------------------------------------------------------------------------- in parts

MONTH = [f"2026-01-{day:02}.md" for day in range(1, 10)]


def write_month(root: Root, word: str = "redis") -> int:
    """Write nine days of the same size, and return that size."""
    for name in MONTH:
        write(root, f"## Session 1\n\n### Topic\n{word} 缓存 {name[8:10]}\n", name)
    return os.path.getsize(Path(root.daily_folder, MONTH[0]))


def days_found(fresh: refresh.Freshness, term: str) -> list[str]:
    opened = fresh.lookup
    keys = [posting >> 8 for posting in opened.postings(term)]
    found = [date.fromordinal(place.day).isoformat() for place in opened.places(keys)]
    opened.close()
    return sorted(found)


def contents(root: Root) -> object:
    opened = lookup.open_lookup(root)
    assert opened
    try:
        names = opened.listing()[0]
        shown = [names, opened.hashes(), opened.count, list(opened.days)]
        return [*shown, keyword_files(root)]
    finally:
        opened.close()


def test_an_index_that_is_made_in_parts_is_the_same(root, monkeypatch):
    size = write_month(root)
    with locked(root):
        refresh.rebuild(root)
        whole = contents(root)
    monkeypatch.setattr(refresh, "LOT_BYTES", 2 * size)
    told: list[tuple[int, int]] = []

    with locked(root):
        refresh.rebuild(root, lambda done, total: told.append((done, total)))

    assert contents(root) == whole
    assert told == [(count, 9) for count in range(1, 10)]


def test_what_was_indexed_before_a_kill_stays(root, monkeypatch):
    size = write_month(root)

    with locked(root):
        assert not refresh.update(root, most_bytes=4 * size)
    opened = lookup.open_lookup(root)
    assert opened
    assert opened.count == 4
    opened.close()
    told: list[tuple[int, int]] = []
    with locked(root):
        assert refresh.update(root, lambda done, total: told.append((done, total)))

    assert len(told) == 5  # the four are not put in again
    assert found(root, "redi")["redi"] == [(name[:10], 1, 1, (1, 4)) for name in MONTH]


def test_a_part_of_an_index_says_of_the_rest_what_it_said_before(root, monkeypatch):
    size = write_month(root)
    found(root)
    write_month(root, "kafka")
    Path(root.daily_folder, MONTH[0]).unlink()

    with locked(root):
        assert not refresh.update(root, most_bytes=4 * size)

    assert ["kafka" in entry["keywords"] for entry in entries(root)] == 4 * [True] + 4 * [False]
    assert found(root, "redi", "kafka") == {
        "redi": [],
        "kafka": [(name[:10], 1, 1, (1, 4)) for name in MONTH[1:]],
    }
    assert list(keyword_files(root)["keywords.json"]["files"]) == MONTH[1:]


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


def test_an_index_is_built_until_it_is_current(root, monkeypatch):
    size = write_month(root)
    monkeypatch.setattr(refresh, "LOT_BYTES", 2 * size)

    refresh.build(root)

    fresh = refresh.refresh(root, most_bytes=1)
    assert (fresh.unread, len(days_found(fresh, "redi"))) == (frozenset(), 9)
    assert os.path.exists(lookup.lookup_path(root))


def test_an_index_is_built_by_one_process_at_a_time(root):
    write_month(root)

    with locked(root), pytest.raises(ConflictError):
        refresh.build(root)


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


# ---------------------------------------------------------------------------- at a glance


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
        refresh.update(root, most_bytes=4 * size)

    fresh = refresh.refresh(root, most_bytes=2 * size, at_a_glance=True)

    assert (len(days_found(fresh, "redi")), len(fresh.unread)) == (6, 3)
    refresh.build(root)
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
    monkeypatch.setattr(refresh, "HURRY_S", 0)

    fresh = refresh.refresh(root, most_bytes=2 * size)

    assert (days_found(fresh, "redi"), len(fresh.unread)) == ([], 9)


def test_of_days_that_did_not_change_the_entries_are_made_again(root, monkeypatch):
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -(10**12))  # as if they were written long ago
    write(root, TEXT)
    refresh.refresh(root).lookup.close()
    path = Path(root.index_folder, "keywords.json")
    before = keyword_files(root)
    path.unlink()

    refresh.refresh(root).lookup.close()

    assert keyword_files(root) == before


def all_rows(root: Root) -> object:
    """Return all that the cache and the index files have, but for times."""
    connection = sqlite3.connect(lookup.lookup_path(root))
    tables = ("sessions", "postings", "vocabulary", "blocks")
    rows = {name: sorted(connection.execute(f"SELECT * FROM {name}")) for name in tables}
    connection.close()
    return contents(root), rows


def test_an_index_that_several_processes_read_for_is_the_same(root, read_by):
    write_month(root)
    write(root, TEXT.replace("### Topic", "### 主题").replace("cache", "缓存 TTL"), "2026-02-01.md")
    Path(root.daily_folder, "2026-02-02.md").write_bytes(b"## Session 1\n\xff\n")

    def made_by(count: int) -> list[object]:
        read_by(count)
        write_month(root)
        with locked(root):
            refresh.rebuild(root)
            made = all_rows(root)
            write(root, f"## Session 1\n\n### Topic\nredis\n\n{TEXT}", MONTH[3])
            write(root, TEXT, MONTH[4])
            refresh.update(root)
            return [made, all_rows(root)]

    assert made_by(2) == made_by(1)
