"""Updating the index: what is made step by step, in parts or by several is as made at once."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daily_memory.core.progress import progress_to
from daily_memory.errors import BackendError, ConflictError, DamagedDataError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import indexer, keywords_json, lookup, refresh
from daily_memory.storage.roots import Root, project_root
from tests.storage.index.index_contents import (
    CACHE,
    DAY,
    MONTH,
    REDIS,
    TEXT,
    contents,
    days_found,
    entries,
    everything,
    found,
    keyword_files,
    write,
    write_month,
)


def test_the_files_for_other_programs_say_when_they_were_made(root):
    write(root, TEXT)
    found(root)

    made = json.loads(Path(root.index_folder, "keywords.json").read_bytes())["updated_at"]

    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", made)


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
        indexer.update(root)

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
    with contextlib.closing(refresh.refresh(root).lookup) as opened:
        assert opened.months()[:-1] == ["2025-05", "2026-01"]

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
        indexer.update(root, written=[DAY])

    opened = lookup.open_lookup(root)
    assert opened
    assert set(opened.frequencies(["nginx", "kafka"])) == {"nginx"}
    opened.close()
    # The next reader sees the edit.
    after = everything(root)
    assert found(root, "kafka") == {"kafka": [("2025-05-01", 1, 1, (3, 8))]}
    with locked(root):
        indexer.rebuild(root)
    assert everything(root) == after


@pytest.mark.parametrize("changed", [DAY, "2025-05-01.md", "keywords.json"])
def test_after_a_save_in_a_large_memory_the_index_is_as_made_anew(root, monkeypatch, changed):
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -10_000_000_000)
    monkeypatch.setattr(keywords_json, "HOT_LIMIT", 3)
    for name in ("2025-05-01.md", "2026-01-28.md", DAY):
        write(root, TEXT, name)
    found(root)
    if changed == "keywords.json":
        Path(root.index_folder, changed).write_text("{}")
    name = DAY if changed == "keywords.json" else changed
    write(root, TEXT.replace("redis", "nginx"), name)

    with locked(root):
        assert indexer.update(root, written=[name])
        by_save = contents(root)
        assert indexer.update(root)

    assert contents(root) == by_save
    assert found(root, "nginx", "redi")["nginx"] == [(name[:10], *REDIS[1:])]
    assert len(entries(root)) == 4


def test_half_written_files_of_killed_processes_are_removed(root):
    write(root, TEXT)
    found(root)
    folders = [root.daily_folder, root.index_folder, root.undo_folder, root.observations_folder]
    left = [Path(folder, "2026-01-29.md.tmp-1") for folder in (*folders, root.path)]
    for path in left:
        path.parent.mkdir(exist_ok=True)
        path.touch()

    with locked(root):
        indexer.update(root)

    assert not any(path.exists() for path in left)


def test_a_session_that_went_leaves_the_index_at_once(root):
    write(root, TEXT)
    found(root)
    write(root, TEXT.partition("## Session 2")[0])

    with locked(root):
        indexer.update_without(root, 1)

    opened = lookup.open_lookup(root)
    assert opened
    assert opened.frequencies(["redi", "cach"]) == {"redi": 1}
    assert opened.hashes() == {DAY: indexer.content_hash(Path(root.daily_folder, DAY).read_bytes())}
    opened.close()
    assert indexer.content_hash(b"") == "e3b0c44298fc1c149afbf4c8996fb924"


def test_a_save_that_makes_a_memory_small_again_puts_all_months_in_one_file(root, monkeypatch):
    monkeypatch.setattr(keywords_json, "HOT_LIMIT", 3)
    for name in ("2025-05-01.md", DAY):
        write(root, TEXT, name)
    found(root)
    write(root, TEXT.partition("## Session 2")[0])

    with locked(root):
        indexer.update(root, written=[DAY])

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
        indexer.rebuild(root)

    assert everything(root) == updated


def test_a_folder_named_like_an_index_file_stays_and_is_reported(root):
    write(root, TEXT)
    os.makedirs(os.path.join(root.index_folder, "keywords.json", "kept"))

    fresh = refresh.refresh(root)
    fresh.lookup.close()

    assert "the index was not written: can't write" in fresh.warnings[0]
    assert os.path.isdir(os.path.join(root.index_folder, "keywords.json", "kept"))


@pytest.mark.parametrize(
    ("count", "removed", "is_new"), [(799, 200, True), (800, 200, False), (265, 199, False)]
)
def test_an_index_is_made_anew_where_many_sessions_went_and_few_are_left(
    root, count, removed, is_new
):
    sections = [f"## Session {n}\n### Topic\nredis\n\n---\n\n" for n in range(count)]
    path = write(root, "".join(sections))
    found(root)
    path.write_text("".join(sections[removed:]))

    with locked(root):
        indexer.update_without(root, removed)

    opened = lookup.open_lookup(root)
    assert opened
    # A new one counts its sessions from 0.
    first = 0 if is_new else removed
    assert [posting >> 8 for posting in opened.postings("redi")] == list(
        range(first, first + count - removed)
    )
    opened.close()


@pytest.mark.parametrize("is_damaged", [False, True])
def test_where_most_sessions_went_a_new_index_is_made(root, is_damaged):
    many = "".join(f"## Session {n}\n### Topic\nredis\n\n---\n\n" for n in range(1, 300))
    path = write(root, many)
    assert len(found(root, "redi")["redi"]) == 299
    path.write_text(TEXT)
    if is_damaged:
        Path(lookup.lookup_path(root)).write_bytes(b"garbage")

    with locked(root):
        indexer.update_without(root, 297)

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
        indexer.update_without(root, 297)

    assert found(root, "redi", "cach") == {"redi": [REDIS], "cach": [CACHE]}


def test_an_index_that_is_made_in_parts_is_the_same(root, monkeypatch):
    size = write_month(root)
    with locked(root):
        indexer.rebuild(root)
        whole = contents(root)
    monkeypatch.setattr(indexer, "LOT_BYTES", 2 * size)
    told: list[tuple[int, int]] = []

    with locked(root), progress_to(lambda done, total: told.append((done, total))):
        indexer.rebuild(root)

    assert contents(root) == whole
    assert told == [(count, 9) for count in range(1, 10)]


def test_what_was_indexed_before_a_kill_stays(root, monkeypatch):
    size = write_month(root)

    with locked(root):
        assert not indexer.update(root, most_bytes=4 * size)
    opened = lookup.open_lookup(root)
    assert opened
    assert opened.count == 4
    opened.close()
    told: list[tuple[int, int]] = []
    with locked(root), progress_to(lambda done, total: told.append((done, total))):
        assert indexer.update(root)

    assert len(told) == 5  # the four are not put in again
    assert found(root, "redi")["redi"] == [(name[:10], 1, 1, (1, 4)) for name in MONTH]


def test_a_part_of_an_index_says_of_the_rest_what_it_said_before(root, monkeypatch):
    size = write_month(root)
    found(root)
    write_month(root, "kafka")
    Path(root.daily_folder, MONTH[0]).unlink()

    with locked(root):
        assert not indexer.update(root, most_bytes=4 * size)

    assert ["kafka" in entry["keywords"] for entry in entries(root)] == 4 * [True] + 4 * [False]
    assert found(root, "redi", "kafka") == {
        "redi": [],
        "kafka": [(name[:10], 1, 1, (1, 4)) for name in MONTH[1:]],
    }
    assert list(keyword_files(root)["keywords.json"]["files"]) == MONTH[1:]


def test_an_index_is_built_until_it_is_current(root, monkeypatch):
    size = write_month(root)
    monkeypatch.setattr(indexer, "LOT_BYTES", 2 * size)

    indexer.build(root)

    fresh = refresh.refresh(root, most_bytes=1)
    assert (fresh.unread, len(days_found(fresh, "redi"))) == (frozenset(), 9)
    assert os.path.exists(lookup.lookup_path(root))


def test_an_index_is_built_by_one_process_at_a_time(root):
    write_month(root)

    with locked(root), pytest.raises(ConflictError):
        indexer.build(root)


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
            indexer.rebuild(root)
            made = all_rows(root)
            write(root, f"## Session 1\n\n### Topic\nredis\n\n{TEXT}", MONTH[3])
            write(root, TEXT, MONTH[4])
            indexer.update(root)
            return [made, all_rows(root)]

    assert made_by(2) == made_by(1)
