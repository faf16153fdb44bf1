"""Three-way merge of lines: two edits of one text put together.

Both sides are compared with the base, and what only one of them changed is taken over, as in diff3
(Khanna, Kunal, Pierce: "A Formal Investigation of Diff3", 2007). Unlike there, two neighbouring
lines that were changed by different sides are no conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

Lines = list[str]
# Base, ours and theirs where both changed the same lines → what shall stand there; None for
# "this can't be told". `before` is the base above them. Must give the same with the sides swapped.
Settle = Callable[[Lines, Lines, Lines, Lines], Lines | None]

# Lines × lines that are compared: about a second. What is larger counts as changed as a whole.
MOST_COMPARED = 4_000_000


class _Edit(NamedTuple):
    """The lines `first`..`end` of the base (not included) became other lines on one side."""

    first: int
    end: int
    lines: Lines
    side: int


def merge_lines(base: Lines, ours: Lines, theirs: Lines, settle: Settle) -> Lines | None:
    """Return the lines with the edits of both sides, None if `settle` can't decide.

    >>> merge_lines(["a", "b"], ["a", "B"], ["0", "a", "b"], lambda *_: None)
    ['0', 'a', 'B']
    """
    merged: Lines = []
    done = 0
    for group in _overlapping(sorted([*_edits(base, ours, 0), *_edits(base, theirs, 1)])):
        first, end = group[0].first, max(edit.end for edit in group)
        sides = [_edited(base, first, end, group, side) for side in (0, 1)]
        changed = [sides[side] for side in (0, 1) if any(edit.side == side for edit in group)]
        if len(changed) == 1 or changed[0] == changed[1]:
            settled: Lines | None = changed[0]
        else:
            settled = settle(base[:first], base[first:end], *sides)
        if settled is None:
            return None
        merged += [*base[done:first], *settled]
        done = end
    return merged + base[done:]


def common_ends(lines: Lines, other: Lines) -> tuple[int, int]:
    """Return the lengths of the common prefix, and of the common suffix of the rest.

    >>> common_ends(["a", "b", "c"], ["a", "c"])
    (1, 1)
    """
    shorter = min(len(lines), len(other))
    head = next((i for i in range(shorter) if lines[i] != other[i]), shorter)
    rest = shorter - head
    return head, next((i for i in range(rest) if lines[-1 - i] != other[-1 - i]), rest)


def _edits(base: Lines, side_lines: Lines, side: int) -> Iterator[_Edit]:
    head, tail = common_ends(base, side_lines)
    old, new = base[head : len(base) - tail], side_lines[head : len(side_lines) - tail]
    if len(old) * len(new) > MOST_COMPARED:
        yield _Edit(head, head + len(old), new, side)
        return
    for tag, first, end, start, stop in SequenceMatcher(None, old, new, False).get_opcodes():
        if tag != "equal":
            yield _Edit(head + first, head + end, new[start:stop], side)


def _overlapping(edits: list[_Edit]) -> Iterator[list[_Edit]]:
    """Yield the edits in order, each with those of the other side that it overlaps."""
    group: list[_Edit] = []
    end = 0
    for edit in edits:
        if group and edit.first >= end and not any(_meet(one, edit) for one in group):
            yield group
            group = []
        end = max(end, edit.end) if group else edit.end
        group.append(edit)
    if group:
        yield group


def _meet(one: _Edit, other: _Edit) -> bool:
    """Tell whether two edits that touch are about the same place.

    Two insertions are. What was put behind lines that the other side took out may have belonged
    to them.
    """
    if one.end != other.first:
        return False
    inserts = [edit.first == edit.end for edit in (one, other)]
    return all(inserts) or (any(inserts) and not (one.lines and other.lines))


def _edited(base: Lines, first: int, end: int, group: list[_Edit], side: int) -> Lines:
    """Return a range of the base with the edits of one side."""
    lines: Lines = []
    done = first
    for edit in (edit for edit in group if edit.side == side):
        lines += [*base[done : edit.first], *edit.lines]
        done = edit.end
    return lines + base[done:end]
