"""`memory.background`: work that hooks leave to a process of their own, and its errors."""

from __future__ import annotations

import contextlib

from daily_memory.core.hosts.events import Event
from daily_memory.errors import ConflictError, DailyMemoryError
from daily_memory.services.writing import reminders
from daily_memory.storage import hook_log
from daily_memory.storage.index import refresh
from daily_memory.workspace import Workspace


class Background:
    """What nobody waits for, and nobody sees fail: errors go to a log that `doctor` reads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def update_index(self) -> None:
        """Bring the indexes up to date that a host had no time to wait for."""
        for root in self._workspace.search_roots():
            with contextlib.suppress(ConflictError):  # another process does it
                refresh.build(root)

    def note_event_error(self, event: Event, error: Exception) -> None:
        """Log that an event could not be handled."""
        from daily_memory.services.writing import hook

        self.note_error(hook.explain(event, error))

    def note_error(self, message: str) -> None:
        """Log what went wrong, in the project's memory if it can be written, else in the user's."""
        workspace = self._workspace
        try:
            hook_log.add(workspace.save_root(), message, workspace.now())
        except DailyMemoryError:
            hook_log.add(workspace.global_root, message, workspace.now())

    def review_reminder(self) -> str:
        """Return the reminder that a review is due, "" if none is; it counts as shown."""
        workspace = self._workspace
        review_days = workspace.settings.recall.review_days
        return reminders.reminder(workspace.save_root(), review_days, workspace.now())
