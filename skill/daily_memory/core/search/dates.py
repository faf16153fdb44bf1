"""Finds the days that a question speaks of, and the questions that ask for days alone."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from math import exp

from daily_memory.core.search import text
from daily_memory.core.search.stopwords import ENGLISH, GENERAL
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled


class Period(NamedTuple):
    """Days from the first to the last one, both included; of them all, or what was left open."""

    first: date
    last: date
    is_open: bool = False

    def __str__(self) -> str:
        return (
            f"{self.first}"
            if self.first == self.last
            else filled("{} to {}", self.first, self.last)
        )


# So many days around a day that is named are meant about as much, and around longer times a third
# of their days.
_NEAR_DAYS = 7
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
).split()
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_DIGITS = {word: number for number, word in enumerate("〇一二三四五六七八九十")}
_DIGITS |= {"零": 0, "两": 2}
# 十一月 is 11月. What follows a word for "week" is a day of it, and 一 may be a part of 一直.
_CHINESE_NUMBER = re.compile(
    r"(?<![周期拜每])[〇零一二三四五六七八九十两]{1,4}"
    r"(?=\ ?个?(?:[年月号天周]|日(?![志报常])|星期|礼拜|季))"
)
_NUMBERS = {"a": 1, "an": 1}
_NUMBERS |= {word: n for n, word in enumerate("one two three four five six seven".split(), 1)}
_UNIT_DAYS = {"day": 1, "天": 1, "日": 1, "month": 30, "月": 30}
_UNIT_DAYS |= dict.fromkeys(("week", *"周星礼"), 7)
_DAYS_AGO = {
    day: age
    for age, days in enumerate(
        (
            "today, tonight, this morning, this afternoon, this evening, 今天, 今日, 今早, 今晚",
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
# How many weeks, months, quarters or years ago.
_AGO = dict.fromkeys(("this", *"本这今"), 0) | {"上上": 2, "前": 2}
_AGO |= dict.fromkeys(("last", "past", "previous", *"上去"), 1)
_UNIT_MONTHS = {"month": 1, "月": 1, "quarter": 3, "季": 3, "year": 12, "年": 12}

# A question that asks for days alone is short.
_LONGEST_ASKED = 100
# The last days, whichever they were.
_LATEST = r"""
    \b (?: last\ time | lately | recently | just\ now
      | (?:the\ )? (?:last|latest|newest|recent) \ (?:session|chat|conversation|work|day)s?
      | (?:where|what) \ did \ (?:we|i) \ leave \ off | where \ (?: were\ we | we\ left\ off ) ) \b
  | 上一?[次回] | 最近 | 近期 | 刚[才刚] | [这前近][几两]天
"""
# What was left to do, of these days or of all.
_LEFT_OPEN = r"""
    \b (?: to[ -]?dos? | (?:to\ be|not) \ (?:done|finished) | (?:still|remains?) \ open
      | open \ (?:ends?|questions?|items?|tasks?|threads?) | next\ steps? | unfinished | pending
      | outstanding ) \b
  | 待办 (?:事项)? | 未完成 | 没有? (?:做完?|完成) | 遗留 | 下一步
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
        afternoon evening items morning night noon remains still tasks
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
        凌晨 早上 上午 中午 下午 傍晚 晚上
        """.split(),
        key=len,
        reverse=True,
    )
)

# Without one of these no pattern below can match: most questions name no date, and need not
# wait for the patterns to be compiled.
_MONTH = "(?P<m>" + "|".join(_MONTHS) + r")\b\.?"
_PLAIN_MONTH = "|".join(name for name in _MONTH_NAMES if name not in ("march", "may"))
_YEAR = r"(?:,?\ ?(?P<y>[12][0-9]{3})\b)?"
_DAY = r"(?P<d>[0-3]?[0-9])(?:st|nd|rd|th)?\b"

_Reader = Callable[[re.Match[str], date], Period]


def asked_period(question: str, today: date) -> Period | None:
    """Return the days of a question that asks for what was done on them, and for nothing else.

    >>> asked_period("昨天我们做了什么？", date(2026, 1, 29))
    Period(first=datetime.date(2026, 1, 28), last=datetime.date(2026, 1, 28), is_open=False)
    >>> asked_period("why did we drop Flask yesterday?", date(2026, 1, 29))
    """
    if len(question) > _LONGEST_ASKED:
        return None
    found, left = periods_and_rest(text.fold(question), today)
    left, latest = re.subn(_LATEST, " ", left, flags=re.VERBOSE)
    left, is_open = re.subn(_LEFT_OPEN, " ", left, flags=re.VERBOSE)
    if not (found or latest or is_open) or not _names_no_subject(left):
        return None
    first = min((each.first for each in found), default=date.min)
    last = max((each.last for each in found), default=today)
    return Period(first, last, bool(is_open))


def _names_no_subject(question: str) -> bool:
    words: list[str] = re.findall(r"\w+", re.sub(_ASKING_CHINESE, " ", question))
    return all(word in _ASKING_WORDS for word in words)


def periods_and_rest(question: str, today: date) -> tuple[list[Period], str]:
    """Return the days that a question names, and what is left of it in lower case.

    The question is as `text.fold` returns it.

    >>> periods_and_rest("What did we do on 5 May 2025?", date(2026, 1, 29))[1]
    'what did we do on  ?'
    """
    left = _CHINESE_NUMBER.sub(_in_figures, question.lower())
    found: list[Period] = []
    for pattern, reader in _READERS:
        # In "Friday, 23 January" and "the Sunday before May 4" the weekday adds nothing.
        is_needed = reader is not _weekday or not found
        for match in re.finditer(pattern, left, re.VERBOSE) if is_needed else ():
            # 31 February is no date, whatever is meant by it.
            with contextlib.suppress(ValueError, OverflowError):
                found.append(reader(match, today))
        left = re.sub(pattern, " ", left, flags=re.VERBOSE)
    return list(dict.fromkeys(found)), left


def nearness(named: Iterable[Period], day: date) -> float:
    """Return how near a day is to the middle of a period that is named: 1 there, 0 far away."""
    return max((_nearness(period, day) for period in named), default=0.0)


def _nearness(period: Period, day: date) -> float:
    days = (period.last - period.first).days
    middle = period.first + timedelta(days=days // 2)
    return exp(-abs((day - middle).days) / max(_NEAR_DAYS, (days + 1) // 3))


def _around(day: date, days: int) -> Period:
    """Return so many days with this one in their middle."""
    first = day - timedelta(days=days // 2)
    return Period(first, first + timedelta(days=days - 1))


def _in_months(year: int, month: int, count: int = 1) -> Period:
    """Return `count` months from this one on; a month may be 0 or less: those of years before."""
    first, after = year * 12 + month - 1, year * 12 + month - 1 + count
    return Period(
        date(first // 12, first % 12 + 1, 1),
        date(after // 12, after % 12 + 1, 1) - timedelta(days=1),
    )


def _in_figures(match: re.Match[str]) -> str:
    """Return a Chinese number up to 99, or a year such as 二〇二六, in figures."""
    tens, ten, ones = match[0].rpartition("十")
    if not ten:
        return "".join(str(_DIGITS[digit]) for digit in ones)
    if len(tens) > 1 or len(ones) > 1:
        return match[0]  # 四五十年, forty or fifty years, is no number
    return str(10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0))


def _dated(match: re.Match[str], today: date) -> Period:
    """Return the day or month `y`, `m`, `d`; without a year the last one that is not to come."""
    named = match.groupdict()
    year, month, day = named.get("y"), named["m"], named.get("d")
    number = int(month) if month.isdecimal() else _MONTHS[month]
    named_year = today.year - _AGO[year] if year in _AGO else int(year or today.year)
    first = date(named_year, number, int(day) if day else 1)
    if not year and first > today:
        first = first.replace(year=today.year - 1)
    return Period(first, first) if day else _in_months(first.year, number)


def _ago(match: re.Match[str], today: date) -> Period:
    days = _UNIT_DAYS[match[2]]
    day = today - timedelta(days=_count(match[1]) * days)
    return _in_months(day.year, day.month) if days == _UNIT_DAYS["month"] else _around(day, days)


def _last_days(match: re.Match[str], today: date) -> Period:
    days = max(1, _count(match[1])) * _UNIT_DAYS[match[2]]
    return Period(today - timedelta(days=days - 1), today)


def _count(number: str) -> int:
    return int(number) if number.isdecimal() else _NUMBERS[number]


def _near_day(match: re.Match[str], today: date) -> Period:
    return _around(today - timedelta(days=_DAYS_AGO[match[0]]), 1)


def _weekday(match: re.Match[str], today: date) -> Period:
    """Return the day of that name: that of the week that is named, or the last one before today."""
    day = _monday(today) + timedelta(days=_WEEKDAYS[match[2]])
    weeks = _AGO[match[1]] if match[1] else day >= today
    return _around(day - timedelta(weeks=weeks), 1)


def _weekend(match: re.Match[str], today: date) -> Period:
    """Return Saturday and Sunday: of the week that is named, or the last that has begun."""
    has_begun = today.weekday() >= _WEEKDAYS["saturday"]
    saturday = _monday(today) + timedelta(days=5)
    saturday -= timedelta(weeks=_AGO[match[1]] if match[1] else not has_begun)
    return Period(saturday, saturday + timedelta(days=1))


def _near(match: re.Match[str], today: date) -> Period:
    """Return the week, month, quarter or year that is this one, or so many before it."""
    ago, count = _AGO[match[1]], _UNIT_MONTHS.get(match[2])
    if not count:
        return _around(_monday(today) + timedelta(days=3 - 7 * ago), 7)
    first = (today.month - 1) // count * count + 1
    return _in_months(today.year, first - count * ago, count)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


# Those that say most come first: what one took the next do not see.
_READERS: tuple[tuple[str, _Reader], ...] = (
    (
        r"(?<![0-9]) (?P<y>[12][0-9]{3}) [-/.] (?P<m>[01]?[0-9]) [-/.] (?P<d>[0-3]?[0-9])"
        r" (?![0-9])",
        _dated,
    ),
    (r"(?<![0-9]) (?P<y>[12][0-9]{3}) [-/] (?P<m>[01][0-9]) (?![-/0-9])", _dated),
    (
        r"(?: (?P<y>[12][0-9]{3}|[今去前]) \ ?年\ ? )? (?<![0-9]) (?P<m>[01]?[0-9]) \ ?月"
        r"(?! [之以]?前 ) (?: 份|初|底|末|[上中下]旬 )? (?: \ ?(?P<d>[0-3]?[0-9]) \ ?[日号] )?",
        _dated,
    ),
    (r"(?<![0-9./-]) (?P<m>[01]?[0-9]) / (?P<d>[0-3]?[0-9]) (?![0-9./-])", _dated),
    (rf"\b {_MONTH} \ (?:the\ )? {_DAY} (?!:) {_YEAR}", _dated),
    (rf"\b {_DAY} \ (?:of\ )? {_MONTH} {_YEAR}", _dated),
    # "may" and "march" alone are verbs more often than months.
    (rf"\b (?:in|during|last|this|since|of|early|late|mid) [\ -] {_MONTH} {_YEAR}", _dated),
    (rf"\b (?P<m>{_PLAIN_MONTH}) \b {_YEAR}", _dated),
    (r"\b ([0-9]{1,3}|a|an|one|two|three|four|five|six|seven) \ (day|week|month)s? \ ago \b", _ago),
    (r"([0-9]{1,3}) \ ?个? (天|日|周|星|礼|月) [期拜]? [之以]?前", _ago),
    (r"(?:最近|过去|近) [这的]? ([0-9]{1,3}) \ ?个? (天|日|周|星|礼|月) [期拜]?", _last_days),
    (
        r"\b (?:last|past|previous) \ ([0-9]{1,3}|two|three|four|five|six|seven)"
        r" \ (day|week|month)s \b",
        _last_days,
    ),
    (
        r"\b (?: day\ before\ yesterday | yesterday | today | tonight | last\ night"
        r" | this\ (?:morning|afternoon|evening) ) \b"
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
        r"(?<![每一二两三四五几0-9]) (?: (上上|上|本|这) 个? )? (?: 周 | 星期 | 礼拜 )"
        r"(一 (?![直样起共些般定旦下个次]) | [二三四五六天] | 日 (?![志报]))",
        _weekday,
    ),
    (r"\b (?: (last|this|past|previous) \ | the\ | at\ )? weekend \b", _weekend),
    (r"(?: (上上|上|本|这) 个? )? 周末", _weekend),
    (r"\b (last|this|past|previous) \ (week|month|quarter|year) \b", _near),
    (r"(上上|上|本|这) 个? ([周月季]|星期|礼拜) 度?", _near),
    (r"([今去前]) (年)", _near),
)
