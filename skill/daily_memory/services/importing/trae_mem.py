"""Import the sessions of trae-mem as live sessions and sections, each once.

Nothing is lost but secrets: every observation becomes a line, every summary the text of a section.
Both are recognized by their ids, so a later run adds only what is new.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from daily_memory.core.digests.messages import Message
from daily_memory.core.imports import trae_mem
from daily_memory.core.imports.trae_mem import Kept
from daily_memory.core.observation import Observation, format_observation
from daily_memory.core.progress import Progress, watched
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.settings import Settings
from daily_memory.core.tools.tool_output import ToolUse
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Session
from daily_memory.services.importing import conversations, sessions
from daily_memory.services.importing.conversations import Request
from daily_memory.services.importing.sessions import ImportResult
from daily_memory.services.setup import init
from daily_memory.services.writing import digest, save
from daily_memory.services.writing.deleted_sections import deletions
from daily_memory.services.writing.redaction_policy import clean_name, policy
from daily_memory.storage import archive_files, archive_moves, days, observations
from daily_memory.storage.foreign import databases, transcript_files
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.observations import Live
from daily_memory.storage.roots import Root

# Until its section is written nobody else must digest it.
_ON_ITS_WAY = "it is being imported"


def migrate(
    root: Root,
    request: Request,
    known: Iterable[Root],
    settings: Settings,
    now: datetime,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Import the sessions of trae-mem's databases: what is new, all or none."""
    settings = conversations.saving(settings)
    plan = _MigrationPlan(root, request, list(known), settings)
    with contextlib.ExitStack() as stack:
        for load in watched(_sources(request, stack), progress):
            kept = load()
            plan.add(kept._replace(conversation=clean_name(kept.conversation, plan.hide)))
    result = plan.tally.result()._replace(observations=sum(step.added for step in plan.steps))
    if dry_run or not plan.steps:
        return result
    return _done(root, plan.steps, result, settings, now, progress)


class _Step(NamedTuple):
    """What to do for one session: `added` observations as lines for its file, and its section."""

    path: str
    lines: str
    added: int
    session: Session | None
    is_known: bool
    went_on: bool
    packed: str


class _MigrationPlan:
    """What to do in a root, and what is skipped."""

    def __init__(
        self, root: Root, request: Request, known: Sequence[Root], settings: Settings
    ) -> None:
        self.steps: list[_Step] = []
        self.hide = policy(settings)
        self._root, self._request, self._settings = root, request, settings
        own = os.path.realpath(root.path)
        others = [other for other in known if os.path.realpath(other.path) != own]
        self._sections = archive_files.conversations(root)
        self._files = _live_files(root)
        self._archived = {
            os.path.basename(path): (packed, path)
            for packed, path in archive_files.list_observed(root)
        }
        self._files_elsewhere = {name for other in others for name in _live_files(other)}
        elsewhere = {name for other in others for name in archive_files.conversations(other)}
        self.tally = conversations.Tally(
            elsewhere - self._sections, conversations.deleted_in(known, request)
        )

    def add(self, kept: Kept) -> None:
        """Add what to do for a session."""
        root, request, tally = self._root, self._request, self.tally
        conversation = kept.conversation
        if request.project and not transcript_files.is_inside(kept.folder, request.project):
            tally.reasons[conversation] = conversations.OF_ANOTHER
            return
        if not kept.observations and not kept.summaries:
            tally.reasons[conversation] = conversations.SILENT
            return
        name = observations.file_name(conversation)
        packed, path = self._archived.get(name, ("", ""))
        if name in self._files:
            packed, path = "", self._files[name]
        live = Live("")
        if path:
            data = archive_files.load_observed(packed) if packed else files.read_bytes(path)
            live = observations.parse(path, data)
        is_known = conversation in self._sections
        is_elsewhere = name in self._files_elsewhere and not path and not is_known
        if is_elsewhere or _is_taken_over(kept, live):
            tally.present.add(conversation)
            return
        if not tally.wants(conversation):
            return
        if live.digested and not is_known and not request.again:
            # By hand, or on another machine: the observations may still be here.
            tally.deleted.add(conversation)
            return
        safe, hidden = _redacted(kept, self.hide)
        project = privacy.redact(conversations.project_name(kept.folder, request), self.hide).text
        named = project if root.scope == "global" else ""
        draft, reason = _section(safe, named, self._settings)
        if reason == digest.REFUSED or live.refused:
            tally.reasons[conversation] = digest.REFUSED
            return
        if draft:
            tally.add(draft, hidden)
        else:
            tally.reasons[conversation] = f"{reason}; what was observed is kept"
            tally.hidden.append(hidden)
        new = _new_ones(safe, live)
        self.steps.append(
            _Step(
                path or observations.new_path(root, conversation, _began(kept).date()),
                _lines(safe, new, live, project, reason or _ON_ITS_WAY),
                len(new),
                draft,
                is_known,
                bool(path),
                packed,
            )
        )


def _live_files(root: Root) -> dict[str, str]:
    """Return the files of all live sessions by name."""
    return {
        os.path.basename(path): path
        for day in observations.list_days(root)
        for path in observations.list_paths(root, day)
    }


def _sources(request: Request, stack: contextlib.ExitStack) -> list[Callable[[], Kept]]:
    """Return how to load each session, from the first database that has it."""
    own = transcript_files.own_place(trae_mem.HOST, request.home, request.environment)
    sources: dict[str, Callable[[], Kept]] = {}
    for path in request.paths or (own,):
        database = stack.enter_context(databases.trae_mem(path, request.local))
        written_at = request.local(transcript_files.file_time(path))
        for name in database.sessions:
            sources.setdefault(name, partial(_loaded, database, name, written_at))
    return list(sources.values())


def _loaded(database: databases.TraeMem, name: str, written_at: datetime) -> Kept:
    kept = database.load(name)
    return kept if kept.began else kept._replace(began=written_at)


def _is_taken_over(kept: Kept, live: Live) -> bool:
    is_settled = live.digested or live.skipped not in ("", _ON_ITS_WAY)
    return bool(is_settled) and not _new_ones(kept, live) and live.ended_at == _ended(kept)


def _new_ones(kept: Kept, live: Live) -> list[Observation]:
    had = {observation.event for observation in live.observations}
    return [new for new in kept.observations if new.event not in had]


def _lines(kept: Kept, new: Iterable[Observation], live: Live, project: str, state: str) -> str:
    """Return the lines to append to the file of a session."""
    head = observations.session_line(
        kept.conversation, trae_mem.HOST, project, _began(kept).isoformat(), kept.meta
    )
    ended = _ended(kept)
    return "".join(
        (
            "" if live.path else head,
            *map(format_observation, new),
            observations.format_line(ended=trae_mem.HOST, at=ended) if ended else "",
            observations.format_line(skipped=state),
        )
    )


def _began(kept: Kept) -> datetime:
    assert kept.began is not None, "every loader fills it in"
    return kept.began


def _ended(kept: Kept) -> str:
    return kept.ended.isoformat() if kept.ended else ""


def _redacted(kept: Kept, hide: Policy) -> tuple[Kept, Counts]:
    """Return a session redacted, with what was hidden, and the files that its tools touched."""
    counts: list[Counts] = []

    def safe(text: str) -> str:
        result = privacy.redact(text, hide)
        counts.append(result.counts)
        return result.text

    def safe_observation(observation: Observation) -> Observation:
        redacted = observation._replace(
            text=safe(observation.text),
            tool=safe(observation.tool),
            tags=tuple(map(safe, observation.tags)),
            event=clean_name(observation.event, hide),
        )
        use = trae_mem.find_use(redacted)
        return redacted._replace(files=use.files) if use else redacted

    # One by one: an unclosed private block ends with the text it is in.
    redacted = kept._replace(
        meta=safe(kept.meta),
        observations=tuple(map(safe_observation, kept.observations)),
        summaries=tuple((level, safe(text)) for level, text in kept.summaries),
    )
    return redacted, privacy.sum_counts(counts)


def _section(kept: Kept, project: str, settings: Settings) -> tuple[Session | None, str]:
    """Return the section of a session, or why there is none."""
    public = [row for row in kept.observations if not row.private]
    messages = [Message(row.kind, row.text) for row in public if row.kind in ("user", "assistant")]
    reason = digest.reason_to_skip(
        messages,
        settings,
        uses=[ToolUse(row.tool, row.text) for row in public if row.tool],
        is_marked=bool(kept.summaries) or any(row.kind == "decision" for row in public),
    )
    if reason:
        return None, reason
    began = _began(kept)
    draft = trae_mem.section(
        kept,
        began.date(),
        save_code=settings.recording.save_code_snippets,
        detailed=settings.recording.digest == "detailed",
    )
    if not (draft.topic or kept.summaries):
        return None, conversations.SILENT
    named = draft._replace(
        time=began.strftime("%H:%M:%S"),
        conversation=kept.conversation,
        source=trae_mem.HOST,
        project=project,
    )
    # Two parts put together may make a secret.
    session, _ = privacy.redact_session(named, policy(settings))
    return save.completed(session), ""


def _done(
    root: Root,
    steps: Sequence[_Step],
    planned: ImportResult,
    settings: Settings,
    now: datetime,
    progress: Progress | None,
) -> ImportResult:
    """Write the observations and new sections, all or none; then save again what went on."""
    with contextlib.ExitStack() as undo:
        with locked(root):
            init.ignore_derived(root)
            for step in steps:
                _append(root, step, undo)
        done = sessions.import_sessions(
            root,
            [step.session for step in steps if step.session and not step.is_known],
            settings,
            now,
            progress,
            conversations=True,
            others=[observations.name_in(root, step.path) for step in steps],
        )
        undo.pop_all()
    renewed = [
        save.save(root, session, settings, now, known=deletions(root, session.conversation))
        for session in (step.session for step in steps if step.is_known and step.went_on)
        if session
    ]
    warnings = [*done.warnings, *(told for saved in renewed for told in saved.warnings)]
    return planned._replace(
        ids=done.ids,
        renewed=tuple(saved.id for saved in renewed),
        warnings=(*warnings, *_note_sections(root, steps)),
    )


def _append(root: Root, step: _Step, undo: contextlib.ExitStack) -> None:
    if step.packed:
        # It went on: its new lines go behind the old ones, not into a file of their own.
        archive_moves.bring_back_observed(root, step.packed, step.path)
    files.make_folder(os.path.dirname(step.path), root.modes)
    before = files.find_raw(step.path)
    earlier = files.opened(step.path, before or b"")
    gap = "\n" if earlier and not earlier.endswith(b"\n") else ""
    files.append(step.path, f"{gap}{step.lines}".encode("utf-8", "replace"), root.modes)
    undo.callback(_take_back, step.path, before, files.stamp(step.path))


def _take_back(path: str, before: bytes | None, after: Stamp) -> None:
    with contextlib.suppress(DailyMemoryError):  # what stays is whole: import it again
        files.take_back(path, before, after)


def _note_sections(root: Root, steps: Iterable[_Step]) -> Iterator[str]:
    """Note in the file of each session which section has its digest; yield warnings."""
    paths = {step.session.conversation: step.path for step in steps if step.session}
    # Days come after the archive: a section that came back is in its day.
    ids = {
        section.session.conversation: str(section.session.id)
        for day in (*archive_files.each_day(root), *days.each_day(root))
        for section in day.sections
        if section.session.conversation in paths
    }
    for conversation, id_ in ids.items():
        try:
            # Durable too: without it the next start would digest it again.
            line = observations.format_line(digested=id_)
            files.append(paths[conversation], line.encode(), root.modes)
        except DailyMemoryError as error:
            yield f"imported, but not noted so: {error.message}"
