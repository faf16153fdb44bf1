"""`memory.encryption`: encrypt memories with the user's key, and change that key."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date

from daily_memory.parts import MemoryPart
from daily_memory.services.setup import encryption
from daily_memory.services.setup.encryption import EncryptionPlan, KeyInfo, Result
from daily_memory.storage.fs import files
from daily_memory.storage.git import authors
from daily_memory.storage.roots import Root


class Encryption(MemoryPart):
    """The encryption of the memory that a save goes to, and of all others for a new key."""

    def is_on(self, scope: str = "") -> bool:
        """Tell whether anything that `export` takes of this scope is encrypted."""
        return any(root.modes.is_sealed for root in self._workspace.export_roots(scope))

    def plan(self, action: str, *, scope: str = "") -> list[EncryptionPlan]:
        """Return which files `encrypt`, `decrypt` or `rekey` would change, and change nothing."""
        if action == "rekey":
            return [
                encryption.plan(
                    root, (lambda *_: False) if root.modes.is_sealed else encryption.is_plain
                )
                for root in self._encrypted_roots()
            ]
        is_done = encryption.is_encrypted if action == "encrypt" else encryption.is_plain
        return [encryption.plan(self._workspace.save_root(scope), is_done)]

    def encrypt(
        self, *, scope: str = "", passphrase: str = "", recipients: Sequence[str] = ()
    ) -> tuple[KeyInfo, Result]:
        """Turn encryption on for a memory, and encrypt its files. Safe to repeat.

        The user's key is made if there is none; without it nobody can read what is encrypted.
        `passphrase` protects it. `recipients` are further public keys, `age1…`, that can read.
        """
        workspace = self._workspace
        root, own = workspace.save_root(scope), workspace.global_root
        key = encryption.ready_key(
            workspace.key_ring(), own, workspace.today(), passphrase, recipients
        )
        result = encryption.encrypt(root, own, workspace.home)
        workspace.reload_settings()
        workspace.after_write(root)
        return key, result

    def decrypt(self, *, scope: str = "") -> Result:
        """Turn encryption off for a memory, and decrypt its files. The key stays."""
        workspace = self._workspace
        root = workspace.save_root(scope)
        result = encryption.decrypt(root, workspace.global_root)
        workspace.reload_settings()
        return result

    def rekey(
        self, *, passphrase: str = "", recipients: Sequence[str] = ()
    ) -> tuple[KeyInfo, list[Result]]:
        """Make a new key, and encrypt all memories that the old one opens for it. Safe to repeat.

        The old key stays until every file has the new one, and a copy of it stays beside it.
        `passphrase` protects the new key; without it, the old passphrase does.
        """
        workspace = self._workspace
        ring, own, today = workspace.key_ring(), workspace.global_root, workspace.today()
        key = encryption.begin_rekey(ring, own, today, passphrase, recipients)
        results = [
            encryption.rekey(root, workspace.home, all_files=root.modes.is_sealed)
            for root in self._encrypted_roots()
        ]
        if not any(result.failed for result in results):
            encryption.end_rekey(ring, own, today)
        return key, results

    def open_key(self) -> None:
        """Open the key now if a memory is encrypted: a server can't stop and ask for it."""
        self._workspace.open_key(self._workspace.search_roots())

    def unlock(self, day: date, *, scope: str = "") -> bytes:
        """Return the file of a day in the clear."""
        return encryption.unlock(self._workspace.save_root(scope), day)

    def keep_text(self, root: Root, name: str, text: bytes) -> str:
        """Store a text that could not be used below `index/kept`, and return its path."""
        return files.add(os.path.join(root.in_index("kept"), name), ".md", text, root.modes)

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
            root
            for root in roots.values()
            if root.modes.is_sealed or encryption.plan(root, encryption.is_plain).change
        ]
