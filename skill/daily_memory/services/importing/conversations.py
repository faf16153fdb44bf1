"""Import conversations and notes of other programs, each once.

A conversation is redacted, and skipped or digested, as in `memory save`. Only one is in memory at
a time.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from daily_memory.core.format.session_json import parse_session
from daily_memory.core.imports import trae_mem, transcripts
from daily_memory.core.imports.notes import HOST, NoteFile, parse_note
from daily_memory.core.imports.notes import HOST as NOTES
from daily_memory.core.imports.transcripts import CLAUDE, CLAUDE_MEM, CODEX, CURSOR, Transcript
from daily_memory.core.progress import with_progress
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Session
from daily_memory.services.importing import sessions
from daily_memory.services.importing.sessions import ImportResult
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.services.writing import digest, save
from daily_memory.storage import archive_files, deleted, discovery, roots
from daily_memory.storage.foreign import databases, transcript_files
from daily_memory.storage.foreign.databases import Database
from daily_memory.storage.foreign.transcript_files import file_time
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

HOSTS = (CLAUDE, CURSOR, CODEX, trae_mem.HOST, CLAUDE_MEM, NOTES)

OTHER_PROJECT = "of another project, or of none that is known"
EMPTY = "nothing that could be kept was said"
# Limits for text of other programs.
_TOPIC_CHARS = 80
_SUMMARY_CHARS = 900
_ITEM_CHARS = 300


class Request(NamedTuple):
    """What to import: `paths` are files or folders; without them, the host's own places.

    `project` is the folder whose conversations are imported, "" for all. `local` converts to the
    user's local time. `again` imports even what was deleted here.
    """

    host: str
    paths: tuple[str, ...]
    project: str
    home: str
    environment: Mapping[str, str]
    local: Callable[[datetime], datetime]
    again: bool = False


def deleted_in(roots: Iterable[Root], request: Request) -> frozenset[str]:
    """Return the keys of conversations deleted in these roots; none with `again`."""
    entries = () if request.again else (entry for root in roots for entry in deleted.load(root))
    return frozenset(entry.conversation for entry in entries if entry.conversation)


def import_conversations(
    root: Root,
    request: Request,
    known: Iterable[Root],
    settings: Settings,
    now: datetime,
    *,
    dry_run: bool = False,
) -> ImportResult:
    """Import conversations or notes that no `known` root has, nor had, all or none."""
    if request.host not in HOSTS:
        raise InvalidInputError("host {!r} is not one of {}", request.host, ", ".join(HOSTS))
    known = list(known)
    here: set[str] = set()
    elsewhere: set[str] = set()
    for memory in known:
        is_here = not request.project or memory.scope != "project" or memory.path == root.path
        (here if is_here else elsewhere).update(archive_files.conversations(memory))
    tally = Tally(here, deleted_in(known, request), elsewhere)
    if request.host == NOTES:
        for note in load_notes(request.paths, request.local, now, tally.warnings):
            if tally.wants(note.conversation):
                tally.add(*privacy.redact_session(note, policy(settings)))
    else:
        _collect(root, request, tally, settings)
    result = tally.result()
    if dry_run or not result.sessions:
        return result
    done = sessions.import_sessions(root, result.sessions, settings, now, conversations=True)
    return result._replace(
        ids=done.ids,
        present=result.present + done.present,
        warnings=(*result.warnings, *done.warnings),
    )


class _Conversation(NamedTuple):
    """The id of a conversation; `load` returns it, None to skip it, and a warning or ""."""

    conversation: str
    load: Callable[[], tuple[Transcript | None, str]]


class Tally:
    """What an import has collected: sessions, and reasons to skip others."""

    def __init__(
        self,
        known: Container[str],
        deleted_keys: Container[str],
        elsewhere: Container[str] = (),
    ) -> None:
        self._known = known
        self._elsewhere = elsewhere
        self._deleted_keys = deleted_keys
        self.present: set[str] = set()
        self.deleted: set[str] = set()
        self.sessions: dict[str, Session] = {}
        self.reasons: dict[str, str] = {}
        self.hidden: list[Counts] = []
        self.warnings: list[str] = []

    def wants(self, conversation: str) -> bool:
        """Tell whether to read a conversation; count it if it is present or was deleted."""
        if conversation in self._known:
            self.present.add(conversation)
            return False
        if conversation in self._elsewhere:
            self.reasons[conversation] = OTHER_PROJECT
            return False
        if deleted.key(conversation) in self._deleted_keys:
            self.deleted.add(conversation)
            return False
        is_refused = self.reasons.get(conversation) == digest.REFUSED
        return not is_refused and conversation not in self.sessions

    def add(self, session: Session, hidden: Counts) -> None:
        self.sessions[session.conversation] = session
        self.hidden.append(hidden)

    def result(self) -> ImportResult:
        reasons = Counter(
            reason for name, reason in self.reasons.items() if name not in self.sessions
        )
        return ImportResult(
            sessions=tuple(sorted(self.sessions.values(), key=lambda new: (new.date, new.time))),
            present=len(self.present),
            skipped=tuple(sorted(reasons.items())),
            redactions=privacy.sum_counts(self.hidden),
            warnings=tuple(self.warnings),
            deleted=len(self.deleted),
        )


def _collect(root: Root, request: Request, tally: Tally, settings: Settings) -> None:
    with contextlib.ExitStack() as stack:
        conversations = list(_conversations(request, stack))
        for conversation in with_progress(conversations):
            if tally.wants(conversation.conversation):
                _judge(tally, conversation, root, request, settings)


def _judge(
    tally: Tally, listed: _Conversation, root: Root, request: Request, settings: Settings
) -> None:
    transcript, warning = listed.load()
    tally.warnings += [warning] if warning else []
    if transcript is None:
        if not warning:
            tally.reasons[listed.conversation] = OTHER_PROJECT
    elif tally.wants(transcript.conversation):
        project = ""
        if root.scope == "global":
            project = project_name(transcript.folder, request) or transcript.project
        session, hidden, reason = _session(transcript, project, request, settings)
        if session is None:
            tally.reasons[transcript.conversation] = reason
        else:
            tally.add(session, hidden)


def _session(
    transcript: Transcript, project: str, request: Request, settings: Settings
) -> tuple[Session | None, Counts, str]:
    """Return the digest of a conversation and what was redacted, or why it is skipped."""
    settings = with_auto_save(settings)
    hide = policy(settings)
    messages, hidden = digest.redacted_messages(transcript.messages, hide)
    if not project:
        messages = [digest.placed(message, transcript.folder) for message in messages]
    # Another program noted key points: then it is worth keeping.
    is_marked = any(name in ("key_points", "decisions") for name, _ in transcript.given)
    reason = digest.reason_to_skip(messages, settings, is_marked=is_marked)
    if reason:
        return None, (), reason
    rest = {
        **dict(transcript.given),
        "conversation": transcript.conversation,
        "source": transcript.host,
        "project": project,
    }
    assert transcript.began is not None, "every loader fills it in"
    began = request.local(transcript.began)
    # No language model, which would be expensive for thousands of conversations.
    draft = digest.digested(messages, rest, settings, began, improve=None).session
    session, more = privacy.redact_session(draft, hide)
    if not any((session.topic, session.summary, session.key_points, session.decisions)):
        return None, (), EMPTY
    # Cut after redaction: half a secret would not be recognized.
    return save.completed(_bounded(session)), privacy.sum_counts((hidden, more)), ""


def with_auto_save(settings: Settings) -> Settings:
    """Return the settings with `auto_save` on, since an import is asked for."""
    return settings._replace(recording=settings.recording._replace(auto_save=True))


def _bounded(session: Session) -> Session:
    def short(items: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_short(item, _ITEM_CHARS) for item in items)

    return session._replace(
        topic=_short(" ".join(session.topic.split()), _TOPIC_CHARS),
        summary=_short(session.summary, _SUMMARY_CHARS),
        key_points=short(session.key_points),
        decisions=short(session.decisions),
        next_steps=short(session.next_steps),
    )


def _short(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[: max_chars - 1].rstrip()}…"


def project_name(held_in: str, request: Request) -> str:
    """Return the name of the project of a conversation, "" if it is unknown."""
    folder = request.project
    if not folder and held_in:
        # It may have been a subfolder, perhaps gone by now.
        folder = discovery.around(held_in, request.environment, request.home).folder or held_in
    return roots.project_root(folder).project if folder else ""


def _conversations(request: Request, stack: contextlib.ExitStack) -> Iterator[_Conversation]:
    """Yield every conversation; databases stay open until the stack is closed."""
    for path in request.paths or _own_places(request):
        if request.host == CLAUDE_MEM:
            database = stack.enter_context(databases.claude_mem(path))
            yield from _of_database(database, path, request)
        elif request.host == CURSOR and path.endswith(_CURSOR_DATABASE):
            yield from _of_database(stack.enter_context(databases.cursor(path)), path, request)
        else:
            yield from _of_files(path, request)


_CURSOR_DATABASE = ".vscdb"


def _own_places(request: Request) -> tuple[str, ...]:
    own = transcript_files.own_place(request.host, request.home, request.environment)
    if request.host != CURSOR:
        return (own,)
    editor = transcript_files.cursor_database(request.home, request.environment)
    # The editor's database comes first: it knows times and folders.
    return tuple(path for path in (editor, own) if os.path.exists(path)) or (own,)


def _of_database(database: Database, path: str, request: Request) -> Iterator[_Conversation]:
    for name in database.conversations:

        def load(name: str = name) -> tuple[Transcript | None, str]:
            transcript = _dated(database.load(name), path)
            return (transcript if _is_wanted(transcript, request.project) else None), ""

        yield _Conversation(name, load)


def _is_wanted(transcript: Transcript, project: str) -> bool:
    if not project or transcript.folder:
        return not project or transcript_files.is_inside(transcript.folder, project)
    # claude-mem knows the name of a project only.
    return transcript.project == os.path.basename(project)


def _of_files(path: str, request: Request) -> Iterator[_Conversation]:
    """Yield the transcripts at a path; a file given by name counts for any project."""
    if os.path.isdir(path):
        is_cursor = request.host == CURSOR
        list_files = transcript_files.cursor_files if is_cursor else transcript_files.jsonl_files
        paths = list_files(path)
        # Cursor's transcripts don't name their project, but the folder may be one project's.
        is_named = is_cursor and transcript_files.is_of_one_project(path)
    elif os.path.isfile(path):
        paths, is_named = [path], True
    else:
        raise NotFoundError(
            "no conversations of {}: there is no file or folder {!r}",
            request.host,
            path,
            hint="name the place, if it is elsewhere",
        )
    for file in paths:

        def load(file: str = file) -> tuple[Transcript | None, str]:
            try:
                if request.project and not is_named and not _is_of_project(file, request):
                    return None, ""
                return _parsed(file, request.host)
            except DailyMemoryError as error:
                return None, filled("{}; it was skipped", error.message)

        yield _Conversation(transcript_files.name_of(file), load)


def _is_of_project(file: str, request: Request) -> bool:
    if request.host != CURSOR:
        find = transcripts.codex_folder if request.host == CODEX else transcripts.claude_folder
        folder = find(transcript_files.lines(file))
        return transcript_files.is_inside(folder, request.project)
    slug, project = transcript_files.cursor_slug(file), request.project
    if transcripts.slug_of(slug) == transcripts.slug_of(project):
        return True
    # A slug drops Chinese characters: then look for the folder in tool calls.
    is_like = transcripts.slug_of(slug) == transcripts.slug_of(project, ascii_only=True)
    return is_like and transcript_files.mentions(file, project)


def _parsed(file: str, host: str) -> tuple[Transcript, str]:
    name = transcript_files.name_of(file)
    lines = transcript_files.lines(file)
    if host == CLAUDE:
        transcript = transcripts.parse_claude(lines, name)
    elif host == CODEX:
        transcript = transcripts.parse_codex(lines, name)
    else:
        transcript = transcripts.parse_cursor(lines, name)
        transcript = transcript._replace(project=transcript_files.cursor_slug(file))
    return _dated(transcript, file), _bad_lines(file, transcript)


def _dated(transcript: Transcript, path: str) -> Transcript:
    return transcript if transcript.began else transcript._replace(began=file_time(path))


def _bad_lines(file: str, transcript: Transcript) -> str:
    if not transcript.bad_lines:
        return ""
    lines = counted(len(transcript.bad_lines), "line")
    return filled(
        "{!r}: {} passed over, the first is line {}: not JSON", file, lines, transcript.bad_lines[0]
    )


def load_notes(
    paths: Sequence[str], local: Callable[[datetime], datetime], now: datetime, warnings: list[str]
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
            warnings.append(filled("{!r} was skipped: {}", path, error.message))


def _files(
    paths: Sequence[str], local: Callable[[datetime], datetime], warnings: list[str]
) -> Iterator[tuple[str, NoteFile]]:
    for folder in paths:
        if not os.path.exists(folder):
            raise NotFoundError("nothing at {!r}", folder)
        for path in sorted(_below(folder)):
            name = os.path.relpath(path, os.path.dirname(os.path.abspath(folder)))
            try:
                text = sessions.decoded(path, files.read_bytes(path)).replace("\r\n", "\n")
            except DailyMemoryError as error:
                warnings.append(filled("{}; it was skipped", error.message))
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
