"""Keeps `index/` current with the day files, at every answer.

A day file whose size or times changed is read again, after a save as after an edit by hand; if its
content hash changed too, its sections are indexed. Rebuilding is the same from nothing, so rebuilt
and updated indexes are equal.
"""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from itertools import chain

from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import Progress, watched
from daily_memory.core.search import fields
from daily_memory.errors import BackendError, ConflictError, DamagedDataError, NotFoundError
from daily_memory.model import Section, SessionId
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days, signatures
from daily_memory.storage.days import DayFile, Row
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.fs.sqlite import HAS_SQLITE
from daily_memory.storage.index import keywords_json, lookup
from daily_memory.storage.index.lookup import BLOCK, Indexed, Lookup
from daily_memory.storage.roots import Root

# A file that changed so shortly before we read it may change again with the same times.
_CLOCK_STEP_NS = 50_000_000
_COARSE_CLOCK_STEP_NS = 2_000_000_000

# Of the day files whose folder did not change, who is in a hurry looks at so many of the newest,
# and at as many of the others, in turn.
_GLANCED = 15

# So many sessions are taken out one by one in less than a second.
_MANY = 200
# What is put in at a time, in bytes of day files, stays when the process is killed: a few seconds.
_LOT_BYTES = 2_000_000
# What a hook may read itself, a third of a second's work, and for how long where that takes more;
# the rest is left to another process.
HURRY_BYTES = 200_000
_HURRY_S = 0.7


class Freshness(NamedTuple):
    """A current index, with warnings.

    `is_stored`: it is the file, not a copy for this answer. `unread` are days, as ordinals, that
    there was no time for: their entries may be outdated. `stamps` are those of the day files that
    were not checked, by name.
    """

    lookup: Lookup | PlainLookup
    warnings: tuple[str, ...] = ()
    is_stored: bool = True
    unread: frozenset[int] = frozenset()
    stamps: Mapping[str, Stamp] = {}


class Origins(NamedTuple):
    """The authors of sessions of others, by id; those of `unread` days are unknown."""

    known: dict[SessionId, str]
    unread: frozenset[int] = frozenset()


class _State(NamedTuple):
    rows: list[Row]
    shards: dict[str, Stamp]


def refresh(
    root: Root,
    progress: Progress | None = None,
    *,
    most_bytes: int = 0,
    at_a_glance: bool = False,
) -> Freshness:
    """Return the root's index, current with the day files.

    A reader never waits: if another process holds the lock, or nothing can be written, it gets a
    copy in memory. If more than `most_bytes` changed, only so much of the newest days is read.
    `at_a_glance` skips most old days; their reader must compare stamps.
    """
    if at_a_glance and (glanced := _glance(root)):
        return glanced
    state = _look(root)
    if not lookup.can_store(root):
        return _refresh_in_memory(root, "", progress, most_bytes)
    try:
        opened = lookup.open_lookup(root, is_hurried=most_bytes > 0)
    except BackendError:
        return _refresh_in_memory(root, "", progress, most_bytes)
    if opened and _is_current(root, opened, state):
        return Freshness(opened, _warnings(opened))
    is_much = 0 < most_bytes < _changed_bytes(opened, state.rows)
    if opened:
        opened.close()
    if is_much:
        return _refresh_in_memory(root, "", progress, most_bytes)
    reason = ""
    try:
        from daily_memory.storage.fs.lock import locked  # a search mostly finds nothing changed

        with locked(root, wait_s=0):
            update(root, progress)
        opened = lookup.open_lookup(root)
        if opened:
            return Freshness(opened, _warnings(opened))
        reason = "the index was not written: it can't be read back"
    except ConflictError:
        pass  # a writer is at it, and will bring the index up to date itself
    except BackendError as error:
        reason = f"the index was not written: {error.message}"
    return _refresh_in_memory(root, reason, progress, most_bytes)


def build(root: Root) -> None:
    """Update the index in parts, so that savers need not wait.

    Raises:
        ConflictError: another process does it.
        BackendError: the system refused to write.
    """
    from daily_memory.storage.fs.lock import locked  # as above

    # Without a file to keep it in there is nothing to go on with.
    is_done = not lookup.can_store(root)
    while not is_done:
        with locked(root, wait_s=0):
            is_done = update(root, most_lots=1)


def load_origins(root: Root) -> dict[SessionId, str]:
    """Return the origin of each session that others committed to git, by id."""
    return find_origins(root).known


def find_origins(root: Root, *, most_bytes: int = 0) -> Origins:
    """Return the origins that the index knows, after as much work as `refresh` does."""
    for _ in range(2):
        fresh = refresh(root, most_bytes=most_bytes, at_a_glance=most_bytes > 0)
        try:
            return Origins(fresh.lookup.origins(), fresh.unread)
        except DamagedDataError:
            discard(root)
        finally:
            fresh.lookup.close()
    return Origins({})


def discard(root: Root) -> None:
    """Remove a damaged cache; the next answer makes it again."""
    from daily_memory.storage.fs.lock import locked  # as above

    with locked(root, wait_s=1):
        lookup.create_lookup(root).close()


def update(root: Root, progress: Progress | None = None, *, most_lots: int = 0) -> bool:
    """Update `keywords.json` and the lookup cache. Call it with the lock held.

    Each lot of work stays, whatever happens to the next. `most_lots` limits them; the answer is
    whether everything was done.
    """
    files.make_folder(root.index_folder, root.modes)
    folders = (root.index_folder, root.undo_folder, root.daily_folder, root.observations_folder)
    for folder in (*folders, root.path):
        files.remove_leftovers(folder)
    signatures.remove_leftovers(root.path)
    if not HAS_SQLITE:
        _write_without_sqlite(root, progress)
        return True
    opened = lookup.open_lookup(root)
    try:
        return _update(root, opened or lookup.create_lookup(root), progress, most_lots)
    except DamagedDataError:
        # Under the lock nobody else writes it. The files have it all.
        return _update(root, lookup.create_lookup(root), progress, most_lots)


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
    try:
        return opened.count if opened else 0
    except DamagedDataError:
        return 0
    finally:
        if opened:
            opened.close()


def rebuild(root: Root, progress: Progress | None = None) -> int:
    """Rebuild the whole index and return the number of sessions. Call it with the lock held."""
    files.make_folder(root.index_folder, root.modes)
    if not keywords_json.load_index(root).is_foreign:
        for name in keywords_json.shard_stamps(root):
            path = os.path.join(root.index_folder, name)
            if os.path.isfile(path):
                files.remove(path)
    if HAS_SQLITE:
        _update(root, lookup.create_lookup(root), progress)
    else:
        _write_without_sqlite(root, progress)
    if not lookup.can_store(root):
        return sum(len(shard.lines) for shard in keywords_json.load_index(root).shards.values())
    reopened = lookup.open_lookup(root)
    if reopened is None:
        raise BackendError("the index can't be read back", hint="check the disk")
    count = reopened.count
    reopened.close()
    return count


def _glance(root: Root) -> Freshness | None:
    """Return the index if it seems current; None if everything must be checked.

    New, removed and replaced files change the folder. Files changed in place do not: the newest are
    checked, and some of the others.
    """
    try:
        opened = lookup.open_lookup(root, is_hurried=True)
    except BackendError:
        return None
    if opened is None:
        return None
    try:
        stamps = _listed_stamps(opened.listing())
        names = list(stamps)
        others = names[:-_GLANCED]
        step = max(len(others) // _GLANCED, 1)
        asked = [*names[-_GLANCED:], *others[int(time.time()) % step :: step]]
        if (
            opened.meta("folder") == _folder_note(root)
            and all(_stamp_of(root, name) == stamps[name] for name in asked)
            and opened.meta("shards") == _shard_note(keywords_json.shard_stamps(root))
            and _recent_unchanged(root, opened)
        ):
            unseen = {name: stamps[name] for name in others if name not in asked}
            return Freshness(opened, _warnings(opened), stamps=unseen)
    except (BackendError, DamagedDataError):
        pass  # whoever looks at all of it finds out
    opened.close()
    return None


def _folder_note(root: Root) -> str:
    return f"{files.stamp(root.daily_folder)}"


def _stamp_of(root: Root, name: str) -> Stamp:
    return files.stamp(os.path.join(root.daily_folder, name))


def _look(root: Root) -> _State:
    return _State(days.day_rows(root), keywords_json.shard_stamps(root))


def _listing(rows: list[Row]) -> bytes:
    """Return names and stamps in a form that is quick to make and compare."""
    stamps = array("q", chain.from_iterable([row[1:] for row in rows]))
    return "\n".join([row[0] for row in rows]).encode() + b"\0" + stamps.tobytes()


def _listed_stamps(listing: bytes) -> dict[str, Stamp]:
    """Return the stamps in a listing, by name; none of what is no listing."""
    names, _, data = listing.partition(b"\0")
    numbers = array("q")
    try:
        numbers.frombytes(data)
        triples = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
        return dict(zip(names.decode().split("\n"), triples, strict=False))
    except ValueError:
        return {}


def _changed_bytes(opened: Lookup | None, rows: list[Row]) -> int:
    """Return the size of the day files whose stamps differ from the index."""
    try:
        stamps = _listed_stamps(opened.listing()) if opened else {}
    except (BackendError, DamagedDataError):
        stamps = {}
    return sum(row[1] for row in rows if stamps.get(row[0]) != row[1:])


def _shard_note(shards: dict[str, Stamp]) -> str:
    return "\n".join(f"{name} {stamp}" for name, stamp in shards.items())


def _is_current(root: Root, opened: Lookup, state: _State) -> bool:
    try:
        return (
            opened.listing() == _listing(state.rows)
            and opened.meta("shards") == _shard_note(state.shards)
            and _recent_unchanged(root, opened)
        )
    except (BackendError, DamagedDataError):
        return False


def _recent_unchanged(root: Root, opened: Lookup) -> bool:
    """Check the files that may have changed without new times."""
    recent = filter(None, opened.meta("recent").split("\n"))
    return all(
        _recent_note(name, _readable(os.path.join(root.daily_folder, name))) == note
        for note in recent
        for name in [note.partition(" ")[0]]
    )


def _recent_note(name: str, data: bytes) -> str:
    """Return a recently changed file with its checksum.

    A checksum is enough against an edit of the same length in the same moment; loading a hash would
    cost every search after a save 2 ms.
    """
    import zlib  # most searches have nothing to check

    return f"{name} {zlib.crc32(data)}"


def _readable(path: str) -> bytes:
    """Return the bytes of a day file; none if it can't be read, which `doctor` reports."""
    try:
        return files.read_bytes(path)
    except (BackendError, NotFoundError, DamagedDataError):
        return b""


def content_hash(data: bytes) -> str:
    """Return the hash of a day file's content."""
    import hashlib  # a search that finds nothing changed has nothing to hash

    return hashlib.sha256(data).hexdigest()[:32]


def _warnings(opened: Lookup) -> tuple[str, ...]:
    return tuple(filter(None, opened.meta("warnings").split("\n")))


# ---------------------------------------------------------------------------- updating


class _DayReader:
    """Reads day files once each, and caches what it saw."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._parsed: dict[str, Day] = {}
        self.hashes: dict[str, str] = {}
        self.recent: list[str] = []
        # The bytes of each file that changed.
        self.changed: dict[str, bytes] = {}

    def read(self, file: DayFile, known: str) -> bool:
        """Read a file and tell whether its content differs from the `known` hash."""
        read_at = time.time_ns()
        data = _readable(file.path(self.root))
        self.hashes[file.name] = content_hash(data)
        # What can't be read now may be when the right key is there: the file stays the same.
        if is_recent(file.stamp, read_at) or (file.size and not data):
            self.recent.append(_recent_note(file.name, data))
        is_changed = self.hashes[file.name] != known
        if is_changed:
            self.changed[file.name] = data
            try:
                self._parse(file, data)
            except BackendError:
                self.hashes[file.name] = content_hash(b"")
                self._parse(file, b"")
        return is_changed

    def day(self, file: DayFile) -> Day:
        if file.name not in self._parsed:
            self._parse(file, _readable(file.path(self.root)))
        return self._parsed[file.name]

    def forget(self) -> None:
        """Release what was read, but not the hashes."""
        self._parsed.clear()
        self.changed.clear()

    def _parse(self, file: DayFile, data: bytes) -> None:
        path = file.path(self.root)
        self._parsed[file.name] = days.parse_bytes(data, file.day, path)


def is_recent(stamp: Stamp, read_at: int) -> bool:
    """Tell whether a file read at a time (in ns) may have changed since without a new stamp."""
    latest = max(stamp[1], stamp[2])
    step = _COARSE_CLOCK_STEP_NS if latest % 1_000_000_000 == 0 else _CLOCK_STEP_NS
    return latest + step > read_at


class _Work:
    """What an update needs: the files, the cache, and what was read."""

    def __init__(self, root: Root, opened: Lookup, rows: list[Row]) -> None:
        self.root = root
        self.opened = opened
        self.rows = rows
        self.listed = [DayFile(*row) for row in rows if days.day_of(row[0])]
        self.reader = _DayReader(root)
        self.old = opened.hashes()
        self.trusted = _trusted_hashes(opened, self.listed, self.old)
        self._authors: Authors | None = None
        self._count = 0

    def waiting(self, indexed: Mapping[str, str] | None = None) -> list[DayFile]:
        """Return the files that may differ from the cache or, if `indexed`, `keywords.json`."""
        waiting = []
        for file in self.listed:
            known = self.trusted.get(file.name)
            if known is None or (indexed is not None and indexed.get(file.name) != known):
                waiting.append(file)
            else:
                self.reader.hashes[file.name] = known
        return waiting

    def apply(
        self, lot: list[DayFile], waiting: list[DayFile], progress: Progress | None
    ) -> set[bytes]:
        """Put the changed days of a lot into the cache; return the digests of unchanged sections.

        `waiting` are those of all lots: git is asked once.
        """
        for name in sorted(set(self.old) - {file.name for file in self.listed}):
            self.opened.keep(DayFile(name, *files.NO_STAMP).day, {})
        changed = self._changed(lot)
        done = self._count
        self._count += len(lot)
        unchanged: set[bytes] = set()
        if not changed:
            return unchanged
        if self._authors is None:
            from daily_memory.storage.git.authors import (
                Authors,  # a search mostly finds nothing new
            )

            names = [file.name for file in waiting]
            self._authors = Authors(self.root, self.reader.changed, names)
        added: list[Indexed] = []
        for count, file in enumerate(changed, 1):
            new, stayed = _merge_day(self.opened, self.reader.day(file))
            unchanged |= stayed
            added += self._authors.marked(new)
            if len(added) >= BLOCK or count == len(changed):
                self.opened.add(added)
                added = []
            if progress:
                progress(done + count, len(waiting))
        if self._authors.fault:
            self.opened.note(authors_fault=self._authors.fault)
        return unchanged

    def _changed(self, lot: list[DayFile]) -> list[DayFile]:
        changed = []
        for file in lot:
            if file.name in self.trusted:
                self.reader.hashes[file.name] = self.trusted[file.name]
            elif self.reader.read(file, self.old.get(file.name, "")):
                changed.append(file)
        return changed


def _update(root: Root, opened: Lookup, progress: Progress | None, most_lots: int = 0) -> bool:
    """Update both index files and close the cache; tell whether everything was done."""
    try:
        # Searches go on reading while the changes wait for the commit.
        opened.keep_readable()
        folder = _folder_note(root)
        index = keywords_json.load_index(root)
        work = _Work(root, opened, days.day_rows(root))
        waiting = work.waiting(None if index.is_foreign else index.hashes)
        left = waiting
        for number, lot in enumerate(_lots(waiting), 1):
            left = left[len(lot) :]
            index = keywords_json.load_index(root) if number > 1 else index
            unchanged = work.apply(lot, waiting, progress)
            _write(work, index, lot, left, unchanged)
            # Only what has all of the folder may be known by the folder.
            opened.note(folder="" if left else folder)
            opened.commit()
            work.reader.forget()
            if number == most_lots:
                break
        return not left
    finally:
        opened.close()


def _lots(waiting: list[DayFile]) -> Iterator[list[DayFile]]:
    """Yield the files in lots, at least one, which may be empty."""
    lot: list[DayFile] = []
    size = 0
    for file in waiting:
        if lot and size + file.size > _LOT_BYTES:
            yield lot
            lot, size = [], 0
        lot.append(file)
        size += file.size
    yield lot


def _write(
    work: _Work,
    index: keywords_json.KeywordIndex,
    lot: list[DayFile],
    left: list[DayFile],
    unchanged: set[bytes],
) -> None:
    """Write a lot into both index files; the files that are `left` keep their old hashes."""
    root, opened, hashes = work.root, work.opened, work.reader.hashes
    names = {file.name for file in left}
    indexed = index.hashes
    if not index.is_foreign:
        entries = {
            # Entries are used again only if they are of the state that the cache was in.
            file.name: _entries(
                index.day_lines(file.name)
                if indexed.get(file.name) == work.old.get(file.name)
                else [],
                work.reader.day(file),
                unchanged,
                opened.day_origins(file.day),
            )
            for file in lot
            if indexed.get(file.name) != hashes[file.name]
        }
        known = {**hashes, **{name: indexed[name] for name in names & indexed.keys()}}
        keywords_json.update_index(root, index, entries, known, count=opened.count, now=_now())
    opened.note_hashes({**hashes, **{name: work.old[name] for name in names & work.old.keys()}})
    # What is left is not in the listing, so that the next one sees to it.
    opened.note_listing(_listing([row for row in work.rows if row[0] not in names]))
    done = [file for file in work.listed if file.name not in names]
    opened.note(
        shards=_shard_note(keywords_json.shard_stamps(root)),
        recent="\n".join(work.reader.recent),
        warnings="\n".join(_told(index.is_foreign, done, hashes)),
    )


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


_FOREIGN = (
    "index/keywords.json is of a newer version: it was left alone; searches use the day files"
)


def _told(is_foreign: bool, listed: list[DayFile], hashes: dict[str, str]) -> list[str]:
    """Return the warnings about an index."""
    nothing = content_hash(b"")
    unread = [file.name for file in listed if file.size and hashes[file.name] == nothing]
    told = [_FOREIGN] if is_foreign else []
    if unread:
        others = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
        told.append(f"left out, since it can't be read: daily/{unread[0]}{others}; `memory doctor`")
    return told


def _trusted_hashes(
    opened: Lookup, listed: list[DayFile], hashes: dict[str, str]
) -> dict[str, str]:
    """Return the hashes of the files whose stamps did not change."""
    stamps = _listed_stamps(opened.listing())
    recent = {note.partition(" ")[0] for note in opened.meta("recent").split("\n")}
    return {
        file.name: hashes[file.name]
        for file in listed
        if file.name in hashes and file.name not in recent and stamps.get(file.name) == file.stamp
    }


def _merge_day(opened: Lookup, day: Day) -> tuple[list[Indexed], set[bytes]]:
    """Return the new sections of a day, and the digests of the others."""
    public = [section for section in day.all_sections if not section.session.is_private]
    by_digest = {section_digest(section): section for section in public}
    present = set(opened.digests(day.date))
    opened.keep(day.date, by_digest)
    added = [
        Indexed(
            section.session,
            section.span,
            digest,
            fields.impacts(section.session),
            fields.field_lengths(section.session),
        )
        for digest, section in by_digest.items()
        if digest not in present
    ]
    return added, present & set(by_digest)


def section_digest(section: Section) -> bytes:
    """Return a digest that two sections of a day share only if they are equal."""
    import hashlib  # as above

    said = repr(section.session).encode("utf-8", "backslashreplace")
    return hashlib.blake2b(said, digest_size=12).digest()


def _entries(
    old_lines: list[bytes], day: Day, unchanged: set[bytes], origins: dict[bytes, str]
) -> list[bytes]:
    """Return the entries of a day, reusing those of unchanged sections."""
    from daily_memory.core.search import keywords  # a search writes none

    old = keywords_json.entries_by_key(old_lines)
    lines = []
    for section in day.all_sections:
        session = section.session
        if session.is_private:
            continue
        line = old.get((session.number, session.copy))
        digest = section_digest(section)
        if line and digest in unchanged:
            lines.append(keywords_json.moved_entry(line, section))
        else:
            session = session._replace(origin=origins.get(digest) or session.origin)
            shown = section._replace(session=session)
            lines.append(keywords_json.format_entry(shown, keywords.keywords(session)))
    return lines


def _copy(root: Root, *, is_hurried: bool) -> Lookup:
    """Return a copy of the file in memory; an empty cache without a file."""
    opened = None
    try:
        opened = lookup.open_lookup(root, is_hurried=is_hurried)
        return lookup.copy_in_memory(opened)
    except (BackendError, DamagedDataError):
        return lookup.copy_in_memory(None)
    finally:
        if opened:
            opened.close()


def _refresh_in_memory(
    root: Root, reason: str, progress: Progress | None, most_bytes: int
) -> Freshness:
    """Return an index for this one answer, from the cache on disk and the files."""
    if not HAS_SQLITE:
        return _refresh_without_sqlite(root, progress)
    copy = _copy(root, is_hurried=most_bytes > 0)
    work = _Work(root, copy, days.day_rows(root))
    waiting = work.waiting()
    if most_bytes:
        _apply_newest(work, waiting, most_bytes)
    else:
        work.apply(waiting, waiting, progress)
    copy.commit()
    read = work.reader.hashes
    done = [file for file in work.listed if file.name in read]
    told = [_FOREIGN] if _FOREIGN in _warnings(copy) else []
    told = [*told, *_told(False, done, read), *([reason] if reason else [])]
    unread = frozenset(file.day.toordinal() for file in work.listed if file.name not in read)
    return Freshness(copy, tuple(told), is_stored=False, unread=unread)


def _apply_newest(work: _Work, waiting: list[DayFile], most_bytes: int) -> None:
    """Put the newest days into the cache, newest first, while there is time."""
    end = time.monotonic() + _HURRY_S
    taken: list[DayFile] = []
    for file in reversed(waiting):
        if file.size <= most_bytes:
            most_bytes -= file.size
            taken.append(file)
    for file in taken:
        if time.monotonic() < end:
            work.apply([file], taken, None)


# ---------------------------------------------------------------------------- without SQLite


def _refresh_without_sqlite(root: Root, progress: Progress | None) -> Freshness:
    from daily_memory.storage.index.plain_lookup import PlainLookup  # few Pythons lack SQLite

    listed, sections, reader, fault = _read_all(root, progress)
    every = [section for of_day in sections.values() for section in of_day]
    warnings = tuple(_told(False, listed, reader.hashes))
    return Freshness(PlainLookup(every, authors_fault=fault), warnings, is_stored=False)


def _write_without_sqlite(root: Root, progress: Progress | None) -> None:
    """Bring `keywords.json` up to date."""
    from daily_memory.core.search import keywords  # a search writes none

    index = keywords_json.load_index(root)
    if index.is_foreign:
        return
    _, sections, reader, _ = _read_all(root, progress)
    changed = {
        name: [
            keywords_json.format_entry(section, keywords.keywords(section.session))
            for section in of_day
        ]
        for name, of_day in sections.items()
        if index.hashes.get(name) != reader.hashes[name]
    }
    count = sum(map(len, sections.values()))
    keywords_json.update_index(root, index, changed, reader.hashes, count=count, now=_now())


def _read_all(
    root: Root, progress: Progress | None
) -> tuple[list[DayFile], dict[str, list[Section]], _DayReader, str]:
    """Return the day files, their public sections by name, their reader, and git's fault."""
    from daily_memory.storage.git.authors import Authors  # as above

    listed = days.list_days(root)
    reader = _DayReader(root)
    authors = Authors(root, reader.changed, [file.name for file in listed])
    sections: dict[str, list[Section]] = {}
    for file in watched(listed, progress):
        reader.read(file, "")
        public = (
            section for section in reader.day(file).all_sections if not section.session.is_private
        )
        found = [Indexed(*section, section_digest(section), {}, ()) for section in public]
        sections[file.name] = [
            Section(one.session._replace(origin=one.origin or one.session.origin), one.span)
            for one in authors.marked(found)
        ]
    return listed, sections, reader, authors.fault


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.storage.git.authors import Authors
    from daily_memory.storage.index.plain_lookup import PlainLookup
