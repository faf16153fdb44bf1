"""`memory.projects`: the list of the user's projects, and their names."""

from __future__ import annotations

import os
from collections.abc import Sequence

from daily_memory.core.projects import Project, find_named
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.parts import MemoryPart
from daily_memory.services.reading import browse
from daily_memory.services.setup import projects
from daily_memory.services.setup.projects import ListedProject
from daily_memory.storage import discovery, project_list, roots


class Projects(MemoryPart):
    """The projects whose memories were used on this machine. No memory is changed here."""

    def list(self) -> tuple[ListedProject, ...]:
        """Return the projects on the list, the last used first."""
        workspace = self._workspace
        if workspace.project_root:
            folder = roots.project_folder(workspace.project_root)
            # A moved project is found again; a forgotten one stays off until it is used.
            if any(known.id == project_list.load_id(folder) != "" for known in workspace.listed):
                workspace.after_write(workspace.project_root)
        return projects.listed(workspace.global_root)

    def missing(self) -> tuple[Project, ...]:
        """Return the projects on the list whose memory is not where it was."""
        listed = project_list.load_projects(self._workspace.global_root)
        return tuple(project for project in listed if not project_list.is_there(project))

    def names(self) -> tuple[str, ...]:
        """Return the names of the projects that any memory knows, in order."""
        names = {root.project for root in self._workspace.search_roots("all")}
        own = self._workspace.search_roots("global")
        names |= {found.session.project for found in browse.sessions(own)}
        return tuple(sorted(names - {""}))

    def check(self, name: str) -> None:
        """Raise NotFoundError, with similar names, if no memory knows a project of this name."""
        if not find_named(self._workspace.listed, name) and name not in (known := self.names()):
            raise projects.unknown(name, known)

    def folder(self, name: str) -> str:
        project = projects.get(self._workspace.global_root, name, self.names())
        if not os.path.isdir(project.path):
            hint = "if you moved it, run any command in its new folder"
            raise NotFoundError(f"the folder {project.path!r} of {name!r} is gone", hint=hint)
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
        return self._workspace.place.why

    def limit(self, folders: Sequence[str], *, person: str = "") -> None:
        """Let ids name no other projects than these folders.

        For a `person` from elsewhere there is no global memory and no team, and what they save has
        them as its origin.
        """
        self._workspace.reachable = tuple(folders)
        self._workspace.person = person

    def add(self, folder: str | os.PathLike[str]) -> Project:
        """Put the memory of a folder on the list of projects."""
        workspace = self._workspace
        path = discovery.get_project(os.fspath(folder), workspace.home)
        root = roots.project_root(path)
        if not root.exists or root.path == workspace.global_root.path:
            hint = f"make one with `memory init --project {path}`"
            raise InvalidInputError(f"no project's memory in {path!r}", hint=hint)
        workspace.note_project(path, wait_s=8)
        return next(project for project in workspace.listed if project.path == path)

    def forget(self, name: str, *, dry_run: bool = False) -> Project:
        """Take a project off the list, by its name or folder; its memory stays as it is."""
        project = projects.forget(self._workspace.global_root, name, dry_run=dry_run)
        self._workspace.reload_projects()
        return project

    def rename(self, name: str, new: str) -> Project:
        """Give a project another name; its folder stays, and the old name still finds it."""
        workspace = self._workspace
        renamed = projects.rename(workspace.global_root, name, new)
        workspace.reload_projects()
        own = workspace.project_root
        if own and roots.project_folder(own) == renamed.path:
            workspace.project_root = own._replace(project=renamed.title)
        return renamed
