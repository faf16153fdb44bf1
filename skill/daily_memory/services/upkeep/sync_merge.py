"""What leaves this machine, and what comes of it and the files of another one: bytes in, bytes out.

A file is merged twice. First what left here with what came, both without anything private: that is
what all machines have. Then that with the file as it is here, where private sections stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from datetime import date
from functools import partial
from itertools import count
from typing import NamedTuple

from daily_memory.core.format import day_merge, markdown, move_sections
from daily_memory.core.format.exact import to_bytes, to_text
from daily_memory.core.format.merge_parts import DayText, Part, parse_document
from daily_memory.core.format.section_merge import merge_prose, merge_section
from daily_memory.core.format.section_text import text_digest
from daily_memory.core.format.session_json import parse_id
from daily_memory.core.redaction.files import redact_text
from daily_memory.core.redaction.privacy import Policy
from daily_memory.core.review import summary_region
from daily_memory.errors import DamagedDataError
from daily_memory.model import Section
from daily_memory.services.changing.sanitize import redact_day
from daily_memory.storage import archive_moves, days
from daily_memory.storage.deleted import Deleted

# What a text becomes that could not be searched for secrets.
_WITHHELD = "withheld"
# The time of a deletion that is none: the section is private.
_MIDNIGHT = "T00:00:00+00:00"


class DayFiles(NamedTuple):
    """The bytes of a day file and of its archive, unpacked; b"" where there is none."""

    daily: bytes = b""
    archived: bytes = b""


class DaySides(NamedTuple):
    """A day as both sides had it last, as it is here, and as it is there."""

    base: DayFiles
    local: DayFiles
    theirs: DayFiles


class SyncedDay(NamedTuple):
    """A day: what had left this machine, how it is written here, and what leaves now."""

    left: DayFiles
    written: DayFiles
    sent: DayFiles
    private: frozenset[int]


class Outgoing(NamedTuple):
    """What of a file may leave this machine, and the numbers of the sections that stay."""

    data: bytes
    private: tuple[int, ...] = ()


# Returns what leaves of a day file (0) or its archive (1), given its bytes and those that left.
Leave = Callable[[int, bytes, bytes], Outgoing]


# ---------------------------------------------------------------------------- what leaves


def outgoing(data: bytes, day: date, path: str, known: bytes, policy: Policy) -> Outgoing:
    """Return a day without private sections and secrets.

    `known` is the day as it left before: its sections are not searched again.

    Raises:
        DamagedDataError: it can't be told apart what is private, or what is secret.
    """
    name = day.isoformat()
    is_open = b"<<<<<<<" in data and day_merge.resolve_conflicts(data, name) != data
    if is_open or b"\0" in data:
        what = "has an unresolved merge conflict" if is_open else "is not UTF-8"
        hint = "`memory doctor --fix` merges both sides" if is_open else "save it as UTF-8"
        raise DamagedDataError(f"{path!r} {what}: nothing was synced", hint=hint)
    private = [item for item in _sections(data, day) if item.session.is_private]
    rest = _without(data, private)
    if archive_moves.is_bare(rest, day):
        rest = b""
    rest = _redacted(rest, day, path, known, policy)
    if any(item.session.is_private for item in _sections(rest, day)):
        message = f"{path!r}: a private section can't be told apart from what is around it"
        raise DamagedDataError(f"{message}; nothing was synced", hint="close each code fence in it")
    return Outgoing(rest, tuple(item.session.number for item in private if item.session.number))


def outgoing_summary(data: bytes, path: str, policy: Policy) -> bytes:
    """Return what the user wrote into `summary.md`; each machine makes our part itself."""
    text = to_text(data)
    if summary_region.MARK in text:
        text = summary_region.put(text, [])
    rest, counts = redact_text(to_bytes(text), policy)
    _check(path, [kind for kind, _ in counts])
    return rest


def _redacted(data: bytes, day: date, path: str, known: bytes, policy: Policy) -> bytes:
    sent = {_text(known, item) for item in _sections(known, day)}
    fresh = _without(data, [item for item in _sections(data, day) if _text(data, item) in sent])
    if not redact_day(fresh, day, policy)[1]:
        return data
    redacted, counts = redact_day(data, day, policy)
    before, after = ([str(item.session.id) for item in _sections(d, day)] for d in (data, redacted))
    _check(path, [_WITHHELD if before != after else "", *(kind for kind, _ in counts)])
    return redacted


def _check(path: str, kinds: Collection[str]) -> None:
    if _WITHHELD in kinds:
        message = f"{path!r} can't be searched for secrets: nothing was synced"
        hint = "close each <private> block in it; `memory cleanup --sanitize --dry-run` shows more"
        raise DamagedDataError(message, hint=hint)


# ---------------------------------------------------------------------------- merging


def deletions_here(
    own: Iterable[Deleted],
    private: Iterable[str],
    before: Collection[Deleted],
    base: Mapping[date, DayFiles],
) -> frozenset[Deleted]:
    """Return the deletions of this machine as the others learn of them.

    Of a private section they learn the number, which they must not give. A section is only purged
    there if they ever had it: if not, theirs of that number is another one.
    """
    entries = set()
    hidden = (Deleted(f"{id_[:10]}{_MIDNIGHT}", id_, purged=True) for id_ in private)
    for entry in (*own, *hidden):
        parsed = parse_id(entry.id)
        is_known = parsed.number in _numbers(base.get(parsed.date, DayFiles()), parsed.date)
        is_sent = not entry.purged or entry in before or is_known
        entries.add(entry if is_sent else entry._replace(purged=False))
    return frozenset(entries)


def without_private(entries: Iterable[Deleted], private: Collection[str]) -> frozenset[Deleted]:
    """Return the deletions to be noted here: not those of this machine's private sections."""
    hidden = {(f"{id_[:10]}{_MIDNIGHT}", id_) for id_ in private}
    return frozenset(entry for entry in entries if (entry.at, entry.id) not in hidden)


def merged_deletions(
    base: Collection[Deleted], ours: Collection[Deleted], theirs: Collection[Deleted]
) -> frozenset[Deleted]:
    """Return the deletions of both sides; what was purged or brought back loses its hashes."""
    old, mine, others = set(base), set(ours), set(theirs)
    merged = (old & mine & others) | (mine - old) | (others - old)
    ranks: dict[tuple[str, str], int] = {}
    for entry in merged:
        key = entry.at, entry.id
        ranks[key] = max(_rank(entry), ranks.get(key, 0))
    return frozenset(entry for entry in merged if _rank(entry) == ranks[entry.at, entry.id])


def _rank(entry: Deleted) -> int:
    is_back = not entry.conversation and not entry.digests
    return 2 if entry.purged else int(is_back)


def private_numbers(sides: DaySides, leave: Leave) -> set[int]:
    """Return the numbers of the private sections of a day."""
    return {number for file in _left(sides.local, sides.base, leave) for number in file.private}


def sync_day(
    sides: DaySides,
    day: date,
    leave: Leave,
    deleted_here: Collection[Deleted] = (),
    deleted_there: Collection[Deleted] = (),
) -> SyncedDay:
    """Return what becomes of a day; the deletions are those that a side made since the base."""
    local = sides.local
    left = DayFiles(*(file.data for file in _left(local, sides.base, leave)))
    merged = merged_day(sides.base, left, sides.theirs, day, deleted_here, deleted_there)
    taken = _numbers(merged, day)
    free = count(max(taken | _numbers(local, day), default=0) + 1)
    back = partial(put_back, day=day, taken=taken, free=free)
    written = DayFiles(*map(back, left, local, merged))
    sent = _left(written, merged, leave)
    private = frozenset(number for file in sent for number in file.private)
    return SyncedDay(left, written, DayFiles(*(file.data for file in sent)), private)


def put_back(
    left: bytes, local: bytes, merged: bytes, *, day: date, taken: Set[int], free: Iterator[int]
) -> bytes:
    """Return a merged file with what of `local` did not leave; `left` is what did.

    A private section whose number is `taken` gets a free one, and comes behind the one that it
    stood behind. Without private sections and secrets it is `merged` again, to the byte: or else
    machines would go on sending each other their versions.
    """
    if left == local or (not merged and archive_moves.is_bare(local, day)):
        return merged
    old, here, new = (_document(data) for data in (left, local, merged))
    private = {item.span.first for item in _sections(local, day) if item.session.is_private}
    # Each public section with the private ones behind it; the first of these have none before.
    groups, line = [_Group(Part(0, "", "", here.head), [])], here.head.count("\n") + 1
    for part in here.parts:
        if line in private:
            groups[-1].private.append(part)
        else:
            groups.append(_Group(part, []))
        line += (part.text + part.tail).count("\n")
    places = _matched(old.parts, new.parts)
    parts = [[part] for part in new.parts]
    head = [_part_here(Part(0, "", "", old.head), groups[0], Part(0, "", "", new.head))]
    if not merged:
        head = [groups[0].public]
    behind = head
    for place, group in enumerate(groups, -1):
        if place in places:
            at = places[place]
            parts[at] = behind = [_part_here(old.parts[place], group, new.parts[at])]
        for part in group.private:
            number = next(free) if part.number in taken else part.number
            text = markdown.renumbered(part.text, number)
            # The empty line goes with it when it does not leave.
            behind.append(part._replace(text=text, tail="\r\n\r\n" if "\r" in text else "\n\n"))
    mark = b"\xef\xbb\xbf" if merged.startswith(b"\xef\xbb\xbf") else b""
    text = "".join(part.text + part.tail for each in (head, *parts) for part in each)
    return b"" if archive_moves.is_bare(to_bytes(text), day) else mark + to_bytes(text)


class _Group(NamedTuple):
    """A public section, and the private ones that come next."""

    public: Part
    private: list[Part]


def _document(data: bytes) -> DayText:
    return parse_document(to_text(data).removeprefix("\ufeff"))


def _matched(old: Sequence[Part], new: Sequence[Part]) -> dict[int, int]:
    """Return for each part its place among the new ones: by its text, or else by its number."""
    places: dict[int, int] = {}
    for key in (lambda part: part.identity, lambda part: (part.number, part.heading)):
        taken = set(places.values())
        free = {key(part): at for at, part in enumerate(new) if at not in taken}
        for place, part in enumerate(old):
            if place not in places and key(part) in free:
                places[place] = free.pop(key(part))
    return places


def _part_here(left: Part, group: _Group, merged: Part) -> Part:
    """Return a merged section with the secrets, and the private prose below it, that are here."""
    here, below = group.public, "".join(part.tail for part in (group.public, *group.private))
    if below.split() != left.tail.split() and left.tail.strip():
        merged = merged._replace(tail=merge_prose(left.tail, below, merged.tail))
    if left.text == here.text:
        return merged
    text = merge_section(left, here, merged) if left.identity != merged.identity else here.text
    return merged._replace(text=markdown.renumbered(text or merged.text, merged.number))


def _numbers(files: DayFiles, day: date) -> set[int]:
    numbers = {item.session.number for data in files for item in _sections(data, day)}
    return numbers - {0}


def _left(files: DayFiles, known: DayFiles, leave: Leave) -> list[Outgoing]:
    return [leave(place, *pair) for place, pair in enumerate(zip(files, known, strict=True))]


def merged_day(
    base: DayFiles,
    ours: DayFiles,
    theirs: DayFiles,
    day: date,
    deleted_here: Collection[Deleted] = (),
    deleted_there: Collection[Deleted] = (),
) -> DayFiles:
    """Return a day as both sides made it, starting from `base`. What is there keeps its numbers.

    With the deletions that a side made since, a section is gone even if the other side moved it
    into the archive or out of it, and a purged one even if the other side edited it.
    """
    ours, theirs = (_numbered_as_before(base, side, day) for side in (ours, theirs))
    purged = _purged(base, day, (*deleted_here, *deleted_there))
    ours = DayFiles(*(_without_deleted(data, day, deleted_there, purged) for data in ours))
    theirs = DayFiles(*(_without_deleted(data, day, deleted_here, purged) for data in theirs))
    ours, theirs = _unarchived(base, ours, theirs), _unarchived(base, theirs, ours)
    base = DayFiles(
        _with_moved(base.daily, base.archived, ours.daily, theirs.daily),
        _with_moved(base.archived, base.daily, ours.archived, theirs.archived),
    )
    name = day.isoformat()
    merge = partial(day_merge.merge_days, day=name, theirs_first=True)
    merged = DayFiles(*map(merge, base, ours, theirs))
    merged = DayFiles(*(b"" if archive_moves.is_bare(data, day) else data for data in merged))
    return merged._replace(daily=_apart(merged, day)) if merged.archived else merged


def _numbered_as_before(base: DayFiles, side: DayFiles, day: date) -> DayFiles:
    """Return a side with the numbers that its sections had: an id that others have stays."""
    old = {part.identity: part.number for data in base for part in _document(data).parts}
    free = set(old.values()) - _numbers(side, day) - {0}
    files = []
    for data in side:
        for item in reversed(_sections(data, day)):
            cut = next(iter(_document(days.cut(data, item.span)).parts), None)
            number = old.get(cut.identity, 0) if cut else 0
            if number in free:
                free.discard(number)
                text = markdown.renumbered(to_text(days.cut(data, item.span)), number)
                data = days.splice(data, item.span, to_bytes(text))
        files.append(data)
    return DayFiles(*files)


def _with_moved(target: bytes, source: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return a file of the base with what both sides moved there from the other one."""
    sides = [move_sections.parts_of(to_text(data)) for data in (ours, theirs)]
    places = [
        place
        for place, part in enumerate(move_sections.parts_of(to_text(source)))
        if all(any(move_sections.is_same(item, part) for item in side) for side in sides)
    ]
    before = to_text(target) if target else None
    moved = move_sections.move(to_text(source), before, places, wins=False) if places else None
    return to_bytes(moved.target) if moved else target


def _unarchived(base: DayFiles, side: DayFiles, other: DayFiles) -> DayFiles:
    """Return a side with what it archived back in its day, where the other side edited that."""
    old, edited = _document(base.daily).parts, _document(other.daily).parts

    def is_edited(part: Part) -> bool:
        before = [item.identity for item in old if move_sections.is_same(item, part)]
        now = [item.identity for item in edited if move_sections.is_same(item, part)]
        return bool(before and now) and before != now

    parts = move_sections.parts_of(to_text(side.archived))
    places = [place for place, part in enumerate(parts) if is_edited(part)]
    daily = to_text(side.daily) if side.daily else None
    moved = move_sections.move(to_text(side.archived), daily, places, wins=False)
    if not places or moved is None:
        return side
    return DayFiles(to_bytes(moved.target), to_bytes(moved.source or ""))


def merged_summary(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return `summary.md` with the lines of both sides."""
    return to_bytes(merge_prose(*map(to_text, (base, ours, theirs))))


def purged_ids(
    files: DayFiles, base: DayFiles, day: date, deleted: Collection[Deleted]
) -> list[str]:
    """Return the ids of the sections of a day that others purged."""
    purged = _purged(base, day, deleted)
    ids = (
        str(item.session.id)
        for data in files
        for item in _sections(data, day)
        if not purged.isdisjoint(_keys(data, item))
    )
    return list(dict.fromkeys(ids))


def _purged(base: DayFiles, day: date, deleted: Iterable[Deleted]) -> set[tuple[int, str]]:
    """Return what tells purged sections: number and heading, and 0 with the text of each."""
    ids = [parse_id(entry.id) for entry in deleted if entry.purged]
    # The same number of another day is another section.
    numbers = {id_.number for id_ in ids if id_.date == day} - {0}
    keys = (_keys(data, item) for data in base for item in _sections(data, day))
    return {key for heading, text in keys if heading[0] in numbers for key in (heading, text)}


def _without_deleted(
    data: bytes, day: date, deleted: Collection[Deleted], purged: Set[tuple[int, str]]
) -> bytes:
    digests = {(entry.id, digest) for entry in deleted for digest in entry.digests}
    if not digests and not purged:
        return data
    removed = [
        item
        for item in _sections(data, day)
        if not purged.isdisjoint(_keys(data, item))
        or (str(item.session.id), text_digest(_text(data, item))) in digests
    ]
    return _without(data, removed)


def _apart(merged: DayFiles, day: date) -> bytes:
    """Return the day file; a section in it with the number of another archived one gets its own."""
    archived = {part.number: part for part in move_sections.parts_of(to_text(merged.archived))}
    parts = move_sections.parts_of(to_text(merged.daily))
    free = count(max((*archived, *(part.number for part in parts)), default=0) + 1)
    data = merged.daily
    sections = days.parse_bytes(data, day, "").sections
    numbers = {
        place: next(free)
        for place, part in enumerate(parts)
        if part.number in archived and not move_sections.is_same(part, archived[part.number])
    }
    for place, number in sorted(numbers.items(), reverse=True):
        span = sections[place].span
        text = markdown.renumbered(to_text(days.cut(data, span)), number)
        data = days.splice(data, span, to_bytes(text))
    return data


# ---------------------------------------------------------------------------- sections of bytes


def said_in(data: bytes, day: date) -> list[tuple[str, str]]:
    """Return the ids of the sections of a day with their texts, whatever their numbers."""
    return [
        (str(item.session.id), markdown.renumbered(_text(data, item), 0))
        for item in _sections(data, day)
    ]


def with_headings_only(data: bytes, day: date, ids: Collection[str]) -> bytes:
    """Return a day in which only the headings of these sections are left."""
    for item in reversed(_sections(data, day)):
        if str(item.session.id) in ids and item.session.number:
            heading = days.cut(data, item.span).partition(b"\n")[0].rstrip(b"\r")
            data = days.splice(data, item.span, heading + b"\n\n---\n")
    return data


def _sections(data: bytes, day: date) -> tuple[Section, ...]:
    return days.parse_bytes(data, day, "").all_sections if data else ()


def _text(data: bytes, section: Section) -> str:
    return to_text(days.cut(data, section.span)).rstrip()


def _keys(data: bytes, section: Section) -> tuple[tuple[int, str], tuple[int, str]]:
    """Return the number and heading of a section, and 0 with its text."""
    text = markdown.renumbered(_text(data, section), 0)
    return (section.session.number, text.partition("\n")[0].rstrip()), (0, text)


def _without(data: bytes, sections: Iterable[Section]) -> bytes:
    for item in sorted(sections, key=lambda item: item.span, reverse=True):
        data = days.splice(data, days.with_gap(data, item.span), b"")
    return data
