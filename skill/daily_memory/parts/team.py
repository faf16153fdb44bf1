"""`memory.team`: the database that a team shares."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from daily_memory.backends.team import database
from daily_memory.core.record import SESSION, Record
from daily_memory.core.settings import Settings
from daily_memory.errors import InvalidInputError
from daily_memory.parts import MemoryPart
from daily_memory.services.reading import records, team
from daily_memory.services.reading.records import RecordResult
from daily_memory.services.upkeep import team as pushing
from daily_memory.services.upkeep.team import TeamStatus
from daily_memory.storage.roots import Root


class Team(MemoryPart):
    """What this project shares with a team, and what the team knows."""

    def search(
        self,
        question: str,
        *,
        limit: int = 0,
        kinds: Sequence[str] = (),
        tools: Sequence[str] = (),
        tags: Sequence[str] = (),
        since: date | None = None,
        until: date | None = None,
        project: str = "",
    ) -> RecordResult:
        """Return what matches best of all projects granted: sessions, or these `kinds`."""
        settings = self._settings()
        query = records.RecordQuery(
            limit or settings.retrieval.max_results,
            tuple(kinds) or (SESSION,),
            tuple(tools),
            tuple(tags),
            since,
            until,
            project,
        )
        meaning = self._workspace.meaning()
        near = meaning.vector(self._root, question) if meaning and question.strip() else ("", [])
        found = team.search(question, query, settings, self._workspace.today(), near=near)
        return found._replace(warnings=(*found.warnings, *(meaning.warnings if meaning else ())))

    def get(self, record_id: str) -> tuple[Record, ...]:
        """Return the records with an id that a search gave, such as `team:shop:alice:…`."""
        return team.get(record_id, self._settings())

    def _settings(self) -> Settings:
        if self._workspace.person:
            hint = "connect to the database from your own machine: docs/team.md"
            raise InvalidInputError("the team is asked with your own role only", hint=hint)
        return self._workspace.settings

    def setup(self) -> int:
        """Create or upgrade the tables, as their owner; return how many steps that took."""
        url = team.check_on(self._workspace.settings)
        with database.opened(url, timeout_s=3600) as opened:
            return opened.setup()

    def is_shared(self) -> bool:
        """Tell whether this project is pushed to the team."""
        return self._workspace.shares(self._workspace.project_root)

    def status(self) -> TeamStatus:
        """Return what the team has of this project from here."""
        return pushing.status(self._root, self._workspace.settings)

    def push(self, *, from_scratch: bool = False) -> TeamStatus:
        """Push what changed, or everything `from_scratch`."""
        settings = self._workspace.settings
        return pushing.push(self._root, settings, from_scratch=from_scratch)

    def withdraw(self) -> TeamStatus:
        """Remove from the database what was pushed from here."""
        return pushing.withdraw(self._root, self._workspace.settings)

    @property
    def _root(self) -> Root:
        return self._workspace.save_root("project")
