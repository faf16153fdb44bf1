"""Import sessions from files, each once."""

from __future__ import annotations

import codecs
import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import compress, groupby
from typing import NamedTuple

from daily_memory.core.format import markdown, section_text, session_json
from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import Progress, watched
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.redaction.view import MARK
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import Session
from daily_memory.services.changing import replace
from daily_memory.services.setup import init
from daily_memory.services.writing import deleted_sections, save
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage import archive_files, day_sections, days, import_marks, journal
from daily_memory.storage.day_sections import Format, Written
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root


class ImportResult(NamedTuple):
    """What an import did, or would do.

    `ids` are those of the new sessions; `present` counts what was here already. `renumbered` has
    pairs of ids: the one a session had, and the one it has here. `restored` are the files of a
    whole memory that were written as they are, `archived` the new sessions in the archive, and
    `returned` counts the sessions that had been deleted here.

    Only an import from another program has the rest: the new `sessions`; how many conversations
    were `skipped`, by reason; the ids of `renewed` sessions, whose conversation went on; the number
    of `observations`; and how many conversations were left out because they were `deleted` here.
    """

    ids: tuple[str, ...] = ()
    present: int = 0
    redactions: Counts = ()
    warnings: tuple[str, ...] = ()
    renumbered: tuple[tuple[str, str], ...] = ()
    restored: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    returned: int = 0
    sessions: tuple[Session, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    renewed: tuple[str, ...] = ()
    observations: int = 0
    deleted: int = 0


# ---------------------------------------------------------------------------- reading


def load_sessions(path: str, data: bytes, now: datetime) -> list[Session]:
    """Return the sessions of a file: JSON (a list, or an object with `sessions`), JSONL, a day."""
    text = decoded(path, data)
    day = days.day_of(path.replace("\\", "/").rpartition("/")[2])
    if day:
        sections = days.parse_bytes(text.encode(), day, path).all_sections
        return [section.session for section in sections]
    if text.lstrip()[:9].lower() == "<!doctype":
        hint = "import what `memory export --format json` or `zip` wrote"
        raise InvalidInputError(f"{path!r} is an HTML page, made to be read", hint=hint)
    if path.lower().endswith(".md"):
        hint = "a day file is called YYYY-MM-DD.md; import other notes with --from notes"
        raise InvalidInputError(f"{path!r} is not named like a day", hint=hint)
    return [_session(item, where, path, now) for where, item in _items(text, path)]


def decoded(path: str, data: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with its byte order mark."""
    is_utf16 = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    try:
        return data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "save it as UTF-8 with your editor, or convert it as with iconv"
        raise InvalidInputError(f"{path!r} is not UTF-8", hint=hint) from error


def _items(text: str, path: str) -> Iterator[tuple[str, object]]:
    """Yield each session of a JSON text, or each line of a JSONL text, with its place."""
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
        hint = "give sessions as `memory export` writes them"
        raise InvalidInputError(f"{path!r}, {where}: not a JSON object", hint=hint)
    if not item.keys() & session_json.TELLING:
        hint = "it needs a topic or key points; a conversation is saved with `memory save`"
        raise InvalidInputError(f"{path!r}, {where}: not a session", hint=hint)
    try:
        session = session_json.parse_session(item, now, is_exact=True).session
        return session._replace(copy=_copy(item, session))
    except InvalidInputError as error:
        raise InvalidInputError(f"{path!r}, {where}: {error.message}", hint=error.hint) from error


def _copy(item: dict[str, object], session: Session) -> int:
    """Return which of several sessions with its number it was: `continues` may name it so."""
    with contextlib.suppress(InvalidInputError):
        id_ = session_json.parse_id(item.get("id"))
        if (id_.date, id_.number) == (session.date, session.number):
            return id_.copy
    return 1


# ---------------------------------------------------------------------------- import


def marked(sessions: Iterable[Session]) -> list[Session]:
    """Return the sessions with the origin `import`, where they have none."""
    return [session._replace(origin=session.origin or import_marks.ORIGIN) for session in sessions]


def import_sessions(
    root: Root,
    sessions: Iterable[Session],
    settings: Settings,
    now: datetime,
    progress: Progress | None = None,
    *,
    conversations: bool = False,
    others: Sequence[str] = (),
    dry_run: bool = False,
) -> ImportResult:
    """Add the sessions that a root does not have yet, all or none.

    `others` are names of files that came with them; an undo says that these stay. With
    `conversations`, one that the root knows by its id counts as present, and saving it later
    replaces what is added here.
    """
    hide = policy(settings)
    given = _ordered(sessions)
    present = _present(root, given)
    cleaned, hidden = _redacted(given, hide, present, progress)
    with contextlib.nullcontext() if dry_run else locked(root):
        if not dry_run:
            init.ignore_derived(root)
        known = archive_files.conversations(root) if conversations else frozenset()
        new = [session for session in cleaned if session.conversation not in known]
        plan = planned(root, new, hide)
        if not present.isdisjoint(map(section_text.content, plan.new)):
            # One that was present has just been deleted: it is new, and must be redacted too.
            new, hidden = _redacted(new, hide, frozenset())
            plan = planned(root, new, hide)
        returned = deleted_sections.were_deleted(root, plan.new)
        result = ImportResult(
            tuple(str(session.id) for session in plan.new),
            len(cleaned) - len(plan.new),
            privacy.sum_counts(hidden.get(section_text.content(new), ()) for new in plan.new),
            renumbered=plan.renumbered,
            returned=len(returned),
        )
        if dry_run or not plan.new:
            return result
        formatted = section_text.format_signed if conversations else markdown.format_section
        written = append(root, plan.new, settings.recording.language, formatted)
        warnings = deleted_sections.lift_deletions(root, returned) if returned else ()
        done = replace.Imported([session for session, _ in written], others=others)
        warnings += replace.note_import(root, done, now)
        warnings += save.record(root, written, now, progress)
    ids = tuple(str(session.id) for session, _ in written)
    return result._replace(ids=ids, warnings=warnings)


def _ordered(sessions: Iterable[Session]) -> list[Session]:
    return sorted(
        sessions,
        key=lambda session: (session.date, session.number or _LAST, session.copy, session.time),
    )


def _present(root: Root, sessions: Sequence[Session]) -> frozenset[Session]:
    """Return the contents of what the days of these sessions, and their archives, have already."""
    dates = sorted({session.date for session in sessions})
    return frozenset(
        section_text.content(section.session)
        for day in dates
        for file in (days.load_day(root, day), archive_files.load_day(root, day))
        for section in file.all_sections
    )


def _redacted(
    sessions: Sequence[Session],
    hide: Policy,
    present: frozenset[Session],
    progress: Progress | None = None,
) -> tuple[list[Session], dict[Session, Counts]]:
    """Return the sessions redacted, and the counts of each by its new content.

    One that is present word for word stays as it is: it won't be written, and redaction is what
    takes longest.
    """
    is_new = [section_text.content(session) not in present for session in sessions]
    redacted = privacy.redact_sessions(list(compress(sessions, is_new)), hide)
    cleaned: list[Session] = []
    hidden: dict[Session, Counts] = {}
    for session, is_changed in zip(watched(sessions, progress), is_new, strict=True):
        if is_changed:
            session, counts = next(redacted)
            hidden[section_text.content(session)] = counts
        cleaned.append(session)
    return cleaned, hidden


# Sorts a session without a number behind those that have one.
_LAST = 1_000_000_000


class NewSessions(NamedTuple):
    """The sessions that are new, with their numbers, and the ids that change."""

    new: list[Session]
    renumbered: tuple[tuple[str, str], ...] = ()


def planned(root: Root, sessions: Sequence[Session], hide: Policy) -> NewSessions:
    """Return which sessions are not in their day yet, each once, with the ids they get.

    The sessions are redacted and in order of their days. None gets the number of another one that
    was deleted here. `continues` follows the new ids.
    """
    given = journal.last_numbers(root)
    gone = deleted_sections.deleted_ids(root)
    named = [session for session in sessions if str(session.id) in gone]
    back = {section_text.content(session) for session in deleted_sections.were_deleted(root, named)}
    new: list[Session] = []
    ids: dict[str, str] = {}
    moved: list[tuple[str, str]] = []
    for day, group in groupby(sessions, key=lambda session: session.date):
        several = list(group)
        present = days.load_day(root, day)
        stored = archive_files.load_day(root, day)
        known = {**_known(stored, several, hide), **_known(present, several, hide)}
        mine: dict[Session, Session] = {}
        for session in several:
            content = section_text.content(session)
            if content not in known:
                is_of_another = str(session.id) in gone and content not in back
                mine.setdefault(content, session._replace(number=0) if is_of_another else session)
        last = max(given.get(day.isoformat(), 0), archive_files.last_number(root, day))
        # A number in the archive is taken, like one in the day.
        taken = {section.session.number for section in (*present.sections, *stored.sections)}
        numbered = day_sections.numbered(list(mine.values()), taken, last)
        asked = {section_text.content(session): session.id for session in reversed(several)}
        for content, session in zip(mine, numbered, strict=True):
            known[content] = str(session.id)
            if asked[content].number and asked[content] != session.id:
                moved.append((str(asked[content]), str(session.id)))
        for session in several:
            if session.number:
                ids[str(session.id)] = known[section_text.content(session)]
        new += numbered
    new = [item._replace(continues=ids.get(item.continues, item.continues)) for item in new]
    return NewSessions(new, tuple(moved))


def _known(day: Day, sessions: Sequence[Session], hide: Policy) -> dict[Session, str]:
    """Return the ids of the sessions of a day by content, with and without secrets."""
    known: dict[Session, str] = {}
    for section in day.all_sections:
        known.setdefault(section_text.content(section.session), str(section.session.id))
    # What a person wrote is unredacted; what comes in has been redacted.
    if any(_has_mark(item) and section_text.content(item) not in known for item in sessions):
        for section in day.all_sections:
            redacted = privacy.redact_session(section.session, hide)[0]
            known.setdefault(section_text.content(redacted), str(section.session.id))
    return known


def _has_mark(session: Session) -> bool:
    """Return whether something may have been redacted in a session."""
    return bool(MARK.search(str(session))) or privacy.REDACTED_TAG in session.tags


def append(root: Root, sessions: list[Session], language: str, formatted: Format) -> list[Written]:
    """Append new sessions, in order of their days; if one day can't be written, none is."""
    written: list[Written] = []
    appended: list[tuple[str, bytes | None, Stamp]] = []
    given = journal.last_numbers(root)
    try:
        for day, group in groupby(sessions, key=lambda session: session.date):
            path = days.day_path(root, day)
            before = files.find_raw(path)
            last = given.get(day.isoformat(), 0)
            written += day_sections.append_sessions(
                root, list(group), language=language, formatted=formatted, given=last
            )
            appended.append((path, before, files.stamp(path)))
    except BaseException:
        for change in reversed(appended):
            with contextlib.suppress(DailyMemoryError):  # what stays is whole: import it again
                files.take_back(*change)
        raise
    return written
