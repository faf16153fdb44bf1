"""List, find, rename and forget the projects of a user."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from daily_memory.core import projects
from daily_memory.core.projects import Project
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.storage import days, observations, project_list, roots, signatures
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root


class ListedProject(NamedTuple):
    """A project with its number of sessions and its last day.

    The sessions of `unread` days, such as encrypted ones without the key, are not counted.
    """

    project: Project
    is_there: bool
    sessions: int
    last_use: str
    unread: int = 0


def listed(root: Root) -> tuple[ListedProject, ...]:
    """Return the projects that the global root knows, the last used first."""
    found = [_look(project) for project in project_list.load_projects(root)]
    return tuple(sorted(found, key=lambda one: one.last_use, reverse=True))


def _look(project: Project) -> ListedProject:
    if not project_list.is_there(project):
        return ListedProject(project, False, 0, "")
    root = roots.project_root(project.path)
    try:
        count = unread = 0
        for day in days.each_day(root):
            count += len(day.sections)
            unread += not day.sections and any(not problem.line for problem in day.problems)
        seen = [file.day.isoformat() for file in days.list_days(root)]
        seen += observations.list_days(root)
    except DailyMemoryError:
        return ListedProject(project, True, 0, "")
    return ListedProject(project, True, count, max(seen, default=""), unread)


def note(root: Root, folder: str, *, wait_s: float) -> None:
    """Add a project to the list, or update it."""
    files.make_folder(root.path)
    with locked(root, wait_s=wait_s):
        files.remove_leftovers(root.path)
        signatures.remove_leftovers(root.path)
        project_list.note(root, folder)


def get(root: Root, text: str, further: Iterable[str] = ()) -> Project:
    """Return the project of a name or a folder; `further` are more names for the hint.

    Raises:
        NotFoundError: there is none; the hint has similar names.
        ConflictError: several have that name.
    """
    known = project_list.load_projects(root)
    path = os.path.abspath(os.path.expanduser(text))
    at_path = [project for project in known if project.path and project.path in (text, path)]
    found = tuple(at_path) or projects.find_named(known, text)
    if len(found) > 1:
        there = tuple(project for project in found if project_list.is_there(project))
        found = there or found
    if len(found) > 1:
        paths = ", ".join(project.path for project in found)
        hint = f"name the folder, or give one another name with `memory projects rename`: {paths}"
        raise ConflictError(f"{len(found)} projects are called {text!r}", hint=hint)
    if not found:
        raise unknown(text, [*(project.title for project in known), *further])
    return found[0]


def unknown(name: str, names: Iterable[str]) -> NotFoundError:
    """Return the error for an unknown project, with similar names."""
    known = sorted({one for one in names if one})
    near = projects.near_names(known, name)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    else:
        hint = f"known: {', '.join(known[:20])}" if known else "there is none yet"
        hint = f"{hint}; a folder will do as well"
    shown = repr(name if len(name) <= 40 else f"{name[:40]}…")
    return NotFoundError(f"no project {shown}", hint=hint)


def forget(root: Root, text: str, *, dry_run: bool = False) -> Project:
    """Remove a project from the list, and nothing else; return it."""
    with locked(root):
        project = get(root, text)
        if not dry_run:
            known = project_list.load_projects(root)
            project_list.store(root, tuple(one for one in known if one != project))
    return project


def rename(root: Root, text: str, name: str) -> Project:
    """Rename a project, not its folder; return it renamed.

    Raises:
        InvalidInputError: the name could be a folder.
        ConflictError: another project has that name.
    """
    is_usable = name == name.strip() and name.isprintable() and 0 < len(name) <= 100
    if not is_usable or name[0] in "-.~" or set(name) & set("/\\"):
        hint = "take one without slashes, up to 100 characters, that does not begin with - . or ~"
        raise InvalidInputError(f"{name!r} is no name for a project", hint=hint)
    with locked(root):
        project = get(root, text)
        known = project_list.load_projects(root)
        others = [one for one in known if one != project]
        taken = [one for one in others if one.title.casefold() == name.casefold()]
        if taken:
            hint = f"it is that of {taken[0].path or 'a project that is gone'}"
            raise ConflictError(f"the name {name!r} is taken", hint=hint)
        renamed = projects.named(project, name)
        project_list.store(root, (*others, renamed))
    return renamed
