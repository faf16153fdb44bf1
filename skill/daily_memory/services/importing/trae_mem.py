"""Import the sessions of trae-mem as live sessions and sections, each once.

Nothing is lost but secrets: every observation becomes a line, every summary the text of a section.
Both are recognized by their ids, so a later run adds only what is new.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from daily_memory.core.digests.messages import Message
from daily_memory.core.format import section_text
from daily_memory.core.imports import trae_mem
from daily_memory.core.imports.trae_mem import Kept
from daily_memory.core.observation import Observation, format_observation
from daily_memory.core.progress import Progress, watched
from daily_memory.core.redaction import privacy
from daily_memory.core.redaction.privacy import Counts, Policy
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section, Session
from daily_memory.services.changing import replace
from daily_memory.services.changing.replace import Imported
from daily_memory.services.importing import conversations, sessions
from daily_memory.services.importing.conversations import Request
from daily_memory.services.importing.sessions import ImportResult
from daily_memory.services.setup import init
from daily_memory.services.writing import deleted_sections, digest, resume, save
from daily_memory.services.writing.redaction_policy import clean_name, policy
from daily_memory.storage import (
    archive_files,
    archive_moves,
    day_sections,
    days,
    deleted,
    observations,
)
from daily_memory.storage.day_sections import Written
from daily_memory.storage.foreign import databases, transcript_files
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Appended
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.observations import Live
from daily_memory.storage.roots import Root

# Until its section is written nobody else must digest it.
_ON_ITS_WAY = "it is being imported"
# By hand, or on another machine: the observations are still here.
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
) -> ImportResult:
    """Import the sessions of trae-mem's databases, all or none.

    A session that went on since it was imported is updated, unless another one of the `known` roots
    has it. All that is new is held in memory at once.
    """
    settings = conversations.saving(settings)
    known = list(known)
    gone = conversations.deleted_in(known, request)
    plan = _planned(_Aim(root, request, _Known(root, known), gone, settings), progress)
    if dry_run or not plan.steps:
        return plan.result()
    return _done(root, plan, settings, now, progress)


# ---------------------------------------------------------------------------- what there is


class _Known:
    """The sections and the live sessions that this root has, and other roots have."""

    def __init__(self, root: Root, others: Iterable[Root]) -> None:
        own = os.path.realpath(root.path)
        elsewhere = [other for other in others if os.path.realpath(other.path) != own]
        self.sections = archive_files.conversations(root)
        self.files = _live_files(root)
        self.archived = {
            os.path.basename(pair[1]): pair for pair in archive_files.list_observed(root)
        }
        self._conversations = {
            name for other in elsewhere for name in archive_files.conversations(other)
        }
        self._files = {name for other in elsewhere for name in _live_files(other)}

    def is_elsewhere(self, conversation: str) -> bool:
        """Return whether another memory has a session, and this one does not."""
        name = observations.file_name(conversation)
        if name in self.files or name in self.archived or conversation in self.sections:
            return False
        return conversation in self._conversations or name in self._files


def _live_files(root: Root) -> dict[str, str]:
    """Return the files of all live sessions by name."""
    return {
        os.path.basename(path): path
        for day in observations.list_days(root)
        for path in observations.list_paths(root, day)
    }


# ---------------------------------------------------------------------------- planning


class _Aim(NamedTuple):
    """What to import where, what is known already, and which conversations were deleted."""

    root: Root
    request: Request
    known: _Known
    gone: Container[str]
    settings: Settings


class _Step(NamedTuple):
    """What to do for one session: lines for its file, and its section, if it gets one.

    `is_known`: there is a section already; it is updated if it `went_on`. `packed` is the path of
    its file in the archive, if it is there.
    """

    path: str
    lines: str
    observations: int
    session: Session | None = None
    is_known: bool = False
    went_on: bool = False
    packed: str = ""


class _MigrationPlan:
    """What to do, and what is skipped."""

    def __init__(self) -> None:
        self.steps: list[_Step] = []
        self.present = 0
        self.deleted = 0
        self.reasons: Counter[str] = Counter()
        self.hidden: list[Counts] = []

    def result(self) -> ImportResult:
        new = [step.session for step in self.steps if step.session]
        return ImportResult(
            sessions=tuple(sorted(new, key=lambda session: (session.date, session.time))),
            present=self.present,
            skipped=tuple(sorted(self.reasons.items())),
            redactions=privacy.sum_counts(self.hidden),
            observations=sum(step.observations for step in self.steps),
            deleted=self.deleted,
        )


def _planned(aim: _Aim, progress: Progress | None) -> _MigrationPlan:
    plan = _MigrationPlan()
    with contextlib.ExitStack() as stack:
        for loads in watched(_sources(aim.request, stack), progress):
            # Of a session that is in several files, a copy may be older.
            kept = max((load() for load in loads), key=lambda copy: len(copy.observations))
            name = clean_name(kept.conversation, policy(aim.settings))
            _plan_one(plan, kept._replace(conversation=name), aim)
    return plan


def _sources(request: Request, stack: contextlib.ExitStack) -> list[list[Callable[[], Kept]]]:
    """Return how to load each session, from each database; those are open as long as the stack."""
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
    """Add what to do for a session to the plan."""
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
            observations.ended_line(trae_mem.HOST, ended) if ended else "",
            observations.skipped_line(state),
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
        words=tuple(map(safe, kept.words)),
        summaries=tuple(row._replace(text=safe(row.text)) for row in kept.summaries),
    )
    return redacted, privacy.sum_counts(counts)


def _section(kept: Kept, project: str, settings: Settings) -> tuple[Session | None, str]:
    """Return the section of a session, or why there is none."""
    public = [row for row in kept.observations if not row.private]
    messages = [Message(row.kind, row.text) for row in public if row.kind in ("user", "assistant")]
    decided = any(row.kind == "decision" for row in public)
    reason = digest.reason_to_skip(messages, settings, worked=decided or bool(kept.summaries))
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
    # Two parts put together may make a secret.
    session, _ = privacy.redact_session(named, policy(settings))
    return save.completed(session), ""


# ---------------------------------------------------------------------------- writing


def _done(
    root: Root, plan: _MigrationPlan, settings: Settings, now: datetime, progress: Progress | None
) -> ImportResult:
    """Write everything, or nothing."""
    with locked(root):
        init.ignore_derived(root)
        with contextlib.ExitStack() as undo:
            for step in plan.steps:
                _append(root, step, undo)
            present = _sections_of(root, plan.steps)
            renewed, added, done = _write_sections(root, plan.steps, present, settings, undo)
            undo.pop_all()
        others = [observations.name_in(root, step.path) for step in plan.steps]
        warnings = replace.note_import(root, done._replace(others=others), now)
        warnings += deleted_sections.lift_deletions(root, [session for session, _ in added])
        if added or renewed:
            warnings += save.record(root, [*renewed, *added], now, progress)
        ids = {name: str(section.session.id) for name, section in present.items()}
        ids.update({new.conversation: str(new.id) for new, _ in (*renewed, *added)})
        warnings += _note_sections(root, plan.steps, ids)
    return plan.result()._replace(
        ids=tuple(str(session.id) for session, _ in added),
        renewed=tuple(str(session.id) for session, _ in renewed),
        warnings=warnings,
    )


def _sections_of(root: Root, steps: Iterable[_Step]) -> dict[str, Section]:
    """Return the last section of each conversation that has one; days come after the archive."""
    known = {step.session.conversation for step in steps if step.session and step.is_known}
    if not known:
        return {}
    in_days = (section for day in days.each_day(root) for section in day.sections)
    every = (*resume.each_section(root, known), *in_days)
    return {
        section.session.conversation: section
        for section in every
        if section.session.conversation in known
    }


def _write_sections(
    root: Root,
    steps: Iterable[_Step],
    present: Mapping[str, Section],
    settings: Settings,
    undo: contextlib.ExitStack,
) -> tuple[list[Written], list[Written], Imported]:
    """Write the sections that went on and those that are new, all or none; return both.

    A section that a person edited stays, and its update becomes a new section behind it; an
    archived one comes back into its day. `undo` takes back what was rewritten.
    """
    new: list[Session] = []
    pairs: list[tuple[Section, Session]] = []
    for step in steps:
        session = step.session
        if session and not step.is_known:
            new.append(session)
        elif session and step.went_on and session.conversation in present:
            section = resume.bring_back(root, present[session.conversation])
            pairs.append((section, save.as_private(section.session, session)))
    in_place = [pair for pair in pairs if save.is_untouched(root, pair[0])]
    behind = [
        session._replace(continues=str(section.session.id))
        for section, session in pairs
        if (section, session) not in in_place
    ]
    language = settings.recording.language
    # Rewritten before others are appended: an append can be taken back only while its day is as it
    # left it.
    texts = [save.text_of(root, section) for section, _ in in_place]
    renewed: list[Written] = []
    for (section, session), text in zip(in_place, texts, strict=True):
        # Noted first: a write that fails at its end may have been done.
        undo.callback(_put_back, root, section, text)
        renewed.append(save.rewrite(root, section, session, language))
    before = [(written.session, text) for written, text in zip(renewed, texts, strict=True)]
    ordered = sorted([*behind, *new], key=lambda session: (session.date, session.time))
    plan = sessions.planned(root, ordered, policy(settings))
    appended = sessions.append(root, plan.new, language, section_text.format_signed)
    done = Imported([session for session, _ in appended], renewed=before)
    names = {session.conversation for session in behind}
    renewed += [row for row in appended if row.session.conversation in names]
    return renewed, [row for row in appended if row not in renewed], done


def _put_back(root: Root, section: Section, text: str) -> None:
    """Give a section its text again, unless somebody edited it."""
    with contextlib.suppress(DailyMemoryError):  # what stays is whole: import it again
        for present in days.load_day(root, section.session.date).sections:
            is_ours = present.session.id == section.session.id and save.is_untouched(root, present)
            if is_ours and save.text_of(root, present) != text:
                day_sections.rewrite_section(root, present, lambda *_: text.replace("\r\n", "\n"))


def _append(root: Root, step: _Step, undo: contextlib.ExitStack) -> None:
    if step.packed:
        # It went on: its new lines go behind the old ones, not into a file of their own.
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


def _note_sections(root: Root, steps: Iterable[_Step], ids: dict[str, str]) -> tuple[str, ...]:
    """Note in the file of each session which section has its digest."""
    warnings = []
    for step in steps:
        if step.session and step.session.conversation in ids:
            line = observations.digested_line(ids[step.session.conversation])
            try:
                # Durable too: without it the next start would digest it again.
                files.append(step.path, line.encode(), root.modes)
            except DailyMemoryError as error:
                warnings.append(f"imported, but not noted so: {error.message}")
    return tuple(warnings)
