"""Encrypted files: what they look like, and that no damage of one passes for content."""

from __future__ import annotations

import base64
import errno
import os
import random
import stat
import string
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from daily_memory.errors import BackendError, ConflictError, DamagedDataError, LockedError
from daily_memory.installation import install_command
from daily_memory.storage import key_holders, keys
from daily_memory.storage.fs import encryption, files, replace

BASE64 = f"{string.ascii_letters}{string.digits}+/".encode()
TEXT = "# 2026-01-29 对话记忆\n\n斑马鱼 zebrafish\n".encode()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a key, whom alone this process knows."""
    monkeypatch.setattr(files, "key_holders", {})
    key_holders.register(str(tmp_path), {})
    keys.forget_opened()
    ring = encryption.ring_of(str(tmp_path))
    made = keys.make_identity()
    keys.store_identities(ring, [made], date(2026, 1, 29))
    keys.store_recipients(ring, [str(made.to_public())])
    return tmp_path


@pytest.fixture
def modes(home) -> encryption.Sealed:
    return encryption.Sealed(str(home))


def observed(home: Path) -> str:
    path = home / "observations" / "2026-01-29" / "talk.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return str(path)


def test_a_file_is_written_encrypted_and_read_as_it_was(home, modes):
    path = str(home / "day.md")

    files.replace(path, TEXT, modes)

    assert Path(path).read_bytes().startswith(b"age-encryption.org/v1\n-> X25519 ")
    assert files.read_bytes(path) == TEXT
    assert b"zebrafish" not in files.read_raw(path)


@pytest.mark.parametrize(
    "name",
    [
        *("config.json", "project-id", "projects.json", "hook.log", ".signature", "sync.json"),
        *(".gitignore", ".gitattributes", ".gitkeep", "git-index"),
        *(".lock", ".lock-held", ".lock-embedding", ".lock-team"),
        *("http-token", "mcp-tokens.json", "mcp-audit.jsonl"),
    ],
)
def test_what_must_be_read_before_there_is_a_key_stays_plain(home, modes, name):
    path = str(home / name)

    files.replace(path, b"{}", modes)

    assert Path(path).read_bytes() == b"{}"


def test_appending_to_an_encrypted_file_puts_another_in_its_place(home, modes):
    path = str(home / "day.md")
    for part in (b"one\n", "二\n".encode()):
        files.append(path, part, modes)

    assert files.read_bytes(path) == "one\n二\n".encode()
    assert files.is_sealed(files.read_raw(path))


def test_appending_converts_a_plain_file_and_the_other_way_round(home, modes):
    path = str(home / "day.md")
    files.append(path, b"plain\n")

    files.append(path, b"sealed\n", modes)
    assert files.is_sealed(files.read_raw(path))

    files.append(path, b"plain again\n")
    assert files.read_raw(path) == b"plain\nsealed\nplain again\n"


def test_a_file_that_somebody_keeps_saving_is_given_up(home, modes, monkeypatch):
    path = str(home / "day.md")
    files.replace(path, TEXT, modes)
    real = files.stamp
    monkeypatch.setattr(files, "stamp", lambda path: (real(path)[0], random.randrange(9**9), 0))

    with pytest.raises(ConflictError):
        files.append(path, b"more", modes)

    monkeypatch.undo()
    assert files.is_sealed(files.read_raw(path))


@pytest.mark.parametrize("earlier", [b"", TEXT])
def test_what_is_said_to_have_failed_was_not_appended(home, modes, monkeypatch, earlier):
    path = str(home / "day.md")
    if earlier:
        files.replace(path, earlier, modes)
    real = os.fsync
    refused: list[int] = []

    def refuse_once(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode) and not refused:
            refused.append(handle)
            raise OSError(errno.ENOSPC, "no space left")
        real(handle)

    monkeypatch.setattr(os, "fsync", refuse_once)
    with pytest.raises(BackendError, match="no space left"):
        files.append(path, b"more", modes)

    assert (files.find_bytes(path) or b"") == earlier
    assert os.path.exists(path) is bool(earlier)


def test_what_could_not_be_written_leaves_the_file_alone(home, modes, monkeypatch):
    path = str(home / "day.md")
    files.replace(path, TEXT, modes)
    raw = files.read_raw(path)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(BackendError, match="no space left"):
        files.append(path, b"more", modes)

    assert files.read_raw(path) == raw


def test_what_was_appended_can_be_taken_back(home, modes):
    path = str(home / "day.md")
    files.replace(path, TEXT, modes)
    raw = files.find_raw(path)

    files.append(path, b"more", modes)
    files.undo_append(path, raw, (0, 0, 0))  # somebody changed it
    assert files.read_bytes(path) == TEXT + b"more"
    files.undo_append(path, raw, files.stamp(path))
    assert files.read_raw(path) == raw
    files.undo_append(path, None, files.stamp(path))

    assert files.find_raw(path) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_or_a_folder_in_the_place_of_a_file_is_no_reason_to_wait(home):
    os.mkfifo(home / "pipe")
    (home / "folder").mkdir()

    for name in ("pipe", "folder", "nothing"):
        assert files.can_append(str(home / name), files.PRIVATE)


def test_lines_are_appended_each_by_itself(home, modes):
    path = observed(home)
    files.append_line(path, b'{"a":1}\n', modes)
    size = files.append_line(path, '{"b":"斑马鱼"}\n{"c":3}\n'.encode(), modes)
    files.append(path, b'{"d":4}\n', modes)

    lines = Path(path).read_bytes().split(b"\n")
    assert [line[:4] for line in lines] == [b"YWdl"] * 4 + [b""]
    assert files.read_bytes(path) == '{"a":1}\n{"b":"斑马鱼"}\n{"c":3}\n{"d":4}\n'.encode()
    assert files.decrypted(path, files.read_raw(path)[:size]).endswith(b'{"c":3}\n')


def test_plain_and_encrypted_lines_stand_side_by_side(home, modes):
    path = observed(home)
    files.append_line(path, b'{"a":1}\n')
    files.append_line(path, b'{"b":2}\n', modes)
    files.append_line(path, b"\n", modes)

    assert files.read_bytes(path) == b'{"a":1}\n{"b":2}\n\n'


def test_an_encrypted_line_is_blanked_out_and_comes_back_to_its_place(home, modes):
    path = observed(home)
    files.append_line(path, b'{"a":1}\n{"b":2}\n{"c":3}\n', modes)

    def second(data: bytes) -> list[tuple[int, int]]:
        begins = data.index(b'{"b"')
        return [(begins, data.index(b"\n", begins))]

    replace.blank_out(path, second, modes, folder=str(home))

    assert files.read_bytes(path) == b'{"a":1}\n       \n{"c":3}\n'

    replace.fill_in(path, [(8, b'{"b":2}')], modes, folder=str(home))

    assert files.read_bytes(path) == b'{"a":1}\n{"b":2}\n{"c":3}\n'
    assert b'{"' not in files.read_raw(path)


def test_bytes_of_a_file_that_is_encrypted_as_a_whole_are_blanked_out(home, modes):
    path = str(home / "summary.md")
    files.append(path, "一行 one\n两行 two\n".encode(), modes)

    replace.blank_out(path, lambda said: [(said.index(b"one"), said.index(b"one") + 3)], modes)

    assert files.read_bytes(path) == "一行    \n两行 two\n".encode()
    assert files.is_sealed(files.read_raw(path))


@pytest.mark.parametrize("size", [0, 30, 70_000])
def test_not_one_of_two_hundred_flipped_bytes_passes(home, modes, size):
    path = home / "day.md"
    files.replace(str(path), TEXT + b"x" * size, modes)
    good = path.read_bytes()
    rng = random.Random(size)
    refused = 0
    places = list(range(100)) + [rng.randrange(len(good)) for _ in range(100)]
    for place in places:
        flipped = bytearray(good)
        flipped[place] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        try:
            files.read_bytes(str(path))
        except DamagedDataError as error:
            refused += str(path) in error.message

    assert refused == len(places) == 200


def test_not_one_of_two_hundred_cut_files_passes(home, modes):
    path = home / "day.md"
    files.replace(str(path), TEXT * 4, modes)
    good = path.read_bytes()
    for size in [*range(8, 108), *range(len(good) - 100, len(good))]:
        path.write_bytes(good[:size])
        with pytest.raises(DamagedDataError):
            files.read_bytes(str(path))


def test_a_flipped_byte_of_a_line_spoils_that_line_alone(home, modes):
    path = Path(observed(home))
    files.append_line(str(path), b'{"a":1}\n{"b":2}\n{"c":3}\n', modes)
    good = path.read_bytes()
    first = good.index(b"\n") + 1
    rng = random.Random(7)
    for _ in range(200):
        flipped = bytearray(good)
        flipped[rng.randrange(first, good.index(b"\n", first))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        lines = files.read_bytes(str(path)).split(b"\n")
        assert (lines[0], lines[-2]) == (b'{"a":1}', b'{"c":3}')
        assert b'{"b":2}' not in lines


@pytest.mark.parametrize("padding", [1, 2])
def test_bits_that_say_nothing_are_no_other_way_to_write_a_line(home, modes, padding):
    identities = list(keys.load_identities(encryption.ring_of(str(home))))
    # Chance decides how long the header of a line is, and so how much padding ends it.
    sealed = iter(lambda: modes.sealed(observed(home), b"1"), None)
    line = next(line for line in sealed if line.count(b"=") == padding)
    bare = line.rstrip(b"=")

    opened = [
        encryption.open_line(bare[:-1] + bytes([last]) + b"=" * padding, identities)
        for last in BASE64
    ]

    assert sorted(opened, key=bool) == [None] * 63 + [b"1"]


def test_what_was_encrypted_as_one_line_is_one_line(home):
    ring = encryption.ring_of(str(home))
    identities = list(keys.load_identities(ring))
    mine = identities[0].to_public()

    lines = [base64.b64encode(keys.age().encrypt(text, [mine])) for text in (b"{}", b"{}\n{}")]

    assert [encryption.open_line(line, identities) for line in lines] == [b"{}", None]


def test_a_file_for_another_key_names_itself(home, modes):
    path = home / "day.md"
    other = keys.make_identity().to_public()
    path.write_bytes(keys.age().encrypt(TEXT, [other]))
    lines = Path(observed(home))
    lines.write_bytes(encryption.seal_lines(b"{}\n", [other]))

    for one in (path, lines):
        with pytest.raises(DamagedDataError, match="another key") as caught:
            files.read_bytes(str(one))
        assert str(one) in caught.value.message


def test_what_is_encrypted_already_is_not_encrypted_again(home, modes):
    sealed = modes.sealed("day.md", TEXT)
    line = modes.sealed(observed(home), b"{}\n")

    assert modes.sealed("day.md", sealed) == sealed
    assert modes.sealed(observed(home), line) == line


def test_without_a_key_nothing_is_read_and_all_is_written(home, modes):
    path = str(home / "day.md")
    ring = encryption.ring_of(str(home))
    Path(ring.key_file).rename(home / "elsewhere.txt")
    keys.forget_opened()

    files.replace(path, TEXT, modes)

    with pytest.raises(LockedError, match="no key at"):
        files.read_bytes(path)
    Path(ring.recipients_file).unlink()
    with pytest.raises(LockedError, match="names nobody"):
        files.replace(path, TEXT, encryption.Sealed(str(home)))


def test_the_keys_of_all_users_of_a_process_are_tried(home, modes, tmp_path_factory):
    path = str(home / "day.md")
    files.replace(path, TEXT, modes)
    key_holders.register(str(tmp_path_factory.mktemp("other")), {})

    assert files.read_bytes(path) == TEXT


def test_without_a_user_an_encrypted_file_is_locked(home, modes):
    path = str(home / "day.md")
    files.replace(path, TEXT, modes)
    files.key_holders.clear()

    with pytest.raises(LockedError):
        files.read_bytes(path)


def test_a_server_sees_that_the_key_was_changed(home, modes):
    path = str(home / "day.md")
    files.replace(path, TEXT, modes)
    ring = encryption.ring_of(str(home))
    new = keys.make_identity()
    keys.store_recipients(ring, [str(new.to_public())])

    files.replace(path, TEXT, modes)

    assert encryption.is_for(path, files.read_raw(path), [new])
    old = list(keys.load_identities(ring))
    assert not encryption.is_for(path, files.read_raw(path), old)
    lines = observed(home)
    files.append_line(lines, b"{}\n", modes)
    assert encryption.is_for(lines, files.read_raw(lines), [new])
    assert not encryption.is_for(lines, files.read_raw(lines), old)


def test_who_still_writes_to_the_file_that_was_replaced_loses_nothing(home, modes):
    path = observed(home)
    files.append_line(path, b'{"a":1}\n')
    with open(path, "ab", buffering=0) as hook:

        def changed(data: bytes) -> bytes:
            hook.write(b'{"late":2}\n')
            return bytes(modes.sealed(path, data))

        replace.replace_growing(path, changed, modes, str(home))

    assert files.read_bytes(path) == b'{"a":1}\n{"late":2}\n'
    assert b"late" not in files.read_raw(path)


def test_a_file_that_could_not_be_replaced_is_let_go(home):
    path = observed(home)
    files.append_line(path, b'{"a":1}\n')

    def broken(data: bytes) -> bytes:
        raise DamagedDataError("no")

    with pytest.raises(DamagedDataError):
        replace.replace_growing(path, broken, files.PRIVATE, str(home))

    assert files.read_raw(path) == b'{"a":1}\n'


def test_without_the_library_the_error_says_what_to_run(home, modes, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyrage", None)

    with pytest.raises(BackendError, match="pyrage") as caught:
        files.replace(str(home / "day.md"), TEXT, modes)

    assert caught.value.hint == f"run: {install_command('crypto')}"


def test_armored_files_of_other_programs_are_read(home):
    identity = keys.load_identities(encryption.ring_of(str(home)))[0]
    path = home / "day.md"
    path.write_bytes(keys.age().encrypt(TEXT, [identity.to_public()], armored=True))

    assert path.read_bytes().startswith(b"-----BEGIN AGE")
    assert files.read_bytes(str(path)) == TEXT


def test_nothing_of_it_is_loaded_where_nothing_is_encrypted(tmp_path):
    code = (
        "import sys; from daily_memory import Memory;"
        f" m = Memory({str(tmp_path)!r}, home={str(tmp_path / 'home')!r});"
        " m.save({'topic': 'x y z'}); m.search('x');"
        " lazy = ('pyrage', 'daily_memory.storage.keys', 'daily_memory.storage.fs.encryption');"
        " print([n for n in sys.modules if n in lazy])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
