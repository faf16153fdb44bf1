"""`memory.observations`: the observations of live sessions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import date

from daily_memory.core.record import Record
from daily_memory.model import check_period
from daily_memory.services import MemoryPart
from daily_memory.services.reading import recall_log, records
from daily_memory.services.reading.recall_log import Received
from daily_memory.services.reading.records import RecordResult
from daily_memory.services.setup.redaction_policy import clean_name, known_policy
from daily_memory.storage import observations
from daily_memory.storage.observations import LiveSession


class Observations(MemoryPart):
    """Observations and sessions as records, and the live sessions that observations belong to."""

    def search(
        self,
        query: str,
        *,
        limit: int = 20,
        kinds: Sequence[str] = (),
        tools: Sequence[str] = (),
        tags: Sequence[str] = (),
        since: date | None = None,
        until: date | None = None,
        project: str = "",
        archived: bool = False,
        distinct: bool = False,
        method: str = "",
        scope: str = "",
    ) -> RecordResult:
        """Return the observations and sessions that match best, best first; no filter means any.

        With `distinct`, observations that match no other words than a better hit of their
        conversation are left out. `method` is that of `Memory.search`, for sessions.
        """
        workspace = self._workspace
        project, *former = workspace.project_names(project) or ("",)
        wanted = records.RecordQuery(
            limit,
            tuple(kinds),
            tuple(tools),
            tuple(tags),
            since,
            until,
            project,
            tuple(former),
            archived,
            distinct,
            method,
        )
        return records.search(
            workspace.search_roots(scope),
            query,
            wanted,
            workspace.settings,
            workspace.today(),
            workspace.meaning(),
        )

    def get(self, ids: Sequence[str], *, scope: str = "") -> tuple[Record, ...]:
        """Return the records with these ids; ids that do not exist are left out."""
        return records.get(self._workspace.roots_for_ids(ids, scope), ids)

    def timeline(
        self, record_id: str, *, window_min: int = 10, scope: str = ""
    ) -> tuple[Record, ...]:
        """Return what happened in the conversation of a record, minutes before and after it."""
        return records.timeline(
            self._workspace.roots_for_ids([record_id], scope), record_id, window_min
        )

    def live(self, conversation: str = "") -> LiveSession:
        """Return a live session with its observations: the named one, or the last one."""
        root = self._workspace.save_root()
        name = clean_name(conversation, known_policy(self._workspace.settings))
        return observations.scoped(root, observations.load(observations.get_path(root, name)))

    def live_sessions(
        self, *, first: date = date.min, last: date = date.max
    ) -> Iterator[LiveSession]:
        """Yield the live sessions that began in these days, with their observations."""
        check_period(first, last)
        root = self._workspace.save_root()
        every = observations.each(root, first=first, last=last)
        return (observations.scoped(root, live) for live in every)

    def days(self) -> list[date]:
        """Return the days on which live sessions began, the newest first."""
        listed = observations.list_days(self._workspace.save_root())
        return sorted(filter(None, map(_parsed_day, listed)), reverse=True)

    def address(self, conversation: str) -> str:
        """Return the day and file name of a recent conversation, "" if there is none."""
        path = observations.find_path(self._workspace.save_root(), conversation)
        day, name = os.path.split(path.removesuffix(".jsonl"))
        return f"{os.path.basename(day)}/{name}" if path else ""

    def received(self, live: LiveSession) -> list[Received]:
        """Return what a live session received from the memory, in order, and why."""
        workspace = self._workspace
        return list(recall_log.received(workspace.search_roots(), workspace.save_root(), live))


def _parsed_day(name: str) -> date | None:
    try:
        return date.fromisoformat(name)
    except ValueError:
        return None
