"""Import sessions from files, each once."""

from __future__ import annotations

import codecs
import contextlib
import io
import json
import pickle
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import compress, groupby, islice, starmap
from typing import NamedTuple, overload

from daily_memory.core import undo_steps
from daily_memory.core.format import markdown, section_text, session_json
from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import report_progress
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.redaction.view import MARK
from daily_memory.core.settings import Settings
from daily_memory.core.undo_steps import SectionChange
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import Session
from daily_memory.services.changing import day_changes
from daily_memory.services.setup import init
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.services.writing import deleted_sections, save
from daily_memory.storage import archive_files, day_sections, days, import_origins, journal
from daily_memory.storage.day_sections import Addition, Format, Written
from daily_memory.storage.fs import append, files, transaction
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.fs.transaction import FileChange
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root
from daily_memory.text import filled


class ImportResult(NamedTuple):
    """What an import did, or would do.

    `ids` are those of the new sessions; `present` counts the ones that were here already.
    `renumbered` has pairs of ids: before, and here. `restored` are the files of a whole memory that
    were copied, `archived` the new sessions in the archive. `returned` counts sessions that had
    been deleted here.

    The rest is only for imports from another program: the new `sessions`; how many conversations
    were `skipped`, by reason; the number of `observations`; and how many conversations were left
    out because they were `deleted` here.
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
    observations: int = 0
    deleted: int = 0

    def named(self, root: Root) -> ImportResult:
        """Return it with ids as users see them."""
        return self._replace(
            ids=tuple(map(root.scoped, self.ids)),
            renumbered=tuple((was, root.scoped(id_)) for was, id_ in self.renumbered),
            archived=tuple(map(root.scoped, self.archived)),
        )


def load_sessions(path: str, data: bytes, now: datetime) -> Sequence[Session]:
    """Return the sessions of a file: JSON (a list, or an object with `sessions`), JSONL, a day."""
    if len(data) > LONG_BYTES and _is_jsonl(data):
        return PackedSessions(path, data, now)
    text = decoded(path, data)
    day = days.day_of(path.replace("\\", "/").rpartition("/")[2])
    if day:
        sections = days.parse_bytes(text.encode(), day, path).all_sections
        return [section.session for section in sections]
    if text.lstrip()[:9].lower() == "<!doctype":
        hint = "import what `memory export --format json` or `zip` wrote"
        raise InvalidInputError("{!r} is an HTML page, made to be read", path, hint=hint)
    if path.lower().endswith(".md"):
        hint = "a day file is called YYYY-MM-DD.md; import other notes with --from notes"
        raise InvalidInputError("{!r} is not named like a day", path, hint=hint)
    return [_session(item, where, path, now) for where, item in _items(text, path)]


def decoded(path: str, data: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with its byte order mark."""
    is_utf16 = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    try:
        return data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "save it as UTF-8 with your editor, or convert it as with iconv"
        raise InvalidInputError("{!r} is not UTF-8", path, hint=hint) from error


# The sessions of a longer JSONL file are kept compressed.
LONG_BYTES = 20_000_000
# How many are compressed together: fewer compress worse, more take longer to unpack.
_PACKED = 32


class PackedSessions(Sequence[Session]):
    """The sessions of a long JSONL file, `marked`, in a fifth of the memory.

    `by_day` has their places in the order in which an import writes them.
    """

    def __init__(self, path: str, data: bytes, now: datetime) -> None:
        keys: list[SortKey] = []
        self._packed: list[bytes] = []
        items = _lines((decoded(path, line) for line in io.BytesIO(data)), path)
        sessions = (_session(item, where, path, now) for where, item in items)
        while some := marked(list(islice(sessions, _PACKED))):
            keys += map(_sort_key, some)
            # Parsing a line again would take ten times as long.
            self._packed.append(zlib.compress(pickle.dumps(some), 1))
        self._unpacked: tuple[int, Sequence[Session]] = -1, ()
        self._count = len(keys)
        self.by_day = _by_day(keys)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Session: ...
    @overload
    def __getitem__(self, place: slice) -> list[Session]: ...
    def __getitem__(self, place: int | slice) -> Session | list[Session]:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        part, at = divmod(range(len(self))[place], _PACKED)
        if self._unpacked[0] != part:
            self._unpacked = part, pickle.loads(zlib.decompress(self._packed[part]))  # noqa: S301  # our own bytes
        return self._unpacked[1][at]


def _is_jsonl(data: bytes) -> bool:
    """Tell whether the first line of a file is a JSON object, and others follow."""
    end = data.find(b"\n") + 1
    try:
        return bool(data[end : end + 1000].strip()) and isinstance(json.loads(data[:end]), dict)
    except (ValueError, RecursionError):
        return False


def _items(text: str, path: str) -> Iterator[tuple[str, object]]:
    """Yield each session of a JSON text, or each line of a JSONL text, with its place."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from _lines(text.split("\n"), path)
        return
    if isinstance(whole, dict) and isinstance(whole.get("sessions"), list):
        whole = whole["sessions"]
    items = whole if isinstance(whole, list) else [whole]
    for place, item in enumerate(items, 1):
        yield f"session {place}", item


def _lines(lines: Iterable[str], path: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                message = filled("{!r}, line {}: not JSON", path, number)
                raise InvalidInputError(message, hint="give JSON, JSONL or a day file") from error


def _session(item: object, where: str, path: str, now: datetime) -> Session:
    if not isinstance(item, dict):
        hint = "give sessions as `memory export` writes them"
        raise InvalidInputError("{!r}, {}: not a JSON object", path, where, hint=hint)
    if not item.keys() & session_json.TELLING:
        hint = "it needs a topic or key points; a conversation is saved with `memory save`"
        raise InvalidInputError("{!r}, {}: not a session", path, where, hint=hint)
    try:
        session = session_json.parse_session(item, now, is_exact=True).session
        return session._replace(copy=_copy(item, session))
    except InvalidInputError as error:
        message = filled("{!r}, {}: {}", path, where, error.message)
        raise InvalidInputError(message, hint=error.hint) from error


def _copy(item: dict[str, object], session: Session) -> int:
    """Return which of several sessions with this number it was, for `continues`."""
    with contextlib.suppress(InvalidInputError):
        id_ = session_json.parse_id(item.get("id"))
        if (id_.date, id_.number) == (session.date, session.number):
            return id_.copy
    return 1


def marked(sessions: Sequence[Session]) -> Sequence[Session]:
    """Return the sessions with the origin `import`, where they have none."""
    if isinstance(sessions, PackedSessions):
        return sessions
    return [
        session._replace(origin=session.origin or import_origins.ORIGIN) for session in sessions
    ]


def import_sessions(
    root: Root,
    sessions: Sequence[Session],
    settings: Settings,
    now: datetime,
    *,
    conversations: bool = False,
    beside: Sequence[FileChange] = (),
    dry_run: bool = False,
) -> ImportResult:
    """Add the sessions that a root does not have yet, all or none.

    `beside` are other files, which are written first and stay after an undo. With `conversations`,
    one that the root has by its id counts as present, and a later save replaces the section.
    """
    formatted = section_text.format_signed if conversations else markdown.format_section
    writing = _Writing(root, settings.recording.language, formatted, now)
    lots: list[NewSessions] = []
    ids: list[str] = []
    with contextlib.nullcontext() if dry_run else locked(root):
        if not dry_run:
            init.ignore_derived(root)
        known = archive_files.conversations(root) if conversations else frozenset()
        given = journal.last_numbers(root)
        returned: list[Session] = []
        if not dry_run:
            transaction.apply(beside, root.path, root.modes, beside=root.index_folder)
        try:
            for lot in _new_in_lots(root, sessions, policy(settings), known, given):
                returned += deleted_sections.deleted_among(root, lot.new)
                ids += writing.append(lot.new, given) if not dry_run else lot.ids
                lots.append(lot._replace(new=[]))
        except BaseException:
            writing.take_back()
            if not dry_run:
                transaction.undo(beside, root.path, root.modes, beside=root.index_folder)
            raise
        result = ImportResult(
            tuple(ids),
            len(sessions) - len(ids),
            privacy.sum_counts(lot.redactions for lot in lots),
            renumbered=tuple(pair for lot in lots for pair in lot.renumbered),
            returned=len(returned),
        )
        if dry_run or not ids:
            return result
        warnings = deleted_sections.lift_deletions(root, returned) if returned else ()
        others = [change.part for change in beside]
        warnings += day_changes.note_import(
            root, day_changes.Imported(writing.changes, others=others), now
        )
        writing.changes.clear()  # free memory for the index
        warnings += save.note_entries(root, writing.records, now)
    return result._replace(warnings=warnings)


# How many sessions, with the rest of their day, are in memory at a time.
_TOGETHER = 500


class NewSessions(NamedTuple):
    """The new sessions with their numbers, the ids that change, and the redactions."""

    new: list[Session]
    renumbered: list[tuple[str, str]]
    redactions: Counts

    @property
    def ids(self) -> list[str]:
        return [str(session.id) for session in self.new]


def _new_in_lots(
    root: Root,
    sessions: Sequence[Session],
    hide: Policy,
    conversations: Container[str],
    given: Mapping[str, int],
) -> Iterator[NewSessions]:
    """Yield the sessions that are not in their day yet, each once, redacted and numbered, by day.

    None gets the number of a deleted session. `continues` follows the new ids. `given` are the last
    numbers of days in the journal.
    """
    gone = deleted_sections.deleted_ids(root)
    ids: dict[str, str] = {}
    done = 0
    for places in _lots(sessions):
        lot = [sessions[place] for place in places]
        there = {
            day: (days.load_day(root, day), archive_files.load_day(root, day))
            for day in dict.fromkeys(session.date for session in lot)
        }
        lot, hidden = _redacted(lot, hide, there)
        lot = [session for session in lot if session.conversation not in conversations]
        named = [session for session in lot if str(session.id) in gone]
        back = set(map(section_text.comparable, deleted_sections.deleted_among(root, named)))
        another = {each for each in named if section_text.comparable(each) not in back}
        new: list[Session] = []
        moved: list[tuple[str, str]] = []
        counts: list[Counts] = []
        for day, group in groupby(lot, key=lambda session: session.date):
            several = [(section_text.comparable(session), session) for session in group]
            incoming: dict[Session, Session] = {}
            for content, session in several:
                incoming.setdefault(content, session)
            last = max(given.get(day.isoformat(), 0), archive_files.last_number(root, day))
            own = {
                content: session._replace(number=0) if session in another else session
                for content, session in incoming.items()
            }
            numbered, known = _new_of_day(own, *there[day], last, hide)
            for content, session in numbered.items():
                before = incoming[content].id
                if before.number and before != session.id:
                    moved.append((str(before), str(session.id)))
                counts.append(hidden.get(content, ()))
            for content, session in several:
                if session.number:
                    ids[str(session.id)] = known[content]
            new += numbered.values()
        new = [item._replace(continues=ids.get(item.continues, item.continues)) for item in new]
        yield NewSessions(new, moved, privacy.sum_counts(counts))
        done += len(places)
        report_progress(done, len(sessions))


def _new_of_day(
    incoming: Mapping[Session, Session], present: Day, stored: Day, last: int, hide: Policy
) -> tuple[dict[Session, Session], dict[Session, str]]:
    """Return the sessions that a day and its archive lack, numbered, and all ids, by content."""
    known = {**_known(stored, incoming, hide), **_known(present, incoming, hide)}
    new = {content: session for content, session in incoming.items() if content not in known}
    # Numbers in the archive are taken too.
    taken = {section.session.number for section in (*present.sections, *stored.sections)}
    numbered = day_sections.numbered(list(new.values()), taken, last)
    known.update((content, str(each.id)) for content, each in zip(new, numbered, strict=True))
    return dict(zip(new, numbered, strict=True)), known


def _lots(sessions: Sequence[Session]) -> Iterator[list[int]]:
    """Yield the places of the sessions by day and number, in lots of whole days."""
    if isinstance(sessions, PackedSessions):
        by_day = sessions.by_day
    else:
        by_day = _by_day(list(map(_sort_key, sessions)))
    lot: list[int] = []
    for places in by_day:
        lot += places
        if len(lot) >= _TOGETHER:
            yield lot
            lot = []
    if lot:
        yield lot


# Sorts sessions without a number last.
_LAST = 1_000_000_000
SortKey = tuple[date, int, int, str]


def _by_day(keys: Sequence[SortKey]) -> list[list[int]]:
    """Return the places of the keys in order, grouped by day."""
    places = sorted(range(len(keys)), key=keys.__getitem__)
    return [list(group) for _, group in groupby(places, key=lambda place: keys[place][0])]


def _sort_key(session: Session) -> SortKey:
    return session.date, session.number or _LAST, session.copy, session.time


def _redacted(
    sessions: Sequence[Session], hide: Policy, there: Mapping[date, Sequence[Day]]
) -> tuple[list[Session], dict[Session, Counts]]:
    """Return the sessions redacted, and the counts of each by its new content.

    One that is present word for word is not redacted, since it won't be written: redaction is slow.
    """
    present = {
        section_text.comparable(section.session)
        for files_ in there.values()
        for day in files_
        for section in day.all_sections
    }
    is_new = [section_text.comparable(session) not in present for session in sessions]
    redacted = privacy.redact_sessions(list(compress(sessions, is_new)), hide)
    cleaned: list[Session] = []
    hidden: dict[Session, Counts] = {}
    for session, is_changed in zip(sessions, is_new, strict=True):
        if is_changed:
            session, counts = next(redacted)
            hidden[section_text.comparable(session)] = counts
        cleaned.append(session)
    return cleaned, hidden


def _known(day: Day, incoming: Iterable[Session], hide: Policy) -> dict[Session, str]:
    """Return the ids of the sessions of a day by content, with and without secrets."""
    known: dict[Session, str] = {}
    for section in day.all_sections:
        known.setdefault(section_text.comparable(section.session), str(section.session.id))
    # What a person wrote may be unredacted, unlike `incoming`.
    if known and any(_has_mark(content) and content not in known for content in incoming):
        for section in day.all_sections:
            redacted = privacy.redact_session(section.session, hide)[0]
            known.setdefault(section_text.comparable(redacted), str(section.session.id))
    return known


def _has_mark(session: Session) -> bool:
    return bool(MARK.search(str(session))) or privacy.REDACTED_TAG in session.tags


class _Writing:
    """Appends the sessions of an import; `changes` are for undo, `records` for the journal."""

    def __init__(self, root: Root, language: str, formatted: Format, now: datetime) -> None:
        self.changes: list[SectionChange] = []
        self.records: list[JournalEntry] = []
        self._root = root
        self._language = language
        self._formatted = formatted
        self._at = journal.format_moment(now)
        self._chars = 0
        # One that is being appended has no stamp.
        self._appended: list[tuple[str, bytes | None, Stamp | None]] = []

    def append(self, sessions: Sequence[Session], given: Mapping[str, int]) -> list[str]:
        """Append sessions, in order of their days, and return their ids."""
        groups = [list(group) for _, group in groupby(sessions, key=lambda session: session.date)]
        files.make_folder(self._root.daily_folder, self._root.modes)
        written: list[Written] = []
        while groups:
            additions = [self._prepared(group, given) for group in groups]
            with append.noted(self._root, [(each.path, each.data) for each in additions]):
                for addition in additions:
                    if files.stamp(addition.path) != addition.stamp:
                        break  # edited meanwhile: prepare the rest again
                    self._append(addition.path, addition.data)
                    written += addition.written
                    groups.pop(0)
        self.changes += starmap(undo_steps.added, written)
        self.records += [JournalEntry(self._at, str(new.id), text) for new, text in written]
        self._chars += sum(len(text) for _, text in written)
        if self._chars > journal.MOST_CHARS:
            self.records = journal.last_of_days(self.records)
        return [str(session.id) for session, _ in written]

    def _prepared(self, sessions: list[Session], given: Mapping[str, int]) -> Addition:
        return day_sections.prepare(
            self._root,
            sessions,
            given.get(sessions[0].date.isoformat(), 0),
            language=self._language,
            formatted=self._formatted,
        )

    def _append(self, path: str, data: bytes) -> None:
        before = files.find_raw(path)
        self._appended.append((path, before, None))
        try:
            files.append(path, data, self._root.modes)
        except Exception:  # nothing stayed of it, unlike after a KeyboardInterrupt
            self._appended.pop()
            raise
        self._appended[-1] = path, before, files.stamp(path)

    def take_back(self) -> None:
        for path, before, after in reversed(self._appended):
            with contextlib.suppress(DailyMemoryError):  # the sections that stay are complete
                files.undo_append(path, before, after or files.stamp(path))
