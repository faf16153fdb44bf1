"""Backfill: conversations that other programs kept become sessions, each once.

Each goes the way of a conversation that is saved: it is redacted, judged by what the user said
and by the settings, and digested. One is held in memory at a time, and of each its digest.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from daily_memory.core.imports import notes, trae_mem, transcripts
from daily_memory.core.imports.transcripts import CLAUDE, CLAUDE_MEM, CURSOR, Transcript
from daily_memory.core.progress import Progress
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, InvalidInputError, NotFoundError
from daily_memory.model import Session, counted
from daily_memory.services.importing import sessions as transfer
from daily_memory.services.writing import digest, save
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage import archive_files, deleted, discovery, roots
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.foreign import databases, transcript_files
from daily_memory.storage.foreign.databases import Database
from daily_memory.storage.foreign.transcript_files import file_time
from daily_memory.storage.roots import Root

HOSTS = (CLAUDE, CURSOR, trae_mem.HOST, CLAUDE_MEM, notes.HOST)

OF_ANOTHER = "of another project, or of none that is known"
SILENT = "nothing that could be kept was said"
# What another program worded may be long.
_TOPIC_CHARS = 80
_SUMMARY_CHARS = 900
_ITEM_CHARS = 300


class Request(NamedTuple):
    """What to import: `paths` are files or folders; without them, the host's own places.

    `project` is the folder whose conversations are wanted, "" for those of all projects.
    `local` turns a moment into the user's local time. `again`: what was deleted here, too.
    """

    host: str
    paths: tuple[str, ...]
    project: str
    home: str
    environment: Mapping[str, str]
    local: Callable[[datetime], datetime]
    again: bool = False


class BackfillResult(NamedTuple):
    """What an import did, or would do: the new sessions, and why others were passed over.

    `ids` are those of the sessions that were written. `present` counts the conversations that
    were known already. `renewed` are the ids of sessions whose conversation went on since it was
    imported, and `observations` counts what was kept of live sessions; trae-mem alone has those.
    `deleted` counts the conversations that were left out since their sections were deleted here.
    """

    sessions: tuple[Session, ...] = ()
    ids: tuple[str, ...] = ()
    present: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    redactions: Counts = ()
    warnings: tuple[str, ...] = ()
    renewed: tuple[str, ...] = ()
    observations: int = 0
    deleted: int = 0


def deleted_in(roots: Iterable[Root], request: Request) -> dict[str, list[Deleted]]:
    """Return what was deleted in some roots, by `deleted.key`; nothing if it is wanted again."""
    found: dict[str, list[Deleted]] = {}
    for one in () if request.again else (one for root in roots for one in deleted.load(root)):
        if one.conversation:
            found.setdefault(one.conversation, []).append(one)
    return found


def backfill(
    root: Root,
    request: Request,
    known: Iterable[Root],
    settings: Settings,
    now: datetime,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> BackfillResult:
    """Import conversations into a root, all or none; what one of the `known` roots has is there.

    What was deleted in one of them is left out.

    Raises:
        InvalidInputError: the host is none of HOSTS, or a database is damaged or not the host's.
        NotFoundError: a path, or the host's own place, does not exist.
        ConflictError: another process held the lock for too long; nothing was imported.
        BackendError: the system refused to read or write; nothing was imported.
    """
    if request.host not in HOSTS:
        raise InvalidInputError(f"host {request.host!r} is not one of {', '.join(HOSTS)}")
    known = list(known)
    ids = {name for one in known for name in archive_files.conversations(one)}
    tally = _Tally(ids, deleted_in(known, request))
    found = _collected(root, request, tally, settings, progress)
    if dry_run or not found.sessions:
        return found
    done = transfer.import_sessions(
        root, found.sessions, settings, now, progress, conversations=True
    )
    return found._replace(
        ids=done.ids,
        present=found.present + done.present,
        warnings=(*found.warnings, *done.warnings),
    )


# ---------------------------------------------------------------------------- judging


class _ConversationSource(NamedTuple):
    """One conversation to be read, and its id.

    `load` returns it, None where it is not wanted, and a warning where something is wrong with it.
    """

    conversation: str
    load: Callable[[], tuple[Transcript | None, str]]


class _Tally:
    """What has been found so far."""

    def __init__(self, known: Container[str], gone: Container[str]) -> None:
        self._known = known
        self._gone = gone
        self.present: set[str] = set()
        self.deleted: set[str] = set()
        self.sessions: dict[str, Session] = {}
        self.reasons: dict[str, str] = {}
        self.hidden: list[Counts] = []
        self.warnings: list[str] = []

    def wants(self, conversation: str) -> bool:
        """Tell whether there is more to find out about a conversation; count it if it is known,
        or was deleted.

        One that is too short here may be whole in the other place that its host has.
        """
        if conversation in self._known:
            self.present.add(conversation)
            return False
        if deleted.key(conversation) in self._gone:
            self.deleted.add(conversation)
            return False
        is_refused = self.reasons.get(conversation) == digest.REFUSED
        return not is_refused and conversation not in self.sessions

    def result(self) -> BackfillResult:
        reasons = Counter(
            reason for name, reason in self.reasons.items() if name not in self.sessions
        )
        return BackfillResult(
            tuple(sorted(self.sessions.values(), key=lambda session: (session.date, session.time))),
            present=len(self.present),
            skipped=tuple(sorted(reasons.items())),
            redactions=privacy.sum_counts(self.hidden),
            warnings=tuple(self.warnings),
            deleted=len(self.deleted),
        )


def _collected(
    root: Root, request: Request, tally: _Tally, settings: Settings, progress: Progress | None
) -> BackfillResult:
    """Read all conversations, and return the digests of the new ones, oldest first."""
    with contextlib.ExitStack() as stack:
        sources = list(_sources(request, stack))
        for done, source in enumerate(sources, 1):
            if tally.wants(source.conversation):
                _judge(tally, source, root, request, settings)
            if progress:
                progress(done, len(sources))
    return tally.result()


def _judge(
    tally: _Tally, source: _ConversationSource, root: Root, request: Request, settings: Settings
) -> None:
    transcript, warning = source.load()
    tally.warnings += [warning] if warning else []
    if transcript is None:
        if not warning:
            tally.reasons[source.conversation] = OF_ANOTHER
    elif tally.wants(transcript.conversation):
        project = ""
        if root.scope == "global":
            project = project_name(transcript.folder, request) or transcript.project
        session, hidden, reason = _session(transcript, project, request, settings)
        if session is None:
            tally.reasons[transcript.conversation] = reason
        else:
            tally.sessions[transcript.conversation] = session
            tally.hidden.append(hidden)


def _session(
    transcript: Transcript, project: str, request: Request, settings: Settings
) -> tuple[Session | None, Counts, str]:
    """Return the digest of a conversation and what was hidden in it, or why it is passed over."""
    # Who asks for an import wants it, also where hooks are not to save by themselves.
    settings = settings._replace(recording=settings.recording._replace(auto_save=True))
    hide = policy(settings)
    messages, hidden = digest.redacted_messages(transcript.messages, hide)
    reason = digest.reason_to_skip(messages, settings)
    if reason:
        return None, (), reason
    rest = {
        **dict(transcript.given),
        "conversation": transcript.conversation,
        "source": transcript.host,
        "project": project,
    }
    assert transcript.began is not None, "each source fills in what the transcript does not tell"
    began = request.local(transcript.began)
    # No language model: there may be thousands of conversations, and each call costs.
    draft = digest.digested(messages, rest, settings, began, improve=None).session
    # What its own program found worth noting comes first.
    draft = draft._replace(
        key_points=tuple(dict.fromkeys((*transcript.points, *draft.key_points))),
        decisions=tuple(dict.fromkeys((*transcript.decisions, *draft.decisions))),
    )
    session, more = privacy.redact_session(draft, hide)
    if not any((session.topic, session.summary, session.key_points, session.decisions)):
        return None, (), SILENT
    # The digest was redacted with the messages; what came beside them is cut once it is safe.
    return save.completed(_bounded(session)), privacy.sum_counts((hidden, more)), ""


def _bounded(session: Session) -> Session:
    return session._replace(
        topic=_short(" ".join(session.topic.split()), _TOPIC_CHARS),
        summary=_short(session.summary, _SUMMARY_CHARS),
        key_points=_short_items(session.key_points),
        decisions=_short_items(session.decisions),
        next_steps=_short_items(session.next_steps),
    )


def _short_items(items: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_short(item, _ITEM_CHARS) for item in items)


def _short(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[: max_chars - 1].rstrip()}…"


def project_name(held_in: str, request: Request) -> str:
    """Return the name of the project that a conversation was held in, as well as it is known."""
    folder = request.project
    if not folder and held_in:
        # It may have begun in a folder of the project, which may be gone by now.
        folder = discovery.around(held_in, request.environment, request.home).folder or held_in
    return roots.project_root(folder).project if folder else ""


# ---------------------------------------------------------------------------- finding


def _sources(request: Request, stack: contextlib.ExitStack) -> Iterator[_ConversationSource]:
    """Yield every conversation that there is; databases stay open as long as the stack."""
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
    home, environment = request.home, request.environment
    if request.host == CLAUDE:
        return (transcript_files.claude_folder(home, environment),)
    if request.host == CLAUDE_MEM:
        return (transcript_files.claude_mem_database(home, environment),)
    editor = transcript_files.cursor_database(home, environment)
    folder = transcript_files.cursor_folder(home, environment)
    # The editor's database comes first: it knows times and folders.
    return tuple(path for path in (editor, folder) if os.path.exists(path)) or (folder,)


def _of_database(database: Database, path: str, request: Request) -> Iterator[_ConversationSource]:
    for name in database.conversations:

        def load(name: str = name) -> tuple[Transcript | None, str]:
            transcript = _dated(database.load(name), path)
            return (transcript if _is_wanted(transcript, request.project) else None), ""

        yield _ConversationSource(name, load)


def _is_wanted(transcript: Transcript, project: str) -> bool:
    if not project or transcript.folder:
        return not project or transcript_files.is_inside(transcript.folder, project)
    # claude-mem knows the name of a project only.
    return transcript.project == os.path.basename(project)


def _of_files(path: str, request: Request) -> Iterator[_ConversationSource]:
    """Yield the transcripts of a folder that are wanted. One that is named itself is."""
    if os.path.isdir(path):
        is_claude = request.host == CLAUDE
        list_files = transcript_files.claude_files if is_claude else transcript_files.cursor_files
        found = list_files(path)
        # Cursor's transcripts don't tell the project, but who names the folder of one knows it.
        is_named = not is_claude and transcript_files.is_of_one_project(path)
    elif os.path.isfile(path):
        found, is_named = [path], True
    else:
        raise NotFoundError(
            f"no conversations of {request.host}: there is no file or folder {path!r}",
            hint="name the place, if it is elsewhere",
        )
    for file in found:

        def load(file: str = file) -> tuple[Transcript | None, str]:
            try:
                if request.project and not is_named and not _is_of_project(file, request):
                    return None, ""
                return _parsed(file, request.host)
            except DailyMemoryError as error:
                return None, f"{error.message}; it was passed over"

        yield _ConversationSource(transcript_files.name_of(file), load)


def _is_of_project(file: str, request: Request) -> bool:
    if request.host == CLAUDE:
        folder = transcripts.claude_folder(transcript_files.lines(file))
        return transcript_files.is_inside(folder, request.project)
    slug, project = transcript_files.cursor_slug(file), request.project
    if transcripts.slug_of(slug) == transcripts.slug_of(project):
        return True
    # Of a name in Chinese nothing may be left; then the tools that were used tell.
    is_like = transcripts.slug_of(slug) == transcripts.slug_of(project, ascii_only=True)
    return is_like and transcript_files.mentions(file, project)


def _parsed(file: str, host: str) -> tuple[Transcript, str]:
    name = transcript_files.name_of(file)
    lines = transcript_files.lines(file)
    if host == CLAUDE:
        transcript = transcripts.parse_claude(lines, name)
    elif file.endswith(".txt"):
        transcript = transcripts.parse_cursor_text(lines, name)
    else:
        transcript = transcripts.parse_cursor(lines, name)
    if host == CURSOR:
        transcript = transcript._replace(project=transcript_files.cursor_slug(file))
    return _dated(transcript, file), _bad_lines(file, transcript)


def _dated(transcript: Transcript, path: str) -> Transcript:
    return transcript if transcript.began else transcript._replace(began=file_time(path))


def _bad_lines(file: str, transcript: Transcript) -> str:
    if not transcript.bad_lines:
        return ""
    lines = counted(transcript.bad_lines, "line")
    return f"{file!r}: {lines} passed over, the first is line {transcript.first_bad_line}: not JSON"
