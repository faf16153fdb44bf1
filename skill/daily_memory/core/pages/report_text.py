"""A report as text for a terminal: a heat map, bars and sparks in the width that there is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import accumulate

from daily_memory.core.pages.report import Counts, Topics, ranked
from daily_memory.model import counted

LEAST_WIDTH = 40
_WIDEST = 110
_MOST_NAMES = 8
_NAME_WIDTH = 22
_BAR_WIDTH = 40
_WEEKDAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")
_HEAT = "·░▒▓█"
_SPARKS = " ▁▂▃▄▅▆▇█"
_UNITS = ("B", "KB", "MB", "GB", "TB")


def lines(counts: Counts, width: int) -> Iterator[str]:
    """Yield the report line by line, none wider than `width` columns."""
    width = max(LEAST_WIDTH, min(width, _WIDEST))
    for line in _all(counts, width):
        yield fitted(line, width).rstrip()


def display_width(text: str) -> int:
    """Return how many columns a text takes: a Chinese character takes two, a mark none.

    >>> display_width("缓存 TTL"), display_width("e\\u0301")
    (8, 1)
    """
    return sum(map(_columns, text))


def fitted(text: str, width: int) -> str:
    """Return a text cut to a width, with "…" where something is left out.

    >>> fitted("缓存过期时间", 7)
    '缓存过…'
    """
    if display_width(text) <= width:
        return text
    used = accumulate(map(_columns, text))
    fits = sum(columns < width for columns in used)
    return f"{text[:fits]}…"


def sized(count: int) -> str:
    """Return a number of bytes as people read it.

    >>> sized(999), sized(2_400_000)
    ('999 B', '2.4 MB')
    """
    amount, unit = float(count), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit else f"{count} B"


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


# ---------------------------------------------------------------------------- the parts


def _all(counts: Counts, width: int) -> Iterator[str]:
    total = sum(counts.sessions.values())
    flags = counts.flags
    yield f"{counts.first} to {counts.last}"
    yield (
        f"{counted(total, 'session')} on {counted(len(counts.sessions), 'day')}, "
        f"{counted(sum(counts.observations.values()), 'observation')}"
    )
    yield (
        f"important {flags['important']}, outdated {flags['outdated']}, "
        f"private {flags['private']}, of others {flags['foreign']}"
    )
    if not total and not counts.observations:
        yield ""
        yield "nothing is stored of these days"
        return
    yield ""
    yield from _heat_map(counts, width)
    yield from _topics(counts.topics, width)
    for title, numbers in (
        ("tags", counts.tags),
        ("projects", counts.projects),
        ("hosts", counts.hosts),
        ("hidden", counts.redactions),
    ):
        yield from _bars(title, ranked(numbers), width)
    yield from _of_recall(counts, width)
    yield from _of_quality(counts, width)
    sizes = [f"{name} {sized(size)}" for name, size in counts.bytes.items() if size]
    yield ""
    yield f"size: {', '.join(sizes) or '0 B'}"


def _heat_map(counts: Counts, width: int) -> Iterator[str]:
    """Yield weeks as columns and their days as lines, from the first used, the last that fit."""
    first = min([*counts.sessions, counts.last])
    monday = first - timedelta(days=first.weekday())
    weeks = (counts.last - monday).days // 7 + 1
    fit = width - len("Mon ")
    # Wide enough to be seen where there are few weeks.
    size = 2 if 2 * weeks <= fit else 1
    shown = min(weeks, fit // size)
    monday += timedelta(days=7 * (weeks - shown))
    most = max(counts.sessions.values(), default=0)
    yield "sessions by day" if shown == weeks else f"sessions by day, the last {shown} weeks"
    yield f"    {_months(monday, shown, size)}"
    for weekday, name in enumerate(_WEEKDAYS):
        days = (monday + timedelta(days=7 * week + weekday) for week in range(shown))
        cells = (_cell(counts, day, most) * size for day in days)
        yield f"{name:<3} {''.join(cells)}"
    if most:
        # The fullest day, as a measure.
        best = max(counts.sessions, key=lambda day: (counts.sessions[day], day))
        yield f"    most: {counted(most, 'session')} on {best}"


def _cell(counts: Counts, day: date, most: int) -> str:
    if not counts.first <= day <= counts.last:
        return " "
    return _HEAT[heat(counts.sessions.get(day, 0), most)]


def heat(number: int, most: int) -> int:
    """Return how hot a day is, from 0 for none to 4 for as many as on the fullest day.

    >>> [heat(number, 8) for number in (0, 1, 3, 8)]
    [0, 1, 2, 4]
    """
    return -(-4 * number // most) if most else 0


def _months(monday: date, weeks: int, size: int) -> str:
    line, month = "", 0
    for week in range(weeks):
        day = monday + timedelta(days=7 * week)
        if day.month != month and len(line) <= week * size:
            name = f"{day:%Y-%m}" if day.month == 1 or not line.strip() else f"{day:%m}"
            if not line or week * size + len(name) <= weeks * size:
                line = line.ljust(week * size) + name + " "
            month = day.month
    return line.rstrip()


def _topics(topics: Topics, width: int) -> Iterator[str]:
    if len(topics.periods) < 2:
        return
    shown = min(len(topics.periods), width - _NAME_WIDTH - 10)
    most = max(max(numbers) for numbers in topics.tags.values())
    yield ""
    yield f"topics by {topics.unit}, from {topics.periods[-shown]}"
    for tag, numbers in topics.tags.items():
        line = "".join(_spark(number, most) for number in numbers[-shown:])
        yield f"  {_padded(tag)} {line} {sum(numbers)}"


def _spark(number: int, most: int) -> str:
    return _SPARKS[-(-(len(_SPARKS) - 1) * number // most)]


def _bars(title: str, numbers: Sequence[tuple[str, int]], width: int) -> Iterator[str]:
    if not numbers:
        return
    more = f", the first {_MOST_NAMES} of {len(numbers)}" if len(numbers) > _MOST_NAMES else ""
    yield ""
    yield f"{title}{more}"
    most = numbers[0][1]
    room = min(_BAR_WIDTH, width - _NAME_WIDTH - len(f"{most}") - 4)
    for name, number in numbers[:_MOST_NAMES]:
        yield f"  {_padded(name)} {'█' * max(1, round(room * number / most))} {number}"


def _padded(name: str) -> str:
    short = fitted(" ".join(name.split()), _NAME_WIDTH)
    return short + " " * (_NAME_WIDTH - display_width(short))


def _of_recall(counts: Counts, width: int) -> Iterator[str]:
    recall = counts.recall
    if not recall.conversations:
        return
    yield ""
    yield (
        f"recall: {recall.told} of {counted(recall.conversations, 'live session')} "
        "told of earlier ones"
    )
    if recall.told:
        known = recall.sessions - recall.unknown
        yield f"  told {counted(recall.sessions, 'time')}, {recall.used} with signs of use"
        yield f"  {known - recall.used} without, {recall.unknown} of what is gone by now"
    for one in recall.most:
        topic = fitted(" ".join(one.topic.split()), width - 36)
        yield f"  {one.id:<14} told {one.told}, used {one.used}  {topic}"


def _of_quality(counts: Counts, _width: int) -> Iterator[str]:
    found = counts.quality
    if not found.sessions:
        return
    yield ""
    yield (
        f"quality: {found.mean:.2f} of 1 on average; good {found.good}, fair {found.fair}, "
        f"poor {found.poor}"
    )
    for reason, number in _first(found.reasons):
        yield f"  {number:>5}  {reason}"


def _first(numbers: Mapping[str, int]) -> Sequence[tuple[str, int]]:
    return ranked(numbers)[:_MOST_NAMES]
