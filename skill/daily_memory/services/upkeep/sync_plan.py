"""A sync as a plan: what is here and what is there merged, before anything is written.

A commit has the days as `daily/DATE.md`, each with what is archived of it; the ids of those
sections in `archived`; `summary.md`; and what was deleted in `deleted.jsonl`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from typing import NamedTuple

from daily_memory.core.format.session_json import parse_id
from daily_memory.core.progress import Progress, watched
from daily_memory.core.redaction.privacy import Policy
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.services.changing import edit
from daily_memory.services.upkeep import sync_merge
from daily_memory.services.upkeep.sync_merge import DaySides, SyncedDay, WholeDay
from daily_memory.storage import (
    archive_files,
    days,
    deleted,
    file_kinds,
    journal,
    observations,
    sync_key,
)
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import NO_STAMP, Stamp
from daily_memory.storage.git.sync_repository import SyncRepository
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root

_DELETED, _ARCHIVED = "deleted.jsonl", "archived"


class Changes(NamedTuple):
    """The ids of sessions that came, changed or went, and `summary.md`."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Snapshot(NamedTuple):
    """A commit: the blobs of its files, encrypted or not, and how often each machine had pushed."""

    commit: str = ""
    blobs: Mapping[str, str] = {}
    machines: Mapping[str, int] = {}
    is_sealed: bool = False


class Plan(NamedTuple):
    """What a sync does.

    `writes` are files here with all bytes they are to have, in this order; b"" for none. What is
    to be there: `unchanged` are blobs that are there already, `added` the other files.
    `is_growing`: no line of a file there goes. `private` is how many sections stayed here.
    """

    writes: tuple[tuple[str, bytes], ...]
    unchanged: Mapping[str, str]
    added: Mapping[str, bytes]
    deletions: tuple[Deleted, ...]
    stamps: Mapping[str, Stamp]
    private: int
    received: Changes
    sent: Changes
    is_growing: bool


class _Side:
    """The files of a commit, each read once."""

    def __init__(self, repository: SyncRepository, snapshot: Snapshot, key: bytes) -> None:
        self.blobs = snapshot.blobs
        self._repository = repository
        self._read: dict[str, bytes] = {}
        self.archived = {line for line in self.find(_ARCHIVED).decode().split("\n") if line}
        lines = deleted.parse_lines(self.find(_DELETED))
        self.deleted = {sync_key.veiled(key, entry) for entry in lines if _day_of(entry.id)}

    def load(self, names: Iterable[str]) -> None:
        """Read files at once."""
        blobs = {self.blobs[name]: name for name in names if name in self.blobs}
        contents = self._repository.read(blobs) if blobs else {}
        self._read |= {blobs[blob]: data for blob, data in contents.items()}

    def find(self, name: str) -> bytes:
        if name in self.blobs and name not in self._read:
            self.load([name])
        return self._read.get(name, b"")

    def day(self, day: date) -> WholeDay:
        numbers = (parse_id(id_).number for id_ in self.archived if id_.startswith(f"{day}#"))
        return WholeDay(self.find(_name(day)), frozenset(numbers))


class Merging:
    """What is here, what was there last, and what is there now."""

    def __init__(
        self,
        root: Root,
        policy: Policy,
        key: bytes,
        repository: SyncRepository,
        base: Snapshot,
        theirs: Snapshot,
        progress: Progress | None = None,
    ) -> None:
        self._root, self._policy, self._key = root, policy, key
        self._progress = progress
        self._base, self._theirs = (_Side(repository, side, key) for side in (base, theirs))
        self._synced: dict[object, SyncedDay] = {}

    def purged_here(self) -> list[str]:
        """Return the ids of sections that another machine purged, or made private, since."""
        there = sync_merge.purged_numbers(self._theirs.deleted - self._base.deleted)
        return [
            str(item.session.id)
            for day, numbers in there.items()
            for sides in [self._sides(day)]
            for item in sync_merge.purged_sections(sides.local.data, sides, day, numbers)
        ]

    def plan(self, clean: Mapping[str, Stamp]) -> Plan:
        """Return what to do; files with their stamp in `clean` are as in the base."""
        stamps, base, theirs = _stamps(self._root), self._base, self._theirs
        own = set(deleted.load(self._root))
        new = own - base.deleted, theirs.deleted - base.deleted
        names = {*map(_name_in, stamps), *base.blobs, *theirs.blobs} - {_DELETED, _ARCHIVED}
        moved = base.archived ^ theirs.archived
        touched = {
            _name(day)
            for id_ in {*moved, *(entry.id for entry in new[0] | new[1])}
            if (day := _day_of(id_))
        }
        touched |= {name for name in names if base.blobs.get(name) != theirs.blobs.get(name)}
        touched |= {_name_in(name) for name, stamp in stamps.items() if clean.get(name) != stamp}
        touched |= {_name_in(name) for name in clean if name not in stamps}
        touched |= names - set(map(_name_in, stamps))
        for side in (base, theirs):
            side.load(touched)
        purged = [sync_merge.purged_numbers(entries) for entries in new]
        merged: dict[date, tuple[DaySides, SyncedDay]] = {}
        for name in watched(sorted(touched - {file_kinds.SUMMARY}), self._progress):
            day = date.fromisoformat(name[6:16])
            sides = self._sides(day)
            merged[day] = (
                sides,
                self._merged(sides, day, *(by.get(day, frozenset()) for by in purged)),
            )
        return self._planned(merged, stamps, own, with_summary=file_kinds.SUMMARY in touched)

    def _planned(
        self,
        merged: Mapping[date, tuple[DaySides, SyncedDay]],
        stamps: Mapping[str, Stamp],
        own: set[Deleted],
        *,
        with_summary: bool,
    ) -> Plan:
        base, theirs = self._base, self._theirs
        # Each file as it was here and there, as it is written, and as it is sent.
        rows = {
            _name(day): (sides.local.data, sides.theirs.data, done.written.data, done.sent.data)
            for day, (sides, done) in merged.items()
        }
        writes = [
            write
            for day, (sides, done) in merged.items()
            if done.written != sides.local
            for write in self._writes(day, done.written)
        ]
        if with_summary:
            name = file_kinds.SUMMARY
            here, there = files.find_bytes(self._path(name)) or b"", theirs.find(name)
            written, sent = sync_merge.sync_summary(
                base.find(name), here, there, self._path(name), self._policy
            )
            rows[name] = here, there, written, sent
            writes += [(name, written)] * (written != here)
        had = {day: sync_merge.numbers_in(sides.base.data) for day, (sides, _) in merged.items()}
        private = [(day, number) for day, (_, done) in merged.items() for number in done.private]
        deletions = sync_merge.merged_deletions(base.deleted, own, theirs.deleted, had, private)
        archived = {id_ for id_ in theirs.archived if _day_of(id_) not in merged}
        for day, (_, done) in merged.items():
            archived |= {f"{day}#{number}" for number in done.sent.archived}
        added = {name: sent for name, (_, there, _, sent) in rows.items() if sent != there}
        if archived != theirs.archived:
            added[_ARCHIVED] = "".join(f"{id_}\n" for id_ in sorted(archived)).encode()
        if deletions != theirs.deleted:
            veiled = (sync_key.veiled(self._key, entry) for entry in sorted(deletions))
            added[_DELETED] = deleted.format_lines(veiled)
        return Plan(
            tuple(writes),
            {name: blob for name, blob in theirs.blobs.items() if name not in added},
            {name: data for name, data in added.items() if data},
            tuple(sorted(deletions)),
            stamps,
            sum(len(done.private) for _, done in merged.values()),
            _changes({name: (here, written) for name, (here, _, written, _) in rows.items()}),
            _changes({name: (there, sent) for name, (_, there, _, sent) in rows.items()}),
            all(_grows(there, sent) for _, there, _, sent in rows.values()),
        )

    def _merged(self, sides: DaySides, day: date, *purged: frozenset[int]) -> SyncedDay:
        known = sides, day, purged
        if known not in self._synced:
            path = self._path(_name(day))
            self._synced[known] = sync_merge.sync_day(sides, day, path, self._policy, *purged)
        return self._synced[known]

    def _sides(self, day: date) -> DaySides:
        return DaySides(self._base.day(day), self._here(day), self._theirs.day(day))

    def _here(self, day: date) -> WholeDay:
        path = self._path(_name(day))
        archived = archive_files.find_data(self._root, day) or b""
        return sync_merge.joined(files.find_bytes(path) or b"", archived, path)

    def _writes(self, day: date, whole: WholeDay) -> Iterable[tuple[str, bytes]]:
        """Yield the files of a day; a section is in its new place before it leaves the old one."""
        name, packed = _name(day), archive_files.relative_path(day)
        daily, archived = sync_merge.parted(whole, self._path(name))
        is_packed = os.path.exists(self._path(packed))
        if archived or is_packed:
            yield name, whole.data
            yield packed, archive_files.pack(archived) if archived else b""
        yield name, daily

    def _path(self, name: str) -> str:
        return os.path.join(self._root.path, name)


def without_texts(
    repository: SyncRepository, base: Snapshot, ids: Collection[str]
) -> dict[str, bytes]:
    """Return the days of a snapshot that have these sections, with nothing but their headings."""
    names = {_name(parse_id(id_).date) for id_ in ids} & base.blobs.keys()
    data = repository.read(base.blobs[name] for name in names) if names else {}
    return {
        name: sync_merge.with_headings_only(
            data[base.blobs[name]], date.fromisoformat(name[6:16]), ids
        )
        for name in sorted(names)
    }


def is_synced(name: str) -> bool:
    """Tell whether a file of a commit is one that a sync writes."""
    return name in (_DELETED, _ARCHIVED, file_kinds.SUMMARY) or bool(file_kinds.day_of(name))


def _name(day: date) -> str:
    return f"daily/{day}.md"


def _name_in(name: str) -> str:
    """Return the name in a commit of a file here."""
    archived = file_kinds.archived_day(name)
    return _name(archived) if archived else name


def _day_of(id_: str) -> date | None:
    try:
        return parse_id(id_).date
    except InvalidInputError:
        return None


def _stamps(root: Root) -> dict[str, Stamp]:
    """Return the stamps of the files of a root that are synced."""
    stamps = {f"daily/{file.name}": file.stamp for file in days.list_days(root)}
    for archived in archive_files.list_days(root):
        stamps[archive_files.relative_path(archived.day)] = files.stamp(archived.path)
    summary = files.stamp(os.path.join(root.path, file_kinds.SUMMARY))
    return stamps if summary == NO_STAMP else {**stamps, file_kinds.SUMMARY: summary}


def _grows(before: bytes, after: bytes) -> bool:
    return set(before.split(b"\n")) <= set(after.split(b"\n"))


def _changes(files_: Mapping[str, tuple[bytes, bytes]]) -> Changes:
    """Return which sessions differ, by their texts: what only got another number does not."""
    old, new = (
        {(name, text): id_ for name, pair in files_.items() for id_, text in _said(name, pair[at])}
        for at in (0, 1)
    )
    removed = {old[text] for text in old.keys() - new.keys()}
    added = {new[text] for text in new.keys() - old.keys()}
    both = removed & added
    return Changes(*(tuple(sorted(ids)) for ids in (added - both, both, removed - both)))


def _said(name: str, data: bytes) -> Iterable[tuple[str, str]]:
    day = file_kinds.day_of(name)
    return sync_merge.said_in(data, day) if day else [(name, repr(data))] if data else []


# ---------------------------------------------------------------------------- writing


def write(root: Root, plan: Plan, now: datetime) -> list[str]:
    """Write the files of a plan here, with the lock held; return warnings.

    Raises:
        ConflictError: an editor saved one of them since the plan was made: plan again.
    """
    deleted.replace(root, plan.deletions)
    warnings = _note_removed(root, plan, now)
    stamps = dict(plan.stamps)
    for name, data in plan.writes:
        path, stamp = os.path.join(root.path, name), stamps.get(name, NO_STAMP)
        archive_files.check_way(root, path)
        if data:
            files.make_folder(os.path.dirname(path), root.modes)
            # The temporary file is not left in the archive, where nobody would look for it.
            beside = root.index_folder if name.endswith(".gz") else ""
            files.replace(path, data, root.modes, expected=stamp, folder=beside)
        else:
            files.check_unchanged(path, stamp)
            files.remove(path)
        stamps[name] = files.stamp(path)
    return warnings + edit.refresh(root, len(plan.received.removed))


def _note_removed(root: Root, plan: Plan, now: datetime) -> list[str]:
    """Note in the journal what goes, and blank what was recorded of it."""
    at = journal.format_moment(now)
    ids = [id_ for id_ in plan.received.removed if _day_of(id_) and not id_.endswith("#0")]
    journal.add_records(root, [JournalEntry(at, id_, "") for id_ in ids], now)
    deletions = {entry.id for entry in plan.deletions}
    warnings = []
    for id_ in deletions.intersection(ids):
        section = days.find_section(root, *parse_id(id_))
        conversation = section.session.conversation if section else ""
        try:
            for path, held_id in observations.made_of(root, conversation, id_):
                places = observations.held(path, files.read_bytes(path), held_id)
                observations.erase(root, path, places)
        except DailyMemoryError as error:
            warnings.append(f"synced, but what was recorded of {id_} stays: {error.message}")
    return warnings
