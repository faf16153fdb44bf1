"""The parts of a `Memory`, such as `memory.projects`: verbs that belong together.

They raise `InvalidInputError` for a wrong argument, `NotFoundError` for what does not exist,
`ConflictError` if a file changed or the lock stayed busy: run it again, and `BackendError` if the
system refuses.
"""

from __future__ import annotations

from daily_memory.workspace import Workspace


class MemoryPart:
    """Verbs on the memories of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
