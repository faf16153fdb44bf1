"""Which memories a client may ask: that of the server's project, and of projects it was allowed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from daily_memory.core.hosts.events import Event
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.memory import Memory


class Access:
    """Opens memories, a new one for each request, so that edits of `config.json` count.

    `own` opens the memory of the server's project, `allowed` are the folders of further ones.
    `person`: whose token it is, if they are elsewhere.
    """

    def __init__(
        self, own: Callable[[], Memory], allowed: Sequence[str] = (), *, person: str = ""
    ) -> None:
        self._open = own
        self._person = person
        self._allowed = tuple(os.path.abspath(os.path.expanduser(folder)) for folder in allowed)

    def unused(self) -> frozenset[str]:
        """Return the arguments that say nothing here: of projects if there is one, and of a team.

        Outside any project a call may say whose notes it means.
        """
        try:
            own = self._own()
            has_team = own.settings.mirror.has_team and not self._person
            is_alone = bool(own.project) and not self._allowed
        except (DailyMemoryError, OSError):
            has_team = is_alone = False  # the tools stay listed; each call says what is wrong
        return frozenset(["project"] * is_alone + ["team"] * (not has_team))

    def open(self, project: str = "") -> Memory:
        """Return the memory of a project, by its folder or the name of that; without one our own.

        A server outside any project has the memory of the user alone, which is that of all.
        """
        own = self._own()
        allowed = [own.projects.around(folder) or folder for folder in self._allowed]
        if not project:
            return own
        folders = [folder for folder in dict.fromkeys((own.project, *allowed)) if folder]
        # A folder inside a project means that project, as it does for everybody else.
        around = own.projects.around(os.path.expanduser(project)) or project
        for folder in folders:
            is_named = _is_named(project, folder) or _is_named(around, folder)
            if is_named or project == own.projects.title(folder):
                return own if folder == own.project else own.in_folder(folder, is_guest=True)
        if not own.project:
            return own
        raise InvalidInputError(
            f"project {project!r} is not open to this server",
            hint=f"these are: {', '.join(map(os.path.basename, folders))}; the user can allow"
            " another one with `memory mcp --allow-project DIR`",
        )

    def open_live(self, conversation: str) -> Memory:
        """Return the memory that has this live session; our own where none has."""
        if not self._allowed:
            return self._own()  # without a look into what may be long
        for memory in self._each():
            try:
                memory.observations.live(conversation)
            except NotFoundError:
                continue
            return memory
        return self._own()

    def open_for(self, event: Event) -> Memory:
        """Return the memory of the folder that a host names."""
        return self.open(self._own().projects.around(event.folder))

    def _own(self) -> Memory:
        own = self._open()
        allowed = [own.projects.around(folder) or folder for folder in self._allowed]
        own.projects.limit(allowed, person=self._person)
        return own

    def _each(self) -> Iterator[Memory]:
        own = self._own()
        yield own
        for folder in self._allowed:
            if os.path.isdir(folder) and folder != own.project:
                yield own.in_folder(folder, is_guest=True)


def _is_named(project: str, folder: str) -> bool:
    if project == os.path.basename(folder):
        return True
    # A name is not looked for in the folder that we happen to run in.
    path = os.path.expanduser(project)
    is_path = os.path.isabs(path) and "\0" not in path
    return is_path and os.path.realpath(path) == os.path.realpath(folder)
