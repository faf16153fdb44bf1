"""Live sessions for `Memory`: start one, add to it, and save it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from daily_memory.core.hosts.names import host_name
from daily_memory.model import Session
from daily_memory.services.writing import live, llm_digest
from daily_memory.services.writing.live import Ended, Entry, Logged, Over
from daily_memory.services.writing.redaction_policy import clean_name, known_policy
from daily_memory.storage import import_origins, observations
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.observations import Live
from daily_memory.storage.roots import Root
from daily_memory.workspace import Workspace

__all__ = ["Entry", "end", "end_all", "log", "note_origin", "start"]


def start(
    workspace: Workspace,
    conversation: str,
    host: str,
    project: str,
    meta: Mapping[str, object] | None,
) -> Live:
    """Start a live session, or continue the one with this name."""
    root, now = workspace.save_root(), workspace.now()
    # The random part tells apart two sessions that start in the same second.
    name = _clean(workspace, conversation or f"{now:%Y%m%dT%H%M%S}-{os.urandom(2).hex()}")
    project = project or workspace.project_name
    started = live.start(
        root, name, workspace.settings, now, host=host_name(host), project=project, meta=meta
    )
    note_origin(workspace, started.conversation)
    return live.named(root, started)


def log(workspace: Workspace, entry: Entry, conversation: str) -> Logged:
    """Add an observation to a live session."""
    root, name = workspace.save_root(), _clean(workspace, conversation)
    note_origin(workspace, name)
    return live.log(root, entry, workspace.settings, workspace.now(), name)


def note_origin(workspace: Workspace, conversation: str) -> None:
    """Note that somebody else has a part in a live session, if they have."""
    root = workspace.save_root()
    path = workspace.person and observations.find_path(root, conversation)
    if path and not import_origins.origin_of(root, path):
        with locked(root):
            import_origins.note(root, [os.path.relpath(path, root.path)], workspace.origin)


def end(workspace: Workspace, conversation: str, *, so_far: bool) -> Ended:
    """Save a live session, which goes on with `so_far`."""
    root = workspace.save_root()
    path = live.get(root, _clean(workspace, conversation)).path
    ended = (live.settle if so_far else live.end)(root, path, _over(workspace, root))
    return _ended(workspace, root, ended, path)


def end_all(workspace: Workspace) -> list[Ended]:
    """Save every live session that was left unfinished."""
    root = workspace.save_root()
    sessions = live.settle_unfinished(root, _over(workspace, root))
    return [_ended(workspace, root, ended) for ended in sessions]


def _ended(workspace: Workspace, root: Root, ended: Ended, *paths: str) -> Ended:
    day = [os.path.join(root.daily_folder, f"{ended.id[:10]}.md")] if ended.id else []
    # What is skipped may have been refused by the user, and removed from its day.
    workspace.after_write(root, *paths, *day, is_removed=bool(ended.skipped))
    return ended._replace(id=root.scoped(ended.id)) if ended.id else ended


def _clean(workspace: Workspace, conversation: str) -> str:
    return clean_name(conversation, known_policy(workspace.settings))


def _over(workspace: Workspace, root: Root) -> Over:
    now, settings = workspace.now(), workspace.settings

    def improve(draft: Session, text: str) -> tuple[Session, tuple[str, ...]]:
        return llm_digest.summarize(draft, text, settings, workspace.environment, root, now)

    return Over(settings, now, improve)
