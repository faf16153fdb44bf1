"""`Memory.doctor`: find problems in each memory, the settings and the hosts, and fix them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from daily_memory.backends.embedders.table import PROVIDERS
from daily_memory.core.format import markdown, section_text, session_json
from daily_memory.core.search import fusion
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError, DamagedDataError, InvalidInputError
from daily_memory.model import Problem, Session, day_after
from daily_memory.services.changing import conflicts, purge
from daily_memory.services.setup import encryption, git, host_checks, install
from daily_memory.services.upkeep import doctor_origins
from daily_memory.services.writing import deleted_sections, save
from daily_memory.storage import (
    archive_files,
    archive_moves,
    day_sections,
    days,
    dictionary,
    discovery,
    hook_log,
    journal,
    mirror_db,
    observations,
    pending_saves,
    project_list,
    settings_file,
    signatures,
    undo_files,
)
from daily_memory.storage.day_sections import Written
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import embeddings, indexer, lookup, refresh
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root, project_root
from daily_memory.text import counted, filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.workspace import Workspace

# How far back errors of hooks are reported.
_MISSED_DAYS = 7


class Report(NamedTuple):
    """What `doctor` found: `faults` to fix, `remarks` to know, and what was `mended`.

    `has_dictionary`: the large Chinese dictionary is installed.
    """

    sessions: int
    days: int
    faults: tuple[Problem, ...] = ()
    remarks: tuple[Problem, ...] = ()
    mended: tuple[str, ...] = ()
    has_dictionary: bool = False


def reindex(root: Root) -> int:
    """Rebuild the index from the day files, and return how many sessions it holds."""
    with locked(root):
        return indexer.rebuild(root)


def examine(
    workspace: Workspace, scope: str, *, fix: bool, restore: bool, adopt: bool
) -> dict[str, Report]:
    """Return a report of each root by its path; see `Memory.doctor`."""
    reports: dict[str, Report] = {}
    examined = _examined_roots(workspace, scope)
    for root in examined:
        reports[root.path] = _examine_root(
            root, workspace.settings, workspace.now(), fix=fix, restore=restore, adopt=adopt
        )
    _add_settings_problems(workspace, reports, examined)
    last_events = host_checks.last_events(workspace.own_roots)
    for own in _in_scope(workspace, scope):
        site = install.site_of(workspace, "user" if own.scope == "global" else "project")
        remarks = (*host_checks.remarks(site, last_events), *_folder_remarks(workspace, own))
        if own.path in reports or remarks:
            report = reports.get(own.path, Report(0, 0))
            reports[own.path] = report._replace(remarks=(*report.remarks, *remarks))
    return reports


def _examine_root(
    root: Root, settings: Settings, now: datetime, *, fix: bool, restore: bool, adopt: bool
) -> Report:
    """Check everything in a root, after adopting, restoring and fixing if asked to."""
    mended: list[str] = []
    if adopt:
        with locked(root):
            mended += signatures.adopt(root)
    if restore:
        mended += [
            filled("{} was brought back", name) for name in restore_missing(root, settings, now)
        ]
    if fix:
        mended += fix_root(root, settings, now)
    loaded = list(days.each_day(root))
    mirror_faults, mirror_remarks = _mirror_problems(root, settings)
    faults = (
        *(problem for day in (*loaded, *archive_files.each_day(root)) for problem in day.problems),
        *_index_faults(root),
        *mirror_faults,
    )
    remarks = (
        *days.odd_files(root),
        *_future_days(root, loaded, now),
        *_missing_sections(root, loaded),
        *encryption.remarks(root),
        *_hook_errors(root, now),
        *git.unregistered(root),
        *signatures.remarks(root),
        *_unreadable_records(root),
        *_unsaved_conversations(root, now),
        *doctor_origins.remarks(root, loaded),
        *_interrupted(root),
        *deleted_sections.archived_problems(root),
        *_waiting(root),
        *_large(root, settings),
        *_unembedded(root, settings),
        *mirror_remarks,
    )
    count = sum(len(day.all_sections) for day in loaded)
    has_dictionary = bool(dictionary.find_large())
    return Report(count, len(loaded), faults, remarks, tuple(mended), has_dictionary)


def _in_scope(workspace: Workspace, scope: str) -> list[Root]:
    return [root for root in workspace.own_roots if scope in ("", "all", root.scope)]


def _examined_roots(workspace: Workspace, scope: str) -> list[Root]:
    """Return the roots in use, and own ones that only have a log or moved files."""
    examined = workspace.search_roots(scope)
    for root in _in_scope(workspace, scope):
        is_new = all(root.path != known.path for known in examined)
        if is_new and (os.path.exists(hook_log.log_path(root)) or signatures.moved_aside(root)):
            examined.append(root)
    return examined


def _add_settings_problems(
    workspace: Workspace, reports: dict[str, Report], examined: list[Root]
) -> None:
    """Add to each report the problems in the settings of its root, each problem once."""
    seen: set[Problem] = set()
    for root in examined or [workspace.settings_root]:
        loaded = settings_file.load_settings(workspace.global_root, root)
        if not loaded.problems:
            continue
        report = reports.get(root.path, Report(0, 0))
        faults = [problem for problem in loaded.faults if problem not in seen]
        remarks = [item for item in (*loaded.refused, *loaded.remarks) if item not in seen]
        seen.update(faults, remarks)
        reports[root.path] = report._replace(
            faults=(*report.faults, *faults), remarks=(*report.remarks, *remarks)
        )


def _folder_remarks(workspace: Workspace, root: Root) -> Iterator[Problem]:
    """Yield remarks on nearby folders that are not used, or have a memory of their own."""
    if root == workspace.settings_root:
        for passed in workspace.skipped_folders.values():
            hint = filled("; {}", discovery.hint(passed.folder)) if passed.is_told else ""
            yield Problem(
                passed.folder, 0, filled("is not used as a project: {}{}", passed.reason, hint)
            )
    if root.scope == "global":
        return
    project = workspace.project
    for folder in discovery.memories_above(project, workspace.environment, workspace.home):
        yield Problem(folder, 0, filled("has a memory too, which {!r} does not use", project))
    for known in workspace.known_projects:
        if known.path.startswith(project + os.sep) and project_list.is_there(known):
            message = filled(
                "has a memory of its own, which is used in there; to have one only, `memory "
                "import {}` and remove {}",
                known.path,
                project_root(known.path).path,
            )
            yield Problem(known.path, 0, message)


def _mirror_problems(root: Root, settings: Settings) -> tuple[list[Problem], list[Problem]]:
    """Return the faults of the mirror, and remarks on it."""
    path = mirror_db.mirror_path(root)
    if not os.path.isfile(path):
        return [], []
    # Loaded only if there is a mirror.
    from daily_memory.services.reading import mirror

    faults, told = mirror.faults(root, settings)
    return [Problem(path, 0, item) for item in faults], [Problem(path, 0, item) for item in told]


def _large(root: Root, settings: Settings) -> list[Problem]:
    most = settings.storage.max_file_size_mb
    return [
        Problem(
            file.path(root), 0, filled("is larger than storage.max_file_size_mb, {:g} MB", most)
        )
        for file in days.large_days(root, most)
    ]


def _waiting(root: Root) -> list[Problem]:
    message = "waits to be saved; run `memory save` or `memory doctor --fix`"
    return [Problem(path, 0, message) for path in pending_saves.list_kept(root)]


def _unembedded(root: Root, settings: Settings) -> list[Problem]:
    """Return remarks on the vectors, if there are any."""
    if not settings.semantic.enabled and not embeddings.exists(root):
        return []
    path = embeddings.path_of(root)
    if not settings.semantic.enabled:
        hint = "`memory embed --remove` removes them"
        return [
            Problem(
                path, 0, filled("search by meaning is off, the vectors are still there; {}", hint)
            )
        ]
    from daily_memory.services.upkeep import embed  # only if it is on

    messages = []
    status = embed.status(root, settings)
    if status.pending:
        what = counted(status.pending, "session")
        messages.append(filled("{} not embedded yet; `memory embed` does it", what))
    weak = [
        name
        for name, known in status.known.items()
        if name != "measured" and not fusion.trust(known)
    ]
    if weak:
        messages.append(
            filled(
                "{!r} does not know these texts, which are found by words alone: {}",
                status.model,
                ", ".join(weak),
            )
        )
    if not PROVIDERS[status.provider].is_quick:
        messages.append(
            filled(
                "hooks search by words alone: a model of {!r} takes too long for them",
                status.provider,
            )
        )
    return [Problem(path, 0, message) for message in messages]


def _future_days(root: Root, loaded: list[markdown.Day], now: datetime) -> list[Problem]:
    message = filled("is in the future (today is {}): new conversations don't see it", now.date())
    last = day_after(now.date())
    return [Problem(days.day_path(root, day.date), 0, message) for day in loaded if day.date > last]


def _hook_errors(root: Root, now: datetime) -> list[Problem]:
    """Return a problem for recent errors of hooks, and one for warnings of digests."""
    path = hook_log.log_path(root)
    try:
        lines = hook_log.load_since(root, now - timedelta(days=_MISSED_DAYS))
    except DailyMemoryError as error:
        return [Problem(path, 0, error.message)]
    digests = [line for line in lines if hook_log.is_of_digest(line)]
    faults = [line for line in lines if not hook_log.is_of_digest(line)]
    return [
        Problem(
            path,
            0,
            filled(
                "{} in {} days; the last: {}", counted(len(found), noun), _MISSED_DAYS, found[-1]
            ),
        )
        for found, noun in ((faults, "hook fault"), (digests, "digest warning"))
        if found
    ]


def _unreadable_records(root: Root) -> list[Problem]:
    """Return a problem for each live session with unreadable lines."""
    problems = []
    for day in observations.list_days(root):
        for path in observations.list_paths(root, day, files_only=False):
            try:
                broken = observations.broken_lines(path)
            except DailyMemoryError as error:
                problems.append(Problem(path, 0, filled("is not read: {}", error.message)))
                continue
            if broken:
                lines = counted(len(broken), "line")
                problems.append(
                    Problem(path, broken[0], filled("passed over what can't be read: {}", lines))
                )
    return problems


def _interrupted(root: Root) -> list[Problem]:
    """Return problems for an interrupted purge and for damaged undo files."""
    left = purge.interrupted(root)
    message = filled("a purge was not ended; `memory delete --purge {}` ends it", " ".join(left))
    problems = [Problem(root.index_folder, 0, message)] if left else []
    broken = undo_files.faults(root)
    return problems + [Problem(path, 0, "is damaged: it can't be undone") for path in broken]


def _unsaved_conversations(root: Root, now: datetime) -> list[Problem]:
    """Return a problem if silent conversations have no section yet."""
    left = observations.unfinished(root, now, idle_s=observations.IDLE_S, days_back=0)
    if not left:
        return []
    what = counted(len(left), "conversation")
    message = filled(
        "{} not saved yet; the next conversation saves them, or run `memory end --all`", what
    )
    return [Problem(root.observations_folder, 0, message)]


def _index_faults(root: Root) -> list[Problem]:
    """Bring the index up to date, and return its faults."""
    if not days.list_days(root):
        return []
    fresh = refresh.refresh(root)
    path = lookup.lookup_path(root)
    try:
        faults = [Problem(path, 0, warning) for warning in fresh.warnings]
        if not fresh.lookup.is_sound():
            faults.append(Problem(path, 0, "is damaged; run `memory reindex`"))
        return faults
    finally:
        fresh.lookup.close()


def _missing_sections(root: Root, loaded: list[markdown.Day]) -> list[Problem]:
    problems = []
    try:
        missing = missing_records(root, loaded)
    except DamagedDataError as error:
        message = filled("{}; remove it: without it nothing can be restored", error.message)
        return [Problem(os.path.join(root.index_folder, "journal.jsonl"), 0, message)]
    for record, line in missing:
        day = days.day_path(root, session_json.parse_id(record.id).date)
        if line:
            message = filled(
                "is the text of {}, whose heading is gone; write it above again", record.id
            )
        else:
            message = filled(
                "{} was saved, and is gone from here; `memory doctor --restore`", record.id
            )
        problems.append(Problem(day, line, message))
    return problems


def missing_records(root: Root, loaded: list[markdown.Day]) -> list[tuple[JournalEntry, int]]:
    """Return the last journal entry of each section that is missing in its day, by day.

    With each comes the line where its text still is without a heading, or 0. Sections that were
    renumbered, edited or deleted are not missing.
    """
    by_date = {day.date: day for day in loaded}
    # The last entry counts: one without text may mean that the section was deleted.
    records = {record.id: record for record in journal.load_records(root)}
    wanted = [record for record in records.values() if record.text]
    missing = []
    for record in sorted(wanted, key=lambda record: record.id[:10]):
        try:
            day = session_json.parse_id(record.id).date
        except InvalidInputError:
            continue  # a damaged line
        sections = by_date[day].sections if day in by_date else ()
        sections = (*sections, *archive_files.load_day(root, day).sections)
        if not any(_is_same(record, section.session) for section in sections):
            missing.append((record, _line_of(root, day, record)))
    return [(record, line) for record, line in missing if not _was_deleted(root, record)]


def _was_deleted(root: Root, record: JournalEntry) -> bool:
    """Tell whether a section was deleted, perhaps under another number after a merge."""
    sections = markdown.parse_day(record.text, date.fromisoformat(record.id[:10])).sections
    sessions = [section.session for section in sections]
    return bool(deleted_sections.deleted_among(root, sessions))


def _line_of(root: Root, day: date, record: JournalEntry) -> int:
    text = "\n".join(line.rstrip("\r") for line in days.load_lines(root, day))
    before, found, _ = text.partition(section_text.body_of(record.text))
    return before.count("\n") + 1 if found else 0


def _is_same(record: JournalEntry, session: Session) -> bool:
    """Tell whether a session is the one in the journal, perhaps edited or renumbered."""
    for section in markdown.parse_day(record.text, session.date).sections:
        written = section.session
        if section_text.comparable(written) == section_text.comparable(session):
            return True
        same = written.time == session.time, written.topic == session.topic
        # After a merge it may have another number.
        if any(same) if written.number == session.number else all(same) and session.time:
            return True
        # These stay the same when a part of a conversation is saved again.
        is_same_part = (written.time, written.continues) == (session.time, session.continues)
        if is_same_part and written.conversation == session.conversation != "":
            return True
    return False


def restore_missing(root: Root, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Append sections that are missing in their days; return their ids."""
    with locked(root):
        missing = missing_records(root, list(days.each_day(root)))
        lost = [record for record, line in missing if not line]
        written: list[Written] = []
        for day, records in groupby(lost, key=lambda record: record.id[:10]):
            text = "\n".join(record.text for record in records)
            sections = markdown.parse_day(text, date.fromisoformat(day)).sections
            sessions = [section.session._replace(copy=1) for section in sections]
            language = settings.recording.language
            written += day_sections.append_sessions(root, sessions, language=language)
        if written:
            save.note_sections(root, written, now)
        return tuple(str(session.id) for session, _ in written)


def fix_root(root: Root, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Fix what can be fixed without losing text; return what was done."""
    with locked(root):
        mended = [*conflicts.resolve_conflicts(root), *save.save_queued(root, settings, now)]
        if archive_files.list_days(root):
            mended += archive_moves.settle(root)
        for day in list(days.each_day(root)):
            mended += _renumber(root, day)
        indexer.rebuild(root)
    mended.append("rebuilt the index")
    if _mirror_problems(root, settings)[0]:
        from daily_memory.services.reading import mirror  # rarely needed

        mirror.sync(root, settings, rebuild=True)
        mended.append("rebuilt the mirror")
    return tuple(mended)


def _renumber(root: Root, day: markdown.Day) -> list[str]:
    """Give a new number to the later of two sections with the same number."""
    mended = []
    # Last first, since renumbering a section changes the copies behind it.
    for section in [s for s in reversed(day.sections) if s.session.copy > 1]:
        number = day_sections.renumber(root, section)
        mended.append(filled("{} is now {}#{}", section.session.id, day.date, number))
    return mended
