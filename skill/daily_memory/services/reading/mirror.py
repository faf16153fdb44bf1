"""Keeps the mirror true to the files, and asks it.

There is one way into it, for what we write as for what a person or a hook does: a file whose
size or times moved is read again. Of a live session that only grew, what is new is read. So the
mirror made anew and the one kept up to date hold the same, but for the numbers of the rows.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple, TypeVar

from daily_memory.core.progress import Progress
from daily_memory.core.record import Record
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
from daily_memory.services.reading import mirror_rows
from daily_memory.storage import days, mirror_db, observations
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import NO_STAMP, Stamp
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.index import refresh as indexing
from daily_memory.storage.mirror_db import (
    BusyError,
    Filters,
    Mirror,
    Mirrored,
    SessionRow,
    Source,
    SummaryRow,
    UnusableError,
)
from daily_memory.storage.mirror_terms import LIKE, TRIGRAM, WORDS
from daily_memory.storage.observations import Line, Live
from daily_memory.storage.roots import Root

# So long at the most does one that has much to do keep others from writing.
_BATCH_S = 0.2
# A save or a log must not wait, nor read so many bytes: what it leaves out, the next question makes
# up for.
_FOLLOW_WAIT_S = 0.1
_MOST_AT_ONCE = 250_000
_PAUSE_S = 0.25
_MOST_FOLLOWED = 1000
# A part of a word may be in very many.
_MOST_WORDS = 3
_SHORTCOMINGS = {
    TRIGRAM: "",
    WORDS: "this SQLite has no trigrams: the mirror finds parts of words by looking at every word",
    LIKE: "this SQLite has no FTS5: the mirror looks at every observation, which is slow",
}
_T = TypeVar("_T")


# ---------------------------------------------------------------------------- asking


class MirroredObservations:
    """The observations of a root as their ranking asks for them: a `Corpus`.

    `folder` is where their files are.
    """

    def __init__(self, opened: Mirror, filters: Filters, folder: str) -> None:
        self._mirror = opened
        self._folder = folder
        self._filters = filters
        self._totals = opened.totals()
        self._found: dict[str, Mirrored] = {}

    @property
    def count(self) -> int:
        return self._totals.observations

    @property
    def average_lengths(self) -> tuple[float, ...]:
        return (self._totals.terms / self.count,) if self.count else ()

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return self._mirror.index.frequencies(terms)

    def vocabulary(self, first: str = "", shortest: int = 0, longest: int = 64) -> list[str]:
        return self._mirror.index.vocabulary(first, shortest, longest)

    def vocabulary_size(self) -> int:
        return self._mirror.index.vocabulary_size()

    def containing(self, part: str) -> list[str]:
        """Return terms that a part of a word may stand for."""
        return self._mirror.index.containing(part, _MOST_WORDS)

    def find(self, terms: Sequence[str], limit: int) -> list[Document]:
        return self._documents(self._mirror.find(terms, limit, self._filters))

    def neighbours(self, documents: Sequence[Document]) -> list[Document]:
        places = ((document.session, document.place) for document in documents)
        keys = self._mirror.keys_beside(places)
        wanted = self._mirror.passing(keys, self._filters)
        found = zip(keys, self._documents(keys), strict=True)
        return [document._replace(is_wanted=key in wanted) for key, document in found]

    def record(self, record_id: str) -> Record:
        """Return the record of a document that was found, as its file has it.

        Raises:
            DamagedDataError: the file says something else: the mirror is not what we made.
        """
        found = self._found[record_id]
        path = os.path.join(self._folder, *f"{record_id.rpartition(':')[0]}.jsonl".split("/"))
        if not _says(path, found):
            hint = "run `memory mirror rebuild`"
            raise DamagedDataError("the mirror says what the files do not", hint=hint)
        return found.record

    def _documents(self, keys: Sequence[int]) -> list[Document]:
        found = self._mirror.records(keys).values()
        self._found.update((one.record.id, one) for one in found)
        return [_document(one.place, one.record) for one in found]


def _says(path: str, found: Mirrored) -> bool:
    """Tell whether an observation stands in its file: a mirror may come with others' files."""
    try:
        line = _read_line(path, found.begins)
    except (BackendError, NotFoundError):
        return False
    one, record = mirror_rows.observation_of(line), found.record
    said = one.text.encode("utf-8", "replace").decode()
    return (said, one.kind, one.private) == (record.text, record.kind, False)


def _document(place: int, record: Record) -> Document:
    session = record.id.rpartition(":")[0]
    said = searched_text(record.text, record.tool, record.tags)
    return Document(record.id, session, place, record.at, said)


def ask(
    root: Root,
    settings: Settings,
    filters: Filters,
    question: Callable[[MirroredObservations], _T],
) -> tuple[list[_T], tuple[str, ...]]:
    """Put a question to the mirror as the files are at this moment.

    Returns the answer in a list, which is empty where the files must be asked instead: the mirror
    is off, another process kept it from being brought up to date, or it can't be used.
    """
    if not settings.mirror.enabled:
        return [], ()
    try:
        check_allowed(root, settings)
        # A file may have changed between the look and the answer: at first it is just asked again.
        for cure in (lambda _: None, mend, replace):
            try:
                return _ask(root, filters, question)
            except DamagedDataError:
                cure(root)
        return _ask(root, filters, question)
    except (BackendError, ConflictError, DamagedDataError, InvalidInputError) as error:
        return [], (f"without the mirror: {error.message}",)


def _ask(
    root: Root, filters: Filters, question: Callable[[MirroredObservations], _T]
) -> tuple[list[_T], tuple[str, ...]]:
    with mirror_db.borrowed(root) as opened:
        refresh(root, opened)
        with opened.reading():
            answer = question(MirroredObservations(opened, filters, root.observations_folder))
        shortcoming = _SHORTCOMINGS[opened.index.level]
    return [answer], ((shortcoming,) if shortcoming else ())


def check_allowed(root: Root, settings: Settings) -> None:
    """See that there may be a mirror.

    Raises:
        InvalidInputError: the memory is encrypted; the mirror would not be.
    """
    if settings.storage.encryption != "none" or root.modes.is_sealed:
        raise InvalidInputError(
            "there is no mirror of an encrypted memory: it would hold the text unencrypted",
            hint="set storage.encryption to none, or mirror.enabled to false",
        )


# ---------------------------------------------------------------------------- keeping it true


def follow_log(root: Root, settings: Settings, path: str) -> None:
    """Mirror a live session that was added to, unless this process did so a moment ago.

    What is logged in quick succession is mirrored together, which takes a tenth of the time; the
    next question makes up for what is left.
    """
    now = time.monotonic()
    if now - _followed.get(path, -_PAUSE_S) >= _PAUSE_S:
        follow(root, settings, path)
        # However long it took: most of the time must be left to those who log.
        if len(_followed) >= _MOST_FOLLOWED:
            _followed.clear()  # at once: other threads log as well
        _followed[path] = time.monotonic()


# When this process last mirrored the file of a live session.
_followed: dict[str, float] = {}


def follow(root: Root, settings: Settings, *paths: str) -> None:
    """Mirror files that we wrote just now; what takes long is left to the next question."""
    # The files have it: what fails here is made up for, or told, when the mirror is asked.
    with contextlib.suppress(DailyMemoryError):
        check_allowed(root, settings)
        names = [os.path.relpath(path, root.path).replace(os.sep, "/") for path in paths]
        with mirror_db.borrowed(root) as opened:
            with opened.writing(_FOLLOW_WAIT_S):
                for name in names:
                    _mirror_file(root, opened, name, is_ours=True)
            waiting = opened.sessions_to_summarize()
            _summarize(root, opened, [row for row in waiting if row.source in names])


def forget(root: Root, settings: Settings) -> None:
    """Let the mirror, where there is one, keep no word of what was just taken out of the files."""
    if not os.path.isfile(mirror_db.mirror_path(root)):
        return
    # As in `follow`; `memory mirror sync` does the same.
    with contextlib.suppress(DailyMemoryError):
        check_allowed(root, settings)
        with mirror_db.borrowed(root) as opened:
            refresh(root, opened)
            with opened.writing():
                opened.purge()
            opened.empty_log()


def purge(root: Root, settings: Settings) -> None:
    """Let the mirror keep no word of what was taken out of the files; else there is none.

    Raises:
        ConflictError, BackendError: it has one, and can't be removed either.
    """
    path = mirror_db.mirror_path(root)
    if not os.path.isfile(path):
        return
    if settings.mirror.enabled:
        with contextlib.suppress(DailyMemoryError):
            check_allowed(root, settings)
            with mirror_db.borrowed(root) as opened:
                refresh(root, opened)
                with opened.writing():
                    opened.purge()
                opened.empty_log()
            if not files.stamp(f"{path}-wal")[0] > 0:
                return
    # It is made again when somebody asks it.
    drop(root)


def refresh(root: Root, opened: Mirror, progress: Progress | None = None) -> None:
    """Make the mirror as the files are at this moment.

    Raises:
        BusyError: another process wrote to it all the time.
    """
    changed, unchanged = _compared(root, opened)
    _mirror_files(root, opened, changed, progress)
    if unchanged:
        _confirm(opened, unchanged)


def _compared(root: Root, opened: Mirror) -> tuple[list[str], list[Source]]:
    """Return the names of the files that changed, and what was not sure and is as it was."""
    listed = _listed(root)
    known, unsure = opened.stamps()
    changed = []
    if listed != known:
        changed = [name for name in known if name not in listed]
        changed += sorted(name for name, stamp in listed.items() if known.get(name) != stamp)
    unchanged = []
    for name in sorted(set(unsure) - set(changed)):
        source = opened.source(name)
        if source and _is_same(root, source):
            unchanged.append(source)
        else:
            changed.append(name)
    return changed, unchanged


def _listed(root: Root) -> dict[str, Stamp]:
    """Return the stamps of the files that are mirrored, by their names below the root."""
    found = {f"daily/{file.name}": file.stamp for file in days.list_days(root)}
    for day in observations.list_days(root):
        found.update(observations.list_stamps(root, day))
    return found


def _is_same(root: Root, source: Source) -> bool:
    """Look into a file that may have changed without a trace in its times."""
    return zlib.crc32(_readable(_path(root, source.name))) == source.checksum


def _confirm(opened: Mirror, sources: Sequence[Source]) -> None:
    """Note of files that are as they were which of them need not be looked into again."""
    now = time.time_ns()
    sure = [source for source in sources if not indexing.is_recent(source.stamp, now)]
    if not sure:
        return
    # Whoever writes now will come to it; else it is looked into once more.
    with contextlib.suppress(BusyError), opened.writing(0):
        for source in sure:
            if opened.source(source.name) == source:
                opened.put_source(source._replace(is_sure=True))


def _mirror_files(
    root: Root, opened: Mirror, names: Sequence[str], progress: Progress | None = None
) -> None:
    """Mirror these files, in parts, so that others get on with theirs."""
    waiting = deque(names)
    while waiting:
        with opened.writing():
            until = time.monotonic() + _BATCH_S
            while waiting and time.monotonic() < until:
                _mirror_file(root, opened, waiting.popleft())
                if progress:
                    progress(len(names) - len(waiting), len(names))


def _mirror_file(root: Root, opened: Mirror, name: str, *, is_ours: bool = False) -> None:
    """Mirror a file as it is now; one that is gone is forgotten.

    With `is_ours` somebody of us only appended to it, as far as can be seen at no cost. It is
    looked into once more before the mirror is trusted.
    """
    path = _path(root, name)
    read_at = time.time_ns()
    stamp = files.stamp(path)
    known = opened.source(name)
    if stamp == NO_STAMP:
        opened.forget(name)
        return
    if known and known.stamp == stamp and known.is_sure:
        return  # another process did it
    if is_ours and stamp[0] - (known.read if known else 0) > _MOST_AT_ONCE:
        return
    if is_ours and known and 0 < known.read <= stamp[0] and name.startswith(_LIVE):
        before, tail = b"", _read_from(path, known.read)
    else:
        data = _readable(path)
        if known and known.checksum == zlib.crc32(data):
            is_sure = not indexing.is_recent(stamp, read_at)
            opened.put_source(known._replace(stamp=stamp, is_sure=is_sure))
            return
        if not known or not _continues(known, data):
            opened.forget(name)
            known = None
        read = known.read if known else 0
        before, tail = data[:read], data[read:]
    source = Source(name, stamp, is_sure=not is_ours and not indexing.is_recent(stamp, read_at))
    if name.startswith(_LIVE):
        _add_live(root, opened, source, known, before, tail)
    else:
        _add_day(root, opened, source._replace(checksum=zlib.crc32(tail)), tail)


_LIVE = "observations/"


def _path(root: Root, name: str) -> str:
    return os.path.join(root.path, *name.split("/"))


def _readable(path: str) -> bytes:
    """Return the bytes of a file; none of one that can't be read: it can't be searched either."""
    try:
        return files.read_bytes(path)
    except (BackendError, NotFoundError):
        return b""


def _read_from(path: str, begins: int) -> bytes:
    with files.stream(path) as file:
        file.seek(begins)
        return file.read()


def _read_line(path: str, begins: int) -> bytes:
    with files.stream(path) as file:
        file.seek(begins)
        return file.readline()


def _continues(known: Source, data: bytes) -> bool:
    """Tell whether a file still begins with what was mirrored of it."""
    return (
        known.name.startswith(_LIVE)
        and 0 < known.read <= len(data)
        and zlib.crc32(memoryview(data)[: known.read]) == known.checksum
    )


# ---------------------------------------------------------------------------- live sessions


def _add_live(
    root: Root, opened: Mirror, source: Source, known: Source | None, before: bytes, tail: bytes
) -> None:
    """Add what a file of a live session says behind what is mirrored of it."""
    path = _path(root, source.name)
    session_id = source.name.removeprefix(_LIVE).removesuffix(".jsonl")
    row = opened.session(session_id) if known else None
    read, place = (known.read, known.lines + 1) if known else (0, 1)
    live = mirror_rows.live_of(path, row)
    live, found = observations.read_on(live, tail, place, read)
    is_marked = row is not None and row.private != live.private
    if known and (is_marked or _has_private(found) or opened.private_lines(session_id)):
        # What is private at one place is so at all: which, only the whole file tells.
        opened.forget(source.name)
        whole = before + tail if before else _readable(path)
        _add_live(root, opened, source, None, b"", whole)
        return

    line_at = partial(_read_line, path)
    last, last_ts = opened.last_observation(session_id)
    seen = _seen(opened, session_id, found, line_at) if last >= 0 else {}
    answer = known.answer if known else -1
    last_answer = mirror_rows.observation_of(line_at(answer)).text if answer >= 0 else ""
    kept = [
        mirror_rows.observation_row(session_id, last + number, line, is_hidden=live.private)
        for number, line in enumerate(observations.once_each(found, seen, last_answer), 1)
    ]
    ends = [row.ts for row in kept[-1:]] or [last_ts]
    opened.put_session(mirror_rows.live_row(session_id, source.name, live, row, kept, ends[0]))
    if kept or not mirror_rows.is_over(live):
        opened.put_summaries(session_id, ())
    opened.set_summarized(session_id, is_summarized=not mirror_rows.is_over(live))
    opened.add_observations(kept)
    for line in found:
        kind = line.observation.kind
        answer = line.begins if kind == "assistant" else -1 if kind == "user" else answer
    checksum = zlib.crc32(tail, known.checksum if known else 0)
    if not tail or tail.endswith(b"\n"):
        place += tail.count(b"\n")
        source = source._replace(read=read + len(tail), lines=place - 1, answer=answer)
    opened.put_source(source._replace(checksum=checksum))


def _has_private(found: Iterable[Line]) -> bool:
    return any(line.observation.private for line in found)


def _seen(
    opened: Mirror, session_id: str, found: Sequence[Line], line_at: Callable[[int], bytes]
) -> dict[observations.Key, str]:
    """Return the times of the observations before, as far as one of these may be the same."""
    begins: set[int] = set()
    for line in found:
        begins.update(opened.lines_with_mark(session_id, mirror_rows.mark(line)))
    earlier = [mirror_rows.observation_of(line_at(begin)) for begin in sorted(begins)]
    return {observations.key_of(one): one.at for one in earlier}


# ---------------------------------------------------------------------------- day files


def _add_day(root: Root, opened: Mirror, source: Source, data: bytes) -> None:
    """Add the sections of a day file that is not mirrored."""
    path = _path(root, source.name)
    day = date.fromisoformat(os.path.basename(path)[:10])
    for section in days.parse_bytes(data, day, path).all_sections:
        session = section.session
        row = mirror_rows.section_row(session, source.name, root.project)
        opened.put_session(row)
        texts = () if row.private else mirror_rows.summaries(row, session, session)
        opened.put_summaries(row.id, texts)
    opened.put_source(source)


# ---------------------------------------------------------------------------- summaries


def summarize(root: Root, opened: Mirror, progress: Progress | None = None) -> None:
    """Give their summaries to the live sessions that are over and have none."""
    _summarize(root, opened, opened.sessions_to_summarize(), progress)


def _summarize(
    root: Root, opened: Mirror, rows: Sequence[SessionRow], progress: Progress | None = None
) -> None:
    for count, row in enumerate(rows, 1):
        # A digest may take a while, and must hold up nobody.
        texts = list(_summaries_of(root, row))
        with opened.writing():
            # What came meanwhile is mirrored, and then summarized, by whoever comes next.
            if opened.session(row.id) == row:
                opened.put_summaries(row.id, texts)
                opened.set_summarized(row.id, is_summarized=True)
        if progress:
            progress(count, len(rows))


def _summaries_of(root: Root, row: SessionRow) -> Iterator[SummaryRow]:
    # Loaded here: to make digests takes longer to load than a log takes.
    from daily_memory.core.digests.digest import digest_observations

    live = _loaded(_path(root, row.source))
    day = date.fromisoformat(mirror_rows.day_of(row.id) or date.min.isoformat())
    public = [one for one in live.observations if not one.private]
    brief, detailed = (
        digest_observations(public, day, save_code=False, detailed=is_detailed)
        for is_detailed in (False, True)
    )
    return mirror_rows.summaries(row, brief, detailed)


def _loaded(path: str) -> Live:
    try:
        return observations.load(path)
    except (BackendError, NotFoundError):
        return observations.blank(path)


# ---------------------------------------------------------------------------- commands


class Status(NamedTuple):
    """How the mirror of a root is. `state` is one of `off`, `absent`, `current`, `behind` and
    `unusable`, `level` what its SQLite can, `behind` how many files it does not have as they are.
    """

    path: str
    state: str
    message: str = ""
    level: str = ""
    sessions: int = 0
    observations: int = 0
    private: int = 0
    summaries: int = 0
    behind: int = 0
    size: int = 0


def status(root: Root, settings: Settings) -> Status:
    """Return how the mirror of a root is, without mirroring anything."""
    path = mirror_db.mirror_path(root)
    is_there = os.path.isfile(path)
    size = sum(max(files.stamp(f"{path}{ending}")[0], 0) for ending in ("", "-wal"))
    blank = Status(path, "absent", size=size)
    if not settings.mirror.enabled:
        left = "; what is left of it is not used: `memory mirror drop`" if is_there else ""
        return blank._replace(state="off", message=f"mirror.enabled is false{left}")
    try:
        check_allowed(root, settings)
        if not is_there:
            return blank._replace(message="the first search makes it, or `memory mirror sync`")
        with mirror_db.borrowed(root) as opened, opened.reading():
            counts = opened.counts()
            behind = len(_compared(root, opened)[0])
            level = opened.index.level
    except (BackendError, ConflictError, DamagedDataError, InvalidInputError) as error:
        return blank._replace(state="unusable", message=f"{error.message}; {error.hint}")
    return blank._replace(
        state="behind" if behind else "current",
        message=_SHORTCOMINGS[level],
        level=level,
        behind=behind,
        sessions=counts["sessions"],
        observations=counts["observations"],
        private=counts["private"],
        summaries=counts["summaries"],
    )


def sync(root: Root, settings: Settings, progress: Progress | None = None) -> Status:
    """Make the mirror as the files are, summaries and all, and return how it is.

    Raises:
        InvalidInputError: there may be none.
        UnusableError: it is not for us to change.
    """
    _check_on(root, settings)
    try:
        _sync(root, progress)
    except DamagedDataError:
        mend(root)
        _sync(root, progress)
    return status(root, settings)


def _sync(root: Root, progress: Progress | None) -> None:
    with mirror_db.borrowed(root) as opened:
        refresh(root, opened, progress)
        summarize(root, opened, progress)
        with opened.writing():
            opened.purge()
        opened.empty_log()


def rebuild(root: Root, settings: Settings, progress: Progress | None = None) -> Status:
    """Make the mirror anew from the files, whatever there was, and return how it is.

    Raises:
        InvalidInputError: there may be none.
        UnusableError: it is of a newer version.
        ConflictError: another process is busy in the root.
    """
    _check_on(root, settings)
    path = mirror_db.mirror_path(root)
    if os.path.isfile(path):
        mirror_db.check_not_newer(path)
    with locked(root):
        mirror_db.create(root)
    return sync(root, settings, progress)


def _check_on(root: Root, settings: Settings) -> None:
    if not settings.mirror.enabled:
        raise InvalidInputError(
            "the mirror is off", hint='`"mirror": {"enabled": true}` in config.json switches it on'
        )
    check_allowed(root, settings)


def drop(root: Root) -> tuple[str, ...]:
    """Remove the mirror, and return its path if there was one. The files have it all."""
    path = mirror_db.mirror_path(root)
    if not os.path.isfile(path):
        return ()
    with locked(root):
        mirror_db.remove_damaged(root)
        return (path,) if mirror_db.remove(root) else ()


def mend(root: Root) -> None:
    """Look once more at a mirror that seemed damaged, and put a new one in its place if it is.

    Raises:
        BusyError: another process writes to it: what is being written is not damaged.
    """
    with locked(root):
        try:
            with mirror_db.borrowed(root) as opened, opened.writing():
                if opened.is_sound():
                    return
        except DamagedDataError:
            pass  # no database at all
        _replace(root)


def replace(root: Root) -> None:
    """Put a new mirror in the place of one that fails though SQLite finds no fault with it."""
    with locked(root):
        _replace(root)


def _replace(root: Root) -> None:
    mirror_db.set_aside(root)
    mirror_db.create(root)


def faults(root: Root, settings: Settings) -> tuple[list[str], list[str]]:
    """Return what is wrong with a mirror that is there, and what should be known about it."""
    is_encrypted = settings.storage.encryption != "none" or root.modes.is_sealed
    if not settings.mirror.enabled or is_encrypted:
        return [], ["is not used, but holds the text of observations; `memory mirror drop`"]
    try:
        with mirror_db.borrowed(root) as opened, opened.writing():
            is_sound, level = opened.is_sound(), opened.index.level
    except (BusyError, UnusableError) as error:
        return [], [error.message]
    except DailyMemoryError as error:
        return [error.message], []
    if not is_sound:
        return ["is damaged; run `memory mirror rebuild`"], []
    return [], [_SHORTCOMINGS[level]] if _SHORTCOMINGS[level] else []
