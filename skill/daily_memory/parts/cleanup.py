"""`memory.cleanup`: find and remove old, duplicate and sensitive memories."""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory.parts import MemoryPart
from daily_memory.services.changing import sanitize
from daily_memory.services.changing.sanitize import Sanitized
from daily_memory.services.upkeep import cleanup, dedupe
from daily_memory.services.upkeep.cleanup import Proposal
from daily_memory.services.upkeep.dedupe import DuplicatePair, Merged


class Cleanup(MemoryPart):
    """Cleaning the memory that a save goes to."""

    def proposals(self, *, scope: str = "") -> list[Proposal]:
        """Return what could be cleaned up; nothing is changed."""
        workspace = self._workspace
        root = workspace.save_root(scope)
        return list(cleanup.propose(root, workspace.settings, workspace.today()))

    def duplicates(self, *, scope: str = "") -> tuple[DuplicatePair, ...]:
        """Return pairs of sessions that say nearly the same, the most similar first."""
        return dedupe.find(self._workspace.save_root(scope), self._workspace.today())

    def merge(
        self, pairs: Sequence[DuplicatePair], *, scope: str = "", dry_run: bool = False
    ) -> Merged:
        """Add to the later session of each pair what it lacks, and delete the earlier one."""
        if dry_run:
            return Merged()
        workspace = self._workspace
        root = workspace.save_root(scope)
        merged = dedupe.merge(root, pairs, workspace.settings, workspace.now())
        workspace.after_write(root, is_removed=True)
        return merged

    def sanitize(self, *, scope: str = "", dry_run: bool = False) -> Sanitized:
        """Hide the secrets in every file of the memory. This can't be undone."""
        root = self._workspace.save_root(scope)
        return sanitize.sanitize(root, self._workspace.settings, dry_run=dry_run)
