"""`memory.setup`: make memories folders, set up git and hosts."""

from __future__ import annotations

import os
from collections.abc import Sequence

from daily_memory.core.hosts import table
from daily_memory.core.hosts.names import host_name
from daily_memory.errors import InvalidInputError
from daily_memory.services import MemoryPart
from daily_memory.services.setup import git, init, install
from daily_memory.services.setup.git import Registration
from daily_memory.services.setup.install import Installation, Site
from daily_memory.services.setup.program import find_program
from daily_memory.storage import project_list, roots
from daily_memory.storage.git import repository
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.services.setup.uninstall import Removal


class Setup(MemoryPart):
    """What is done once: for a memory, for a repository, for a host."""

    def init(self, scope: str = "") -> tuple[Root, tuple[str, ...]]:
        """Make a memories folder from the template; return it and the new files. Safe to repeat."""
        root = self._workspace.save_root(scope)
        made = init.init(root)
        self._workspace.after_write(root)
        return root, made

    def copy_example(self, project: str) -> None:
        """Make a new project with a memory of two months, to try everything on."""
        init.copy_example(project)

    def init_git(
        self, command: Sequence[str], scope: str = ""
    ) -> tuple[Root, tuple[str, ...], Registration]:
        """Do what `init` does, and let git merge day files section by section.

        `command` is the command line of this package that git will run. Safe to repeat.
        """
        repository.get_top(self._workspace.save_root(scope).path)
        root, made = self.init(scope)
        return root, made, git.register(root, command)

    @staticmethod
    def merge_days(base: str, ours: str, theirs: str, name: str = "") -> bool:
        """Merge three versions of a day file, given by their paths, into the one at `ours`.

        `name` is its path in the repository. Returns whether there was no conflict.
        """
        return git.merge_files(base, ours, theirs, name)

    def install(
        self,
        host: str,
        *,
        scope: str = "",
        uninstall: bool = False,
        dry_run: bool = False,
        argv: Sequence[str] = (),
    ) -> Installation:
        """Set up Daily Memory in a host such as `cursor`, or remove it again.

        `scope` is `project` or `user`, by default the project if there is one. `command` is how
        the host calls us, by default the `memory` of this installation.
        """
        host = host_name(host)
        if host not in table.NAMES:
            raise InvalidInputError("host {!r} is not one of {}", host, ", ".join(table.NAMES))
        site = install.site_of(
            self._workspace, scope or ("project" if self._workspace.project else "user")
        )
        return install.install(host, site, find_program(argv), uninstall=uninstall, dry_run=dry_run)

    def uninstall(self, *, dry_run: bool = False, argv: Sequence[str] = ()) -> Removal:
        """Remove everything outside the memories, for the user and in each project on the list."""
        from daily_memory.services.setup import uninstall  # rarely needed

        workspace = self._workspace
        workspace.reload_projects()
        folders = {known.path for known in workspace.known_projects if project_list.is_there(known)}
        folders |= {workspace.project} - {""}
        sites = [
            Site("project", folder, workspace.home, workspace.environment)
            for folder in sorted(folders)
            if os.path.realpath(folder) != os.path.realpath(workspace.home)
        ]
        sites.append(install.site_of(workspace, "user"))
        every = [roots.project_root(site.folder) for site in sites[:-1]] + [workspace.global_root]
        command = find_program(argv)
        return uninstall.uninstall(workspace.home, sites, every, command, dry_run=dry_run)

    def find_hosts(self) -> list[str]:
        """Return the names of the hosts that are used on this computer."""
        site = install.site_of(self._workspace, "user")
        return [host.name for host in install.find_hosts(site)]

    def recording_hosts(self) -> list[str]:
        """Return the titles of the hosts whose hooks or plugin record here."""
        from daily_memory.services.setup import host_checks  # only the start page asks

        scopes = ("project", "user") if self._workspace.project else ("user",)
        return host_checks.recording([install.site_of(self._workspace, scope) for scope in scopes])
