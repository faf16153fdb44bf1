"""What people say of a setting: "把记忆保留天数改为 30 天", "turn off auto save".

Each setting has a few names in both languages. A sentence must be one of a few forms as a whole:
with a word more it is about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from daily_memory.core.settings import KEYS

# Names of a setting, besides its own and that without its section.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "storage.location": ("存储位置", "保存位置", "storage location"),
    "storage.retention_days": (
        *("保留天数", "保留时间", "保留期限", "保留期"),
        *("retention days", "retention period", "retention time", "retention"),
    ),
    "storage.max_file_size_mb": (
        *("文件大小上限", "最大文件大小", "文件大小", "max file size", "maximum file size"),
        "file size limit",
    ),
    "storage.auto_archive": (
        *("自动归档旧记忆", "自动归档", "auto archive", "auto-archive", "automatic archiving"),
        *("automatic archive", "archiving automatically"),
    ),
    "recall.review_days": (
        *("审核提醒间隔", "审核提醒", "提醒审核", "review reminder", "review reminders"),
        *("review interval", "reminding of reviews"),
    ),
    "storage.encryption": ("加密存储", "加密", "encryption at rest", "encryption"),
    "recording.auto_save": (
        *("自动保存", "自动记录", "auto save", "auto-save", "automatic saving"),
        *("auto saving", "saving automatically"),
    ),
    "recording.save_code_snippets": (
        *("保存代码片段", "代码片段保存", "代码片段", "保存代码", "saving code snippets"),
        *("code snippets", "saving code"),
    ),
    "recording.sanitize_sensitive": (
        *(
            "敏感信息过滤",
            "过滤敏感信息",
            "隐藏敏感信息",
            "敏感过滤",
            "脱敏",
            "sensitive data filter",
        ),
        *("hiding secrets", "secret filtering", "sanitizing", "redaction"),
    ),
    "recording.min_conversation_length": (
        *("最少对话轮数", "最少轮数", "最短对话", "minimum conversation length"),
        "min conversation length",
    ),
    "recording.language": ("标题语言", "记录语言", "heading language", "language of the headings"),
    "recording.digest": ("摘要详细程度", "摘要长度", "digest length", "digest"),
    "recall.at_start": ("开始时回忆", "开场回忆", "启动时回忆", "recall at start"),
    "recall.at_prompt": ("提问时回忆", "自动回忆", "recall at prompt", "automatic recall"),
    "recall.max_chars": ("回忆字数上限", "回忆字数", "注入字数", "context size", "recall size"),
    "retrieval.method": (
        *("检索方式", "搜索方式", "检索方法", "搜索方法", "search method", "retrieval method"),
    ),
    "retrieval.max_results": (
        *("最多结果数", "最大结果数", "结果数量", "结果条数", "结果数", "显示条数", "搜索结果数"),
        *("max results", "maximum results", "number of results", "result limit"),
    ),
    "retrieval.time_decay_rate": (
        "时间衰减率",
        "时间衰减",
        "衰减率",
        "time decay rate",
        "time decay",
    ),
    "retrieval.search_scope_days": (
        *("搜索范围", "检索范围", "搜索天数", "search scope", "search range"),
    ),
    "semantic.enabled": ("语义搜索", "语义检索", "semantic search"),
    "semantic.provider": ("嵌入来源", "embedding provider"),
    "semantic.model": ("嵌入模型", "embedding model"),
    "mirror.enabled": ("SQLite 镜像", "数据库镜像", "镜像", "SQLite mirror", "mirror"),
}
# Values of a setting in words, besides its own.
_VALUES: Mapping[str, Mapping[str, str]] = {
    "storage.location": {
        **dict.fromkeys(("项目优先", "project first"), "project-first"),
        **dict.fromkeys(("仅项目", "只存项目", "项目", "project only", "project"), "project-only"),
        **dict.fromkeys(("仅全局", "只存全局", "全局", "global only", "global"), "global-only"),
    },
    "storage.encryption": {
        **dict.fromkeys(("开", "打开", "开启", "启用", "on"), "age"),
        **dict.fromkeys(("关", "关闭", "停用", "不加密", "off"), "none"),
    },
    "recall.review_days": {
        **dict.fromkeys(("开", "打开", "开启", "启用", "on"), "30"),
        **dict.fromkeys(("关", "关闭", "停用", "off", "从不", "never"), "0"),
    },
    "recording.language": {
        **dict.fromkeys(("中文", "汉语", "chinese"), "zh"),
        **dict.fromkeys(("英文", "英语", "english"), "en"),
        **dict.fromkeys(("自动", "automatic"), "auto"),
    },
    "recording.digest": {
        **dict.fromkeys(("简短", "简要", "短", "short"), "brief"),
        **dict.fromkeys(("详细", "长", "long"), "detailed"),
    },
    "retrieval.method": {
        **dict.fromkeys(("关键词", "关键字", "keywords"), "keyword"),
        "语义": "semantic",
        "混合": "hybrid",
    },
    "retrieval.search_scope_days": dict.fromkeys(
        ("全部", "所有", "不限", "everything", "all"), "0"
    ),
}
_DIGITS = {word: str(number) for number, word in enumerate("零一二三四五六七八九十")} | {"两": "2"}
_DAYS = {
    **dict.fromkeys(("天", "日", "day", "days"), 1),
    **dict.fromkeys(("周", "星期", "week", "weeks"), 7),
    **dict.fromkeys(("月", "month", "months"), 30),
    **dict.fromkeys(("年", "year", "years"), 365),
}
_ON = "on"
_OFF = "off"
_SWITCHED = {
    **dict.fromkeys(("打开", "开启", "启用", "开", "on", "enable"), _ON),
    **dict.fromkeys(("关闭", "关掉", "停用", "禁用", "关", "不要", "off", "disable"), _OFF),
}
_DEFAULT = re.compile(r"(?:恢复)?(?:默认|預設)(?:值)?|(?:the )?default", re.IGNORECASE)

_POLITE = r"(?:请[你您]?|帮我|麻烦[你您]?|please|can you|could you)?[\s,，]*"
_END = r"[\s。.!！?？]*"
_NUMBER = r"(?P<number>[0-9]+(?:\.[0-9]+)?|[一两二三四五六七八九十])"
_DAY_UNIT = "天|日|周|星期|月|年|days?|weeks?|months?|years?"
_UNIT = (
    rf"\s*个?\s*(?P<unit>{_DAY_UNIT}|条|轮|次|字符|字|MB|兆|results?|turns?|characters?|chars?)?"
)
_PERIOD = rf"{_NUMBER}\s*个?\s*(?P<unit>{_DAY_UNIT})"
_TO = r"\s*(?:改[为成到為]|[设設]置?[为成為]|调[为成到]|换成|=|＝|:|：|\bto\b|为)\s*"
_ON_OFF = "|".join(sorted(_SWITCHED, key=len, reverse=True))
_OF = r"(?:(?:把|将)\s*)?(?:记忆)?(?:的)?\s*(?:(?:the|my|our)\s+)?(?:memory\s+)?"
# In each, NAME stands for the names of all settings.
_FORMS = tuple(
    form.replace("NAME", "(?P<name>{names})")
    for form in (
        rf"(?:(?:set|change|switch)\s+)?{_OF}NAME{_TO}(?P<value>\S.*?)",
        rf"(?P<switch>{_ON_OFF})\s*{_OF}NAME",
        rf"(?:turn|switch)\s+(?P<switch>on|off)\s+{_OF}NAME",
        rf"(?:turn|switch)\s+{_OF}NAME\s+(?P<switch>on|off)",
        rf"{_OF}NAME\s*(?P<switch>{_ON_OFF})",
        rf"(?:恢复|重置)\s*{_OF}NAME(?P<default>)(?:\s*(?:的|为|到)?\s*默认值?)?",
        rf"{_OF}NAME(?P<default>)\s*恢复(?:为|成)?默认值?",
        rf"reset\s+{_OF}NAME(?P<default>)(?:\s+to\s+(?:the\s+)?default)?",
        rf"(?:查看|显示|what\s+is|what['’]s|show|get)?\s*{_OF}NAME(?:\s*(?:现在)?(?:是多少|是什么|是几|多少))?",
    )
)
# Sentences that name no setting, and which one they mean.
_SAYINGS = (
    (
        "retrieval.max_results",
        rf"(?:每次)?(?:搜索|检索)?(?:时)?最多(?:显示|返回|给出?|列出|要)\s*{_NUMBER}\s*[条个](?:结果|记忆)?",
    ),
    (
        "retrieval.max_results",
        rf"(?:show|return|give)(?:\s+me)?\s+at\s+most\s+{_NUMBER}\s+(?:results?|memories)",
    ),
    ("storage.retention_days", rf"记忆(?:只|最多)?(?:保留|保存)\s*{_PERIOD}"),
    ("storage.retention_days", rf"(?:只|最多)?(?:保留|保存)\s*{_PERIOD}\s*的?记忆"),
    (
        "storage.retention_days",
        rf"keep\s+(?:my\s+|the\s+)?memor(?:y|ies)\s+(?:for\s+)?{_PERIOD}",
    ),
    ("recall.review_days", rf"每\s*{_PERIOD}提醒我(?:一次)?(?:审核|回顾)记忆"),
    (
        "recall.review_days",
        rf"remind\s+me\s+(?:to\s+review\s+(?:my\s+)?memor(?:y|ies)\s+)?every\s+{_PERIOD}"
        r"(?:\s+to\s+review\s+(?:my\s+)?memor(?:y|ies))?",
    ),
    ("retrieval.search_scope_days", rf"只(?:搜索|检索)(?:最近|近)\s*{_PERIOD}(?:的?记忆)?"),
    (
        "retrieval.search_scope_days",
        rf"(?:only\s+search|search\s+only)\s+the\s+last\s+{_PERIOD}",
    ),
)


def parse_setting(text: str) -> tuple[str, ...]:
    """Return the words for `memory config` of what was said, () where it is about no setting.

    >>> parse_setting("把记忆保留天数改为 30 天"), parse_setting("turn off auto save")
    (('set', 'storage.retention_days', '30'), ('set', 'recording.auto_save', 'off'))
    """
    for pattern in _patterns():
        match = pattern.fullmatch(text.strip())
        if match:
            return _words(_names()[_folded(match["name"])], match.groupdict())
    for key, saying in _SAYINGS:
        match = re.fullmatch(f"{_POLITE}(?:{saying}){_END}", text.strip(), re.IGNORECASE)
        if match:
            return ("set", key, _number(key, match.groupdict()))
    return ()


def _words(key: str, said: Mapping[str, str | None]) -> tuple[str, ...]:
    if said.get("default") is not None:
        return ("unset", key)
    switch = said.get("switch")
    if switch:
        return ("set", key, _value(key, _SWITCHED[switch.lower()]))
    value = said.get("value")
    if value is None:
        return ("get", key)
    return ("unset", key) if _DEFAULT.fullmatch(value) else ("set", key, _value(key, value))


def _value(key: str, text: str) -> str:
    """Return what was said as a value as `memory config set` takes it."""
    known = _VALUES.get(key, {}).get(text.lower())
    if known is not None:
        return known
    number = re.fullmatch(_NUMBER + _UNIT, text, re.IGNORECASE)
    return _number(key, number.groupdict()) if number else text


def _number(key: str, said: Mapping[str, str | None]) -> str:
    """Return a number that was said; months and years are told in days where these are meant."""
    number = str(said["number"])
    number = _DIGITS.get(number, number)
    times = _DAYS.get(str(said.get("unit") or "").lower(), 1) if key.endswith("_days") else 1
    return number if times == 1 or not number.isdigit() else str(int(number) * times)


@cache
def _names() -> dict[str, str]:
    """Return the setting of each name."""
    return {_folded(name): key for key, name in _all_names()}


def _all_names() -> Iterator[tuple[str, str]]:
    fields = [key.field for key in KEYS]
    for key in KEYS:
        yield key.name, key.name
        if fields.count(key.field) == 1 and "_" in key.field:
            yield key.name, key.field
        for name in _NAMES.get(key.name, ()):
            yield key.name, name


def _folded(name: str) -> str:
    return "".join(name.lower().split())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Return the forms with all names in them, longer ones first."""
    ordered = sorted((name for _, name in _all_names()), key=len, reverse=True)
    names = "|".join(re.escape(name).replace(r"\ ", r"\s*") for name in ordered)
    return tuple(
        re.compile(f"{_POLITE}(?:{form.replace('{names}', names)}){_END}", re.IGNORECASE)
        for form in _FORMS
    )
