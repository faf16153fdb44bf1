"""The user's keys for encryption.

They are in the user's own folder, never in a project: whoever wrote a repository must not choose
for whom we encrypt, or which command asks for a passphrase. The key file is one of age, with or
without a passphrase; `recipients.txt` beside it has the public half, enough to write.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from daily_memory.errors import BackendError, DailyMemoryError, InvalidInputError, LockedError
from daily_memory.storage import settings_file
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import NO_STAMP, Stamp
from daily_memory.storage.roots import global_root
from daily_memory.text import filled

if TYPE_CHECKING:
    from pyrage import x25519

# A hook must not wait for a program that prompts.
_COMMAND_LIMIT_S = 10.0
_PASSPHRASE = "MEMORY_PASSPHRASE"  # noqa: S105  # the name of a variable
_MOST_TRIES = 3


class Ring(NamedTuple):
    """Where a user's keys are, and how to get the passphrase."""

    key_file: str
    recipients_file: str
    command: str
    environment: Mapping[str, str]
    ask: Callable[[], str] | None = None


def ring(home: str, environment: Mapping[str, str], ask: Callable[[], str] | None = None) -> Ring:
    """Return the key ring of the user with this home, from the user's settings."""
    storage = settings_file.load_settings(global_root(home)).settings.storage
    folder = environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    folder = os.path.join(folder, "daily-memory")
    named = storage.key_file
    if named.startswith("~/"):
        named = os.path.join(home, named[2:])
    key_file = os.path.realpath(named or os.path.join(folder, "key.txt"))
    recipients = os.path.realpath(os.path.join(folder, "recipients.txt"))
    return Ring(key_file, recipients, storage.passphrase_command, environment, ask)


def age() -> Any:
    try:
        import pyrage  # an extra
    except ModuleNotFoundError as error:
        from daily_memory.installation import install_command  # only to say what to run

        message = "the package 'pyrage' is missing, which encryption needs"
        raise BackendError(message, hint=filled("run: {}", install_command("crypto"))) from error
    return pyrage


def load_recipients(ring: Ring) -> tuple[str, ...]:
    """Return the recipients to encrypt for, the user first; none before a key exists."""
    data = _read(ring.recipients_file) or b""
    lines = (line.strip() for line in files.to_text(data).split("\n"))
    return tuple(line for line in lines if line and not line.startswith("#"))


def parse_recipients(names: Iterable[str]) -> list[object]:
    """Return public keys (`age1…`) as the library takes them."""
    library = age()
    parsed = []
    for name in names:
        try:
            parsed.append(library.x25519.Recipient.from_str(name))
        except library.RecipientError as error:
            hint = "it begins with age1; `age-keygen -y KEYFILE` prints it"
            raise InvalidInputError("{!r} is not an age public key", name, hint=hint) from error
    return parsed


def store_recipients(ring: Ring, names: Iterable[str]) -> None:
    lines = "".join(f"{name}\n" for name in names)
    text = f"# Daily Memory encrypts for these; `age -R` takes this file too.\n{lines}"
    files.make_folder(os.path.dirname(ring.recipients_file))
    files.replace(ring.recipients_file, text.encode())


def has_key(ring: Ring) -> bool:
    return os.path.exists(ring.key_file)


def is_protected(ring: Ring) -> bool:
    return files.is_sealed(_read(ring.key_file) or b"")


class OpenedKey(NamedTuple):
    """The user's decrypted key file: its keys, newest first, its text and its passphrase."""

    identities: tuple[Any, ...] = ()
    text: str = ""
    passphrase: str = ""
    error: LockedError | None = None


# By path, with the state in which the file was opened.
_opened: dict[str, tuple[tuple[Stamp, str], OpenedKey]] = {}


def load_key(ring: Ring) -> OpenedKey:
    """Return the decrypted key file, decrypted once per process."""
    state, opened = _opened.get(ring.key_file, (None, OpenedKey()))
    # A wrong passphrase is not tried again at each of a thousand files, but a user is asked again.
    if state != _state(ring) or (opened.error and ring.ask):
        try:
            opened = _open(ring)
        except LockedError as error:
            opened = OpenedKey(error=error)
        _opened[ring.key_file] = _state(ring), opened
    if opened.error:
        raise LockedError(opened.error.message, hint=opened.error.hint)
    return opened


def load_identities(ring: Ring) -> tuple[x25519.Identity, ...]:
    """Return the secret keys, newest first; see `load_key`."""
    return load_key(ring).identities


def forget_opened() -> None:
    _opened.clear()


def _state(ring: Ring) -> tuple[Stamp, str]:
    return files.stamp(ring.key_file), ring.environment.get(_PASSPHRASE, "")


def _open(ring: Ring) -> OpenedKey:
    data, passphrase = _read(ring.key_file), ""
    if data is None:
        message = filled("the memory is encrypted, and there is no key at {!r}", ring.key_file)
        hint = "put your copy of it there; without it nobody can read this memory"
        raise LockedError(message, hint=hint)
    if files.is_sealed(data):
        data, passphrase = _unprotected(ring, data)
    text = files.to_text(data)
    return OpenedKey(tuple(_parse_identities(text, ring.key_file)), text, passphrase)


def _unprotected(ring: Ring, data: bytes) -> tuple[bytes, str]:
    """Return the decrypted bytes of a key file, and its passphrase."""
    given = ring.environment.get(_PASSPHRASE, "") or _by_command(ring.command)
    ask = ring.ask
    if not given and ask is None:
        raise LockedError(
            "the memory is encrypted, and its key {!r} needs a passphrase",
            ring.key_file,
            hint=filled(
                "run it in a terminal, or set {} or storage.passphrase_command", _PASSPHRASE
            ),
        )
    for passphrase in (ask() for _ in range(_MOST_TRIES)) if ask and not given else (given,):
        with contextlib.suppress(age().DecryptError):
            return bytes(age().passphrase.decrypt(data, passphrase)), passphrase
    hint = "it is another one, or the file is damaged: take your copy of it"
    raise LockedError("the passphrase does not open the key {!r}", ring.key_file, hint=hint)


def _by_command(command: str) -> str:
    """Return the first line that the user's command prints; it runs without shell and input."""
    if not command:
        return ""
    import shlex
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603  # the user's own setting names it
            shlex.split(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_COMMAND_LIMIT_S,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        # Its output is not shown, as it may be the passphrase.
        message = filled("storage.passphrase_command gave no passphrase ({})", type(error).__name__)
        hint = "it must print the passphrase within 10 s, and ask nobody"
        raise LockedError(message, hint=hint) from error
    return files.to_text(done.stdout).partition("\n")[0].rstrip("\r")


def _parse_identities(text: str, path: str) -> list[x25519.Identity]:
    library = age()
    lines = [line.strip() for line in text.split("\n")]
    names = [line for line in lines if line and not line.startswith("#")]
    try:
        identities = [library.x25519.Identity.from_str(name) for name in names]
    except library.IdentityError as error:
        raise LockedError("the key {!r} is damaged", path, hint="take your copy of it") from error
    if not identities:
        raise LockedError("there is no key in {!r}", path, hint="take your copy of it")
    return identities


def make_identity() -> x25519.Identity:
    return age().x25519.Identity.generate()


def store_identities(
    ring: Ring,
    identities: Sequence[x25519.Identity],
    today: date,
    passphrase: str = "",
    mark: str = "",
) -> None:
    """Write the key file, newest key first, protected by the passphrase if there is one.

    `mark` is a comment on the older keys.
    """
    parts = [f"# public key: {identity.to_public()}\n{identity}\n" for identity in identities]
    older = f"{mark}\n".join(["", *parts[1:]])
    text = f"# created: {today}, by Daily Memory\n{parts[0]}{older}"
    data = text.encode()
    if passphrase:
        data = bytes(age().passphrase.encrypt(data, passphrase))
    files.make_folder(os.path.dirname(ring.key_file))
    files.replace(ring.key_file, data)
    _opened[ring.key_file] = _state(ring), OpenedKey(tuple(identities), text, passphrase)


def keep_copy(ring: Ring, today: date) -> str:
    """Copy the key file beside itself, and return the copy's path."""
    return files.write_numbered(f"{ring.key_file}.old-{today}", "", files.read_raw(ring.key_file))


def remove_leftovers(ring: Ring) -> None:
    for path in (ring.key_file, ring.recipients_file):
        folder, own = os.path.split(path)
        files.remove_leftovers(folder, of=own)


def _read(path: str) -> bytes | None:
    if files.stamp(path) == NO_STAMP:
        return None
    try:
        return files.read_raw(path)
    except DailyMemoryError as error:
        raise LockedError(error.message, hint=error.hint) from error


def is_seen_by_others(ring: Ring) -> bool:
    """Tell whether other users may read the key file."""
    with contextlib.suppress(OSError):
        return os.name != "nt" and bool(os.stat(ring.key_file).st_mode & 0o077)
    return False
