"""`memory.background`: work that hooks leave to a process of their own, and its errors.

Every event loads this module, to claim it: what the work needs is loaded with the work.
"""

from __future__ import annotations

import contextlib

from daily_memory.core.hosts.events import Event
from daily_memory.errors import ConflictError, DailyMemoryError
from daily_memory.parts import MemoryPart
from daily_memory.storage import claims


class Background(MemoryPart):
    """What nobody waits for, and nobody sees fail: errors go to a log that `doctor` reads."""

    def claim(self, event: bytes) -> bool:
        """Return whether this process is the first that is given an event."""
        return claims.claim(self._workspace.save_root(), event)

    def run(self, work: str, conversation: str = "") -> list[str]:
        """Do what an event left to do, and return what went wrong.

        `work` is "ended" or "so-far" with a conversation that is to be saved; "all", for all that
        were left unfinished, and for the archive where that is automatic; or "index".
        """
        from daily_memory.parts import live  # a hook leaves this to another process

        workspace = self._workspace
        claims.sweep(workspace.save_root())
        if work == "index":
            self._update_index()
            return []
        if work != "all":
            ended = live.end(workspace, conversation, so_far=work == "so-far")
            return [f"digest: {warning}" for warning in ended.warnings]
        from daily_memory.parts import archive  # once a day

        every = live.end_all(workspace)
        warnings = [f"digest: {warning}" for ended in every for warning in ended.warnings]
        stored = archive.Archive(workspace).store_due()
        return [*warnings, *(f"archive: {warning}" for warning in stored)]

    def _update_index(self) -> None:
        from daily_memory.storage.index import refresh

        for root in self._workspace.search_roots():
            with contextlib.suppress(ConflictError):  # another process does it
                refresh.build(root)

    def note_event_error(self, event: Event, error: Exception) -> None:
        """Log that an event could not be handled."""
        from daily_memory.services.writing import hook

        self.note_error(hook.explain(event, error))

    def note_error(self, message: str) -> None:
        """Log what went wrong, in the project's memory if it can be written, else in the user's."""
        from daily_memory.storage import hook_log

        workspace = self._workspace
        try:
            hook_log.add(workspace.save_root(), message, workspace.now())
        except DailyMemoryError:
            hook_log.add(workspace.global_root, message, workspace.now())

    def review_reminder(self) -> str:
        """Return the reminder that a review is due, "" if none is; it counts as shown."""
        from daily_memory.services.writing import reminders

        workspace = self._workspace
        review_days = workspace.settings.recall.review_days
        return reminders.reminder(workspace.save_root(), review_days, workspace.now())
