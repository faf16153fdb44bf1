"""Migrating: what trae-mem kept becomes live sessions and sections of ours, each once.

Nothing is lost on the way but secrets: every observation becomes a line, every summary the text of
a section. What has been taken over is known by its id, so that a later run adds what is new.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable
from datetime import datetime
from typing import NamedTuple

from daily_memory.core.digests.messages import Message
from daily_memory.core.imports import trae_mem
from daily_memory.core.imports.trae_mem import Kept
from daily_memory.core.observation import Observation, format_observation
from daily_memory.core.progress import Progress
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section, Session
from daily_memory.services.changing import replace
from daily_memory.services.importing import conversations, update
from daily_memory.services.importing.conversations import BackfillResult, Request
from daily_memory.services.setup import init
from daily_memory.services.writing import deleted_sections, digest, save
from daily_memory.services.writing.redaction_policy import clean_name, policy
from daily_memory.storage import archive_files, archive_moves, deleted, observations
from daily_memory.storage.foreign import databases, transcript_files
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Appended
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.observations import Live
from daily_memory.storage.roots import Root

# Until its section stands nobody else must digest it.
_ON_ITS_WAY = "it is being imported"
# By hand, or on another machine: what was observed is here still.
_GONE = "its section was deleted"


def migrate(
    root: Root,
    request: Request,
    known: Iterable[Root],
    settings: Settings,
    now: datetime,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> BackfillResult:
    """Take over the sessions of trae-mem's databases, all or none; what is there is left alone.

    A session that went on since it was imported is brought up to date, unless another one of the
    `known` roots has it. All that is new is held in memory, once.

    Raises:
        InvalidInputError: a database is damaged, or not one of trae-mem.
        NotFoundError: there is no such file.
        ConflictError: another process held the lock for too long; nothing was imported.
        BackendError: the system refused to read or write; nothing was imported.
    """
    # Who asks for an import wants it, also where hooks are not to save by themselves.
    settings = settings._replace(recording=settings.recording._replace(auto_save=True))
    known = list(known)
    gone = conversations.deleted_in(known, request)
    plan = _planned(_Aim(root, request, _Known(root, known), gone, settings), progress)
    if dry_run or not plan.steps:
        return plan.result()
    return _done(root, plan, settings, now, progress)


# ---------------------------------------------------------------------------- what there is


class _Known:
    """What our memories know: the sections and the live sessions of this root, and of others."""

    def __init__(self, root: Root, others: Iterable[Root]) -> None:
        own = os.path.realpath(root.path)
        elsewhere = [one for one in others if os.path.realpath(one.path) != own]
        self.sections = archive_files.conversations(root)
        self.files = _live_files(root)
        self.archived = {os.path.basename(one[1]): one for one in archive_files.list_observed(root)}
        self._conversations = {
            name for one in elsewhere for name in archive_files.conversations(one)
        }
        self._files = {name for one in elsewhere for name in _live_files(one)}

    def is_elsewhere(self, conversation: str) -> bool:
        """Tell whether another memory has a session, and this one has not."""
        name = observations.file_name(conversation)
        if name in self.files or name in self.archived or conversation in self.sections:
            return False
        return conversation in self._conversations or name in self._files


def _live_files(root: Root) -> dict[str, str]:
    """Return the files of all live sessions by their names, however long ago they began."""
    return {
        os.path.basename(path): path
        for day in observations.list_days(root)
        for path in observations.list_paths(root, day)
    }


# ---------------------------------------------------------------------------- planning


class _Aim(NamedTuple):
    """Where everything is to go, what is wanted, what is there already, and what was deleted."""

    root: Root
    request: Request
    known: _Known
    gone: Container[str]
    settings: Settings


class _Step(NamedTuple):
    """What is to be done for one session: lines for its file, and what its section shall say.

    `session` is None where there is to be none. `is_known`: there is a section already; it is
    brought up to date if `went_on`. `packed` is where its file lies in the archive, "" where it
    does not.
    """

    path: str
    lines: str
    observations: int
    session: Session | None = None
    is_known: bool = False
    went_on: bool = False
    packed: str = ""


class _MigrationPlan:
    """What is to be done, and what was passed over."""

    def __init__(self) -> None:
        self.steps: list[_Step] = []
        self.present = 0
        self.deleted = 0
        self.reasons: Counter[str] = Counter()
        self.hidden: list[Counts] = []

    def result(self) -> BackfillResult:
        sessions = [step.session for step in self.steps if step.session]
        return BackfillResult(
            tuple(sorted(sessions, key=lambda session: (session.date, session.time))),
            present=self.present,
            skipped=tuple(sorted(self.reasons.items())),
            redactions=privacy.sum_counts(self.hidden),
            observations=sum(step.observations for step in self.steps),
            deleted=self.deleted,
        )


def _planned(aim: _Aim, progress: Progress | None) -> _MigrationPlan:
    plan = _MigrationPlan()
    with contextlib.ExitStack() as stack:
        sources = _sources(aim.request, stack)
        for done, loads in enumerate(sources, 1):
            # Of a session that is in several files, a copy may be older.
            kept = max((load() for load in loads), key=lambda one: len(one.observations))
            name = clean_name(kept.conversation, policy(aim.settings))
            kept = kept._replace(conversation=name)
            _plan_one(plan, kept, aim)
            if progress:
                progress(done, len(sources))
    return plan


def _sources(request: Request, stack: contextlib.ExitStack) -> list[list[Callable[[], Kept]]]:
    """Return how to load each session that there is; databases stay open as long as the stack."""
    own = transcript_files.trae_mem_database(request.home, request.environment)
    sources: dict[str, list[Callable[[], Kept]]] = {}
    for path in request.paths or (own,):
        database = stack.enter_context(databases.trae_mem(path, request.local))
        written_at = request.local(transcript_files.file_time(path))
        for name in database.sessions:

            def load(
                name: str = name,
                database: databases.TraeMem = database,
                written_at: datetime = written_at,
            ) -> Kept:
                kept = database.load(name)
                return kept if kept.began else kept._replace(began=written_at)

            sources.setdefault(name, []).append(load)
    return list(sources.values())


def _plan_one(plan: _MigrationPlan, kept: Kept, aim: _Aim) -> None:
    """Find out what is to be done for a session, if anything."""
    root, request, known, gone, settings = aim
    reason = _reason_to_pass_over(kept, request)
    if reason:
        plan.reasons[reason] += 1
        return
    name = observations.file_name(kept.conversation)
    path = known.files.get(name, "")
    packed = ""
    if path:
        live = observations.load(path)
    elif name in known.archived:
        packed, path = known.archived[name]
        live = observations.parse(path, archive_files.load_observed(packed))
    else:
        live = Live("")
    if known.is_elsewhere(kept.conversation) or _is_taken_over(kept, live):
        plan.present += 1
        return
    is_known = kept.conversation in known.sections
    is_erased = live.digested and not is_known and not live.observations
    if deleted.key(kept.conversation) in gone or (is_erased and not request.again):
        plan.deleted += 1
        return
    safe, hidden = _redacted(kept, policy(settings))
    project = privacy.redact(
        conversations.project_name(kept.folder, request), policy(settings)
    ).text
    draft, reason = _section(safe, project if root.scope == "global" else "", settings)
    if reason == digest.REFUSED or live.refused:
        plan.reasons[digest.REFUSED] += 1
        return
    if live.digested and not is_known and not request.again:
        draft, reason = None, _GONE
    if reason:
        plan.reasons[f"{reason}; what was observed is kept"] += 1
    new = _new_ones(safe, live)
    lines = _lines(safe, new, live, project, reason or _ON_ITS_WAY)
    plan.hidden.append(hidden)
    plan.steps.append(
        _Step(
            path or observations.new_path(root, kept.conversation, _began(kept).date()),
            lines,
            len(new),
            draft,
            is_known,
            went_on=bool(path),
            packed=packed,
        )
    )


def _reason_to_pass_over(kept: Kept, request: Request) -> str:
    if request.project and not transcript_files.is_inside(kept.folder, request.project):
        return conversations.OF_ANOTHER
    return "" if kept.observations or kept.summaries else conversations.SILENT


def _is_taken_over(kept: Kept, live: Live) -> bool:
    is_settled = live.digested or live.skipped not in ("", _ON_ITS_WAY)
    return bool(is_settled) and not _new_ones(kept, live) and live.ended_at == _ended(kept)


def _new_ones(kept: Kept, live: Live) -> list[Observation]:
    had = {observation.event for observation in live.observations}
    return [observation for observation in kept.observations if observation.event not in had]


def _lines(kept: Kept, new: Iterable[Observation], live: Live, project: str, state: str) -> str:
    """Return what is to be added to the file of a session."""
    head = observations.session_line(
        kept.conversation, trae_mem.HOST, project, _began(kept).isoformat(), kept.meta
    )
    ended = _ended(kept)
    return "".join(
        (
            "" if live.path else head,
            *(format_observation(observation) for observation in new),
            observations.ended_line(trae_mem.HOST, ended) if ended else "",
            observations.skipped_line(state),
        )
    )


def _began(kept: Kept) -> datetime:
    assert kept.began is not None, "whoever loads a session fills in what it does not tell"
    return kept.began


def _ended(kept: Kept) -> str:
    return kept.ended.isoformat() if kept.ended else ""


def _redacted(kept: Kept, hide: Policy) -> tuple[Kept, Counts]:
    """Return a session with secrets hidden, and how many of each kind there were."""
    counts: list[Counts] = []

    def safe(text: str) -> str:
        found = privacy.redact(text, hide)
        counts.append(found.counts)
        return found.text

    redacted = kept._replace(
        meta=safe(kept.meta),
        # One by one: a private block that nobody closed ends with what it stands in.
        observations=tuple(
            observation._replace(
                text=safe(observation.text),
                tool=safe(observation.tool),
                tags=tuple(map(safe, observation.tags)),
                event=clean_name(observation.event, hide),
            )
            for observation in kept.observations
        ),
        words=tuple(map(safe, kept.words)),
        summaries=tuple(summary._replace(text=safe(summary.text)) for summary in kept.summaries),
    )
    return _with_files(redacted), privacy.sum_counts(counts)


def _with_files(kept: Kept) -> Kept:
    """Return a session whose tools name the files that they touched."""
    used = ((observation, trae_mem.find_use(observation)) for observation in kept.observations)
    return kept._replace(
        observations=tuple(one._replace(files=use.files) if use else one for one, use in used)
    )


def _section(kept: Kept, project: str, settings: Settings) -> tuple[Session | None, str]:
    """Return the section of a session, or why there is none."""
    public = [observation for observation in kept.observations if not observation.private]
    said = [
        Message(observation.kind, observation.text)
        for observation in public
        if observation.kind in ("user", "assistant")
    ]
    decided = any(observation.kind == "decision" for observation in public)
    reason = digest.reason_to_skip(said, settings, worked=decided or bool(kept.summaries))
    if reason:
        return None, reason
    began = _began(kept)
    draft = trae_mem.section(
        kept,
        began.date(),
        save_code=settings.recording.save_code_snippets,
        detailed=settings.recording.digest == "detailed",
    )
    if not draft.topic:
        return None, conversations.SILENT
    named = draft._replace(
        time=began.strftime("%H:%M:%S"),
        conversation=kept.conversation,
        source=trae_mem.HOST,
        project=project,
    )
    # What was put together may make a secret of two halves.
    session, _ = privacy.redact_session(named, policy(settings))
    return save.completed(session), ""


# ---------------------------------------------------------------------------- writing


def _done(
    root: Root, plan: _MigrationPlan, settings: Settings, now: datetime, progress: Progress | None
) -> BackfillResult:
    """Write everything, or nothing."""
    new = [step.session for step in plan.steps if step.session and not step.is_known]
    new.sort(key=lambda one: (one.date, one.time))
    with locked(root):
        init.ignore_derived(root)
        with contextlib.ExitStack() as undo:
            for step in plan.steps:
                _append(root, step, undo)
            standing, changed = _standing(root, plan.steps)
            renewed, written, done = update.write_all(root, changed, new, settings, undo)
            undo.pop_all()
        others = [observations.name_in(root, step.path) for step in plan.steps]
        warnings = replace.note_import(root, done._replace(others=others), now)
        warnings += deleted_sections.lift_deletions(root, [session for session, _ in written])
        if written or renewed:
            warnings += save.record(root, [*renewed, *written], now, progress)
        ids = {one.conversation: str(one.id) for one, _ in (*renewed, *written)}
        warnings += _note_sections(root, plan.steps, {**standing, **ids})
    return plan.result()._replace(
        ids=tuple(str(session.id) for session, _ in written),
        renewed=tuple(str(session.id) for session, _ in renewed),
        warnings=warnings,
    )


def _append(root: Root, step: _Step, undo: contextlib.ExitStack) -> None:
    if step.packed:
        # It went on: what is new of it stands behind what is there, and not in a file of its own.
        archive_moves.bring_back_observed(root, step.packed, step.path)
    files.make_folder(os.path.dirname(step.path), root.modes)
    before = files.stamp(step.path)
    earlier = files.find_bytes(step.path) or b""
    gap = "\n" if earlier and not earlier.endswith(b"\n") else ""
    files.append(step.path, f"{gap}{step.lines}".encode("utf-8", "replace"), root.modes)
    undo.callback(_take_back, Appended(step.path, before, files.stamp(step.path)))


def _take_back(appended: Appended) -> None:
    with contextlib.suppress(DailyMemoryError):  # what stays is whole: import it again
        files.take_back(appended)


def _standing(
    root: Root, steps: Iterable[_Step]
) -> tuple[dict[str, str], list[tuple[Section, Session]]]:
    """Return which section stands for a conversation, and which of them went on, as what."""
    known = {step.session.conversation: step for step in steps if step.session and step.is_known}
    standing: dict[str, str] = {}
    changed: list[tuple[Section, Session]] = []
    for conversation, sections in update.sections_of(root, known).items():
        step = known[conversation]
        standing[conversation] = str(sections[-1].session.id)
        if step.went_on and step.session:
            changed.append((sections[-1], step.session))
    return standing, changed


def _note_sections(root: Root, steps: Iterable[_Step], ids: dict[str, str]) -> tuple[str, ...]:
    """Note in the file of each session which section holds it."""
    warnings = []
    for step in steps:
        if step.session and step.session.conversation in ids:
            line = observations.digested_line(ids[step.session.conversation])
            try:
                # Durable too: without it the next start would digest what has a summary.
                files.append(step.path, line.encode(), root.modes)
            except DailyMemoryError as error:
                warnings.append(f"imported, but not noted so: {error.message}")
    return tuple(warnings)
