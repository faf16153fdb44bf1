"""Where memories live: the project's root, and the global one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from daily_memory.core.projects import folder_name
from daily_memory.errors import InvalidInputError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs.files import PRIVATE, Modes

# Where the memory of a project is.
MEMORIES = os.path.join(".cursor", "skills", "memories")
# The label of ids in the global memory.
GLOBAL = "global"


class Root(NamedTuple):
    """One memories folder: `scope` is `project` or `global`, `project` the project's name.

    `label` comes before the ids of its sessions, "" where they are printed bare. `is_own` is the
    root that a bare id means. `is_foreign`: its `index/` and `observations/` are not the user's.
    """

    path: str
    scope: str
    project: str = ""
    modes: Modes = PRIVATE
    label: str = ""
    is_own: bool = True
    is_foreign: bool = False

    def scoped(self, id_: object) -> str:
        """Return an id as users see and type it."""
        return f"{self.label}:{id_}" if self.label else str(id_)

    def is_called(self, label: str) -> bool:
        """Tell whether an id with this label belongs to this root."""
        if self.scope == "global":
            return label == GLOBAL
        is_own_name = self.is_own and label == self.project != GLOBAL
        return is_own_name or label in (self.label, project_folder(self))

    @property
    def daily_folder(self) -> str:
        return os.path.join(self.path, "daily")

    @property
    def observations_folder(self) -> str:
        return self._local("observations")

    @property
    def archive_folder(self) -> str:
        return os.path.join(self.path, "archive")

    @property
    def index_folder(self) -> str:
        return self._local("index")

    def in_index(self, name: str) -> str:
        """Return the path of a file or folder in `index/`."""
        return os.path.join(self.index_folder, name)

    def at(self, name: str) -> str:
        """Return the path of a file, given its name below the root."""
        return os.path.join(self.path, *name.split("/"))

    def name_of(self, path: str) -> str:
        """Return the name of a file below the root, with slashes."""
        return os.path.relpath(path, self.path).replace(os.sep, "/")

    @property
    def undo_folder(self) -> str:
        return self.in_index("undo")

    @property
    def appending(self) -> str:
        """The note of a running or interrupted append."""
        return self.in_index("appending")

    def _local(self, name: str) -> str:
        # Where nothing could be moved aside, nothing can be made either: there it is as if missing.
        return os.path.join(self.path, "untrusted-0" if self.is_foreign else "", name)

    @property
    def config(self) -> str:
        return os.path.join(self.path, "config.json")

    @property
    def exists(self) -> bool:
        return os.path.isdir(self.daily_folder) or os.path.isdir(self.observations_folder)


def project_root(project: str) -> Root:
    """Return the root of a project folder, existing or not."""
    folder = os.path.abspath(project)
    return Root(os.path.join(folder, MEMORIES), "project", folder_name(folder))


def project_folder(root: Root) -> str:
    return root.path[: -len(MEMORIES) - 1]


def global_root(home: str) -> Root:
    """Return the user's root, shared by all projects."""
    return Root(os.path.join(home, MEMORIES), "global", label=GLOBAL, is_own=False)


def notes_folder(home: str) -> str:
    return os.path.join(home, ".config", "daily-memory", "encrypted")


def home_folder(environment: Mapping[str, str]) -> str:
    # Of an empty HOME the system makes the top folder of the disk.
    known = os.environ.get("HOME", "~") and os.path.expanduser("~")
    home = environment.get("HOME") or known
    if not os.path.isabs(home):
        raise InvalidInputError("HOME names no folder", hint="set HOME to your home folder")
    return home
