"""Where memories live: the project's root, the global one, and the list of projects seen."""

import json
import os
from collections.abc import Mapping
from typing import NamedTuple

from daily_memory.errors import InvalidInputError
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
    def index_folder(self) -> str:
        return os.path.join(self.path, "index")

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
    name = os.path.basename(folder.rstrip(os.sep)) or folder
    return Root(os.path.join(folder, MEMORIES), "project", name)


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


# ---------------------------------------------------------------------------- projects.json


def load_projects(root: Root) -> tuple[str, ...]:
    """Return the project folders that the global root has seen and that still exist."""
    data = files.find_bytes(os.path.join(root.path, "projects.json"))
    try:
        listed = json.loads(data or b"{}").get("projects")
        listed = listed if isinstance(listed, list) else []
    except (ValueError, AttributeError):
        return ()
    folders = [folder for folder in listed if isinstance(folder, str)]
    return tuple(folder for folder in folders if project_root(folder).exists)


def remember_project(root: Root, folder: str) -> None:
    """Add a project folder to the list of the global root. Call it with its lock held."""
    known = set(load_projects(root))
    if folder in known:
        return
    text = json.dumps({"projects": sorted({*known, folder})}, ensure_ascii=False, indent=2)
    files.replace(os.path.join(root.path, "projects.json"), f"{text}\n".encode(), root.modes)
