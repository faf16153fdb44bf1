"""`memory.deletion`: choose sessions by words, age or tags; delete them, or every trace of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date

from daily_memory.errors import DailyMemoryError
from daily_memory.parts import MemoryPart
from daily_memory.services.changing import edit, purge
from daily_memory.services.changing.edit import Edited
from daily_memory.services.changing.purge import Purged, Target
from daily_memory.services.reading import selection
from daily_memory.services.reading.browse import StoredSession
from daily_memory.storage.git.sync_repository import SyncRepository


class Deletion(MemoryPart):
    """Deleting more than what one id names; `Memory.delete` takes ids alone."""

    def choose(
        self,
        named: Sequence[str] = (),
        *,
        query: str = "",
        before: date | None = None,
        tags: Sequence[str] = (),
        scope: str = "",
    ) -> tuple[StoredSession, ...]:
        """Return the sessions that ids and days name, narrowed by words, age and tags.

        Days, and what is not named, are those of the memory that a save goes to, or of `scope`.
        """
        roots = self._workspace.roots_of(named, scope)
        save_path = "" if scope else self._workspace.save_root().path
        own = [root for root in roots if scope or root.path == save_path]
        wanted = selection.SelectionRequest(tuple(named), query, before, tuple(tags))
        return selection.choose(roots, own, wanted, self._workspace.today())

    def delete(self, sessions: Sequence[StoredSession]) -> Edited:
        """Delete what `choose` returned, as one operation; see `Memory.delete`."""
        return self._workspace.after_edit(edit.delete_found(sessions, self._workspace.now()))

    def traces(
        self, sessions: Sequence[StoredSession], ids: Sequence[str] = (), *, scope: str = ""
    ) -> tuple[Target, ...]:
        """Return what `purge` would remove; `ids` may be of sessions that are deleted already."""
        return purge.targets(self._workspace.roots_of(ids, scope), sessions, ids)

    def purge(self, targets: Sequence[Target], *, dry_run: bool = False) -> Purged:
        """Remove every trace of sessions from their memories. This can't be undone."""
        if dry_run:
            return Purged(tuple(targets))
        workspace = self._workspace
        purged = purge.purge(targets, workspace.settings, workspace.now())
        for root in {target.root.path: target.root for target in targets}.values():
            if os.path.isdir(SyncRepository(root).folder):
                from daily_memory.services.upkeep import sync  # only where there is one

                sync.forget(root, [target.id for target in targets if target.root == root])
        if any(map(workspace.shares, {target.root for target in targets})):
            return purged._replace(elsewhere=(*purged.elsewhere, *self._pushed()))
        return purged

    def _pushed(self) -> list[str]:
        """Remove purged sessions from the team's database; return a warning if that failed."""
        from daily_memory.services.upkeep import team  # where there is one

        root = self._workspace.save_root("project")
        try:
            team.push(root, self._workspace.settings)
        except DailyMemoryError:
            return ["your team's database (not reached; `memory mirror sync` removes it there)"]
        return []
