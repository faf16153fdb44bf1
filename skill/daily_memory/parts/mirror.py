"""`memory.mirror`: the copy of each memory in SQLite."""

from __future__ import annotations

import os

from daily_memory.parts import MemoryPart
from daily_memory.services.reading import mirror
from daily_memory.services.reading.mirror import Status
from daily_memory.storage import mirror_db


class Mirror(MemoryPart):
    """The mirrors of the memories in use; `scope` chooses among them as in a search."""

    def status(self, *, scope: str = "") -> list[Status]:
        """Return the state of each mirror, without updating it."""
        settings = self._workspace.settings
        return [mirror.status(root, settings) for root in self._workspace.search_roots(scope)]

    def sync(self, *, scope: str = "", rebuild: bool = False) -> list[Status]:
        """Update each mirror, or make it from scratch with `rebuild`; return its state."""
        settings = self._workspace.settings
        act = mirror.rebuild if rebuild else mirror.sync
        return [act(root, settings) for root in self._workspace.search_roots(scope)]

    def paths(self, *, scope: str = "") -> list[str]:
        """Return the paths of the mirrors that exist."""
        paths = map(mirror_db.mirror_path, self._workspace.search_roots(scope))
        return [path for path in paths if os.path.isfile(path)]

    def drop(self, *, scope: str = "") -> list[str]:
        """Remove each mirror; return the paths of those that existed."""
        return [path for root in self._workspace.search_roots(scope) for path in mirror.drop(root)]
