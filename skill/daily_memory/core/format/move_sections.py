"""Moves sections between two texts of a day, for archiving and restoring.

Texts are complete day files. Each section moves with the text below it, up to the next section. The
head of the file is copied, since its front matter applies to all sections.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from daily_memory.core.format.front_matter import parse_front_matter
from daily_memory.core.format.merge_parts import DayText, Part, parse_document

_BOM = "\ufeff"


class MovedSections(NamedTuple):
    """The source without the moved sections, None if nothing is left, and the target with them."""

    source: str | None
    target: str


def move(
    source: str, target: str | None, places: Collection[int], *, wins: bool
) -> MovedSections | None:
    """Move sections, by their places from 0, from one text of a day to another.

    What the other has already is not there twice. Where both have a section of one number and time,
    it was edited since; the one that moves takes the place of the other if it `wins`. None where a
    section would not be read as before, as one that opens a fence for those below it.
    """
    mark, document = _parsed(source)
    wanted = [part for place, part in enumerate(document.parts) if place in places]
    others = [part for place, part in enumerate(document.parts) if place not in places]
    rest = mark + _joined(document._replace(parts=tuple(others))) if others else None
    if target is None and not others:
        return MovedSections(None, source)
    their_mark, theirs = _parsed(target) if target is not None else (mark, DayText("", ()))
    head = _merged_head(theirs.head, document.head) if target is not None else document.head
    parts = _merged(list(theirs.parts), wanted, wins=wins)
    text = their_mark + _joined(DayText(head, tuple(parts)))
    is_sound = _has(text, parts) and (rest is None or _has(rest, others))
    return MovedSections(rest, text) if is_sound else None


def is_same(part: Part, other: Part) -> bool:
    """Tell whether two parts are one section, before or after an edit."""
    if part.number != other.number:
        return False
    return _lines(part) == _lines(other) or bool(part.time and part.heading == other.heading)


def parts_of(text: str) -> tuple[Part, ...]:
    """Return the sections of a day's text, in order."""
    return _parsed(text)[1].parts


def _parsed(text: str) -> tuple[str, DayText]:
    mark = _BOM if text.startswith(_BOM) else ""
    return mark, parse_document(text[len(mark) :])


def _lines(part: Part) -> list[str]:
    return [line.rstrip() for line in part.text.split("\n")]


def _merged(parts: list[Part], added: list[Part], *, wins: bool) -> list[Part]:
    for part in added:
        known = next((place for place, one in enumerate(parts) if is_same(one, part)), None)
        if known is None:
            behind = (place for place, one in enumerate(parts) if one.number > part.number)
            parts.insert(next(behind, len(parts)), part)
            continue
        kept, other = (part, parts[known]) if wins else (parts[known], part)
        parts[known] = kept._replace(tail=_merged_tail(kept.tail, other.tail))
    return parts


def _merged_tail(tail: str, other: str) -> str:
    """Return the text below a section, merged with its other version."""
    lost = other.strip()
    return tail if lost in tail else _ended(tail) + lost + "\n\n"


def _merged_head(head: str, other: str) -> str:
    """Return the text above the sections, with lines that only the other file has."""
    if other == head or not head.strip():
        return other
    lines = other.split("\n")
    if not parse_front_matter(head.split("\n")).line_count:
        count = parse_front_matter(lines).line_count
        head = "".join(f"{line}\n" for line in lines[:count]) + head
        lines = lines[count:]
    known = {line.strip() for line in head.split("\n")}
    added = [line for line in lines if line.strip() and line.strip() not in known]
    return _ended(head) + "\n".join((*added, "", "")) if added else head


def _joined(document: DayText) -> str:
    """Return the text; an empty line parts a section from one that ended its file without one."""
    texts = [document.head, *(part.text + part.tail for part in document.parts)]
    whole = "".join(texts)
    ended = [
        _ended(text, whole) if text and not text.endswith("\n") else text for text in texts[:-1]
    ]
    return "".join([*ended, texts[-1]])


def _ended(text: str, like: str = "") -> str:
    """Return a text that ends with an empty line; the line ends are those of `like`."""
    if text.endswith(("\n\n", "\n\r\n")):
        return text
    line_end = "\r\n" if "\r\n" in (like or text) else "\n"
    return text + (line_end if text.endswith("\n") else line_end * 2)


def _has(text: str, parts: list[Part]) -> bool:
    found = parts_of(text)
    return Counter(map(_key, found)) == Counter(map(_key, parts))


def _key(part: Part) -> tuple[int, str]:
    return part.number, part.text.rstrip()
