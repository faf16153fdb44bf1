"""A sync as a plan: what is here and what is there merged, before anything is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import NamedTuple

from daily_memory.core.format.exact import to_text
from daily_memory.core.format.session_json import parse_id
from daily_memory.core.redaction.privacy import Policy
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.services.changing import edit
from daily_memory.services.upkeep import sync_merge
from daily_memory.services.upkeep.sync_merge import DayFiles, DaySides, Outgoing
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

DELETED = "deleted.jsonl"


class Changes(NamedTuple):
    """The ids of sessions that came, changed or went, and `summary.md`."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Snapshot(NamedTuple):
    """A commit: the blobs of its files, and how often each machine had pushed."""

    commit: str = ""
    blobs: Mapping[str, str] = {}
    machines: Mapping[str, int] = {}


class Plan(NamedTuple):
    """What a sync does.

    `writes` are files here, b"" for none. What is to be there: `unchanged` are blobs that are there
    already, `added` the other files. `is_growing`: no line of a file there goes.
    """

    writes: Mapping[str, bytes]
    unchanged: Mapping[str, str]
    added: Mapping[str, bytes]
    deletions: tuple[Deleted, ...]
    stamps: Mapping[str, Stamp]
    private: tuple[str, ...]
    received: Changes
    sent: Changes
    is_growing: bool


class _Outcome(NamedTuple):
    """A file as it was here and there, what of it had left here, and as it will be."""

    local: bytes
    left: bytes
    theirs: bytes
    written: bytes
    sent: bytes


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
    ) -> None:
        self._root, self._policy, self._key, self._repository = root, policy, key, repository
        self._base, self._theirs = base, theirs
        self._blobs: dict[str, bytes] = {"": b""}
        self._searched: dict[tuple[str, bytes], Outgoing] = {}
        both = [set(self._deletions(snapshot)) for snapshot in (base, theirs)]
        self._deleted_before, self._deleted_theirs = both
        self._deleted_there = frozenset(both[1] - both[0])

    # ------------------------------------------------------------------ reading

    def _there(self, snapshot: Snapshot, names: Iterable[str]) -> list[bytes]:
        """Return files of a snapshot, archives unpacked; b"" for those it does not have."""
        blobs = [(name, snapshot.blobs.get(name, "")) for name in names]
        missing = {blob for _, blob in blobs} - self._blobs.keys()
        self._blobs |= self._repository.read(missing) if missing else {}
        return [_unpacked(name, self._blobs[blob]) for name, blob in blobs]

    def _deletions(self, snapshot: Snapshot) -> list[Deleted]:
        entries = deleted.parse_lines(*self._there(snapshot, [DELETED]))
        return [sync_key.veiled(self._key, entry) for entry in entries if _day_of(entry.id)]

    def _here(self, name: str) -> bytes:
        return _unpacked(name, files.find_bytes(os.path.join(self._root.path, name)) or b"")

    def _left(self, name: str, data: bytes, known: bytes) -> Outgoing:
        """Return what of a file leaves this machine; it is searched once."""
        if (name, data) not in self._searched:
            path, day = os.path.join(self._root.path, name), _day_of_file(name)
            self._searched[name, data] = (
                sync_merge.outgoing(data, day, path, known, self._policy)
                if day
                else Outgoing(sync_merge.outgoing_summary(data, path, self._policy))
            )
        return self._searched[name, data]

    # ------------------------------------------------------------------ planning

    def purged_here(self) -> list[str]:
        """Return the ids of sections that another machine purged, or made private, since."""
        purged = [entry for entry in self._deleted_there if entry.purged]
        ids: list[str] = []
        for day in sorted({date.fromisoformat(entry.id[:10]) for entry in purged}):
            names = _names(day)
            base = DayFiles(*self._there(self._base, names))
            here = zip(names, map(self._here, names), base, strict=True)
            left = DayFiles(*(self._left(*file).data for file in here))
            ids += sync_merge.purged_ids(left, base, day, purged)
        return ids

    def plan(self, clean: Mapping[str, Stamp], private: Collection[str]) -> Plan:
        """Return what to do; files with their stamp in `clean` are as in the base.

        `private` are the private sections in those.
        """
        stamps = _stamps(self._root)
        base, theirs = self._base.blobs, self._theirs.blobs
        changed = {
            name
            for name in {*stamps, *base, *theirs} - {DELETED}
            if base.get(name) != theirs.get(name)
            or stamps.get(name, NO_STAMP) != clean.get(name, NO_STAMP)
            or (name in stamps) != (name in base)
        }
        own = set(deleted.load(self._root))
        moved = {entry.id for entry in (own ^ self._deleted_before) | self._deleted_there}
        touched = {*map(_day_of_file, changed), *map(_day_of, moved)}
        changed_days = sorted(day for day in touched if day)
        kept_private = {id_ for id_ in private if _day_of(id_) not in touched}
        outcome, hidden, before = self._merged_days(changed_days, own, kept_private)
        if file_kinds.SUMMARY in changed:
            outcome[file_kinds.SUMMARY] = self._merged_summary()
        here = sync_merge.deletions_here(own, hidden, self._deleted_before, before)
        entries = sync_merge.merged_deletions(self._deleted_before, here, self._deleted_theirs)
        added = {name: file.sent for name, file in outcome.items() if file.sent != file.theirs}
        added = {name: _packed(name, data) for name, data in added.items()}
        if entries != self._deleted_theirs:
            veiled = [sync_key.veiled(self._key, entry) for entry in sorted(entries)]
            added[DELETED] = deleted.format_lines(veiled)
        return Plan(
            {name: file.written for name, file in outcome.items() if file.written != file.local},
            {name: blob for name, blob in theirs.items() if name not in added},
            {name: data for name, data in added.items() if data},
            tuple(sorted(sync_merge.without_private(entries, hidden))),
            stamps,
            tuple(sorted(hidden)),
            _changes(outcome, lambda file: file.left, lambda file: file.sent),
            _changes(outcome, lambda file: file.theirs, lambda file: file.sent),
            all(_grows(file.theirs, file.sent) for file in outcome.values()),
        )

    def _merged_days(
        self, changed: list[date], own: set[Deleted], private: set[str]
    ) -> tuple[dict[str, _Outcome], set[str], dict[date, DayFiles]]:
        """Return the files of some days, the ids of all private sections, and the days before."""
        sides, hidden = {}, set(private)
        for day in changed:
            names = _names(day)
            base, theirs = (self._there(side, names) for side in (self._base, self._theirs))
            local = DayFiles(*map(self._here, names))
            sides[day] = DaySides(DayFiles(*base), local, DayFiles(*theirs))
            numbers = sync_merge.private_numbers(sides[day], partial(self._leave, names))
            hidden |= {f"{day}#{number}" for number in numbers}
        before = {day: files_of_day.base for day, files_of_day in sides.items()}
        here = sync_merge.deletions_here(own, hidden, self._deleted_before, before)
        deleted_here = here - self._deleted_before
        outcome: dict[str, _Outcome] = {}
        for day, files_of_day in sides.items():
            names = _names(day)
            synced = sync_merge.sync_day(
                files_of_day,
                day,
                partial(self._leave, names),
                [entry for entry in deleted_here if _day_of(entry.id) == day],
                [entry for entry in self._deleted_there if _day_of(entry.id) == day],
            )
            private |= {f"{day}#{number}" for number in synced.private}
            rows = files_of_day.local, synced.left, files_of_day.theirs, synced.written, synced.sent
            outcome |= zip(names, map(_Outcome, *rows), strict=True)
        return outcome, private, before

    def _leave(self, names: Sequence[str], place: int, data: bytes, known: bytes) -> Outgoing:
        return self._left(names[place], data, known)

    def _merged_summary(self) -> _Outcome:
        name = file_kinds.SUMMARY
        (base,), (theirs,) = (self._there(side, [name]) for side in (self._base, self._theirs))
        local = self._here(name)
        left = self._left(name, local, base).data
        merged = sync_merge.merged_summary(base, left, theirs)
        written = sync_merge.merged_summary(left, local, merged)
        return _Outcome(local, left, theirs, written, self._left(name, written, merged).data)


def without_texts(
    repository: SyncRepository, base: Snapshot, ids: Collection[str]
) -> dict[str, bytes]:
    """Return the files of a snapshot that have these sections, with nothing but their headings."""
    days_of_ids = {parse_id(id_).date for id_ in ids}
    names = [name for day in days_of_ids for name in _names(day) if name in base.blobs]
    data = repository.read(base.blobs[name] for name in names) if names else {}
    changed = {}
    for name in names:
        day, before = _day_of_file(name), _unpacked(name, data[base.blobs[name]])
        after = sync_merge.with_headings_only(before, day, ids) if day else before
        if after != before:
            changed[name] = _packed(name, after)
    return changed


def _names(day: date) -> tuple[str, str]:
    return f"daily/{day}.md", archive_files.relative_path(day)


def is_synced(name: str) -> bool:
    """Tell whether a file of a commit is one that a sync writes."""
    return name in (DELETED, file_kinds.SUMMARY) or _day_of_file(name) is not None


def _day_of_file(name: str) -> date | None:
    return file_kinds.day_of(name) or file_kinds.archived_day(name)


def _day_of(id_: str) -> date | None:
    try:
        return parse_id(id_).date
    except InvalidInputError:
        return None


def _unpacked(name: str, data: bytes) -> bytes:
    return archive_files.unpack(data, name) if data and name.endswith(".gz") else data


def _packed(name: str, data: bytes) -> bytes:
    return archive_files.pack(data) if data and name.endswith(".gz") else data


def _stamps(root: Root) -> dict[str, Stamp]:
    """Return the stamps of the files of a root that are synced."""
    stamps = {f"daily/{file.name}": file.stamp for file in days.list_days(root)}
    for archived in archive_files.list_days(root):
        stamps[archive_files.relative_path(archived.day)] = files.stamp(archived.path)
    summary = files.stamp(os.path.join(root.path, file_kinds.SUMMARY))
    return stamps if summary == NO_STAMP else {**stamps, file_kinds.SUMMARY: summary}


def _grows(before: bytes, after: bytes) -> bool:
    return set(before.split(b"\n")) <= set(after.split(b"\n"))


def _changes(
    outcome: Mapping[str, _Outcome],
    before: Callable[[_Outcome], bytes],
    after: Callable[[_Outcome], bytes],
) -> Changes:
    """Return which sessions differ; what only got another number, or was archived, does not."""
    old, new = (_texts(outcome, side) for side in (before, after))
    removed = {old[text] for text in old.keys() - new.keys()}
    added = {new[text] for text in new.keys() - old.keys()}
    both = removed & added
    return Changes(*(tuple(sorted(ids)) for ids in (added - both, both, removed - both)))


def _texts(
    outcome: Mapping[str, _Outcome], side: Callable[[_Outcome], bytes]
) -> dict[tuple[date | str, str], str]:
    """Return the id of each text, the last one if several sessions have the same."""
    texts: dict[tuple[date | str, str], str] = {}
    for name, file in outcome.items():
        day, data = _day_of_file(name), side(file)
        if day:
            texts |= {(day, text): id_ for id_, text in sync_merge.said_in(data, day)}
        elif data:
            texts[name, to_text(data)] = name
    return texts


# ---------------------------------------------------------------------------- writing


def write(root: Root, plan: Plan, now: datetime) -> list[str]:
    """Write the files of a plan here, with the lock held; return warnings.

    Raises:
        ConflictError: an editor saved one of them since the plan was made: plan again.
    """
    deleted.replace(root, plan.deletions)
    warnings = _note_removed(root, plan, now)
    for name, data in plan.writes.items():
        path, stamp = os.path.join(root.path, name), plan.stamps.get(name, NO_STAMP)
        archive_files.check_way(root, path)
        if data:
            files.make_folder(os.path.dirname(path), root.modes)
            # The temporary file is not left in the archive, where nobody would look for it.
            beside = root.index_folder if name.endswith(".gz") else ""
            packed = _packed(name, data)
            files.replace(path, packed, root.modes, expected=stamp, folder=beside)
        else:
            files.check_unchanged(path, stamp)
            files.remove(path)
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
