"""`memory.encryption`: turn encryption on and off, change the key, read an encrypted day.

Each file is replaced in one step. After a crash, run the command again: it continues.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.progress import with_progress
from daily_memory.errors import (
    ConflictError,
    DailyMemoryError,
    DamagedDataError,
    InvalidInputError,
    LockedError,
    NotFoundError,
)
from daily_memory.model import Problem
from daily_memory.services import MemoryPart
from daily_memory.services.setup import config
from daily_memory.storage import days, encrypted_roots, keys, settings_file
from daily_memory.storage.fs import encryption, files, replace
from daily_memory.storage.fs.files import Modes
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.git import authors
from daily_memory.storage.index import indexer
from daily_memory.storage.keys import Ring
from daily_memory.storage.roots import Root
from daily_memory.text import filled

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}.*\.md\Z")
# How often to look for files that were written meanwhile.
_MOST_PASSES = 5
# An older temporary file was left by a process that is gone.
_IDLE_S = 3600.0
_BEING_REPLACED = "# being replaced by the key above; `memory rekey` goes on"


class EncryptionPlan(NamedTuple):
    """The files of a root, grouped by what is done with them."""

    root: Root
    change: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


class Result(NamedTuple):
    """What was done to a root; `failed` are the files that could not be read."""

    root: Root
    changed: int = 0
    kept: int = 0
    removed: tuple[str, ...] = ()
    failed: tuple[Problem, ...] = ()


class KeyInfo(NamedTuple):
    """What may be shown of the user's key. `copy` is the backup of an earlier one."""

    path: str
    recipient: str
    is_protected: bool
    is_new: bool = False
    copy: str = ""


class Encryption(MemoryPart):
    """The encryption of the memory that a save goes to, and of all others for a new key."""

    def is_on(self, scope: str = "") -> bool:
        """Tell whether anything that `export` takes of this scope is encrypted."""
        return any(root.modes.is_sealed for root in self._workspace.export_roots(scope))

    def plan(self, action: str, *, scope: str = "") -> list[EncryptionPlan]:
        """Return which files `encrypt`, `decrypt` or `rekey` would change, and change nothing."""
        if action == "rekey":
            return [
                plan(root, (lambda *_: False) if root.modes.is_sealed else is_plain)
                for root in self._encrypted_roots()
            ]
        is_done = is_encrypted if action == "encrypt" else is_plain
        return [plan(self._workspace.save_root(scope), is_done)]

    def encrypt(
        self, *, scope: str = "", passphrase: str = "", recipients: Sequence[str] = ()
    ) -> tuple[KeyInfo, Result]:
        """Turn encryption on for a memory, and encrypt its files. Safe to repeat.

        The user's key is made if there is none; without it nobody can read what is encrypted.
        `passphrase` protects it. `recipients` are further public keys, `age1…`, that can read.
        """
        workspace = self._workspace
        root, home = workspace.save_root(scope), workspace.home
        key = self._ready_key(passphrase, recipients)
        keys.load_identities(encryption.ring_of(home))  # without a usable key text would be lost
        encrypted_roots.note(home, root, by_user=True)
        # The setting comes first, so that other processes encrypt from now on.
        self._configure(root, "age")
        # An encrypted memory is not synced, and git would keep its text in the clear.
        shutil.rmtree(root.in_index("sync.git"), ignore_errors=True)
        result = _converted(self._sealed(root), is_encrypted)
        workspace.reload_settings()
        workspace.after_write(root)
        return key, result

    def decrypt(self, *, scope: str = "") -> Result:
        """Turn encryption off for a memory, and decrypt its files. The key stays."""
        workspace = self._workspace
        root = workspace.save_root(scope)
        change = plan(root, is_plain).change
        if change:
            ring = encryption.ring_of(workspace.home)
            keys.load_identities(ring)
            # With the wrong key the files would stay encrypted, and new ones would be plain.
            if not any(_opens(os.path.join(root.path, name)) for name in change):
                raise LockedError(
                    "the key {!r} opens nothing of this memory; nothing was changed",
                    ring.key_file,
                    hint="put your copy of the right one there",
                )
        self._configure(root, "none")
        encrypted_roots.forget(workspace.home, root)
        plain = root._replace(modes=Modes(shared=root.modes.file != 0o600))
        result = _converted(plain, is_plain)
        workspace.reload_settings()
        return result

    def rekey(
        self, *, passphrase: str = "", recipients: Sequence[str] = ()
    ) -> tuple[KeyInfo, list[Result]]:
        """Make a new key, and encrypt all memories that the old one opens for it. Safe to repeat.

        The old key stays until every file has the new one, and a copy of it stays beside it.
        `passphrase` protects the new key; without it, the old passphrase does.
        """
        key = self._add_key(passphrase, recipients)
        newest = [keys.load_identities(encryption.ring_of(self._workspace.home))[0]]

        def is_done(path: str, data: bytes) -> bool:
            return is_encrypted(path, data) and encryption.is_for(path, data, newest)

        def is_plain_or_done(path: str, data: bytes) -> bool:
            return is_plain(path, data) or is_done(path, data)

        results = [
            _converted(self._sealed(root), is_done if root.modes.is_sealed else is_plain_or_done)
            for root in self._encrypted_roots()
        ]
        if not any(result.failed for result in results):
            with self._locked_ring() as ring:
                old = keys.load_key(ring)
                today = self._workspace.today()
                keys.store_identities(ring, old.identities[:1], today, old.passphrase)
        return key, results

    def open_key(self) -> None:
        """Open the key now if a memory is encrypted: a server can't stop and ask for it."""
        self._workspace.open_key(self._workspace.search_roots())

    def unlock(self, day: date, *, scope: str = "") -> bytes:
        """Return the file of a day in the clear."""
        path = days.day_path(self._workspace.save_root(scope), day)
        data = files.find_bytes(path)
        if data is None:
            hint = "`memory list` shows the days that there are"
            raise NotFoundError("no file {!r}", path, hint=hint)
        return data

    def keep_text(self, root: Root, name: str, text: bytes) -> str:
        """Store a text that could not be used below `index/kept`, and return its path."""
        return files.write_numbered(
            os.path.join(root.in_index("kept"), name), ".md", text, root.modes
        )

    def others_in_clear(self) -> list[Root]:
        """Return the memories on this machine that are not encrypted."""
        return [root for root in self._workspace.search_roots("all") if not root.modes.is_sealed]

    def has_history(self, root: Root) -> bool:
        """Tell whether git may have the files of a memory as they were before."""
        return authors.has_repository(root.path)

    def _encrypted_roots(self) -> list[Root]:
        workspace = self._workspace
        roots = {root.path: root for root in workspace.search_roots("all")}
        for own in workspace.own_roots:
            if os.path.isdir(own.path):
                roots.setdefault(own.path, workspace.ready(own))
        return [
            root for root in roots.values() if root.modes.is_sealed or plan(root, is_plain).change
        ]

    def _ready_key(self, passphrase: str, extra: Sequence[str]) -> KeyInfo:
        """Return the user's key, made if there is none, and store the recipients."""
        keys.parse_recipients(extra)
        with self._locked_ring() as ring:
            today, is_new = self._workspace.today(), not keys.has_key(ring)
            if is_new:
                if keys.load_recipients(ring):
                    # Memories were encrypted for a missing key, which a new one can't replace.
                    keys.load_key(ring)
                keys.store_identities(ring, [keys.make_identity()], today, passphrase)
            elif passphrase and keys.is_protected(ring):
                hint = "`memory rekey` gives another one"
                raise InvalidInputError("the key {!r} has a passphrase", ring.key_file, hint=hint)
            elif passphrase:
                keys.store_identities(ring, keys.load_identities(ring), today, passphrase)
            own_name = str(keys.load_identities(ring)[0].to_public())
            others = [item for item in (*keys.load_recipients(ring), *extra) if item != own_name]
            wanted = tuple(dict.fromkeys((own_name, *others)))
            if wanted != keys.load_recipients(ring):
                keys.store_recipients(ring, wanted)
            return KeyInfo(ring.key_file, own_name, keys.is_protected(ring), is_new)

    def _add_key(self, passphrase: str, extra: Sequence[str]) -> KeyInfo:
        """Add a new key before the current one; from now on files are encrypted for the new key.

        An interrupted rekey continues with its key.
        """
        keys.parse_recipients(extra)
        with self._locked_ring() as ring:
            key, today = keys.load_key(ring), self._workspace.today()
            old, copy = key.identities, ""
            passphrase = passphrase or key.passphrase
            if _BEING_REPLACED not in key.text:
                copy = keys.keep_copy(ring, today)
                old = (keys.make_identity(), *old)
                keys.store_identities(ring, old, today, passphrase, mark=_BEING_REPLACED)
            newest = str(old[0].to_public())
            retired = {str(item.to_public()) for item in old}
            others = [item for item in (*keys.load_recipients(ring), *extra) if item not in retired]
            keys.store_recipients(ring, dict.fromkeys((newest, *others)))
            return KeyInfo(ring.key_file, newest, bool(passphrase), is_new=True, copy=copy)

    @contextlib.contextmanager
    def _locked_ring(self) -> Iterator[Ring]:
        """Hold the lock of the global root: of two keys made at once, one would be lost."""
        ring = self._workspace.key_ring()
        with locked(self._workspace.global_root):
            keys.remove_leftovers(ring)
            yield ring

    def _configure(self, root: Root, value: str) -> None:
        """Set `storage.encryption` in the root's own file."""
        own = self._workspace.global_root
        config.change(root, own, "storage.encryption", value)
        if value != "none" and settings_file.load_settings(own, root).settings.mirror.enabled:
            config.change(root, own, "mirror.enabled", value=False)

    def _sealed(self, root: Root) -> Root:
        is_shared = root.modes.file != 0o600
        return root._replace(modes=encryption.Sealed(self._workspace.home, shared=is_shared))


def _names(root: Root) -> list[str]:
    """Return the files of a root to encrypt, without databases and links, by name."""
    paths = []
    for folder in ("daily", "observations", "archive", "index"):
        for parent, below, names in os.walk(os.path.join(root.path, folder)):
            links = {item for item in below if os.path.islink(os.path.join(parent, item))}
            below[:] = [item for item in below if item not in links | {"sync.git"}]
            for name in names:
                if folder != "daily" or parent != root.daily_folder or _DAY.match(name):
                    paths.append(os.path.relpath(os.path.join(parent, name), root.path))
    paths.append("summary.md")
    return sorted(name for name in paths if _is_ours(root, name))


def _is_ours(root: Root, name: str) -> bool:
    path = os.path.join(root.path, name)
    base = os.path.basename(name)
    if base in encryption.PLAIN_NAMES or ".sqlite3" in base or files.is_leftover(base):
        return False
    return os.path.isfile(path) and not os.path.islink(path) and files.stamp(path)[0] > 0


def _databases(root: Root) -> tuple[str, ...]:
    """Return the SQLite files of a root, which are removed since they can't be encrypted."""
    names = files.list_names(root.index_folder)
    return tuple(f"index/{name}" for name in names if ".sqlite3" in name)


def plan(root: Root, is_done: Callable[[str, bytes], bool]) -> EncryptionPlan:
    """Return which files to change; `is_done` tells whether a file can stay as it is."""
    change: list[str] = []
    keep: list[str] = []
    for name in _names(root):
        path = os.path.join(root.path, name)
        (keep if is_done(path, files.read_raw(path)) else change).append(name)
    return EncryptionPlan(root, tuple(change), tuple(keep), _databases(root))


def is_encrypted(path: str, data: bytes) -> bool:
    """Tell whether all of a file is encrypted."""
    if files.is_by_line(path):
        lines = [line for line in data.split(b"\n") if line.strip()]
        return all(line.startswith(files.SEALED_LINE) for line in lines)
    return files.is_sealed(data)


def is_plain(path: str, data: bytes) -> bool:
    """Tell whether nothing of a file is encrypted."""
    if files.is_by_line(path):
        return not any(line.startswith(files.SEALED_LINE) for line in data.split(b"\n"))
    return not files.is_sealed(data)


def _converted(root: Root, is_done: Callable[[str, bytes], bool]) -> Result:
    """Rewrite every file of a root, encrypted or not as `root.modes` says."""
    changed, kept = 0, -1
    with locked(root):
        own = (root.path, root.daily_folder, root.index_folder)
        for folder, _, _ in os.walk(root.path):
            # Other folders are written to without the lock.
            files.remove_leftovers(folder, older_than_s=0 if folder in own else _IDLE_S)
        removed = _databases(root)
        # The log of a database is removed before the database.
        for name in reversed(removed):
            files.remove(os.path.join(root.path, name))
        for _ in range(_MOST_PASSES):
            planned = plan(root, is_done)
            failed = _pass(planned)
            changed += len(planned.change) - len(failed)
            kept = len(planned.keep) if kept < 0 else kept
            if len(failed) == len(planned.change):
                break
        indexer.update(root)
    return Result(root, changed, kept, removed, tuple(failed))


def _pass(planned: EncryptionPlan) -> list[Problem]:
    """Convert the files of a plan once; return the failures."""
    failed: list[Problem] = []
    for name in with_progress(planned.change):
        path = os.path.join(planned.root.path, name)
        try:
            _convert(path, planned.root)
        except (DamagedDataError, ConflictError) as error:
            failed.append(Problem(path, 0, error.message))
    return failed


def _convert(path: str, root: Root) -> None:
    if not files.is_by_line(path):
        expected = files.stamp(path)
        plain = files.decrypted(path, files.read_raw(path))
        files.replace(path, plain, root.modes, expected=expected)
        return

    def written(data: bytes) -> bytes:
        plain = files.decrypted(path, data)
        if any(line.startswith(files.SEALED_LINE) for line in plain.split(b"\n")):
            raise DamagedDataError("{!r} has lines that can't be read", path)
        return root.modes.sealed(path, plain)

    replace.replace_growing(path, written, root.modes, root.index_folder)


def _opens(path: str) -> bool:
    try:
        return is_plain(path, files.decrypted(path, files.read_raw(path)))
    except (DamagedDataError, ConflictError):
        return False


def remarks(root: Root) -> Iterator[Problem]:
    """Yield remarks on the encryption of a root: files that are plain, or can't be read."""
    plain, sealed = [], []
    for name in _names(root):
        path = os.path.join(root.path, name)
        try:
            data = files.read_raw(path)
        except DailyMemoryError:
            continue  # reported elsewhere
        if not is_encrypted(path, data):
            plain.append(path)
        if not is_plain(path, data):
            sealed.append((path, data))
    if root.modes.is_sealed:
        databases = (os.path.join(root.path, name) for name in _databases(root))
        plain += filter(_is_plain_database, databases)
        if plain:
            others = filled(", nor are {} more", len(plain) - 1) if len(plain) > 1 else ""
            yield Problem(
                plain[0], 0, filled("is not encrypted{}; `memory encrypt` goes on", others)
            )
        ring = encryption.ring_of(root.modes.home)
        if keys.is_seen_by_others(ring):
            yield Problem(ring.key_file, 0, "others may read the key; `chmod 600` it")
    elif sealed:
        others = filled(", as are {} more", len(sealed) - 1) if len(sealed) > 1 else ""
        message = filled("is encrypted{}, and storage.encryption is none", others)
        yield Problem(
            sealed[0][0], 0, filled("{}; `memory decrypt` or `memory encrypt` goes on", message)
        )
    yield from _unreadable(sealed)


def _is_plain_database(path: str) -> bool:
    try:
        return not files.is_sealed(files.read_raw(path))
    except DailyMemoryError:
        return False  # gone, or reported elsewhere


def _unreadable(sealed: Iterable[tuple[str, bytes]]) -> Iterator[Problem]:
    for path, data in sealed:
        if os.path.basename(os.path.dirname(path)) == "daily" or files.is_by_line(path):
            continue  # reported as a day or a live session
        try:
            files.decrypted(path, data)
        except DamagedDataError as error:
            yield Problem(path, 0, error.message)
