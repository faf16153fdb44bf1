"""`memory.sync`: the same memory on several machines of one user."""

from __future__ import annotations

from daily_memory.errors import NotFoundError
from daily_memory.parts import MemoryPart
from daily_memory.services.upkeep import sync
from daily_memory.services.upkeep.sync import Synced, SyncRequest
from daily_memory.storage import sync_key
from daily_memory.storage.roots import Root


class Sync(MemoryPart):
    """Syncing the memories in use over git."""

    def run(
        self,
        remote: str = "",
        *,
        name: str = "",
        scope: str = "",
        is_new: bool = False,
        dry_run: bool = False,
    ) -> list[Synced]:
        """Sync the memories that were given a repository, or the one that `scope` names.

        `remote` is a repository for the memory that a save goes to: its address, or a remote of
        the project. `name` is the memory in it, by default that of the project. With `is_new` a
        memory is begun there with a new key, although somebody else's is there.
        """
        request = SyncRequest(remote, name, is_new, dry_run)
        return [self._synced(root, request) for root in self._roots(scope, is_named=bool(remote))]

    def run_set_up(self) -> list[Synced]:
        """Sync the memories that were given a repository, if there are any."""
        roots = [root for root in self._workspace.own_roots if sync.is_set_up(root)]
        return [self._synced(self._workspace.ready(root), SyncRequest()) for root in roots]

    def key(self) -> str:
        """Return the user's key, for another machine."""
        key = sync_key.find(self._workspace.home)
        if not key:
            hint = "the first `memory sync --remote URL` makes one"
            raise NotFoundError("this machine has no sync key", hint=hint)
        return sync_key.shown(key)

    def set_key(self, text: str) -> None:
        """Take the user's key from another machine."""
        sync_key.store(self._workspace.home, sync_key.parse(text))

    def _roots(self, scope: str, *, is_named: bool) -> list[Root]:
        workspace = self._workspace
        chosen = [root for root in workspace.own_roots if sync.is_set_up(root)]
        if scope or is_named or not chosen:
            return [workspace.save_root(scope)]
        return [workspace.ready(root) for root in chosen]

    def _synced(self, root: Root, request: SyncRequest) -> Synced:
        done = sync.sync(
            root, self._workspace.settings, self._workspace.home, self._workspace.now(), request
        )
        if any(done.received) and not request.dry_run:
            removed = bool(done.received.removed or done.received.changed)
            self._workspace.after_write(root, is_moved=True, is_removed=removed)
        return done
