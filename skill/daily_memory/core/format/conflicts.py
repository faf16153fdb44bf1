"""Splits a file with git's conflict markers into the three versions.

At the start of a line, git writes seven `<` before ours, in some styles seven `|` before the base,
seven `=` before theirs, and seven `>` after them. Longer markers come from a merge within a merge,
and stay.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from daily_memory.core.format import day_scan

_OPEN, _BASE, _MIDDLE, _CLOSE = "<" * 7, "|" * 7, "=" * 7, ">" * 7


class Versions(NamedTuple):
    """The three texts that a file with conflicts was made from."""

    base: str
    ours: str
    theirs: str


class _Conflict(NamedTuple):
    """The lines of its markers, counted from 0; without a base, `base` is `middle`."""

    first: int
    base: int
    middle: int
    last: int


def split_versions(text: str, *, with_quoted: bool = False) -> Versions | None:
    """Return the versions in a text with conflict markers, None if there is no whole one.

    Without a base in the markers, the base is what both sides share: then nothing counts as
    removed. Of nested conflicts the inner ones are split. A conflict within one code fence is taken
    for a quotation, unless `with_quoted` says that git is merging this file.
    """
    if _OPEN not in text:
        return None
    lines = text.split("\n")
    conflicts = list(_find(lines))
    if conflicts and not with_quoted:
        conflicts = _unquoted(conflicts, lines)
    if not conflicts:
        return None
    sides: tuple[list[str], ...] = ([], [], [])
    done = 0
    for found in conflicts:
        for side in sides:
            side += lines[done : found.first]
        sides[0].extend(lines[found.base + 1 : found.middle])
        sides[1].extend(lines[found.first + 1 : found.base])
        sides[2].extend(lines[found.middle + 1 : found.last])
        done = found.last + 1
    return Versions(*("\n".join([*side, *lines[done:]]) for side in sides))


def _find(lines: list[str]) -> Iterator[_Conflict]:
    """Yield the complete conflicts; one with two middles is left to a person."""
    first = base = -1
    middles: list[int] = []
    for index, line in enumerate(lines):
        mark = _marker(line)
        if mark == _OPEN:
            first, base, middles = index, -1, []
        elif first < 0 or not mark:
            continue
        elif mark == _BASE and base < 0 and not middles:
            base = index
        elif mark == _MIDDLE:
            middles.append(index)
        elif mark == _CLOSE:
            if len(middles) == 1:
                yield _Conflict(first, base if base >= 0 else middles[0], middles[0], index)
            first = -1


def _marker(line: str) -> str:
    mark, rest = line[:7], line[7:].rstrip("\r")
    if mark == _MIDDLE:
        return "" if rest else mark
    return mark if mark in (_OPEN, _BASE, _CLOSE) and rest[:1] in ("", " ") else ""


def _unquoted(conflicts: list[_Conflict], lines: list[str]) -> list[_Conflict]:
    """Return the conflicts that do not begin and end within one code fence.

    git leaves lines that both sides share, such as a fence, outside of its markers: a conflict in a
    fence counts if it has the labels of one outside.
    """
    blocks = day_scan.fenced_blocks(lines)
    starts = [start for _, start, _ in blocks]
    ends = [end for _, _, end in blocks]

    def is_quoted(conflict: _Conflict) -> bool:
        fence = bisect_right(starts, conflict.first) - 1
        return fence >= 0 and conflict.last < ends[fence]

    def labels(conflict: _Conflict) -> tuple[str, str]:
        return lines[conflict.first].rstrip("\r"), lines[conflict.last].rstrip("\r")

    real = {labels(conflict) for conflict in conflicts if not is_quoted(conflict)}
    return [conflict for conflict in conflicts if labels(conflict) in real]
