"""Merges two versions of a day file section by section: nothing is lost, torn or duplicated.

A line-wise merge would match lines that two new sections share, such as `### 主题`, and tear the
sections. Here a section is found in the other versions by its text, then by its number and time,
and is merged as a whole. Swapping the sides gives the same result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import count
from typing import NamedTuple, TypeVar

from daily_memory.core.format import markdown
from daily_memory.core.format.conflicts import split_versions
from daily_memory.core.format.exact import to_bytes, to_text
from daily_memory.core.format.merge_parts import (
    DayText,
    Part,
    contained,
    load_facts,
    parse_document,
    with_fact,
)
from daily_memory.core.format.section_merge import merge_prose, merge_section
from daily_memory.model import SessionId

OURS, THEIRS, BASE = 0, 1, 2
_SIDES = (OURS, THEIRS)
_Documents = tuple[DayText, DayText, DayText]  # in that order
_Places = tuple[int, int, int]  # where a section is in each of them
_ABSENT = -1

_BOM = "\ufeff"
_MIXED = "mixed"
_EMPTY_LINE = ("\n\n", "\n\r\n")
# A conflict inside a conflict inside a conflict: beyond that, markers are left to a person.
_DEPTH = 3
# The parser reads no longer numbers.
_MOST_NUMBER = 999_999_999

_Value = TypeVar("_Value", str, int, bool)


class _Unit(NamedTuple):
    """A section of the outcome.

    `sources` are the sides that its text is from. Its number is settled if it is the one of the
    base. `repeats` is set where it is the other version of the unit before it.
    """

    part: Part
    places: _Places
    sources: tuple[int, ...]
    is_settled: bool = False
    repeats: bool = False


class _Addition(NamedTuple):
    """A section that is new on a side, and where it goes."""

    anchor: int
    order: tuple[str, int, str, str]
    unit: _Unit


def merge_days(
    base: bytes, ours: bytes, theirs: bytes, day: str = "", *, theirs_first: bool = False
) -> bytes:
    """Merge two versions of a day file that both come from `base`.

    Every section that one side added, edited or left alone is there once and whole, and no number
    is given twice. What one side took out is gone, unless the other side edited it. Two edits of
    one section are put together, or kept as two sections. `day` as `YYYY-MM-DD` keeps those right
    that name an earlier section of their conversation; with "" such names are left alone. With
    `theirs_first` a new section of theirs keeps its number, otherwise the earlier of two does.
    """
    if ours == theirs or base == theirs:
        return ours
    if base == ours:
        return theirs
    texts = [to_text(version) for version in (base, ours, theirs)]
    mark = _BOM if _agreed(*(text.startswith(_BOM) for text in texts)) else ""
    old, *sides = (_resolved(text.removeprefix(_BOM), day) for text in texts)
    return to_bytes(mark + _merged(old, sides[0], sides[1], day, theirs_first=theirs_first))


def resolve_conflicts(data: bytes, day: str = "", *, with_quoted: bool = False) -> bytes:
    """Return a day file with git's conflicts in it merged."""
    text = to_text(data)
    mark = _BOM if text.startswith(_BOM) else ""
    return to_bytes(mark + _resolved(text.removeprefix(_BOM), day, with_quoted=with_quoted))


def has_sections(data: bytes) -> bool:
    return bool(parse_document(to_text(data).removeprefix(_BOM)).parts)


def _resolved(text: str, day: str, *, with_quoted: bool = False, depth: int = _DEPTH) -> str:
    versions = split_versions(text, with_quoted=with_quoted) if depth else None
    if versions is None:
        return text
    base, ours, theirs = (_resolved(version, day, depth=depth - 1) for version in versions)
    return _merged(base, ours, theirs, day)


def _agreed(base: _Value, ours: _Value, theirs: _Value) -> _Value:
    """Return the value of the side that changed it; if both did, the greater."""
    if ours == base:
        return theirs
    return ours if theirs in (base, ours) else max(ours, theirs)


def _merged(base: str, ours: str, theirs: str, day: str, *, theirs_first: bool = False) -> str:
    if ours == theirs or base == theirs:
        return ours
    if base == ours:
        return theirs
    ends = [_line_end(text) for text in (base, ours, theirs)]
    if _MIXED in ends:
        return _merged_documents(base, ours, theirs, day, "\r\n", theirs_first)
    # Whoever changes nothing but the line ends changes no section.
    base, ours, theirs = (text.replace("\r\n", "\n") for text in (base, ours, theirs))
    merged = _merged_documents(base, ours, theirs, day, "\n", theirs_first)
    return merged.replace("\n", _agreed(*ends) or "\n")


def _line_end(text: str) -> str:
    """Return the line end, _MIXED for different ones, "" for none."""
    lines = text.count("\n")
    windows = text.count("\r\n")
    if windows not in (0, lines):
        return _MIXED
    return ("\r\n" if windows else "\n") if lines else ""


def _merged_documents(
    base: str, ours: str, theirs: str, day: str, line_end: str, theirs_first: bool
) -> str:
    documents = (parse_document(ours), parse_document(theirs), parse_document(base))
    head = merge_prose(*(documents[side].head for side in (BASE, OURS, THEIRS)))
    units = _numbered(_arranged(documents), documents, day, theirs_first=theirs_first)
    text = _joined(head, units, documents, line_end)
    if _headings(parse_document(text).parts) != _headings(unit.part for unit in units):
        text = _joined(contained(head), [_contained(unit) for unit in units], documents, line_end)
    return text


def _headings(parts: Iterable[Part]) -> list[str]:
    return [part.text.partition("\n")[0] for part in parts]


def _contained(unit: _Unit) -> _Unit:
    part = unit.part
    safe = part._replace(text=contained(part.text), tail=contained(part.tail))
    return unit._replace(part=safe)


def _matches(base: Sequence[Part], side: Sequence[Part]) -> dict[int, int]:
    """Return for each section of the base its index on a side."""
    found: dict[int, int] = {}
    for key in (_by_number, _by_identity, _by_heading):
        _match(found, base, side, key)
    return found


def _by_number(part: Part) -> Hashable:
    return part.number, part.identity


def _by_identity(part: Part) -> Hashable:
    return part.identity


def _by_heading(part: Part) -> Hashable:
    return part.number, part.heading


def _match(
    found: dict[int, int],
    base: Sequence[Part],
    side: Sequence[Part],
    key: Callable[[Part], Hashable],
) -> None:
    """Add the pairs with equal keys, in order."""
    taken = set(found.values())
    free: dict[Hashable, list[int]] = {}
    for index in reversed(range(len(base))):
        if index not in taken:
            free.setdefault(key(base[index]), []).append(index)
    for index, part in enumerate(side):
        if index not in found and free.get(key(part)):
            found[index] = free[key(part)].pop()


def _arranged(documents: _Documents) -> list[_Unit]:
    base = documents[BASE].parts
    matches = [_matches(base, documents[side].parts) for side in (OURS, THEIRS)]
    additions: dict[int, list[_Unit]] = {}
    for addition in sorted(_additions(documents, matches), key=lambda addition: addition.order):
        additions.setdefault(addition.anchor, []).append(addition.unit)
    places = [{there: here for here, there in found.items()} for found in matches]
    units = additions.get(-1, [])
    for index in range(len(base)):
        spots = (places[OURS].get(index, _ABSENT), places[THEIRS].get(index, _ABSENT), index)
        units += [*_kept(documents, spots), *additions.get(index, [])]
    return units + additions.get(len(base), [])


def _kept(documents: _Documents, places: _Places) -> list[_Unit]:
    """Return the merged versions of a section of the base: none, one or both."""
    base = documents[BASE].parts[places[BASE]]
    there = [side for side in (OURS, THEIRS) if places[side] != _ABSENT]
    parts = [documents[side].parts[places[side]] for side in there]
    if len(parts) == 2:
        return _kept_by_both(base, (parts[0], parts[1]), places)
    if not parts or not _is_edited(base, parts[0]):
        return []
    return [_Unit(parts[0], places, (there[0],), parts[0].number == base.number)]


def _is_edited(base: Part, part: Part) -> bool:
    return part.identity != base.identity or part.tail.strip() != base.tail.strip()


def _kept_by_both(base: Part, parts: tuple[Part, Part], places: _Places) -> list[_Unit]:
    """Return a section that both sides have, as two versions if they can't be merged."""
    ours, theirs = parts
    number = _agreed(base.number, ours.number, theirs.number)
    unit = _Unit(base, places, (OURS, THEIRS), number == base.number)
    tail = merge_prose(base.tail, ours.tail, theirs.tail)
    if ours.identity == theirs.identity:
        part, sources = _later(parts)
    elif base.identity in (ours.identity, theirs.identity):
        side = OURS if theirs.identity == base.identity else THEIRS
        part, sources = parts[side], (side,)
    else:
        text = merge_section(base, ours, theirs)
        if not text:
            return _both_versions(parts, unit, number, tail)
        part, sources = base._replace(text=text), (OURS, THEIRS)
    return [unit._replace(part=_with(part, number, tail), sources=sources)]


def _both_versions(parts: tuple[Part, Part], unit: _Unit, number: int, tail: str) -> list[_Unit]:
    (first, one), (second, other) = sorted((part, side) for side, part in enumerate(parts))
    return [
        unit._replace(part=_with(first, number, ""), sources=(one,)),
        _Unit(second._replace(tail=tail), unit.places, (other,), repeats=True),
    ]


def _later(parts: tuple[Part, Part]) -> tuple[Part, tuple[int, ...]]:
    """Return which of two equal sections has the higher number, and whose text it is."""
    part = max(parts)
    return part, tuple(side for side in (OURS, THEIRS) if parts[side].text == part.text)


def _with(part: Part, number: int, tail: str) -> Part:
    return _renumbered(part, number)._replace(tail=tail)


def _renumbered(part: Part, number: int) -> Part:
    if part.number == number:
        return part
    return part._replace(number=number, text=markdown.renumbered(part.text, number))


def _additions(documents: _Documents, matches: list[dict[int, int]]) -> Iterator[_Addition]:
    """Yield the new sections; one that is new on both sides comes once."""
    size = len(documents[BASE].parts)
    ours, theirs = (_added(documents[side].parts, side, matches[side], size) for side in _SIDES)
    pairs: dict[int, int] = {}
    for key in (_by_number, _by_identity):
        _match(pairs, [add.unit.part for add in ours], [add.unit.part for add in theirs], key)
    yield from (_added_by_both(ours[here], theirs[there]) for there, here in pairs.items())
    both = set(pairs.values())
    yield from (addition for index, addition in enumerate(ours) if index not in both)
    yield from (addition for index, addition in enumerate(theirs) if index not in pairs)


def _added(parts: Sequence[Part], side: int, found: dict[int, int], size: int) -> list[_Addition]:
    """Return what a side added to the `size` sections of the base; behind the last is `size`."""
    added = []
    anchor, latest = -1, ""
    last = max(found, default=-1)
    for index, part in enumerate(parts):
        # A section without a time, or with an earlier one, stays below the previous one.
        latest = max(latest, f"0{part.time}" if part.time[1:2] == ":" else part.time)
        if index in found:
            anchor = found[index]
            continue
        places = (index, _ABSENT, _ABSENT) if side == OURS else (_ABSENT, index, _ABSENT)
        order = latest, part.number, part.text, part.tail
        unit = _Unit(part, places, (side,))
        added.append(_Addition(anchor if index < last else size, order, unit))
    return added


def _added_by_both(ours: _Addition, theirs: _Addition) -> _Addition:
    parts = ours.unit.part, theirs.unit.part
    part, sources = _later(parts)
    places = ours.unit.places[OURS], theirs.unit.places[THEIRS], _ABSENT
    tail = merge_prose("", *(part.tail for part in parts))
    unit = _Unit(part._replace(tail=tail), places, sources)
    return _Addition(max(ours.anchor, theirs.anchor), max(ours.order, theirs.order), unit)


def _numbered(
    units: list[_Unit], documents: _Documents, day: str, *, theirs_first: bool
) -> list[_Unit]:
    """Return the sections with distinct numbers, updated where they are named."""
    numbers = _numbers(units, documents, theirs_first=theirs_first)
    numbered = [
        unit._replace(part=_renumbered(unit.part, number))
        for unit, number in zip(units, numbers, strict=True)
    ]
    return _renamed(numbered, documents, date.fromisoformat(day)) if day else numbered


def _numbers(units: list[_Unit], documents: _Documents, *, theirs_first: bool) -> list[int]:
    """Return the number of each section; one that has to give way gets an unused one."""
    numbers = {at: unit.part.number for at, unit in enumerate(units) if unit.is_settled}
    taken = set(numbers.values())
    given = [part.number for document in documents for part in document.parts]
    fresh = count(max(given, default=0) + 1)
    for at in sorted(range(len(units)), key=lambda at: _rank(units[at], theirs_first)):
        if at in numbers:
            continue
        number = units[at].part.number
        if number in taken or units[at].repeats:
            number = next(fresh)
            if number > _MOST_NUMBER:
                number = next(free for free in count(1) if free not in taken)
        taken.add(number)
        numbers[at] = number
    return [numbers[at] for at in range(len(units))]


def _rank(unit: _Unit, theirs_first: bool) -> tuple[bool, bool, bool]:
    """Return the rank by which sections keep their number: those of the base first."""
    is_junior = theirs_first and unit.places[THEIRS] == _ABSENT
    return unit.repeats, unit.places[BASE] == _ABSENT, is_junior


def _renamed(numbered: list[_Unit], documents: _Documents, day: date) -> list[_Unit]:
    """Return the sections with the ids that they continue brought up to date."""
    ids = _ids([unit.part for unit in numbered], day)
    known: tuple[dict[str, str], ...] = ({}, {})
    for side in _SIDES:
        old = _ids(documents[side].parts, day)
        for unit, name in zip(numbered, ids, strict=True):
            if unit.places[side] != _ABSENT and (side in unit.sources or not unit.repeats):
                known[side][old[unit.places[side]]] = name
    renamed = []
    for at, unit in enumerate(numbered):
        current = _continues(unit.part)
        name = ids[at - 1] if unit.repeats else _continued(unit, documents, known)
        is_new = name not in ("", current)
        text = with_fact(unit.part.text, "continues", name) if is_new else unit.part.text
        renamed.append(unit._replace(part=unit.part._replace(text=text)))
    return renamed


def _continued(unit: _Unit, documents: _Documents, known: Sequence[Mapping[str, str]]) -> str:
    """Return the current id of the section that this one continues, "" for none."""
    sides: Sequence[int] = unit.sources
    if _ABSENT not in unit.places:
        was = _continues(documents[BASE].parts[unit.places[BASE]])
        named = [_continues(documents[side].parts[unit.places[side]]) for side in _SIDES]
        sides = [side for side in _SIDES if named[side] != was] or _SIDES
    old = [(side, _continues(documents[side].parts[unit.places[side]])) for side in sides]
    return min((known[side].get(name, name) for side, name in old if name), default="")


def _continues(part: Part) -> str:
    return str(load_facts(part.facts_line).get("continues") or "")


def _ids(parts: Sequence[Part], day: date) -> list[str]:
    seen: Counter[int] = Counter()
    ids = []
    for part in parts:
        seen[part.number] += 1
        ids.append(str(SessionId(day, part.number, seen[part.number])))
    return ids


def _joined(head: str, units: list[_Unit], documents: _Documents, line_end: str) -> str:
    text, is_new = head, head != documents[BASE].head
    for unit in units:
        is_new = is_new or unit.places[BASE] == _ABSENT or unit.repeats
        if text and not text.endswith(_EMPTY_LINE) and (is_new or not text.endswith("\n")):
            text += line_end if text.endswith("\n") else line_end * 2
        text += unit.part.text + unit.part.tail
        is_new = unit.places[BASE] == _ABSENT or unit.repeats
    if units and not units[-1].part.tail.strip() and not _was_last(units[-1], documents):
        tail = units[-1].part.tail
        text = text.removesuffix(tail) + tail[: tail.find("\n") + 1]
    return text


def _was_last(unit: _Unit, documents: _Documents) -> bool:
    return any(
        place == len(document.parts) - 1 and document.parts[place].tail == unit.part.tail
        for document, place in zip(documents, unit.places, strict=True)
        if place != _ABSENT
    )
