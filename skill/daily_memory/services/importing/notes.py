"""Load a folder of Markdown notes, each as a session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from daily_memory.core.format.session_json import parse_session
from daily_memory.core.imports.notes import HOST, NoteFile, parse_note
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Session
from daily_memory.services.importing import sessions
from daily_memory.storage.foreign.transcript_files import file_time
from daily_memory.storage.fs import files


def load_notes(
    paths: Sequence[str],
    local: Callable[[datetime], datetime],
    now: datetime,
    warnings: list[str],
) -> Iterator[Session]:
    """Yield the notes at some paths as sessions; an unreadable note adds a warning."""
    if not paths:
        raise InvalidInputError("no folder of notes", hint=f"memory import --from {HOST} FOLDER")
    for path, file in _files(paths, local, warnings):
        try:
            data = parse_note(file, local)
            if data:
                yield parse_session(data, now).session
        except InvalidInputError as error:
            warnings.append(f"{path!r} was skipped: {error.message}")


def _files(
    paths: Sequence[str], local: Callable[[datetime], datetime], warnings: list[str]
) -> Iterator[tuple[str, NoteFile]]:
    for folder in paths:
        if not os.path.exists(folder):
            raise NotFoundError(f"nothing at {folder!r}")
        for path in sorted(_below(folder)):
            name = os.path.relpath(path, os.path.dirname(os.path.abspath(folder)))
            try:
                text = sessions.decoded(path, files.read_bytes(path)).replace("\r\n", "\n")
            except DailyMemoryError as error:
                warnings.append(f"{error.message}; it was skipped")
                continue
            yield path, NoteFile(name.replace(os.sep, "/"), text, local(file_time(path)))


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
