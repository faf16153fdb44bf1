"""The user's sync key: it signs what the user's machines sync, and hides the hashes in it.

Each machine of the user has the same key, which the user brings from one to the other.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import re
from _blake2 import blake2b

from daily_memory.errors import ConflictError, DamagedDataError, InvalidInputError
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.text import filled

_KEY_BYTES = 32
_CHECK_CHARS = 4
_PREFIX = "memory-sync-"
_HASH = re.compile(r"(?:[0-9a-f]{2}){1,64}\Z")


def key_path(home: str) -> str:
    return os.path.join(home, ".config", "daily-memory", "sync-key")


def find(home: str) -> bytes:
    """Return the user's key, b"" if this machine has none."""
    data = files.find_raw(key_path(home))
    if data is None:
        return b""
    with contextlib.suppress(InvalidInputError):
        return parse_key(data.decode("ascii", "replace"))
    hint = "take it from another machine: `memory sync --show-key`"
    raise DamagedDataError("{!r} is not a sync key", key_path(home), hint=hint)


def new() -> bytes:
    return os.urandom(_KEY_BYTES)


def store(home: str, key: bytes) -> None:
    path, own = key_path(home), find(home)
    if own and own != key:
        hint = filled("to use the other one, remove {!r} first; what is synced stays", path)
        raise ConflictError("this machine has another sync key", hint=hint)
    files.make_folder(os.path.dirname(path))
    files.replace(path, f"{format_key(key)}\n".encode())


def format_key(key: bytes) -> str:
    """Return a key as text, with four check digits."""
    return f"{_PREFIX}{key.hex()}{_check(key)}"


def parse_key(text: str) -> bytes:
    digits = "".join(text.split()).removeprefix(_PREFIX)
    with contextlib.suppress(ValueError):
        key = bytes.fromhex(digits[:-_CHECK_CHARS])
        if len(key) == _KEY_BYTES and digits[-_CHECK_CHARS:] == _check(key):
            return key
    hint = filled(
        "it begins with {!r}; `memory sync --show-key` on the other machine prints it", _PREFIX
    )
    raise InvalidInputError("this is not a complete sync key", hint=hint)


def _check(key: bytes) -> str:
    return blake2b(key, digest_size=_CHECK_CHARS // 2, person=b"check").hexdigest()


def name_of(key: bytes) -> str:
    """Return a public name of the key, from which it can't be computed."""
    return _keyed(key, "name", b"", 8).hex()


def sign(key: bytes, data: bytes) -> str:
    """Return the signature of some bytes."""
    return _keyed(key, "sign", data, 32).hex()


def is_signed(key: bytes, data: bytes, signature: str) -> bool:
    return hmac.compare_digest(sign(key, data).encode(), signature.encode())


def hide_hashes(key: bytes, entry: Deleted) -> Deleted:
    """Return a deletion with its hashes hidden, or a hidden one as it was: the same XOR does both.

    A hash of a short text would let others check guesses of the text.
    """

    def veil(value: str, place: int) -> str:
        if not _HASH.match(value):
            return ""
        data = bytes.fromhex(value)
        pad = _keyed(key, "hash", f"{entry.at} {entry.id} {place}".encode(), len(data))
        return bytes(a ^ b for a, b in zip(data, pad, strict=True)).hex()

    digests = (veil(value, place) for place, value in enumerate(entry.digests, 1))
    return entry._replace(
        conversation=veil(entry.conversation, 0), digests=tuple(filter(None, digests))
    )


def _keyed(key: bytes, purpose: str, data: bytes, size: int) -> bytes:
    return blake2b(data, key=key, digest_size=size, person=purpose.encode()).digest()
