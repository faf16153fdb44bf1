"""Import and export: sessions in and out of a root, without loss and without doubling."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from daily_memory.core import markdown, privacy, session_json
from daily_memory.core.privacy import Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import Session
from daily_memory.services import recording, setup
from daily_memory.services.policies import policy
from daily_memory.storage import days, files, journal
from daily_memory.storage.days import Format, Written
from daily_memory.storage.files import Appended
from daily_memory.storage.indexing import Progress
from daily_memory.storage.lock import locked
from daily_memory.storage.roots import Root

EXPORT_FORMATS = ("json", "jsonl", "md")
IMPORT = "import"


class ImportResult(NamedTuple):
    """What an import did: ids of new sessions, how many were there already, what was hidden."""

    ids: tuple[str, ...] = ()
    present: int = 0
    redactions: tuple[tuple[str, int], ...] = ()
    warnings: tuple[str, ...] = ()


# ---------------------------------------------------------------------------- reading


def load_sessions(path: str, now: datetime) -> list[Session]:
    """Return the sessions of a file: JSON (a list, or an object with `sessions`), JSONL, or a day.

    All of it is read before anything is written: one bad line, and nothing is imported.

    Raises:
        InvalidInputError: a line is not what it must be; the message names it.
        NotFoundError: there is no such file.
    """
    if os.path.isdir(path):
        raise InvalidInputError(f"{path!r} is a folder", hint="name the files in it")
    day = days.day_of(path.replace("\\", "/").rpartition("/")[2])
    data = files.read_bytes(path)
    if day:
        return [section.session for section in days.parse_bytes(data, day, path).sections]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{path!r} is not UTF-8") from error
    return [_session(item, where, path, now) for where, item in _items(text, path)]


def _items(text: str, path: str) -> Iterator[tuple[str, object]]:
    """Yield each session of a JSON text, or each line of a JSONL text, with where it stands."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from _lines(text, path)
        return
    if isinstance(whole, dict) and isinstance(whole.get("sessions"), list):
        whole = whole["sessions"]
    items = whole if isinstance(whole, list) else [whole]
    for place, item in enumerate(items, 1):
        yield f"session {place}", item


def _lines(text: str, path: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                message = f"{path!r}, line {number}: not JSON"
                raise InvalidInputError(message, hint="give JSON, JSONL or a day file") from error


def _session(item: object, where: str, path: str, now: datetime) -> Session:
    if not isinstance(item, dict):
        raise InvalidInputError(f"{path!r}, {where}: not a JSON object")
    try:
        return session_json.parse_session(item, now, allow_empty=True).session
    except InvalidInputError as error:
        raise InvalidInputError(f"{path!r}, {where}: {error.message}", hint=error.hint) from error


# ---------------------------------------------------------------------------- import


def marked(sessions: Iterable[Session]) -> list[Session]:
    """Return the sessions of a file with the origin `import`, where they name no other."""
    return [session._replace(origin=session.origin or IMPORT) for session in sessions]


def import_sessions(
    root: Root,
    sessions: Iterable[Session],
    settings: Settings,
    now: datetime,
    progress: Progress | None = None,
    *,
    conversations: bool = False,
) -> ImportResult:
    """Add sessions to a root, all or none; those that stand there already are left alone.

    With `conversations`, each is all that is known of its conversation: one that the root knows
    by its id is there already, and whoever saves it later takes the place of what is added here.

    Raises:
        ConflictError: another process held the lock for too long; nothing was imported.
        BackendError: the system refused to write; nothing was imported.
    """
    hide = policy(settings)
    redacted = [privacy.redact_session(session, hide) for session in sessions]
    counts = privacy.sum_counts(found for _, found in redacted)
    # They are taken in as they are, also those without tags: exported again they are the same.
    cleaned = [session for session, _ in redacted]
    cleaned.sort(key=lambda session: (session.date, session.number or _LAST, session.time))
    with locked(root):
        setup.ignore_derived(root)
        known = days.conversations(root) if conversations else frozenset()
        new = [session for session in cleaned if session.conversation not in known]
        formatted = recording.formatted if conversations else markdown.format_section
        written = add_all(root, new, hide, settings.recording.language, formatted, progress)
        warnings = recording.record(root, written, now, progress) if written else ()
    ids = tuple(str(session.id) for session, _ in written)
    return ImportResult(ids, len(cleaned) - len(ids), counts, warnings)


# A session without a number comes behind those that have one.
_LAST = 1_000_000_000


def add_all(
    root: Root,
    sessions: list[Session],
    hide: Policy,
    language: str,
    formatted: Format,
    progress: Progress | None,
) -> list[Written]:
    """Write the sessions that are new; where one day can't be written, take all back.

    They are in order of their days, and redacted. Call it with the lock held.
    """
    written: list[Written] = []
    appended: list[Appended] = []
    given = journal.last_numbers(root)
    done = 0
    try:
        for day, group in groupby(sessions, key=lambda session: session.date):
            several = list(group)
            done += len(several)
            new = _new_ones(root, day, several, hide)
            if new:
                path = days.day_path(root, day)
                before = files.stamp(path)
                last = given.get(day.isoformat(), 0)
                written += days.append_sessions(
                    root, new, language=language, formatted=formatted, given=last
                )
                appended.append(Appended(path, before, files.stamp(path)))
            if progress:
                progress(done, len(sessions))
    except BaseException:
        for one in reversed(appended):
            with contextlib.suppress(DailyMemoryError):  # what stays is whole: import it again
                files.take_back(one)
        raise
    return written


def _new_ones(root: Root, day: date, sessions: list[Session], hide: Policy) -> list[Session]:
    """Return the sessions that do not stand in their day yet, each once."""
    known = set()
    for section in days.load_day(root, day).sections:
        # What a person wrote stands there as it is; what comes in has been redacted.
        redacted = privacy.redact_session(section.session, hide)[0]
        known |= {recording.content(section.session), recording.content(redacted)}
    new = []
    for session in sessions:
        if recording.content(session) not in known:
            known.add(recording.content(session))
            new.append(session)
    return new


# ---------------------------------------------------------------------------- export


def export(root: Root, form: str) -> Iterator[str]:
    """Yield the whole root as text in one of EXPORT_FORMATS, piece by piece."""
    sessions = (section.session for day in days.each_day(root) for section in day.sections)
    if form == "md":
        yield from _markdown(root)
    elif form == "jsonl":
        yield from (_json(session) + "\n" for session in sessions)
    else:
        yield '{"sessions": ['
        for place, session in enumerate(sessions):
            yield (",\n" if place else "\n") + _json(session)
        yield "\n]}\n"


def _json(session: Session) -> str:
    return json.dumps(session_json.format_session(session), ensure_ascii=False)


def _markdown(root: Root) -> Iterator[str]:
    """Yield the day files as they are, one below the other."""
    for file in days.list_days(root):
        text = days.decode(files.read_bytes(file.path(root)))
        yield text if text.endswith("\n") else f"{text}\n"
        yield "\n"
