"""What a server keeps open answers as a new look at the files would."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from daily_memory.errors import DamagedDataError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import indexer, kept, lookup, refresh
from daily_memory.storage.index.lookup import Lookup
from daily_memory.storage.roots import Root

TEXT = "# day\n\n## Session 1 - 10:00\n\n### Topic\nredis\n"


@pytest.fixture(autouse=True)
def server(monkeypatch, root):
    monkeypatch.setattr(files, "CLOCK_STEP_NS", -(10**12))  # as if all were written long ago
    write(root, TEXT)
    asked(root)
    with kept.keeping():
        yield


def write(root: Root, text: str, name: str = "2026-01-29.md") -> None:
    Path(root.daily_folder, name).write_text(text)


def asked(root: Root) -> tuple[Lookup, dict[str, int]]:
    """Return the index that is asked, and how many sessions it has with each of two words."""
    with contextlib.closing(refresh.refresh(root).lookup) as opened:
        return opened, opened.frequencies(["redi", "flask"])


def test_the_next_search_gets_the_same_index(root):
    first, known = asked(root)

    assert known == {"redi": 1}
    assert asked(root) == (first, known)


@pytest.mark.parametrize("name", ["2026-01-29.md", "2026-01-28.md"])
def test_a_file_edited_or_added_by_hand_is_seen_by_the_next_search(root, name):
    write(root, TEXT.replace("redis", "flask"), name)

    assert asked(root)[1]["flask"] == 1


def test_what_another_process_writes_is_seen(root):
    before, _ = asked(root)
    with locked(root):
        indexer.rebuild(root)

    opened, known = asked(root)

    assert known == {"redi": 1}
    assert opened is not before


def test_searches_at_once_have_an_index_each_and_leave_one_open(root):
    with (
        contextlib.closing(refresh.refresh(root).lookup) as first,
        contextlib.closing(refresh.refresh(root).lookup) as second,
    ):
        assert first is not second
        assert first.frequencies(["redi"]) == second.frequencies(["redi"]) == {"redi": 1}

    assert asked(root)[0] in (first, second)


def test_a_kept_index_does_not_hold_off_a_writer(root):
    asked(root)

    write(root, TEXT, "2026-01-30.md")
    with locked(root):
        assert indexer.update(root)

    assert asked(root)[1] == {"redi": 2}


def test_while_a_search_reads_nobody_changes_what_it_reads(root):
    asked(root)

    with (
        contextlib.closing(refresh.refresh(root).lookup) as opened,
        contextlib.closing(sqlite3.connect(lookup.lookup_path(root), timeout=0)) as other,
    ):
        with pytest.raises(sqlite3.OperationalError, match="locked"), other:
            other.execute("DELETE FROM postings")
        assert len(opened.postings("redi")) == 1


def test_one_that_failed_is_not_kept(root):
    with contextlib.closing(refresh.refresh(root).lookup) as opened:
        opened.keep_open(None)
        opened.close()
        with pytest.raises(DamagedDataError):
            opened.frequencies(["other"])

    assert asked(root)[1] == {"redi": 1}


def test_what_just_changed_is_not_kept(root, monkeypatch):
    write(root, TEXT, "2026-01-30.md")
    monkeypatch.setattr(files, "CLOCK_STEP_NS", 10**12)

    assert asked(root)[0] is not asked(root)[0]


def test_nothing_stays_open_in_the_end(root):
    with kept.keeping():
        opened, _ = asked(root)

    with pytest.raises(DamagedDataError):
        opened.important_keys()
    assert asked(root)[0] is not asked(root)[0]
