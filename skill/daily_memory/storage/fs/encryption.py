"""Encryption of our files in the format of age: whole files, or lines where hooks append.

The first bytes of a file say that it is encrypted; its name stays. Plain and encrypted files may
be mixed.
"""

from __future__ import annotations

import base64
import binascii
import os
from typing import Any

from daily_memory.errors import DamagedDataError, LockedError
from daily_memory.storage import keys, roots
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import SEALED_LINE
from daily_memory.storage.signatures import SignedModes

# Read before there is a key, or by git; they have no memory text.
PLAIN_NAMES = frozenset(
    {
        "config.json",
        ".gitignore",
        ".gitattributes",
        ".gitkeep",
        ".lock",
        ".lock-held",
        ".lock-embedding",
        ".lock-team",
        "hook.log",
        "project-id",
        "projects.json",
        "http-token",
        "mcp-tokens.json",
        "mcp-audit.jsonl",
        ".signature",
        "git-index",
        "sync.json",
    }
)


class Sealed(SignedModes):
    """Encrypts files for the user's recipients; this needs no key."""

    is_sealed = True

    def __init__(self, home: str, *, shared: bool = False) -> None:
        super().__init__(home, shared=shared)
        self._ring: keys.Ring | None = None
        self._recipients: list[object] = []
        self._stamp = files.NO_STAMP

    def sealed(self, path: str, data: bytes) -> bytes:
        if os.path.basename(path) in PLAIN_NAMES:
            return data
        if files.is_by_line(path):
            return seal_lines(data, self._all())
        return seal(data, self._all())

    def ring(self) -> keys.Ring:
        self._ring = self._ring or ring_of(self.home)
        return self._ring

    def _all(self) -> list[object]:
        found = self.ring()
        # A server must see that the key was changed.
        stamp = files.stamp(found.recipients_file)
        if stamp != self._stamp or not self._recipients:
            names = keys.load_recipients(found)
            if not names:
                raise LockedError(
                    "the memory is to be encrypted, and {!r} names nobody",
                    found.recipients_file,
                    hint="`memory encrypt` makes a key; `memory decrypt` turns encryption off",
                )
            self._recipients, self._stamp = keys.parse_recipients(names), stamp
        return self._recipients


def ring_of(home: str) -> keys.Ring:
    holder = files.key_holders.get(home) or _NOBODY
    stamp = files.stamp(roots.global_root(home).config)
    known = _rings.get(home)
    # Asked for at each file that is read: the settings are parsed when they changed.
    if known is None or known[0] is not holder or known[1] != stamp:
        known = _rings[home] = holder, stamp, keys.ring(home, holder.environment, holder.ask)
    return known[2]


_NOBODY = files.KeyHolder(os.environ)
_rings: dict[str, tuple[files.KeyHolder, files.Stamp, keys.Ring]] = {}


def seal(data: bytes, recipients: list[object]) -> bytes:
    """Return bytes encrypted for these recipients; encrypted bytes stay unchanged."""
    if files.is_sealed(data):
        return data
    return bytes(keys.age().encrypt(data, recipients))


def seal_lines(data: bytes, recipients: list[object]) -> bytes:
    """Return lines, each encrypted separately, as base64."""
    lines = data.split(b"\n")
    return b"\n".join(
        base64.b64encode(keys.age().encrypt(line, recipients))
        if line.strip() and not line.startswith(SEALED_LINE)
        else line
        for line in lines
    )


def open_file(path: str, data: bytes) -> bytes:
    """Return the decrypted bytes of a file, encrypted as a whole or by line."""
    if not files.is_sealed(data):
        return _open_lines(path, data)
    opened = _open(data, _identities())
    if opened is None:
        raise _damaged(path)
    return opened


def _open_lines(path: str, data: bytes) -> bytes:
    # A line that can't be opened stays as it is: it must not hide the others.
    identities = _identities()
    lines, sealed, good = data.split(b"\n"), 0, 0
    for place, line in enumerate(lines):
        if line.startswith(SEALED_LINE):
            sealed += 1
            opened = open_line(line, identities)
            if opened is not None:
                good += 1
                lines[place] = opened
    if sealed and not good:
        raise _damaged(path)
    return b"\n".join(lines)


def open_line(line: bytes, identities: list[Any]) -> bytes | None:
    """Return a decrypted line, None if it can't be decrypted."""
    try:
        data = base64.b64decode(line)
    except binascii.Error:
        return None
    # Only the canonical base64 is accepted.
    if base64.b64encode(data) != line:
        return None
    opened = _open(data, identities)
    return None if opened is None or b"\n" in opened else opened


def is_for(path: str, data: bytes, identities: list[Any]) -> bool:
    """Tell whether everything in a file is encrypted, for exactly these keys."""
    if files.is_by_line(path):
        lines = [line for line in data.split(b"\n") if line.strip()]
        return all(open_line(line, identities) is not None for line in lines)
    return _open(data, identities) is not None


def _open(data: bytes, identities: list[Any]) -> bytes | None:
    library = keys.age()
    try:
        return bytes(library.decrypt(data, identities))
    except (library.DecryptError, ValueError):
        return None


def _identities() -> list[Any]:
    """Return the keys of all users of this process, the latest first."""
    found: list[Any] = []
    locked: LockedError | None = None
    for home in reversed(files.key_holders):
        ring = ring_of(home)
        try:
            found += keys.load_identities(ring)
        except LockedError as error:
            # Prefer the error of a user who has a key.
            locked = error if locked is None or keys.has_key(ring) else locked
    if not found:
        raise locked or LockedError("a file is encrypted, and nobody's key was named")
    return found


def _damaged(path: str) -> DamagedDataError:
    hint = "take it from a backup, or put the key back that it was written with"
    return DamagedDataError("{!r} is damaged, or encrypted for another key", path, hint=hint)
