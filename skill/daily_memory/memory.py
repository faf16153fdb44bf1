"""`Memory`: the one public door. It finds the roots, reads the settings, and wires the parts.

Services are imported inside the methods: a search must not pay for what only a save needs.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from daily_memory.core.settings import DEFAULTS, Settings
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.storage import discovery, opening, roots, signatures
from daily_memory.storage import project_list as projects
from daily_memory.storage.fs import files, ownership
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from daily_memory.core.hosts.events import Event
    from daily_memory.core.layers import InForce
    from daily_memory.core.pages.report import Counts
    from daily_memory.core.projects import Project
    from daily_memory.core.record import Record
    from daily_memory.model import Problem, Session
    from daily_memory.services.changing.edit import Edited, Opened
    from daily_memory.services.changing.purge import Purged, Target
    from daily_memory.services.changing.sanitize import Sanitized
    from daily_memory.services.changing.undo import Listed as Operation
    from daily_memory.services.changing.undo import Undone
    from daily_memory.services.importing.conversations import BackfillResult
    from daily_memory.services.importing.sessions import ImportResult
    from daily_memory.services.reading.browse import Found, Page
    from daily_memory.services.reading.inject import Injection
    from daily_memory.services.reading.mirror import Status
    from daily_memory.services.reading.records import RecordResult
    from daily_memory.services.reading.search import SearchResult
    from daily_memory.services.reading.selection import Choice
    from daily_memory.services.reading.sources import Query
    from daily_memory.services.setup.config import Setting
    from daily_memory.services.setup.encryption import Key as EncryptionKey
    from daily_memory.services.setup.encryption import Plan as EncryptionPlan
    from daily_memory.services.setup.encryption import Result as Conversion
    from daily_memory.services.setup.encryption import Unlocked
    from daily_memory.services.setup.git import Registration
    from daily_memory.services.setup.install import Installation, Site
    from daily_memory.services.setup.program import Program
    from daily_memory.services.setup.projects import Listed
    from daily_memory.services.upkeep.archive import Due, Moved
    from daily_memory.services.upkeep.cleanup import Proposal
    from daily_memory.services.upkeep.dedupe import Merged, Pair
    from daily_memory.services.upkeep.doctor import Report
    from daily_memory.services.upkeep.review import Reviewed
    from daily_memory.services.upkeep.summary import Summary
    from daily_memory.services.writing.hook import Handled
    from daily_memory.services.writing.live import Ended, Logged, Over
    from daily_memory.services.writing.save import SaveResult
    from daily_memory.storage.keys import Ring
    from daily_memory.storage.observations import Live

SCOPES = ("project", "global", "all")
Progress = Callable[[int, int], None]


class Memory:
    """The memory of a project, with the global memory behind it.

    `project` is the project's folder; without it, the project that the folder `around` is in, or
    that folder; without both, the project that the working directory is in. Outside any project,
    which `""` stands for, there is the global memory alone. `home` is the
    folder whose `.cursor/skills/memories` is the global root. `clock` gives the local time, with
    its zone. `ask_passphrase` is called where the key of an encrypted memory wants a passphrase,
    and nothing else gives it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> memory = Memory(folder, home=folder + "/home")
    >>> saved = memory.save({"topic": "Redis TTL", "key_points": ["缓存 TTL 定为 300 秒"]})
    >>> [hit.session.topic for hit in memory.search("缓存多久过期？TTL").hits]
    ['Redis TTL']

    Raises:
        InvalidInputError: the project is not a folder, or it is somebody else's.
    """

    def __init__(
        self,
        project: str | os.PathLike[str] | None = None,
        *,
        around: str = "",
        home: str | os.PathLike[str] | None = None,
        clock: Callable[[], datetime] | None = None,
        environment: Mapping[str, str] | None = None,
        ask_passphrase: Callable[[], str] | None = None,
    ) -> None:
        environment = os.environ if environment is None else environment
        folder = os.fspath(home) if home is not None else roots.home_folder(environment)
        self._modes = signatures.SignedModes(folder)
        self._settled: dict[str, Root] = {}
        self._set_aside: tuple[Problem, ...] = ()
        self.global_root = roots.global_root(folder)._replace(modes=self._modes)
        self._ask_passphrase = ask_passphrase
        opening.register(self._home(), environment, ask_passphrase)
        if project is not None:
            named = discovery.get_project(os.fspath(project), folder) if project != "" else ""
            self.found = discovery.Found(named, discovery.NAMED)
        elif around:
            self.found = discovery.get_around(around, environment, folder)
        else:
            self.found = discovery.discover(os.getcwd(), environment, folder)
        self.project = self.found.folder
        self.passed_over = {one.folder: one for one in self.found.passed_over}
        self._listed = projects.find_projects(self.global_root)
        self.project_root = self._own_root(self.project) if self.project else None
        self._clock = clock or _local_time
        self._environment = environment
        self._in_force: InForce | None = None
        self._follow_project()
        self._reach: tuple[str, ...] | None = None

    # ------------------------------------------------------------------ settings and roots

    @property
    def settings(self) -> Settings:
        """The settings in force: the project's `config.json` on the user's own on the defaults."""
        return self._load_settings().settings if self._has_settings() else DEFAULTS

    @property
    def settings_problems(self) -> tuple[Problem, ...]:
        """What is wrong in either `config.json`, what a project's may not set, and what was just
        moved aside, since this user did not make it.
        """
        found = self._load_settings().problems if self._has_settings() else ()
        return (*found, *self._noted_problems(), *self._set_aside)

    def _own_root(self, project: str) -> Root:
        """Return the root of a project; in a worktree, where so set, that of the main checkout."""
        own = self._named_root(project)
        main = discovery.main_checkout(project)
        if not main or self._is_foreign(main):
            return own
        from daily_memory.storage import settings_file  # only in a worktree

        shared = self._named_root(main)
        asked = [root for root in (own, shared) if os.path.lexists(root.config)]
        found = settings_file.load_settings(self.global_root, [*asked, self.global_root][0])
        return shared if found.settings.storage.worktrees == "shared" else own

    def _follow_project(self) -> None:
        """Find a project again whose folder was moved: it comes back with the name that it had."""
        root = self.project_root
        folder = roots.project_folder(root) if root else ""
        if not root or not self._listed or any(one.path == folder for one in self._listed):
            return
        id_ = projects.load_id(folder)
        # Where it still is, this is a copy, and that is entered with its first save.
        if any(id_ and one.id == id_ and not projects.is_there(one) for one in self._listed):
            self._remember_project(root)
            self.project_root = self._own_root(self.project)

    def _named_root(self, project: str) -> Root:
        """Return the root of a project, under the name that the user gave it."""
        root = roots.project_root(project)._replace(modes=self._modes)
        folder = roots.project_folder(root)
        name = next((one.title for one in self._listed if one.path == folder), "")
        # Who names the home folder as a project has the global memory before him.
        label = roots.GLOBAL if root.path == self.global_root.path else ""
        return root._replace(project=name or root.project, label=label)

    def settings_path(self) -> str:
        """Return the `config.json` that `set` changes: the project's, and outside any your own."""
        return self._settings_root().config

    def _settings_root(self) -> Root:
        return self.project_root or self.global_root

    def _has_settings(self) -> bool:
        """Tell whether any `config.json` is there: without one, no parser has to be loaded."""
        if self._in_force is not None:
            return True
        own, settings = self.global_root.config, self._settings_root().config
        # A link that leads nowhere is there, and can't be read.
        return os.path.lexists(settings) or (settings != own and os.path.lexists(own))

    def _load_settings(self) -> InForce:
        if self._in_force is None:
            from daily_memory.storage import settings_file  # only where there are any

            self._in_force = settings_file.load_settings(self.global_root, self.project_root)
        return self._in_force

    def set(self, name: str, value: object) -> None:
        """Change a setting, such as `retrieval.max_results`, in the `config.json` of the project.

        Outside any project that is your own, which counts in all of them.

        Raises:
            InvalidInputError: there is no such setting, it can't have that value, or a project's
                file may not set it so.
            ConflictError: somebody else saved the file at this moment.
        """
        from daily_memory.services.setup import config

        config.change(self._settings_root(), self.global_root, name, value)
        self._in_force = None

    def unset(self, name: str) -> None:
        """Take a setting out of that file: what lies below holds again.

        Raises:
            InvalidInputError: there is no such setting.
            ConflictError: somebody else saved the file at this moment.
        """
        from daily_memory.services.setup import config

        config.reset(self._settings_root(), name)
        self._in_force = None

    def described_settings(self) -> tuple[Setting, ...]:
        """Return every setting with its value, its default, its meaning and where it comes from."""
        from daily_memory.services.setup import config

        return config.describe(self._load_settings())

    def settings_text(self) -> str:
        """Return the `config.json` that `set` changes as it stands, for an editor.

        Raises:
            InvalidInputError: it is not UTF-8.
        """
        from daily_memory.services.setup import config

        return config.load_text(self._settings_root())

    def replace_settings(self, text: str, before: str) -> bool:
        """Put another text in the place of the `config.json` that was `before`.

        Returns whether anything changed.

        Raises:
            InvalidInputError: it has a fault that it did not have before; nothing was written.
            ConflictError: the file changed meanwhile.
        """
        from daily_memory.services.setup import config

        is_changed = config.replace_text(self._settings_root(), text, before)
        self._in_force = None
        return is_changed

    def save_root(self, scope: str = "") -> Root:
        """Return the root that a save goes to, by `scope` or else by `storage.location`.

        Raises:
            InvalidInputError: the project's root is wanted outside any project.
        """
        location = {"project": "project-only", "global": "global-only"}.get(scope)
        location = location or self.settings.storage.location
        if scope and scope not in SCOPES[:2]:
            raise InvalidInputError(f"scope {scope!r}: only project or global will do here")
        if location == "global-only" or (location == "project-first" and not self.project_root):
            return self._ready(self.global_root)
        if self.project_root is None:
            raise InvalidInputError(
                "not inside a project", hint="name one with --project, or use --scope global"
            )
        return self._ready(self.project_root)

    def search_roots(self, scope: str = "") -> list[Root]:
        """Return the roots that are asked, the project's first, by `scope` or the settings.

        Raises:
            InvalidInputError: the scope is none of SCOPES.
        """
        if scope and scope not in SCOPES:
            raise InvalidInputError(f"scope {scope!r} is not one of {', '.join(SCOPES)}")
        location = self.settings.storage.location
        wanted = []
        if self.project_root and (
            scope in ("project", "all") or (not scope and location != "global-only")
        ):
            wanted.append(self.project_root)
        if scope == "all":
            self._listed = projects.find_projects(self.global_root)
            paths = [one.path for one in self._listed if one.path]
            wanted += [self._other_root(one) for one in paths if not self._is_foreign(one)]
        if scope in ("global", "all") or (not scope and location != "project-only"):
            wanted.append(self.global_root)
        unique: dict[str, Root] = {}
        for root in wanted:
            if root.exists:
                unique.setdefault(os.path.realpath(root.path), self._ready(root))
        return list(unique.values())

    def _other_root(self, project: str) -> Root:
        """Return the root of another project, whose ids begin with its name.

        Where another memory is called so too, they begin with its folder.
        """
        root = self._named_root(project)
        folder = roots.project_folder(root)
        taken = {one.title for one in self._listed if one.path not in ("", folder)} | {roots.GLOBAL}
        own = self.project_root
        taken |= {own.project} if own and own.path != root.path else set()
        label = folder if root.project in taken else root.project
        return root._replace(label=label, is_own=False)

    def _roots_of(self, ids: Iterable[str], scope: str) -> list[Root]:
        """Return the roots that are asked for these ids: with no scope also others that they name.

        What one door prints, each other door takes.
        """
        from daily_memory.core.format.session_json import split_id

        found = self.search_roots(scope)
        labels = {split_id(one)[0] for one in ids} - {""}
        if scope or all(any(root.is_called(label) for root in found) for label in labels):
            return found
        if self._reach is None:
            further = self.search_roots("all")
        else:
            named = (self._other_root(folder) for folder in self._reach)
            further = [self._ready(root) for root in (*named, self.global_root) if root.exists]
        known = {root.path for root in found}
        return [*found, *(root for root in further if root.path not in known)]

    def limit_projects(self, folders: Sequence[str]) -> None:
        """Let ids name no other projects than those of these folders."""
        self._reach = tuple(folders)

    def project_names(self) -> tuple[str, ...]:
        """Return the names of the projects that any memory knows of, in order."""
        named = {root.project for root in self.search_roots("all")}
        named |= {found.session.project for found in self.sessions(scope="global")}
        return tuple(sorted(named - {""}))

    def names_of_project(self, name: str) -> tuple[str, ...]:
        """Return all names of the project that has this one or had it, its present one first."""
        from daily_memory.core.projects import find_named

        found = find_named(self._listed, name)
        former = [one for project in found for one in project.former]
        return tuple(dict.fromkeys([found[0].title if found else name, *former]))

    def check_project(self, name: str) -> None:
        """See that some memory knows a project of this name, so that a slip is no empty answer.

        Raises:
            NotFoundError: none does; the hint has the names that are like it.
        """
        from daily_memory.core.projects import find_named
        from daily_memory.services.setup import projects as placing

        known = () if find_named(self._listed, name) else self.project_names()
        if name not in known and not find_named(self._listed, name):
            raise placing.unknown(name, known)

    def projects(self) -> tuple[Listed, ...]:
        """Return the projects that were seen, the last used first."""
        from daily_memory.services.setup import projects as placing

        if self.project_root:
            # One that was moved is found again; one that was forgotten stays so until it is used.
            id_ = projects.load_id(roots.project_folder(self.project_root))
            if any(one.id == id_ for one in self._listed if id_):
                self._remember_project(self.project_root)
        return placing.listed(self.global_root)

    def project_folder(self, name: str) -> str:
        """Return the folder of the project of a name.

        Raises:
            NotFoundError: there is none, or it is not where it was.
            ConflictError: there are several.
        """
        from daily_memory.services.setup import projects as placing

        project = placing.get(self.global_root, name, self.project_names())
        if not os.path.isdir(project.path):
            hint = "run any command in its folder, and it is found again"
            raise NotFoundError(f"the folder {project.path!r} of {name!r} is gone", hint=hint)
        return project.path

    def missing_projects(self) -> tuple[Project, ...]:
        """Return the projects of the list whose memory is not where it was."""
        listed = projects.load_projects(self.global_root)
        return tuple(one for one in listed if not projects.is_there(one))

    def add_project(self, folder: str | os.PathLike[str]) -> Project:
        """Enter the memory of a folder into the list of projects; return it.

        Raises:
            InvalidInputError: it is no folder, or has no memory.
            ConflictError: another process held the lock too long.
        """
        path = discovery.get_project(os.fspath(folder), self._home())
        root = roots.project_root(path)
        if not root.exists or root.path == self.global_root.path:
            hint = f"make one with `memory init --project {path}`"
            raise InvalidInputError(f"no project's memory in {path!r}", hint=hint)
        self._note_project(path, wait_s=8)
        return next(one for one in self._listed if one.path == path)

    def forget_project(self, name: str, *, dry_run: bool = False) -> Project:
        """Take a project, by its name or folder, off the list; its memory stays as it is.

        Raises:
            NotFoundError: there is none.
            ConflictError: there are several of that name.
        """
        from daily_memory.services.setup import projects as placing

        project = placing.forget(self.global_root, name, dry_run=dry_run)
        self._listed = projects.load_projects(self.global_root)
        return project

    def project_title(self, folder: str) -> str:
        """Return what the project at a folder is called: as the user said, else as its folder."""
        return self._named_root(folder).project

    def rename_project(self, name: str, new: str) -> Project:
        """Call a project by another name; its folder stays, and the old name finds it as well.

        Raises:
            InvalidInputError: the new one is no name.
            NotFoundError: there is no such project.
            ConflictError: there are several, or the new name is taken.
        """
        from daily_memory.services.setup import projects as placing

        renamed = placing.rename(self.global_root, name, new)
        self._listed = projects.load_projects(self.global_root)
        if self.project_root and roots.project_folder(self.project_root) == renamed.path:
            self.project_root = self.project_root._replace(project=renamed.title)
        return renamed

    def foreign_project(self, root: Root) -> str:
        """Return the name of the project of a root, "" for this project's own and for none."""
        is_own = self.project_root is not None and root.path == self.project_root.path
        return "" if is_own else root.project

    def in_folder(self, folder: str | os.PathLike[str], *, is_guest: bool = False) -> Memory:
        """Return the memory of another project, with the same global memory and clock.

        As a guest it is looked at from this one: its ids begin with its name.
        """
        memory = Memory(
            folder,
            home=self._home(),
            clock=self._clock,
            environment=self._environment,
            ask_passphrase=self._ask_passphrase,
        )
        memory._reach = self._reach
        if is_guest and memory.project_root:
            label = self._other_root(memory.project).label
            memory.project_root = memory.project_root._replace(label=label)
        return memory

    def project_around(self, folder: str) -> str:
        """Return the project that a folder is in, the folder itself where it is in none.

        "" for the home folder, which is no project, and for what is no absolute path.
        """
        if not os.path.isabs(folder) or "\0" in folder:
            return ""
        if os.path.realpath(folder) == os.path.realpath(self._home()):
            return ""
        return discovery.around(folder, self._environment, self._home()).folder or folder

    def untrusted_projects(self) -> tuple[str, ...]:
        """Return what to tell of the projects that are not used since they are not the user's."""
        return tuple(str(one) for one in self.passed_over.values() if one.is_told)

    def _is_foreign(self, folder: str) -> bool:
        """Tell whether the memory of another folder is not the user's own; note it if so."""
        reason = ownership.fault(folder, self._home())
        if reason and folder != self.project and discovery.has_memory(folder):
            self.passed_over[folder] = discovery.PassedOver(folder, reason, is_told=True)
        return bool(reason)

    def _home(self) -> str:
        return self.global_root.path[: -len(roots.MEMORIES) - 1]

    def _remember_project(self, root: Root) -> None:
        """Note the project in the global root's list, so that `--scope all` finds it."""
        if root.scope != "project":
            return
        folder = roots.project_folder(root)
        try:
            if not projects.is_known(self.global_root, folder):
                self._note_project(folder, wait_s=1)
        except DailyMemoryError:
            # A home that can't be written must not spoil a save: the list is a convenience.
            return

    def _note_project(self, folder: str, *, wait_s: float) -> None:
        from daily_memory.services.setup import projects as placing

        placing.note(self.global_root, folder, wait_s=wait_s)
        self._listed = projects.load_projects(self.global_root)

    def _ready(self, root: Root) -> Root:
        """Return the root with its modes, and with no half of a section in it."""
        root = self._own(root)
        if files.stamp(root.appending)[0] > 0:
            from daily_memory.storage.fs import lock  # hardly ever

            lock.settle(root)
        is_shared = self.settings.storage.shared_mode == "group"
        if self._is_encrypted(root):
            from daily_memory.storage.fs import (
                encryption as sealing,  # what is not encrypted needs none of it
            )

            return root._replace(modes=sealing.Sealed(self._home(), shared=is_shared))
        if not is_shared:
            return root
        return root._replace(modes=signatures.SignedModes(self._home(), shared=True))

    def _own(self, root: Root) -> Root:
        """Return the root with nothing in it that is believed and did not come from this user."""
        if root.scope != "project" or self.settings.storage.shared_mode == "group":
            return root  # the user's own, or that of several users
        if root.path not in self._settled:
            folder = roots.project_folder(root)
            settled, moved = signatures.settle(
                root, lambda: projects.is_known(self.global_root, folder)
            )
            self._settled[root.path] = settled
            self._set_aside += moved
        return root._replace(is_foreign=self._settled[root.path].is_foreign)

    def _is_encrypted(self, root: Root) -> bool:
        """Tell whether a root is to be encrypted: by its settings, or since it was so before."""
        is_said = self._says_encrypted(root)
        # Who never encrypted anything has no such folder, and pays for this look alone.
        if not is_said and not os.path.isdir(roots.notes_folder(self._home())):
            return False
        from daily_memory.storage import encrypted_roots, settings_file

        # Its own file alone: the user's own settings stay, and one with a fault says nothing.
        if is_said and settings_file.load_config(root).values.get("storage.encryption") == "age":
            # A home that can't be written must not keep anything from being encrypted.
            with contextlib.suppress(DailyMemoryError):
                encrypted_roots.note(self._home(), root)
        return is_said or encrypted_roots.is_noted(self._home(), root)

    def _noted_problems(self) -> Iterator[Problem]:
        """Yield a problem for each root that is encrypted though its settings do not say so."""
        if not os.path.isdir(roots.notes_folder(self._home())):
            return
        for root in (self.project_root, self.global_root):
            if root and not self._says_encrypted(root) and self._is_encrypted(root):
                from daily_memory.model import Problem

                message = (
                    "storage.encryption: not said here, but this memory was encrypted: what is"
                    " written still is, until `memory decrypt` runs here"
                )
                yield Problem(root.config, 0, message)

    def _says_encrypted(self, root: Root) -> bool:
        """Tell whether a root is to be encrypted, by its own `config.json` or the user's.

        Where a file can't be used it may say so: then it is, if the user has a key at all.
        """
        is_here = root.path == self._settings_root().path
        if is_here and self.settings.storage.encryption == "none":
            return False
        if not any(map(os.path.lexists, (root.config, self.global_root.config))):
            return False
        from daily_memory.storage import settings_file

        if not is_here and not settings_file.is_encrypted(self.global_root, root):
            return False
        given = map(settings_file.load_config, (root, self.global_root))
        if any(file.values.get("storage.encryption") == "age" for file in given):
            return True
        from daily_memory.storage import keys  # hardly ever
        from daily_memory.storage.fs import encryption as sealing

        return bool(keys.load_recipients(sealing.ring_of(self._home())))

    def init(self, scope: str = "") -> tuple[Root, tuple[str, ...]]:
        """Make a root from the template; return it and the files that were made. Safe to repeat."""
        from daily_memory.services.setup import init as setup

        root = self.save_root(scope)
        made = setup.init(root)
        self._remember_project(root)
        return root, made

    def init_git(
        self, command: Sequence[str], scope: str = ""
    ) -> tuple[Root, tuple[str, ...], Registration]:
        """Make a root as `init` does, and have git merge its days section by section.

        `command` are the words that start the command line of this package from anywhere: git
        will run it. Safe to repeat.

        Raises:
            NotFoundError: the root is in no git repository; nothing was made.
            BackendError: there is no git, or it refuses.
        """
        from daily_memory.services.setup import git
        from daily_memory.storage.git import repository

        repository.get_top(self.save_root(scope).path)
        root, made = self.init(scope)
        return root, made, git.register(root, command)

    @staticmethod
    def merge_days(base: str, ours: str, theirs: str, name: str = "") -> bool:
        """Merge three versions of a day file, given by their paths, into the one at `ours`.

        Needs no root. `name` is the path that the file has in its repository. Returns whether
        there is no conflict; only a file that is no day can have one.

        Raises:
            NotFoundError: a file is missing; nothing was written.
            BackendError: the system or git refused; nothing was written.
        """
        from daily_memory.services.setup import git

        opening.register(roots.home_folder(os.environ), os.environ)
        return git.merge_files(base, ours, theirs, name)

    # ------------------------------------------------------------------ recording

    def save(self, data: Mapping[str, object], *, scope: str = "") -> SaveResult:
        """Save a session or a whole conversation, and return where it stands.

        `data` has the keys of docs/commands.md, `save`; with `messages` it is a conversation,
        which is digested, and which may be skipped by what the user said or by the settings.

        Raises:
            InvalidInputError: a value has the wrong type, or there is nothing to save.
            ConflictError: another process held the lock too long; the session is kept.
            BackendError: the system refused to write.
        """
        from daily_memory.services.writing import save as recording

        root = self.save_root(scope)
        if root.scope == "global" and self.project_root:
            data = {"project": self.project_root.project, **data}
        result = recording.record_data(root, data, self.settings, self._clock(), self._environment)
        self._remember_project(root)
        if not result.skipped:
            self._mirror(root, result.path)
        return result._replace(label=root.label)

    def add(self, text: str, *, tags: Sequence[str] = (), scope: str = "") -> SaveResult:
        """Save a note in one line; words such as `#redis` in it become tags."""
        from daily_memory.services.writing import save as recording

        return self.save(recording.note(text, tags), scope=scope)

    def redact(self, text: str) -> tuple[str, dict[str, int]]:
        """Return the text with secrets hidden, and how many of each kind there were."""
        from daily_memory.core.redaction import privacy
        from daily_memory.services.writing.redaction_policy import policy

        redacted = privacy.redact(text, policy(self.settings))
        return redacted.text, dict(redacted.counts)

    # ------------------------------------------------------------------ retrieval

    def search(
        self,
        query: str,
        *,
        k: int = 0,
        method: str = "",
        since: date | None = None,
        until: date | None = None,
        days: int = 0,
        tags: Sequence[str] = (),
        scope: str = "",
        project: str = "",
        now: date | None = None,
        archived: bool = False,
        progress: Progress | None = None,
    ) -> SearchResult:
        """Return the sessions that match best, best first; none is an answer too.

        `k` is how many at the most, `days` how many days back, `tags` what all of them have.
        `now` asks as if that day were today: what is later does not exist then. With `archived`,
        the archive is searched as well. What is left out is as in the settings.

        Raises:
            InvalidInputError: the scope, the method or a number is none that there is.
        """
        from daily_memory.services.reading.sources import Query

        project, *former = self.names_of_project(project) if project else ("",)
        query_ = Query(
            query, k, method, since, until, days, tuple(tags), project, now, tuple(former)
        )
        return next(self.search_many([query_], scope=scope, archived=archived, progress=progress))

    def search_many(
        self,
        queries: Iterable[Query],
        *,
        scope: str = "",
        archived: bool = False,
        progress: Progress | None = None,
    ) -> Iterator[SearchResult]:
        """Yield the result of each query; the index is looked at once, before the first."""
        from daily_memory.services.reading import search as retrieval

        results = retrieval.search_many(
            self.search_roots(scope),
            queries,
            self.settings.retrieval,
            self.today(),
            progress,
            archived=archived,
        )
        told = self.untrusted_projects() if scope == "all" else ()
        return (one._replace(warnings=(*one.warnings, *told)) for one in results)

    def inject(
        self,
        query: str = "",
        *,
        max_chars: int = 4000,
        scope: str = "",
        now: date | None = None,
        known: frozenset[str] = frozenset(),
        conversation: str = "",
        limit: int = 0,
        project: str = "",
        is_hurried: bool = False,
    ) -> Injection:
        """Return the context block for a new conversation: what matters for the query, or lately.

        `known` are ids that need not be told again; of `conversation` itself nothing is told.
        `limit` is how many sessions at the most, 0 as in the settings; `project` is the name of the
        only project that is wanted. `is_hurried` leaves out days that a large index lacks.

        Raises:
            InvalidInputError: `max_chars` is too small for a block.
        """
        from daily_memory.services.reading import inject as injecting
        from daily_memory.services.reading.sources import Query

        project, *former = self.names_of_project(project) if project else ("",)
        return injecting.inject(
            self.search_roots(scope),
            Query(query, limit, project=project, now=now, former=tuple(former)),
            self.settings.retrieval,
            self.today(),
            max_chars=max_chars,
            known=known,
            conversation=conversation,
            own=self.project_root.path if self.project_root else "",
            is_hurried=is_hurried,
        )

    # ------------------------------------------------------------------ live sessions

    def handle(
        self,
        event: Event,
        *,
        recalls: bool = True,
        in_time: AbstractContextManager[object] | None = None,
    ) -> Handled:
        """Record an event of a host, and return what its conversation should be told.

        Without `recalls` it is told nothing. What follows the recording is done within `in_time`.
        """
        from daily_memory.core.hosts import events
        from daily_memory.services.writing import hook

        settings = self.settings
        if not recalls:
            recall = settings.recall._replace(at_start=False, at_prompt=False, review_days=0)
            settings = settings._replace(recall=recall)
        root = self.save_root()
        handled = hook.handle(
            root,
            event,
            settings,
            self._clock(),
            self._recalled,
            in_time or contextlib.nullcontext(),
            project=self._project_name(),
        )
        if not recalls or event.meaning != events.START:
            return handled
        told = [signatures.untold(root)]
        if self._has_settings():
            from daily_memory.services.setup import settings_alerts  # once a conversation

            loaded = self._load_settings()
            told.insert(0, settings_alerts.of_settings(self._home(), self._settings_root(), loaded))
        reminder = " ".join(filter(None, (*told, handled.reminder)))
        return handled._replace(reminder=reminder)

    def _recalled(self, query: str, known: frozenset[str], conversation: str) -> Injection:
        return self.inject(
            query,
            max_chars=self.settings.recall.max_chars,
            known=known,
            conversation=conversation,
            is_hurried=True,
        )

    def index_by_itself(self) -> None:
        """Bring the indexes up to date that a host had no time to wait for.

        Raises:
            BackendError: the system refused to write.
        """
        from daily_memory.storage.index import refresh

        for root in self.search_roots():
            with contextlib.suppress(ConflictError):  # another process is at it
                refresh.build(root)

    def note_missed(self, event: Event, error: Exception) -> None:
        """Write down that an event could not be handled, where `doctor` finds it."""
        from daily_memory.services.writing import hook

        self.note_fault(hook.explain(event, error))

    def note_fault(self, message: str) -> None:
        """Write down what went wrong where nobody looks; `doctor` tells of it.

        Raises:
            BackendError: the system refused to write.
        """
        from daily_memory.storage import hook_log

        try:
            hook_log.add(self.save_root(), message, self._clock())
        except DailyMemoryError:
            # Where the project can't be written to, the user's own memory may be.
            hook_log.add(self.global_root, message, self._clock())

    def start(
        self,
        conversation: str = "",
        *,
        host: str = "",
        project: str = "",
        meta: Mapping[str, object] | None = None,
    ) -> Live:
        """Begin a live session, or go on with one of that name.

        `project` is the name of its project, without it that of this one; `meta` is kept as it is,
        but for secrets.
        """
        from daily_memory.core.hosts.names import host_name
        from daily_memory.services.writing import live

        root, now = self.save_root(), self._clock()
        # Two that begin in one second are two.
        name = conversation or f"{now:%Y%m%dT%H%M%S}-{os.urandom(2).hex()}"
        name = self._clean_name(name)
        beginning = live.Beginning(name, host_name(host), project or self._project_name(), meta)
        return live.named(root, live.start(root, beginning, self.settings, now))

    def log(
        self,
        text: str,
        *,
        kind: str = "note",
        tags: Sequence[str] = (),
        private: bool = False,
        tool: str = "",
        conversation: str = "",
    ) -> Logged:
        """Add an observation, redacted, to a live session: the named one, or the last one.

        Raises:
            InvalidInputError: there is no such kind.
            NotFoundError: there is no live session.
        """
        from daily_memory.services.writing import live

        root = self.save_root()
        entry = live.Entry(text, kind, tuple(tags), private, tool)
        name = self._clean_name(conversation)
        logged = live.log(root, entry, self.settings, self._clock(), name)
        if self.settings.mirror.enabled:
            from daily_memory.services.reading import mirror

            mirror.follow_log(root, self.settings, logged.path)
        return logged

    def live(self, conversation: str = "") -> Live:
        """Return a live session with its observations: the named one, or the last one.

        Raises:
            NotFoundError: there is none.
        """
        from daily_memory.services.writing import live

        root = self.save_root()
        return live.named(root, live.get(root, self._clean_name(conversation)))

    def _clean_name(self, conversation: str) -> str:
        from daily_memory.services.writing.redaction_policy import clean_name, known_policy

        return clean_name(conversation, known_policy(self.settings))

    def end(self, conversation: str = "", *, so_far: bool = False) -> Ended:
        """End a live session, the named one or the last one, and save it as a section.

        With `so_far` what there is is saved, and the session goes on.

        Raises:
            NotFoundError: there is no live session.
            ConflictError: another process held the lock too long.
        """
        from daily_memory.services.writing import live

        root = self.save_root()
        path = live.get(root, self._clean_name(conversation)).path
        ended = (live.settle if so_far else live.end)(root, path, self._over(root))
        self._remember_project(root)
        day = os.path.join(root.daily_folder, f"{ended.id[:10]}.md")
        self._mirror(root, *([path, day] if ended.id else [path]))
        if ended.skipped:
            self._purge(root)  # it may have been refused
        return _named(root, ended)

    def end_all(self) -> list[Ended]:
        """Save every live session that was left behind, as by a host that was killed."""
        from daily_memory.services.writing import live

        root = self.save_root()
        ended = live.settle_unfinished(root, self._over(root))
        if any(one.skipped for one in ended):
            self._purge(root)  # as in `end`
        return [_named(root, one) for one in ended]

    def _mirror(self, root: Root, *paths: str) -> None:
        """Bring what was written into the mirror, where there is one."""
        if self.settings.mirror.enabled:
            from daily_memory.services.reading import mirror

            mirror.follow(root, self.settings, *paths)

    def _over(self, root: Root) -> Over:
        from daily_memory.services.writing import live, llm_digest

        now = self._clock()

        def improve(draft: Session, text: str) -> tuple[Session, tuple[str, ...]]:
            return llm_digest.summarize(draft, text, self.settings, self._environment, root, now)

        return live.Over(self.settings, now, improve)

    def live_sessions(self, *, first: date = date.min, last: date = date.max) -> Iterator[Live]:
        """Yield the live sessions that began in these days, with their observations."""
        from daily_memory.model import check_period
        from daily_memory.services.writing import live
        from daily_memory.storage import observations

        check_period(first, last)
        root = self.save_root()
        return (live.named(root, one) for one in observations.each(root, first=first, last=last))

    # ------------------------------------------------------------------ records

    def search_records(
        self,
        query: str,
        *,
        limit: int = 20,
        kinds: Sequence[str] = (),
        tools: Sequence[str] = (),
        tags: Sequence[str] = (),
        since: date | None = None,
        until: date | None = None,
        project: str = "",
        archived: bool = False,
        scope: str = "",
    ) -> RecordResult:
        """Return the observations and sessions that match best, best first.

        What narrows the search is as in `services.reading.records.Wanted`; empty means any.

        Raises:
            InvalidInputError: there is no such kind or scope, or the limit is out of range.
        """
        from daily_memory.services.reading import records

        project, *former = self.names_of_project(project) if project else ("",)
        wanted = records.Wanted(
            limit,
            tuple(kinds),
            tuple(tools),
            tuple(tags),
            since,
            until,
            project,
            tuple(former),
            archived,
        )
        return records.search(self.search_roots(scope), query, wanted, self.settings, self.today())

    def records(self, ids: Sequence[str], *, scope: str = "") -> tuple[Record, ...]:
        """Return the observations and sessions with these ids; what is not there is left out."""
        from daily_memory.services.reading import records

        return records.get(self._roots_of(ids, scope), ids)

    def timeline(
        self, record_id: str, *, window_min: int = 10, scope: str = ""
    ) -> tuple[Record, ...]:
        """Return what happened in the conversation of a record, minutes before and after it.

        Raises:
            InvalidInputError: the window is less than 0.
            NotFoundError: there is no such record.
        """
        from daily_memory.services.reading import records

        return records.timeline(self._roots_of([record_id], scope), record_id, window_min)

    def _project_name(self) -> str:
        return self.project_root.project if self.project_root else ""

    # ------------------------------------------------------------------ viewing

    def sessions(
        self,
        *,
        scope: str = "",
        first: date = date.min,
        last: date = date.max,
        foreign: bool = False,
        project: str = "",
        archived: bool = False,
    ) -> Iterator[Found]:
        """Yield every session, oldest first, with the root and the lines that it stands in.

        With `foreign`, only what others wrote: what came by git or by an import. `project` is the
        name of the only project that is wanted. With `archived`, those in the archive as well.

        Raises:
            InvalidInputError: the last day is before the first.
        """
        from daily_memory.model import check_period
        from daily_memory.services.reading import browse as viewing

        check_period(first, last)

        found = viewing.sessions(
            self.search_roots(scope),
            first=first,
            last=last,
            is_foreign=foreign,
            archived=archived,
        )
        return self._of_project(found, project)

    def _of_project(self, found: Iterable[Found], project: str) -> Iterator[Found]:
        names = self.names_of_project(project) if project else ()
        for one in found:
            if not names or one.root.project in names or one.session.project in names:
                yield one

    def browse(
        self,
        *,
        before: date | None = None,
        days: int = 7,
        tags: Sequence[str] = (),
        project: str = "",
        foreign: bool = False,
        scope: str = "",
    ) -> Page:
        """Return the sessions of so many days that have any, the newest day first.

        `before` is the first day that is too late, as the page before tells in `next`.
        """
        from daily_memory.services.reading import browse as viewing

        names = self.names_of_project(project) if project else ()
        wanted = viewing.Browsed(before, days, tuple(tags), names, foreign)
        return viewing.browse(self.search_roots(scope), wanted)

    def get(self, session_id: str, *, scope: str = "", archived: bool = False) -> Found:
        """Return one session by its id, such as `2026-01-29#1` or `global:2026-01-29#1`.

        A bare id is one of the project; where that has no such session, it may be that of the one
        memory that has. With `archived`, the archive is asked where no memory has it.

        Raises:
            InvalidInputError: it is not an id.
            NotFoundError: there is no such session.
            ConflictError: several have it, and none is the project's.
        """
        from daily_memory.services.reading import browse as viewing

        return viewing.only(self.get_all(session_id, scope=scope, archived=archived))

    def get_all(
        self, session_id: str, *, scope: str = "", project: str = "", archived: bool = False
    ) -> list[Found]:
        """Return the sessions that an id may be of: a bare one of each memory, the project's first.

        `project` is the name of the only project that is wanted. With `archived`, those in the
        archive follow.

        Raises:
            InvalidInputError: it is not an id.
            NotFoundError: there is none.
        """
        from daily_memory.core.format.session_json import parse_id
        from daily_memory.services.reading import browse as viewing

        asked = self._roots_of([session_id], scope)
        found = viewing.get_all(asked, session_id, archived=archived)
        kept = list(self._of_project(found, project))
        if not kept:
            if project:
                self.check_project(project)
            asked, bare = viewing.meant(asked, session_id)
            raise viewing.missing(parse_id(bare), asked)
        return kept

    def summaries(self, *, scope: str = "") -> list[dict[str, str | None]]:
        """Return what stands in the `summary.md` of each root, without its comments.

        `origin` says who else wrote of it, None for nobody.
        """
        from daily_memory.services.reading import inject as injecting

        found = [(root, injecting.summary(root)) for root in self.search_roots(scope)]
        return [
            {
                "scope": root.scope,
                "project": root.project,
                "origin": item.origin or None,
                "text": "\n".join(item.lines),
            }
            for root, (item, _) in found
            if item.lines
        ]

    def summarize(
        self,
        *,
        scope: str = "",
        max_chars: int = 0,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Summary:
        """Make our part of `summary.md` anew, of what stands by now; return what it says.

        `max_chars` bounds it, 0 as usual; with `dry_run` nothing is written.

        Raises:
            InvalidInputError: there is too little room, or somebody broke the file's two comments.
            ConflictError: an editor kept saving the file, or the lock was busy.
        """
        from daily_memory.services.upkeep import summary

        return summary.summarize(
            self.save_root(scope),
            self.settings,
            progress,
            max_chars=max_chars,
            dry_run=dry_run,
        )

    def today(self) -> date:
        """Return the day that a session saved now would belong to."""
        return self._clock().date()

    # ------------------------------------------------------------------ editing

    def choose(
        self,
        named: Sequence[str] = (),
        *,
        query: str = "",
        before: date | None = None,
        tags: Sequence[str] = (),
        scope: str = "",
    ) -> tuple[Choice, ...]:
        """Return the sessions that are meant by ids and days, and by what narrows these.

        Days, and what is not named, are those of the memory that a save goes to, or of `scope`.

        Raises:
            InvalidInputError: nothing is named, or one is neither an id nor a day.
            NotFoundError: there is no session with one of the ids.
        """
        from daily_memory.services.reading import selection

        roots = self._roots_of(named, scope)
        own = roots if scope else [root for root in roots if root.path == self.save_root().path]
        wanted = selection.Wanted(tuple(named), query, before, tuple(tags))
        return selection.choose(roots, own, wanted, self.today())

    def delete(self, ids: Sequence[str], *, scope: str = "", dry_run: bool = False) -> Edited:
        """Delete sessions, all of them or none, with what was observed of their conversations.

        Returns them as they stood, with the id by which `undo` brings them back; with `dry_run`
        they stay.

        Raises:
            InvalidInputError: one of these is not an id.
            NotFoundError: there is no such session.
            ConflictError: one changed at this very moment, or the lock was busy.
        """
        from daily_memory.services.changing import edit as editing

        edited = editing.delete(self._roots_of(ids, scope), ids, self._clock(), dry_run=dry_run)
        return edited if dry_run else self._edited(edited)

    def delete_chosen(self, choices: Sequence[Choice]) -> Edited:
        """Delete what `choose` returned, as one operation; see `delete`.

        Raises:
            ConflictError: one changed meanwhile, or the lock was busy.
        """
        from daily_memory.services.changing import edit as editing

        found = [choice.found for choice in choices]
        return self._edited(editing.delete_found(found, self._clock()))

    def traces(
        self, choices: Sequence[Choice], ids: Sequence[str] = (), *, scope: str = ""
    ) -> tuple[Target, ...]:
        """Return what `purge` would take of these: `ids` may be of sessions deleted already.

        Raises:
            InvalidInputError: one is not an id.
            NotFoundError: nothing knows one of the ids.
        """
        from daily_memory.services.changing import purge as purging

        found = [choice.found for choice in choices]
        return purging.targets(self._roots_of(ids, scope), found, ids)

    def purge(self, targets: Sequence[Target]) -> Purged:
        """Delete sessions so that nothing in their memory has a word of them. It can't be undone.

        Raises:
            ConflictError, BackendError: run again, it goes on.
        """
        from daily_memory.services.changing import purge as purging

        return purging.purge(targets, self.settings, self._clock())

    def undo(
        self,
        operation: str = "",
        *,
        scope: str = "",
        dry_run: bool = False,
        opens_private: bool = True,
    ) -> Undone:
        """Bring back what the last deletion, edit or mark took, or the one with this id.

        Without `opens_private` what is private by now stays so: an assistant asks.

        Raises:
            InvalidInputError: it would open what is private.
            NotFoundError: there is nothing to undo, or no such operation.
            ConflictError: all of it was changed afterwards, or the lock was busy.
        """
        from daily_memory.services.changing import undo as undoing

        roots = self.search_roots(scope)
        undone = undoing.undo(
            roots, self._clock(), operation, dry_run=dry_run, opens_private=opens_private
        )
        is_moved = any(day.is_moved for day in undone.operation.days)
        for root in undone.roots:
            if is_moved and self.settings.mirror.enabled:
                from daily_memory.services.reading import mirror

                mirror.sync(root, self.settings)
            self._purge(root)
            self._drop_from_summary(root)  # what was marked or edited may be private again
        return undone

    def operations(self, *, scope: str = "") -> list[Operation]:
        """Return what can be undone, the last one first: kept for 30 days, the last 20 longer."""
        from daily_memory.services.changing import undo as undoing

        return undoing.listed(self.search_roots(scope))

    def mark(self, ids: Sequence[str], flags: Mapping[str, bool], *, scope: str = "") -> Edited:
        """Set the flags `important`, `outdated` and `private` of sessions, or take them away.

        Returns those that were changed, as they stood.

        Raises:
            InvalidInputError: there is no such flag, or one of these is not an id.
            NotFoundError: there is no such session.
            ConflictError: one changed at this very moment, or the lock was busy.
        """
        from daily_memory.services.changing import edit as editing

        return self._edited(editing.mark(self._roots_of(ids, scope), ids, flags, self._clock()))

    def _edited(self, edited: Edited) -> Edited:
        for root in {one.root.path: one.root for one in edited.sections}.values():
            self._purge(root)
            self._drop_from_summary(root)
        return edited

    def _drop_from_summary(self, root: Root) -> None:
        """Let `summary.md` keep no line of what went; where it can't, no conversation is told."""
        from daily_memory.services.changing import summary_file

        with contextlib.suppress(DailyMemoryError):
            summary_file.drop_gone(root)

    def _purge(self, root: Root) -> None:
        """Let the mirror, where there is one, keep no word of what went."""
        if self.settings.mirror.enabled:
            from daily_memory.services.reading import mirror

            mirror.forget(root, self.settings)

    def open(self, session_id: str, *, scope: str = "") -> Opened:
        """Return a session with the text of its section, and the digest by which `edit` names it.

        Raises:
            InvalidInputError: it is not an id.
            NotFoundError: there is no such session.
        """
        from daily_memory.services.changing import edit as editing

        return editing.read(self._roots_of([session_id], scope), session_id)

    def edit(self, session_id: str, text: str, *, digest: str = "", scope: str = "") -> Edited:
        """Put another text, redacted, in the place of a section; return the session as it stood.

        With `digest` it must still have the text that `open` gave with it.

        Raises:
            InvalidInputError: it is not an id, or the text is not just that section.
            NotFoundError: there is no such session.
            ConflictError: it changed meanwhile, or the lock was busy; nothing was written.
        """
        from daily_memory.services.changing import edit as editing

        roots = self._roots_of([session_id], scope)
        return self._edited(
            editing.edit(roots, session_id, text, self.settings, self._clock(), digest=digest)
        )

    # ------------------------------------------------------------------ cleaning up

    def proposals(self, *, scope: str = "", progress: Progress | None = None) -> list[Proposal]:
        """Return what could be cleaned up in the memory that a save goes to; nothing is changed."""
        from daily_memory.services.upkeep import cleanup

        root = self.save_root(scope)
        return list(cleanup.propose(root, self.settings, self.today(), progress))

    def due(
        self,
        *,
        days: int = 0,
        before: date | None = None,
        most_days: int = 0,
        scope: str = "",
        progress: Progress | None = None,
    ) -> Due:
        """Return what is past retention in the memory that a save goes to; nothing is changed.

        That is what is older than `days`, than `before`, or else than the settings say. Important
        sessions never are. `most_days` is how many day files at the most, 100 without it.

        Raises:
            InvalidInputError: nothing is ever past retention by the settings, a number is wrong, or
                the newest session is so old that the clock may be wrong; then name `before`.
        """
        from daily_memory.services.upkeep import archive as archiving

        root, today = self.save_root(scope), self.today()
        if days < 0 or most_days < 0:
            raise InvalidInputError(f"{min(days, most_days)} days are less than 1")
        wanted = before or archiving.day_before(self.settings, today, days_back=days)
        if wanted is None:
            hint = "give --days N or --before DATE, or set storage.retention_days"
            raise InvalidInputError("by the settings everything is kept for ever", hint=hint)
        if before is None:
            archiving.check_clock([root], wanted, today)
        return archiving.due(
            root, wanted, today, progress, most_days=most_days or archiving.MOST_DAYS
        )

    def archive_by_itself(self) -> tuple[str, ...]:
        """Archive what is past retention, if `storage.auto_archive` wants that and it is due.

        Returns what went wrong. It is tried once a day.
        """
        from daily_memory.services.upkeep import archive as archiving

        root = self.save_root()
        try:
            moved = archiving.archive_by_itself(root, self.settings, self._clock())
            return self._moved(root, moved).warnings
        except DailyMemoryError as error:
            return (error.message,)

    def review_reminder(self) -> str:
        """Return what the user is to be reminded of, "" for nothing; it counts as told then."""
        from daily_memory.services.writing import reminders

        return reminders.reminder(self.save_root(), self.settings.recall.review_days, self._clock())

    def overflow(self, *, scope: str = "") -> Due:
        """Return what must leave days larger than `storage.max_file_size_mb`, for them to fit.

        The oldest sessions of each, but for important ones and for all of today; nothing is
        changed.
        """
        from daily_memory.services.upkeep import archive as archiving

        most_mb = self.settings.storage.max_file_size_mb
        return archiving.overflow(self.save_root(scope), most_mb, self.today())

    def archive(self, due: Due, *, progress: Progress | None = None) -> Moved:
        """Take what `due` or `overflow` returned into the archive.

        Raises:
            ConflictError: another process held the lock for too long; nothing was done.
        """
        from daily_memory.services.upkeep import archive as archiving

        return self._moved(due.root, archiving.store(due, self._clock(), progress))

    def delete_due(self, due: Due) -> Moved:
        """Delete what `due` returned, as one operation; live sessions without one are archived.

        Raises:
            ConflictError: a session changed at this very moment, or the lock was busy.
        """
        from daily_memory.services.upkeep import archive as archiving

        return self._moved(due.root, archiving.delete(due, self._clock()))

    def restore(
        self,
        ids: Sequence[str] = (),
        *,
        days: Sequence[date] = (),
        since: date | None = None,
        until: date | None = None,
        everything: bool = False,
        scope: str = "",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Moved:
        """Bring sessions back from the archive as they were: by ids, days, or of a time.

        Raises:
            InvalidInputError: one of the ids is none.
            NotFoundError: what was named is neither in the archive nor in its day.
            ConflictError: the lock was busy for too long, or a day kept changing.
        """
        from daily_memory.model import check_period
        from daily_memory.services.reading import browse as viewing
        from daily_memory.services.upkeep import archive as archiving

        check_period(since, until)
        roots = self._roots_of(ids, scope)
        owners = [viewing.owner(roots, one) for one in ids]
        named = tuple(root.scoped(id_) for root, id_ in owners)
        wanted = archiving.Wanted(named, tuple(days), since, until, everything)
        moved = archiving.restore(roots, wanted, self._clock(), progress, dry_run=dry_run)
        if not dry_run:
            for root in roots:
                self._moved(root, moved)
        return moved

    def _moved(self, root: Root, moved: Moved) -> Moved:
        """Let the mirror, where there is one, and `summary.md` know of what was moved."""
        if self.settings.mirror.enabled and (moved.ids or moved.observed):
            from daily_memory.services.reading import mirror

            mirror.sync(root, self.settings)
            mirror.forget(root, self.settings)
        if moved.ids:
            self._drop_from_summary(root)
        return moved

    def duplicates(self, *, scope: str = "", progress: Progress | None = None) -> tuple[Pair, ...]:
        """Return the near-duplicates in the memory that a save goes to, the likest first."""
        from daily_memory.services.upkeep import dedupe

        return dedupe.find(self.save_root(scope), self.today(), progress)

    def merge_duplicates(self, pairs: Sequence[Pair], *, scope: str = "") -> Merged:
        """Add to each later session of a pair what it lacks, and delete the earlier ones.

        Raises:
            ConflictError: the lock was busy.
        """
        from daily_memory.services.upkeep import dedupe

        root = self.save_root(scope)
        merged = dedupe.merge(root, pairs, self.settings, self._clock())
        self._purge(root)
        self._drop_from_summary(root)
        return merged

    def sanitize(
        self, *, scope: str = "", dry_run: bool = False, progress: Progress | None = None
    ) -> Sanitized:
        """Hide the secrets in every file of the memory that a save goes to. There is no undo.

        Raises:
            ConflictError: the lock was busy for too long; nothing was done.
        """
        from daily_memory.services.changing import sanitize as sanitizing

        root = self.save_root(scope)
        return sanitizing.sanitize(root, self.settings, dry_run=dry_run, progress=progress)

    # ------------------------------------------------------------------ maintenance

    def report(
        self, *, days: int = 365, scope: str = "", progress: Progress | None = None
    ) -> Counts:
        """Return what there is of the last so many days, in numbers."""
        from daily_memory.model import days_before
        from daily_memory.services.upkeep import report as reporting

        today = self.today()
        first = days_before(today, days - 1)
        return reporting.count(self.search_roots(scope), self.settings, first, today, progress)

    def report_page(self, counts: Counts) -> str:
        """Return a report as an HTML page with pictures, which loads nothing and runs nothing."""
        from daily_memory.services.upkeep import report as reporting

        return reporting.page(counts)

    def review(
        self, *, scope: str = "", limit: int = 0, progress: Progress | None = None
    ) -> Reviewed:
        """Return what should be looked at, with reasons and commands; nothing is changed.

        Of each kind `limit` findings, 0 for all.
        """
        from daily_memory.services.upkeep import review as reviewing
        from daily_memory.services.writing import reminders

        for root in self.search_roots(scope):
            reminders.note_reviewed(root, self._clock())
        own = self.project_root or self.global_root
        return reviewing.review_roots(
            self.search_roots(scope),
            self.settings,
            self.today(),
            progress,
            own=own.path,
            limit=limit,
        )

    def token(self, *, renew: bool = False) -> str:
        """Return the token of the HTTP door, which stays until it is renewed.

        It is the user's own, and not the project's: that may come with a repository.

        Raises:
            BackendError: the system refused to keep it.
        """
        from daily_memory.services.setup import http_access

        return http_access.get_token(self.global_root, is_new=renew)

    def reindex(self, *, scope: str = "", progress: Progress | None = None) -> dict[str, int]:
        """Make the index of each root anew; return how many sessions each holds, by path."""
        from daily_memory.services.upkeep import doctor as maintenance

        return {root.path: maintenance.reindex(root, progress) for root in self.search_roots(scope)}

    def doctor(
        self,
        *,
        scope: str = "",
        fix: bool = False,
        restore: bool = False,
        adopt: bool = False,
        progress: Progress | None = None,
    ) -> dict[str, Report]:
        """Look for faults in each root, and mend them where asked to; return a report by path.

        With `adopt`, what was moved aside since it came from elsewhere is the user's from now on.

        A root that nothing was written to yet is reported if a host calls us there.
        """
        from daily_memory.services.upkeep import doctor as maintenance
        from daily_memory.services.upkeep import doctor_hosts

        reports: dict[str, Report] = {}
        examined = self._examined_roots(scope)
        for root in examined:
            report = maintenance.examine(
                root,
                self.settings,
                self._clock(),
                progress,
                fix=fix,
                restore=restore,
                adopt=adopt,
            )
            reports[root.path] = report
        self._report_settings(reports, examined)
        owned = {root.path: root for root in (self.project_root, self.global_root) if root}
        last = doctor_hosts.last_events(owned.values())
        for own in owned.values():
            if scope not in ("", "all", own.scope):
                continue
            site = self._site({"global": "user"}.get(own.scope, "project"), self._environment)
            remarks = (*doctor_hosts.remarks(site, last), *self._place_remarks(own))
            if own.path in reports or remarks:
                report = reports.get(own.path, maintenance.Report(0, 0))
                reports[own.path] = report._replace(remarks=(*report.remarks, *remarks))
        return reports

    def _place_remarks(self, root: Root) -> Iterator[Problem]:
        """Yield what should be known of the folders around a root: which are used, which not."""
        from daily_memory.model import Problem

        is_first = root == (self.project_root or self.global_root)
        for passed in self.passed_over.values() if is_first else ():
            way_out = f"; {ownership.hint(passed.folder)}" if passed.is_told else ""
            yield Problem(passed.folder, 0, f"is not used as a project: {passed.reason}{way_out}")
        if root.scope == "global":
            return
        above = discovery.memories_above(self.project, self._environment, self._home())
        for folder in above:
            yield Problem(folder, 0, f"has a memory too, which {self.project!r} does not use")
        for one in self._listed:
            if one.path.startswith(self.project + os.sep) and projects.is_there(one):
                message = (
                    "has a memory of its own, which is used in there; to have one only,"
                    f" `memory import {one.path}` and remove {roots.project_root(one.path).path}"
                )
                yield Problem(one.path, 0, message)

    def _report_settings(self, reports: dict[str, Report], roots: Sequence[Root]) -> None:
        """Add to each report what is wrong in the settings of its root, once."""
        from daily_memory.services.upkeep import doctor as maintenance
        from daily_memory.storage import settings_file

        seen: set[Problem] = set()
        for root in roots or [self._settings_root()]:
            found = settings_file.load_settings(self.global_root, root)
            if not found.problems:
                continue
            report = reports.get(root.path, maintenance.Report(0, 0))
            faults = [one for one in found.faults if one not in seen]
            remarks = [one for one in (*found.refused, *found.remarks) if one not in seen]
            seen.update(faults, remarks)
            reports[root.path] = report._replace(
                faults=(*report.faults, *faults), remarks=(*report.remarks, *remarks)
            )

    def _examined_roots(self, scope: str) -> list[Root]:
        """Return the roots that are asked, and those that nothing but a remark is to be made of."""
        from daily_memory.storage import hook_log

        found = self.search_roots(scope)
        for root in (self.project_root, self.global_root):
            if root and scope in ("", "all", root.scope) and root.path not in map(_path, found):
                is_told = os.path.exists(hook_log.log_path(root)) or signatures.aside(root)
                found += [root] if is_told else []
        return found

    # ------------------------------------------------------------------ encryption

    def encryption_plan(self, action: str, *, scope: str = "") -> list[EncryptionPlan]:
        """Return what `encrypt`, `decrypt` or `rekey` would do to which files, and do nothing."""
        from daily_memory.services.setup import encryption as encrypting

        if action == "rekey":
            return [
                encrypting.plan(root, _never if root.modes.is_sealed else encrypting.is_plain)
                for root in self._encrypted_roots()
            ]
        is_done = encrypting.is_encrypted if action == "encrypt" else encrypting.is_plain
        return [encrypting.plan(self.save_root(scope), is_done)]

    def encrypt(
        self,
        *,
        scope: str = "",
        passphrase: str = "",
        recipients: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> tuple[EncryptionKey, Conversion]:
        """Turn encryption on for a memory, and encrypt what is in it. Safe to repeat.

        The user's key is made where there is none; who loses it loses what is encrypted.
        `passphrase` protects it. `recipients` are further public keys, `age1…`, that can read.

        Raises:
            InvalidInputError: one is no public key.
            LockedError: the key there is can't be opened.
            ConflictError: another process held the lock for too long; run it again.
            BackendError: the library is missing, or the system refuses; run it again.
        """
        from daily_memory.services.setup import encryption as encrypting

        root = self.save_root(scope)
        key = encrypting.ready_key(
            self._ring(), self.global_root, self.today(), passphrase, recipients
        )
        result = encrypting.encrypt(root, self.global_root, self._home(), progress)
        self._in_force = None
        self._remember_project(root)
        return key, result

    def decrypt(self, *, scope: str = "", progress: Progress | None = None) -> Conversion:
        """Turn encryption off for a memory, and write what is in it in the clear. The key stays.

        Raises:
            LockedError: the key is not at hand, or opens none of the files; nothing was changed.
            ConflictError: another process held the lock for too long; run it again.
        """
        from daily_memory.services.setup import encryption as encrypting

        result = encrypting.decrypt(self.save_root(scope), self.global_root, progress)
        self._in_force = None
        return result

    def rekey(
        self,
        *,
        passphrase: str = "",
        recipients: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> tuple[EncryptionKey, list[Conversion]]:
        """Make another key, and encrypt all memories that this one opens for it. Safe to repeat.

        The old key stays until every file that could be found has the new one; a copy of it stays
        beside. `passphrase` protects the new one; without it, what protected the old one does.

        Raises:
            LockedError: the key is not at hand.
            ConflictError: another process held a lock for too long; run it again.
        """
        from daily_memory.services.setup import encryption as encrypting

        found = self._ring()
        key = encrypting.begin_rekey(found, self.global_root, self.today(), passphrase, recipients)
        results = [
            encrypting.rekey(root, self._home(), all_files=root.modes.is_sealed, progress=progress)
            for root in self._encrypted_roots()
        ]
        if not any(one.failed for one in results):
            encrypting.end_rekey(found, self.global_root, self.today())
        return key, results

    def open_key(self) -> None:
        """Open the key now where a memory is encrypted: a server must not stop to ask for it.

        Raises:
            LockedError: it is not at hand.
        """
        if any(root.modes.is_sealed for root in self.search_roots()):
            from daily_memory.storage import keys

            keys.load_identities(self._ring())

    def _ring(self) -> Ring:
        from daily_memory.storage import keys

        return keys.ring(self._home(), self._environment, self._ask_passphrase)

    def _encrypted_roots(self) -> list[Root]:
        """Return the memories that are encrypted, or have a file that is."""
        from daily_memory.services.setup import encryption as encrypting

        found = {root.path: root for root in self.search_roots("all")}
        for own in (self.project_root, self.global_root):
            if own and os.path.isdir(own.path):
                found.setdefault(own.path, self._ready(own))
        return [
            root
            for root in found.values()
            if root.modes.is_sealed or encrypting.plan(root, encrypting.is_plain).change
        ]

    def unlock(self, day: date, *, scope: str = "") -> Unlocked:
        """Return the file of a day in the clear, for `lock_again`.

        Raises:
            NotFoundError: there is none.
            DamagedDataError: it is damaged, or for another key.
            LockedError: the key is not at hand.
        """
        from daily_memory.services.setup import encryption as encrypting

        return encrypting.unlock(self.save_root(scope), day)

    def lock_again(self, unlocked: Unlocked, data: bytes) -> bool:
        """Put another text in the place of a day that was unlocked; tell whether it is another.

        Raises:
            ConflictError: the day changed meanwhile; nothing was written.
        """
        from daily_memory.services.setup import encryption as encrypting

        return encrypting.lock_again(unlocked, data)

    @staticmethod
    def keep_text(root: Root, name: str, text: bytes) -> str:
        """Keep a text that could not be used below `index/kept`, encrypted if the memory is.

        Returns its path.
        """
        from daily_memory.services.setup import encryption as encrypting

        return encrypting.keep_text(root, name, text)

    # ------------------------------------------------------------------ the mirror

    def mirror_status(self, *, scope: str = "") -> list[Status]:
        """Return how the mirror of each root is, without mirroring anything."""
        from daily_memory.services.reading import mirror

        return [mirror.status(root, self.settings) for root in self.search_roots(scope)]

    def mirror_sync(
        self, *, scope: str = "", rebuild: bool = False, progress: Progress | None = None
    ) -> list[Status]:
        """Make the mirror of each root as its files are, or with `rebuild` anew; return how it is.

        Raises:
            InvalidInputError: it is off, or the memory is encrypted.
            ConflictError: another process held the lock for too long.
            BackendError: it is of a newer version, or the system refuses.
        """
        from daily_memory.services.reading import mirror

        act = mirror.rebuild if rebuild else mirror.sync
        return [act(root, self.settings, progress) for root in self.search_roots(scope)]

    def mirrors(self, *, scope: str = "") -> list[str]:
        """Return the paths of the mirrors that there are."""
        from daily_memory.storage import mirror_db

        paths = [mirror_db.mirror_path(root) for root in self.search_roots(scope)]
        return [path for path in paths if os.path.isfile(path)]

    def mirror_drop(self, *, scope: str = "") -> list[str]:
        """Remove the mirror of each root; return the paths of those that there were."""
        from daily_memory.services.reading import mirror

        return [path for root in self.search_roots(scope) for path in mirror.drop(root)]

    # ------------------------------------------------------------------ hosts

    def install(
        self,
        host: str,
        *,
        scope: str = "",
        uninstall: bool = False,
        dry_run: bool = False,
        command: Program | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Installation:
        """Put Daily Memory into a host such as `cursor`, or take it out again.

        `scope` is `project` or `user`; without it the project, where there is one. `command` is how
        the host calls us; without it the `memory` of this installation.

        Raises:
            InvalidInputError: there is no such host or scope, or one of its files is broken.
            ConflictError: a file is there that is not ours, or it changed meanwhile.
            BackendError: the system refused; nothing was changed.
        """
        from daily_memory.core.hosts import table
        from daily_memory.core.hosts.names import host_name
        from daily_memory.services.setup import install as installing
        from daily_memory.services.setup.program import find_program

        host = host_name(host)
        if host not in table.NAMES:
            raise InvalidInputError(f"host {host!r} is not one of {', '.join(table.NAMES)}")
        site = self._site(scope, os.environ if environment is None else environment)
        return installing.install(
            host, site, command or find_program(), uninstall=uninstall, dry_run=dry_run
        )

    def _site(self, scope: str, environment: Mapping[str, str]) -> Site:
        from daily_memory.services.setup.install import Site

        home = self.global_root.path[: -len(roots.MEMORIES) - 1]
        scope = scope or ("project" if self.project else "user")
        if scope not in ("project", "user"):
            raise InvalidInputError(f"scope {scope!r} is not one of project, user")
        if scope == "user":
            return Site(scope, home, home, environment)
        if not self.project or os.path.realpath(self.project) == os.path.realpath(home):
            raise InvalidInputError(
                "not inside a project", hint="name one with --project DIR, or use --user"
            )
        return Site(scope, self.project, home, environment)

    # ------------------------------------------------------------------ transfer

    def import_file(
        self, path: str, *, scope: str = "", progress: Progress | None = None
    ) -> ImportResult:
        """Import one file or folder; see `import_files`."""
        return self.import_files([path], scope=scope, progress=progress)

    def import_files(
        self,
        paths: Sequence[str],
        *,
        scope: str = "",
        with_config: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportResult:
        """Import sessions: JSON, JSONL, day files and folders of them, all of them or none.

        A whole memory, as a folder or a zip, goes into an empty one as it is, and is merged with
        one that holds something else; its settings become the user's own, in the global memory,
        only with `with_config`. With `dry_run` nothing is written.

        Raises:
            InvalidInputError: something is not what it must be; nothing was imported.
            DamagedDataError: a file of a memory is damaged, or encrypted for another key; as above.
            LockedError: one is encrypted, and the key is not at hand; as above.
            NotFoundError: there is no such file.
            ConflictError: another process held the lock for too long.
            BackendError: the system refused to write; nothing was imported.
        """
        from daily_memory.services.importing import bundle

        root = self.save_root(scope)
        now = self._clock()
        sources = [bundle.load(path, now) for path in paths]
        takes_config = with_config or root.scope == "project"
        takes = bundle.Takes(takes_config, dry_run, self._home())
        result = bundle.bring(root, sources, self.settings, now, takes, progress)
        if not dry_run:
            self._remember_project(root)
        return _imported(root, result)

    def import_sessions(
        self,
        data: Iterable[Mapping[str, object]],
        *,
        scope: str = "",
        progress: Progress | None = None,
    ) -> ImportResult:
        """Import sessions given as JSON objects; those that are there already are left alone."""
        from daily_memory.core.format import session_json

        now = self._clock()
        sessions = [session_json.parse_session(item, now).session for item in data]
        return self._import(sessions, scope, progress)

    def _import(
        self, sessions: list[Session], scope: str, progress: Progress | None
    ) -> ImportResult:
        from daily_memory.services.importing import sessions as transfer

        root = self.save_root(scope)
        result = transfer.import_sessions(root, sessions, self.settings, self._clock(), progress)
        self._remember_project(root)
        return _imported(root, result)

    def import_from(
        self,
        host: str,
        paths: Sequence[str] = (),
        *,
        scope: str = "",
        all_projects: bool = False,
        again: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> BackfillResult:
        """Import the conversations that another program kept, each once; all of them or none.

        `host` is `claude`, `cursor`, `trae-mem` or `claude-mem`, or `notes` for Markdown notes of
        any program. `paths` are files or folders in place of those where a host keeps them; notes
        need one. Those of this project are wanted; `all_projects`
        takes those of all, into the global memory. With `dry_run` nothing is written. Of trae-mem
        everything is kept that it observed. A session of it that went on
        is brought up to date. What was deleted from one of the memories comes only with `again`.

        Raises:
            InvalidInputError: there is no such host, no project, or a database is damaged.
            NotFoundError: there is nothing at a path.
        """
        from daily_memory.core.hosts.names import host_name
        from daily_memory.core.imports import trae_mem
        from daily_memory.core.imports.notes import HOST
        from daily_memory.services.importing import conversations, notes
        from daily_memory.services.importing import trae_mem as migrating

        host = host_name(host)
        if all_projects and scope == "project":
            raise InvalidInputError("conversations of all projects go into the global memory")
        if not all_projects and not self.project:
            raise InvalidInputError(
                "not inside a project", hint="name one with --project, or use --all-projects"
            )
        root = self.save_root("global" if all_projects else scope)
        request = conversations.Request(
            host,
            tuple(paths),
            "" if all_projects else self.project,
            self._home(),
            self._environment,
            self._localized,
            again,
        )
        known = {one.path: one for one in (*self.search_roots("all"), root)}
        take = migrating.migrate if host == trae_mem.HOST else conversations.backfill
        take = notes.import_notes if host == HOST else take
        result = take(
            root,
            request,
            known.values(),
            self.settings,
            self._clock(),
            dry_run=dry_run,
            progress=progress,
        )
        if result.ids or (result.observations and not dry_run):
            self._remember_project(root)
        return result._replace(
            ids=tuple(map(root.scoped, result.ids)), renewed=tuple(map(root.scoped, result.renewed))
        )

    def _localized(self, moment: datetime) -> datetime:
        """Return a moment on the user's clock, by the zone that held then where it is known."""
        is_own = self._clock is _local_time
        return moment.astimezone(None if is_own else self._clock().tzinfo)

    def export(
        self,
        form: str = "json",
        *,
        scope: str = "",
        first: date = date.min,
        last: date = date.max,
        tags: Sequence[str] = (),
        project: str = "",
        count: Callable[[int], None] | None = None,
        archived: bool = False,
        warn: Callable[[Problem], None] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[str]:
        """Yield the sessions of one root as text: `json`, `jsonl`, `md`, or `html` to be read.

        Those of these days that have all of the tags, with `archived` also those in the archive.
        Private ones are not in the HTML, nor what is secret or private in others. With the scope
        `all` those of all memories, each with its project; `project` is the name of the only one
        that is wanted. `count` is called with the number of sessions as they come, `warn` with each
        day that can't be read and is passed over, `progress` with how far the HTML is, which takes
        the longest.

        Raises:
            InvalidInputError: the format is none of these.
            LockedError: a memory is encrypted, and its key is not at hand.
        """
        from daily_memory.model import check_period
        from daily_memory.services.importing import sessions as transfer

        check_period(first, last)
        if form not in transfer.EXPORT_FORMATS:
            raise InvalidInputError(
                f"format {form!r} is not one of {', '.join(transfer.EXPORT_FORMATS)}"
            )
        names = self.names_of_project(project) if project else ()
        chosen = transfer.Chosen(first, last, tuple(tags), names, archived)
        roots = self.search_roots(scope) if scope == "all" else [self.save_root(scope)]
        if any(root.modes.is_sealed for root in roots):
            from daily_memory.storage import keys

            # Each day of its own would be passed over: nothing would be exported, and no error.
            keys.load_identities(self._ring())
        return transfer.export(
            roots, form, chosen, self._clock(), self.settings, count, warn, progress
        )

    def is_encrypted(self, scope: str = "") -> bool:
        """Tell whether what `export` takes of this scope is encrypted, or a part of it."""
        roots = self.search_roots(scope) if scope == "all" else [self.save_root(scope)]
        return any(root.modes.is_sealed for root in roots)

    def export_zip(self, *, scope: str = "", with_observations: bool = False) -> bytes:
        """Return a zip of one root: days, archive, summary and settings; the same each time.

        What lies under `index/` is never in it. That of an encrypted root is in the clear.

        Raises:
            LockedError, DamagedDataError: the root is encrypted, and not all of it can be read.
        """
        from daily_memory.services.importing import bundle

        return bundle.packed(self.save_root(scope), with_observations=with_observations)


def _named(root: Root, ended: Ended) -> Ended:
    return ended._replace(id=root.scoped(ended.id)) if ended.id else ended


def _imported(root: Root, result: ImportResult) -> ImportResult:
    return result._replace(
        ids=tuple(map(root.scoped, result.ids)),
        renumbered=tuple((was, root.scoped(now)) for was, now in result.renumbered),
        archived=tuple(map(root.scoped, result.archived)),
    )


def _never(_path: str, _data: bytes) -> bool:
    return False


def _path(root: Root) -> str:
    return root.path


def _local_time() -> datetime:
    """Return the time on the user's clock: a session belongs to the day the user lives in."""
    return datetime.now().astimezone()
