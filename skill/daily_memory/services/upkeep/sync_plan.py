"""The plan of a sync: local and remote files merged, before anything is written.

A commit has the days as `daily/DATE.md`, each with its archived sections, whose ids are in
`archived`; `summary.md`; and the deletions in `deleted.jsonl`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple

from daily_memory.core.format.session_json import parse_id
from daily_memory.core.progress import with_progress
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
from daily_memory.text import filled

_DELETED, _ARCHIVED = "deleted.jsonl", "archived"


class Changes(NamedTuple):
    """The ids of sessions that came, changed or went, and `summary.md`."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class Snapshot:
    """The files of a commit and the facts in its message; empty without a commit."""

    def __init__(self, repository: SyncRepository, commit: str, key: bytes = b"") -> None:
        self.commit = commit
        self.facts = _facts(repository, commit)
        self.machines: dict[str, int] = self.facts.get("machines", {})
        self._repository, self._key = repository, key

    @property
    def is_sealed(self) -> bool:
        return bool(self.facts.get("sealed"))

    @cached_property
    def files(self) -> dict[str, bytes]:
        """The files, decrypted."""
        contents = self._repository.read(self.commit)
        return {name: data for name, data in contents.items() if _is_synced(name)}

    @cached_property
    def archived(self) -> dict[date, frozenset[int]]:
        """The numbers of the sections that are archived, by day."""
        lines = self.files.get(_ARCHIVED, b"").decode().split("\n")
        return sync_merge.numbers_by_day(filter(None, lines))

    @cached_property
    def deleted(self) -> set[Deleted]:
        """The deletions, with hashes as they are here."""
        lines = deleted.parse_lines(self.files.get(_DELETED, b""))
        return {sync_key.hide_hashes(self._key, entry) for entry in lines if _day_of(entry.id)}

    def day(self, day: date) -> WholeDay:
        return WholeDay(self.files.get(_name(day), b""), self.archived.get(day, frozenset()))


def _facts(repository: SyncRepository, commit: str) -> dict[str, Any]:
    """Return the facts in the message of a commit; none if it is not ours."""
    try:
        facts = json.loads(repository.message_of(commit).partition("\n\n")[2]) if commit else {}
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


class Plan(NamedTuple):
    """What a sync will do.

    `writes` are files to write here, in this order, and `sending` those that change there; b"" for
    none. `private` counts the sections that stay here.
    """

    writes: tuple[tuple[str, bytes], ...]
    sending: Mapping[str, bytes]
    deletions: tuple[Deleted, ...]
    stamps: Mapping[str, Stamp]
    private: int
    received: Changes
    sent: Changes


class Merging:
    """Our files, the last synced ones, and those of the repository now."""

    def __init__(
        self, root: Root, policy: Policy, key: bytes, base: Snapshot, theirs: Snapshot
    ) -> None:
        self._root, self._policy, self._key = root, policy, key
        self._base, self._theirs = base, theirs
        self._synced: dict[object, SyncedDay] = {}

    def purged_here(self) -> list[str]:
        """Return the ids of sections that another machine has purged, or made private."""
        there = sync_merge.purged_numbers(self._theirs.deleted - self._base.deleted)
        return [
            str(item.session.id)
            for day, numbers in there.items()
            for sides in [self._sides(day)]
            for item in sync_merge.purged_sections(sides.local.data, sides, day, numbers)
        ]

    def plan(self) -> Plan:
        base, theirs, stamps = self._base, self._theirs, stamps_of(self._root)
        own = set(deleted.load(self._root))
        new = own - base.deleted, theirs.deleted - base.deleted
        purged = [sync_merge.purged_numbers(entries) for entries in new]
        names = {*map(_name_in, stamps), *base.files, *theirs.files} - {_DELETED, _ARCHIVED}
        merged: dict[date, tuple[DaySides, SyncedDay]] = {}
        for name in with_progress(sorted(names - {file_kinds.SUMMARY})):
            day = date.fromisoformat(name[6:16])
            sides, numbers = self._sides(day), [by.get(day, frozenset()) for by in purged]
            if any(numbers) or sides.base != sides.theirs or self._differs(sides, day):
                merged[day] = sides, self._merged(sides, day, *numbers)
        # For each file: local, remote, to write here, to send.
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
        if file_kinds.SUMMARY in names:
            name = file_kinds.SUMMARY
            here, there = files.find_bytes(self._root.at(name)) or b"", theirs.files.get(name, b"")
            written, sent = sync_merge.sync_summary(
                base.files.get(name, b""), here, there, self._root.at(name), self._policy
            )
            rows[name] = here, there, written, sent
            writes += [(name, written)] * (written != here)
        had = {day: sync_merge.numbers_in(sides.base.data) for day, (sides, _) in merged.items()}
        private = [(day, number) for day, (_, done) in merged.items() for number in done.private]
        deletions = sync_merge.merged_deletions(base.deleted, own, theirs.deleted, had, private)
        sending = {name: sent for name, (_, there, _, sent) in rows.items() if sent != there}
        moved = {day: done.sent.archived for day, (_, done) in merged.items()}
        archived = {day: numbers for day, numbers in (theirs.archived | moved).items() if numbers}
        if archived != theirs.archived:
            ids = (f"{day}#{n}\n" for day in sorted(archived) for n in sorted(archived[day]))
            sending[_ARCHIVED] = "".join(ids).encode()
        if deletions != theirs.deleted:
            veiled = (sync_key.hide_hashes(self._key, entry) for entry in sorted(deletions))
            sending[_DELETED] = deleted.format_lines(veiled)
        return Plan(
            tuple(writes),
            sending,
            tuple(sorted(deletions)),
            stamps,
            sum(len(done.private) for _, done in merged.values()),
            _changes({name: (here, written) for name, (here, _, written, _) in rows.items()}),
            _changes({name: (there, sent) for name, (_, there, _, sent) in rows.items()}),
        )

    def _differs(self, sides: DaySides, day: date) -> bool:
        """Tell whether the public part of a day changed here since the last sync."""
        base, local, path = sides.base, sides.local, self._root.at(_name(day))
        return base != local and base != sync_merge.without_private(local, day, path)

    def _merged(self, sides: DaySides, day: date, *purged: frozenset[int]) -> SyncedDay:
        known = sides, day, purged
        if known not in self._synced:
            path = self._root.at(_name(day))
            self._synced[known] = sync_merge.sync_day(sides, day, path, self._policy, *purged)
        return self._synced[known]

    def _sides(self, day: date) -> DaySides:
        return DaySides(self._base.day(day), self._here(day), self._theirs.day(day))

    def _here(self, day: date) -> WholeDay:
        path = self._root.at(_name(day))
        daily = files.find_bytes(path) or b""
        archived = archive_files.find_data(self._root, day) or b""
        if not archived and daily == self._base.files.get(_name(day)):
            return WholeDay(daily)
        return sync_merge.join_archive(daily, archived, path)

    def _writes(self, day: date, whole: WholeDay) -> Iterable[tuple[str, bytes]]:
        """Yield the files of a day; a section is added to one before it leaves the other."""
        name, packed = _name(day), archive_files.relative_path(day)
        daily, archived = sync_merge.split_archive(whole, self._root.at(name))
        is_packed = os.path.exists(self._root.at(packed))
        if archived or is_packed:
            yield name, whole.data
            yield packed, archive_files.pack(archived) if archived else b""
        yield name, daily


def without_texts(base: Snapshot, ids: Collection[str]) -> dict[str, bytes]:
    """Return the days of a snapshot that have these sections, reduced to their headings."""
    dates = {parse_id(id_).date for id_ in ids}
    return {
        _name(day): sync_merge.with_headings_only(base.files[_name(day)], day, ids)
        for day in sorted(dates)
        if _name(day) in base.files
    }


def _is_synced(name: str) -> bool:
    """Tell whether a sync writes files of this name."""
    return name in (_DELETED, _ARCHIVED, file_kinds.SUMMARY) or bool(file_kinds.day_of(name))


def _name(day: date) -> str:
    return f"daily/{day}.md"


def _name_in(name: str) -> str:
    """Return the name that a local file has in a commit."""
    archived = file_kinds.archived_day(name)
    return _name(archived) if archived else name


def _day_of(id_: str) -> date | None:
    try:
        return parse_id(id_).date
    except InvalidInputError:
        return None


def stamps_of(root: Root) -> dict[str, Stamp]:
    """Return the stamps of the files of a root that are synced."""
    stamps = {f"daily/{file.name}": file.stamp for file in days.list_days(root)}
    for archived in archive_files.list_days(root):
        stamps[archive_files.relative_path(archived.day)] = files.stamp(archived.path)
    stamps[_DELETED] = files.stamp(deleted.deleted_path(root))
    summary = files.stamp(os.path.join(root.path, file_kinds.SUMMARY))
    return stamps if summary == NO_STAMP else {**stamps, file_kinds.SUMMARY: summary}


def _changes(files_: Mapping[str, tuple[bytes, bytes]]) -> Changes:
    """Return which sessions differ by text; renumbered ones do not."""
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
    return sync_merge.texts_by_id(data, day) if day else [(name, repr(data))] if data else []


def write(root: Root, plan: Plan, now: datetime) -> list[str]:
    """Write the files of a plan here, with the lock held; return warnings.

    Raises:
        ConflictError: an editor saved one of them since; plan again.
    """
    deleted.replace(root, plan.deletions)
    warnings = _note_removed(root, plan, now)
    stamps = dict(plan.stamps)
    for name, data in plan.writes:
        path, stamp = root.at(name), stamps.get(name, NO_STAMP)
        archive_files.check_way(root, path)
        if data:
            files.make_folder(os.path.dirname(path), root.modes)
            # No temporary file must be left in the archive, where nothing cleans up.
            beside = root.index_folder if name.endswith(".gz") else ""
            files.replace(path, data, root.modes, expected=stamp, folder=beside)
        else:
            files.check_unchanged(path, stamp)
            files.remove(path)
        stamps[name] = files.stamp(path)
    return warnings + edit.refresh(root, len(plan.received.removed))


def _note_removed(root: Root, plan: Plan, now: datetime) -> list[str]:
    """Note removed sections in the journal, and blank out their observations."""
    at = journal.format_moment(now)
    ids = [id_ for id_ in plan.received.removed if _day_of(id_) and not id_.endswith("#0")]
    journal.add_records(root, [JournalEntry(at, id_, "") for id_ in ids], now)
    deletions = {entry.id for entry in plan.deletions}
    warnings = []
    for id_ in deletions.intersection(ids):
        section = days.find_section(root, parse_id(id_))
        conversation = section.session.conversation if section else ""
        try:
            for path, held_id in observations.source_files(root, conversation, id_):
                places = observations.digested_ranges(path, files.read_bytes(path), held_id)
                observations.erase(root, path, places)
        except DailyMemoryError as error:
            warnings.append(
                filled("synced, but what was recorded of {} stays: {}", id_, error.message)
            )
    return warnings
