"""Changing files that others write: what they add is kept, and no line moves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daily_memory.errors import BackendError, ConflictError, NotFoundError
from daily_memory.storage.fs import files, replace

LINES = b'{"a":1}\n{"b":2}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "talk.jsonl"
    made.write_bytes(LINES)
    os.utime(made, ns=(10**18, 10**18))
    return made


def test_a_file_is_rewritten_until_nobody_else_changes_it(path: Path) -> None:
    seen: list[bytes] = []

    def changed(data: bytes) -> bytes:
        seen.append(data)
        if len(seen) == 1:
            path.write_bytes(b"theirs\n")
        return data + b"ours\n"

    assert replace.rewrite(str(path), changed, files.PRIVATE)

    assert seen == [LINES, b"theirs\n"]
    assert path.read_bytes() == b"theirs\nours\n"
    assert not replace.rewrite(str(path), lambda data: data, files.PRIVATE)


def test_a_file_that_keeps_changing_is_left_to_the_others(path: Path) -> None:
    def changed(data: bytes) -> bytes:
        path.write_bytes(data + b"x")
        return data + b"ours"

    with pytest.raises(ConflictError, match="kept changing"):
        replace.rewrite(str(path), changed, files.PRIVATE)

    assert path.read_bytes().startswith(LINES + b"xx")
    assert b"ours" not in path.read_bytes()


def test_what_is_added_while_a_file_is_replaced_is_kept_and_its_time_too(
    path: Path, tmp_path: Path
) -> None:
    def change(data: bytes) -> bytes:
        with open(path, "ab") as file:
            file.write(b'{"c":3}\n')
        os.utime(path, ns=(10**18, 10**18))
        return data.replace(b"1", b"9")

    (tmp_path / "index").mkdir()
    replace.replace_growing(str(path), change, files.PRIVATE, str(tmp_path / "index"))

    assert path.read_bytes() == b'{"a":9}\n{"b":2}\n{"c":3}\n'
    os.utime(path, ns=(10**18, 10**18))
    replace.replace_growing(str(path), lambda data: data[:8], files.PRIVATE, "")
    assert path.read_bytes() == b'{"a":9}\n'
    assert path.stat().st_mtime_ns == 10**18
    assert sorted(os.listdir(tmp_path)) == ["index", "talk.jsonl"]
    assert os.listdir(tmp_path / "index") == []


def test_what_is_blanked_out_is_filled_in_again(path: Path) -> None:
    inode = path.stat().st_ino

    replace.blank_out(str(path), lambda data: [(0, 7), (data.index(b"{", 1), 15)])

    assert path.read_bytes() == b" " * 7 + b"\n" + b" " * 7 + b"\n"
    replace.fill_in(str(path), [(0, LINES[:7]), (8, LINES[8:15])])
    assert path.read_bytes() == LINES
    assert path.stat().st_ino == inode


def test_what_is_blanked_out_is_so_after_a_power_cut(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.read_bytes()))

    replace.blank_out(str(path), lambda _: [(0, 7)])

    assert synced == [b" " * 7 + LINES[7:]]


def test_nothing_is_filled_in_where_there_is_other_text_or_none(path: Path) -> None:
    replace.fill_in(str(path), [(0, b'{"x":1}'), (8, b'{"b":2}\n{"c":3}\n')])

    assert path.read_bytes() == LINES
    path.write_bytes(b'{"a    \n{"b":2}\n')  # a crash left half of it
    replace.fill_in(str(path), [(0, LINES[:7])])
    assert path.read_bytes() == LINES


def test_a_link_is_not_followed_and_a_missing_file_is_told(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)

    with pytest.raises(BackendError):
        replace.blank_out(str(link), lambda _data: [(0, 7)])
    with pytest.raises(BackendError):
        replace.replace_growing(str(link), lambda data: data, files.PRIVATE, "")
    with pytest.raises(NotFoundError):
        replace.fill_in(str(tmp_path / "absent.jsonl"), [])

    assert path.read_bytes() == LINES
