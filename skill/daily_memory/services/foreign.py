"""Folders of Markdown notes that other programs keep become sessions, each once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime

from daily_memory.core import privacy
from daily_memory.core.foreign_notes import BASIC_MEMORY, MEMSEARCH, OPENCLAW, PARSERS, File
from daily_memory.core.privacy import Counts
from daily_memory.core.session_json import parse_session
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Session
from daily_memory.services import transfer
from daily_memory.services.backfill import BackfillResult, Request
from daily_memory.services.policies import policy
from daily_memory.storage import days, files
from daily_memory.storage.indexing import Progress
from daily_memory.storage.roots import Root
from daily_memory.storage.transcript_files import file_time

HOSTS = tuple(PARSERS)


def bring(
    root: Root,
    request: Request,
    known: Iterable[Root],
    settings: Settings,
    now: datetime,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> BackfillResult:
    """Import the notes of a program into a root, all or none.

    A note that one of the `known` roots has is there already, also where it changed since.

    Raises:
        NotFoundError: there is nothing at a path.
        ConflictError: another process held the lock for too long; nothing was imported.
        BackendError: the system refused to write; nothing was imported.
    """
    ids = {name for one in known for name in days.conversations(one)}
    hide = policy(settings)
    warnings: list[str] = []
    new: list[Session] = []
    hidden: list[Counts] = []
    present = 0
    for session in _sessions(request, now, warnings):
        if session.conversation in ids:
            present += 1
            continue
        clean, counts = privacy.redact_session(session, hide)
        new.append(clean)
        hidden.append(counts)
    done = transfer.import_sessions(
        root, new, settings, now, progress, conversations=True, dry_run=dry_run
    )
    return BackfillResult(
        tuple(new),
        () if dry_run else done.ids,
        present + done.present,
        redactions=privacy.sum_counts(hidden),
        warnings=(*warnings, *done.warnings),
    )


def _sessions(request: Request, now: datetime, warnings: list[str]) -> Iterator[Session]:
    for path, file in _files(request, warnings):
        try:
            for data in PARSERS[request.host](file, request.local):
                yield parse_session(data, now).session
        except InvalidInputError as error:
            warnings.append(f"{path!r} was passed over: {error.message}")


def _files(request: Request, warnings: list[str]) -> Iterator[tuple[str, File]]:
    """Yield the notes below the folders, with their paths; one that can't be read is a warning."""
    for folder in request.paths or (_own_folder(request),):
        if not os.path.exists(folder):
            hint = f"name the folder: memory import --from {request.host} FOLDER"
            raise NotFoundError(f"nothing at {folder!r}", hint=hint)
        for path in sorted(_below(folder)):
            name = os.path.relpath(path, folder) if os.path.isdir(folder) else path
            try:
                text = days.decode(files.read_bytes(path)).replace("\r\n", "\n")
            except DailyMemoryError as error:
                warnings.append(error.message)
                continue
            yield path, File(name.replace(os.sep, "/"), text, request.local(file_time(path)))


def _own_folder(request: Request) -> str:
    """Return where the program keeps its notes unless it is told otherwise."""
    if request.host == MEMSEARCH:
        return os.path.join(request.project or request.home, ".memsearch", "memory")
    if request.host == OPENCLAW:
        return os.path.join(request.home, ".openclaw", "workspace")
    return os.path.join(request.home, BASIC_MEMORY)


def _below(path: str) -> Iterator[str]:
    """Yield the Markdown files below a folder; hidden ones and links are not followed."""
    if not os.path.isdir(path):
        yield path
        return
    for parent, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if name.lower().endswith(".md") and not name.startswith("."):
                yield os.path.join(parent, name)
