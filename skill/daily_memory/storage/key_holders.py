"""Registers the users whose keys open encrypted files.

`fs.files` reads every file and knows nothing of keys; encryption is loaded at the first encrypted
file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from daily_memory.storage.fs import files


def register(
    home: str, environment: Mapping[str, str], ask: Callable[[], str] | None = None
) -> None:
    """Let the keys of the user with this home decrypt files; `ask` asks for the passphrase."""
    files.key_holders[home] = files.KeyHolder(environment, ask)
    files.opener = _open


def _open(path: str, data: bytes) -> bytes:
    from daily_memory.storage.fs import encryption  # loads pyrage; plain memories need none of it

    return encryption.open_file(path, data)
