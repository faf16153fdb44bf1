"""`memory.mirror`: the copy of a memory in SQLite, kept current with the files.

A file whose size or times changed is read again, and its rows are replaced if they differ. So an
updated mirror has the same rows as a rebuilt one.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import NamedTuple, TypeVar

from daily_memory.core.observation import parse_observation
from daily_memory.core.progress import report_progress
from daily_memory.core.record import Record, RecordFilters, of_observation
from daily_memory.core.search.observation_ranking import Document, searched_text
from daily_memory.core.settings import Settings
from daily_memory.errors import (
    BackendError,
    ConflictError,
    DailyMemoryError,
    DamagedDataError,
    InvalidInputError,
    NotFoundError,
)
from daily_memory.services import MemoryPart
from daily_memory.services.reading import mirror_rows
from daily_memory.storage import days, mirror_db, observations
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import NO_STAMP, Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.mirror_db import (
    BusyError,
    MirrorDatabase,
    MirroredFile,
    MirroredRecord,
    UnusableError,
)
from daily_memory.storage.roots import Root
from daily_memory.text import filled, joined

# How long one process may block other writers at a time.
_BATCH_S = 0.2
# Limits for a save: the next query reads what it leaves out.
_FOLLOW_WAIT_S = 0.1
_MOST_FOLLOWED_BYTES = 250_000
# How many words a part of a word may stand for.
_MOST_WORDS = 3
_LIVE = "observations/"
_T = TypeVar("_T")


class MirrorCorpus:
    """The observations of a root in the mirror, as a `Corpus`; `folder` has their files."""

    def __init__(self, opened: MirrorDatabase, filters: RecordFilters, folder: str) -> None:
        self._mirror = opened
        self._folder = folder
        self._filters = filters
        self._records: dict[str, MirroredRecord] = {}
        self.count = opened.meta("count")
        self.average_lengths = (opened.meta("terms") / self.count,) if self.count else ()
        self.frequencies = opened.index.frequencies
        self.vocabulary_size = opened.index.vocabulary_size

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        return self._mirror.index.vocabulary(first, shortest, longest)

    def containing(self, part: str) -> list[str]:
        """Return terms that contain a part of a word."""
        return self._mirror.index.containing(part, _MOST_WORDS)

    def find(self, terms: Sequence[str], limit: int) -> list[Document]:
        return self._documents(self._mirror.find(terms, limit, self._filters))

    def neighbours(self, documents: Iterable[Document]) -> list[Document]:
        places = ((document.session, document.place) for document in documents)
        keys = self._mirror.keys_beside(places)
        passing = self._mirror.passing(keys, self._filters)
        pairs = zip(keys, self._documents(keys), strict=True)
        return [document._replace(is_wanted=key in passing) for key, document in pairs]

    def record(self, record_id: str) -> Record:
        """Return the record of a found document, after comparing it with its file."""
        mirrored = self._records[record_id]
        path = os.path.join(self._folder, *f"{record_id.rpartition(':')[0]}.jsonl".split("/"))
        if not _is_in_file(path, mirrored):
            hint = "run `memory mirror rebuild`"
            raise DamagedDataError("the mirror does not match the files", hint=hint)
        return mirrored.record

    def _documents(self, keys: Sequence[int]) -> list[Document]:
        mirrored = self._mirror.records(keys).values()
        self._records.update((entry.record.id, entry) for entry in mirrored)
        return [_document(entry.place, entry.record) for entry in mirrored]


def _is_in_file(path: str, mirrored: MirroredRecord) -> bool:
    try:
        with files.stream(path) as file:
            file.seek(mirrored.begins)
            line = file.readline().decode("utf-8", "replace")
    except (BackendError, NotFoundError):
        return False
    observation, record = parse_observation(line), mirrored.record
    if not observation:
        return False
    text = observation.text.encode("utf-8", "replace").decode()
    stored = text, observation.kind, observation.private
    return stored == (record.text, record.kind, False)


def _document(place: int, record: Record) -> Document:
    session = record.id.rpartition(":")[0]
    text = searched_text(record.text, record.tool, record.tags)
    return Document(record.id, session, place, record.at, text)


def ask(
    root: Root, settings: Settings, filters: RecordFilters, question: Callable[[MirrorCorpus], _T]
) -> tuple[list[_T], tuple[str, ...]]:
    """Bring the mirror up to date and query it; return the answer in a list, and warnings.

    The list is empty if the files must be searched instead: the mirror is off, locked or unusable.
    """
    if not settings.mirror.enabled:
        return [], ()

    def answered() -> tuple[list[_T], tuple[str, ...]]:
        with mirror_db.opened(root) as opened:
            refresh(root, opened)
            with opened.reading():
                return [question(MirrorCorpus(opened, filters, root.observations_folder))], ()

    try:
        check_allowed(root, settings)
        try:
            return answered()
        except DamagedDataError:
            # A file may have changed before the answer: then asking again helps.
            with contextlib.suppress(DamagedDataError):
                return answered()
            _replace(root)
            return answered()
    except (BackendError, ConflictError, DamagedDataError, InvalidInputError) as error:
        return [], (filled("the mirror was not used: {}", error.message),)


def check_allowed(root: Root, settings: Settings) -> None:
    """Raise InvalidInputError for an encrypted memory."""
    if settings.storage.encryption != "none" or root.modes.is_sealed:
        message = "there is no mirror of an encrypted memory: it would hold the text unencrypted"
        hint = "set storage.encryption to none, or mirror.enabled to false"
        raise InvalidInputError(message, hint=hint)


def follow(root: Root, settings: Settings, *paths: str) -> None:
    """Mirror files that we just wrote, unless they are large."""
    # Failures are repeated, or reported, by the next query.
    with contextlib.suppress(DailyMemoryError):
        check_allowed(root, settings)
        short = [path for path in paths if files.stamp(path)[0] <= _MOST_FOLLOWED_BYTES]
        names = map(root.name_of, short)
        with mirror_db.opened(root) as opened, opened.writing(_FOLLOW_WAIT_S):
            for name in names:
                _mirror_file(root, opened, name)


def forget(root: Root, settings: Settings) -> bool:
    """Erase from the mirror what was just removed from files; tell whether that worked."""
    path = mirror_db.mirror_path(root)
    if not os.path.isfile(path):
        return True
    # As in `follow`; `memory mirror sync` does the same.
    with contextlib.suppress(DailyMemoryError):
        check_allowed(root, settings)
        _sync(root)
        return files.stamp(f"{path}-wal")[0] <= 0
    return False


def purge(root: Root, settings: Settings) -> None:
    """Erase from the mirror what was removed from files, or else remove the mirror."""
    if not (settings.mirror.enabled and forget(root, settings)):
        drop(root)  # the next query makes it again


def refresh(root: Root, opened: MirrorDatabase) -> None:
    """Bring the mirror up to date with the files."""
    with mirror_db.translated():
        changed, unchanged = _compared(root, opened)
    _mirror_files(root, opened, changed)
    if unchanged:
        _confirm(opened, unchanged)


def _compared(root: Root, opened: MirrorDatabase) -> tuple[list[str], list[MirroredFile]]:
    """Return the names of changed files, and unsure files that turned out unchanged."""
    current = listed(root)
    known, unsure = opened.stamps()
    changed = []
    if current != known:
        changed = [name for name in known if name not in current]
        changed += sorted(name for name, stamp in current.items() if known.get(name) != stamp)
    unchanged = []
    for name in sorted(set(unsure) - set(changed)):
        file = opened.file(name)
        # It may have changed within the resolution of file times.
        if file and zlib.crc32(_readable(root.at(name))) == file.checksum:
            unchanged.append(file)
        else:
            changed.append(name)
    return changed, unchanged


def listed(root: Root) -> dict[str, Stamp]:
    """Return the stamps of the files to mirror, by their names below the root."""
    stamps = {f"daily/{file.name}": file.stamp for file in days.list_days(root)}
    for day in observations.list_days(root):
        stamps.update(observations.list_stamps(root, day))
    return stamps


def _confirm(opened: MirrorDatabase, mirrored: Sequence[MirroredFile]) -> None:
    """Mark the unchanged files whose times are old enough to be trusted."""
    now = time.time_ns()
    sure = [file for file in mirrored if not files.is_recent(file.stamp, now)]
    if not sure:
        return
    # If another process is writing, the next query checks again.
    with contextlib.suppress(BusyError), opened.writing(0):
        for file in sure:
            if opened.file(file.name) == file:
                opened.put_file(file._replace(is_sure=True))


def _mirror_files(root: Root, opened: MirrorDatabase, names: Sequence[str]) -> None:
    """Mirror these files in batches, so that others can write in between."""
    waiting = deque(names)
    while waiting:
        with opened.writing():
            until = time.monotonic() + _BATCH_S
            while waiting and time.monotonic() < until:
                _mirror_file(root, opened, waiting.popleft())
                report_progress(len(names) - len(waiting), len(names))


def _mirror_file(root: Root, opened: MirrorDatabase, name: str) -> None:
    """Mirror a file as it is now; forget one that is gone."""
    path = root.at(name)
    read_at = time.time_ns()
    stamp = files.stamp(path)
    known = opened.file(name)
    if stamp == NO_STAMP:
        opened.forget(name)
        return
    if known and known.stamp == stamp and known.is_sure:
        return  # another process did it
    data = _readable(path)
    checksum = zlib.crc32(data)
    if not known or known.checksum != checksum:
        if name.startswith(_LIVE):
            _mirror_live(opened, name, path, data)
        else:
            _mirror_day(root, opened, name, path, data)
    is_sure = not files.is_recent(stamp, read_at)
    opened.put_file(MirroredFile(name, stamp, checksum, is_sure))


def _readable(path: str) -> bytes:
    """Return the bytes of a file, none if it can't be read: then nothing in it is found."""
    try:
        return files.read_bytes(path)
    except (BackendError, NotFoundError):
        return b""


def _mirror_live(opened: MirrorDatabase, name: str, path: str, data: bytes) -> None:
    session_id = name.removeprefix(_LIVE).removesuffix(".jsonl")
    live, lines = observations.read_lines(path, data)
    rows = [
        MirroredRecord(
            place,
            line.begins,
            of_observation(
                f"{session_id}:{line.place}",
                line.observation,
                live.conversation,
                live.project,
                is_private=live.private,
            ),
        )
        for place, line in enumerate(observations.distinct(lines))
    ]
    opened.put_session(mirror_rows.live_row(session_id, name, live, rows))
    opened.put_observations(session_id, rows)


def _mirror_day(root: Root, opened: MirrorDatabase, name: str, path: str, data: bytes) -> None:
    opened.forget(name)
    day = date.fromisoformat(os.path.basename(path)[:10])
    for section in days.parse_bytes(data, day, path).all_sections:
        session = section.session
        row = mirror_rows.section_row(session, name, root.project)
        opened.put_session(row)
        if not row.private:
            opened.put_summaries(mirror_rows.summaries(row, session))


class Status(NamedTuple):
    """The state of a root's mirror: `off`, `absent`, `current`, `behind` or `unusable`.

    `behind` is how many files changed since.
    """

    path: str
    state: str
    message: str = ""
    sessions: int = 0
    observations: int = 0
    private: int = 0
    summaries: int = 0
    behind: int = 0
    size: int = 0


class Mirror(MemoryPart):
    """The mirrors of the memories in use; `scope` chooses among them as in a search."""

    def status(self, *, scope: str = "") -> list[Status]:
        """Return the state of each mirror, without updating it."""
        settings = self._workspace.settings
        return [status(root, settings) for root in self._workspace.search_roots(scope)]

    def sync(self, *, scope: str = "", rebuild: bool = False) -> list[Status]:
        """Update each mirror, or make it from scratch with `rebuild`; return its state."""
        settings = self._workspace.settings
        roots = self._workspace.search_roots(scope)
        return [sync(root, settings, rebuild=rebuild) for root in roots]

    def paths(self, *, scope: str = "") -> list[str]:
        """Return the paths of the mirrors that exist."""
        paths = map(mirror_db.mirror_path, self._workspace.search_roots(scope))
        return [path for path in paths if os.path.isfile(path)]

    def drop(self, *, scope: str = "") -> list[str]:
        """Remove each mirror; return the paths of those that existed."""
        return [path for root in self._workspace.search_roots(scope) for path in drop(root)]


def status(root: Root, settings: Settings) -> Status:
    """Return the state of a root's mirror, without updating it."""
    path = mirror_db.mirror_path(root)
    is_there = os.path.isfile(path)
    size = sum(max(files.stamp(f"{path}{ending}")[0], 0) for ending in ("", "-wal"))
    blank = Status(path, "absent", size=size)
    if not settings.mirror.enabled:
        left = "; what is left of it is not used: `memory mirror drop`" if is_there else ""
        return blank._replace(state="off", message=filled("mirror.enabled is false{}", left))
    try:
        check_allowed(root, settings)
        if not is_there:
            return blank._replace(message="the first search makes it, or `memory mirror sync`")
        with mirror_db.opened(root) as opened, opened.reading():
            counts = opened.counts()
            behind = len(_compared(root, opened)[0])
    except (BackendError, ConflictError, DamagedDataError, InvalidInputError) as error:
        return blank._replace(state="unusable", message=joined("; ", (error.message, error.hint)))
    return blank._replace(
        state="behind" if behind else "current",
        behind=behind,
        sessions=counts["sessions"],
        observations=counts["observations"],
        private=counts["private"],
        summaries=counts["summaries"],
    )


def sync(root: Root, settings: Settings, *, rebuild: bool = False) -> Status:
    """Bring the mirror up to date, or make it again from the files; return its state."""
    if not settings.mirror.enabled:
        hint = '`"mirror": {"enabled": true}` in config.json switches it on'
        raise InvalidInputError("the mirror is off", hint=hint)
    check_allowed(root, settings)
    if rebuild:
        path = mirror_db.mirror_path(root)
        if os.path.isfile(path):
            mirror_db.check_not_newer(path)
        _replace(root)
    try:
        _sync(root)
    except DamagedDataError:
        _replace(root)
        _sync(root)
    return status(root, settings)


def _sync(root: Root) -> None:
    with mirror_db.opened(root) as opened:
        refresh(root, opened)
        with opened.writing():
            opened.purge()
        opened.empty_log()


def drop(root: Root) -> tuple[str, ...]:
    """Remove the mirror, and return its path if there was one."""
    path = mirror_db.mirror_path(root)
    if not os.path.isfile(path):
        return ()
    with locked(root):
        return (path,) if mirror_db.remove(root) else ()


def _replace(root: Root) -> None:
    with locked(root):
        mirror_db.create(root)


def faults(root: Root, settings: Settings) -> tuple[list[str], list[str]]:
    """Return the faults of an existing mirror, and remarks on it."""
    is_encrypted = settings.storage.encryption != "none" or root.modes.is_sealed
    if not settings.mirror.enabled or is_encrypted:
        return [], ["is not used, but holds the text of observations; `memory mirror drop`"]
    try:
        with mirror_db.opened(root) as opened, opened.writing():
            is_sound = opened.is_sound()
    except (BusyError, UnusableError) as error:
        return [], [error.message]
    except DailyMemoryError as error:
        return [error.message], []
    return ([] if is_sound else ["is damaged; run `memory mirror rebuild`"]), []
