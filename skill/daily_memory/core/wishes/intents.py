"""What a user says to the memory itself: "搜索记忆: redis", "show today's memories", "记住这个".

A wish is a whole message, with at most a greeting before it: a sentence that merely has such words
in it is about something else. Only a question about earlier work may stand anywhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.wishes.earlier import is_about_earlier
from daily_memory.core.wishes.phrases import is_save_refused, is_save_requested
from daily_memory.core.wishes.setting_phrases import parse_setting

SAVE, SKIP, SEARCH, TODAY, RECENT = "save", "skip", "search", "today", "recent"
DELETE, CLEANUP, SETTINGS, UNDO = "delete", "cleanup", "settings", "undo"
DELETE_OLD, DELETE_TAG = "delete-old", "delete-tag"
ARCHIVE, DEDUPE, SANITIZE, RESTORE = "archive", "dedupe", "sanitize", "restore"
MARK, DAY = "mark", "day"
REPORT, REVIEW, SUMMARIZE = "report", "review", "summarize"


class Intent(NamedTuple):
    """What is wanted; `text` is what to search for, show, delete, restore or mark.

    For what is old it is an age in days, or the day before which it is.
    """

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
_DELETE_ZH = r"(?:删除|删掉|刪除|刪掉|清除|移除|忘掉|忘记|忘記)"
_DELETE_EN = r"(?:delete|forget|remove|erase)"
_MEMORY_ZH = r"(?:记忆|記憶)"
_SESSION = r"(?:会话|會話|session)"
_IDS = rf"{_ID}(?:(?:[\s,，、和与]|\band\b)+{_ID})*"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_BEFORE_ZH = r"(?:以|之)?前的?(?:所有|全部)?的?(?:旧|舊)?"
_OLD_ZH = rf"(?:超过\s*)?([0-9]{{1,5}})\s*天(?:{_BEFORE_ZH}|的)|({_DATE})\s*{_BEFORE_ZH}"
_OLD_EN = rf"(?:older\ than\ ([0-9]{{1,5}})\ days?|(?:from\ )?before\ ({_DATE}))"
_CLEAN_EN = r"clean(?:\ ?up)?"
_WISHES = (
    (
        SEARCH,
        rf"(?:(?:搜索|查找|检索|搜一下|查一下|搜|查|找)(?:一下)?(?:记忆|記憶)"
        rf"|search\ (?:in\ )?{_MEMORY}(?:\ (?:for|about))?|find\ {_MEMORY}\ about)"
        rf"(?:\s*[:：]\s*|\s+)(\S.*?)"
        rf"|(?:搜索|查找|检索|搜|查|找)(?:一下)?\s*(?:关于|有关|關於)\s*(\S.*?)\s*的{_MEMORY_ZH}"
        rf"|[在从從]{_MEMORY_ZH}[里中裡]?(?:搜索|查找|检索)(?:一下)?(?:\s*[:：]\s*|\s*)(\S.*?)"
        r"|(?:search|look)\ for\ (\S.*?)\ in\ (?:my|our|your)\ (?:memory|memories)",
    ),
    (
        TODAY,
        rf"(?:查看|看看|看一下|显示|列出)?\s*(?:今日|今天)的?(?:记忆|記憶)|"
        rf"(?:(?:show|list|view)\ (?:me\ )?)?(?:(?:my|the)\ )?today['’]?s\ (?:memory|memories)|"
        rf"(?:show|list|view)\ (?:me\ )?{_MEMORY}\ (?:of|from)\ today",
    ),
    (
        RECENT,
        rf"(?:查看|看看|看一下|显示|列出)(?:最近的?)?(?:记忆|記憶)"
        rf"|(?:show|list|view)\ (?:me\ )?(?:(?:my\ |the\ )?recent\ )?{_MEMORY}",
    ),
    (
        DAY,
        rf"(?:查看|看看|看一下|显示|列出)\s*({_DATE}|昨天|昨日)\s*的?(?:所有|全部)?的?{_MEMORY_ZH}"
        rf"|(?:show|list|view)\ (?:me\ )?({_DATE}|yesterday)['’]?s\ (?:memory|memories)"
        rf"|(?:show|list|view)\ (?:me\ )?{_MEMORY}\ (?:of|from)\ ({_DATE}|yesterday)",
    ),
    (
        MARK,
        rf"(?:[把将]\s*)?({_ID}\s*(?:标记|標記|标)[为為成](?:重要|过时|過時|私密|私有))的?"
        rf"|(?:标记|標記)\s*({_ID}\s*[为為](?:重要|过时|過時|私密|私有))"
        rf"|mark\ ({_ID}\ (?:as\ )?(?:important|outdated|private))",
    ),
    (
        DELETE_OLD,
        rf"{_DELETE_ZH}\s*(?:{_OLD_ZH}){_MEMORY_ZH}|{_DELETE_EN}\ {_MEMORY}\ {_OLD_EN}",
    ),
    (
        DELETE_TAG,
        rf"{_DELETE_ZH}\s*(?:标签为|标签是|带有?标签)\s*(\S+?)\s*的(?:所有|全部)?{_MEMORY_ZH}"
        rf"|{_DELETE_ZH}\s*带有?\s*(\S+?)\s*标签的(?:所有|全部)?{_MEMORY_ZH}"
        rf"|{_DELETE_EN}\ {_MEMORY}\ (?:tagged(?:\ as)?|with\ (?:the\ )?tag)\ (\S+?)",
    ),
    (
        DELETE,
        # A memory that is named by its day or its number, or by what it is about.
        rf"(?:{_DELETE_ZH}(?:这条|那条)?{_MEMORY_ZH}(?:\s*[:：]\s*|\s+)(\S.*?)"
        rf"|{_DELETE_ZH}\s*(?:关于|有关|關於|和|与|跟)\s*(\S.*?)\s*(?:有关|相关|有關|相關)?"
        rf"的(?:所有|全部)?的?{_MEMORY_ZH}"
        rf"|[把将]\s*(?:关于|有关|關於)\s*(\S.*?)\s*的(?:所有|全部)?的?{_MEMORY_ZH}"
        rf"(?:都|全部)?{_DELETE_ZH}"
        rf"|{_DELETE_ZH}\s*({_DAY_ZH})的?(?:所有|全部)?的?{_MEMORY_ZH}"
        rf"|[把将]\s*({_DAY_ZH})的?(?:所有|全部)?的?{_MEMORY_ZH}(?:都|全部)?{_DELETE_ZH}"
        rf"|{_DELETE_ZH}\s*({_DAY_ZH}\s*的?\s*{_SESSION}\s*[0-9]+)"
        rf"|(?:{_DELETE_ZH}|{_DELETE_EN}\b(?:\ the)?)\s*"
        rf"(?:{_SESSION}s?|memory|memories)?\s*({_IDS})"
        rf"|{_DELETE_EN}\ {_MEMORY}(?:\s*[:：]\s*|\ (?:of|about|from)\ )(\S.*?)"
        rf"|{_DELETE_EN}\ (?:all\ )?(?:of\ )?(?:my\ )?({_DAY_EN})['’]?s\ (?:memory|memories)"
        rf"|{_DELETE_EN}\ ({_SESSION}\ [0-9]+\ (?:of|from)\ {_DAY_EN}))",
    ),
    (
        UNDO,
        rf"(?:撤销|撤回|撤銷|恢复|恢復|还原|還原|取消)(?:刚才的?|刚刚?|上次的?|上一次的?)?{_DELETE_ZH}"
        rf"(?:的?{_MEMORY_ZH})?"
        rf"|[把将](?:刚才|刚刚?)?{_DELETE_ZH}的{_MEMORY_ZH}(?:都)?(?:恢复|恢復|还原|還原)(?:回来)?"
        rf"|(?:撤销|撤回|撤銷)(?:刚才的?|上次的?)?(?:对)?{_MEMORY_ZH}的?(?:修改|编辑|标记|更改)"
        rf"|undo\ (?:the\ |that\ |my\ |last\ )*(?:delete|deletion)(?:\ of\ {_MEMORY})?"
        rf"|undo\ (?:the\ |that\ |my\ |last\ )*memory\ (?:delete|deletion|edit|change|mark)"
        rf"|(?:bring\ back|restore|recover)\ (?:the\ |my\ )?deleted\ {_MEMORY}"
        rf"|undelete\ {_MEMORY}",
    ),
    (
        ARCHIVE,
        rf"(?:归档|歸檔)(?:一下)?(?:旧的?|过期的?|舊的?){_MEMORY_ZH}"
        rf"|[把将](?:旧的?|过期的?|舊的?){_MEMORY_ZH}(?:都)?(?:归档|歸檔)"
        rf"|archive\ (?:(?:the|my)\ )?(?:old|expired)\ {_MEMORY}",
    ),
    (
        DEDUPE,
        rf"(?:合并|合併|清理|{_DELETE_ZH})(?:重复|重複)的?{_MEMORY_ZH}|{_MEMORY_ZH}去重"
        rf"|(?:merge|{_CLEAN_EN}|{_DELETE_EN})\ (?:(?:the|my)\ )?(?:near-)?duplicate\ memories"
        rf"|dedupe\ {_MEMORY}",
    ),
    (
        SANITIZE,
        rf"(?:清理|隐藏|隱藏|{_DELETE_ZH}){_MEMORY_ZH}[里中裡]?的?(?:密码|密碼|密钥|密鑰|敏感信息)"
        rf"|(?:hide|{_CLEAN_EN}|{_DELETE_EN})\ (?:the\ |all\ )?(?:secrets|passwords)\ (?:in|from)"
        rf"\ {_MEMORY}",
    ),
    (
        RESTORE,
        rf"(?:恢复|恢復|还原|還原)(?:归档|歸檔)的?(?:{_MEMORY_ZH})?(?:\s*[:：]?\s*({_ID}|{_DATE}))?"
        rf"|(?:恢复|恢復|还原|還原)\s*({_ID}|{_DATE})\s*的?(?:归档|歸檔)?的?{_MEMORY_ZH}"
        rf"|restore\ (?:all\ )?(?:the\ |my\ )?archived\ {_MEMORY}(?:\ (?:of|from)\ ({_DATE}))?"
        rf"|restore\ {_MEMORY}\ (?:of|from)\ ({_DATE})",
    ),
    (
        CLEANUP,
        rf"(?:清理|整理)(?:一下)?(?:旧的?|过期的?|舊的?)?{_MEMORY_ZH}"
        rf"|(?:清理|归档|歸檔)(?:一下)?\s*(?:{_OLD_ZH}){_MEMORY_ZH}"
        rf"|(?:{_CLEAN_EN}|tidy\ up)\ (?:(?:the\ |my\ )?(?:old|expired)\ )?{_MEMORY}"
        rf"|(?:{_CLEAN_EN}|archive)\ (?:the\ )?{_MEMORY}\ {_OLD_EN}",
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
        r"(?:(?:查看|显示|修改|打开|把|将)?(?:记忆|記憶)(?:的)?(?:设置|設置|配置)"
        r"|(?:(?:show|set|change|reset|open)\ )?(?:me\ )?(?:the\ )?memory\ (?:settings?|config))"
        r"(?:\s*[:：]?\s*([a-z]+\.[a-z_]+(?:[\s=:：改设設恢为為].*?)?))?",
    ),
)
_WISH = lazy_pattern(
    "|".join(
        f"(?P<{name.replace('-', '_')}>{_POLITE}(?:{source}){_END})" for name, source in _WISHES
    ),
    re.IGNORECASE | re.DOTALL,
)


_NUMBER = lazy_pattern(
    rf"({_DAY_ZH})\s*的?\s*{_SESSION}\s*([0-9]+)"
    rf"|{_SESSION}\ (?P<number>[0-9]+)\ (?:of|from)\ (?P<day>{_DAY_EN})",
    re.IGNORECASE,
)
_NAMED = lazy_pattern(rf"(?:{_ID}|{_DAY_ZH}|{_DAY_EN})", re.IGNORECASE)
_BETWEEN = lazy_pattern(r"(?:[\s,，、和与]|\band\b)+", re.IGNORECASE)
_MARKS = {
    "important": ("重要", "important"),
    "outdated": ("过时", "過時", "outdated"),
    "private": ("私密", "私有", "private"),
}


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


def parse_mark(text: str) -> tuple[str, str]:
    """Return the id and the flag of what was said about a mark.

    >>> parse_mark("2026-01-29#1 标记为重要")
    ('2026-01-29#1', 'important')
    """
    # What comes here was matched by `_WISHES`: it begins with the id, and ends with the flag.
    id_ = re.match(_ID, text)
    assert id_ is not None
    said = text.casefold()
    return id_.group(), next(flag for flag, words in _MARKS.items() if said.endswith(words))


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
        action = str(match.lastgroup).replace("_", "-")
        found = [group for group in match.groups() if group][1:]
        return Intent(action, found[0].strip() if found else "")
    if len(text) <= _LONGEST_WISH and parse_setting(text):
        return Intent(SETTINGS, text.strip())
    if is_save_refused(text):
        return Intent(SKIP)
    if is_save_requested(text):
        return Intent(SAVE)
    return Intent(SEARCH, text.strip()) if is_about_earlier(text) else None
