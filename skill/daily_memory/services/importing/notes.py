"""Folders of Markdown notes that other programs keep become sessions, each once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from daily_memory.core.format.session_json import parse_session
from daily_memory.core.imports.notes import BASIC_MEMORY, MEMSEARCH, OPENCLAW, PARSERS, File
from daily_memory.core.progress import Progress
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Section, Session
from daily_memory.services.changing import replace
from daily_memory.services.importing import conversations, sessions, update
from daily_memory.services.importing.conversations import BackfillResult, Request
from daily_memory.services.setup import init
from daily_memory.services.writing import save
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage import days, deleted
from daily_memory.storage.days import Written
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.foreign.transcript_files import file_time
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root

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

    A note that one of the `known` roots has is there already. One that changed since it came into
    this root takes the place of its section, or is added behind it where a person edited that.
    What was deleted in one of these roots is left out.

    Raises:
        NotFoundError: there is nothing at a path.
        ConflictError: another process held the lock for too long; nothing was imported.
        BackendError: the system refused to write; nothing was imported.
    """
    warnings: list[str] = []
    notes: dict[str, list[Session]] = {}
    for session in _sessions(request, now, warnings):
        notes.setdefault(session.conversation, []).append(session)
    known = list(known)
    gone = conversations.deleted_in(known, request)
    own = os.path.realpath(root.path)
    elsewhere = {
        name
        for one in known
        if os.path.realpath(one.path) != own
        for name in days.conversations(one)
    }
    safe = _Safe(settings)
    plan = _planned(root, notes, _Known(elsewhere, gone), safe, progress)
    written: list[Written] = []
    renewed: list[Written] = []
    if not dry_run and (plan.new or plan.changed):
        with locked(root):
            init.ignore_derived(root)
            # Again, now that nobody else writes; what has been redacted is kept.
            plan = _planned(root, notes, _Known(elsewhere, gone), safe)
            with contextlib.ExitStack() as undo:
                renewed, written, done = update.write_all(
                    root, plan.changed, plan.new, settings, undo
                )
                undo.pop_all()
            warnings += replace.note_import(root, done, now)
            if request.again:
                warnings += save.lift_deletions(root, [session for session, _ in written])
            warnings += save.record(root, [*renewed, *written], now, progress)
    ids = [one.session.id for one in renewed] or [one.session.id for one, _ in plan.changed]
    return BackfillResult(
        tuple(plan.new),
        tuple(str(session.id) for session, _ in written),
        plan.present,
        redactions=safe.counts([*plan.new, *(session for _, session in plan.changed)]),
        warnings=tuple(warnings),
        renewed=tuple(map(str, ids)),
        deleted=plan.deleted,
    )


# ---------------------------------------------------------------------------- what is new


class _Safe:
    """Sessions without secrets: each is looked through once."""

    def __init__(self, settings: Settings) -> None:
        self._hide = policy(settings)
        self._done: dict[Session, Session] = {}
        self._hidden: dict[Session, Counts] = {}

    def get(self, session: Session) -> Session:
        """Return the session without secrets."""
        if session not in self._done:
            clean, hidden = privacy.redact_session(session, self._hide)
            self._done[session] = clean
            self._hidden[clean] = hidden
        return self._done[session]

    def counts(self, cleaned: Iterable[Session]) -> Counts:
        """Return what was hidden in sessions that came from here."""
        return privacy.sum_counts(self._hidden.get(one, ()) for one in cleaned)


class _Known(NamedTuple):
    """The names of notes that other roots have, and what was deleted, by what is known of it."""

    elsewhere: Collection[str]
    gone: Mapping[str, Sequence[Deleted]]


class _Plan(NamedTuple):
    """What is to be written, in order of the days, how many notes are there already, and how many
    were deleted.
    """

    new: list[Session]
    changed: list[tuple[Section, Session]]
    present: int = 0
    deleted: int = 0


def _planned(
    root: Root,
    notes: Mapping[str, Sequence[Session]],
    known: _Known,
    safe: _Safe,
    progress: Progress | None = None,
) -> _Plan:
    plan = _Plan([], [])
    own = days.conversations(root)
    standing = update.sections_of(root, own.intersection(notes))
    for done, (name, several) in enumerate(notes.items(), 1):
        if name in own:
            new, changed = _compared(several, standing.get(name, ()), safe)
        elif name in known.elsewhere:
            new, changed = [], []
        else:
            new, changed = [safe.get(one) for one in several], []
        there = len(several) - len(new) - len(changed)
        # What of this name was deleted may have changed since: then nobody can tell it from a new
        # note of the same name. Left out it is not lost, and can still be asked for.
        gone = len(new) if deleted.key(name) in known.gone else 0
        new = [] if gone else new
        plan = _Plan(
            plan.new + new, plan.changed + changed, plan.present + there, plan.deleted + gone
        )
        if progress:
            progress(done, len(notes))
    plan.new.sort(key=lambda one: (one.date, one.time))
    return plan


def _compared(
    notes: Sequence[Session], sections: Sequence[Section], safe: _Safe
) -> tuple[list[Session], list[tuple[Section, Session]]]:
    """Return which notes of one name are new, and which changed, with their sections.

    What another program, or a hook, saved of the same conversation stays as it is.
    """
    if not any(one.session.source == notes[0].source for one in sections):
        return [], []
    went_on = {one.session.continues for one in sections}
    free = [one for one in sections if str(one.session.id) not in went_on]
    other = []
    for note in notes:
        there = [one for one in sections if _is_of(one.session, note, safe)]
        free = [one for one in free if one not in there]
        other += [] if there else [safe.get(note)]
    new: list[Session] = []
    changed: list[tuple[Section, Session]] = []
    for note in other:
        like = next((one for one in free if _is_like(one.session, note)), None)
        if like is None:
            new.append(note)
        else:
            free.remove(like)
            changed.append((like, note))
    return new, changed


def _is_of(section: Session, note: Session, safe: _Safe) -> bool:
    """Tell whether a section was made of just this note, whatever a person made of it since."""
    if _said(section) == _said(note):
        return True
    clean = save.as_private(section, safe.get(note))
    # The digest is that of what was written then; in which language, its day decided.
    return _said(section) == _said(clean) or section.digest in save.digests(clean)


def _said(session: Session) -> Session:
    """Return what a note says: its time may be that of its file."""
    return save.content(session)._replace(date=date.min, time="", project="")


def _is_like(section: Session, note: Session) -> bool:
    """Tell whether a note is one that changed, and not another of the same name elsewhere.

    At least half of the lines of the section are still in it.
    """
    before, now = _lines(section), _lines(note)
    return 2 * len(before & now) >= len(before)


def _lines(session: Session) -> set[str]:
    texts = (
        *(session.summary, *session.key_points, *session.decisions, *session.open_questions),
        *(*session.next_steps, *(note.text for note in session.notes)),
    )
    lines = {line.strip() for text in texts for line in text.split("\n")} - {""}
    return lines or {session.topic}


# ---------------------------------------------------------------------------- reading


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
                text = sessions.decoded(path, files.read_bytes(path)).replace("\r\n", "\n")
            except DailyMemoryError as error:
                warnings.append(f"{error.message}; it was passed over")
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
