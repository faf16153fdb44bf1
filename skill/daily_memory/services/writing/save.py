"""Save a session: redact it once, and write it durably to its day file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime

from daily_memory.core.format import markdown, session_json
from daily_memory.core.format.section_text import comparable, format_signed, text_digest
from daily_memory.core.format.session_json import parse_id, parse_session
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.view import MARK
from daily_memory.core.search import keywords
from daily_memory.core.settings import Settings
from daily_memory.errors import ConflictError, DailyMemoryError, DamagedDataError, LockedError
from daily_memory.model import BY_HAND, FLAG_TAGS, PRIVATE_TAGS, Section, Session, Span
from daily_memory.named_tuples import NamedTuple
from daily_memory.services.setup import init
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.services.writing.deleted_sections import deletions, is_deleted
from daily_memory.storage import (
    day_sections,
    days,
    deleted,
    import_origins,
    journal,
    pending_saves,
    roots,
)
from daily_memory.storage.day_sections import Written
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files, lock
from daily_memory.storage.fs.lock import LockBusyError, LockRefusedError, locked
from daily_memory.storage.index import indexer
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.pending_saves import SpoolAnswer
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

# The headings that a note may begin with.
_NOTE_FIELDS = ("decisions", "open_questions", "next_steps")
_LONGEST_TOPIC = 80
# How many days back to look for an earlier section of a conversation.
_CONVERSATION_DAYS = 31
# How often to write a section again if an editor overwrites it meanwhile.
_ATTEMPTS = 5
DELETED = (
    "this conversation was deleted here; `memory undo` brings it back,"
    " and without its id it is saved as another one"
)


class SaveResult(NamedTuple):
    """The outcome of a save: the session with its number, or why it was `skipped`.

    `label` is that of its root.
    """

    session: Session
    path: str = ""
    span: Span = Span(0, 0)
    scope: str = ""
    redactions: tuple[tuple[str, int], ...] = ()
    skipped: str = ""
    warnings: tuple[str, ...] = ()
    label: str = ""

    @property
    def id(self) -> str:
        """The id of the saved session, "" if nothing was saved."""
        id_ = "" if self.skipped else str(self.session.id)
        return f"{self.label}:{id_}" if id_ and self.label else id_


def save_data(
    root: Root,
    data: Mapping[str, object],
    settings: Settings,
    now: datetime,
    environment: Mapping[str, str],
    *,
    origin: str = "",
) -> SaveResult:
    """Save a session given as a JSON object, or a whole conversation given as `messages`.

    `environment` has the keys for a language model; `origin` is who saves it.
    """
    rest = {name: value for name, value in data.items() if name != "messages"}
    if data.get("messages"):
        # Takes 20 ms to import, and most saves bring a session.
        from daily_memory.services.writing import digest as conversations
        from daily_memory.services.writing import llm_digest

        given = rest.get("conversation")
        known: tuple[Deleted, ...] = ()
        if isinstance(given, str) and deletions(root, given):
            # The messages contain what was deleted: no language model must see that again.
            named = parse_session({"topic": "-", **rest}, now).session
            return SaveResult(named, scope=root.scope, skipped=DELETED)
        draft, hidden, skipped = conversations.draft(
            data["messages"],
            rest,
            policy(settings),
            settings,
            now,
            folder=roots.project_folder(root) if root.scope == "project" else "",
            improve=lambda made, text: llm_digest.summarize(
                made, text, settings, environment, root, now
            ),
        )
    else:
        draft, hidden, skipped = parse_session(rest, now), (), ""
        known = deletions(root, draft.session.conversation)
    if skipped:
        return SaveResult(draft.session, scope=root.scope, skipped=skipped, warnings=draft.warnings)
    session = draft.session._replace(origin=origin or draft.session.origin)
    result = save(root, session, settings, now, known=known)
    return result._replace(
        redactions=privacy.sum_counts((hidden, result.redactions)),
        warnings=(*draft.warnings, *result.warnings),
    )


def note_data(text: str, tags: Sequence[str]) -> dict[str, object]:
    """Return a note as the JSON object of a session; `#redis` in it is a tag.

    A note that begins with a heading of the format, such as `TODO:`, goes under that heading.

    >>> note_data("TTL 300 s #redis", ())
    {'topic': 'TTL 300 s', 'key_points': [], 'tags': ['redis'], 'source': 'note'}
    >>> note_data("决定：TTL 300 秒", ())
    {'topic': 'TTL 300 秒', 'decisions': ['TTL 300 秒'], 'tags': [], 'source': 'note'}
    """
    found = markdown.hashtags(text)
    heading = text.replace("：", ":").partition(":")[0]
    field, rest = markdown.field_of(heading), text[len(heading) + 1 :].strip()
    text = text.strip()
    if field in _NOTE_FIELDS and rest:
        text = rest
    else:
        field = "key_points"
    # Tags within a sentence stay: they are words of it.
    text = markdown.without_tags_at_end(text)
    # A longer text, such as a commit message, is kept whole below its first line. The topic of a
    # long line is its first sentence, taken by `completed` once secrets are hidden.
    first = next((line for line in text.split("\n") if any(map(str.isalnum, line))), text)
    topic = " ".join(first.split())
    topic = topic if len(topic) <= _LONGEST_TOPIC else ""
    items = [] if field == "key_points" and topic == text else [text]
    return {"topic": topic, field: items, "tags": [*tags, *found], "source": BY_HAND}


def completed(session: Session) -> Session:
    """Return the session with a topic and tags, suggested if it has none.

    A note only has the tags that were written in it.
    """
    if not session.topic:
        session = session._replace(topic=keywords.suggest_topic(session))
    flags = [tag for tag in session.tags if tag.casefold() in FLAG_TAGS]
    if len(flags) == len(session.tags) and session.source != BY_HAND:
        session = session._replace(tags=(*flags, *keywords.suggest_tags(_unmarked(session))))
    return session


def _unmarked(session: Session) -> Session:
    """Return the session without the marks of redaction, for suggesting tags."""
    return session._replace(
        topic=_without_marks(session.topic),
        summary=_without_marks(session.summary),
        key_points=tuple(map(_without_marks, session.key_points)),
        decisions=tuple(map(_without_marks, session.decisions)),
        code=tuple(block._replace(text=_without_marks(block.text)) for block in session.code),
    )


def _without_marks(text: str) -> str:
    return MARK.sub(" ", text)


def save(
    root: Root,
    session: Session,
    settings: Settings,
    now: datetime,
    *,
    known: Sequence[Deleted],
    is_live: bool = False,
    replaces: Section | None = None,
) -> SaveResult:
    """Save a session, redacted, and return where it is.

    It replaces an earlier section of its conversation. A live session only replaces one that began
    at the same moment: others, such as an import, may hold what it does not. `replaces` is the
    section to replace, if the caller knows it. `known` are the `deletions` of its conversation when
    it was read; if more was deleted since, it is skipped.

    Raises:
        ConflictError: the lock was busy for too long; the session is queued.
        BackendError: the system refused to write; nothing was changed.
    """
    session, redactions = privacy.redact_session(session, policy(settings))
    session = completed(session)
    skipped = SaveResult(session, "", Span(0, 0), root.scope, redactions, DELETED)
    if not is_live and is_deleted(root, session):
        return skipped
    queued = ""

    def is_saved() -> bool:
        """Queue the session for the process that holds the lock; tell whether it was saved."""
        nonlocal queued
        queued = queued or ("" if is_live else _queue(root, session, now))
        return pending_saves.find_answer(queued) is not None

    drained: tuple[str, ...] = ()
    try:
        with locked(root, wait_s=lock.WAIT_S, is_done=is_saved) as is_ours:
            if is_ours:
                init.ignore_derived(root)
                if not set(deletions(root, session.conversation)) <= set(known):
                    # Deleted while it was digested, which takes a language model a while.
                    return skipped
                drained = save_queued(root, settings, now)
            section, warnings = _answered(root, session, queued) or _write(
                root, session, settings, now, is_live=is_live, replaces=replaces
            )
    except (LockBusyError, LockRefusedError, LockedError, DamagedDataError) as error:
        failure = _keep_for_later(root, session, now, error, queued)
        answered = _answered(root, session, queued)  # saved at the last moment
        if not answered:
            raise failure from error
        section, warnings = answered
    finally:
        if queued:
            files.remove(queued)
    if not section.session.number:
        return skipped
    path = days.day_path(root, section.session.date)
    warnings = (*drained, *warnings, *_size_warning(path, settings.storage.max_file_size_mb))
    return SaveResult(section.session, path, section.span, root.scope, redactions, "", warnings)


def _queue(root: Root, session: Session, now: datetime) -> str:
    """Queue a session for the process that holds the lock; return its path, "" on failure."""
    fields = session_json.format_session(session)
    if parse_session(fields, now).session != session:
        return ""  # JSON would not preserve it
    try:
        return pending_saves.add(root, fields, now, is_awaited=True)
    except DailyMemoryError:
        return ""


def _answered(root: Root, session: Session, queued: str) -> tuple[Section, tuple[str, ...]] | None:
    """Return the section that another process saved, and warnings; None if none did.

    It has no number if it was skipped.
    """
    answer = pending_saves.find_answer(queued)
    if not answer:
        return None
    id_ = parse_id(answer.id) if answer.id else session._replace(number=0, copy=1).id
    found = None
    with contextlib.suppress(DailyMemoryError):
        found = days.find_section(root, id_)
    # The day may have changed since.
    section = Section(session._replace(**id_._asdict()), Span(0, 0))
    return found or section, answer.warnings


def _size_warning(path: str, most_mb: float) -> tuple[str, ...]:
    size = files.stamp(path)[0]
    if size <= most_mb * 1_000_000:
        return ()
    return (
        filled("saved, but {!r} is larger than storage.max_file_size_mb, {:g} MB", path, most_mb),
    )


def _write(
    root: Root,
    session: Session,
    settings: Settings,
    now: datetime,
    *,
    is_live: bool = False,
    replaces: Section | None = None,
) -> tuple[Section, tuple[str, ...]]:
    """Write a session to its day, as a new section or in place of an earlier one."""
    for _ in range(_ATTEMPTS):
        written, is_new = _put(root, session, settings, is_live=is_live, replaces=replaces)
        section = days.find_section(root, written.session.id)
        if section:
            return section, note_sections(root, [written] if is_new else [], now)
        # An editor just saved an older state of the day.
        session = session._replace(number=written.session.number)
    raise ConflictError(
        "{} was written {} times and is gone from its file each time",
        written.session.id,
        _ATTEMPTS,
        hint="close whatever keeps saving that day, and save again",
    )


def _put(
    root: Root, session: Session, settings: Settings, *, is_live: bool, replaces: Section | None
) -> tuple[Written, bool]:
    """Write a session, and tell whether its text changed."""
    language = settings.recording.language
    earlier = is_same = None
    if replaces:
        earlier = days.find_section(root, replaces.session.id)
        is_same = earlier and earlier.session == replaces.session
    elif session.conversation:
        earlier = _earlier_section(root, session, is_live=is_live)
        is_same = (
            earlier
            and _is_renewed(earlier.session, session, is_live=is_live)
            and is_untouched(root, earlier)
        )
    if earlier and is_same:
        before = text_of(root, earlier)
        written = rewrite(root, earlier, session, language)
        return written, written.text != before
    if earlier:
        session = _marked_as(earlier.session, session, PRIVATE_TAGS)
        session = session._replace(continues=str(earlier.session.id))
    written = day_sections.append_session(root, session, language=language, formatted=format_signed)
    return written, True


def _is_renewed(earlier: Session, session: Session, *, is_live: bool) -> bool:
    """Tell whether a session may replace an earlier section of its conversation.

    A digest contains the one before it. A session that was saved by hand may not: it must not
    replace an important section, nor become outdated because the earlier one was.
    """
    if is_live:
        return _beginning(earlier) == _beginning(session)
    is_as_important = session.is_important or not earlier.is_important
    return is_as_important and (session.is_outdated or not earlier.is_outdated)


def note_sections(root: Root, written: Sequence[Written], now: datetime) -> tuple[str, ...]:
    """Add new sections to the journal and the index; return warnings.

    The sections are durable already: the next reader adds what is missing.
    """
    at = journal.format_moment(now)
    return note_entries(
        root, [JournalEntry(at, str(session.id), text) for session, text in written], now
    )


def note_entries(root: Root, records: list[JournalEntry], now: datetime) -> tuple[str, ...]:
    """Add entries to the journal, and their days to the index; return warnings."""
    warnings = []
    try:
        journal.add_records(root, records, now)
    except DailyMemoryError as error:
        warnings.append(
            filled("saved, but not noted for `memory doctor --restore`: {}", error.message)
        )
    try:
        names = {f"{entry.id[:10]}.md" for entry in records}
        indexer.update(root, written=names)
    except DailyMemoryError as error:
        warnings.append(
            filled("saved, but the index was not brought up to date: {}", error.message)
        )
    return tuple(warnings)


def text_of(root: Root, section: Section) -> str:
    """Return the lines of a section as they are in its file."""
    data = files.find_bytes(days.day_path(root, section.session.date)) or b""
    return days.decode(days.cut(data, section.span))


def _earlier_section(root: Root, session: Session, *, is_live: bool) -> Section | None:
    """Return the last recent section of this conversation, None if there is none.

    An archived one that is to be replaced is brought back into its day.
    """
    found = next(_sections_of(root, session), None)
    if found or not os.path.isdir(root.archive_folder):
        return found
    from daily_memory.services.writing import resume  # rarely needed

    stored = resume.find_section(root, session.conversation)
    if stored and (not is_live or _beginning(stored.session) == _beginning(session)):
        return resume.bring_back(root, stored)
    return stored


def _sections_of(root: Root, session: Session) -> Iterator[Section]:
    """Yield the recent sections of a conversation and those of its day, newest first."""
    needle = markdown.format_fact(session.conversation).encode("utf-8", "replace")
    listed = days.list_days(root)
    # A live session's section is on the day it began, however long ago.
    own = [file for file in listed[:-_CONVERSATION_DAYS] if file.day == session.date]
    for file in (*reversed(listed[-_CONVERSATION_DAYS:]), *own):
        path = file.path(root)
        try:
            data = files.find_bytes(path) or b""
        except DamagedDataError:
            if file.day == session.date:
                raise  # this day will be written
            continue
        if needle in data:
            for section in reversed(days.parse_bytes(data, file.day, path).sections):
                if section.session.conversation == session.conversation:
                    yield section


def _beginning(session: Session) -> tuple[date, str]:
    return session.date, session.time


def forget(root: Root, session: Session, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Remove the section of a live session from its day and the journal; return warnings.

    A section that a person edited stays. `session` has the conversation and the time it began.
    """
    from daily_memory.storage import undo_files  # rarely needed

    warnings = []
    with locked(root, wait_s=lock.WAIT_S):
        # A queued session may be of this conversation: it must not be saved afterwards.
        save_queued(root, settings, now)
        for section in list(_sections_of(root, session)):
            if _beginning(section.session) != _beginning(session):
                continue  # saved by somebody else
            if not is_untouched(root, section):
                warnings.append(filled("{} stays: it was edited by hand", section.session.id))
                continue
            # Only its number: the file of the conversation says not to save it.
            deleted.add(root, [Deleted(journal.format_moment(now), str(section.session.id))])
            day_sections.remove_section(root, section)
            id_ = str(section.session.id)
            journal.forget_texts(root, {id_})
            undo_files.forget_ids(root, {id_})
        indexer.update(root)
    return tuple(warnings)


def is_untouched(root: Root, section: Section) -> bool:
    """Tell whether a section is as we wrote it."""
    return section.session.digest == text_digest(text_of(root, section))


def rewrite(root: Root, earlier: Section, session: Session, language: str) -> Written:
    """Replace the earlier section of a conversation that continued.

    Call it with the lock held, and only if the section `is_untouched`.
    """
    kept = earlier.session
    session = _marked_as(kept, session, FLAG_TAGS)._replace(
        date=kept.date, number=kept.number, time=kept.time, continues=kept.continues, copy=kept.copy
    )
    return day_sections.replace_section(root, earlier, session, language=language)


def _marked_as(earlier: Session, session: Session, marks: frozenset[str]) -> Session:
    """Return the session with those of `marks` that its earlier section has.

    Whoever saves it may not know them; `memory mark ID --not private` removes one.
    """
    missing = [tag for tag in earlier.tags if tag.casefold() in marks and tag not in session.tags]
    return session._replace(tags=(*session.tags, *missing))


def _keep_for_later(
    root: Root, session: Session, now: datetime, error: DailyMemoryError, queued: str
) -> DailyMemoryError:
    """Queue the session for the next save; return the error to raise."""
    try:
        if queued:
            pending_saves.keep(queued)
        else:
            pending_saves.add(root, session_json.format_session(session), now)
    except DailyMemoryError:
        return error  # the disk is not writable
    hint = "nothing is lost: the next `memory save` writes it"
    if not isinstance(error, LockBusyError):
        hint = filled("{}; the next successful `memory save` writes it", error.hint)
    return type(error)(filled("{}; the session is kept", error.message), hint=hint)


def save_queued(root: Root, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Save the queued sessions, and answer the processes that wait. Call it with the lock held.

    One that can't be saved stays queued; the others are saved.
    """
    pending_saves.remove_leftovers(root)
    paths = pending_saves.list_waiting(root)
    if not paths:
        return ()
    begun = pending_saves.begin(root, paths)
    answers: dict[str, SpoolAnswer] = {}
    warnings = []
    lots: dict[object, dict[str, Session]] = {}
    for path in paths:
        try:
            session = parse_session(pending_saves.load(path), now).session
            session = session._replace(
                origin=import_origins.origin_of(root, path) or session.origin
            )
            is_doubtful = path in begun or not pending_saves.is_awaited(path)
            saved = _saved_section(root, session) if is_doubtful else None
            if _was_deleted_since(root, session, path, now):
                answers[path] = SpoolAnswer()
            elif saved:
                answers[path] = SpoolAnswer(str(saved.session.id))
            else:
                # A session of a conversation may replace an earlier section: one by one.
                lots.setdefault(path if session.conversation else session.date, {})[path] = session
        except DailyMemoryError as error:
            warnings.append(filled("{!r} is still queued: {}", path, error.message))
    for lot in lots.values():
        try:
            written = _write_together(root, list(lot.values()), settings, now)
            answers.update(zip(lot, written, strict=True))
        except DailyMemoryError as error:
            warnings += [filled("{!r} is still queued: {}", path, error.message) for path in lot]
    pending_saves.finish(root, answers)
    told = [answer for path, answer in answers.items() if not pending_saves.is_awaited(path)]
    warnings += [
        filled("a queued session was not saved: {}", DELETED) for answer in told if not answer.id
    ]
    count = sum(bool(answer.id) for answer in told)
    if count:
        warnings.insert(0, filled("saved {} from the queue", counted(count, "session")))
    return tuple(warnings)


def _write_together(
    root: Root, sessions: list[Session], settings: Settings, now: datetime
) -> list[SpoolAnswer]:
    """Write a session, or with one append several of a day that have no conversation."""
    if len(sessions) == 1:
        section, warnings = _write(root, sessions[0], settings, now)
        return [SpoolAnswer(str(section.session.id), warnings)]
    written = day_sections.append_sessions(
        root, sessions, language=settings.recording.language, formatted=format_signed
    )
    day = sessions[0].date
    path = days.day_path(root, day)
    cuts = days.outline(files.find_bytes(path) or b"", day, path).cuts
    numbers = {cut.block.number for cut in cuts}
    there = [one for one in written if one.session.number in numbers]
    warnings = note_sections(root, there, now)
    return [
        SpoolAnswer(str(session.id), warnings)
        if session.number in numbers
        # An editor just saved an older state of the day.
        else _write_together(root, [session], settings, now)[0]
        for session, _ in written
    ]


def _was_deleted_since(root: Root, session: Session, path: str, now: datetime) -> bool:
    """Tell whether a conversation was deleted after this session was queued.

    A deletion dated in the future, by a wrong clock, only counts for the texts it deleted.
    """
    latest = journal.format_moment(now, days_back=-1)
    gone = [one for one in deletions(root, session.conversation) if one.at <= latest]
    moments = (datetime.fromisoformat(one.at) for one in gone)
    is_since = any(pending_saves.is_older(path, at.astimezone(now.tzinfo)) for at in moments)
    return is_since or is_deleted(root, session)


def _saved_section(root: Root, session: Session) -> Section | None:
    """Return the section of a session that a process wrote before it was killed."""
    wanted = comparable(session)
    sections = days.load_day(root, session.date).sections
    return next((section for section in sections if comparable(section.session) == wanted), None)
