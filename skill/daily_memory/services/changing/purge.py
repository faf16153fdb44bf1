"""Purge: delete sections, and every trace of their text in the root.

Their ids are noted first, so that the next purge finishes one that was killed. The texts are
deleted last, since traces are found by them.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import NamedTuple

from daily_memory.core.format import markdown, section_text
from daily_memory.core.format.session_json import parse_id, parse_session
from daily_memory.core.review import summary_region
from daily_memory.core.settings import Settings
from daily_memory.core.undo_steps import SectionChange
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.model import Section, Session
from daily_memory.services.changing import conflicts, summary_file
from daily_memory.services.reading import browse, mirror
from daily_memory.services.reading.browse import StoredSession
from daily_memory.services.writing import save
from daily_memory.storage import (
    archive_files,
    archive_moves,
    days,
    deleted,
    hook_log,
    journal,
    observations,
    pending_saves,
    review_cache,
    undo_files,
)
from daily_memory.storage.fs import files, replace
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.git import repository
from daily_memory.storage.index import embeddings, indexer, lookup
from daily_memory.storage.journal import JournalEntry
from daily_memory.storage.roots import Root

# Shorter lines are in too many texts to identify one.
_LEAST_BYTES = 12
_MOST_TOLD = 10
# How many lines, the longest ones, are searched for elsewhere.
_MOST_LINES = 300
_NOTE = "purging"
# A temporary file that is older is not being written any more.
_LEFT_OVER_S = 60.0


class Target(NamedTuple):
    """A session to purge, and the places that have it."""

    root: Root
    id: str
    topic: str
    places: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its id as users see it."""
        return self.root.scoped(self.id)


class Purged(NamedTuple):
    """What was purged, other places that have a line of it, and commands to find it in git."""

    targets: tuple[Target, ...]
    elsewhere: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()


def targets(
    roots: Sequence[Root], found: Sequence[StoredSession], ids: Sequence[str] = ()
) -> tuple[Target, ...]:
    """Return what a purge would remove: these sessions, and ids that may be deleted already."""
    by_root: dict[str, list[str]] = {}
    known_roots = {root.path: root for root in (*roots, *(item.root for item in found))}
    for item in found:
        by_root.setdefault(item.root.path, []).append(str(item.session.id))
    for id_ in dict.fromkeys(ids):
        root, parsed = browse.owning_root(roots, id_)
        by_root.setdefault(root.path, []).append(str(parsed))
    result = []
    for path, wanted in by_root.items():
        root, known = known_roots[path], _all_known(known_roots[path], wanted)
        for id_, places in known.items():
            if not places:
                others = [item for item in roots if item != root]
                raise browse.missing_error(parse_id(id_), [root], others=others)
            topics = (item.topic for item in _sessions_of(id_, places))
            result.append(Target(root, id_, next(filter(None, topics), ""), tuple(places)))
    return tuple(result)


def interrupted(root: Root) -> tuple[str, ...]:
    """Return the ids of a purge that was interrupted."""
    try:
        found = json.loads(files.find_bytes(root.in_index(_NOTE)) or b"[]")
        return tuple(str(parse_id(id_)) for id_ in found)
    except (ValueError, TypeError, DailyMemoryError):
        return ()


def purge(wanted: Sequence[Target], settings: Settings, now: datetime) -> Purged:
    """Remove every trace of sessions from their roots. This can't be undone."""
    elsewhere: list[str] = []
    commands: list[str] = []
    for path in dict.fromkeys(item.root.path for item in wanted):
        own = [item for item in wanted if item.root.path == path]
        root = own[0].root
        with locked(root):
            ids = {item.id for item in own} | set(interrupted(root))
            files.replace(root.in_index(_NOTE), json.dumps(sorted(ids)).encode(), root.modes)
            known = _gather(_all_known(root, ids))
            _purge_waiting(root, known)
            # Other queued sessions become sections, so that lines of these are found in them.
            save.save_queued(root, settings, now)
            _purge_traces(root, known)
            _purge_texts(root, known, now)
            _remove_leftovers(root)
            indexer.update_without(root, len(ids))
            lookup.purge(root)
        mirror.purge(root, settings)
        embeddings.forget(root)
        review_cache.forget(root)
        elsewhere += _find_elsewhere(root, known.lines)
        commands += _git_commands(root, ids)
        with locked(root):
            files.remove(root.in_index(_NOTE))
    return Purged(tuple(wanted), tuple(elsewhere), tuple(commands))


# The present and earlier texts of a session, by place.
_Texts = dict[str, list[str]]


def _all_known(root: Root, ids: Collection[str]) -> dict[str, _Texts]:
    """Return the texts of each session, by id and place; everything is read once."""
    known: dict[str, _Texts] = {id_: {} for id_ in ids}
    changes = [item for operation in undo_files.find_all(root) for item in operation.changes]
    for id_, place, text in _all_texts(root, ids, changes):
        if text and id_ in known:
            known[id_].setdefault(place, []).append(_plain(text))
    for change in changes:
        if change.id in known:  # a move is noted with the topic, without a text
            known[change.id].setdefault("undo store", [])
    for id_, places in known.items():
        former = _under_other_numbers(id_, places, changes)
        if former:
            places.setdefault("undo store", []).extend(former)
    for id_ in known.keys() & set(interrupted(root)):
        known[id_].setdefault("purge", [])
    for item in deleted.load(root):
        # Its text is gone, but its hashes could still confirm a guess.
        if item.id in known and not known[item.id] and not item.purged and item.digests:
            known[item.id]["deleted sessions"] = []
    return known


def _under_other_numbers(id_: str, places: _Texts, changes: Sequence[SectionChange]) -> list[str]:
    """Return texts of a section from before a merge renumbered it."""
    said = {section_text.body_of(text) for found in places.values() for text in found}
    rest = [item for item in changes if item.id != id_ and item.id[:10] == id_[:10]]
    texts: list[str] = []
    linked = rest
    while linked:
        states = [
            {section_text.body_of(item.before), section_text.body_of(item.after)} - {""}
            for item in rest
        ]
        linked = [item for item, own in zip(rest, states, strict=True) if not own.isdisjoint(said)]
        rest = [item for item in rest if item not in linked]
        texts += [_plain(text) for item in linked for text in (item.before, item.after) if text]
        said.update(map(section_text.body_of, texts))
    return texts


def _all_texts(
    root: Root, ids: Collection[str], changes: Sequence[SectionChange]
) -> Iterator[tuple[str, str, str]]:
    """Yield ids of sections, places, and the texts there."""
    for when in sorted({parse_id(id_).date for id_ in ids}):
        for place, find in (("day", days.find_data), ("archive", archive_files.find_data)):
            data = find(root, when) or b""
            for section, text in days.cuts(data, _sections(data, when, ids)):
                yield str(section.session.id), place, days.decode(text)
    for change in changes:
        yield from ((change.id, "undo store", text) for text in (change.before, change.after))
    yield from ((record.id, "journal", record.text) for record in journal.load_records(root))


class _Gathered(NamedTuple):
    """All that is known of the sessions to purge, and the lines to search for."""

    ids: frozenset[str]
    conversations: frozenset[tuple[str, str]]
    contents: frozenset[tuple[object, ...]]
    texts: frozenset[str]
    lines: frozenset[str]


def _gather(known: Mapping[str, _Texts]) -> _Gathered:
    sessions = [(id_, item) for id_ in known for item in _sessions_of(id_, known[id_])]
    texts = {text for places in known.values() for found in places.values() for text in found}
    lines = {_searchable(line) for text in texts for line in text.split("\n")}
    return _Gathered(
        frozenset(known),
        frozenset((id_, item.conversation) for id_, item in sessions if item.conversation),
        frozenset(_said(item) for _, item in sessions),
        frozenset(texts),
        frozenset(lines - {""}),
    )


def _sessions_of(id_: str, places: _Texts) -> list[Session]:
    day = parse_id(id_).date
    return [
        section.session
        for text in dict.fromkeys(text for found in places.values() for text in found)
        for section in markdown.parse_day(text, day).all_sections
    ]


def _plain(text: str) -> str:
    """Return a text for comparison, without carriage returns and outer space."""
    return text.replace("\r\n", "\n").strip()


def _sections(data: bytes, when: date, ids: Collection[str]) -> list[Section]:
    parsed = days.parse_bytes(data, when, "")
    return [section for section in parsed.all_sections if str(section.session.id) in ids]


def _searchable(line: str) -> str:
    """Return the text of a line, "" if it can't identify a section."""
    said = line.strip().removeprefix("- ").strip()
    is_form = said.startswith(("#", "<!--", "```", "~~~", "---"))
    return "" if is_form or len(said.encode("utf-8", "replace")) < _LEAST_BYTES else said


def _purge_traces(root: Root, known: _Gathered) -> None:
    """Remove everything derived from the texts, and their sources."""
    for path in _backups(root, known):
        files.remove(path)
    # Others append to the log without the lock: overwrite bytes in place.
    log = hook_log.log_path(root)
    if os.path.isfile(log):
        needles = [line.encode("utf-8", "replace") for line in (*known.lines, *known.ids)]
        replace.blank_out(log, lambda data: _places_of(data, needles), root.modes)
    _purge_observed(root, known)
    if _has_summary(root):
        with contextlib.suppress(InvalidInputError):  # not UTF-8: reported as another place
            summary_file.rewrite(root, lambda text: summary_region.without(text, known.ids))


def _has_summary(root: Root) -> bool:
    try:
        return summary_file.has_part(root)
    except DailyMemoryError:
        return False  # unreadable, so not ours


def _purge_observed(root: Root, known: _Gathered) -> None:
    archived: dict[str, list[str]] = {}
    for path, where in archive_files.list_observed(root):
        archived.setdefault(os.path.basename(where), []).append(path)
    for id_, conversation in sorted(known.conversations):
        for path, name in observations.source_files(root, conversation, id_):
            find = _find_observed(path, name)
            replace.blank_out(path, find, root.modes, folder=root.index_folder)
        for path in archived.get(observations.file_name(conversation), ()):
            _purge_archived(root, path, conversation, id_)


def _purge_archived(root: Root, path: str, conversation: str, session_id: str) -> None:
    data = archive_files.load_observed(path)
    name = observations.section_name(root, conversation, session_id, data)
    blank = bytearray(data)
    for begins, ends in _find_observed(path, name)(data) if name else ():
        blank[begins:ends] = b" " * (ends - begins)
    if blank != data:
        packed = archive_files.pack(bytes(blank))
        files.replace(path, packed, root.modes, folder=root.index_folder)


def _purge_waiting(root: Root, known: _Gathered) -> None:
    for path in pending_saves.list_waiting(root):
        try:
            waiting = pending_saves.load(path)
            session = parse_session(waiting, datetime(1, 1, 1)).session  # noqa: DTZ001  # not used
        except DailyMemoryError:
            continue  # unreadable, so not ours
        if _is_purged(session, known):
            files.remove(path)


def _is_purged(session: Session, known: _Gathered) -> bool:
    """Tell whether a session is of a purged conversation, or has only purged text."""
    if session.conversation in {name for _, name in known.conversations}:
        return True
    text = markdown.format_section(session, language="en")
    lines = {_searchable(line) for line in text.split("\n")} - {""}
    return _said(session) in known.contents or (bool(lines) and lines <= known.lines)


def _said(session: Session) -> tuple[object, ...]:
    return session.topic, session.summary, session.key_points, session.code


def _backups(root: Root, known: _Gathered) -> list[str]:
    """Return the backups of days that have a line of the purged sections."""
    stems = tuple(id_.partition("#")[0] for id_ in known.ids)

    def says(path: str) -> bool:
        text = days.decode(files.find_bytes(path) or b"")
        return any(line in text for line in known.lines)

    listed = conflicts.list_backups(root)
    return [item for item in listed if os.path.basename(item).startswith(stems) and says(item)]


def _places_of(data: bytes, needles: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    for needle in needles:
        place = data.find(needle)
        while place >= 0:
            yield place, place + len(needle)
            place = data.find(needle, place + len(needle))


def _find_observed(path: str, session_id: str) -> Callable[[bytes], list[tuple[int, int]]]:
    """Return a function that finds the observations of a section in the bytes of a file."""

    def find(data: bytes) -> list[tuple[int, int]]:
        torn = observations.half_blank_ranges(data)
        if set(observations.digested_ids(data)) <= {session_id}:
            # The whole conversation belongs to this section.
            return [*torn, *observations.text_ranges(path, data)]
        return [*torn, *observations.digested_ranges(path, data, session_id)]

    return find


def _purge_texts(root: Root, known: _Gathered, now: datetime) -> None:
    """Remove the sections from all files; their numbers are never given again."""
    said = {section_text.body_of(text) for text in known.texts} - {""}
    dates = {id_[:10] for id_ in known.ids}

    def is_forgotten(text: str) -> bool:
        return section_text.body_of(text) in said

    def is_of_them(change: SectionChange) -> bool:
        is_renumbered = change.id[:10] in dates and (
            is_forgotten(change.before) or is_forgotten(change.after)
        )
        return change.id in known.ids or is_renumbered

    conversations: dict[str, list[str]] = {id_: [] for id_ in known.ids}
    for id_, conversation in known.conversations:
        conversations[id_].append(conversation)
    # First, since the conversations are known from the texts.
    deleted.purge(root, conversations, journal.format_moment(now))
    journal.forget_texts(root, known.ids, is_forgotten)
    noted = {item.id for item in journal.load_records(root)}
    at = journal.format_moment(now)
    journal.add_records(root, [JournalEntry(at, id_, "") for id_ in sorted(known.ids - noted)], now)
    undo_files.forget(root, is_of_them)
    for when in sorted({parse_id(id_).date for id_ in known.ids}):
        _purge_archive(root, when, known.ids)
        path = days.day_path(root, when)
        replace.rewrite(path, partial(_without, when=when, ids=known.ids), root.modes)


def _purge_archive(root: Root, when: date, ids: Collection[str]) -> None:
    data = archive_files.find_data(root, when) or b""
    after = _without(data, when, ids)
    if after == data:
        return
    if archive_moves.is_bare(after, when):
        archive_files.remove(root, archive_files.day_path(root, when))
    else:
        archive_files.store(root, when, after)


def _without(data: bytes, when: date, ids: Collection[str]) -> bytes:
    """Return a day without these sections, otherwise byte for byte."""
    starts = days.line_starts(data)
    spans = [days.with_gap(data, section.span, starts) for section in _sections(data, when, ids)]
    return days.spliced(data, dict.fromkeys(spans, b""))


def _remove_leftovers(root: Root) -> None:
    free = (root.observations_folder, root.in_index(pending_saves.NAME))
    for folder, _, _ in os.walk(root.path):
        is_free = folder.startswith(free)
        files.remove_leftovers(folder, older_than_s=_LEFT_OVER_S if is_free else 0)


def _find_elsewhere(root: Root, lines: Collection[str]) -> list[str]:
    telling = sorted(lines, key=lambda line: (-len(line), line))[:_MOST_LINES]
    # In JSON the lines are escaped, perhaps to ASCII.
    packed = {json.dumps(line, ensure_ascii=a)[1:-1] for line in telling for a in (True, False)}
    found = []
    for folder, names, entries in os.walk(root.path) if telling else ():
        names[:] = sorted(name for name in names if not name.endswith(".git"))
        for name in sorted(entries):
            path = os.path.join(folder, name)
            try:
                data = files.read_bytes(path)
                data = archive_files.unpack(data, path) if name.endswith(".gz") else data
            except DailyMemoryError:
                continue  # unreadable, so not ours
            text = data.decode("utf-8", "replace")
            looked_for = packed if ".json" in name else telling
            places = [place for place in map(text.find, looked_for) if place >= 0]
            if places:
                found.append(f"{root.name_of(path)}:{text.count(chr(10), 0, min(places)) + 1}")
    return found[:_MOST_TOLD]


def _git_commands(root: Root, ids: Collection[str]) -> list[str]:
    """Return the git command that lists the commits of the days, if there is a repository."""
    try:
        repository.get_top(root.path)
    except repository.GitTimeoutError:
        pass  # there may be one
    except DailyMemoryError:
        return []
    found = sorted({parse_id(id_).date for id_ in ids})
    names = [f"daily/{day.isoformat()}.md" for day in found]
    names += [
        archive_files.relative_path(day)
        for day in found
        if os.path.exists(archive_files.day_path(root, day))
    ]
    return [shlex.join(["git", "-C", root.path, "log", "--all", "--oneline", "--", *names])]
