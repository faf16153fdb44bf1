"""`Workspace`: the memories in use, their settings, the clock, and what follows a write.

Services are imported inside the methods, so that a search does not load what only a save needs.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from daily_memory.core.settings import DEFAULTS, Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.storage import discovery, key_holders, project_list, roots, signatures
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.config_layers import EffectiveSettings
    from daily_memory.core.context import ContextItem
    from daily_memory.model import Problem
    from daily_memory.services.changing.edit import Edited
    from daily_memory.services.changing.purge import Target
    from daily_memory.services.reading.meaning import Meaning
    from daily_memory.services.reading.root_search import Query
    from daily_memory.storage.keys import Ring

SCOPES = ("project", "global", "all")


class Workspace:
    """The memory of a project and the global one; the arguments are those of `Memory`."""

    def __init__(
        self,
        project: str | os.PathLike[str] | None,
        *,
        around: str = "",
        is_named: bool = True,
        home: str | os.PathLike[str] | None,
        clock: Callable[[], datetime] | None,
        environment: Mapping[str, str] | None,
        ask_passphrase: Callable[[], str] | None,
    ) -> None:
        self.environment = os.environ if environment is None else environment
        self.home = os.fspath(home) if home is not None else roots.home_folder(self.environment)
        self.ask_passphrase = ask_passphrase
        self.now = clock or local_time
        key_holders.register(self.home, self.environment, ask_passphrase)
        self._modes = signatures.SignedModes(self.home)
        self._trusted: dict[str, Root] = {}
        self._set_aside: tuple[Problem, ...] = ()
        self._settings: EffectiveSettings | None = None
        self.global_root = roots.global_root(self.home)._replace(modes=self._modes)
        self.project_place = self._find_project(project, around, is_named=is_named)
        self.project = self.project_place.folder
        # Folders that look like projects but are not used, by path.
        self.skipped_folders = {passed.folder: passed for passed in self.project_place.passed_over}
        self.known_projects = project_list.find_projects(self.global_root)
        self.project_root = self._own_root(self.project) if self.project else None
        self._find_moved_project()
        # The folders of the projects that ids may name, None for all.
        self.allowed_projects: tuple[str, ...] | None = None
        # The name of the token of a remote person, "" for the user.
        self.person = ""

    def in_folder(self, folder: str | os.PathLike[str], *, is_guest: bool) -> Workspace:
        """Return the workspace of another project; see `Memory.in_folder`."""
        other = Workspace(
            folder,
            home=self.home,
            clock=self.now,
            environment=self.environment,
            ask_passphrase=self.ask_passphrase,
        )
        other.allowed_projects, other.person = self.allowed_projects, self.person
        if is_guest and other.project_root:
            label = self.other_root(other.project).label
            other.project_root = other.project_root._replace(label=label)
        return other

    @property
    def has_global(self) -> bool:
        """Whether the global memory is searched, saved to, and found by its ids."""
        return not self.person

    @property
    def origin(self) -> str:
        """The origin of what is saved: "" for the user's own."""
        return f"mcp: {self.person}" if self.person else ""

    def _find_project(
        self, project: str | os.PathLike[str] | None, around: str, *, is_named: bool
    ) -> discovery.ProjectPlace:
        if project is not None:
            named = os.fspath(project)
            return discovery.ProjectPlace(
                discovery.get_project(named, self.home) if named else "", discovery.NAMED
            )
        if around:
            find = discovery.get_around if is_named else discovery.around
            return find(around, self.environment, self.home)
        return discovery.discover(os.getcwd(), self.environment, self.home)

    def localized(self, moment: datetime) -> datetime:
        """Return a moment in the user's time zone, with its offset at that time if known."""
        return moment.astimezone(None if self.now is local_time else self.now().tzinfo)

    def today(self) -> date:
        """Return the day that a session saved now would belong to."""
        return self.now().date()

    # ------------------------------------------------------------------ settings

    @property
    def settings(self) -> Settings:
        """The settings in force: the project's `config.json` over the user's over the defaults."""
        return self.load_settings().settings if self.has_settings() else DEFAULTS

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems in either `config.json`, refused settings of a project, and files that were just
        moved aside because this user did not make them.
        """
        problems = self.load_settings().problems if self.has_settings() else ()
        return (*problems, *self._encryption_problems(), *self._set_aside)

    @property
    def settings_root(self) -> Root:
        """The root whose `config.json` is changed: the project's, or else the global one."""
        return self.project_root or self.global_root

    def asking_conversation(self) -> str:
        """Return the conversation whose agent runs this process, "" if unknown."""
        name = self.environment.get("CLAUDE_CODE_SESSION_ID", "")
        if not name:
            return ""
        from daily_memory.storage import observations  # only in an agent's shell

        path = observations.find_path(self.settings_root, name)
        # A server may live longer than the conversation that started it.
        return "" if path and observations.is_over(path) else name

    def has_settings(self) -> bool:
        """Tell whether any `config.json` exists; without one no parser is loaded."""
        if self._settings is not None:
            return True
        # A dangling link counts, as an unreadable file.
        return any(os.path.lexists(root.config) for root in (self.settings_root, self.global_root))

    def load_settings(self) -> EffectiveSettings:
        """Return the settings with their sources and problems; they are read once."""
        if self._settings is None:
            from daily_memory.storage import settings_file  # only if there are any

            self._settings = settings_file.load_settings(self.global_root, self.project_root)
        return self._settings

    def reload_settings(self) -> None:
        """Read the settings again when they are next needed."""
        self._settings = None

    def meaning(self, *, is_hurried: bool = False) -> Meaning | None:
        """Return the search by meaning, None if it is off."""
        if not self.settings.semantic.enabled:
            return None
        from daily_memory.services.reading.meaning import Meaning

        return Meaning(
            self.settings.semantic, self.environment, self._redacted, is_hurried=is_hurried
        )

    def team_asker(self, question: str) -> Callable[[], Sequence[ContextItem]]:
        """Ask the team in a thread; return a function for the answer, empty if that is off."""
        settings = self.settings
        # A remote person must not see what this account may see in the database.
        is_on = settings.recall.team and settings.mirror.has_team and not self.person
        if not (is_on and question.strip()):
            return tuple
        from daily_memory.services.reading import team_search  # rarely needed

        return team_search.asker(question, settings, self.today(), self._redacted)

    def _redacted(self, text: str) -> str:
        # Loaded here: for requests to servers.
        from daily_memory.core.redaction import privacy
        from daily_memory.services.setup.redaction_policy import known_policy, strict

        return privacy.redact(text, strict(known_policy(self.settings))).text

    # ------------------------------------------------------------------ roots

    @property
    def own_roots(self) -> tuple[Root, ...]:
        """The project's root, if there is a project, and the global one."""
        own = (self.project_root, self.global_root)
        return tuple({root.path: root for root in own if root}.values())

    def save_root(self, scope: str = "") -> Root:
        """Return the root for saves, by `scope` or else by `storage.location`."""
        if scope and scope not in SCOPES[:2]:
            raise InvalidInputError("scope {!r}: only project or global work here", scope)
        location = f"{scope}-only" if scope else self._location
        if location == "global-only" or (location == "project-first" and not self.project_root):
            return self.ready(self.global_root)
        if self.project_root is None:
            hint = "name one with --project, or use --scope global"
            raise InvalidInputError("not inside a project", hint=hint)
        return self.ready(self.project_root)

    def search_roots(self, scope: str = "") -> list[Root]:
        """Return the roots to search, the project's first, by `scope` or the settings."""
        if scope and scope not in SCOPES:
            raise InvalidInputError("scope {!r} is not one of {}", scope, ", ".join(SCOPES))
        location = self._location
        candidates = []
        if self.project_root and scope != "global" and (scope or location != "global-only"):
            candidates.append(self.project_root)
        if scope == "all":
            self.reload_projects()
            paths = [project.path for project in self.known_projects if project.path]
            candidates += [self.other_root(path) for path in paths if not self._is_foreign(path)]
        is_asked = scope in ("global", "all") or (not scope and location != "project-only")
        if is_asked and self.has_global:
            candidates.append(self.global_root)
        unique: dict[str, Root] = {}
        for root in candidates:
            if root.exists:
                unique.setdefault(os.path.realpath(root.path), self.ready(root))
        return list(unique.values())

    @property
    def _location(self) -> str:
        return self.settings.storage.location if self.has_global else "project-only"

    def export_roots(self, scope: str) -> list[Root]:
        """Return the roots to export: the one for saves, or with the scope `all` all of them."""
        return self.search_roots(scope) if scope == "all" else [self.save_root(scope)]

    def roots_for_ids(self, ids: Iterable[str], scope: str) -> list[Root]:
        """Return the roots to look up ids in; without a scope also others that the ids name."""
        from daily_memory.core.format.session_json import split_id

        near = self.search_roots(scope)
        labels = {split_id(id_)[0] for id_ in ids} - {""}
        if scope or all(any(root.is_called(label) for root in near) for label in labels):
            return near
        if self.allowed_projects is None:
            others = self.search_roots("all")
        else:
            named = (self.other_root(folder) for folder in self.allowed_projects)
            own = [self.global_root] if self.has_global else []
            others = [self.ready(root) for root in (*named, *own) if root.exists]
        known = {root.path for root in near}
        return [*near, *(root for root in others if root.path not in known)]

    def named_root(self, project: str) -> Root:
        """Return the root of a project, under the name that the user gave it."""
        root = roots.project_root(project)._replace(modes=self._modes)
        folder = roots.project_folder(root)
        name = next((known.title for known in self.known_projects if known.path == folder), "")
        # The home folder as a project has the global root.
        label = roots.GLOBAL if root.path == self.global_root.path else ""
        return root._replace(project=name or root.project, label=label)

    def other_root(self, project: str) -> Root:
        """Return the root of another project, whose ids begin with its name.

        If another memory has the same name, they begin with its folder.
        """
        root = self.named_root(project)
        folder = roots.project_folder(root)
        taken = {known.title for known in self.known_projects if known.path not in ("", folder)}
        own = self.project_root
        if own and own.path != root.path:
            taken.add(own.project)
        is_unique = root.project not in {*taken, roots.GLOBAL}
        return root._replace(label=root.project if is_unique else folder, is_own=False)

    def ready(self, root: Root) -> Root:
        """Return a root ready for use: checked for foreign files, repaired, and with its modes."""
        root = self._trusted_root(root)
        if files.stamp(root.appending)[0] > 0:
            from daily_memory.storage.fs import lock  # rarely needed

            lock.settle(root)
        is_shared = self.settings.storage.shared_mode == "group"
        if self.is_encrypted(root):
            from daily_memory.storage.fs import encryption  # only for encrypted memories

            return root._replace(modes=encryption.Sealed(self.home, shared=is_shared))
        if not is_shared:
            return root
        return root._replace(modes=signatures.SignedModes(self.home, shared=True))

    def _own_root(self, project: str) -> Root:
        """Return a project's root; in a worktree perhaps that of the main checkout."""
        own = self.named_root(project)
        main = discovery.main_checkout(project)
        if not main or os.path.isdir(own.daily_folder) or self._is_foreign(main):
            return own
        from daily_memory.storage import settings_file  # only in a worktree

        shared = self.named_root(main)
        configured = [root for root in (own, shared) if os.path.lexists(root.config)]
        source = [*configured, self.global_root][0]
        settings = settings_file.load_settings(self.global_root, source).settings
        return shared if settings.storage.worktrees == "shared" else own

    def _is_foreign(self, folder: str) -> bool:
        """Tell whether the memory of another folder is not the user's own; note it if so."""
        reason = discovery.project_fault(folder, self.home)
        if reason and folder != self.project and discovery.has_memory(folder):
            self.skipped_folders[folder] = discovery.PassedOver(folder, reason, is_told=True)
        return bool(reason)

    def _trusted_root(self, root: Root) -> Root:
        """Return a root after moving aside trusted files that this user did not make."""
        if root.scope != "project" or self.settings.storage.shared_mode == "group":
            return root  # the user's own, or shared by several users
        if root.path not in self._trusted:
            trusted, moved = signatures.settle(root)
            self._trusted[root.path] = trusted
            self._set_aside += moved
        return root._replace(is_foreign=self._trusted[root.path].is_foreign)

    # ------------------------------------------------------------------ projects

    @property
    def project_name(self) -> str:
        """The name of the project, "" outside any."""
        return self.project_root.project if self.project_root else ""

    def project_names(self, name: str) -> tuple[str, ...]:
        """Return all names of the project that has or had this name, the present one first.

        Empty for "".
        """
        if not name:
            return ()
        from daily_memory.core.projects import find_named

        matches = find_named(self.known_projects, name)
        former = [former for project in matches for former in project.former]
        return tuple(dict.fromkeys([matches[0].title if matches else name, *former]))

    def complete_query(self, query: Query) -> Query:
        """Return a query with the asking conversation, and all names of its project."""
        if not query.conversation:
            query = query._replace(conversation=self.asking_conversation())
        if not query.project or query.former:
            return query
        name, *former = self.project_names(query.project)
        return query._replace(project=name, former=tuple(former))

    def reload_projects(self) -> None:
        """Read the list of projects again."""
        self.known_projects = project_list.find_projects(self.global_root)

    def note_project(self, folder: str, *, wait_s: float) -> None:
        """Put a project on the list, or update its entry."""
        from daily_memory.storage.fs.lock import locked

        root = self.global_root
        files.make_folder(root.path)
        with locked(root, wait_s=wait_s):
            files.remove_leftovers(root.path)
            signatures.remove_leftovers(root.path)
            project_list.note(root, folder)
        self.reload_projects()

    def _remember_project(self, root: Root) -> None:
        """Put the project of a root on the list, so that `--scope all` finds it."""
        if root.scope != "project":
            return
        folder = roots.project_folder(root)
        # A read-only home folder must not break a save.
        with contextlib.suppress(DailyMemoryError):
            if not project_list.is_known(self.global_root, folder):
                self.note_project(folder, wait_s=1)

    def _find_moved_project(self) -> None:
        """If the project's folder was moved, update the list: the project keeps its name."""
        root = self.project_root
        folder = roots.project_folder(root) if root else ""
        known_projects = self.known_projects
        if not root or not known_projects or any(each.path == folder for each in known_projects):
            return
        id_ = project_list.load_id(folder)
        # If the old folder still exists this is a copy, which its first save puts on the list.
        if id_ and any(
            known.id == id_ and not project_list.is_there(known) for known in known_projects
        ):
            self._remember_project(root)
            self.project_root = self._own_root(self.project)

    # ------------------------------------------------------------------ after a write

    def after_write(
        self, root: Root, *paths: str, is_removed: bool = False, is_moved: bool = False
    ) -> None:
        """Update what depends on the files of a root: project list, mirror, `summary.md`, vectors,
        and the team's database.

        `paths` are files that were written. `is_removed`: text was removed, and must not stay
        elsewhere. `is_moved`: whole files or sections were moved. Not needed after an observation,
        which the next search mirrors. Raises nothing, since the files themselves are written.
        """
        self._remember_project(root)
        if self.settings.mirror.enabled and (paths or is_removed or is_moved):
            from daily_memory.services.reading import mirror

            # Otherwise the next search updates the mirror, or reports the failure.
            with contextlib.suppress(DailyMemoryError):
                if paths:
                    mirror.follow(root, self.settings, *paths)
                if is_removed or is_moved:
                    mirror.forget(root, self.settings)
        if is_removed:
            from daily_memory.services.changing import summary_file

            with contextlib.suppress(DailyMemoryError):
                summary_file.drop_gone(root)
        self._follow_vectors(root, is_removed=is_removed or is_moved)
        if self.is_shared_root(root):
            self._start("team")

    def after_edit(self, edited: Edited) -> Edited:
        """Update what depends on the sections that were changed or deleted, and return them."""
        for root in {found.root.path: found.root for found in edited.sections}.values():
            self.after_write(root, is_removed=True)
        return edited

    def after_purge(self, targets: Sequence[Target]) -> list[str]:
        """Remove purged sessions from the last sync and the team's database; return warnings."""
        purged = {target.root.path: target.root for target in targets}
        for root in purged.values():
            if os.path.isdir(root.in_index("sync.git")):
                from daily_memory.services.upkeep import sync

                sync.forget(root, [target.id for target in targets if target.root == root])
        if not any(map(self.is_shared_root, purged.values())):
            return []
        from daily_memory.services.upkeep import team

        try:
            team.push(self.save_root("project"), self.settings)
        except DailyMemoryError:
            return ["your team's database (not reached; `memory mirror sync` removes it there)"]
        return []

    def is_shared_root(self, root: Root | None) -> bool:
        """Tell whether a root is pushed to the team's database; the global memory never is."""
        if root is None or root.scope != "project":
            return False
        return self.settings.mirror.shares(root.project)

    def _start(self, work: str) -> None:
        from daily_memory.storage import processes

        with contextlib.suppress(OSError):
            processes.start((work,), self.project, self.home, self.environment)

    def _follow_vectors(self, root: Root, *, is_removed: bool) -> None:
        """Remove the vectors of removed text, and make new ones in the background."""
        if is_removed:
            from daily_memory.storage.index import embeddings

            with contextlib.suppress(DailyMemoryError):
                embeddings.forget(root)
        if self.settings.semantic.enabled:
            self._start("embed")

    # ------------------------------------------------------------------ encryption

    def key_ring(self) -> Ring:
        """Return the user's key ring, which asks for the passphrase if needed."""
        from daily_memory.storage import keys

        return keys.ring(self.home, self.environment, self.ask_passphrase)

    def open_key(self, roots: Sequence[Root]) -> None:
        """Open the user's key now if any of these roots is encrypted."""
        if any(root.modes.is_sealed for root in roots):
            from daily_memory.storage import keys

            keys.load_identities(self.key_ring())

    def is_encrypted(self, root: Root) -> bool:
        """Tell whether a root is encrypted, by the settings or because it was before."""
        is_set = self._is_set_to_encrypt(root)
        # Without encryption there is no such folder: a cheap check.
        if not is_set and not os.path.isdir(roots.notes_folder(self.home)):
            return False
        from daily_memory.storage import encrypted_roots, settings_file

        # Only by its own file: the user's settings stay anyway, and a broken one is no evidence.
        if is_set and settings_file.load_config(root).values.get("storage.encryption") == "age":
            # A read-only home must not prevent encryption.
            with contextlib.suppress(DailyMemoryError):
                encrypted_roots.note(self.home, root)
        return is_set or encrypted_roots.is_noted(self.home, root)

    def _encryption_problems(self) -> Iterator[Problem]:
        """Yield a problem for each root that is encrypted although its settings do not say so."""
        if not os.path.isdir(roots.notes_folder(self.home)):
            return
        for root in self.own_roots:
            if not self._is_set_to_encrypt(root) and self.is_encrypted(root):
                from daily_memory.model import Problem

                message = (
                    "storage.encryption: not set here, but this memory was encrypted: new files"
                    " are encrypted too, until `memory decrypt` runs here"
                )
                yield Problem(root.config, 0, message)

    def _is_set_to_encrypt(self, root: Root) -> bool:
        """Tell whether the root's own `config.json` or the user's asks for encryption.

        An unreadable file might: then the root counts as encrypted if the user has a key.
        """
        is_here = root.path == self.settings_root.path
        if is_here and self.settings.storage.encryption == "none":
            return False
        if not any(map(os.path.lexists, (root.config, self.global_root.config))):
            return False
        from daily_memory.storage import settings_file

        if not is_here and not settings_file.is_encrypted(self.global_root, root):
            return False
        configs = map(settings_file.load_config, (root, self.global_root))
        if any(config.values.get("storage.encryption") == "age" for config in configs):
            return True
        from daily_memory.storage import keys  # rarely needed
        from daily_memory.storage.fs import encryption

        return bool(keys.load_recipients(encryption.ring_of(self.home)))


def local_time() -> datetime:
    """Return the local time: sessions belong to the user's own day."""
    return datetime.now().astimezone()
