"""Import the sessions of trae-mem as live sessions and sections, each once.

Every observation becomes a line, every summary the text of a section; only secrets are left out.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from daily_memory.core.imports import trae_mem
from daily_memory.core.imports.trae_mem import TraeMemSession
from daily_memory.core.observation import Observation, format_observation
from daily_memory.core.progress import with_progress
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Session
from daily_memory.services.importing import conversations, sessions
from daily_memory.services.importing.conversations import Request
from daily_memory.services.importing.sessions import ImportResult
from daily_memory.services.setup.redaction_policy import clean_name, policy
from daily_memory.services.writing import digest, save
from daily_memory.storage import archive_files, days, observations
from daily_memory.storage.foreign import databases, transcript_files
from daily_memory.storage.fs import files
from daily_memory.storage.fs.transaction import FileChange
from daily_memory.storage.observations import LiveSession
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# Keeps other processes from digesting it before its section is written.
_IN_PROGRESS = "it is being imported"


def import_trae_mem(
    root: Root,
    request: Request,
    known: Iterable[Root],
    settings: Settings,
    now: datetime,
    *,
    dry_run: bool = False,
) -> ImportResult:
    """Import the new sessions of trae-mem's databases, all or none."""
    settings = conversations.with_auto_save(settings)
    plan = _MigrationPlan(root, request, list(known), settings)
    with contextlib.ExitStack() as stack:
        for load in with_progress(_sources(request, stack)):
            kept = load()
            plan.add(kept._replace(conversation=clean_name(kept.conversation, plan.hide)))
    result = plan.tally.result()._replace(
        observations=sum(step.observations for step in plan.steps)
    )
    if dry_run or not plan.steps:
        return result
    return _write(root, plan.steps, result, settings, now)


class _Step(NamedTuple):
    """What to write for one session: its file of observations, and its section."""

    path: str
    lines: str
    observations: int
    session: Session | None


class _MigrationPlan:
    """What to write to a root, and what to skip."""

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
        packed = (path for _, path in archive_files.list_observed(root))
        self._kept_away = {
            *map(os.path.basename, packed),
            *(name for other in others for name in _live_files(other)),
        }
        elsewhere = {name for other in others for name in archive_files.conversations(other)}
        self.tally = conversations.Tally(
            elsewhere | self._sections, conversations.deleted_in(known, request)
        )

    def add(self, kept: TraeMemSession) -> None:
        root, request, tally = self._root, self._request, self.tally
        conversation = kept.conversation
        if request.project and not transcript_files.is_inside(kept.folder, request.project):
            tally.reasons[conversation] = conversations.OTHER_PROJECT
            return
        if not kept.observations and not kept.summaries:
            tally.reasons[conversation] = conversations.EMPTY
            return
        name = observations.file_name(conversation)
        path = self._files.get(name, "")
        live = observations.load(path) if path else LiveSession("")
        # An interrupted import left its file, and perhaps the section.
        is_left = live.skipped == _IN_PROGRESS and not live.digested
        if not is_left and not tally.wants(conversation):
            return
        is_again = request.again and live.host == trae_mem.HOST
        if not is_left and not is_again and (path or name in self._kept_away):
            tally.present.add(conversation)
            return
        safe, hidden = _redacted(kept, self.hide)
        project = privacy.redact(conversations.project_name(kept.folder, request), self.hide).text
        named = project if root.scope == "global" else ""
        draft, reason = _section(safe, named, self._settings)
        if reason == digest.REFUSED:
            tally.reasons[conversation] = digest.REFUSED
            return
        if draft:
            tally.add(draft, hidden)
        else:
            tally.reasons[conversation] = f"{reason}; what was observed is kept"
            tally.hidden.append(hidden)
        self.steps.append(
            _Step(
                path or observations.new_path(root, conversation, _began(kept).date()),
                _lines(safe, project, reason or _IN_PROGRESS),
                len(safe.observations),
                draft,
            )
        )


def _live_files(root: Root) -> dict[str, str]:
    return {
        os.path.basename(path): path
        for day in observations.list_days(root)
        for path in observations.list_paths(root, day)
    }


def _sources(request: Request, stack: contextlib.ExitStack) -> list[Callable[[], TraeMemSession]]:
    """Return how to load each session, from the first database that has it."""
    own = transcript_files.own_place(trae_mem.HOST, request.home, request.environment)
    sources: dict[str, Callable[[], TraeMemSession]] = {}
    for path in request.paths or (own,):
        database = stack.enter_context(databases.trae_mem(path, request.local))
        written_at = request.local(transcript_files.file_time(path))
        for name in database.sessions:
            sources.setdefault(name, partial(_loaded, database, name, written_at))
    return list(sources.values())


def _loaded(database: databases.TraeMem, name: str, written_at: datetime) -> TraeMemSession:
    kept = database.load(name)
    return kept if kept.began else kept._replace(began=written_at)


def _lines(kept: TraeMemSession, project: str, state: str) -> str:
    ended = kept.ended.isoformat() if kept.ended else ""
    return "".join(
        (
            observations.session_line(
                kept.conversation, trae_mem.HOST, project, _began(kept).isoformat(), kept.meta
            ),
            *map(format_observation, kept.observations),
            observations.format_line(ended=trae_mem.HOST, at=ended) if ended else "",
            observations.format_line(skipped=state),
        )
    )


def _began(kept: TraeMemSession) -> datetime:
    assert kept.began is not None, "every loader fills it in"
    return kept.began


def _redacted(kept: TraeMemSession, hide: Policy) -> tuple[TraeMemSession, Counts]:
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

    # One by one, so that an unclosed private block ends with its text.
    redacted = kept._replace(
        meta=safe(kept.meta),
        observations=tuple(map(safe_observation, kept.observations)),
        summaries=tuple((level, safe(text)) for level, text in kept.summaries),
    )
    return redacted, privacy.sum_counts(counts)


def _section(kept: TraeMemSession, project: str, settings: Settings) -> tuple[Session | None, str]:
    public = [row for row in kept.observations if not row.private]
    reason = digest.reason_to_skip(
        digest.messages_of(public),
        settings,
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
        return None, conversations.EMPTY
    named = draft._replace(
        time=began.strftime("%H:%M:%S"),
        conversation=kept.conversation,
        source=trae_mem.HOST,
        project=project,
    )
    # Two parts together may be a secret.
    session, _ = privacy.redact_session(named, policy(settings))
    return save.completed(session), ""


def _write(
    root: Root, steps: Sequence[_Step], planned: ImportResult, settings: Settings, now: datetime
) -> ImportResult:
    """Write the observations and the sections, all or none."""
    done = sessions.import_sessions(
        root,
        [step.session for step in steps if step.session],
        settings,
        now,
        conversations=True,
        beside=[_file(root, step) for step in steps],
    )
    warnings = (*done.warnings, *_note_sections(root, steps))
    return planned._replace(ids=done.ids, warnings=warnings)


def _file(root: Root, step: _Step) -> FileChange:
    stamp, before = files.stamp(step.path), files.find_bytes(step.path)
    return FileChange(root.name_of(step.path), step.path, before, files.to_bytes(step.lines), stamp)


def _note_sections(root: Root, steps: Iterable[_Step]) -> Iterator[str]:
    """Note in the file of each session which section has its digest; yield warnings."""
    paths = {step.session.conversation: step.path for step in steps if step.session}
    # Days after the archive: a section that came back is in its day.
    ids = {
        section.session.conversation: str(section.session.id)
        for day in (*archive_files.each_day(root), *days.each_day(root))
        for section in day.sections
        if section.session.conversation in paths
    }
    for conversation, id_ in ids.items():
        try:
            # Durable, or the next start would digest it again.
            line = observations.format_line(digested=id_)
            files.append(paths[conversation], line.encode(), root.modes)
        except DailyMemoryError as error:
            yield filled("imported, but not noted so: {}", error.message)
