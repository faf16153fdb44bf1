"""What a user says to the memory itself: "搜索记忆: redis", "show today's memories", "记住这个".

A wish is a whole message, with at most a few polite words around it: a sentence that merely has
such words in it is about something else. Only a question about earlier work may stand anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search.dates import Period, asked_period
from daily_memory.core.wishes import wish_forms as forms
from daily_memory.core.wishes.earlier import is_about_earlier
from daily_memory.core.wishes.phrases import is_save_refused, is_save_requested
from daily_memory.core.wishes.setting_phrases import parse_setting


class Intent(NamedTuple):
    """What is wanted; `words` are the ids, days or settings that were named, in their order.

    `text` is what to search for, to add, or what is to be deleted says; the age of what is old, in
    days or as the day before which it is; a tag; a flag, "not" and a flag, or "" for no flags; the
    name or format of a file. Two `words` of a list or an export are its first and last day.
    """

    action: str
    text: str = ""
    words: tuple[str, ...] = ()


# What is longer is told to the assistant, not to the memory.
_LONGEST_WISH = 300
# Nobody means so many days by their name at once.
_MOST_DAYS = 62

_POLITE = lazy_pattern(
    r"(?:(?:请[你您]?|請|帮我|帮忙|麻烦[你您]?|可不可以|可以|能不能|能否|我想要?|我要|现在|好的?"
    r"|给我(?=[查看])|(?:please|pls|(?:can|could|would|will) you|i want (?:you )?to|i['’]d like to"
    r"|let['’]s|ok|okay|hey|now)(?![a-z]))[\s,，]*){0,4}",
    re.IGNORECASE,
)
_ENDING = lazy_pattern(
    r"(?:[\s。.!！?？,，~～]|吧|好吗|可以吗|行吗|吗|谢谢"
    r"|(?<=\s)(?:please|for me|thanks|thank you))*\Z",
    re.IGNORECASE,
)


def find_intent(text: str, today: date) -> Intent | None:
    """Return what a message wants of the memory, None for a message that wants nothing of it.

    >>> find_intent("搜索记忆: redis 缓存", date(2026, 1, 29))
    Intent(action='search', text='redis 缓存', words=())
    """
    if len(text) <= _LONGEST_WISH:
        said = _bare(text)
        found = next(_wishes(said, today), None)
        if found:
            return found
        if parse_setting(said):
            return Intent(forms.SETTINGS, words=parse_setting(said))
    if is_save_refused(text):
        return Intent(forms.SKIP)
    if is_save_requested(text):
        return Intent(forms.SAVE)
    return Intent(forms.SEARCH, text.strip()) if is_about_earlier(text) else None


def _bare(text: str) -> str:
    """Return a message without the polite words around it, with single blanks."""
    said = " ".join(text.split())
    polite = _POLITE.match(said)
    return _ENDING.sub("", said[polite.end() if polite else 0 :], count=1)


def _wishes(said: str, today: date) -> Iterator[Intent]:
    for action, pattern in _patterns():
        match = pattern.fullmatch(said)
        if match:
            groups = {name: group for name, group in match.groupdict().items() if group}
            yield from _intent(action, groups, today)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    flags = re.IGNORECASE | re.DOTALL
    return tuple((action, re.compile(form, flags)) for action, form in forms.FORMS)


def _intent(action: str, groups: Mapping[str, str], today: date) -> Iterator[Intent]:
    """Yield what a form means by its groups; nothing where days in words are none."""
    what, ids = groups.get("what", ""), _ids(groups.get("ids", ""))
    if action == forms.AUTO_ARCHIVE:
        yield Intent(forms.SETTINGS, words=("set", "storage.auto_archive", "on"))
    elif action == forms.SETTINGS:
        yield Intent(action, words=parse_change(groups.get("setting", "")))
    elif action == forms.MARK:
        flag = _flag(groups.get("mark") or groups["unmark"])
        yield Intent(action, f"not {flag}" if "unmark" in groups else flag, ids)
    elif action in (forms.WHEN, forms.DELETE_WHEN):
        yield from _of_days(action, groups["when"], today)
    elif action == forms.DELETE and not ids:
        yield _deletion(what or groups["day"], today)
    elif action in (forms.DELETE_OLD, forms.CLEANUP):
        yield Intent(action, _age(groups["age"], today) if "age" in groups else "")
    elif action in (forms.EXPORT, forms.BACKUP, forms.IMPORT):
        yield from _of_files(action, groups, today)
    else:
        yield Intent(action, what or groups.get("tag", ""), ids)


def _ids(said: str) -> tuple[str, ...]:
    return tuple(_NAMED_ONCE.findall(said))


_NAMED_ONCE = lazy_pattern(r"(?:[\w.-]+:)?[0-9]{4}-[0-9]{2}-[0-9]{2}(?:#[0-9]+(?:~[0-9]+)?)?")
_FLAGS = {
    "important": ("重要", "important"),
    "outdated": ("过时", "過時", "outdated", "obsolete"),
    "private": ("私密", "私有", "private"),
}


def _flag(said: str) -> str:
    """Return the flag that was said, "" for taking flags away."""
    word = said.casefold()
    return next((flag for flag, words in _FLAGS.items() if word in words), "")


# ---------------------------------------------------------------------------- days


def _of_days(action: str, said: str, today: date) -> Iterator[Intent]:
    period = _period(said, today)
    if action == forms.WHEN and period:
        first, last = period.first.isoformat(), period.last.isoformat()
        yield (
            Intent(forms.SHOW, words=(first,))
            if first == last
            else Intent(forms.LIST, words=(first, last))
        )
    elif action == forms.DELETE_WHEN:
        named = _days(said, today)
        if named:
            yield Intent(forms.DELETE, words=named)


def _period(said: str, today: date) -> Period | None:
    # "May 2026" is a time where one is wanted.
    return asked_period(said, today) or asked_period(f"in {said}", today)


def _days(said: str, today: date) -> tuple[str, ...]:
    """Return each day of a time that was named in words; none of "lately", which may be any."""
    period = _period(said, today)
    count = (period.last - period.first).days + 1 if period else 0
    if not period or count > _MOST_DAYS:
        return ()
    return tuple((period.first + timedelta(days=place)).isoformat() for place in range(count))


_NUMBERS = {
    word: number
    for words in (
        "零 一 二 三 四 五 六 七 八 九 十",
        "zero one two three four five six seven eight nine ten eleven twelve",
    )
    for number, word in enumerate(words.split())
}
_NUMBERS |= {"两": 2, "兩": 2, "a": 1, "an": 1}
_UNITS = (
    (365, ("年", "year")),
    (30, ("月", "month")),
    (7, ("周", "星期", "礼拜", "week")),
    (1, ("天", "日", "day")),
)
_COUNT = lazy_pattern(
    r"(?P<half>半|half\ an?)|(?P<ten>[一二两三四五六七八九]?)十(?P<one>[一二三四五六七八九]?)"
    r"|(?P<number>[0-9]+|[一二两兩三四五六七八九]|\b[a-z]+(?=\ (?:day|week|month|year)))",
    re.IGNORECASE,
)
_DATE = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YEARS = {"去年": 0, "last year": 0, "前年": 1}


def _age(said: str, today: date) -> str:
    """Return from which age on something is old: a number of days, or the day before which it is.

    What was said by the clock is a number: where the clock is wrong, that is noticed.
    """
    day = _DATE.search(said)
    if day:
        return day.group()
    for name, years in _YEARS.items():
        if name in said.casefold():
            return str(max(1, (today - date(today.year - years, 1, 1)).days))
    unit = next(size for size, names in _UNITS if any(name in said for name in names))
    count = _COUNT.search(said)
    assert count is not None  # the form has one
    if count["half"]:
        return str(max(1, round(unit / 2)))
    if count["number"]:
        word = count["number"].casefold()
        return str(unit * (int(word) if word.isdecimal() else _NUMBERS[word]))
    tens = _NUMBERS.get(count["ten"], 1) * 10
    return str(unit * (tens + _NUMBERS.get(count["one"], 0)))


# ---------------------------------------------------------------------------- what is deleted

_SESSION = r"(?:会话|會話|session|memory|记忆|記憶)"
_DAY_ZH = r"(?:今天|今日|昨天|昨日|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_DAY_EN = r"(?:today|yesterday|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_NUMBER = lazy_pattern(
    rf"({_DAY_ZH})\s*的?\s*{_SESSION}\s*([0-9]+)"
    rf"|{_SESSION}\ (?P<number>[0-9]+)\ (?:of|from)\ (?P<day>{_DAY_EN})",
    re.IGNORECASE,
)
_NAMED = lazy_pattern(
    rf"(?:(?:[\w.-]+:)?[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}\#[0-9]+(?:~[0-9]+)?|{_DAY_ZH}|{_DAY_EN})",
    re.IGNORECASE,
)
_BETWEEN = lazy_pattern(r"(?:[\s,，、和与]|\band\b)+", re.IGNORECASE)


def _deletion(said: str, today: date) -> Intent:
    """Return a deletion of the ids and days that were named, or else of what it is to be about."""
    number = _NUMBER.fullmatch(said)
    if number:
        day, count = number.group(1, 2) if number[1] else number.group("day", "number")
        return Intent(forms.DELETE, words=(f"{day}#{count}",))
    words = tuple(filter(None, _BETWEEN.split(said)))
    if all(_NAMED.fullmatch(word) for word in words):
        return Intent(forms.DELETE, words=words)
    named = _days(said, today)
    return Intent(forms.DELETE, words=named) if named else Intent(forms.DELETE, said)


# ---------------------------------------------------------------------------- files

_FORMATS = {
    "markdown": "md",
    "压缩包": "zip",
    **dict.fromkeys(("网页", "a page", "a web page"), "html"),
}


def _of_files(action: str, groups: Mapping[str, str], today: date) -> Iterator[Intent]:
    name = groups.get("file") or groups.get("from") or groups.get("format", "").casefold()
    text = _FORMATS.get(name, name) or ("json" if action == forms.EXPORT else "zip")
    if "when" not in groups:
        yield Intent(action, text)
    elif period := _period(groups["when"], today):
        yield Intent(action, text, (period.first.isoformat(), period.last.isoformat()))


# ---------------------------------------------------------------------------- settings

_CHANGE = lazy_pattern(
    r"([a-z]+\.[a-z_]+)\s*(?:=|:|：|改为|改成|改為|设置为|设为|设成|設為|为|為|\bto\b)?\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_DEFAULT = ("default", "恢复默认", "默认", "默认值", "恢复默认值", "預設")


def parse_change(text: str) -> tuple[str, ...]:
    """Return the words for `memory config` of what was said about a setting, () for all of them.

    >>> parse_change("retrieval.max_results 改为 8")
    ('set', 'retrieval.max_results', '8')
    """
    match = _CHANGE.match(text)
    if match is None:
        return ()
    name, value = match.group(1).lower(), match.group(2).strip()
    if not value:
        return ("get", name)
    return ("unset", name) if value in _DEFAULT else ("set", name, value)
