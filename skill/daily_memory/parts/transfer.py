"""Import and export for `Memory`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from daily_memory.core.format import session_json
from daily_memory.core.hosts.names import host_name
from daily_memory.core.imports import trae_mem as trae_mem_rows
from daily_memory.errors import InvalidInputError
from daily_memory.model import check_period
from daily_memory.services.importing import bundle, conversations, sessions, trae_mem
from daily_memory.services.importing import export as exporting
from daily_memory.services.importing.export import Chosen
from daily_memory.services.importing.sessions import ImportResult
from daily_memory.storage.roots import Root
from daily_memory.workspace import Workspace


def import_files(
    workspace: Workspace, paths: Sequence[str], scope: str, *, with_config: bool, dry_run: bool
) -> ImportResult:
    root, now = workspace.save_root(scope), workspace.now()
    sources = [bundle.load(path, now) for path in paths]
    takes = bundle.Takes(with_config or root.scope == "project", dry_run, workspace.home)
    result = bundle.bring(root, sources, workspace.settings, now, takes)
    if not dry_run:
        workspace.after_write(root)
    return _named(root, result)


def import_sessions(
    workspace: Workspace, data: Iterable[Mapping[str, object]], scope: str
) -> ImportResult:
    """Import sessions given as JSON objects."""
    root, now = workspace.save_root(scope), workspace.now()
    parsed = [session_json.parse_session(item, now).session for item in data]
    result = sessions.import_sessions(root, parsed, workspace.settings, now)
    workspace.after_write(root)
    return _named(root, result)


def import_from(
    workspace: Workspace,
    host: str,
    paths: Sequence[str],
    scope: str,
    *,
    all_projects: bool,
    again: bool,
    dry_run: bool,
) -> ImportResult:
    """Import the conversations or notes of another program."""
    if all_projects and scope == "project":
        raise InvalidInputError("conversations of all projects go into the global memory")
    if not all_projects and not workspace.project:
        raise InvalidInputError(
            "not inside a project", hint="name one with --project, or use --all-projects"
        )
    root = workspace.save_root("global" if all_projects else scope)
    request = conversations.Request(
        host_name(host),
        tuple(paths),
        "" if all_projects else workspace.project,
        workspace.home,
        workspace.environment,
        workspace.localized,
        again,
    )
    known = {known.path: known for known in (*workspace.search_roots("all"), root)}
    is_trae_mem = request.host == trae_mem_rows.HOST
    bring = trae_mem.migrate if is_trae_mem else conversations.backfill
    result = bring(
        root, request, known.values(), workspace.settings, workspace.now(), dry_run=dry_run
    )
    if not dry_run and (result.ids or result.observations):
        workspace.after_write(root)
    return _named(root, result)


def export(
    workspace: Workspace,
    form: str,
    scope: str,
    chosen: Chosen,
    count: exporting.Counter | None,
    warn: exporting.Warner | None,
) -> Iterator[str]:
    """Yield the chosen sessions as text."""
    check_period(chosen.first, chosen.last)
    exporting.check_format(form)
    roots = workspace.export_roots(scope)
    # Without the key every day would be skipped with a warning, and nothing exported.
    workspace.open_key(roots)
    now, settings = workspace.now(), workspace.settings
    return exporting.export(roots, form, chosen, now, settings, count, warn)


def _named(root: Root, result: ImportResult) -> ImportResult:
    return result._replace(
        ids=tuple(map(root.scoped, result.ids)),
        renumbered=tuple((number, root.scoped(id_)) for number, id_ in result.renumbered),
        archived=tuple(map(root.scoped, result.archived)),
    )
