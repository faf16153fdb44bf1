"""Zip files: made the same from the same files, and read with distrust.

A zip may come from anywhere. Everything that it claims is checked before a byte is unpacked, and
nothing is ever unpacked to a place that its names choose: what comes out is a table of bytes.
"""

from __future__ import annotations

import io
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Mapping

from daily_memory.core.progress import with_progress
from daily_memory.errors import InvalidInputError
from daily_memory.text import filled

# Beyond these it is no memory: one of ten years has some 4,000 days and 200 MB.
MOST_FILES = 50_000
MOST_BYTES = 500_000_000
MOST_FILE_BYTES = 100_000_000
# Text shrinks to a tenth, logs to a thirtieth. Small files may be all blanks.
MOST_RATIO = 50
_RATIO_FREE_BYTES = 10_000_000

# The earliest time that a zip can have, so that equal contents give equal zips.
_MOMENT = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_ENCRYPTED = 0x1
_DRIVE = re.compile(r"^[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PACKED = re.compile(r"\.(?:zip|tar|tgz|tbz2?|txz|7z|rar|jar)\Z", re.IGNORECASE)


def pack(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a zip of named bytes; the same members always give the same zip."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in with_progress(sorted(members)):
            info = zipfile.ZipInfo(name, _MOMENT)
            info.create_system = _UNIX
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o600) << 16
            archive.writestr(info, data, compresslevel=9)
    return made.getvalue()


def is_zip(data: bytes) -> bool:
    """Tell whether bytes are a zip, perhaps an empty one."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def unpack(data: bytes, path: str) -> Mapping[str, bytes]:
    """Return the files in a zip by name, with slashes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                _check_member(info, path)
            members = [info for info in archive.infolist() if not _slashed(info).endswith("/")]
            _check_sizes(members, len(data), path)
            return {_slashed(info): _read(archive, info, path) for info in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError) as error:
        hint = "copy or download it again"
        raise InvalidInputError("{!r} is not a complete zip file", path, hint=hint) from error
    except (NotImplementedError, RuntimeError) as error:
        hint = "unpack it with the program that made it, and import the folder"
        message = filled("{!r} uses a compression that is not supported", path)
        raise InvalidInputError(message, hint=hint) from error


def _slashed(info: zipfile.ZipInfo) -> str:
    r"""Return a member's name with slashes; old Windows programs write `\`."""
    return info.filename.replace("\\", "/")


def _check_member(info: zipfile.ZipInfo, path: str) -> None:
    # `filename` was cut at a NUL.
    name = info.orig_filename
    parts = name.replace("\\", "/").removesuffix("/").split("/")
    if (
        _CONTROL.search(name)
        or _DRIVE.match(name)
        or any(part in ("", ".", "..") for part in parts)
    ):
        raise _refused(path, name, "has a name that leads elsewhere")
    kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == _UNIX else 0
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refused(path, name, "is a link or no regular file")
    if info.flag_bits & _ENCRYPTED:
        hint = "unpack it with its password, and import the folder"
        raise InvalidInputError("{!r} is encrypted", path, hint=hint)
    if _PACKED.search(name):
        raise _refused(path, name, "is a packed file itself")


def _check_sizes(members: list[zipfile.ZipInfo], packed: int, path: str) -> None:
    total = sum(info.file_size for info in members)
    names = {unicodedata.normalize("NFC", _slashed(info)).casefold() for info in members}
    if len(members) > MOST_FILES:
        message = filled("{!r} holds {} files; at most {} are read", path, len(members), MOST_FILES)
        hint = "unpack it yourself if you trust it, and import the folder"
        raise InvalidInputError(message, hint=hint)
    if len(names) < len(members):
        raise InvalidInputError("{!r} holds two files of one name", path, hint="remove one of them")
    largest = max((info.file_size for info in members), default=0)
    if total > MOST_BYTES or largest > MOST_FILE_BYTES:
        raise InvalidInputError(
            "{!r} would be too large: {} bytes, the largest file {}",
            path,
            total,
            largest,
            hint="unpack it yourself if you trust it, and import the folder",
        )
    if total > max(_RATIO_FREE_BYTES, MOST_RATIO * packed):
        message = filled("{!r} would grow to {} times its size", path, total // max(packed, 1))
        hint = "unpack it yourself if you trust it, and import the folder"
        raise InvalidInputError(message, hint=hint)


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str) -> bytes:
    data = archive.read(info)  # no more than `file_size`, whatever is packed; the checksum tells
    if is_zip(data):
        raise _refused(path, info.filename, "is a packed file itself")
    return data


def _refused(path: str, name: str, reason: str) -> InvalidInputError:
    told = name if len(name) <= 80 else f"{name[:80]}…"
    return InvalidInputError("{!r}: {!r} {}", path, told, reason, hint="nothing was imported")
