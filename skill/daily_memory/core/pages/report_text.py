"""A report as text that fits a terminal."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator
from itertools import accumulate

from daily_memory.core.pages.report import Counts
from daily_memory.core.pages.report_sections import (
    WORDS,
    Grid,
    ReportSection,
    level,
    sections,
    totals,
)

_LEAST_WIDTH, _MOST_WIDTH = 40, 110
_MOST_NAME_WIDTH = 40
_MOST_BAR_WIDTH = 40
_LEVELS = "·░▒▓█"


def lines(counts: Counts, width: int) -> Iterator[str]:
    """Yield the report line by line, each at most `width` columns wide."""
    width = max(_LEAST_WIDTH, min(width, _MOST_WIDTH))
    for line in _lines(counts, width):
        yield fitted(line, width).rstrip()


def display_width(text: str) -> int:
    """Return how many columns a text takes: two for a Chinese character, none for an accent.

    >>> display_width("缓存 TTL"), display_width("e\\u0301")
    (8, 1)
    """
    return sum(map(_columns, text))


def fitted(text: str, width: int) -> str:
    """Return a text cut to a width, with "…" at the cut.

    >>> fitted("缓存过期时间", 7)
    '缓存过…'
    """
    if display_width(text) <= width:
        return text
    fits = sum(columns < width for columns in accumulate(map(_columns, text)))
    return f"{text[:fits]}…"


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _lines(counts: Counts, width: int) -> Iterator[str]:
    words = WORDS["en"]
    yield words["range"].format(first=counts.first, last=counts.last)
    numbers = [f"{words[key]} {number}" for key, number in totals(counts).items()]
    yield ", ".join(numbers[:3])
    yield ", ".join(numbers[3:])
    for section in sections(counts, "en"):
        yield ""
        if section.title:
            yield section.title
        if section.grid:
            yield from _grid(section.grid, width)
        yield from _bars(section, width)
        for note in section.notes:
            yield from textwrap.wrap(note, width, initial_indent="  ", subsequent_indent="  ")


def _bars(section: ReportSection, width: int) -> Iterator[str]:
    names = [" ".join(bar.name.split()) for bar in section.bars]
    name_width = _name_width(names, width)
    most = max((bar.number for bar in section.bars), default=0)
    for name, bar in zip(names, section.bars, strict=True):
        room = min(_MOST_BAR_WIDTH, width - name_width - len(bar.text) - 4)
        size = max(1, round(room * bar.number / most)) if bar.number else 0
        picture = "█" * size + " " if size else ""
        yield f"  {_padded(name, name_width)} {picture}{bar.text}"


def _grid(grid: Grid, width: int) -> Iterator[str]:
    """Yield a row of levels per name; the newest columns, if not all fit."""
    name_width = _name_width([name for name, _ in grid.rows], width)
    room = width - name_width - 3
    columns = len(grid.rows[0][1])
    # Wide cells are easier to see.
    size = 2 if 2 * columns <= room else 1
    shown = room // size
    header = "".join(
        (label if len(label) < span * size else "").ljust(span * size)
        for label, span in grid.header
    )
    if header:
        yield f"  {' ' * name_width} {header[-shown * size :]}"
    for name, cells in grid.rows:
        levels = (_LEVELS[level(cell[1], grid.most)] if cell else " " for cell in cells[-shown:])
        yield f"  {_padded(name, name_width)} {''.join(cell * size for cell in levels)}"


def _name_width(names: list[str], width: int) -> int:
    return min(max(map(display_width, names), default=0), _MOST_NAME_WIDTH, width // 2)


def _padded(name: str, width: int) -> str:
    short = fitted(" ".join(name.split()), width)
    return short + " " * (width - display_width(short))
