"""Updates `index/`: the keywords file and the lookup cache, from the day files that changed.

If the content hash of a file changed, its sections are indexed. Rebuilding is the same from
nothing, so rebuilt and updated indexes are equal.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from itertools import chain

from daily_memory.core.format.markdown import Day, Outline
from daily_memory.core.progress import report_progress
from daily_memory.core.search import fields
from daily_memory.errors import BackendError, DamagedDataError
from daily_memory.model import Section, Session
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days, signatures
from daily_memory.storage.days import DayFile, Row
from daily_memory.storage.fs import files
from daily_memory.storage.index import keywords_json, listing, lookup
from daily_memory.storage.index.lookup import Current, Indexed, Lookup
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# How names of days begin that are noted together, and which part of them that is.
_MONTH = len("2026-01")
# So many sessions are taken out one by one in less than a second.
_MANY = 200
# After so many days were put in, the file is made compact.
_MANY_DAYS = 30
# What is put in at a time, in bytes of day files, stays when the process is killed: some 13 s of
# work. Half as much takes a tenth longer: each lot changes the rows of most terms.
LOT_BYTES = 32_000_000
# What is put in while savers wait: less than a second.
_PART_BYTES = 2_000_000
# For how long a hurried reader reads days itself.
HURRY_S = 0.7


class _Task(NamedTuple):
    """A day file, its hash in the cache, and the digests of its sections there."""

    file: DayFile
    known_hash: str
    known: Mapping[bytes, bytes]


class _Reading(NamedTuple):
    """What an update needs to know of a day file.

    `recent` is its note if it may change without a new stamp. The rest is there where the hash is
    new: the bytes, the sections that the cache has too, by their digests, and the others.
    """

    digest: str
    recent: str = ""
    data: bytes = b""
    current: Mapping[bytes, Current] = {}
    new: Sequence[Indexed] = ()


def build(root: Root) -> None:
    """Update the index in parts, so that savers need not wait."""
    from daily_memory.storage.fs.lock import locked  # who only reads needs none

    # Without a file to keep it in there is nothing to go on with.
    is_done = not lookup.can_store(root)
    while not is_done:
        with locked(root, wait_s=0):
            is_done = update(root, most_bytes=_PART_BYTES)


def discard(root: Root) -> None:
    """Remove a damaged cache; the next answer makes it again."""
    from daily_memory.storage.fs.lock import locked  # as above

    with locked(root, wait_s=1):
        lookup.create_lookup(root).close()


def update(root: Root, *, most_bytes: int = 0, written: Collection[str] = ()) -> bool:
    """Update `keywords.json` and the lookup cache. Call it with the lock held.

    Each lot of work stays, whatever happens to the next. With `most_bytes` only so much is done;
    the answer is whether that was everything. After a save, `written` are the day files that it
    added to: of a large memory only the newest month is looked at, and the next reader sees what
    else changed.
    """
    for folder in (root.index_folder, root.undo_folder, root.observations_folder, root.path):
        files.remove_leftovers(folder)
    signatures.remove_leftovers(root.path)
    opened = lookup.open_lookup(root)
    if opened:
        # Under the lock nobody else writes it. If it is damaged, the files have it all.
        with contextlib.suppress(DamagedDataError), contextlib.closing(opened):
            if written and _update_newest(root, opened, written):
                return True
            files.remove_leftovers(root.daily_folder)
            return _update(root, opened, most_bytes)
    with contextlib.closing(lookup.create_lookup(root)) as created:
        return _update(root, created, most_bytes)


def update_without(root: Root, removed: int) -> None:
    """Update the index after so many sessions were removed. Call it with the lock held.

    Removing a session takes three times as long as adding one: if few are left, rebuild.
    """
    if removed >= _MANY and 3 * removed > _count(root) - removed:
        rebuild(root)
    else:
        update(root)


def _count(root: Root) -> int:
    opened = lookup.open_lookup(root)
    if opened:
        with contextlib.suppress(DamagedDataError), contextlib.closing(opened):
            return opened.count
    return 0


def rebuild(root: Root) -> int:
    """Rebuild the whole index and return the number of sessions. Call it with the lock held."""
    with contextlib.closing(lookup.create_lookup(root)) as created:
        _update(root, created)
        return created.count


def content_hash(data: bytes) -> str:
    """Return the hash of a day file's content."""
    import hashlib  # a search that finds nothing changed has nothing to hash

    return hashlib.sha256(data).hexdigest()[:32]


class _Work:
    """An update: the day files, or those of a month, the cache, and what was read of the files.

    `hashes` are those of the files as the cache has them, `waiting` the files to look at.
    """

    def __init__(
        self, root: Root, opened: Lookup, rows: list[Row] | None = None, month: str = ""
    ) -> None:
        self.root = root
        self.opened = opened
        self.rows = days.day_rows(root) if rows is None else rows
        self.listed = [DayFile(*row) for row in self.rows if days.day_of(row[0])]
        known = opened.hashes(month)
        self.hashes = {file.name: known[file.name] for file in self.listed if file.name in known}
        missing = [DayFile(name, *files.NO_STAMP) for name in known.keys() - self.hashes.keys()]
        opened.remove([key for file in missing for key in opened.keep(file.day, {})])
        stamps = listing.unpack(opened.listing(month))
        recent = {note.partition(" ")[0] for note in opened.meta("recent").split("\n")}
        self.waiting = [
            file
            for file in self.listed
            if stamps.get(file.name) != file.stamp
            or file.name in recent
            or file.name not in self.hashes
        ]
        self.recent: list[str] = []
        self._data: dict[str, bytes] = {}
        self._authors: Authors | None = None
        self._done = 0

    def read(self, lot: Sequence[DayFile], *, is_stored: bool) -> Generator[_Reading, None, None]:
        """Yield what the files of a lot say, in order; of a large one several processes read."""
        reading = partial(_read, self.root, is_stored)
        tasks = [_Task(file, *self._known(file)) for file in lot]
        from daily_memory.storage import workers  # as above

        sizes = [file.size for file in lot]
        yield from workers.each(reading, tasks, sizes, modes=self.root.modes)

    def _known(self, file: DayFile) -> tuple[str, Mapping[bytes, bytes]]:
        known = self.hashes.get(file.name, "")
        return known, self.opened.digests(file.day) if known else {}

    def apply(self, lot: Sequence[DayFile], readings: Iterator[_Reading]) -> None:
        """Put the changed days of a lot into the cache."""
        removed: list[int] = []
        self.opened.add(self._added(lot, readings, removed))
        self.opened.remove(removed)
        if self._authors and self._authors.fault:
            self.opened.note(authors_fault=self._authors.fault)

    def _added(
        self, lot: Sequence[DayFile], readings: Iterator[_Reading], removed: list[int]
    ) -> Iterator[Indexed]:
        """Yield the sections that are new in a lot; note the keys of those that are gone."""
        for file, reading in zip(lot, readings, strict=False):
            self._done += 1
            self.recent += filter(None, [reading.recent])
            if reading.digest != self.hashes.get(file.name):
                self.hashes[file.name] = reading.digest
                self._data[file.name] = reading.data
                removed += self.opened.keep(file.day, reading.current)
                yield from self._marked(reading.new)
                self._data.clear()
                report_progress(self._done, len(self.waiting))

    def _marked(self, new: Sequence[Indexed]) -> Sequence[Indexed]:
        if self._authors is None:
            from daily_memory.storage.git.authors import (
                Authors,  # a search mostly finds nothing new
            )

            # Git is asked once for all lots.
            names = [file.name for file in self.waiting]
            self._authors = Authors(self.root, self._data, names)
        return self._authors.marked(new)


def _update(root: Root, opened: Lookup, most_bytes: int = 0) -> bool:
    """Update both index files; tell whether everything was done."""
    # Searches go on reading while the changes wait for the commit.
    opened.keep_readable()
    folder = listing.folder_note(root)
    layout = keywords_json.layout(opened.hashes(), opened.count)
    work = _Work(root, opened)
    left = work.waiting
    lots = list(_lots(work.waiting, most_bytes or LOT_BYTES))[: 1 if most_bytes else None]
    with contextlib.closing(work.read(list(chain(*lots)), is_stored=True)) as readings:
        for lot in lots:
            left = left[len(lot) :]
            work.apply(lot, readings)
            layout = _write(work, layout, {file.name for file in left})
            # Only what has all of the folder may be known by the folder.
            opened.note(folder="" if left else folder)
            opened.commit()
    if not left and len(work.waiting) >= _MANY_DAYS:
        opened.compact()
    return not left


def _update_newest(root: Root, opened: Lookup, written: Collection[str]) -> bool:
    """Update what has the newest month, after some of its files were written.

    Return whether that was enough: not with a new file, nor where there is something else to say,
    or to be moved to another file.
    """
    months = opened.months()
    if opened.count <= keywords_json.HOT_LIMIT or opened.meta("folder") != listing.folder_note(
        root
    ):
        return False
    newest, index_files = months[-2:]
    stamps = listing.unpack(opened.listing(newest))
    recent = filter(None, opened.meta("recent").split("\n"))
    looked_at = {*written, *(note.partition(" ")[0] for note in recent)}
    shards = listing.unpack(opened.listing(index_files))
    hot = os.path.join(root.index_folder, keywords_json.HOT)
    if (
        not looked_at <= stamps.keys()
        or opened.warnings
        or shards.get(keywords_json.HOT) != files.stamp(hot)
    ):
        return False
    before = opened.hashes(newest)
    rows = [(name, *listing.stamp_of(root, name)) for name in stamps]
    work = _Work(root, opened, rows=rows, month=newest)
    work.apply(work.waiting, work.read(work.waiting, is_stored=True))
    warnings = _faults(work.listed, work.hashes, is_foreign=False)
    if warnings or opened.count <= keywords_json.HOT_LIMIT:
        opened.take_back()
        return False
    lines = opened.entry_lines
    keywords_json.write_file(root, keywords_json.HOT, before, work.hashes, lines, _now())
    shards[keywords_json.HOT] = files.stamp(hot)
    rows += [(name, *stamp) for name, stamp in shards.items()]
    opened.note_listing(_by_month(rows, work.hashes), is_all=False)
    opened.note(recent="\n".join(work.recent))
    opened.commit()
    return True


def _by_month(rows: list[Row], hashes: Mapping[str, str]) -> Iterator[tuple[str, str, bytes, str]]:
    """Yield the rows of each month with their hashes, as they are noted; see `listing.pack`."""
    listed: dict[str, list[Row]] = {}
    noted: dict[str, list[str]] = {}
    for row in rows:
        listed.setdefault(row[0][:_MONTH], []).append(row)
    for name, value in hashes.items():
        noted.setdefault(name[:_MONTH], []).append(f"{name} {value}")
    for month in listed.keys() | noted.keys():
        lines = "\n".join(noted.get(month, []))
        yield month, *listing.pack(listed.get(month, [])), lines


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _lots(waiting: list[DayFile], most_bytes: int) -> Iterator[list[DayFile]]:
    """Yield the files in lots, at least one, which may be empty."""
    lot: list[DayFile] = []
    size = 0
    for file in waiting:
        if lot and size + file.size > most_bytes:
            yield lot
            lot, size = [], 0
        lot.append(file)
        size += file.size
    yield lot


def _write(work: _Work, before: keywords_json.Layout, left: set[str]) -> keywords_json.Layout:
    """Write `keywords.json`, and note what both index files have; return the new layout.

    What is `left` is not in the listing, so that the next update reads it.
    """
    root, opened = work.root, work.opened
    layout = keywords_json.layout(work.hashes, opened.count)
    is_foreign = keywords_json.is_foreign(root)
    if not is_foreign:
        noted = listing.unpack(opened.listing())
        keywords_json.write(root, before, layout, noted, opened.entry_lines, _now())
    rows = [row for row in work.rows if row[0] not in left] + listing.shard_rows(root)
    opened.note_listing(_by_month(rows, work.hashes), is_all=True)
    done = [file for file in work.listed if file.name not in left]
    opened.note(
        recent="\n".join(work.recent),
        warnings="\n".join(_faults(done, work.hashes, is_foreign=is_foreign)),
    )
    return layout


_FOREIGN = (
    "index/keywords.json is of a newer version: it was left alone; searches use the day files"
)


def _faults(files_: list[DayFile], hashes: dict[str, str], *, is_foreign: bool) -> list[str]:
    """Return the warnings about an index that has these files."""
    nothing = content_hash(b"")
    unread = [file.name for file in files_ if file.size and hashes[file.name] == nothing]
    warnings = [_FOREIGN] if is_foreign else []
    if unread:
        others = filled(" and {} more", len(unread) - 1) if len(unread) > 1 else ""
        told = filled(
            "left out, since it can't be read: daily/{}{}; `memory doctor`", unread[0], others
        )
        warnings.append(told)
    return warnings


def _read(root: Root, is_stored: bool, task: _Task) -> _Reading:
    """Read a day file, and cut it into sections if it is not what the cache has.

    Where the lines are the same, nothing is parsed: a long day gets another section at each save.
    """
    file, known_hash, known = task
    read_at = time.time_ns()
    path = file.path(root)
    data = listing.readable(path)
    # What can't be read now may be when the right key is there: the file stays the same.
    is_recent = files.is_recent(file.stamp, read_at) or (file.size and not data)
    recent = listing.recent_note(file.name, data) if is_recent else ""
    digest = content_hash(data)
    if digest == known_hash:
        return _Reading(digest, recent)
    try:
        outline = days.outline(data, file.day, path)
    except BackendError:
        digest, outline = content_hash(b""), Outline(Day(file.day, (), ()), [], ())
    present = set(known.values())
    starts = days.line_starts(data)
    current: dict[bytes, Current] = {}
    new: dict[bytes, Indexed] = {}
    for cut in outline.cuts:
        source = outline.digest(cut)
        first, last = cut.span
        place = Current(cut.copy, first, last, starts[first - 1], starts[last], source)
        own = known.get(source, b"")
        if not own:
            section = outline.section(cut)
            if section.session.is_private:
                continue
            own = section_digest(section)
            if own not in present:
                new[own] = _indexed(section.session, place, own, is_stored=is_stored)
        current[own] = place
    return _Reading(digest, recent, data, current, tuple(new.values()))


def _indexed(session: Session, current: Current, digest: bytes, *, is_stored: bool) -> Indexed:
    reading = fields.read(session)
    words: Sequence[str] = ()
    if is_stored:
        from daily_memory.core.search import keywords  # a search needs none

        words = keywords.keywords(session, reading)
    lengths = tuple(map(len, reading.terms))
    return Indexed(session, current, digest, reading.impacts, lengths, words)


def section_digest(section: Section) -> bytes:
    """Return a digest that two sections of a day share only if they are equal."""
    import hashlib  # as above

    data = repr(section.session).encode("utf-8", "backslashreplace")
    return hashlib.blake2b(data, digest_size=12).digest()


def in_memory(root: Root, most_bytes: int) -> tuple[Lookup, list[str], frozenset[int]]:
    """Return an index for one answer, from the cache on disk and the files, and its warnings.

    With `most_bytes`, only so much of the newest days is read; last come the days left out.
    """
    copy = _copy(root, is_hurried=bool(most_bytes))
    work = _Work(root, copy)
    unread: set[DayFile] = set()
    if most_bytes:
        unread = _apply_newest(work, most_bytes)
    else:
        work.apply(work.waiting, work.read(work.waiting, is_stored=False))
    copy.commit()
    done = [file for file in work.listed if file not in unread]
    warnings = _faults(done, work.hashes, is_foreign=_FOREIGN in copy.warnings)
    return copy, warnings, frozenset(file.day.toordinal() for file in unread)


def _copy(root: Root, *, is_hurried: bool) -> Lookup:
    """Return a copy of the cache in memory; an empty one if there is none."""
    with contextlib.suppress(BackendError, DamagedDataError):
        opened = lookup.open_lookup(root, is_hurried=is_hurried)
        if opened:
            with contextlib.closing(opened):
                return lookup.copy_in_memory(opened)
    return lookup.copy_in_memory(None)


def _apply_newest(work: _Work, most_bytes: int) -> set[DayFile]:
    """Put the newest days into the cache while there is time; return those left out."""
    end = time.monotonic() + HURRY_S
    unread = set(work.waiting)
    for file in reversed(work.waiting):
        if file.size <= most_bytes and time.monotonic() < end:
            most_bytes -= file.size
            work.apply([file], work.read([file], is_stored=False))
            unread.remove(file)
    return unread


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.storage.git.authors import Authors
