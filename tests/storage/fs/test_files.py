"""Files: appended whole or not at all, replaced whole or not at all, never opened in vain."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from daily_memory.errors import BackendError, ConflictError, NotFoundError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import NO_STAMP, Modes


def mode(path: object) -> int:
    return stat.S_IMODE(os.stat(str(path)).st_mode)


def test_appending_makes_a_file_that_only_the_owner_can_read(tmp_path):
    path = str(tmp_path / "a")
    old = os.umask(0)
    try:
        files.append(path, b"one\n")
        files.append(path, b"two\n")
    finally:
        os.umask(old)

    assert files.read_bytes(path) == b"one\ntwo\n"
    assert mode(path) == 0o600


def test_a_folder_is_made_with_those_above_it_for_the_owner_only(tmp_path):
    old = os.umask(0)
    try:
        files.make_folder(str(tmp_path / "a" / "b"))
        files.make_folder(str(tmp_path / "a" / "b"))
    finally:
        os.umask(old)

    assert mode(tmp_path / "a") == mode(tmp_path / "a" / "b") == 0o700


def test_a_shared_memory_is_open_to_the_group(tmp_path):
    old = os.umask(0)
    try:
        files.make_folder(str(tmp_path / "a"), Modes(shared=True))
        files.append(str(tmp_path / "a" / "b"), b"x", Modes(shared=True))
    finally:
        os.umask(old)

    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o770, 0o660)


def test_a_short_write_goes_on_and_a_failing_one_leaves_no_byte(tmp_path, monkeypatch):
    path = str(tmp_path / "a")
    files.append(path, b"before\n")
    real, calls = os.write, []

    def short_then_full(handle: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data[:3])

    monkeypatch.setattr(os, "write", short_then_full)
    with pytest.raises(BackendError) as caught:
        files.append(path, b"0123456789")

    assert caught.value.message == f"can't write {path!r}: no space left on device"
    assert "free some space" in caught.value.hint
    assert files.read_bytes(path) == b"before\n"


def test_what_somebody_wrote_behind_a_failing_append_is_kept(tmp_path, monkeypatch):
    path = str(tmp_path / "a")
    real = os.write

    def interrupted(handle: int, data: bytes) -> int:
        real(handle, data[:2])
        real(handle, b"editor")
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "write", interrupted)
    with pytest.raises(BackendError):
        files.append(path, b"ours")

    assert files.read_bytes(path).endswith(b"editor")


def test_replacing_keeps_the_mode_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)

    files.replace(str(path), b"new")

    assert path.read_bytes() == b"new"
    assert mode(path) == 0o640
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_changed_meanwhile_is_not_replaced(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    expected = files.stamp(str(path))
    path.write_bytes(b"by hand")

    with pytest.raises(ConflictError):
        files.replace(str(path), b"new", expected=expected)

    assert path.read_bytes() == b"by hand"
    assert os.listdir(tmp_path) == ["a"]


def test_a_replacement_that_can_not_be_written_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def refuse(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(BackendError):
        files.replace(str(path), b"new")

    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_missing_file_is_not_found_and_has_no_stamp(tmp_path):
    path = str(tmp_path / "a")

    assert files.find_bytes(path) is None
    assert files.stamp(path) == NO_STAMP
    with pytest.raises(NotFoundError):
        files.read_bytes(path)


def test_links_and_fifos_are_not_read(tmp_path):
    (tmp_path / "target").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "fifo")

    for name in ("link", "fifo"):
        with pytest.raises(BackendError):
            files.read_bytes(str(tmp_path / name))


def test_removing_what_is_not_there_is_no_fault(tmp_path):
    (tmp_path / "a").write_bytes(b"")

    files.remove(str(tmp_path / "a"))
    files.remove(str(tmp_path / "a"))

    assert os.listdir(tmp_path) == []


def test_only_what_a_killed_process_left_is_cleared_away(tmp_path):
    for name in ("keywords.json", "keywords.json.tmp-123", "keywords.json.lock"):
        (tmp_path / name).write_bytes(b"")

    files.remove_leftovers(str(tmp_path))
    files.remove_leftovers(str(tmp_path / "none"))

    assert sorted(os.listdir(tmp_path)) == ["keywords.json", "keywords.json.lock"]


def test_a_file_is_replaced_though_somebody_clears_up_just_then(tmp_path, monkeypatch):
    path = str(tmp_path / "standing.json")
    real, clearing = os.fsync, [True]

    def clear_up(handle: int) -> None:
        if clearing:
            clearing.clear()
            files.remove_leftovers(str(tmp_path))
        real(handle)

    monkeypatch.setattr(os, "fsync", clear_up)
    files.replace(path, b"new")

    assert files.read_bytes(path) == b"new"
    assert os.listdir(tmp_path) == ["standing.json"]


def test_a_file_whose_folder_is_gone_is_not_replaced(tmp_path):
    with pytest.raises(NotFoundError):
        files.replace(str(tmp_path / "gone" / "standing.json"), b"new")


def test_a_new_file_that_can_not_be_written_is_not_left_behind(tmp_path, monkeypatch):
    path = str(tmp_path / "2026-01-29.md")

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(BackendError):
        files.append(path, b"text")

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "size", "told"),
    [
        ("summary.md", 200_000_000, "is larger than 1 MB"),
        ("2026-01-29.md", 100_000_000, "is larger than 32 MB"),
        ("2025-10-29.md.gz", 400_000_000, "is larger than 64 MB"),
    ],
)
def test_what_is_larger_than_such_a_file_ever_is_is_not_read(tmp_path, name, size, told):
    path = tmp_path / name
    path.touch()
    os.truncate(path, size)

    with pytest.raises(BackendError, match=told):
        files.read_bytes(str(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path):
    path = str(tmp_path / "appending")
    os.mkfifo(path)

    with pytest.raises(BackendError):
        files.overwrite(path, b"x")
    with pytest.raises(BackendError, match="not a regular file"):
        files.read_bytes(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_file_is_taken_piece_by_piece_only_if_it_is_one(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    os.mkfifo(tmp_path / "pipe")

    with files.stream(str(tmp_path / "a")) as file:
        assert (file.read(1), file.read()) == (b"a", b"bc")
    with files.stream(str(tmp_path / "link"), follows_links=True) as file:
        assert file.read() == b"abc"
    for name in ("link", "pipe", ""):
        with pytest.raises(BackendError), files.stream(str(tmp_path / name)):
            pass
    with pytest.raises(NotFoundError), files.stream(str(tmp_path / "none")):
        pass


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="this system has no /proc")
def test_a_file_that_is_larger_than_the_system_says_is_read_whole():
    data = files.find_bytes("/proc/self/status")

    assert data is not None
    assert b"Name:" in data
    assert len(data) > 100


def test_what_was_read_just_after_it_changed_may_have_changed_again():
    second, step = 1_000_000_000, files.CLOCK_STEP_NS
    fine, coarse = 5 * second + 1, 5 * second

    assert files.is_recent((1, fine, 0), fine + step - 1)
    assert not files.is_recent((1, fine, 0), fine + step)
    assert files.is_recent((1, 0, fine), fine + step - 1)
    # A file system that counts whole seconds, or two, tells less.
    assert files.is_recent((1, coarse, 0), coarse + 2 * second - 1)
    assert not files.is_recent((1, coarse, 0), coarse + 2 * second)
