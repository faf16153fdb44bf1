"""Where memories live: the project's root, and the global one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from daily_memory.core.projects import folder_name
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import files
from daily_memory.storage.files import PRIVATE, Modes

MEMORIES = os.path.join(".cursor", "skills", "memories")
# What marks the top folder of a project, most telling first.
_MARKERS = (
    ".cursor",
    ".git",
    ".hg",
    ".trae",
    ".claude",
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "Makefile",
)


class Root(NamedTuple):
    """One memories folder: `scope` is `project` or `global`, `project` the project's name."""

    path: str
    scope: str
    project: str = ""
    modes: Modes = PRIVATE

    @property
    def daily_folder(self) -> str:
        return os.path.join(self.path, "daily")

    @property
    def observations_folder(self) -> str:
        return os.path.join(self.path, "observations")

    @property
    def archive_folder(self) -> str:
        return os.path.join(self.path, "archive")

    @property
    def index_folder(self) -> str:
        return os.path.join(self.path, "index")

    @property
    def undo_folder(self) -> str:
        return os.path.join(self.path, "index", "undo")

    @property
    def appending(self) -> str:
        """The note of an append that is going on, or that was never finished."""
        return os.path.join(self.path, "index", "appending")

    @property
    def config(self) -> str:
        return os.path.join(self.path, "config.json")

    @property
    def exists(self) -> bool:
        return os.path.isdir(self.daily_folder) or os.path.isdir(self.observations_folder)


def project_root(project: str) -> Root:
    """Return the root of a project folder, whether it exists or not."""
    folder = os.path.abspath(project)
    return Root(os.path.join(folder, MEMORIES), "project", folder_name(folder))


def project_folder(root: Root) -> str:
    """Return the folder of the project that a root is of."""
    return root.path[: -len(MEMORIES) - 1]


def global_root(home: str) -> Root:
    """Return the root that all projects of a user share."""
    return Root(os.path.join(home, MEMORIES), "global")


def home_folder(environment: Mapping[str, str]) -> str:
    """Return the user's home; what `~` is."""
    return environment.get("HOME") or os.path.expanduser("~")


def find_project(start: str, environment: Mapping[str, str]) -> str:
    """Return the folder of the project that `start` is in; "" outside any.

    `MEMORY_PROJECT` comes before what the folders say. The home folder is no project: it holds
    `.cursor` because the global root is there.

    Raises:
        InvalidInputError: `MEMORY_PROJECT` is not a folder.
    """
    named = environment.get("MEMORY_PROJECT", "")
    if named:
        return get_project(named)
    home = os.path.realpath(home_folder(environment))
    folder = os.path.abspath(start)
    while os.path.realpath(folder) != home:
        if any(os.path.exists(os.path.join(folder, marker)) for marker in _MARKERS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return ""


def get_project(folder: str) -> str:
    """Return the absolute path of a project that the user named.

    Raises:
        InvalidInputError: it is not a folder.
    """
    path = os.path.abspath(os.path.expanduser(folder))
    if "\0" in folder or not os.path.isdir(path):
        raise InvalidInputError(f"no folder {folder!r}", hint="name the top folder of a project")
    return path


def main_checkout(project: str) -> str:
    """Return the folder of the repository that a git worktree belongs to; "" where it is none.

    Git is not asked: it takes longer than a search. A worktree has a file `.git` that names its
    own folder of the repository, and there `commondir` leads to that of all of them.
    """
    if not os.path.isfile(os.path.join(project, ".git")):
        return ""
    own = _line(os.path.join(project, ".git")).removeprefix("gitdir:").strip()
    own = os.path.join(project, own)
    common = _line(os.path.join(own, "commondir"))
    if not common:
        return ""  # a submodule
    top, name = os.path.split(os.path.normpath(os.path.join(own, common)))
    # A bare repository has no files beside it.
    return top if name == ".git" and os.path.isdir(top) else ""


def _line(path: str) -> str:
    if "\0" in path:
        return ""
    try:
        return (files.find_bytes(path) or b"").decode("utf-8", "surrogateescape").strip("\r\n")
    except DailyMemoryError:
        return ""
