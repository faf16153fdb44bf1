"""Import and export: sessions in and out of a root, without loss and without doubling."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from daily_memory.core import html_page, markdown, privacy, session_json
from daily_memory.core.markdown import Day
from daily_memory.core.privacy import Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import Section, Session
from daily_memory.services import recording, setup
from daily_memory.services.policies import policy
from daily_memory.storage import days, files, journal
from daily_memory.storage.days import Format, Written
from daily_memory.storage.files import Appended
from daily_memory.storage.indexing import Progress
from daily_memory.storage.lock import locked
from daily_memory.storage.roots import Root

EXPORT_FORMATS = ("json", "jsonl", "md", "html")
IMPORT = "import"


class Chosen(NamedTuple):
    """Which sessions are exported: those of these days that have all of the tags."""

    first: date = date.min
    last: date = date.max
    tags: tuple[str, ...] = ()

    def has(self, session: Session) -> bool:
        return _folded(self.tags) <= _folded(session.tags)


def _folded(tags: Iterable[str]) -> set[str]:
    return {tag.casefold().lstrip("#") for tag in tags}


class ImportResult(NamedTuple):
    """What an import did: ids of new sessions, how many were there already, what was hidden.

    `renumbered` has the id that a session had, and the one that it has here, where they differ.
    `restored` are the files of a whole memory that were written as they are.
    """

    ids: tuple[str, ...] = ()
    present: int = 0
    redactions: tuple[tuple[str, int], ...] = ()
    warnings: tuple[str, ...] = ()
    renumbered: tuple[tuple[str, str], ...] = ()
    restored: tuple[str, ...] = ()


# ---------------------------------------------------------------------------- reading


def load_sessions(path: str, data: bytes, now: datetime) -> list[Session]:
    """Return the sessions of a file: JSON (a list, or an object with `sessions`), JSONL, or a day.

    All of it is read before anything is written: one bad line, and nothing is imported.

    Raises:
        InvalidInputError: a line is not what it must be; the message names it.
    """
    day = days.day_of(path.replace("\\", "/").rpartition("/")[2])
    if day:
        return [section.session for section in days.parse_bytes(data, day, path).sections]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{path!r} is not UTF-8") from error
    if text.lstrip()[:9].lower() == "<!doctype":
        hint = "import what `memory export --format json` or `zip` wrote"
        raise InvalidInputError(f"{path!r} is an HTML page, made to be read", hint=hint)
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
        session = session_json.parse_session(item, now, is_exact=True).session
        return session._replace(copy=_copy(item, session))
    except InvalidInputError as error:
        raise InvalidInputError(f"{path!r}, {where}: {error.message}", hint=error.hint) from error


def _copy(item: dict[str, object], session: Session) -> int:
    """Return which of several sessions of its number it was; others may name it so."""
    with contextlib.suppress(InvalidInputError):
        was = session_json.parse_id(item.get("id"))
        if (was.date, was.number) == (session.date, session.number):
            return was.copy
    return 1


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
    dry_run: bool = False,
) -> ImportResult:
    """Add sessions to a root, all or none; those that stand there already are left alone.

    With `conversations`, each is all that is known of its conversation: one that the root knows
    by its id is there already, and whoever saves it later takes the place of what is added here.
    With `dry_run` nothing is written, and the result is what would have been done.

    Raises:
        ConflictError: another process held the lock for too long; nothing was imported.
        BackendError: the system refused to write; nothing was imported.
    """
    hide = policy(settings)
    given = list(sessions)
    redacted = []
    for done, session in enumerate(given, 1):
        redacted.append(privacy.redact_session(session, hide))
        if progress:
            progress(done, len(given))
    counts = privacy.sum_counts(found for _, found in redacted)
    # They are taken in as they are, also those without tags: exported again they are the same.
    cleaned = [session for session, _ in redacted]
    cleaned.sort(
        key=lambda session: (session.date, session.number or _LAST, session.copy, session.time)
    )
    with contextlib.nullcontext() if dry_run else locked(root):
        if not dry_run:
            setup.ignore_derived(root)
        known = days.conversations(root) if conversations else frozenset()
        new = [session for session in cleaned if session.conversation not in known]
        plan = planned(root, new, hide)
        found = ImportResult(
            tuple(str(session.id) for session in plan.new),
            len(cleaned) - len(plan.new),
            counts,
            renumbered=plan.renumbered,
        )
        if dry_run:
            return found
        formatted = recording.formatted if conversations else markdown.format_section
        written = _append(root, plan.new, settings.recording.language, formatted)
        warnings = recording.record(root, written, now, progress) if written else ()
    return found._replace(ids=tuple(str(one.id) for one, _ in written), warnings=warnings)


# A session without a number comes behind those that have one.
_LAST = 1_000_000_000


class Plan(NamedTuple):
    """What of some sessions is new, with the numbers that it gets, and which ids change."""

    new: list[Session]
    renumbered: tuple[tuple[str, str], ...] = ()


def planned(root: Root, sessions: Sequence[Session], hide: Policy) -> Plan:
    """Return which sessions do not stand in their day yet, each once, and the ids they get.

    They are in order of their days, and redacted. What continues one of them names it by its new
    id, or by the id under which it stands here already.
    """
    given = journal.last_numbers(root)
    new: list[Session] = []
    ids: dict[str, str] = {}
    moved: list[tuple[str, str]] = []
    for day, group in groupby(sessions, key=lambda session: session.date):
        several = list(group)
        present = days.load_day(root, day)
        known = _known(present, hide)
        mine: dict[Session, Session] = {}
        for session in several:
            if recording.content(session) not in known:
                mine.setdefault(recording.content(session), session)
        numbered = days.numbered(list(mine.values()), present, given.get(day.isoformat(), 0))
        for was, session in zip(mine.values(), numbered, strict=True):
            known[recording.content(was)] = str(session.id)
            if was.number and was.id != session.id:
                moved.append((str(was.id), str(session.id)))
        for session in several:
            if session.number:
                ids[str(session.id)] = known[recording.content(session)]
        new += numbered
    following = (one._replace(continues=ids.get(one.continues, one.continues)) for one in new)
    return Plan(list(following), tuple(moved))


def _known(day: Day, hide: Policy) -> dict[Session, str]:
    """Return the ids of the sessions of a day by what they say."""
    known: dict[Session, str] = {}
    for section in day.sections:
        # What a person wrote stands there as it is; what comes in has been redacted.
        redacted = privacy.redact_session(section.session, hide)[0]
        for session in (section.session, redacted):
            known.setdefault(recording.content(session), str(section.session.id))
    return known


def add_all(
    root: Root,
    sessions: list[Session],
    hide: Policy,
    language: str,
    formatted: Format,
) -> list[Written]:
    """Write the sessions that are new; where one day can't be written, take all back.

    They are in order of their days, and redacted. Call it with the lock held.
    """
    return _append(root, planned(root, sessions, hide).new, language, formatted)


def _append(
    root: Root,
    sessions: list[Session],
    language: str,
    formatted: Format,
) -> list[Written]:
    written: list[Written] = []
    appended: list[Appended] = []
    given = journal.last_numbers(root)
    try:
        for day, group in groupby(sessions, key=lambda session: session.date):
            path = days.day_path(root, day)
            before, kept = files.stamp(path), files.kept_before(path, root.modes)
            last = given.get(day.isoformat(), 0)
            written += days.append_sessions(
                root, list(group), language=language, formatted=formatted, given=last
            )
            appended.append(Appended(path, before, files.stamp(path), kept))
    except BaseException:
        for one in reversed(appended):
            with contextlib.suppress(DailyMemoryError):  # what stays is whole: import it again
                files.take_back(one)
        raise
    return written


# ---------------------------------------------------------------------------- export


def export(
    root: Root, form: str, chosen: Chosen, now: datetime, language: str = "auto"
) -> Iterator[str]:
    """Yield a root, or the part that was chosen, as text in one of EXPORT_FORMATS, by pieces."""
    sessions = (section.session for section in _sections(root, chosen))
    if form == "md":
        yield from _markdown(root, chosen)
    elif form == "jsonl":
        yield from (_json(session) + "\n" for session in sessions)
    elif form == "html":
        yield from _html(root, list(sessions), now, language)
    else:
        yield '{"sessions": ['
        for place, session in enumerate(sessions):
            yield (",\n" if place else "\n") + _json(session)
        yield "\n]}\n"


def _sections(root: Root, chosen: Chosen) -> Iterator[Section]:
    for day in days.each_day(root, first=chosen.first, last=chosen.last):
        yield from (section for section in day.sections if chosen.has(section.session))


def _html(root: Root, sessions: list[Session], now: datetime, language: str) -> Iterator[str]:
    """Yield the page. It is made to be shown around: private sessions are not on it."""
    public = [session for session in sessions if not session.is_private]
    head = html_page.Head(
        root.project or "daily-memory",
        markdown.heading_language(language, public),
        now.date().isoformat(),
        len(sessions) - len(public),
    )
    yield from html_page.page(public, head)


def _json(session: Session) -> str:
    return json.dumps(session_json.format_session(session), ensure_ascii=False)


def _markdown(root: Root, chosen: Chosen) -> Iterator[str]:
    """Yield the day files as they are, one below the other; with tags, only sections of them."""
    for file in days.list_days(root):
        if not chosen.first <= file.day <= chosen.last:
            continue
        data = files.read_bytes(file.path(root))
        text = days.decode(data)
        if chosen.tags:
            day = days.parse_bytes(data, file.day, file.path(root))
            wanted = [one for one in day.sections if chosen.has(one.session)]
            texts = [days.decode(days.cut(data, one.span)).rstrip("\r\n") for one in wanted]
            text = "\n\n".join((f"# {file.day}", *texts)) if texts else ""
        if text:
            yield text if text.endswith("\n") else f"{text}\n"
            yield "\n"
