"""Import a folder of Markdown notes: each note becomes a session, once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime

from daily_memory.core.format.session_json import parse_session
from daily_memory.core.imports.notes import HOST, NoteFile, parse_note
from daily_memory.core.progress import Progress
from daily_memory.core.redaction import privacy
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Session
from daily_memory.services.importing import conversations, sessions
from daily_memory.services.importing.conversations import BackfillResult, Request
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage import archive_files, deleted
from daily_memory.storage.foreign.transcript_files import file_time
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root


def import_notes(
    root: Root,
    request: Request,
    known: Iterable[Root],
    settings: Settings,
    now: datetime,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> BackfillResult:
    """Import the notes at `request.paths` that none of the `known` roots has, all or none.

    A note is known by its path from the folder's name on, whatever it says by now. One that was
    deleted here is left out, unless `request.again`.

    Raises:
        InvalidInputError: no path was given.
        NotFoundError: there is nothing at a path.
        ConflictError: another process held the lock for too long; nothing was imported.
        BackendError: the system refused to write; nothing was imported.
    """
    if not request.paths:
        raise InvalidInputError("no folder of notes", hint=f"memory import --from {HOST} FOLDER")
    known = list(known)
    present = {name for memory in known for name in archive_files.conversations(memory)}
    gone = conversations.deleted_in(known, request)
    warnings: list[str] = []
    notes = {note.conversation: note for note in _load_notes(request, now, warnings)}
    new = [note for name, note in notes.items() if name not in present]
    wanted = [note for note in new if deleted.key(note.conversation) not in gone]
    wanted.sort(key=lambda note: (note.date, note.time))
    preview = tuple(note for note, _ in privacy.redact_sessions(wanted, policy(settings)))
    done = sessions.import_sessions(
        root, wanted, settings, now, progress, conversations=True, dry_run=dry_run
    )
    return BackfillResult(
        preview,
        () if dry_run else done.ids,
        len(notes) - len(new) + done.present,
        redactions=done.redactions,
        warnings=(*warnings, *done.warnings),
        deleted=len(new) - len(wanted),
    )


def _load_notes(request: Request, now: datetime, warnings: list[str]) -> Iterator[Session]:
    for path, file in _files(request, warnings):
        try:
            data = parse_note(file, request.local)
            if data:
                yield parse_session(data, now).session
        except InvalidInputError as error:
            warnings.append(f"{path!r} was skipped: {error.message}")


def _files(request: Request, warnings: list[str]) -> Iterator[tuple[str, NoteFile]]:
    """Yield the notes below the folders, with their paths; an unreadable one is a warning."""
    for folder in request.paths:
        if not os.path.exists(folder):
            raise NotFoundError(f"nothing at {folder!r}")
        for path in sorted(_below(folder)):
            name = os.path.relpath(path, os.path.dirname(os.path.abspath(folder)))
            try:
                text = sessions.decoded(path, files.read_bytes(path)).replace("\r\n", "\n")
            except DailyMemoryError as error:
                warnings.append(f"{error.message}; it was skipped")
                continue
            yield path, NoteFile(name.replace(os.sep, "/"), text, request.local(file_time(path)))


def _below(path: str) -> Iterator[str]:
    """Yield the Markdown files below a folder, but no hidden ones; links are not followed."""
    if not os.path.isdir(path):
        yield path
        return
    for parent, folders, names in os.walk(path):
        folders[:] = (name for name in folders if not name.startswith("."))
        for name in names:
            if name.lower().endswith(".md") and not name.startswith("."):
                yield os.path.join(parent, name)
