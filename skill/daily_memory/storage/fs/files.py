"""Exact reading, safe appending and replacing: the only code that writes memory files.

A save appends with one write; everything else is written to a temporary file and renamed. Paths are
plain strings: importing `pathlib` would take a third of a search's start-up time.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from daily_memory.errors import (
    BackendError,
    ConflictError,
    DailyMemoryError,
    LockedError,
    NotFoundError,
)
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# Without this, opening a FIFO named like a day would wait for ever.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
# How a file of ours is opened, to be read or changed: no link is followed, no FIFO waited for.
SAFELY = _NO_FOLLOW | _NO_WAIT | _BINARY
_TEMPORARY = ".tmp-"
# The first bytes of an age file, binary or armored, and what follows.
_SEALED = (b"age-encryption.org/v1\n", b"-----BEGIN AGE ENCRYPTED FILE-----")
_STANZA = b"-> X25519 "
# The same as base64: how an encrypted line begins.
SEALED_LINE = b"YWdlLWVuY3J5cHRpb24ub3JnL3Yx"
_LEAST_OF_SEALED = len(b"age-encr")
_LONGEST_MARK = max(map(len, (*_SEALED, _SEALED[0] + _STANZA)))
# What an editor that saves at the same moment can make us do again.
_ATTEMPTS = 5

# How large a file may be, by its name or its ending. Most days have some 100 KB.
_MOST_BYTES = {
    "summary.md": 1_000_000,
    "config.json": 1_000_000,
    ".md": 32_000_000,
    ".jsonl": 256_000_000,
    ".gz": 64_000_000,
}
_MOST_OTHER = 1_000_000_000
# For files of which only the beginning is read.
ANY_SIZE = 1 << 62

Stamp = tuple[int, int, int]
NO_STAMP: Stamp = (-1, -1, -1)


class Modes:
    """How new files and folders are written: their permissions, and whether they are encrypted.

    The permissions are for the owner, or for the group too. `signatures.SignedModes` signs
    folders, `encryption.Sealed` encrypts files as well; both need the user's `home`.
    """

    is_sealed = False

    home = ""

    def __init__(self, *, shared: bool = False) -> None:
        self.file = 0o660 if shared else 0o600
        self.folder = 0o770 if shared else 0o700

    def make_folder(self, path: str) -> None:
        """Create one folder in an existing one."""
        os.mkdir(path, self.folder)
        # mkdir takes the umask off the mode.
        os.chmod(path, self.folder)

    def sealed(self, path: str, data: bytes) -> bytes:  # noqa: ARG002  # not all files are
        """Return the bytes as they are stored in a file."""
        return data


PRIVATE = Modes()


class KeyHolder(NamedTuple):
    """A user whose keys decrypt files; `ask` asks for the passphrase, None without a terminal."""

    environment: Mapping[str, str]
    ask: Callable[[], str] | None = None


# By home, the newest last.
key_holders: dict[str, KeyHolder] = {}


def _no_opener(path: str, _data: bytes) -> bytes:
    raise LockedError("{!r} is encrypted", path, hint="no user was named whose key opens it")


# What decrypts a file, given its path and its bytes; `key_holders.register` sets it.
opener: Callable[[str, bytes], bytes] = _no_opener
_MORE_BYTES = 1_000_000_000
# A file that changed so shortly before we read it may change again with the same times.
CLOCK_STEP_NS = 50_000_000
_COARSE_CLOCK_STEP_NS = 2_000_000_000


def stamp(path: str) -> Stamp:
    """Return size, modification time and status time of a file, NO_STAMP if there is none to see.

    Editors may keep size and modification time.
    """
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return NO_STAMP
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def stamps(folder: str, names: Iterable[str]) -> Iterator[tuple[str, int, int, int]]:
    """Yield the name and stamp of each existing regular file in a folder."""
    # Below an open folder the system finds a file in two thirds of the time.
    handle = os.open(folder, os.O_RDONLY) if os.stat in os.supports_dir_fd else None
    try:
        for name in names:
            path = os.path.join(folder, name) if handle is None else name
            try:
                status = os.stat(path, dir_fd=handle, follow_symlinks=False)
            except FileNotFoundError:
                continue  # one that goes away at this moment must not hide the others
            if stat.S_ISREG(status.st_mode):
                yield name, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    finally:
        if handle is not None:
            os.close(handle)


def is_recent(stamp: Stamp, read_at: int) -> bool:
    """Tell whether a file read at a time (in ns) may have changed since with the same stamp."""
    latest = max(stamp[1], stamp[2])
    step = _COARSE_CLOCK_STEP_NS if latest % 1_000_000_000 == 0 else CLOCK_STEP_NS
    return latest + step > read_at


def read_bytes(path: str) -> bytes:
    """Return the bytes of a regular file, decrypted.

    Raises:
        NotFoundError: there is no such file.
        BackendError: it is a link, no regular file, or the system refuses.
        DamagedDataError: it is encrypted, and damaged or for another key.
        LockedError: it is encrypted, and the key is missing.
    """
    return decrypted(path, read_raw(path))


def read_raw(path: str) -> bytes:
    """Return the bytes of a regular file as stored; see `read_bytes`."""
    with translated(path, "read"):
        handle = os.open(path, os.O_RDONLY | SAFELY)
        try:
            size = _checked_size(handle, path, most_bytes(path))
            # A file of Python asks the system three times as often, and a disk may be far away.
            data = os.read(handle, size + 1)
            while len(data) != size and (more := os.read(handle, _MORE_BYTES)):
                data += more  # it grows at this moment, or is larger than one read gives
            return data
        finally:
            os.close(handle)


def read_part(path: str, start: int, stop: int) -> bytes:
    """Return a range of bytes of a regular file, decrypted."""
    with translated(path, "read"):
        handle = os.open(path, os.O_RDONLY | SAFELY)
        try:
            if not is_sealed(os.read(handle, _LONGEST_MARK)):
                os.lseek(handle, start, os.SEEK_SET)
                return os.read(handle, stop - start)
        finally:
            os.close(handle)
    return read_bytes(path)[start:stop]


@contextlib.contextmanager
def stream(path: str, *, most: int = 0, follows_links: bool = False) -> Iterator[BinaryIO]:
    """Open a regular file to read it in pieces, as stored.

    `most` is its largest size, if not that of `most_bytes`.
    """
    safely = SAFELY & ~_NO_FOLLOW if follows_links else SAFELY

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | safely)

    with translated(path, "read"), open(path, "rb", opener=opener) as file:
        _checked_size(file.fileno(), path, most or most_bytes(path))
        yield file


def _checked_size(handle: int, path: str, most: int) -> int:
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise BackendError("{!r} is not a regular file", path, hint="move it away")
    if status.st_size > most:
        message = filled("{!r} is larger than {} MB, and is not read", path, most // 1000000)
        raise BackendError(message, hint="split it, or move it away")
    return status.st_size


def most_bytes(path: str) -> int:
    """Return the size limit of a file with this name, in bytes."""
    name = os.path.basename(path)
    return _MOST_BYTES.get(name) or _MOST_BYTES.get(os.path.splitext(name)[1]) or _MOST_OTHER


def decrypted(path: str, data: bytes) -> bytes:
    """Return the bytes of a file, decrypted if they are encrypted."""
    is_encrypted = is_sealed(data) or (is_by_line(path) and _has_sealed_line(data))
    return opener(path, data) if is_encrypted else data


def is_sealed(data: bytes) -> bool:
    """Tell whether bytes are an encrypted file, even a damaged one."""
    is_marked = data.startswith(_SEALED) or data.startswith(_STANZA, len(_SEALED[0]))
    return is_marked or (len(data) >= _LEAST_OF_SEALED and _SEALED[0].startswith(data))


def _has_sealed_line(data: bytes) -> bool:
    # A long record is not copied for this.
    return data.startswith(SEALED_LINE) or b"\n" + SEALED_LINE in data


def is_by_line(path: str) -> bool:
    """Tell whether a file is encrypted line by line, so that hooks can append to it."""
    folder = os.path.dirname(os.path.dirname(path))
    return path.endswith(".jsonl") and os.path.basename(folder) == "observations"


def to_bytes(text: str) -> bytes:
    """Return text as UTF-8; an unpaired surrogate becomes "?"."""
    return text.encode("utf-8", "replace")


def to_text(data: bytes) -> str:
    """Return bytes as text; invalid UTF-8 becomes U+FFFD."""
    return data.decode("utf-8", "replace")


def digest(data: bytes) -> str:
    """Return a short hash of some bytes, for the name of a file."""
    from _blake2 import blake2b  # `hashlib` loads OpenSSL, and a hook waits for it

    name: str = blake2b(data, digest_size=16).hexdigest()
    return name


def find_bytes(path: str) -> bytes | None:
    """Return the bytes of a file, decrypted, None if there is no file."""
    data = find_raw(path)
    return None if data is None else decrypted(path, data)


def find_raw(path: str) -> bytes | None:
    """Return the bytes of a file as stored, None if there is no file."""
    try:
        return read_raw(path)
    except NotFoundError:
        return None


def list_names(folder: str) -> list[str]:
    """Return the sorted names in a folder; none if it is missing or not readable."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def make_folder(path: str, modes: Modes = PRIVATE) -> None:
    """Create a folder and its parents, closed to others."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        make_folder(parent, modes)
    with translated(path, "create"), contextlib.suppress(FileExistsError):
        modes.make_folder(path)
        _sync_folder(parent)


def append(path: str, data: bytes, modes: Modes = PRIVATE) -> None:
    """Append bytes to a file, durably, all or nothing.

    Appending keeps an edit that a person makes at the same moment. An encrypted file must be
    replaced; it is checked just before.
    """
    if not can_append(path, modes):
        _append_by_replacing(path, data, modes)
        return
    data = modes.sealed(path, data)
    with translated(path, "write"):
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | SAFELY
        is_new = not os.path.exists(path)
        handle = os.open(path, flags, modes.file)
        before = os.fstat(handle).st_size
        written = 0
        try:
            if is_new:
                _set_mode(handle, modes.file)
            while written < len(data):
                written += os.write(handle, data[written:])
            os.fsync(handle)
            if is_new:
                _sync_folder(os.path.dirname(path))
        except BaseException:
            if _cut_back(handle, before, before + written) and is_new:
                os.unlink(path)
            raise
        finally:
            os.close(handle)


def append_lines(path: str, lines: bytes, modes: Modes = PRIVATE) -> None:
    """Append lines durably, on a line of their own even after a power cut left half a line."""
    data = find_bytes(path) or b""
    append(path, lines if not data or data.endswith(b"\n") else b"\n" + lines, modes)


def can_append(path: str, modes: Modes) -> bool:
    """Tell whether `append` adds to a file, or replaces it."""
    return is_by_line(path) or not (modes.is_sealed or _is_sealed_there(path))


def _is_sealed_there(path: str) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | SAFELY)
    except OSError:
        return False  # whoever writes it will see
    try:
        return is_sealed(os.read(handle, len(_SEALED[0] + _STANZA)))
    except OSError:
        return False  # as above: a folder, or a pipe
    finally:
        os.close(handle)


def _append_by_replacing(path: str, data: bytes, modes: Modes) -> None:
    for _ in range(_ATTEMPTS):
        expected, before = stamp(path), find_raw(path)
        wanted = decrypted(path, before or b"") + data
        try:
            with contextlib.suppress(ConflictError):
                replace(path, wanted, modes, expected=expected)
                return
        except BackendError:
            # A disk may refuse late: then the write was done after all.
            with contextlib.suppress(DailyMemoryError):
                if find_bytes(path) == wanted:
                    undo_append(path, before, stamp(path))
            raise
    raise ConflictError("{!r} keeps changing", path, hint="close whatever keeps saving it")


def undo_append(path: str, before: bytes | None, after: Stamp) -> None:
    """Undo an append, unless somebody changed the file meanwhile.

    `before` is what was stored, None for no file, and `after` the stamp of the append.
    """
    if stamp(path) != after:
        return
    if before is None:
        remove(path)
    else:
        replace_raw(path, before, PRIVATE, expected=after)


def append_line(path: str, data: bytes, modes: Modes = PRIVATE) -> int:
    """Append lines with one write, without fsync; return the size of the file then.

    They start on a new line, even after half a line that a crash left.
    """
    data = modes.sealed(path, data)
    with translated(path, "write"):
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | SAFELY
        handle = os.open(path, flags, modes.file)
        try:
            size = os.fstat(handle).st_size
            if not size:
                _set_mode(handle, modes.file)
            elif os.lseek(handle, size - 1, os.SEEK_SET) >= 0 and os.read(handle, 1) != b"\n":
                data = b"\n" + data
            while data:
                data = data[os.write(handle, data) :]
            return os.lseek(handle, 0, os.SEEK_CUR)
        finally:
            os.close(handle)


def overwrite(path: str, data: bytes, modes: Modes = PRIVATE) -> None:
    """Write a file in place, durably. A crash may leave half of it: for our own notes only."""
    data = modes.sealed(path, data)
    with translated(path, "write"):
        is_new = not os.path.exists(path)
        _write_new(path, data, modes.file)
        if is_new:
            _sync_folder(os.path.dirname(path))


def make_empty(path: str, modes: Modes = PRIVATE) -> None:
    """Create an empty file, for a library that writes it itself."""
    with translated(path, "write"):
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, modes.file)
        try:
            _set_mode(handle, modes.file)
        finally:
            os.close(handle)


def empty(path: str) -> None:
    with translated(path, "write"), contextlib.suppress(FileNotFoundError):
        os.truncate(path, 0)


def cut_off(path: str, size: int) -> None:
    """Truncate a file, durably; to size 0, remove it."""
    with translated(path, "write"):
        if not size:
            os.unlink(path)
            return
        handle = os.open(path, os.O_WRONLY | SAFELY)
        try:
            os.ftruncate(handle, size)
            os.fsync(handle)
        finally:
            os.close(handle)


def _cut_back(handle: int, before: int, after: int) -> bool:
    if os.fstat(handle).st_size != after:
        return False
    os.ftruncate(handle, before)
    with contextlib.suppress(OSError):
        os.fsync(handle)  # a disk that refused already may refuse this as well
    return True


def replace(
    path: str,
    data: bytes,
    modes: Modes = PRIVATE,
    *,
    expected: Stamp | None = None,
    folder: str = "",
) -> None:
    """Replace a file, durably: readers see the old or the new content.

    With `expected`, the file must still have that stamp just before. `folder` is where the
    temporary file is, if not beside it: leftovers are removed there.

    Raises:
        ConflictError: the file changed meanwhile; nothing was written.
    """
    beside = os.path.join(folder, os.path.basename(path)) if folder else ""
    replace_raw(path, modes.sealed(path, data), modes, expected=expected, beside=beside)


def replace_raw(
    path: str, data: bytes, modes: Modes, *, expected: Stamp | None = None, beside: str = ""
) -> None:
    """Like `replace`, with bytes that are encrypted already, or stay plain.

    `beside` is the path that the name of the temporary file begins with, if not this one.
    """
    temporary = f"{beside or path}{_TEMPORARY}{os.getpid()}"
    with translated(path, "write"):
        try:
            _put(path, data, temporary, _mode_of(path, modes.file), expected)
        except FileNotFoundError:  # without the lock, `remove_leftovers` may take the new file away
            _put(path, data, temporary, _mode_of(path, modes.file), expected)
        _sync_folder(os.path.dirname(path))


def _put(path: str, data: bytes, temporary: str, mode: int, expected: Stamp | None) -> None:
    try:
        _write_new(temporary, data, mode)
        if expected is not None:
            check_unchanged(path, expected)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_numbered(stem: str, ending: str, data: bytes, modes: Modes = PRIVATE) -> str:
    """Write a new file `STEM-1ENDING`, or with the next free number, and return its path."""
    make_folder(os.path.dirname(stem), modes)
    number = 1
    while os.path.lexists(path := f"{stem}-{number}{ending}"):
        number += 1
    replace(path, data, modes)
    return path


def rename(path: str, target: str) -> None:
    """Rename a file within its folder, durably."""
    with translated(path, "rename"):
        os.replace(path, target)
        _sync_folder(os.path.dirname(path))


def check_unchanged(path: str, expected: Stamp) -> None:
    """Raise ConflictError if a file no longer has this stamp."""
    if stamp(path) != expected:
        raise ConflictError("{!r} changed meanwhile", path, hint="run the command again")


def _write_new(path: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | SAFELY
    handle = os.open(path, flags, mode)
    try:
        _set_mode(handle, mode)
        with open(handle, "wb", closefd=False) as file:
            file.write(data)
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_mode(handle: int, mode: int) -> None:
    if hasattr(os, "fchmod"):  # pragma: no branch  # Windows has none
        os.fchmod(handle, mode)


def _mode_of(path: str, default: int) -> int:
    """Return the mode of an existing file, which a person may have chosen."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return default


def remove(path: str) -> None:
    """Remove a file, if it is there."""
    with translated(path, "delete"), contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def remove_leftovers(folder: str, *, older_than_s: float = 0, of: str = "") -> None:
    """Remove half-written files of killed processes. Call it with the lock held.

    `older_than_s` spares the files of those who write without the lock. `of` is the name of the
    only file meant.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_wanted = is_leftover(entry.name) and entry.name.startswith(of)
            if is_wanted and entry.is_file(follow_symlinks=False):
                modified = entry.stat(follow_symlinks=False).st_mtime
                if not older_than_s or modified + older_than_s < time.time():
                    os.unlink(entry.path)


def is_leftover(name: str) -> bool:
    """Tell whether a name is that of a half-written file."""
    _, mark, process = name.rpartition(_TEMPORARY)
    return bool(mark) and process.isdigit()


def _sync_folder(path: str) -> None:
    """Make a new name durable, so that no power cut loses it."""
    if os.name == "nt":  # a folder can't be opened there
        return
    handle = os.open(path or ".", os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def translated(path: str, action: str) -> Iterator[None]:
    """Convert errors of the system to ours."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError("no file {!r}", path) from error
    except OSError as error:
        raise refused(path, action, error) from error


def refused(path: str, action: str, error: OSError) -> BackendError:
    """Return our error for an error of the system."""
    reason = (error.strerror or str(error)).lower()
    return BackendError("can't {} {!r}: {}", action, path, reason, hint=_hint(error))


def _hint(error: OSError) -> str:
    import errno  # only when something failed

    hints = {
        errno.ENOSPC: "free some space on that disk and run the command again",
        errno.EACCES: "check who owns the file and its folder, and who may write there",
        errno.EPERM: "check who owns the file and its folder, and who may write there",
        errno.EROFS: "the disk is mounted read-only",
        errno.ELOOP: "it is a symbolic link; put a regular file in its place",
    }
    return hints.get(error.errno or 0, "run `memory doctor`")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO
