"""`projects.json` of the global root, and the id that identifies a project wherever it is."""

from __future__ import annotations

import os

from daily_memory.core import projects
from daily_memory.core.projects import Project
from daily_memory.errors import DailyMemoryError
from daily_memory.storage import roots
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

_ID_CHARS = 32


def load_projects(root: Root) -> tuple[Project, ...]:
    """Return all projects in the list, existing or not."""
    return projects.parse_projects(files.find_bytes(_list_path(root)) or b"")


def find_projects(root: Root) -> tuple[Project, ...]:
    """Like `load_projects`; empty if the list can't be read."""
    try:
        return load_projects(root)
    except DailyMemoryError:
        return ()


def is_there(project: Project) -> bool:
    """Tell whether the project has a memory at its path."""
    return bool(project.path) and roots.project_root(project.path).exists


def store(root: Root, listed: tuple[Project, ...]) -> None:
    """Replace the list. Needs the lock of the global root."""
    text = projects.format_projects(listed)
    files.replace(_list_path(root), text.encode("utf-8", "surrogatepass"), root.modes)


def load_id(folder: str) -> str:
    """Return the id of the project at a folder, "" for none.

    It is under `index/`, which git ignores: a moved folder keeps it, a clone gets its own.
    """
    try:
        data = files.find_bytes(_id_path(folder)) or b""
    except DailyMemoryError:
        return ""
    text = data.decode("ascii", "replace").strip()
    is_id = len(text) == _ID_CHARS and all(character in "0123456789abcdef" for character in text)
    return text if is_id else ""


def is_known(root: Root, folder: str) -> bool:
    """Tell whether the list has this folder under its id."""
    id_ = load_id(folder)
    return bool(id_) and any(
        project.path == folder and project.id == id_ for project in load_projects(root)
    )


def note(root: Root, folder: str) -> None:
    """Add the project at a folder, or update its entry. Call it with the lock held.

    A moved project is known by its id and keeps its entry. Of two folders with one id, which are
    copies, the later one gets a new id.
    """
    listed = load_projects(root)
    id_ = load_id(folder)
    here = next((project for project in listed if project.path == folder), None)
    same = next(
        (project for project in listed if id_ and project.id == id_ and project.path != folder),
        None,
    )
    if same and is_there(same) and load_id(same.path) == id_:
        if os.path.realpath(same.path) == os.path.realpath(folder):
            return  # one folder by two paths
        id_, same, here = "", None, None
    if same:
        entry = projects.moved(same, folder)
    else:
        id_ = id_ or (here.id if here else "") or os.urandom(_ID_CHARS // 2).hex()
        is_new = here is None or here.id not in ("", id_)
        entry = Project(folder, id_) if is_new or here is None else here._replace(id=id_)
    if load_id(folder) != id_:
        files.make_folder(os.path.dirname(_id_path(folder)), root.modes)
        files.replace(_id_path(folder), f"{id_}\n".encode(), root.modes)
    others = [_off(project, entry) for project in listed if project is not same]
    noted = (*(other for other in others if other), entry)
    if sorted(noted) != sorted(listed):
        store(root, noted)


def _off(project: Project, entry: Project) -> Project | None:
    """Return a listed project after `entry` took over its path, None if it goes."""
    if project.path != entry.path:
        return project
    # Another project is there now; this one keeps its name for when it is found again.
    is_other = project.id not in ("", entry.id) and bool(project.name)
    return project._replace(path="") if is_other else None


def _id_path(folder: str) -> str:
    return os.path.join(folder, roots.MEMORIES, "index", "project-id")


def _list_path(root: Root) -> str:
    return os.path.join(root.path, "projects.json")
