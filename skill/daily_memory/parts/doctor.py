"""What `Memory.doctor` examines: each root, the settings, the hosts and the folders around."""

from __future__ import annotations

import os
from collections.abc import Iterator

from daily_memory.model import Problem
from daily_memory.services.setup.install import Site
from daily_memory.services.upkeep import doctor, doctor_hosts
from daily_memory.services.upkeep.doctor import Report
from daily_memory.storage import discovery, hook_log, project_list, roots, settings_file, signatures
from daily_memory.storage.roots import Root
from daily_memory.workspace import Workspace


def examine(
    workspace: Workspace, scope: str, *, fix: bool, restore: bool, adopt: bool
) -> dict[str, Report]:
    """Return a report of each root by its path; see `Memory.doctor`."""
    reports: dict[str, Report] = {}
    examined = _examined_roots(workspace, scope)
    for root in examined:
        reports[root.path] = doctor.examine(
            root, workspace.settings, workspace.now(), fix=fix, restore=restore, adopt=adopt
        )
    _add_settings_problems(workspace, reports, examined)
    last_events = doctor_hosts.last_events(workspace.own_roots)
    for own in _in_scope(workspace, scope):
        site = site_of(workspace, "user" if own.scope == "global" else "project")
        remarks = (*doctor_hosts.remarks(site, last_events), *_folder_remarks(workspace, own))
        if own.path in reports or remarks:
            report = reports.get(own.path, Report(0, 0))
            reports[own.path] = report._replace(remarks=(*report.remarks, *remarks))
    return reports


def site_of(workspace: Workspace, scope: str) -> Site:
    """Return where hosts are set up: in the `project`, or for the `user`."""
    from daily_memory.errors import InvalidInputError

    home, environment = workspace.home, workspace.environment
    if scope not in ("project", "user"):
        raise InvalidInputError(f"scope {scope!r} is not one of project, user")
    if scope == "user":
        return Site(scope, home, home, environment)
    if not workspace.project or os.path.realpath(workspace.project) == os.path.realpath(home):
        raise InvalidInputError(
            "not inside a project", hint="name one with --project DIR, or use --user"
        )
    return Site(scope, workspace.project, home, environment)


def _in_scope(workspace: Workspace, scope: str) -> list[Root]:
    return [root for root in workspace.own_roots if scope in ("", "all", root.scope)]


def _examined_roots(workspace: Workspace, scope: str) -> list[Root]:
    """Return the roots in use, and own ones that only have a log or files that were moved aside."""
    examined = workspace.search_roots(scope)
    for root in _in_scope(workspace, scope):
        is_new = all(root.path != known.path for known in examined)
        if is_new and (os.path.exists(hook_log.log_path(root)) or signatures.aside(root)):
            examined.append(root)
    return examined


def _add_settings_problems(
    workspace: Workspace, reports: dict[str, Report], examined: list[Root]
) -> None:
    """Add to each report the problems in the settings of its root, each problem once."""
    seen: set[Problem] = set()
    for root in examined or [workspace.settings_root]:
        loaded = settings_file.load_settings(workspace.global_root, root)
        if not loaded.problems:
            continue
        report = reports.get(root.path, Report(0, 0))
        faults = [problem for problem in loaded.faults if problem not in seen]
        remarks = [item for item in (*loaded.refused, *loaded.remarks) if item not in seen]
        seen.update(faults, remarks)
        reports[root.path] = report._replace(
            faults=(*report.faults, *faults), remarks=(*report.remarks, *remarks)
        )


def _folder_remarks(workspace: Workspace, root: Root) -> Iterator[Problem]:
    """Yield remarks on the folders around a root: those not used, and those with a memory too."""
    if root == workspace.settings_root:
        for passed in workspace.passed_over.values():
            hint = f"; {discovery.hint(passed.folder)}" if passed.is_told else ""
            yield Problem(passed.folder, 0, f"is not used as a project: {passed.reason}{hint}")
    if root.scope == "global":
        return
    project = workspace.project
    for folder in discovery.memories_above(project, workspace.environment, workspace.home):
        yield Problem(folder, 0, f"has a memory too, which {project!r} does not use")
    for known in workspace.listed:
        if known.path.startswith(project + os.sep) and project_list.is_there(known):
            message = (
                "has a memory of its own, which is used in there; to have one only,"
                f" `memory import {known.path}` and remove {roots.project_root(known.path).path}"
            )
            yield Problem(known.path, 0, message)
