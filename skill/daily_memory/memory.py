"""`Memory`: everything that the command line, MCP and HTTP can do, as one class.

Services are imported inside the methods, so that a search does not load what only a save needs.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from daily_memory.core.settings import Settings
from daily_memory.workspace import SCOPES, Workspace

__all__ = ["SCOPES", "Memory", "long_lived"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from daily_memory import results
    from daily_memory.core.hosts.events import Event
    from daily_memory.core.pages.report import Counts
    from daily_memory.model import Problem
    from daily_memory.services.changing.deletion import Deletion
    from daily_memory.services.reading.mirror import Mirror
    from daily_memory.services.reading.observations import Observations
    from daily_memory.services.setup.config import Config
    from daily_memory.services.setup.encryption import Encryption
    from daily_memory.services.setup.projects import Projects
    from daily_memory.services.setup.setup import Setup
    from daily_memory.services.setup.tokens import Tokens
    from daily_memory.services.upkeep.archive import Archive
    from daily_memory.services.upkeep.background import Background
    from daily_memory.services.upkeep.cleanup import Cleanup
    from daily_memory.services.upkeep.embed import Embedding
    from daily_memory.services.upkeep.sync import Sync
    from daily_memory.services.upkeep.team import Team

# Where the class of each part is.
_PARTS = {
    "archive": "upkeep.archive",
    "background": "upkeep.background",
    "cleanup": "upkeep.cleanup",
    "config": "setup.config",
    "deletion": "changing.deletion",
    "embedding": "upkeep.embed",
    "encryption": "setup.encryption",
    "mirror": "reading.mirror",
    "observations": "reading.observations",
    "projects": "setup.projects",
    "setup": "setup.setup",
    "sync": "upkeep.sync",
    "team": "upkeep.team",
    "tokens": "setup.tokens",
}


@contextlib.contextmanager
def long_lived() -> Iterator[None]:
    """Keep index files open between searches, and tune the garbage collector, for a server."""
    from daily_memory.storage.index import kept

    # The command line turns collection off. Everything loaded so far stays for good.
    gc.freeze()
    # A search makes some ten thousand objects, hardly any of them cyclic.
    gc.set_threshold(20_000)
    gc.enable()
    with kept.keeping():
        yield


class Memory:
    """The memory of a project, with the global memory behind it.

    `project` is the project's folder; `""` means none, only the global memory. Without it, `around`
    is a folder in the project. Without both, the project of the working folder is used. With
    `is_named=False` the user did not choose `around`: an unsuitable folder is skipped instead of
    refused. `home` is the folder whose `.cursor/skills/memories` is the global memory. `clock`
    returns the local time with its zone. `ask_passphrase` is called when an encrypted memory needs
    a passphrase.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> memory = Memory(folder, home=folder + "/home")
    >>> saved = memory.save({"topic": "Redis TTL", "key_points": ["缓存 TTL 定为 300 秒"]})
    >>> [hit.session.topic for hit in memory.search("缓存多久过期？TTL").hits]
    ['Redis TTL']
    """

    # Verbs that belong together: see `_PARTS`.
    archive: Archive
    background: Background
    cleanup: Cleanup
    config: Config
    deletion: Deletion
    embedding: Embedding
    encryption: Encryption
    mirror: Mirror
    observations: Observations
    projects: Projects
    setup: Setup
    sync: Sync
    team: Team
    tokens: Tokens

    def __init__(
        self,
        project: str | os.PathLike[str] | None = None,
        *,
        around: str = "",
        is_named: bool = True,
        home: str | os.PathLike[str] | None = None,
        clock: Callable[[], datetime] | None = None,
        environment: Mapping[str, str] | None = None,
        ask_passphrase: Callable[[], str] | None = None,
    ) -> None:
        self._attach(
            Workspace(
                project,
                around=around,
                is_named=is_named,
                home=home,
                clock=clock,
                environment=environment,
                ask_passphrase=ask_passphrase,
            )
        )

    def _attach(self, workspace: Workspace) -> None:
        # The folder of the project ("" for none), and the user's home.
        self.workspace, self.project, self.home = workspace, workspace.project, workspace.home

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Return a part, such as `projects`, loaded at its first use."""
            if name not in _PARTS:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            # Like `importlib.import_module`, without loading importlib.
            module = __import__(f"daily_memory.services.{_PARTS[name]}", fromlist=[name])
            part = getattr(module, name.title())(self.workspace)
            setattr(self, name, part)
            return part

    @property
    def roots(self) -> tuple[results.Root, ...]:
        """The memories folders: the project's, if there is a project, and the global one."""
        return self.workspace.own_roots

    @property
    def settings(self) -> Settings:
        """The settings in force: the project's `config.json` over the user's over the defaults."""
        return self.workspace.settings

    @property
    def warnings(self) -> tuple[str, ...]:
        """Which projects are skipped because they are not the user's own."""
        return tuple(str(each) for each in self.workspace.skipped_folders.values() if each.is_told)

    @property
    def settings_problems(self) -> tuple[Problem, ...]:
        """Problems in the settings, and files moved aside because this user did not make them."""
        return self.workspace.problems

    def today(self) -> date:
        """Return the day that a session saved now would belong to."""
        return self.workspace.today()

    def in_folder(self, folder: str | os.PathLike[str], *, is_guest: bool = False) -> Memory:
        """Return the memory of another project, with the same global memory and clock.

        As a guest, its ids begin with its name.
        """
        memory = object.__new__(Memory)
        memory._attach(self.workspace.in_folder(folder, is_guest=is_guest))
        return memory

    # ------------------------------------------------------------------ writing

    def save(self, data: Mapping[str, object], *, scope: str = "") -> results.SaveResult:
        """Save a session or a whole conversation, and return its id and place.

        `data` has the keys described in docs/commands.md, `save`. With `messages` it is a
        conversation, which is digested, or skipped if the user or the settings say so.
        """
        from daily_memory.services.writing import save

        workspace = self.workspace
        root = workspace.save_root(scope)
        if root.scope == "global" and workspace.project_root:
            data = {"project": workspace.project_name, **data}
        result = save.save_data(
            root,
            data,
            workspace.settings,
            workspace.now(),
            workspace.environment,
            origin=workspace.origin,
        )
        workspace.after_write(root, *([] if result.skipped else [result.path]))
        return result._replace(label=root.label)

    def add(self, text: str, *, tags: Sequence[str] = (), scope: str = "") -> results.SaveResult:
        """Save a note; words such as `#redis` in it become tags."""
        from daily_memory.services.writing import save

        return self.save(save.note_data(text, tags), scope=scope)

    def redact(self, text: str) -> tuple[str, dict[str, int]]:
        """Return the text with secrets hidden, and how many of each kind there were."""
        from daily_memory.core.redaction.privacy import redact
        from daily_memory.services.setup.redaction_policy import policy

        redacted = redact(text, policy(self.settings))
        return redacted.text, dict(redacted.counts)

    def start(
        self,
        conversation: str = "",
        *,
        host: str = "",
        project: str = "",
        meta: Mapping[str, object] | None = None,
    ) -> results.LiveSession:
        """Start a live session, or continue the one with this name.

        `project` is the name of its project, by default this one; `meta` is kept with secrets
        hidden.
        """
        from daily_memory.services.writing import live

        return live.start(self.workspace, conversation, host, project, meta)

    def log(
        self,
        text: str,
        *,
        kind: str = "note",
        tags: Sequence[str] = (),
        private: bool = False,
        tool: str = "",
        conversation: str = "",
    ) -> results.Logged:
        """Add an observation, redacted, to a live session: the named one, or the last one."""
        from daily_memory.services.writing import live

        return live.log(
            self.workspace,
            text,
            kind=kind,
            tags=tags,
            private=private,
            tool=tool,
            conversation=conversation,
        )

    def end(self, conversation: str = "", *, so_far: bool = False) -> results.Ended:
        """End a live session, the named one or the last one, and save it as a section.

        With `so_far` it is saved as it is, and goes on.
        """
        from daily_memory.services.writing import live

        return live.end(self.workspace, conversation, so_far=so_far)

    def end_all(self) -> list[results.Ended]:
        """Save every unfinished live session, such as one whose host was killed."""
        from daily_memory.services.writing import live

        return live.end_all(self.workspace)

    def handle(
        self,
        event: Event,
        *,
        recalls: bool = True,
        in_time: AbstractContextManager[object] | None = None,
        settle: Callable[[], object] | None = None,
    ) -> results.Handled:
        """Record an event of a host, and return what to show to its conversation.

        Without `recalls` that is nothing. What follows the recording runs within `in_time`.
        `settle` is called at a start if other conversations are unfinished; by default it saves
        them in this process.
        """
        from daily_memory.services.writing import hook

        return hook.handle(
            self.workspace,
            event,
            self.inject,
            in_time or contextlib.nullcontext(),
            settle or self.end_all,
            recalls=recalls,
        )

    # ------------------------------------------------------------------ reading

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
    ) -> results.SearchResult:
        """Return the sessions that match best, best first, or none.

        `k` is the most hits, `days` how many days back; hits have all `tags`. `now` searches as if
        it were that day, without later sessions. `archived` searches the archive too. Defaults
        come from the settings.
        """
        from daily_memory.services.reading.root_search import Query

        query_ = Query(query, k, method, since, until, days, tuple(tags), project, now)
        return next(self.search_many([query_], scope=scope, archived=archived))

    def search_many(
        self, queries: Iterable[results.Query], *, scope: str = "", archived: bool = False
    ) -> Iterator[results.SearchResult]:
        """Yield the result of each query; the index is brought up to date once, at the start."""
        from daily_memory.services.reading import search

        results = search.search_many(
            self.workspace.search_roots(scope),
            map(self.workspace.complete_query, queries),
            self.settings.retrieval,
            self.today(),
            archived=archived,
            meaning=self.workspace.meaning(),
        )
        warnings = self.warnings if scope == "all" else ()
        return (result._replace(warnings=(*result.warnings, *warnings)) for result in results)

    def inject(
        self,
        query: str = "",
        *,
        max_chars: int = 4000,
        scope: str = "",
        now: date | None = None,
        known: frozenset[str] = frozenset(),
        conversation: str = "",
        resumed: str = "",
        limit: int = 0,
        project: str = "",
        is_hurried: bool = False,
    ) -> results.Injection:
        """Return the context block for a conversation: sessions relevant to the query, or recent.

        Ids in `known` are left out, and sessions of `conversation`, by default the one whose agent
        runs this process. Sessions of the conversation `resumed` come first. `limit` is the most
        sessions, 0 for the setting; `project` is the name of the only project. `is_hurried` skips
        days that a large index lacks.
        """
        from daily_memory.services.reading import inject
        from daily_memory.services.reading.root_search import Query

        own = self.workspace.project_root
        asked = Query(query, limit, project=project, now=now, conversation=conversation)
        return inject.inject(
            self.workspace.search_roots(scope),
            self.workspace.complete_query(asked),
            self.settings.retrieval,
            self.today(),
            max_chars=max_chars,
            known=known,
            resumed=resumed,
            own=own.path if own else "",
            folder=self.project,
            is_hurried=is_hurried,
            meaning=self.workspace.meaning(is_hurried=is_hurried),
            ask_team=self.workspace.team_asker(query),
        )

    def sessions(
        self,
        *,
        scope: str = "",
        first: date = date.min,
        last: date = date.max,
        foreign: bool = False,
        project: str = "",
        tags: Sequence[str] = (),
        archived: bool = False,
        newest_first: bool = False,
    ) -> Iterator[results.StoredSession]:
        """Yield every session, oldest first, with its root and lines.

        `foreign`: only those that others wrote, which came by git or an import. `project` is the
        name of the only project; sessions must have all `tags`. `archived` adds the archive. With
        `newest_first`, each day is read when it is reached.
        """
        from daily_memory.model import check_period
        from daily_memory.services.reading import browse

        check_period(first, last)
        listed = browse.newest if newest_first else browse.sessions
        return listed(
            self.workspace.search_roots(scope),
            browse.SessionFilter(tuple(tags), self.workspace.project_names(project), foreign),
            first=first,
            last=last,
            archived=archived,
        )

    def named(
        self, what: str, *, scope: str = "", project: str = "", archived: bool = False
    ) -> list[results.StoredSession]:
        """Return the session with an id, the `last` one, or those of a day, which may be none.

        A day is a date, or words such as `yesterday`; `上周` or `last week` are several.
        """
        from functools import partial
        from itertools import islice

        from daily_memory.core.phrases import naming

        if "#" in what:
            return [self.get(what, scope=scope, project=project, archived=archived)]
        look = partial(self.sessions, scope=scope, project=project, archived=archived)
        if naming.is_last(what):
            return list(islice(look(newest_first=True), 1))
        days = naming.named_days(what, self.today())
        return list(look(first=days.first, last=days.last))

    def id_of(self, text: str, *, scope: str = "") -> str:
        """Return an id as it is, and for `last` that of the newest session."""
        from daily_memory.core.phrases import naming

        newest = self.named(text, scope=scope) if naming.is_last(text) else []
        return newest[0].id if newest else text

    def get(
        self, session_id: str, *, scope: str = "", project: str = "", archived: bool = False
    ) -> results.StoredSession:
        """Return one session by its id, such as `2026-01-29#1` or `global:2026-01-29#1`.

        A bare id is of the project, or else of the only memory that has it. With `archived`, the
        archive is searched if no memory has it.
        """
        from daily_memory.services.reading import browse

        every = self.get_all(session_id, scope=scope, project=project, archived=archived)
        return browse.unambiguous(every)

    def get_all(
        self, session_id: str, *, scope: str = "", project: str = "", archived: bool = False
    ) -> list[results.StoredSession]:
        """Return the sessions that an id may mean: one from each memory, the project's first.

        `project` is the name of the only project. With `archived`, those in the archive follow.
        """
        from daily_memory.services.reading import browse

        if project:
            self.projects.check(project)
        roots = self.workspace.roots_for_ids([session_id], scope)
        chosen = browse.SessionFilter(names=self.workspace.project_names(project))
        return browse.get_all(roots, session_id, chosen, archived=archived)

    def open(self, session_id: str, *, scope: str = "") -> results.Opened:
        """Return a session with the text of its section, and the digest that `edit` takes."""
        from daily_memory.services.changing import edit

        return edit.read(self.workspace.roots_for_ids([session_id], scope), session_id)

    # ------------------------------------------------------------------ changing

    def edit(
        self, session_id: str, text: str, *, digest: str = "", scope: str = ""
    ) -> results.Edited:
        """Replace the text of a section, redacted; return the session as it was.

        With `digest` it must still have the text that `open` returned.
        """
        from daily_memory.services.changing import edit

        roots, now = self.workspace.roots_for_ids([session_id], scope), self.workspace.now()
        edited = edit.edit(roots, session_id, text, self.settings, now, digest=digest)
        return self.workspace.after_edit(edited)

    def mark(
        self, ids: Sequence[str], flags: Mapping[str, bool], *, scope: str = ""
    ) -> results.Edited:
        """Set or remove the flags `important`, `outdated` and `private` of sessions.

        Returns the sessions that changed, as they were.
        """
        from daily_memory.services.changing import edit

        roots, now = self.workspace.roots_for_ids(ids, scope), self.workspace.now()
        return self.workspace.after_edit(edit.mark(roots, ids, flags, now))

    def delete(
        self, ids: Sequence[str], *, scope: str = "", dry_run: bool = False
    ) -> results.Edited:
        """Delete sessions, all or none, with the observations of their conversations.

        Returns them as they were, and the id for `undo`. With `dry_run` nothing is deleted.
        """
        from daily_memory.services.changing import edit

        roots, now = self.workspace.roots_for_ids(ids, scope), self.workspace.now()
        edited = edit.delete(roots, ids, now, dry_run=dry_run)
        return edited if dry_run else self.workspace.after_edit(edited)

    def undo(
        self,
        operation: str = "",
        *,
        scope: str = "",
        dry_run: bool = False,
        opens_private: bool = True,
    ) -> results.Undone:
        """Undo the last deletion, edit or mark, or the operation with this id.

        Without `opens_private`, as for an assistant, nothing private becomes public.
        """
        from daily_memory.services.changing import undo

        undone = undo.undo(
            self.workspace.search_roots(scope),
            self.workspace.now(),
            operation,
            dry_run=dry_run,
            opens_private=opens_private,
        )
        is_moved = any(day.is_moved for day in undone.operation.days)
        for root in undone.roots:
            # A session may be private again.
            self.workspace.after_write(root, is_removed=True, is_moved=is_moved)
        return undone

    def operations(self, *, scope: str = "") -> list[results.ListedOperation]:
        """Return what can be undone, newest first: the last 30 days, and the last 20 operations."""
        from daily_memory.services.changing import undo

        return undo.listed(self.workspace.search_roots(scope))

    # ------------------------------------------------------------------ upkeep

    def review(self, *, scope: str = "", limit: int = 0) -> results.Reviewed:
        """Return what to review: up to `limit` findings of each kind, 0 for all."""
        from daily_memory.services.upkeep import review

        own, roots = self.workspace, self.workspace.search_roots(scope)
        path, settings = own.settings_root.path, own.settings
        return review.review_roots(roots, settings, own.now(), own=path, limit=limit)

    def summarize(
        self, *, scope: str = "", max_chars: int = 0, dry_run: bool = False
    ) -> results.Summary:
        """Rewrite our part of `summary.md`; return its text.

        `max_chars` limits its length, 0 for the default. With `dry_run` nothing is written.
        """
        from daily_memory.services.upkeep import summary

        root, settings = self.workspace.save_root(scope), self.settings
        return summary.summarize(root, settings, max_chars=max_chars, dry_run=dry_run)

    def summaries(self, *, scope: str = "") -> list[dict[str, str | None]]:
        """Return the text of each memory's `summary.md`; `origin` is who else wrote it."""
        from daily_memory.services.reading import summary_text

        return summary_text.summaries(self.workspace.search_roots(scope))

    def report(self, *, days: int = 365, scope: str = "") -> Counts:
        """Return the statistics of the last days."""
        from daily_memory.services.upkeep import report

        own = self.workspace
        return report.count(own.search_roots(scope), own.settings, own.today(), days)

    def report_page(self, counts: Counts) -> str:
        """Return a report as an HTML page with pictures, without scripts or requests."""
        from daily_memory.services.upkeep import report

        return report.page(counts)

    def doctor(
        self, *, scope: str = "", fix: bool = False, restore: bool = False, adopt: bool = False
    ) -> dict[str, results.Report]:
        """Look for problems in each memory, fix them if asked to; return reports by path.

        `restore` puts missing sections back into their days. `adopt` accepts files that were moved
        aside because they came from another user.
        """
        from daily_memory.services.upkeep import doctor

        return doctor.examine(self.workspace, scope, fix=fix, restore=restore, adopt=adopt)

    def remedies(self, reports: Mapping[str, results.Report]) -> tuple[results.Remedy, ...]:
        """Return the steps that fix what `doctor` found, in order."""
        from daily_memory.services.upkeep import doctor_steps

        return doctor_steps.steps(reports.values())

    def issue_report(self, reports: Mapping[str, results.Report]) -> str:
        """Return what `doctor` found as Markdown for an issue, without the user's words."""
        from daily_memory.services.upkeep import issue_report

        hosts, now = self.setup.recording_hosts(), self.workspace.now()
        return issue_report.issue_report(reports, self.roots, self.settings, hosts, now)

    def overview(self) -> list[results.Overview]:
        """Return what each memory holds and what waits in it, the project's first."""
        from daily_memory.services.upkeep import overview

        review_days, now = self.settings.recall.review_days, self.workspace.now()
        return [overview.overview(root, review_days, now) for root in self.roots]

    def reindex(self, *, scope: str = "") -> dict[str, int]:
        """Rebuild the index of each memory; return its number of sessions, by path."""
        from daily_memory.services.upkeep import doctor

        roots = self.workspace.search_roots(scope)
        return {root.path: doctor.reindex(root) for root in roots}

    # ------------------------------------------------------------------ import and export

    def import_files(
        self,
        paths: str | Sequence[str],
        *,
        scope: str = "",
        with_config: bool = False,
        dry_run: bool = False,
    ) -> results.ImportResult:
        """Import a path or several: JSON, JSONL, day files and folders, all of them or none.

        A whole memory, as a folder or a zip, is copied into an empty memory, or merged into
        another. Only `with_config` imports its settings into the global memory.
        """
        from daily_memory.services.importing import bundle

        own, root, now = self.workspace, self.workspace.save_root(scope), self.workspace.now()
        names = [paths] if isinstance(paths, str) else paths
        sources = [bundle.load(path, now) for path in names]
        options = bundle.BundleOptions(with_config or root.scope == "project", dry_run, own.home)
        result = bundle.import_sources(root, sources, own.settings, now, options)
        if not dry_run:
            own.after_write(root)
        return result.named(root)

    def import_sessions(
        self, data: Iterable[Mapping[str, object]], *, scope: str = ""
    ) -> results.ImportResult:
        """Import sessions given as JSON objects; existing ones are left as they are."""
        from daily_memory.core.format.session_json import parse_session
        from daily_memory.services.importing import sessions

        own, root, now = self.workspace, self.workspace.save_root(scope), self.workspace.now()
        parsed = [parse_session(item, now).session for item in data]
        result = sessions.import_sessions(root, parsed, own.settings, now)
        own.after_write(root)
        return result.named(root)

    def import_from(
        self,
        host: str,
        paths: Sequence[str] = (),
        *,
        scope: str = "",
        all_projects: bool = False,
        again: bool = False,
        dry_run: bool = False,
    ) -> results.ImportResult:
        """Import the conversations or notes of another program, each once; all of them or none.

        `host` is `claude`, `cursor`, `trae-mem`, `claude-mem` or `notes`; `paths` are its files, if
        not in the usual place. Only those of this project are imported, or with `all_projects` all
        of them into the global memory. What was deleted here is imported only with `again`.
        """
        from daily_memory.core.hosts.names import host_name
        from daily_memory.core.imports.trae_mem import HOST as TRAE_MEM
        from daily_memory.errors import InvalidInputError
        from daily_memory.services.importing import conversations, trae_mem

        own = self.workspace
        if all_projects and scope == "project":
            raise InvalidInputError("conversations of all projects go into the global memory")
        if not all_projects and not own.project:
            hint = "name one with --project, or use --all-projects"
            raise InvalidInputError("not inside a project", hint=hint)
        root = own.save_root("global" if all_projects else scope)
        request = conversations.Request(
            host_name(host),
            tuple(paths),
            "" if all_projects else own.project,
            own.home,
            own.environment,
            own.localized,
            again,
        )
        known = {each.path: each for each in (*own.search_roots("all"), root)}
        run = conversations.import_conversations
        if request.host == TRAE_MEM:
            run = trae_mem.import_trae_mem
        result = run(root, request, known.values(), own.settings, own.now(), dry_run=dry_run)
        if not dry_run and (result.ids or result.observations):
            own.after_write(root)
        return result.named(root)

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
    ) -> Iterator[str]:
        """Yield the sessions of one memory as text: `json`, `jsonl`, `md`, or `html` to read.

        The scope `all` exports all memories. The HTML leaves out private sessions. `count` is
        called with the number of exported sessions, `warn` with each unreadable day.
        """
        from daily_memory.model import check_period
        from daily_memory.services.importing import export
        from daily_memory.services.reading.browse import SessionFilter

        check_period(first, last)
        export.check_format(form)
        own = self.workspace
        roots = own.export_roots(scope)
        # Without the key every day would be skipped with a warning.
        own.open_key(roots)
        wanted = SessionFilter(tuple(tags), own.project_names(project))
        chosen = export.Chosen(first, last, wanted, archived)
        return export.export(roots, form, chosen, own.now(), own.settings, count, warn)

    def export_zip(self, *, scope: str = "", with_observations: bool = False) -> bytes:
        """Return a zip of one memory: days, archive, summary and settings; never encrypted.

        `index/` is left out. The same memory gives the same bytes.
        """
        from daily_memory.services.importing import bundle

        root = self.workspace.save_root(scope)
        return bundle.packed(root, with_observations=with_observations)
