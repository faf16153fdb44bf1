"""Finds the days that a question speaks of."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from math import exp
from typing import NamedTuple


class Mention(NamedTuple):
    """A day, and how many days around it are meant about as much."""

    day: date
    width_days: int


_DAY_WIDTH = 7
_MONTH_WIDTH = 10
_MIDDLE = 15
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
).split()
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_NUMBERS = {word: number for number, word in enumerate("零一二三四五六七八九十")}
_NUMBERS |= {"两": 2, "兩": 2, "a": 1, "an": 1}
_NUMBERS |= {word: n for n, word in enumerate("one two three four five six seven".split(), 1)}
_UNIT_DAYS = {
    "day": 1,
    "week": 7,
    "month": 30,
    "天": 1,
    "日": 1,
    "周": 7,
    "週": 7,
    "星": 7,
    "礼": 7,
}
_UNIT_DAYS |= {"禮": 7, "月": 30}
_DAYS_AGO = {
    "today": 0,
    "yesterday": 1,
    "day before yesterday": 2,
    "今天": 0,
    "昨天": 1,
    "昨晚": 1,
    "前天": 2,
    "大前天": 3,
}
_WEEKS_AGO = {
    "this": 0,
    "last": 1,
    "past": 1,
    "previous": 1,
    "上上": 2,
    "上": 1,
    "本": 0,
    "这": 0,
    "這": 0,
}

# Without one of these no pattern below can match: most questions name no date, and need not
# wait for the patterns to be compiled.
_MONTH = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:,?\ ?([12][0-9]{3})\b)?"
_DAY = r"([0-3]?[0-9])(?:st|nd|rd|th)?\b"

_Reader = Callable[["re.Match[str]", date], Mention]


def mentions(question: str, today: date) -> list[Mention]:
    """Return the days that a question names, each once.

    >>> mentions("what did we do yesterday?", date(2026, 1, 29))
    [Mention(day=datetime.date(2026, 1, 28), width_days=7)]
    """
    left = question.lower()
    found: list[Mention] = []
    for pattern, reader in _patterns():
        for match in pattern.finditer(left):
            try:
                found.append(reader(match, today))
            except (ValueError, OverflowError):
                continue  # 31 February is no date, whatever is meant by it.
        left = pattern.sub(" ", left)
    return list(dict.fromkeys(found))


def nearness(days: list[Mention] | tuple[Mention, ...], day: date) -> float:
    """Return how near a day is to the nearest of those named: 1 on the day, 0 far away."""
    return max((exp(-abs((day - each.day).days) / each.width_days) for each in days), default=0.0)


def _patterns() -> list[tuple[re.Pattern[str], _Reader]]:
    """Return the patterns, those that say most first: what one took the next do not see."""
    return [(re.compile(pattern, re.VERBOSE), reader) for pattern, reader in _READERS]


def _full(match: re.Match[str], _today: date) -> Mention:
    year, month, day = map(int, match.groups())
    return Mention(date(year, month, day), _DAY_WIDTH)


def _year_month(match: re.Match[str], _today: date) -> Mention:
    return Mention(date(int(match[1]), int(match[2]), _MIDDLE), _MONTH_WIDTH)


def _chinese(match: re.Match[str], today: date) -> Mention:
    return _dated(match[1], int(match[2]), match[3], today)


def _month_day(match: re.Match[str], today: date) -> Mention:
    return _dated(match[3], _MONTHS[match[1]], match[2], today)


def _day_month(match: re.Match[str], today: date) -> Mention:
    return _dated(match[3], _MONTHS[match[2]], match[1], today)


def _month(match: re.Match[str], today: date) -> Mention:
    return _dated(match[2], _MONTHS[match[1]], None, today)


def _dated(year: str | None, month: int, day: str | None, today: date) -> Mention:
    """Return the day or month; without a year the last one that is not to come."""
    number, width = (int(day), _DAY_WIDTH) if day else (_MIDDLE, _MONTH_WIDTH)
    if year:
        return Mention(date(int(year), month, number), width)
    first = date(today.year, month, number if day else 1)
    return Mention(date(today.year - (first > today), month, number), width)


def _ago(match: re.Match[str], today: date) -> Mention:
    count = int(match[1]) if match[1].isdecimal() else _NUMBERS[match[1]]
    unit = _UNIT_DAYS[match[2]]
    width = _MONTH_WIDTH if unit > _DAY_WIDTH else _DAY_WIDTH
    return Mention(today - timedelta(days=count * unit), width)


def _near_day(match: re.Match[str], today: date) -> Mention:
    return Mention(today - timedelta(days=_DAYS_AGO[match[0]]), _DAY_WIDTH)


def _near_week(match: re.Match[str], today: date) -> Mention:
    monday = today - timedelta(days=today.weekday())
    return Mention(monday + timedelta(days=3 - 7 * _WEEKS_AGO[match[1]]), _DAY_WIDTH)


def _near_month(match: re.Match[str], today: date) -> Mention:
    months = today.year * 12 + today.month - 1 - _WEEKS_AGO[match[1]]
    return Mention(date(months // 12, months % 12 + 1, _MIDDLE), _MONTH_WIDTH)


_READERS: tuple[tuple[str, _Reader], ...] = (
    (r"(?<![0-9]) ([12][0-9]{3}) [-/.] ([01]?[0-9]) [-/.] ([0-3]?[0-9]) (?![0-9])", _full),
    (r"(?<![0-9]) ([12][0-9]{3}) [-/] ([01][0-9]) (?![-/0-9])", _year_month),
    (
        r"(?: ([12][0-9]{3}) \ ?年\ ? )? (?<![0-9]) ([01]?[0-9]) \ ?月"
        r"(?: \ ?([0-3]?[0-9]) \ ?[日号號] )?",
        _chinese,
    ),
    (rf"\b {_MONTH} \ (?:the\ )? {_DAY} (?!:) {_YEAR}", _month_day),
    (rf"\b {_DAY} \ (?:of\ )? {_MONTH} {_YEAR}", _day_month),
    # "may" and "march" alone are verbs more often than months.
    (rf"\b (?:in|during|last|this|since|of|early|late|mid) [\ -] {_MONTH} {_YEAR}", _month),
    (r"\b ([0-9]{1,3}|a|an|one|two|three|four|five|six|seven) \ (day|week|month)s? \ ago \b", _ago),
    (
        r"([0-9]{1,3}|[一二三四五六七八九十两兩]) \ ?[个個]?"
        r"(天|日|周|週|星|礼|禮|月) [期拜]? [之以]?前",
        _ago,
    ),
    (
        r"\b (?: day\ before\ yesterday | yesterday | today) \b | 大?前天 | 昨[天晚] | 今天",
        _near_day,
    ),
    (r"\b (last|this|past|previous) \ week \b", _near_week),
    (r"(上上|上|本|这|這) [个個]? (?: 周 | 週 | 星期 | 礼拜 | 禮拜 )", _near_week),
    (r"\b (last|this|past|previous) \ month \b", _near_month),
    (r"(上上|上|本|这|這) [个個]? 月", _near_month),
)
