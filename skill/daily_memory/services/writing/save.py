"""Save: redact a session once, and write it durably to its day file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime

from daily_memory.core.format import markdown, session_json
from daily_memory.core.format.section_text import content, format_signed, text_digest
from daily_memory.core.format.session_json import parse_id, parse_session
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.view import MARK
from daily_memory.core.search import keywords
from daily_memory.core.settings import Settings
from daily_memory.errors import ConflictError, DailyMemoryError, DamagedDataError, LockedError
from daily_memory.model import BY_HAND, FLAG_TAGS, PRIVATE_TAGS, Section, Session, Span, counted
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

# What a note may say that it is.
_NOTE_FIELDS = ("decisions", "open_questions", "next_steps")
# How far back to look for an earlier section of a conversation.
_CONVERSATION_DAYS = 31
# How often to write a section again that an editor wipes out meanwhile.
_ATTEMPTS = 5
DELETED = (
    "this conversation was deleted here; `memory undo` brings it back,"
    " and without its id it is saved as another one"
)


class SaveResult(NamedTuple):
    """The outcome of a save: `session` has its number; `skipped` says why nothing was saved.

    `label` is that of its root, for a caller that asks several.
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


def record_data(
    root: Root,
    data: Mapping[str, object],
    settings: Settings,
    now: datetime,
    environment: Mapping[str, str],
    *,
    origin: str = "",
) -> SaveResult:
    """Save a session given as a JSON object, or with `messages` a whole conversation.

    `environment` has the keys of the language model that may digest it; `origin` is who saves it.
    """
    rest = {name: value for name, value in data.items() if name != "messages"}
    if data.get("messages"):
        # Digesting takes 20 ms to import, and most saves bring a session.
        from daily_memory.services.writing import digest as conversations
        from daily_memory.services.writing import llm_digest

        given = rest.get("conversation")
        known: tuple[Deleted, ...] = ()
        if isinstance(given, str) and deletions(root, given):
            # All that was said, what was deleted too. No language model sees it again either.
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


def note(text: str, tags: Sequence[str]) -> dict[str, object]:
    """Return a note as the JSON object of a session; `#redis` in it is a tag.

    What begins with a heading of the format, such as `TODO:`, stands under that heading.

    >>> note("TTL 300 s #redis", ())
    {'topic': 'TTL 300 s', 'key_points': [], 'tags': ['redis'], 'source': 'note'}
    >>> note("决定：TTL 300 秒", ())
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
    # A tag within a sentence is a word of it.
    text = markdown.without_tags_at_end(text)
    # A longer text, such as that of a commit, is there as a whole below its first line.
    first = next((line for line in text.split("\n") if any(map(str.isalnum, line))), text)
    topic = " ".join(first.split())
    items = [] if field == "key_points" and topic == text else [text]
    return {"topic": topic, field: items, "tags": [*tags, *found], "source": BY_HAND}


def completed(session: Session) -> Session:
    """Return the session with a topic and tags, suggested if it has none.

    A note has the tags that were written in it, and no others.
    """
    if not session.topic:
        session = session._replace(topic=keywords.suggest_topic(session))
    flags = [tag for tag in session.tags if tag.casefold() in FLAG_TAGS]
    if len(flags) == len(session.tags) and session.source != BY_HAND:
        session = session._replace(tags=(*flags, *keywords.suggest_tags(_unmarked(session))))
    return session


def _unmarked(session: Session) -> Session:
    """Return the session without the marks of redaction, which are no words of the user."""
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

    An earlier section of its conversation makes way for it; for a live session only if that began
    at the same moment, since another one may hold what it does not: an import, or the part before a
    hook was installed. `replaces` is the section that makes way, where the caller read it. `known`
    are the `deletions` of its conversation as of when it was read: what was deleted since is not
    saved.

    Raises:
        ConflictError: the lock was busy for too long; the session waits in the spool.
        BackendError: the system refused to write; nothing was changed.
    """
    session, redactions = privacy.redact_session(session, policy(settings))
    session = completed(session)
    skipped = SaveResult(session, "", Span(0, 0), root.scope, redactions, DELETED)
    if not is_live and is_deleted(root, session):
        return skipped
    queued = ""

    def is_saved() -> bool:
        """Leave the session to whoever holds the lock, and tell whether it is saved."""
        nonlocal queued
        queued = queued or ("" if is_live else _queue(root, session, now))
        return pending_saves.find_answer(queued) is not None

    drained: tuple[str, ...] = ()
    try:
        with locked(root, wait_s=lock.WAIT_S, is_done=is_saved) as is_ours:
            if is_ours:
                init.ignore_derived(root)
                if not set(deletions(root, session.conversation)) <= set(known):
                    # While it was digested, which takes a language model a while.
                    return skipped
                drained = drain(root, settings, now)
            section, warnings = _answered(root, session, queued) or _write(
                root, session, settings, now, is_live=is_live, replaces=replaces
            )
    except (LockBusyError, LockRefusedError, LockedError, DamagedDataError) as error:
        failure = _spooled(root, session, now, error, queued)
        answered = _answered(root, session, queued)  # it was saved at the last moment
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
    """Store a session for whoever holds the lock, and return its path; "" if it can't be."""
    fields = session_json.format_session(session)
    if parse_session(fields, now).session != session:
        return ""  # it would not be saved as it is
    try:
        return pending_saves.add(root, fields, now, is_awaited=True)
    except DailyMemoryError:
        return ""


def _answered(root: Root, session: Session, queued: str) -> tuple[Section, tuple[str, ...]] | None:
    """Return the section that somebody else made of a session, with warnings; None if nobody did.

    It has no number if it was not to be saved.
    """
    answer = pending_saves.find_answer(queued)
    if not answer:
        return None
    id_ = parse_id(answer.id) if answer.id else session._replace(number=0, copy=1).id
    found = None
    with contextlib.suppress(DailyMemoryError):
        found = days.find_section(root, id_)
    # Somebody may have changed the day since.
    section = Section(session._replace(**id_._asdict()), Span(0, 0))
    return found or section, answer.warnings


def _size_warning(path: str, most_mb: float) -> tuple[str, ...]:
    size = files.stamp(path)[0]
    if size <= most_mb * 1_000_000:
        return ()
    return (f"saved, but {path!r} is larger than storage.max_file_size_mb, {most_mb:g} MB",)


def _write(
    root: Root,
    session: Session,
    settings: Settings,
    now: datetime,
    *,
    is_live: bool = False,
    replaces: Section | None = None,
) -> tuple[Section, tuple[str, ...]]:
    """Write the session to its day, as a new section or in place of an earlier one."""
    for _ in range(_ATTEMPTS):
        written, is_new = _put(root, session, settings, is_live=is_live, replaces=replaces)
        section = days.find_section(root, written.session.id)
        if section:
            return section, record(root, [written] if is_new else [], now)
        # An editor just saved an older state of the day.
        session = session._replace(number=written.session.number)
    raise ConflictError(
        f"{written.session.id} was written {_ATTEMPTS} times and is gone from its file each time",
        hint="close whatever keeps saving that day, and save again",
    )


def _put(
    root: Root, session: Session, settings: Settings, *, is_live: bool, replaces: Section | None
) -> tuple[Written, bool]:
    """Write a session, and tell whether its text is new: a turn may have changed nothing."""
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
    """Tell whether a session may take the place of an earlier section of its conversation.

    A digest holds what the one before it held. What somebody saves may not: what was marked as
    important is not given up for it, and what was outdated does not make it so.
    """
    if is_live:
        return _began(earlier) == _began(session)
    is_as_important = session.is_important or not earlier.is_important
    return is_as_important and (session.is_outdated or not earlier.is_outdated)


def record(root: Root, written: Sequence[Written], now: datetime) -> tuple[str, ...]:
    """Add new sections to the journal and the index; a fault there is a warning.

    They are durable already: the next reader derives what is missing.
    """
    at = journal.format_moment(now)
    return note_written(
        root, [JournalEntry(at, str(session.id), text) for session, text in written], now
    )


def note_written(root: Root, records: list[JournalEntry], now: datetime) -> tuple[str, ...]:
    """Add such records to the journal, and the days that they name to the index; see `record`."""
    warnings = []
    try:
        journal.add_records(root, records, now)
    except DailyMemoryError as error:
        warnings.append(f"saved, but not noted for `memory doctor --restore`: {error.message}")
    try:
        names = {f"{record.id[:10]}.md" for record in records}
        indexer.update(root, written=names)
    except DailyMemoryError as error:
        warnings.append(f"saved, but the index was not brought up to date: {error.message}")
    return tuple(warnings)


def text_of(root: Root, section: Section) -> str:
    """Return the lines of a section as they are in its file."""
    data = files.find_bytes(days.day_path(root, section.session.date)) or b""
    return days.decode(days.cut(data, section.span))


def _earlier_section(root: Root, session: Session, *, is_live: bool) -> Section | None:
    """Return the last section of this conversation, None if there is none lately.

    An archived one is brought back into its day if this one replaces it.
    """
    found = next(_sections_of(root, session), None)
    if found or not os.path.isdir(root.archive_folder):
        return found
    from daily_memory.services.writing import resume  # hardly ever

    stored = resume.find_section(root, session.conversation)
    if stored and (not is_live or _began(stored.session) == _began(session)):
        return resume.bring_back(root, stored)
    return stored


def _sections_of(root: Root, session: Session) -> Iterator[Section]:
    """Yield the recent sections of a conversation, and those of the session's day, last first."""
    needle = markdown.format_fact(session.conversation).encode("utf-8", "replace")
    listed = days.list_days(root)
    # A live session that goes on has its section on its day, however long ago that was.
    own = [file for file in listed[:-_CONVERSATION_DAYS] if file.day == session.date]
    for file in (*reversed(listed[-_CONVERSATION_DAYS:]), *own):
        path = file.path(root)
        try:
            data = files.find_bytes(path) or b""
        except DamagedDataError:
            if file.day == session.date:
                raise  # it is to be written
            continue
        if needle in data:
            for section in reversed(days.parse_bytes(data, file.day, path).sections):
                if section.session.conversation == session.conversation:
                    yield section


def _began(session: Session) -> tuple[date, str]:
    return session.date, session.time


def forget(root: Root, session: Session, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Remove the saved section of a live session from its day and from the journal.

    A section that a person edited stays, and a warning says so. `session` has the conversation, and
    when it began.
    """
    from daily_memory.storage import undo_files  # hardly ever

    warnings = []
    with locked(root, wait_s=lock.WAIT_S):
        # What waits to be saved may be of this conversation: it must not come afterwards.
        drain(root, settings, now)
        for section in list(_sections_of(root, session)):
            if _began(section.session) != _began(session):
                continue  # saved by somebody else
            if not is_untouched(root, section):
                warnings.append(f"{section.session.id} stays: it was edited by hand")
                continue
            # Its number alone: the conversation's own file says that it is not to be kept.
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
    """Replace the earlier section of a conversation that went on.

    Call it with the lock held, and where that `is_untouched`.
    """
    kept = earlier.session
    session = _marked_as(kept, session, FLAG_TAGS)._replace(
        date=kept.date, number=kept.number, time=kept.time, continues=kept.continues, copy=kept.copy
    )
    return day_sections.replace_section(
        root, earlier, session, language=language, formatted=format_signed
    )


def _marked_as(earlier: Session, session: Session, marks: frozenset[str]) -> Session:
    """Return the session with those of these tags that its earlier section has.

    Who saves it may not know of them; `memory mark ID --not private` takes one away.
    """
    missing = [tag for tag in earlier.tags if tag.casefold() in marks and tag not in session.tags]
    return session._replace(tags=(*session.tags, *missing))


def _spooled(
    root: Root, session: Session, now: datetime, error: DailyMemoryError, queued: str
) -> DailyMemoryError:
    """Keep the session for the next save, and return the error that says so."""
    try:
        if queued:
            pending_saves.keep(queued)
        else:
            pending_saves.add(root, session_json.format_session(session), now)
    except DailyMemoryError:
        return error  # on a disk where nothing can be written
    hint = "nothing is lost: the next `memory save` writes it"
    if not isinstance(error, LockBusyError):
        hint = f"{error.hint}; the next `memory save` that can writes it"
    return type(error)(f"{error.message}; the session is kept", hint=hint)


def drain(root: Root, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Save the sessions that wait, and answer those who wait. Call it with the lock held.

    One that can't be saved stays, and the others are saved all the same.
    """
    pending_saves.remove_leftovers(root)
    paths = pending_saves.waiting(root)
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
                # One of a conversation may go in place of an earlier section.
                lots.setdefault(path if session.conversation else session.date, {})[path] = session
        except DailyMemoryError as error:
            warnings.append(f"{path!r} still waits to be saved: {error.message}")
    for lot in lots.values():
        try:
            written = _write_together(root, list(lot.values()), settings, now)
            answers.update(zip(lot, written, strict=True))
        except DailyMemoryError as error:
            warnings += [f"{path!r} still waits to be saved: {error.message}" for path in lot]
    pending_saves.finish(root, answers)
    told = [answer for path, answer in answers.items() if not pending_saves.is_awaited(path)]
    warnings += [f"what waited was not saved: {DELETED}" for answer in told if not answer.id]
    count = sum(bool(answer.id) for answer in told)
    if count:
        warnings.insert(0, f"{counted(count, 'session')} that waited: saved")
    return tuple(warnings)


def _write_together(
    root: Root, sessions: list[Session], settings: Settings, now: datetime
) -> list[SpoolAnswer]:
    """Write a session, or several of one day without a conversation with one append."""
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
    warnings = record(root, there, now)
    return [
        SpoolAnswer(str(session.id), warnings)
        if session.number in numbers
        # An editor just saved an older state of the day.
        else _write_together(root, [session], settings, now)[0]
        for session, _ in written
    ]


def _was_deleted_since(root: Root, session: Session, path: str, now: datetime) -> bool:
    """Tell whether a conversation was deleted after this was put aside.

    A deletion of days to come, by a clock that was wrong, tells nothing of when it was: then only
    what it took is not saved.
    """
    latest = journal.format_moment(now, days_back=-1)
    gone = [one for one in deletions(root, session.conversation) if one.at <= latest]
    moments = (datetime.fromisoformat(one.at) for one in gone)
    is_since = any(pending_saves.is_older(path, at.astimezone(now.tzinfo)) for at in moments)
    return is_since or is_deleted(root, session)


def _saved_section(root: Root, session: Session) -> Section | None:
    """Return the section of a session that was written by somebody who was killed after it."""
    wanted = content(session)
    sections = days.load_day(root, session.date).sections
    return next((section for section in sections if content(section.session) == wanted), None)
