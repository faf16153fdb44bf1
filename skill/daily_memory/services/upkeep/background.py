"""`memory.background`: work that hooks leave to another process, and its error log.

Every hook loads this module, so imports for the work are inside the functions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from daily_memory.core.hosts.events import Event
from daily_memory.errors import BackendError, ConflictError, DailyMemoryError
from daily_memory.services import MemoryPart
from daily_memory.storage import event_claims, processes
from daily_memory.text import filled

# How long to wait for another process that pushes.
_WAIT_S = 20.0


class Background(MemoryPart):
    """Work in the background; errors go to a log that `doctor` reads."""

    def claim(self, event: bytes) -> bool:
        """Tell whether this process is the first to get an event."""
        return event_claims.claim(self._workspace.save_root(), event)

    @property
    def is_ours(self) -> bool:
        """Whether this process was started by `start`, as are those that it starts."""
        return bool(self._workspace.environment.get(processes.OURS))

    def start(self, *work: str) -> Callable[[], bool]:
        """Call `run` in another process; return a function that tells whether it is done."""
        workspace = self._workspace
        return processes.start(work, workspace.project, workspace.home, workspace.environment)

    def run(self, work: str, conversation: str = "") -> list[str]:
        """Do the work that an event left; return warnings.

        `work` is "ended" or "so-far" to save a conversation; "all" to save all unfinished ones,
        and to archive if that is automatic; "index"; "embed"; or "team".
        """
        from daily_memory.services.writing import live  # a hook leaves this to another process

        workspace = self._workspace
        event_claims.sweep(workspace.save_root())
        if work == "index":
            self._update_index()
            return []
        if work == "embed":
            return list(self._embed())
        if work == "team":
            return list(self._push())
        if work != "all":
            ended = live.end(workspace, conversation, so_far=work == "so-far")
            warnings = [filled("digest: {}", warning) for warning in ended.warnings]
            warnings += self._renew_summary()
            return warnings if work == "so-far" else [*warnings, *self._sync()]
        from daily_memory.services.upkeep import archive  # once a day

        every = live.end_all(workspace)
        warnings = [filled("digest: {}", warning) for ended in every for warning in ended.warnings]
        stored = archive.Archive(workspace).store_due()
        warnings += [filled("archive: {}", warning) for warning in stored]
        return [*warnings, *self._renew_summary(), *self._sync()]

    def _sync(self) -> list[str]:
        """Sync with the user's other machines, if that is automatic; return warnings."""
        if not self._workspace.settings.sync.automatic:
            return []
        from daily_memory.services.upkeep import sync
        from daily_memory.storage.git.sync_repository import UnreachableError

        try:
            synced = sync.Sync(self._workspace).run_set_up()
        except UnreachableError:
            return []  # offline: the next sync catches up
        except DailyMemoryError as error:
            return [filled("sync: {}", error.message)]
        return [filled("sync: {}", warning) for each in synced for warning in each.warnings]

    def _renew_summary(self) -> list[str]:
        """Update the summary for the next conversation; return warnings."""
        from daily_memory.services.upkeep import summary

        workspace = self._workspace
        try:
            summary.renew(workspace.save_root(), workspace.settings)
        except DailyMemoryError as error:
            return [filled("summary: {}", error.message)]
        return []

    def _update_index(self) -> None:
        from daily_memory.storage.index import indexer

        for root in self._workspace.search_roots():
            with contextlib.suppress(ConflictError):  # another process does it
                indexer.build(root)

    def _embed(self) -> Iterator[str]:
        from daily_memory.services.upkeep import embed

        workspace = self._workspace
        for root in workspace.search_roots():
            # Another process is embedding.
            with contextlib.suppress(ConflictError):
                try:
                    embed.embed(root, workspace.settings, workspace.environment)
                except BackendError as error:
                    yield filled("embedding: {}", error.message)

    def _push(self) -> Iterator[str]:
        from daily_memory.services.upkeep import team

        root, settings = self._workspace.save_root("project"), self._workspace.settings
        # Another process is pushing. What fails is pushed next time.
        with contextlib.suppress(ConflictError):
            try:
                team.push(root, settings, wait_s=_WAIT_S)
            except DailyMemoryError as error:
                yield filled("team: {}", error.message)

    def note_event_error(self, event: Event, error: Exception) -> None:
        """Log that an event could not be handled."""
        from daily_memory.services.writing import hook

        self.note_error(hook.explain(event, error))

    def note_error(self, message: str) -> None:
        """Log an error in the project's memory, or in the global one if that fails."""
        from daily_memory.storage import hook_log

        workspace = self._workspace
        try:
            hook_log.add(workspace.save_root(), message, workspace.now())
        except DailyMemoryError:
            hook_log.add(workspace.global_root, message, workspace.now())

    def review_reminder(self) -> str:
        """Return the reminder that a review is due, "" if none is; it is noted as shown."""
        from daily_memory.services.writing import reminders

        workspace = self._workspace
        review_days = workspace.settings.recall.review_days
        return reminders.reminder(workspace.save_root(), review_days, workspace.now())
