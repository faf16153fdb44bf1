"""What a user can do with a memory: one module each, in folders that build on each other.

A module with several verbs has a class for them, which `Memory` offers by name, such as
`memory.archive`. They raise `InvalidInputError` for a wrong argument, `NotFoundError` for what does
not exist, `ConflictError` if a file changed or the lock stayed busy: run it again, and
`BackendError` if the system refuses.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.workspace import Workspace


class MemoryPart:
    """Verbs on the memories of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
