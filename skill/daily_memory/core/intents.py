"""What a user says to the memory itself: "搜索记忆: redis", "show today's memories", "记住这个".

A wish is a whole message, with at most a greeting before it: a sentence that merely has such words
in it is about something else. Only a question about earlier work may stand anywhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from daily_memory.core.earlier import is_about_earlier
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.phrases import is_save_refused, is_save_requested
from daily_memory.core.setting_phrases import parse_setting

SAVE, SKIP, SEARCH, TODAY, RECENT = "save", "skip", "search", "today", "recent"
DELETE, CLEANUP, SETTINGS, UNDO = "delete", "cleanup", "settings", "undo"
REPORT, REVIEW, SUMMARIZE = "report", "review", "summarize"


class Intent(NamedTuple):
    """What is wanted; `text` is what to search for or to delete, or how old in days."""

    action: str
    text: str = ""


# What is longer is told to the assistant, not to the memory.
_LONGEST_WISH = 300
_POLITE = r"(?:请[你您]?|帮我|麻烦[你您]?|please\b|can\ you\b|could\ you\b)?[\s,，]*"
_END = r"[\s。.!！?？]*\Z"
_MEMORY = r"(?:(?:my|the|our|your|all)\ )?(?:memory|memories)"
_ID = r"[0-9]{4}-[0-9]{2}-[0-9]{2}\#[0-9]+(?:~[0-9]+)?"
_DAY_ZH = r"(?:今天|今日|昨天|昨日|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_DAY_EN = r"(?:today|yesterday|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_DELETE_ZH = r"(?:删除|删掉|刪除)"
_MEMORY_ZH = r"(?:记忆|記憶)"
_SESSION = r"(?:会话|會話|session)"
_WISHES = (
    (
        SEARCH,
        rf"(?:(?:搜索|查找|检索|搜一下|查一下)(?:一下)?(?:记忆|記憶)|search\ (?:in\ )?{_MEMORY}"
        rf"(?:\ for)?)(?:\s*[:：]\s*|\s+)(\S.*?)",
    ),
    (
        TODAY,
        rf"(?:查看|看看|显示|列出)?\s*(?:今日|今天)的?(?:记忆|記憶)|"
        rf"(?:(?:show|list|view)\ (?:me\ )?)?(?:(?:my|the)\ )?today['’]?s\ (?:memory|memories)|"
        rf"(?:show|list|view)\ (?:me\ )?{_MEMORY}\ (?:of|from)\ today",
    ),
    (
        RECENT,
        rf"(?:查看|看看|显示|列出)(?:最近的?)?(?:记忆|記憶)|(?:show|list|view)\ (?:me\ )?{_MEMORY}",
    ),
    (
        DELETE,
        # A memory that is named by its day or its number, or by what it is about.
        rf"(?:{_DELETE_ZH}(?:这条|那条)?{_MEMORY_ZH}(?:\s*[:：]\s*|\s+)(\S.*?)"
        rf"|{_DELETE_ZH}\s*(?:关于|有关|關於)\s*(\S.*?)\s*的(?:所有|全部)?的?{_MEMORY_ZH}"
        rf"|{_DELETE_ZH}\s*({_DAY_ZH})的?(?:所有|全部)?的?{_MEMORY_ZH}"
        rf"|[把将]\s*({_DAY_ZH})的?(?:所有|全部)?的?{_MEMORY_ZH}(?:都|全部)?{_DELETE_ZH}"
        rf"|{_DELETE_ZH}\s*({_DAY_ZH}\s*的?\s*{_SESSION}\s*[0-9]+)"
        rf"|(?:{_DELETE_ZH}|delete|forget)\s*({_ID}(?:[\s,，、和]+{_ID})*)"
        rf"|(?:delete|forget)\ {_MEMORY}(?:\s*[:：]\s*|\ (?:of|about|from)\ )(\S.*?)"
        rf"|(?:delete|forget)\ (?:all\ )?(?:of\ )?(?:my\ )?({_DAY_EN})['’]?s\ (?:memory|memories)"
        rf"|(?:delete|forget)\ ({_SESSION}\ [0-9]+\ (?:of|from)\ {_DAY_EN}))",
    ),
    (
        UNDO,
        rf"(?:撤销|撤回|撤銷|恢复|恢復)(?:刚才的?|上次的?|上一次)?{_DELETE_ZH}(?:的?{_MEMORY_ZH})?"
        rf"|undo\ (?:the\ |that\ |my\ |last\ )*(?:delete|deletion)(?:\ of\ {_MEMORY})?"
        rf"|(?:bring\ back|restore)\ (?:the\ )?deleted\ {_MEMORY}",
    ),
    (
        CLEANUP,
        rf"清理(?:旧的?|过期的?|舊的?)?(?:记忆|記憶)|clean\ ?up\ (?:(?:the\ )?old\ )?{_MEMORY}"
        rf"|清理\s*([0-9]{{1,5}})\s*天(?:以|之)?前的?(?:旧|舊)?(?:记忆|記憶)"
        rf"|(?:clean\ ?up|archive)\ (?:the\ )?{_MEMORY}\ older\ than\ ([0-9]{{1,5}})\ days?",
    ),
    (
        REPORT,
        rf"(?:(?:查看|看看|显示|生成|给我看?)?(?:一下|一份)?)?(?:记忆|記憶)(?:的)?(?:分析)?(?:报告|報告|统计|統計)"
        rf"|(?:(?:show|make|give)\ (?:me\ )?)?(?:a\ |the\ )?(?:memory\ report|report\ (?:on|of)"
        rf"\ {_MEMORY})",
    ),
    (
        REVIEW,
        rf"(?:回顾|回顧|审核|審核|检查|复查)(?:一下)?(?:旧的?|过期的?)?(?:记忆|記憶)"
        rf"|review\ {_MEMORY}",
    ),
    (
        SUMMARIZE,
        rf"(?:总结|總結|归纳|汇总)(?:一下)?(?:记忆|記憶)|summari[sz]e\ {_MEMORY}"
        rf"|(?:更新|刷新)(?:记忆|記憶)摘要|update\ the\ memory\ summary",
    ),
    (
        SETTINGS,
        r"(?:(?:查看|修改|打开|把|将)?(?:记忆|記憶)(?:的)?(?:设置|設置)"
        r"|(?:(?:show|set|change|reset)\ )?(?:me\ )?(?:the\ )?memory\ settings?)"
        r"(?:\s*[:：]?\s*([a-z]+\.[a-z_]+(?:[\s=:：改设設恢为為].*?)?))?",
    ),
)
_WISH = lazy_pattern(
    "|".join(f"(?P<{name}>{_POLITE}(?:{source}){_END})" for name, source in _WISHES),
    re.IGNORECASE | re.DOTALL,
)


_NUMBER = lazy_pattern(
    rf"({_DAY_ZH})\s*的?\s*{_SESSION}\s*([0-9]+)"
    rf"|{_SESSION}\ (?P<number>[0-9]+)\ (?:of|from)\ (?P<day>{_DAY_EN})",
    re.IGNORECASE,
)
_NAMED = lazy_pattern(rf"(?:{_ID}|{_DAY_ZH}|{_DAY_EN})", re.IGNORECASE)
_BETWEEN = lazy_pattern(r"[\s,，、和]+")


def parse_deletion(text: str) -> tuple[tuple[str, ...], str]:
    """Return the ids and days that were named for deletion, or else what it is to be about.

    >>> parse_deletion("2026-01-29 的会话 2"), parse_deletion("2026-01-29#1、今天")
    ((('2026-01-29#2',), ''), (('2026-01-29#1', '今天'), ''))
    >>> parse_deletion("redis 缓存")
    ((), 'redis 缓存')
    """
    number = _NUMBER.fullmatch(text)
    if number:
        day, count = number.group(1, 2) if number[1] else number.group("day", "number")
        return (f"{day}#{count}",), ""
    words = tuple(filter(None, _BETWEEN.split(text)))
    is_named = all(_NAMED.fullmatch(word) for word in words)
    return (words, "") if is_named else ((), text)


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
        return parse_setting(text)
    name, value = match.group(1).lower(), match.group(2).strip()
    if not value:
        return ("get", name)
    return ("unset", name) if value in _DEFAULT else ("set", name, value)


def find_intent(text: str) -> Intent | None:
    """Return what a message wants of the memory, None for a message that wants nothing of it.

    >>> find_intent("搜索记忆: redis 缓存")
    Intent(action='search', text='redis 缓存')
    """
    match = _WISH.match(text.strip()) if len(text) <= _LONGEST_WISH else None
    if match:
        action = str(match.lastgroup)
        found = [group for group in match.groups() if group][1:]
        return Intent(action, found[0].strip() if found else "")
    if len(text) <= _LONGEST_WISH and parse_setting(text):
        return Intent(SETTINGS, text.strip())
    if is_save_refused(text):
        return Intent(SKIP)
    if is_save_requested(text):
        return Intent(SAVE)
    return Intent(SEARCH, text.strip()) if is_about_earlier(text) else None
