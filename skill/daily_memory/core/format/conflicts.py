"""The conflict markers that git leaves in a file: found, and taken apart into the versions.

git writes, each at the start of a line, seven `<`, then ours, with some styles seven `|` and the
base, seven `=`, theirs, and seven `>`. In a merge inside a merge its markers are longer, and stay.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import NamedTuple

from daily_memory.core.format import day_scan

_OPEN, _BASE, _MIDDLE, _CLOSE = "<" * 7, "|" * 7, "=" * 7, ">" * 7
_OUTSIDE = -1
# Markers without an end could pile up, and each is looked at again: the oldest are given up.
_MOST_OPEN = 20


class Versions(NamedTuple):
    """The three texts that a file with conflicts was made from."""

    base: str
    ours: str
    theirs: str


class _Conflict(NamedTuple):
    """The lines of its markers, counted from 0; without a base `base` is `middle`."""

    first: int
    base: int
    middle: int
    last: int


class _Opened:
    """A conflict of which the end was not seen yet."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.bases: list[int] = []
        self.middles: list[int] = []


def split_versions(text: str, *, with_quoted: bool = False) -> Versions | None:
    """Return the versions of a text with conflicts; None where it has no whole one.

    Where the base is not told, it is what both sides share: then nothing that only one of them
    has counts as taken out by the other. A conflict inside another stays in its side.

    What stands within one code fence is somebody's quotation, unless the same labels stand at a
    conflict outside, or `with_quoted` says that git is in the middle of a merge here.
    """
    if _OPEN not in text:
        return None
    lines = text.split("\n")
    conflicts = _real(_find(lines), lines, with_quoted=with_quoted)
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


def _find(lines: list[str]) -> list[_Conflict]:
    """Return the whole conflicts that are in no other, from the first to the last."""
    found: list[_Conflict] = []
    opened: deque[_Opened] = deque(maxlen=_MOST_OPEN)
    for index, line in enumerate(lines):
        mark = _marker(line)
        if mark == _OPEN:
            opened.append(_Opened(index))
        elif mark == _BASE and opened:
            opened[-1].bases.append(index)
        elif mark == _MIDDLE and opened:
            opened[-1].middles.append(index)
        elif mark == _CLOSE and opened and opened[-1].middles:
            conflict = _closed(opened.pop(), index, lines)
            while found and found[-1].first > conflict.first:
                found.pop()
            found.append(conflict)
    return found


def _marker(line: str) -> str:
    """Return the seven characters of a marker, "" for any other line."""
    mark = line[:7]
    if mark not in (_OPEN, _BASE, _MIDDLE, _CLOSE):
        return ""
    rest = line[7:].rstrip("\r")
    is_marker = not rest or (rest[0] == " " and mark != _MIDDLE)
    return mark if is_marker else ""


def _closed(opened: _Opened, last: int, lines: list[str]) -> _Conflict:
    """Return the conflict; of several lines of `=` the first that is no line of code."""
    first = opened.first
    middle = opened.middles[0]
    if len(opened.middles) > 1:
        fences = _Fences(lines[first + 1 : last])
        outside = (i for i in opened.middles if fences.place(i - first - 1) == _OUTSIDE)
        middle = next(outside, middle)
    base = next((index for index in opened.bases if index < middle), middle)
    return _Conflict(first, base, middle, last)


def _real(found: list[_Conflict], lines: list[str], *, with_quoted: bool) -> list[_Conflict]:
    """Return the conflicts that git left, without those that somebody quotes."""
    if with_quoted or not found:
        return found
    fences = _Fences(lines)

    def is_quoted(conflict: _Conflict) -> bool:
        place = fences.place(conflict.first)
        return place != _OUTSIDE and place == fences.place(conflict.last)

    def labels(conflict: _Conflict) -> tuple[str, str]:
        return lines[conflict.first].rstrip("\r"), lines[conflict.last].rstrip("\r")

    # Lines that both sides share, such as the fence itself, stand outside of git's markers: a
    # conflict within a fence is as real as the others of the same merge.
    real = {labels(conflict) for conflict in found if not is_quoted(conflict)}
    return [conflict for conflict in found if labels(conflict) in real]


class _Fences:
    """The code fences of some lines, that know which of them a line is in."""

    def __init__(self, lines: list[str]) -> None:
        blocks = day_scan.fenced_blocks(lines)
        self._starts = [start for _, start, _ in blocks]
        self._ends = [end for _, _, end in blocks]

    def place(self, line: int) -> int:
        """Return the number of the fence around a line, _OUTSIDE for none."""
        fence = bisect_right(self._starts, line) - 1
        return fence if fence >= 0 and line < self._ends[fence] else _OUTSIDE
