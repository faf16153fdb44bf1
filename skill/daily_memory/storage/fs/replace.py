"""Changes files that others append to without a lock, as a whole or byte by byte.

It is separate from `files`, since neither a search nor a hook needs it.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator

from daily_memory.errors import ConflictError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import PRIVATE, SAFELY, Modes

# How often a file is read again if an editor saves it at the same moment.
_ATTEMPTS = 5


def rewrite(
    path: str, changed: Callable[[bytes], bytes], modes: Modes, *, folder: str = ""
) -> bool:
    """Replace a file with `changed(bytes)`; tell whether that differs."""
    for _ in range(_ATTEMPTS):
        expected = files.stamp(path)
        data = files.find_bytes(path) or b""
        new = changed(data)
        if new == data:
            return False
        with contextlib.suppress(ConflictError):
            files.replace(path, new, modes, expected=expected, folder=folder)
            return True
    raise ConflictError("{!r} kept changing", path, hint="run the command again")


def replace_growing(path: str, change: Callable[[bytes], bytes], modes: Modes, folder: str) -> None:
    """Replace a file that others append lines to without a lock by `change(bytes)`.

    What was added to the old file meanwhile is appended to the new one. The modification time
    stays, since it tells when something was said last. The new file is written in `folder` first.
    """
    with (
        files.translated(path, "write"),
        open(path, "rb", opener=lambda name, flags: os.open(name, flags | SAFELY)) as old,
    ):
        before = os.fstat(old.fileno())
        data = old.read()
        if os.name == "nt":  # what is open can't be replaced there
            old.close()
        beside = os.path.join(folder, os.path.basename(path)) if folder else ""
        files.replace_raw(path, change(data), modes, beside=beside)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        rest = b"" if old.closed else old.read()
    if rest:
        files.append_line(path, files.decrypted(path, rest), modes)


def blank_out(
    path: str,
    find: Callable[[bytes], Iterable[tuple[int, int]]],
    modes: Modes = PRIVATE,
    *,
    folder: str = "",
) -> None:
    """Overwrite some bytes of a file with blanks, durably.

    `find` gets the plain bytes and returns start and end of each place. A plain file is changed in
    place, so appends are not lost. Of an encrypted file, the changed lines are encrypted again, in
    `folder` first.
    """

    def blanks(plain: bytes) -> Iterator[tuple[int, bytes]]:
        return ((begins, b" " * (ends - begins)) for begins, ends in find(plain))

    _overlay(path, blanks, modes, folder)


def fill_in(
    path: str, pieces: Iterable[tuple[int, bytes]], modes: Modes = PRIVATE, *, folder: str = ""
) -> None:
    """Restore bytes that `blank_out` overwrote, durably, even if a crash interrupted either."""

    def fitting(plain: bytes) -> Iterator[tuple[int, bytes]]:
        for begins, piece in pieces:
            there = plain[begins : begins + len(piece)]
            is_ours = all(now in (ord(" "), was) for now, was in zip(there, piece, strict=False))
            if is_ours and len(there) == len(piece):
                yield begins, piece

    _overlay(path, fitting, modes, folder)


def _overlay(
    path: str, find: Callable[[bytes], Iterable[tuple[int, bytes]]], modes: Modes, folder: str
) -> None:
    with files.translated(path, "write"):
        handle = os.open(path, os.O_RDWR | SAFELY)
        with open(handle, "r+b", buffering=0) as file:
            data = file.readall()
            if files.decrypted(path, data) == data:
                for begins, piece in find(data):
                    file.seek(begins)
                    file.write(piece)
                os.fsync(handle)
                return
    if files.is_by_line(path):
        replace_growing(path, lambda raw: _overlaid(path, raw, find, modes), modes, folder)
    else:
        expected = files.stamp(path)
        files.replace(path, _laid(files.read_bytes(path), find), modes, expected=expected)


def _overlaid(
    path: str, raw: bytes, find: Callable[[bytes], Iterable[tuple[int, bytes]]], modes: Modes
) -> bytes:
    """Return encrypted lines, those that `find` changes encrypted again."""
    plain = files.decrypted(path, raw)
    every = zip(*(text.split(b"\n") for text in (raw, plain, _laid(plain, find))), strict=True)
    return b"\n".join(line if was == now else modes.sealed(path, now) for line, was, now in every)


def _laid(plain: bytes, find: Callable[[bytes], Iterable[tuple[int, bytes]]]) -> bytes:
    changed = bytearray(plain)
    for begins, piece in find(plain):
        changed[begins : begins + len(piece)] = piece
    return bytes(changed)
