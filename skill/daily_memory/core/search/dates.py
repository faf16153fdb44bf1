"""Finds the days that a question speaks of, and the questions that ask for days alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from math import exp

from daily_memory.core.search import text
from daily_memory.core.search.stopwords import ENGLISH, GENERAL
from daily_memory.named_tuples import NamedTuple


class Period(NamedTuple):
    """Days from the first to the last one, both included."""

    first: date
    last: date


class Mention(NamedTuple):
    """A day, how many days around it are meant about as much, and the days that were named."""

    day: date
    width_days: int
    period: Period


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
_UNIT_DAYS = {"day": 1, "天": 1, "日": 1, "month": 30, "月": 30}
_UNIT_DAYS |= dict.fromkeys(("week", *"周週星礼禮"), 7)
_DAYS_AGO = {
    day: age
    for age, days in enumerate(
        (
            "today, tonight, 今天, 今日, 今早, 今晚",
            "yesterday, last night, 昨天, 昨日, 昨晚",
            "day before yesterday, 前天, 前日",
            "大前天",
        )
    )
    for day in days.split(", ")
}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        "monday 一/tuesday 二/wednesday 三/thursday 四/friday 五/saturday 六/sunday 日 天".split(
            "/"
        )
    )
    for name in names.split()
}
_WEEKS_AGO = dict.fromkeys(("this", *"本这這"), 0) | {"上上": 2}
_WEEKS_AGO |= dict.fromkeys(("last", "past", "previous", "上"), 1)

# A question that asks for days alone is short.
_LONGEST_ASKED = 100
# The last days, whichever they were.
_LATEST = r"""
    \b (?: last\ time | lately | recently
      | (?:the\ )? (?:last|latest|newest|recent) \ (?:session|chat|conversation|work|day)s?
      | (?:where|what) \ did \ (?:we|i) \ leave \ off | where \ (?: were\ we | we\ left\ off ) ) \b
  | 上一?[次回] | 最近 | 近期 | [这前近][几两]天
"""
# What such a question may hold besides: it names no subject.
_ASKING_WORDS = (
    ENGLISH
    | GENERAL
    | frozenset(
        """
        chat chats continue conversation conversations decide decided discuss discussed everything
        anything finish finished list memories memory note notes progress recall recap remember
        session sessions show summarize summary talk talked working
        """.split()
    )
) - frozenset("after before no nor not since until without".split())
_ASKING_CHINESE = "|".join(
    sorted(
        """
        我们 咱们 我 你 您 都 做 干 了 过 什么 啥 哪些 哪里 哪儿 哪 些 事情 事 工作 内容 讨论 聊
        说 谈 决定 改 写 完成 进展 进度 情况 记忆 会话 对话 记录 聊天 笔记 总结 回顾 汇总 查看
        看看 看 查 列出 列 显示 告诉 帮 请 一下 下 给 有 是 在 的 到 至 从 和 与 吗 呢 吧 呀
        来着 多少 几 条 继续 接着 还 记得 想 知道 这 那 天 日 期间 怎么样 怎样
        """.split(),
        key=len,
        reverse=True,
    )
)

# Without one of these no pattern below can match: most questions name no date, and need not
# wait for the patterns to be compiled.
_MONTH = "(?P<m>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?:,?\ ?(?P<y>[12][0-9]{3})\b)?"
_DAY = r"(?P<d>[0-3]?[0-9])(?:st|nd|rd|th)?\b"

_Reader = Callable[["re.Match[str]", date], Mention]


def mentions(question: str, today: date) -> list[Mention]:
    """Return the days that a question names, each once.

    >>> mentions("what did we do yesterday?", date(2026, 1, 29))[0].day
    datetime.date(2026, 1, 28)
    """
    return _read(question, today)[0]


def asked_period(question: str, today: date) -> Period | None:
    """Return the days of a question that asks for what was done on them, and for nothing else.

    >>> asked_period("昨天我们做了什么？", date(2026, 1, 29))
    Period(first=datetime.date(2026, 1, 28), last=datetime.date(2026, 1, 28))
    >>> asked_period("why did we drop Flask yesterday?", date(2026, 1, 29))
    """
    if len(question) > _LONGEST_ASKED:
        return None
    found, left = _read(text.fold(question), today)
    left, latest = re.subn(_LATEST, " ", left, flags=re.VERBOSE)
    if not (found or latest) or not _names_no_subject(left):
        return None
    if latest and not found:
        return Period(date.min, today)
    return Period(min(one.period.first for one in found), max(one.period.last for one in found))


def _names_no_subject(question: str) -> bool:
    words: list[str] = re.findall(r"\w+", re.sub(_ASKING_CHINESE, " ", question))
    return all(word in _ASKING_WORDS for word in words)


def _read(question: str, today: date) -> tuple[list[Mention], str]:
    """Return the days that a question names, and what is left of it in lower case."""
    left = question.lower()
    found: list[Mention] = []
    for pattern, reader in _patterns():
        for match in pattern.finditer(left):
            if reader is _weekday and found:
                continue  # In "Friday, 23 January" and "the Sunday before May 4" it adds nothing.
            try:
                found.append(reader(match, today))
            except (ValueError, OverflowError):
                continue  # 31 February is no date, whatever is meant by it.
        left = pattern.sub(" ", left)
    return list(dict.fromkeys(found)), left


def nearness(days: list[Mention] | tuple[Mention, ...], day: date) -> float:
    """Return how near a day is to the nearest of those named: 1 on the day, 0 far away."""
    return max((exp(-abs((day - each.day).days) / each.width_days) for each in days), default=0.0)


def _patterns() -> list[tuple[re.Pattern[str], _Reader]]:
    """Return the patterns, those that say most first: what one took the next do not see."""
    return [(re.compile(pattern, re.VERBOSE), reader) for pattern, reader in _READERS]


def _on(day: date) -> Mention:
    return Mention(day, _DAY_WIDTH, Period(day, day))


def _in_month(year: int, month: int) -> Mention:
    middle = date(year, month, _MIDDLE)
    last = (middle.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    return Mention(middle, _MONTH_WIDTH, Period(middle.replace(day=1), last))


def _in_week(day: date) -> Mention:
    return Mention(day, _DAY_WIDTH, Period(day - timedelta(days=3), day + timedelta(days=3)))


def _dated(match: re.Match[str], today: date) -> Mention:
    """Return the day or month `y`, `m`, `d`; without a year the last one that is not to come."""
    named = match.groupdict()
    year, month, day = named.get("y"), named["m"], named.get("d")
    number = int(month) if month.isdecimal() else _MONTHS[month]
    first = date(int(year) if year else today.year, number, int(day) if day else 1)
    if not year and first > today:
        first = first.replace(year=today.year - 1)
    return _on(first) if day else _in_month(first.year, number)


def _ago(match: re.Match[str], today: date) -> Mention:
    unit = _UNIT_DAYS[match[2]]
    day = today - timedelta(days=_count(match[1]) * unit)
    if unit == 1:
        return _on(day)
    if unit == _DAY_WIDTH:
        return _in_week(day)
    return Mention(day, _MONTH_WIDTH, _in_month(day.year, day.month).period)


def _last_days(match: re.Match[str], today: date) -> Mention:
    count = max(1, _count(match[1])) * _UNIT_DAYS[match[2]]
    first = today - timedelta(days=count - 1)
    middle, width = first + timedelta(days=count // 2), max(_DAY_WIDTH, count // 2)
    return Mention(middle, width, Period(first, today))


def _count(number: str) -> int:
    return int(number) if number.isdecimal() else _NUMBERS[number]


def _near_day(match: re.Match[str], today: date) -> Mention:
    return _on(today - timedelta(days=_DAYS_AGO[match[0]]))


def _weekday(match: re.Match[str], today: date) -> Mention:
    """Return the day of that name: that of the week that is named, or the last one before today."""
    day = _monday(today) + timedelta(days=_WEEKDAYS[match[2]])
    if match[1]:
        return _on(day - timedelta(weeks=_WEEKS_AGO[match[1]]))
    return _on(day if day < today else day - timedelta(weeks=1))


def _near_week(match: re.Match[str], today: date) -> Mention:
    return _in_week(_monday(today) + timedelta(days=3 - 7 * _WEEKS_AGO[match[1]]))


def _near_month(match: re.Match[str], today: date) -> Mention:
    months = today.year * 12 + today.month - 1 - _WEEKS_AGO[match[1]]
    return _in_month(months // 12, months % 12 + 1)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


_READERS: tuple[tuple[str, _Reader], ...] = (
    (
        r"(?<![0-9]) (?P<y>[12][0-9]{3}) [-/.] (?P<m>[01]?[0-9]) [-/.] (?P<d>[0-3]?[0-9])"
        r" (?![0-9])",
        _dated,
    ),
    (r"(?<![0-9]) (?P<y>[12][0-9]{3}) [-/] (?P<m>[01][0-9]) (?![-/0-9])", _dated),
    (
        r"(?: (?P<y>[12][0-9]{3}) \ ?年\ ? )? (?<![0-9]) (?P<m>[01]?[0-9]) \ ?月"
        r"(?: \ ?(?P<d>[0-3]?[0-9]) \ ?[日号號] )?",
        _dated,
    ),
    (rf"\b {_MONTH} \ (?:the\ )? {_DAY} (?!:) {_YEAR}", _dated),
    (rf"\b {_DAY} \ (?:of\ )? {_MONTH} {_YEAR}", _dated),
    # "may" and "march" alone are verbs more often than months.
    (rf"\b (?:in|during|last|this|since|of|early|late|mid) [\ -] {_MONTH} {_YEAR}", _dated),
    (r"\b ([0-9]{1,3}|a|an|one|two|three|four|five|six|seven) \ (day|week|month)s? \ ago \b", _ago),
    (
        r"([0-9]{1,3}|[一二三四五六七八九十两兩]) \ ?[个個]?"
        r"(天|日|周|週|星|礼|禮|月) [期拜]? [之以]?前",
        _ago,
    ),
    (
        r"(?:最近|过去|過去|近) (?:这|這|的)? ([0-9]{1,3}|[一二三四五六七八九十两兩]) \ ?[个個]?"
        r"(天|日|周|週|星|礼|禮|月) [期拜]?",
        _last_days,
    ),
    (
        r"\b (?:last|past|previous) \ ([0-9]{1,3}|two|three|four|five|six|seven)"
        r" \ (day|week|month)s \b",
        _last_days,
    ),
    (
        r"\b (?: day\ before\ yesterday | yesterday | today | tonight | last\ night ) \b"
        r" | 大?前[天日] | 昨[天日晚] | 今[天日早晚]",
        _near_day,
    ),
    # "on Friday" and "last Friday" are the same day; "this Friday" is of this week.
    (
        r"\b (?: (this) \ | (?: on | last ) \ )?"
        r"(monday | tuesday | wednesday | thursday | friday | saturday | sunday) \b",
        _weekday,
    ),
    (
        r"(?<![每一二两兩三四五几幾0-9]) (?: (上上|上|本|这|這) [个個]? )?"
        r"(?: 周 | 週 | 星期 | 礼拜 | 禮拜 )"
        r"(一 (?![直样樣起共些般定旦下个個次]) | [二三四五六天] | 日 (?!志|誌|报|報))",
        _weekday,
    ),
    (r"\b (last|this|past|previous) \ week \b", _near_week),
    (r"(上上|上|本|这|這) [个個]? (?: 周 | 週 | 星期 | 礼拜 | 禮拜 )", _near_week),
    (r"\b (last|this|past|previous) \ month \b", _near_month),
    (r"(上上|上|本|这|這) [个個]? 月", _near_month),
)
