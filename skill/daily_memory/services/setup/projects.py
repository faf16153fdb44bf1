"""`memory.projects`: the list of the user's projects, and their names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daily_memory.core import projects
from daily_memory.core.projects import Project
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.services import MemoryPart
from daily_memory.storage import days, discovery, observations, project_list, roots
from daily_memory.storage.fs.lock import locked
from daily_memory.text import filled


class ListedProject(NamedTuple):
    """A project with its number of sessions and its last day.

    The sessions of `unread` days, such as encrypted ones without the key, are not counted.
    """

    project: Project
    is_there: bool
    sessions: int
    last_use: str
    unread: int = 0


class Projects(MemoryPart):
    """The projects whose memories were used on this machine. No memory is changed here."""

    def list(self) -> tuple[ListedProject, ...]:
        """Return the projects on the list, the last used first."""
        workspace = self._workspace
        if workspace.project_root:
            folder = roots.project_folder(workspace.project_root)
            # Lists a moved project again, but no forgotten one.
            if any(
                known.id == project_list.load_id(folder) != "" for known in workspace.known_projects
            ):
                workspace.after_write(workspace.project_root)
        every = map(_counted, project_list.load_projects(workspace.global_root))
        return tuple(sorted(every, key=lambda listed: listed.last_use, reverse=True))

    def missing(self) -> tuple[Project, ...]:
        """Return the projects on the list whose memory is not where it was."""
        listed = project_list.load_projects(self._workspace.global_root)
        return tuple(project for project in listed if not project_list.is_there(project))

    def names(self) -> tuple[str, ...]:
        """Return the names of the projects that any memory knows, in order."""
        names = {root.project for root in self._workspace.search_roots("all")}
        for root in self._workspace.search_roots("global"):
            names |= {one.session.project for day in days.each_day(root) for one in day.sections}
        return tuple(sorted(names - {""}))

    def check(self, name: str) -> None:
        """Raise NotFoundError, with similar names, if no project has this name."""
        is_listed = projects.find_named(self._workspace.known_projects, name)
        if not is_listed and name not in (known := self.names()):
            raise _unknown(name, known)

    def folder(self, name: str) -> str:
        project = self._get(name, self.names())
        if not os.path.isdir(project.path):
            hint = "if you moved it, run any command in its new folder"
            raise NotFoundError("the folder {!r} of {!r} is gone", project.path, name, hint=hint)
        return project.path

    def title(self, folder: str) -> str:
        """Return the name of the project at a folder: the user's name for it, or the folder's."""
        return self._workspace.named_root(folder).project

    def around(self, folder: str) -> str:
        """Return the project that a folder is in, outside any the folder itself."""
        workspace = self._workspace
        if not os.path.isabs(folder) or "\0" in folder:
            return ""
        if os.path.realpath(folder) == os.path.realpath(workspace.home):
            return ""
        return discovery.around(folder, workspace.environment, workspace.home).folder or folder

    def reason(self) -> str:
        """Return why this folder is the project, such as the top of a repository."""
        return self._workspace.project_place.why

    def limit(self, folders: Sequence[str], *, person: str = "") -> None:
        """Limit ids to the projects at these folders.

        A `person` who asks remotely has no access to the global memory and the team, and is the
        origin of what they save.
        """
        self._workspace.allowed_projects = tuple(folders)
        self._workspace.person = person

    def add(self, folder: str | os.PathLike[str]) -> Project:
        """Put the memory of a folder on the list of projects."""
        workspace = self._workspace
        path = discovery.get_project(os.fspath(folder), workspace.home)
        root = roots.project_root(path)
        if not root.exists or root.path == workspace.global_root.path:
            hint = filled("make one with `memory init --project {}`", path)
            raise InvalidInputError("no project's memory in {!r}", path, hint=hint)
        workspace.note_project(path, wait_s=8)
        return next(project for project in workspace.known_projects if project.path == path)

    def forget(self, name: str, *, dry_run: bool = False) -> Project:
        """Take a project off the list, by its name or folder; its memory stays as it is."""
        root = self._workspace.global_root
        with locked(root):
            project = self._get(name)
            if not dry_run:
                known = project_list.load_projects(root)
                project_list.store(root, tuple(other for other in known if other != project))
        self._workspace.reload_projects()
        return project

    def rename(self, name: str, new: str) -> Project:
        """Give a project another name; its folder stays, and the old name still finds it."""
        is_usable = new == new.strip() and new.isprintable() and 0 < len(new) <= 100
        if not is_usable or new[0] in "-.~" or set(new) & set("/\\"):
            hint = (
                "take one without slashes, up to 100 characters, that does not begin with - . or ~"
            )
            raise InvalidInputError("{!r} is not a valid name for a project", new, hint=hint)
        workspace = self._workspace
        with locked(workspace.global_root):
            project = self._get(name)
            known = project_list.load_projects(workspace.global_root)
            others = [other for other in known if other != project]
            taken = [other for other in others if other.title.casefold() == new.casefold()]
            if taken:
                hint = filled("it belongs to {}", taken[0].path or "a project that is gone")
                raise ConflictError("the name {!r} is taken", new, hint=hint)
            renamed = projects.renamed(project, new)
            project_list.store(workspace.global_root, (*others, renamed))
        workspace.reload_projects()
        own = workspace.project_root
        if own and roots.project_folder(own) == renamed.path:
            workspace.project_root = own._replace(project=renamed.title)
        return renamed

    def _get(self, text: str, further: Iterable[str] = ()) -> Project:
        """Return the project of a name or a folder; `further` are more names for the hint."""
        known = project_list.load_projects(self._workspace.global_root)
        path = os.path.abspath(os.path.expanduser(text))
        at_path = [project for project in known if project.path and project.path in (text, path)]
        found = tuple(at_path) or projects.find_named(known, text)
        if len(found) > 1:
            found = tuple(filter(project_list.is_there, found)) or found
        if len(found) > 1:
            paths = ", ".join(project.path for project in found)
            raise ConflictError(
                "{} projects are called {!r}",
                len(found),
                text,
                hint=filled(
                    "name the folder, or give one another name with `memory projects rename`: {}",
                    paths,
                ),
            )
        if not found:
            raise _unknown(text, [*(project.title for project in known), *further])
        return found[0]


def _counted(project: Project) -> ListedProject:
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


def _unknown(name: str, names: Iterable[str]) -> NotFoundError:
    known = sorted({*names} - {""})
    near = projects.near_names(known, name)
    if near:
        hint = filled("did you mean {}?", " or ".join(near))
    else:
        hint = filled("known: {}", ", ".join(known[:20])) if known else "there is none yet"
        hint = filled("{}; a folder works too", hint)
    shown = repr(name if len(name) <= 40 else f"{name[:40]}…")
    return NotFoundError("no project {}", shown, hint=hint)
