"""Import and export: sessions in and out of a root, without loss and without doubling."""

from __future__ import annotations

import codecs
import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from heapq import merge
from itertools import groupby
from typing import NamedTuple

from daily_memory.core.format import markdown, move_sections, section_text, session_json
from daily_memory.core.format.markdown import Day
from daily_memory.core.pages import sessions_page
from daily_memory.core.progress import Progress, watched
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.redaction.view import MARK
from daily_memory.core.settings import Settings
from daily_memory.errors import ConflictError, DailyMemoryError, InvalidInputError
from daily_memory.model import Problem, Session
from daily_memory.services.changing import replace
from daily_memory.services.setup import init
from daily_memory.services.writing import deleted_sections, save
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage import (
    archive_files,
    day_sections,
    days,
    import_marks,
    journal,
    page_files,
)
from daily_memory.storage.day_sections import Format, Written
from daily_memory.storage.fs import files, transaction
from daily_memory.storage.fs.files import Appended
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.fs.transaction import FileChange
from daily_memory.storage.roots import Root

# Is told how many sessions came, as they come.
Counter = Callable[[int], None]
# Is told of each day that is passed over, since it can't be read.
Warner = Callable[[Problem], None]
EXPORT_FORMATS = ("json", "jsonl", "md", "html")


class Chosen(NamedTuple):
    """Which sessions are exported: those of these days that have all of the tags.

    With `names`, only those of the project that has these names; with `archived`, those in the
    archive as well.
    """

    first: date = date.min
    last: date = date.max
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    archived: bool = False

    def has(self, session: Session, project: str) -> bool:
        """Tell whether a session in the root of a project is one of them."""
        is_wanted = not self.names or session.project in self.names or project in self.names
        return is_wanted and _folded(self.tags) <= _folded(session.tags)


def _folded(tags: Iterable[str]) -> set[str]:
    return {tag.casefold().lstrip("#") for tag in tags}


class ImportResult(NamedTuple):
    """What an import did: ids of new sessions, how many were there already, what was hidden.

    `renumbered` has the id that a session had, and the one that it has here, where they differ.
    `restored` are the files of a whole memory that were written as they are. `archived` are those
    of the new ones that came into the archive, and `returned` counts those that were deleted here.
    """

    ids: tuple[str, ...] = ()
    present: int = 0
    redactions: tuple[tuple[str, int], ...] = ()
    warnings: tuple[str, ...] = ()
    renumbered: tuple[tuple[str, str], ...] = ()
    restored: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    returned: int = 0


# ---------------------------------------------------------------------------- reading


def load_sessions(path: str, data: bytes, now: datetime) -> list[Session]:
    """Return the sessions of a file: JSON (a list, or an object with `sessions`), JSONL, or a day.

    All of it is read before anything is written: one bad line, and nothing is imported.

    Raises:
        InvalidInputError: a line is not what it must be; the message names it.
    """
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
    """Return the text of a file in UTF-8, or in UTF-16 with the mark that Windows puts before it.

    Raises:
        InvalidInputError: it is in neither.
    """
    is_utf16 = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    try:
        return data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "save it as UTF-8 with your editor, or convert it as with iconv"
        raise InvalidInputError(f"{path!r} is not UTF-8", hint=hint) from error


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
        hint = "give sessions as `memory export` writes them"
        raise InvalidInputError(f"{path!r}, {where}: not a JSON object", hint=hint)
    if not item.keys() & session_json.TELLING:
        hint = "it needs a topic or key points; a conversation is saved with `memory save`"
        raise InvalidInputError(f"{path!r}, {where}: says nothing of a session", hint=hint)
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
    return [session._replace(origin=session.origin or import_marks.ORIGIN) for session in sessions]


def import_sessions(
    root: Root,
    sessions: Iterable[Session],
    settings: Settings,
    now: datetime,
    progress: Progress | None = None,
    *,
    stored: Iterable[Session] = (),
    conversations: bool = False,
    others: Sequence[str] = (),
    dry_run: bool = False,
) -> ImportResult:
    """Add sessions to a root, all or none; those that stand there already are left alone.

    Those `stored` go into the archive; what stands in a day or in the archive is not added to
    either. `others` are names of files that came with them; an undo says that these stay.
    With `conversations`, each is all that is known of its conversation: one that the root knows
    by its id is there already, and whoever saves it later takes the place of what is added here.
    With `dry_run` nothing is written, and the result is what would have been done.

    Raises:
        ConflictError: another process held the lock for too long; nothing was imported.
        BackendError: the system refused to write; nothing was imported.
    """
    hide = policy(settings)
    sessions, stored = list(sessions), list(stored)
    given = _ordered([*sessions, *stored])
    standing = _standing(root, given)
    cleaned, hidden = _redacted(given, hide, standing, progress)
    old = set(map(section_text.content, stored)).difference(map(section_text.content, sessions))
    stored_as = {
        section_text.content(session)
        for was, session in zip(given, cleaned, strict=True)
        if section_text.content(was) in old
    }
    with contextlib.nullcontext() if dry_run else locked(root):
        if not dry_run:
            init.ignore_derived(root)
        known = archive_files.conversations(root) if conversations else frozenset()
        new = [session for session in cleaned if session.conversation not in known]
        plan = planned(root, new, hide, stored_as)
        if not standing.isdisjoint(map(section_text.content, plan.new)):
            # Somebody deleted one at this moment: it comes in, and like all others without secrets.
            new, hidden = _redacted(new, hide, frozenset())
            plan = planned(root, new, hide, stored_as)
        archived = [one for one in plan.new if section_text.content(one) in stored_as]
        current = [one for one in plan.new if section_text.content(one) not in stored_as]
        returned = deleted_sections.were_deleted(root, plan.new)
        found = ImportResult(
            tuple(str(session.id) for session in plan.new),
            len(cleaned) - len(plan.new),
            privacy.sum_counts(hidden.get(section_text.content(one), ()) for one in plan.new),
            renumbered=plan.renumbered,
            archived=tuple(str(session.id) for session in archived),
            returned=len(returned),
        )
        if dry_run:
            return found
        formatted = section_text.format_signed if conversations else markdown.format_section
        language = settings.recording.language
        made = _stored(root, archived, language)
        if made:
            files.make_folder(root.daily_folder, root.modes)  # by this a memory is known
        transaction.apply(made, root.path, root.modes, beside=root.index_folder)
        try:
            written = _append(root, current, language, formatted)
        except BaseException:
            transaction.undo(made, root.path, root.modes, beside=root.index_folder)
            raise
        warnings = deleted_sections.lift_deletions(root, returned) if returned else ()
        done = replace.Imported([one for one, _ in written], archived, others=others)
        warnings += replace.note_import(root, done, now)
        warnings += save.record(root, written, now, progress) if written else ()
    ids = (*found.archived, *(str(one.id) for one, _ in written))
    return found._replace(ids=ids, warnings=warnings)


def _stored(root: Root, sessions: Sequence[Session], language: str) -> list[FileChange]:
    """Return what has to be written so that sessions stand in the archives of their days.

    Raises:
        DamagedDataError: the archive of such a day can't be read.
        BackendError: a folder on the way is a link.
        ConflictError: a section of it can't be told apart from what is around it.
    """
    made = []
    for day, group in groupby(sessions, key=lambda session: session.date):
        path = archive_files.day_path(root, day)
        archive_files.check_way(root, path)
        stamp, before = files.stamp(path), files.find_bytes(path)
        data = None if before is None else archive_files.unpack(before, path)
        after = archive_files.pack(_stored_text(day, list(group), data, language))
        made.append(FileChange(archive_files.relative_path(day), path, before, after, stamp))
    return made


def _stored_text(
    day: date, sessions: Sequence[Session], data: bytes | None, language: str
) -> bytes:
    """Return an archived day, None where there is none yet, with more sessions in it."""
    parsed = days.parse_bytes(data or b"", day, "")
    headings = day_sections.language_for(parsed, language, list(sessions))
    text = "\n".join(
        markdown.format_section(one, language=headings, open_fences=parsed.open_fences)
        for one in sorted(sessions, key=lambda session: session.number)
    )
    if data is None:
        return archive_files.bytes_of(day_sections.title(day, headings) + text)
    newline = "\r\n" if b"\r\n" in data else "\n"
    added = text.replace("\n", newline)
    moved = move_sections.move(added, archive_files.text_of(data), range(len(sessions)), wins=False)
    if moved is None:
        message = f"a section in the archive of {day} can't be told apart from what is around it"
        raise ConflictError(message, hint="close each code fence in it")
    return archive_files.bytes_of(moved.target)


def _ordered(sessions: Iterable[Session]) -> list[Session]:
    return sorted(
        sessions,
        key=lambda session: (session.date, session.number or _LAST, session.copy, session.time),
    )


def _standing(root: Root, sessions: Sequence[Session]) -> frozenset[Session]:
    """Return what the days of these sessions, and their archives, say already, by content."""
    dates = sorted({session.date for session in sessions})
    return frozenset(
        section_text.content(section.session)
        for day in dates
        for found in (days.load_day(root, day), archive_files.load_day(root, day))
        for section in found.all_sections
    )


def _redacted(
    sessions: Sequence[Session],
    hide: Policy,
    standing: frozenset[Session],
    progress: Progress | None = None,
) -> tuple[list[Session], dict[Session, Counts]]:
    """Return the sessions without secrets, and what was hidden in each, by what it says now.

    One that stands in its day word for word is returned as it is: it will not be written, and to
    look for secrets takes longer than all else.
    """
    cleaned: list[Session] = []
    hidden: dict[Session, Counts] = {}
    for done, session in enumerate(sessions, 1):
        if section_text.content(session) not in standing:
            # They are taken in as they are, also those without tags: exported they are the same.
            session, counts = privacy.redact_session(session, hide)
            hidden[section_text.content(session)] = counts
        cleaned.append(session)
        if progress:
            progress(done, len(sessions))
    return cleaned, hidden


# A session without a number comes behind those that have one.
_LAST = 1_000_000_000


class ImportPlan(NamedTuple):
    """What of some sessions is new, with the numbers that it gets, and which ids change."""

    new: list[Session]
    renumbered: tuple[tuple[str, str], ...] = ()


def planned(
    root: Root,
    sessions: Sequence[Session],
    hide: Policy,
    stored_as: Collection[Session] = (),
) -> ImportPlan:
    """Return which sessions do not stand in their day yet, each once, and the ids they get.

    None gets the number of another one that was deleted here. Those that go into the archive, by
    what they say in `stored_as`, get no number that the journal knows: an undo that brings a
    session back looks for its number in the day alone. They are in order of their days, and
    redacted. What continues one of them names it by its new id, or by the id under which it stands
    here already.
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
            if section_text.content(session) not in known:
                mine.setdefault(section_text.content(session), session)
        last = max(given.get(day.isoformat(), 0), archive_files.last_number(root, day))
        # A number that stands in the archive is taken, as one in the day is.
        taken = present._replace(sections=(*present.sections, *stored.sections))
        wanted = []
        for content, one in mine.items():
            is_of_another = str(one.id) in gone and content not in back
            is_to_move = content in stored_as and one.number <= last
            wanted.append(one._replace(number=0) if is_of_another or is_to_move else one)
        numbered = day_sections.numbered(wanted, taken, last)
        for was, session in zip(mine.values(), numbered, strict=True):
            known[section_text.content(was)] = str(session.id)
            if was.number and was.id != session.id:
                moved.append((str(was.id), str(session.id)))
        for session in several:
            if session.number:
                ids[str(session.id)] = known[section_text.content(session)]
        new += numbered
    following = (one._replace(continues=ids.get(one.continues, one.continues)) for one in new)
    return ImportPlan(list(following), tuple(moved))


def _known(day: Day, sessions: Sequence[Session], hide: Policy) -> dict[Session, str]:
    """Return the ids of the sessions of a day by what they say, with and without secrets."""
    known: dict[Session, str] = {}
    for section in day.all_sections:
        known.setdefault(section_text.content(section.session), str(section.session.id))
    # What a person wrote stands there as it is; what comes in has been redacted.
    if any(
        _has_mark(session) and section_text.content(session) not in known for session in sessions
    ):
        for section in day.all_sections:
            redacted = privacy.redact_session(section.session, hide)[0]
            known.setdefault(section_text.content(redacted), str(section.session.id))
    return known


def _has_mark(session: Session) -> bool:
    """Tell whether something may have been hidden in a session."""
    return bool(MARK.search(str(session))) or privacy.REDACTED_TAG in session.tags


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
            written += day_sections.append_sessions(
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
    roots: Sequence[Root],
    form: str,
    chosen: Chosen,
    now: datetime,
    settings: Settings,
    count: Counter | None = None,
    warn: Warner | None = None,
    progress: Progress | None = None,
) -> Iterator[str]:
    """Yield what was chosen of the roots as text in one of EXPORT_FORMATS, by pieces.

    Of several roots, each session names its project. `count` is told of each session, `warn` of
    each day that can't be read, and is missing in what is exported.
    """
    count = count or _uncounted
    warn = warn or _unwarned
    if form == "md":
        yield from _markdown(roots, chosen, count, warn)
        return
    sessions = _counted(_chosen(roots, chosen, warn), count)
    if form == "jsonl":
        yield from (_json(session) + "\n" for session in sessions)
    elif form == "html":
        name = roots[0].project if len(roots) == 1 else ""
        yield from _html(list(sessions), name, now, settings, progress)
    else:
        yield '{"sessions": ['
        for place, session in enumerate(sessions):
            yield (",\n" if place else "\n") + _json(session)
        yield "\n]}\n"


def _uncounted(_number: int) -> None:
    return


def _unwarned(_problem: Problem) -> None:
    return


def _counted(sessions: Iterable[Session], count: Counter) -> Iterator[Session]:
    for session in sessions:
        count(1)
        yield session


def _chosen(roots: Sequence[Root], chosen: Chosen, warn: Warner) -> Iterator[Session]:
    """Yield the sessions that were chosen, oldest first in each root."""
    for root in roots:
        every = days.each_day(root, first=chosen.first, last=chosen.last)
        if chosen.archived:
            stored = archive_files.each_day(root, first=chosen.first, last=chosen.last)
            every = merge(stored, every, key=lambda day: day.date)
        for day in every:
            for problem in day.problems:
                if not problem.line:  # of the whole file
                    warn(problem)
            for section in day.all_sections:
                if chosen.has(section.session, root.project):
                    yield _named(section.session, root, roots)


def _named(session: Session, root: Root, roots: Sequence[Root]) -> Session:
    is_one = len(roots) == 1 or bool(session.project)
    return session if is_one else session._replace(project=root.project)


def _html(
    sessions: Sequence[Session],
    name: str,
    now: datetime,
    settings: Settings,
    progress: Progress | None,
) -> Iterator[str]:
    """Yield the page. It is made to be shown around: nothing that is private is on it.

    What somebody wrote into a day by hand was never redacted.
    """
    shown = [session for session in sessions if not session.is_private]
    cleaned = privacy.redact_sessions(shown, policy(settings))
    public = [next(cleaned)[0] for _ in watched(shown, progress)]
    # Days of several memories are one on the page.
    public.sort(key=lambda session: session.date)
    head = sessions_page.Head(
        name or "daily-memory",
        markdown.heading_language(settings.recording.language, public),
        now.date().isoformat(),
        len(sessions) - len(public),
    )
    yield from sessions_page.page(public, head, page_files.load())


def _json(session: Session) -> str:
    return json.dumps(session_json.format_session(session), ensure_ascii=False)


def _markdown(roots: Sequence[Root], chosen: Chosen, count: Counter, warn: Warner) -> Iterator[str]:
    """Yield the day files, one below the other; where some are left out, only sections of them."""
    for root in roots:
        name = f"<!-- {root.project or root.scope} -->\n\n" if len(roots) > 1 else ""
        for day, path, data in _texts(root, chosen, warn):
            text = _day_text(root, days.parse_bytes(data, day, path), data, chosen, count)
            if text:
                yield f"{name}{text}\n" if text.endswith("\n") else f"{name}{text}\n\n"
                name = ""


def _texts(root: Root, chosen: Chosen, warn: Warner) -> Iterator[tuple[date, str, bytes]]:
    """Yield the days that were chosen, with the path and the bytes of each."""
    found = [(file.day, file.path(root)) for file in days.list_days(root)]
    if chosen.archived:
        found = sorted([*found, *archive_files.list_days(root)])
    for day, path in found:
        if chosen.first <= day <= chosen.last:
            try:
                data = files.read_bytes(path)
                data = archive_files.unpack(data, path) if path.endswith(".gz") else data
            except DailyMemoryError as error:
                warn(Problem(path, 0, error.message))
                continue
            yield day, path, data


def _day_text(root: Root, day: Day, data: bytes, chosen: Chosen, count: Counter) -> str:
    wanted = [section for section in day.all_sections if chosen.has(section.session, root.project)]
    count(len(wanted))
    if not (chosen.tags or chosen.names):
        return days.decode(data)
    texts = [days.decode(days.cut(data, section.span)).rstrip("\r\n") for section in wanted]
    return "\n\n".join((f"# {day.date}", *texts)) if texts else ""
