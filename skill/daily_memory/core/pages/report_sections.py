"""The sections of a report, and the report as text. `report_page` lays them out as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

from daily_memory.core.pages.report import Counts, ranked
from daily_memory.core.words import load_words

WORDS = load_words("report")
MOST_ROWS = 12
_NAME_CHARS = 60


class Bar(NamedTuple):
    """A name with a number, and the number as text."""

    name: str
    number: int
    text: str


class Grid(NamedTuple):
    """Rows of numbers by day, None for days outside the report."""

    rows: tuple[tuple[str, tuple[tuple[date, int] | None, ...]], ...]
    header: tuple[tuple[str, int], ...] = ()

    @property
    def most(self) -> int:
        return max((cell[1] for _, cells in self.rows for cell in cells if cell), default=0)


class ReportSection(NamedTuple):
    """A part of the report; `kind` says what the names of its bars are, "" if nothing special."""

    title: str
    bars: tuple[Bar, ...] = ()
    grid: Grid | None = None
    notes: tuple[str, ...] = ()
    kind: str = ""


def totals(counts: Counts) -> dict[str, int]:
    """Return the totals of a report by their keys in WORDS."""
    return {
        "sessions": sum(counts.sessions.values()),
        "days": len(counts.sessions),
        "observations": sum(counts.observations.values()),
        **counts.flags,
    }


def sections(counts: Counts, language: str) -> Iterator[ReportSection]:
    """Yield the non-empty sections of a report."""
    words = WORDS[language]
    if not counts.sessions and not counts.observations:
        yield ReportSection("", notes=(words["none"],))
        return
    calendar = _calendar(counts, words["weekdays"].split(","))
    yield ReportSection(words["by_day"], grid=calendar)
    if counts.topics.periods:
        title = words[f"topics_{counts.topics.unit}"].format(first=counts.topics.periods[0])
        rows = (
            (tag, tuple(zip(counts.topics.periods, numbers, strict=True)))
            for tag, numbers in counts.topics.tags.items()
        )
        yield ReportSection(title, grid=Grid(tuple(rows)))
    for name in ("tags", "projects", "hosts"):
        numbers = ranked(getattr(counts, name))
        if numbers:
            yield _section(words[name], numbers, words)._replace(kind=name)
    if counts.quality.sessions:
        reasons = (
            (words.get(reason, reason), number) for reason, number in ranked(counts.quality.reasons)
        )
        grades = ((words[name], getattr(counts.quality, name)) for name in ("good", "fair", "poor"))
        note = words["mean"].format(mean=counts.quality.mean)
        yield _section(words["quality"], (*grades, *reasons), words, note)
    yield from _recall(counts, words)
    if counts.redactions:
        yield _section(words["hidden"], ranked(counts.redactions), words, words["hidden_note"])
    sizes = (Bar(words[name], size, sized(size)) for name, size in counts.bytes.items())
    yield ReportSection(words["sizes"], tuple(sizes))


def text_lines(counts: Counts) -> Iterator[str]:
    """Yield the report as lines of text."""
    words = WORDS[counts.language]
    yield words["range"].format(first=counts.first, last=counts.last)
    numbers = [f"{words[key]} {number}" for key, number in totals(counts).items()]
    yield ", ".join(numbers[:3])
    yield ", ".join(numbers[3:])
    for section in sections(counts, counts.language):
        if not section.bars and not section.notes:
            continue
        yield ""
        if section.title:
            yield section.title
        width = max((len(bar.text) for bar in section.bars), default=0)
        for bar in section.bars:
            yield f"  {bar.text.rjust(width)}  {' '.join(bar.name.split())[:_NAME_CHARS]}"
        yield from (f"  {note}" for note in section.notes)


def level(number: int, most: int) -> int:
    """Return a level from 0 (none) to 4 (near `most`).

    >>> [level(number, 8) for number in (0, 1, 3, 8)]
    [0, 1, 2, 4]
    """
    return -(-4 * number // most) if most else 0


def sized(count: int) -> str:
    """Return a number of bytes as text.

    >>> sized(999), sized(2_400_000)
    ('999 B', '2.4 MB')
    """
    amount, units = float(count), ["B", "KB", "MB", "GB", "TB"]
    while amount >= 1000 and len(units) > 1:
        amount /= 1000
        units.pop(0)
    return f"{count} B" if units[0] == "B" else f"{amount:.1f} {units[0]}"


def _section(
    title: str, numbers: Sequence[tuple[str, int]], words: Mapping[str, str], note: str = ""
) -> ReportSection:
    bars = tuple(Bar(name, number, f"{number:,}") for name, number in numbers[:MOST_ROWS])
    rest = len(numbers) - len(bars)
    more = words["rest"].format(count=rest) if rest else ""
    return ReportSection(title, bars, notes=tuple(filter(None, (more, note))))


def _calendar(counts: Counts, weekdays: Sequence[str]) -> Grid:
    """Return the sessions of each day: a row per weekday, a column per week."""
    first = counts.start
    mondays = [first - timedelta(days=first.weekday())]
    while mondays[-1] + timedelta(days=7) <= counts.last:
        mondays.append(mondays[-1] + timedelta(days=7))
    rows = []
    for weekday, name in enumerate(weekdays):
        days = (monday + timedelta(days=weekday) for monday in mondays)
        cells = tuple(
            (day, counts.sessions.get(day, 0)) if first <= day <= counts.last else None
            for day in days
        )
        rows.append((name, cells))
    header: list[tuple[str, int]] = []
    for (year, month), weeks in groupby(mondays, key=lambda monday: (monday.year, monday.month)):
        span = len(list(weeks))
        is_new = span > 1 and all(label != str(year) for label, _ in header)
        header.append((str(year) if is_new else f"{month:02}", span))
    return Grid(tuple(rows), tuple(header))


def _recall(counts: Counts, words: Mapping[str, str]) -> Iterator[ReportSection]:
    recall = counts.recall
    if not recall.conversations:
        return
    numbers = (
        ("conversations", recall.conversations),
        ("told", recall.told),
        ("recalled", recall.sessions),
        ("used", recall.used),
        ("unknown", recall.unknown),
    )
    agents = (
        ("asked", recall.asked),
        ("agent_saves", recall.agent_saves),
        ("agent_tokens", recall.agent_tokens),
    )
    shown = (*numbers, *agents) if recall.agent_tokens else numbers
    bars = [(words[name], number) for name, number in shown]
    yield _section(words["recall"], bars, words, words["recall_note"])
    if recall.most:
        most = (
            Bar(f"{hit.id} {hit.topic}", hit.told, f"{hit.told} / {hit.used}")
            for hit in recall.most
        )
        yield ReportSection(words["most"], tuple(most), kind="most")
