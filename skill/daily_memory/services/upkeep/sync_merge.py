"""The merge of one day in a sync: bytes in, bytes out.

A day and its archive are merged as one text, with the numbers of the archived sections beside it.
So a section can be moved on one machine and edited, deleted or moved back on another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from datetime import date
from typing import NamedTuple

from daily_memory.core.format import day_merge, markdown, move_sections
from daily_memory.core.format.exact import to_bytes, to_text
from daily_memory.core.format.merge_parts import DayText, Part, parse_document
from daily_memory.core.format.section_merge import merge_prose, merge_section
from daily_memory.core.format.session_json import parse_id
from daily_memory.core.redaction.files import redact_text
from daily_memory.core.redaction.privacy import Policy
from daily_memory.core.review import summary_region
from daily_memory.errors import DamagedDataError
from daily_memory.model import Section
from daily_memory.services.changing.sanitize import redact_day
from daily_memory.storage import archive_moves, days
from daily_memory.storage.deleted import Deleted
from daily_memory.text import filled

# Marks the deletion of a section that was only made private.
_MIDNIGHT = "T00:00:00+00:00"
_BOM = b"\xef\xbb\xbf"
# The mark of redaction in a text that could not be searched for secrets.
_WITHHELD = "withheld"


class WholeDay(NamedTuple):
    """A day together with its archive; `archived` has the numbers of archived sections."""

    data: bytes = b""
    archived: frozenset[int] = frozenset()


class DaySides(NamedTuple):
    """A day as last synced, as it is here, and as it is there."""

    base: WholeDay
    local: WholeDay
    theirs: WholeDay


class SyncedDay(NamedTuple):
    """A day to write here, the day to send, and the numbers of private sections."""

    written: WholeDay
    sent: WholeDay
    private: frozenset[int]


def join_archive(daily: bytes, archived: bytes, path: str) -> WholeDay:
    """Return a day file and its archive as one, ordered by number.

    If a section is in both, that of the day file counts. Any other order might differ between
    machines.
    """
    if not archived:
        return WholeDay(_ordered(daily))
    parts = move_sections.parts_of(to_text(archived))
    text = to_text(daily) if daily else None
    moved = move_sections.move(to_text(archived), text, range(len(parts)), wins=False)
    here = move_sections.parts_of(text or "")
    numbers = {
        part.number
        for part in parts
        if not any(move_sections.is_same(part, other) for other in here)
    }
    text = _sound(moved, path).target
    return WholeDay(_ordered(to_bytes(text)), frozenset(numbers))


def _ordered(data: bytes) -> bytes:
    document = _document(data)
    parts = sorted(document.parts, key=lambda part: part.number)
    if parts == [*document.parts]:
        return data
    text, line_end = document.head, "\r\n" if b"\r\n" in data else "\n"
    for part in parts:
        end = "" if not text or text.endswith(("\n\n", "\n\r\n")) else line_end
        text += end * (1 if text.endswith("\n") else 2) + part.text + part.tail
    # Below an unclosed code fence nothing can be moved.
    is_sound = [part[:3] for part in parse_document(text).parts] == [part[:3] for part in parts]
    return _bom(data) + to_bytes(text) if is_sound else data


def split_archive(whole: WholeDay, path: str) -> tuple[bytes, bytes]:
    """Return the day file and the archive; b"" for none."""
    text = to_text(whole.data)
    parts = move_sections.parts_of(text)
    places = [place for place, part in enumerate(parts) if part.number in whole.archived]
    if not places:
        return whole.data, b""
    moved = _sound(move_sections.move(text, None, places, wins=True), path)
    return to_bytes(moved.source or ""), to_bytes(moved.target)


def _sound(moved: move_sections.MovedSections | None, path: str) -> move_sections.MovedSections:
    if moved is None:
        raise _unclear_error(path, "a section")
    return moved


def sync_day(
    sides: DaySides,
    day: date,
    path: str,
    policy: Policy,
    purged_here: Collection[int] = (),
    purged_there: Collection[int] = (),
) -> SyncedDay:
    """Merge a day, given the numbers that each side purged since the base.

    Sections that are private here are removed from the others, like purged ones. Secrets are not
    sent, and stay in what is written here.

    Raises:
        DamagedDataError: private text or secrets can't be told apart from the rest.
    """
    base, local, theirs = sides
    _check_whole(local.data, day, path)
    hidden = _redacted(local.data, day, path, policy, known=[base.data])
    private = {item.session.number for item in _private(hidden, day)} - {0}
    marks = _marks_of(base.data, day, {*purged_here, *private})
    taken = _without(theirs.data, _marked(theirs.data, day, marks))
    own = _without(hidden, purged_sections(hidden, sides, day, purged_there))
    merged = day_merge.merge_days(base.data, own, taken, day.isoformat(), theirs_first=True)
    sources = base, WholeDay(own, local.archived), WholeDay(taken, theirs.archived)
    whole = WholeDay(_unless_bare(merged, day), _archived(merged, sources))
    # As the next sync will read it.
    whole = join_archive(*split_archive(whole, path), path)
    public = without_private(whole, day, path)
    leaving = _redacted(public.data, day, path, policy, known=[hidden, theirs.data])
    if _private(hidden, day) and _lines(leaving) == _lines(theirs.data):
        leaving = theirs.data  # only empty lines around private text differ
    written = whole.data
    for merges in (True, False) if hidden != local.data else ():
        with_secrets = _with_secrets(whole.data, hidden, local.data, merges=merges)
        # A merge may tear a secret apart so that it is not recognized any more.
        if _redacted(with_secrets, day, path, policy, known=[whole.data]) == whole.data:
            written = with_secrets
            break
    return SyncedDay(
        whole._replace(data=written),
        public._replace(data=leaving),
        frozenset(item.session.number for item in _private(whole.data, day)) - {0},
    )


def sync_summary(
    base: bytes, local: bytes, theirs: bytes, path: str, policy: Policy
) -> tuple[bytes, bytes]:
    """Return `summary.md` to write here, and to send.

    Only the user's text is sent: each machine makes our part itself.
    """
    own = to_text(local)
    if summary_region.MARK in own:
        own = summary_region.put(own, [])
    redacted, counts = redact_text(to_bytes(own), policy)
    _check(path, [kind for kind, _ in counts])
    sent = merge_prose(*map(to_text, (base, redacted, theirs)))
    return to_bytes(_put_back(to_text(redacted), to_text(local), sent, merges=True)), to_bytes(sent)


def purged_sections(
    data: bytes, sides: DaySides, day: date, purged_there: Collection[int]
) -> list[Section]:
    """Return the sections of a day here that were purged there, by their numbers in the base.

    A section that is still there only had the same number. Private ones are left out: two machines
    that make a section private do not purge each other's.
    """
    theirs = sides.theirs.data
    spared = {mark for item in _sections(theirs, day) for mark in _marks(theirs, item)[1:]}
    marks = _marks_of(sides.base.data, day, purged_there, spared)
    return [item for item in _marked(data, day, marks) if not item.session.is_private]


def with_headings_only(data: bytes, day: date, ids: Collection[str]) -> bytes:
    """Return a day in which these sections are reduced to their headings."""
    for item in reversed(_sections(data, day)):
        if str(item.session.id) in ids and item.session.number:
            heading = days.cut(data, item.span).partition(b"\n")[0].rstrip(b"\r")
            data = days.splice(data, item.span, heading + b"\n\n---\n")
    return data


def texts_by_id(data: bytes, day: date) -> Iterator[tuple[str, str]]:
    """Yield the ids and texts of the sections of a day; the texts are without numbers."""
    for item in _sections(data, day):
        yield str(item.session.id), _text(data, item)


def purged_numbers(entries: Iterable[Deleted]) -> dict[date, frozenset[int]]:
    """Return the numbers that were purged, by day."""
    ids = (entry.id for entry in entries if entry.purged)
    return numbers_by_day(id_ for id_ in ids if not id_.endswith("#0"))


def numbers_by_day(ids: Iterable[str]) -> dict[date, frozenset[int]]:
    found: dict[date, frozenset[int]] = {}
    for id_ in map(parse_id, ids):
        found[id_.date] = found.get(id_.date, frozenset()) | {id_.number}
    return found


def merged_deletions(
    before: Set[Deleted],
    own: Iterable[Deleted],
    theirs: Set[Deleted],
    had: Mapping[date, Set[int]],
    private: Iterable[tuple[date, int]],
) -> set[Deleted]:
    """Return the deletions of all machines; `had` are the numbers that days had in the base.

    A section that the others never had is not purged there, since the number may mean another one.
    One that they had, and that is private here, is purged there.
    """

    def as_sent(entry: Deleted) -> Deleted:
        id_ = parse_id(entry.id)
        is_theirs = entry in before or id_.number in had.get(id_.date, ())
        return entry._replace(purged=entry.purged and is_theirs)

    ours = set(map(as_sent, own))
    ours |= {
        Deleted(f"{day}{_MIDNIGHT}", f"{day}#{number}", purged=True)
        for day, number in private
        if number in had[day]
    }
    return {*(before & ours & theirs), *(ours - before), *(theirs - before)}


def _check_whole(data: bytes, day: date, path: str) -> None:
    is_open = b"<<<<<<<" in data and day_merge.resolve_conflicts(data, day.isoformat()) != data
    if is_open or b"\0" in data:
        what = "has an unresolved merge conflict" if is_open else "is not UTF-8"
        hint = "`memory doctor --fix` merges both sides" if is_open else "save it as UTF-8"
        raise DamagedDataError("{!r} {}: nothing was synced", path, what, hint=hint)


def without_private(whole: WholeDay, day: date, path: str) -> WholeDay:
    rest = _unless_bare(_without(whole.data, _private(whole.data, day)), day)
    if _private(rest, day):
        raise _unclear_error(path, "a private section")
    return WholeDay(rest, whole.archived & numbers_in(rest))


def _redacted(data: bytes, day: date, path: str, policy: Policy, known: Iterable[bytes]) -> bytes:
    """Return a day without secrets; sections that are in `known` days are not searched again."""
    clean = {_text(other, item) for other in known for item in _sections(other, day)}
    fresh = _without(data, [item for item in _sections(data, day) if _text(data, item) in clean])
    if not redact_day(fresh, policy, day)[1]:
        return data
    redacted, counts = redact_day(data, policy, day)
    before, after = ([str(item.session.id) for item in _sections(d, day)] for d in (data, redacted))
    _check(path, [_WITHHELD if before != after else "", *(kind for kind, _ in counts)])
    return redacted


def _check(path: str, kinds: Collection[str]) -> None:
    if _WITHHELD in kinds:
        message = filled("{!r} can't be searched for secrets: nothing was synced", path)
        hint = "close each <private> block in it; `memory cleanup --sanitize --dry-run` shows more"
        raise DamagedDataError(message, hint=hint)


def _unclear_error(path: str, what: str) -> DamagedDataError:
    message = filled(
        "{!r}: {} can't be told apart from what is around it; nothing was synced", path, what
    )
    return DamagedDataError(message, hint="close each code fence in it")


def _archived(merged: bytes, sides: tuple[WholeDay, WholeDay, WholeDay]) -> frozenset[int]:
    """Return which sections are archived: as in the base, unless a side moved them."""
    places = [_archived_by_key(side) for side in sides]
    numbers = set()
    for part in _document(merged).parts:
        was, ours, theirs = (
            next((known[key] for key in _keys(part) if key in known), None) for known in places
        )
        now = [place for place in (ours, theirs) if place is not None]
        changed = [place for place in now if place != bool(was)]
        if changed[0] if changed else bool(was and now):
            numbers.add(part.number)
    return frozenset(numbers)


def _archived_by_key(side: WholeDay) -> dict[object, bool]:
    parts = _document(side.data).parts
    return {key: part.number in side.archived for part in reversed(parts) for key in _keys(part)}


def _keys(part: Part) -> tuple[object, ...]:
    """Return the keys to find a section in another version of its day, the surest first."""
    return (part.number, *part.identity), part.identity, (part.number, part.heading)


def _with_secrets(merged: bytes, hidden: bytes, local: bytes, *, merges: bool) -> bytes:
    """Return a merged day with the local secrets put back; `hidden` is `local` without them.

    Sections that others edited get them only if `merges`.
    """
    old, here, new = (_document(data) for data in (hidden, local, merged))
    pairs = list(zip(old.parts, here.parts, strict=True))
    by_key = {key: pair for pair in reversed(pairs) for key in _keys(pair[0])}
    text = _put_back(old.head, here.head, new.head, merges=merges)
    for part in new.parts:
        before, own = next((by_key[key] for key in _keys(part) if key in by_key), (part, part))
        section = part.text
        if before.text != own.text:
            if before.identity == part.identity:
                section = own.text
            elif merges:
                section = merge_section(before, own, part) or section
        tail = _put_back(before.tail, own.tail, part.tail, merges=merges)
        text += markdown.renumbered(section, part.number) + tail
    return _bom(merged) + to_bytes(text)


def _put_back(hidden: str, local: str, merged: str, *, merges: bool) -> str:
    if merged == hidden:
        return local
    return merge_prose(hidden, local, merged) if merges and hidden != local else merged


_Mark = tuple[int, str]


def _marks_of(
    base: bytes, day: date, numbers: Collection[int], spared: Collection[_Mark] = ()
) -> set[_Mark]:
    """Return the marks of sections of the base with these numbers, without spared ones."""
    named = (item for item in _sections(base, day) if item.session.number in numbers)
    pairs = (_marks(base, item) for item in named)
    return {mark for pair in pairs if pair[1] not in spared for mark in pair}


def _marked(data: bytes, day: date, marks: Collection[_Mark]) -> list[Section]:
    sections = _sections(data, day) if marks else ()
    return [item for item in sections if any(mark in marks for mark in _marks(data, item))]


def _marks(data: bytes, section: Section) -> tuple[_Mark, _Mark]:
    """Return two marks that identify a section: its number and heading, and 0 and its text."""
    text = _text(data, section)
    return (section.session.number, text.partition("\n")[0].rstrip()), (0, text)


def _bom(data: bytes) -> bytes:
    return _BOM if data.startswith(_BOM) else b""


def _document(data: bytes) -> DayText:
    return parse_document(to_text(data).removeprefix("\ufeff"))


def _sections(data: bytes, day: date) -> tuple[Section, ...]:
    return days.parse_bytes(data, day, "").all_sections if data else ()


def numbers_in(data: bytes) -> set[int]:
    return {part.number for part in _document(data).parts}


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line.strip()]


def _private(data: bytes, day: date) -> list[Section]:
    return [item for item in _sections(data, day) if item.session.is_private]


def _text(data: bytes, section: Section) -> str:
    """Return the text of a section without its number."""
    return markdown.renumbered(to_text(days.cut(data, section.span)).rstrip(), 0)


def _without(data: bytes, sections: Iterable[Section]) -> bytes:
    """Return a day without some sections and the empty lines below each."""
    for item in sorted(sections, key=lambda item: item.span, reverse=True):
        span = item.span
        while (longer := days.with_gap(data, span)) != span:
            span = longer
        data = days.splice(data, span, b"")
    return data


def _unless_bare(data: bytes, day: date) -> bytes:
    return b"" if archive_moves.is_bare(data, day) else data
