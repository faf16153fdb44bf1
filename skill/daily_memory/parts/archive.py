"""`memory.archive`: move old sessions out of the way of searches, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import check_period
from daily_memory.parts import MemoryPart
from daily_memory.services.reading import browse
from daily_memory.services.upkeep import archive
from daily_memory.services.upkeep.archive import ArchiveResult, Due
from daily_memory.storage.roots import Root


class Archive(MemoryPart):
    """The archive of the memory that a save goes to."""

    def due(
        self, *, days: int = 0, before: date | None = None, most_days: int = 0, scope: str = ""
    ) -> Due:
        """Return the sessions past retention, for `store` or `delete`; nothing is changed.

        Those are older than `days`, than `before`, or else than `storage.retention_days`;
        important sessions stay. `most_days` limits the number of day files, 100 by default.
        """
        workspace = self._workspace
        root, today = workspace.save_root(scope), workspace.today()
        if days < 0 or most_days < 0:
            raise InvalidInputError(f"{min(days, most_days)} days are less than 1")
        end = before or archive.day_before(workspace.settings, today, days_back=days)
        if end is None:
            hint = "give --days N or --before DATE, or set storage.retention_days"
            raise InvalidInputError("retention is off: everything is kept", hint=hint)
        if before is None:
            archive.check_clock([root], end, today)
        return archive.due(root, end, today, most_days=most_days or archive.MOST_DAYS)

    def overflow(self, *, scope: str = "") -> Due:
        """Return the oldest sessions of days larger than `storage.max_file_size_mb`, for `store`.

        Important sessions and those of today stay. Nothing is changed.
        """
        workspace = self._workspace
        most_mb = workspace.settings.storage.max_file_size_mb
        return archive.overflow(workspace.save_root(scope), most_mb, workspace.today())

    def store(self, due: Due) -> ArchiveResult:
        """Move what `due` or `overflow` returned into the archive."""
        return self._moved(due.root, archive.store(due, self._workspace.now()))

    def delete(self, due: Due) -> ArchiveResult:
        """Delete what `due` returned, as one operation; live sessions without one are archived."""
        return self._moved(due.root, archive.delete(due, self._workspace.now()))

    def restore(
        self,
        ids: Sequence[str] = (),
        *,
        days: Sequence[date] = (),
        since: date | None = None,
        until: date | None = None,
        everything: bool = False,
        scope: str = "",
        dry_run: bool = False,
    ) -> ArchiveResult:
        """Bring sessions back from the archive as they were: by ids, days, or a period."""
        check_period(since, until)
        roots = self._workspace.roots_of(ids, scope)
        owners = [browse.owner(roots, id_) for id_ in ids]
        named = frozenset((root.path, str(bare)) for root, bare in owners)
        wanted = archive.RestoreRequest(named, tuple(days), since, until, everything)
        moved = archive.restore(roots, wanted, self._workspace.now(), dry_run=dry_run)
        if not dry_run:
            for root in roots:
                self._moved(root, moved)
        return moved

    def store_due(self) -> tuple[str, ...]:
        """Archive what is past retention once a day, if that is on; return what went wrong."""
        workspace = self._workspace
        root = workspace.save_root()
        try:
            moved = archive.archive_by_itself(root, workspace.settings, workspace.now())
        except DailyMemoryError as error:
            return (error.message,)
        return self._moved(root, moved).warnings

    def _moved(self, root: Root, moved: ArchiveResult) -> ArchiveResult:
        if moved.ids or moved.observed:
            self._workspace.after_write(root, is_moved=True, is_removed=bool(moved.ids))
        return moved
