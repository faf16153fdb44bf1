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


@pytest.mark.parametrize("umask", [0, 0o077])
def test_a_shared_memory_is_open_to_the_group_whatever_the_process_takes_away(tmp_path, umask):
    old = os.umask(umask)
    try:
        files.make_folder(str(tmp_path / "a"), Modes(shared=True))
        for name, write in (("b", files.append), ("c", files.append_line), ("d", files.replace)):
            write(str(tmp_path / "a" / name), b"x", Modes(shared=True))
        files.make_empty(str(tmp_path / "a" / "e"), Modes(shared=True))
    finally:
        os.umask(old)

    assert mode(tmp_path / "a") == 0o770
    assert [mode(tmp_path / "a" / name) for name in "bcde"] == [0o660] * 4


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


@pytest.mark.parametrize(
    "use",
    [
        lambda path: files.read_part(path, 0, 3),
        lambda path: files.append(path, b"x"),
        lambda path: files.append_line(path, b"x\n"),
        lambda path: files.overwrite(path, b"x"),
        lambda path: files.cut_off(path, 2),
    ],
)
def test_nothing_is_read_or_written_through_a_link(tmp_path, use):
    (tmp_path / "target").write_bytes(b"theirs\n")
    (tmp_path / "link").symlink_to(tmp_path / "target")

    with pytest.raises(BackendError):
        use(str(tmp_path / "link"))

    assert (tmp_path / "target").read_bytes() == b"theirs\n"


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path):
    path = str(tmp_path / "appending")
    os.mkfifo(path)

    for write in (files.overwrite, files.append, files.append_line):
        with pytest.raises(BackendError):
            write(path, b"x")
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


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("summary.md", 1_000_000),
        ("config.json", 1_000_000),
        ("2026-01-29.md", 32_000_000),
        ("2026-01-29.jsonl", 256_000_000),
        ("2026-01-29.md.gz", 64_000_000),
        ("keywords.json", 1_000_000_000),
        ("lookup", 1_000_000_000),
    ],
)
def test_how_large_a_file_may_be(tmp_path, name, most):
    path = tmp_path / name
    path.touch()
    os.truncate(path, most)

    assert files.most_bytes(str(path)) == most
    with files.stream(str(path)) as file:
        assert file.read(1) == b"\0"
    os.truncate(path, most + 1)
    with pytest.raises(BackendError, match=f"larger than {most // 1_000_000} MB"):
        files.read_raw(str(path))


def test_the_stamps_of_a_folder_are_those_of_its_regular_files(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")

    found = list(files.stamps(str(tmp_path), ["b", "gone", "folder", "link", "a"]))

    assert found == [(name, *files.stamp(str(tmp_path / name))) for name in ("b", "a")]


@pytest.mark.parametrize(
    ("start", "stop", "part"), [(0, 3, b"012"), (2, 5, b"234"), (8, 99, b"89"), (10, 12, b"")]
)
def test_a_part_of_a_file_is_read(tmp_path, start, stop, part):
    (tmp_path / "a").write_bytes(b"0123456789")

    assert files.read_part(str(tmp_path / "a"), start, stop) == part


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="this system has no /proc")
def test_nothing_that_was_read_stays_open(tmp_path):
    (tmp_path / "a").write_bytes(b"0123456789")
    open_before = os.listdir("/proc/self/fd")

    files.read_bytes(str(tmp_path / "a"))
    files.read_part(str(tmp_path / "a"), 0, 3)
    list(files.stamps(str(tmp_path), ["a", "gone"]))
    with pytest.raises(BackendError):
        files.read_bytes(str(tmp_path))

    assert os.listdir("/proc/self/fd") == open_before


def test_the_names_in_a_folder_are_in_order(tmp_path):
    for name in ("b", "缓", "a"):
        (tmp_path / name).touch()

    assert files.list_names(str(tmp_path)) == ["a", "b", "缓"]
    for none in ("gone", "a"):
        assert files.list_names(str(tmp_path / none)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b"new\n"),
        (b"", b"new\n"),
        (b"old\n", b"old\nnew\n"),
        # Half a line that a crash left.
        (b"old\nhal", b"old\nhal\nnew\n"),
        (b"h", b"h\nnew\n"),
    ],
)
def test_a_line_is_appended_to_whole_lines(tmp_path, before, after):
    path = tmp_path / "a"
    if before is not None:
        path.write_bytes(before)
        path.chmod(0o640)

    assert files.append_line(str(path), b"new\n") == len(after)

    assert path.read_bytes() == after
    assert mode(path) == (0o640 if before else 0o600)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"age-encryption.org/v1\n-> X25519 a", True),
        (b"-----BEGIN AGE ENCRYPTED FILE-----\n", True),
        # Damaged in its first line, or cut off there.
        (b"age-encryption.org/v1\n", True),
        (b"xge-encryption.org/v1\n-> X25519 a", True),
        (b"xge-encryption.org/v1\n", False),
        (b"age-encr", True),
        (b"age-enc", False),
        (b"age-encrusted", False),
        (b"# 2026-01-29\n", False),
        (b"", False),
    ],
)
def test_what_is_encrypted_begins_as_age_writes_it(data, expected):
    assert files.is_sealed(data) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("m/observations/2026-01-29/c.jsonl", True),
        ("m/observations/2026-01-29/c.json", False),
        ("m/observations/c.jsonl", False),
        ("m/index/2026/c.jsonl", False),
    ],
)
def test_observations_alone_are_encrypted_line_by_line(path, expected):
    assert files.is_by_line(path) is expected


def test_text_and_bytes_lose_only_what_has_no_other_form():
    assert files.to_bytes("缓\ud800") == "缓?".encode()
    assert files.to_text("缓".encode() + b"\xff") == "缓\ufffd"


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "free some space on that disk and run the command again"),
        (errno.EACCES, "check who owns the file and its folder, and who may write there"),
        (errno.EPERM, "check who owns the file and its folder, and who may write there"),
        (errno.EROFS, "the disk is mounted read-only"),
        (errno.ELOOP, "it is a symbolic link; put a regular file in its place"),
        (errno.EIO, "run `memory doctor`"),
    ],
)
def test_a_refusal_of_the_system_is_told_with_what_to_do(number, hint):
    error = files.refused("a.md", "write", OSError(number, os.strerror(number)))

    assert error.message == f"can't write 'a.md': {os.strerror(number).lower()}"
    assert error.hint == hint
    assert files.refused("a", "read", OSError("Odd")).message == "can't read 'a': odd"


def change(path: str, how: str) -> None:
    """Change a file, or the folder it is in, in one of the ways there are."""
    match how:
        case "append":
            files.append(path, b"x")
        case "append_line":
            files.append_line(path, b"x\n")
        case "replace":
            files.replace(path, b"x")
        case "overwrite":
            files.overwrite(path, b"x")
        case "rename":
            files.rename(path, f"{path}-2")
        case "cut_off":
            files.cut_off(path, 2)
        case "make_folder":
            files.make_folder(f"{path}-folder")
        case "make_empty":
            files.make_empty(f"{path}-empty")


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="this system has no /proc")
@pytest.mark.parametrize(
    ("how", "of_new", "of_old"),
    [
        # A name that is new is durable when its folder is.
        ("append", ["a", "m"], ["a"]),
        ("append_line", [], []),
        ("replace", ["a.tmp", "m"], ["a.tmp", "m"]),
        ("overwrite", ["a", "m"], ["a"]),
        ("rename", None, ["m"]),
        ("cut_off", None, ["a"]),
        ("make_folder", ["m"], ["m"]),
        ("make_empty", [], []),
    ],
)
def test_what_was_written_survives_a_power_cut(tmp_path, monkeypatch, how, of_new, of_old):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(name_of(handle)))
    open_before = set(os.listdir("/proc/self/fd"))

    for number, expected in enumerate((of_new, of_old)):
        path = tmp_path / str(number) / "m" / "a"
        path.parent.mkdir(parents=True)
        if number:
            path.write_bytes(b"old")
        if expected is not None:
            change(str(path), how)
            assert synced == expected
            synced.clear()

    assert set(os.listdir("/proc/self/fd")) == open_before


def name_of(handle: int) -> str:
    path = os.readlink(f"/proc/self/fd/{handle}")
    return os.path.basename(path).removesuffix(f"-{os.getpid()}")


def test_a_file_is_cut_off_emptied_or_removed(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"0123")

    files.cut_off(str(path), 2)
    assert path.read_bytes() == b"01"
    files.empty(str(path))
    assert path.read_bytes() == b""
    files.cut_off(str(path), 0)
    assert not path.exists()
    files.empty(str(path))
    assert not path.exists()
    files.make_empty(str(path))
    assert (path.read_bytes(), mode(path)) == (b"", 0o600)
    with pytest.raises(BackendError):
        files.make_empty(str(path))


def test_a_file_gets_another_name(tmp_path):
    (tmp_path / "a").write_bytes(b"x")

    files.rename(str(tmp_path / "a"), str(tmp_path / "b"))

    assert files.list_names(str(tmp_path)) == ["b"]
    with pytest.raises(NotFoundError):
        files.rename(str(tmp_path / "a"), str(tmp_path / "b"))


def test_a_file_gets_the_next_free_number(tmp_path):
    (tmp_path / "undo").mkdir()
    (tmp_path / "undo" / "step-2.json").symlink_to("nowhere")
    stem = str(tmp_path / "undo" / "step")

    added = [os.path.basename(files.write_numbered(stem, ".json", b"x")) for _ in range(2)]

    assert added == ["step-1.json", "step-3.json"]
    assert files.write_numbered(str(tmp_path / "new" / "step"), "", b"x").endswith("/new/step-1")


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, ["a.md", "folder.tmp-1"]),
        ({"of": "a.md"}, ["a.md", "b.md.tmp-2", "folder.tmp-1"]),
        ({"older_than_s": 60}, ["a.md", "a.md.tmp-1", "folder.tmp-1"]),
    ],
)
def test_half_written_files_are_removed(tmp_path, options, left):
    for name in ("a.md", "a.md.tmp-1", "b.md.tmp-2"):
        (tmp_path / name).touch()
    os.utime(tmp_path / "b.md.tmp-2", (1, 1))
    (tmp_path / "folder.tmp-1").mkdir()

    files.remove_leftovers(str(tmp_path), **options)

    assert files.list_names(str(tmp_path)) == left


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.md.tmp-12", True), ("a.tmp-1.tmp-2", True), ("a.tmp-", False), ("a.tmp-x", False)],
)
def test_a_half_written_file_is_named_after_its_process(name, expected):
    assert files.is_leftover(name) is expected


def test_an_append_is_taken_back_unless_somebody_went_on(tmp_path):
    path = tmp_path / "a"
    for before in (None, b"old"):
        path.write_bytes(b"new")
        files.undo_append(str(path), before, NO_STAMP)
        assert path.read_bytes() == b"new"
        files.undo_append(str(path), before, files.stamp(str(path)))
        assert files.find_bytes(str(path)) == before
