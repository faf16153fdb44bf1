"""Commands in plain words: "搜索记忆: redis", "show today's memories", "记住这个".

A phrase must be the whole message, apart from a few polite words: a sentence that only contains
one is about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import cache

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.phrases.continuing import is_continuation
from daily_memory.core.phrases.saving import is_save_refused, is_save_requested
from daily_memory.core.search.dates import Period, asked_period
from daily_memory.core.search.earlier import is_about_earlier

# What to do with the conversation itself. Everything else is a command line.
SAVE, SKIP = ("save",), ("skip",)

# Longer messages are for the assistant.
_MAX_CHARS = 300
# A deletion names each of its days.
_MAX_DAYS = 62

_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_ID = rf"(?:[\w.-]+:)?{_DATE}(?:#[0-9]+(?:~[0-9]+)?)?"
_LAST = "(?:the )?(?:last|latest|newest)(?: (?:one|session))?|(?:最近|最后|最新|上)的?一条"
_FLAGS = {
    **dict.fromkeys(("重要", "important"), "important"),
    **dict.fromkeys(("过时", "过期", "outdated"), "outdated"),
    **dict.fromkeys(("私密", "private"), "private"),
}
_NUMBERS = {"两": 2, "a": 1, "an": 1}
for _words in ("一二三四五六七八九十", "one two three four five six seven eight nine ten".split()):
    _NUMBERS |= {word: number for number, word in enumerate(_words, 1)}
_UNIT_DAYS = {
    **dict.fromkeys(("天", "日", "day"), 1),
    **dict.fromkeys(("周", "星期", "week"), 7),
    **dict.fromkeys(("月", "month"), 30),
    **dict.fromkeys(("年", "year"), 365),
}
_DEFAULTS = ("default", "默认", "恢复默认", "默认值")
_PARTS = {
    "mem": "(?:(?:我们?|所有|全部|项目)的?)?(?:记忆|記憶)",
    "memory": "(?:(?:all|of|my|the|our|your|project) )*(?:memory|memories)",
    "view": "(?:给我)?(?:查看|看一下|看看|看|显示|列出|打开)",
    "show": "(?:show|list|view|see|open)(?: me)?",
    "find": "(?:搜索|查找|检索|搜|查|找找|找)(?:一下)?",
    "drop": "(?:删除|删掉|删了|刪除|清除|移除|忘掉|忘记)",
    "delete": "(?:delete|forget|remove|erase)",
    "clean": "(?:清理|整理)(?:一下)?",
    "tidy": "(?:clean(?: ?up)?|tidy up)",
    "old": "(?:(?:旧|老|过期|過期|过时)的?)?",
    "stale": "(?:(?:the|my) )?(?:(?:old|expired|stale|outdated) )?",
    "ids": "(?P<ids>{id}(?:(?:[ ,，、和]|and)+{id})*)",
    "id": f"(?:{_ID}|{_LAST})",
    "flag": f"(?P<flag>{'|'.join(_FLAGS)})",
    "session": "(?:(?:the )?(?:会话|记忆|session|memory) ?)?",
    "when": r"(?P<when>\S.{0,20}?)",
    "what": r"(?P<what>\S.*?)",
    "to": "(?: ?[:：] ?| )",
    "ago": rf"(?:(?P<day>{_DATE})|{{number}} ?个? ?(?P<unit>天|日|周|星期|月|年)) ?[之以]?前的?",
    "than": (
        rf"(?:older than|before) (?:(?P<day>{_DATE})|{{number}} (?P<unit>day|week|month|year)s?)"
    ),
    "number": f"(?P<number>[0-9]{{1,5}}|{'|'.join(_NUMBERS)})",
    "setting": (
        "(?: ?[:：]? ?(?P<key>[a-z]+[.][a-z_]+)"
        "(?: ?(?:[=:：]|改[为成]|设[为成]|设置为|to )? ?(?P<value>.+))?)?"
    ),
}
# The phrases of each command. The first that matches wins.
_PHRASES = """
save:
    (?:保存|记)(?:一下|下来)?(?:这个|对话)?
    (?:save|keep|remember)(?: it| this)?
skip:
    (?:忘掉|忘记|跳过)(?:这次|本次)?(?:对话|会话)
    (?:forget|skip) (?:this|the|our) (?:conversation|session|chat)
search:
    {find}{mem}(?:[里中]的?)?{to}{what}
    {find} ?(?:关于|有关) ?{what} ?的{mem}
    [在从]{mem}[里中]?{find}{to}?{what}
    search (?:in )?{memory}(?: for| about)?{to}{what}
    (?:find|show) {memory} (?:about|on) {what}
    (?:search|look) for {what} in (?:my|our|your) {memory}
    what do (?:you|we) remember about {what}
list:
    {view}(?:所有|全部)的?记忆
    {show} all (?:my )?memories
list --days 7:
    {view}?(?:最近的?)?{mem}
    {view}? ?{when} ?的?{mem}
    {show} (?:my )?(?:recent )?{memory}
    {show} {memory} (?:of|from|for) {when}
    (?:{view}|{show} ){when}
    (?:{show} )?(?:my )?{when}['’]s {memory}
show:
    {view} ?{session}(?P<ids>{id})
    {show} {session}(?P<ids>{id})
mark:
    (?:把|标记) ?{ids} ?(?:的?{mem})?(?:标记?)?[为成] ?{flag}
    mark {session}{ids} as {flag}
undo:
    (?:撤销|撤回)(?:(?:上一次|上次|刚才)的?)?(?:操作|改动|修改|删除)?
    undo(?: (?:it|that|(?:the )?last(?: (?:change|deletion|edit))?))?
cleanup --delete:
    {drop} ?{ago}{mem}
    {delete} {memory} {than}
delete:
    {drop} ?(?:这条)?{mem}?{to}?{ids}(?:的?{mem})?
    把 ?{ids} ?(?:的?{mem})?都?{drop}
    {delete} {session}:? ?{ids}
    {drop}(?:这条)?{mem}{to}{what}
    {drop} ?(?:关于|有关) ?{what} ?的{mem}
    {drop} ?{when} ?的?{mem}
    把 ?{when} ?的?{mem}都?{drop}
    {delete} {memory}(?: ?: ?| (?:about|of|from|on) ){what}
    {delete} {when}['’]s {memory}
cleanup:
    {clean}{old}{mem}
    {clean} ?{ago}{old}{mem}
    {tidy} {stale}{memory}
    {tidy} {memory} {than}
config:
    (?:{view}|修改|更改|把)?{mem}的?(?:设置|設置|配置){setting}
    {view}(?:所有|全部)?的?(?:设置|設置|配置)
    (?:(?:{show}|set|change|what are) )?(?:the |my )?memory (?:settings?|config){setting}
    {show} (?:(?:the|my|all|your) )*(?:settings|config)
"""
_POLITE = lazy_pattern(
    "(?:(?:请[你您]?|請|帮我|麻烦[你您]?|能不能|可以|(?:please|can you|could you)(?![a-z]))"
    "[ ,，]*){0,3}",
    re.IGNORECASE,
)
_ENDING = lazy_pattern("(?:[ 。.!！?？~]|吧|好吗|吗|谢谢|(?<= )(?:please|thanks))*$", re.IGNORECASE)
_QUESTION = lazy_pattern(
    "[?？]$|吗[。.]?$|什么|怎么|怎样|如何|为何|多少|多久|哪|谁|^(?:what|why|how|when|where|which|who)\\b",
    re.IGNORECASE,
)


def parse_command(text: str, today: date) -> tuple[str, ...]:
    """Return the command line that a message means: SAVE or SKIP, or () if it means nothing.

    What follows "--" is positional. Any other question is a search.

    >>> parse_command("搜索记忆: redis 缓存", date(2026, 1, 29))
    ('search', '--', 'redis 缓存')
    """
    is_short = len(text) <= _MAX_CHARS
    message = " ".join(text.split()) if is_short else ""
    phrase = _ENDING.sub("", _POLITE.sub("", message, count=1))
    command = next(filter(None, _commands(phrase, today)), ())
    if command:
        return command
    if is_save_refused(text):
        return SKIP
    if is_save_requested(text):
        return SAVE
    if is_continuation(message):
        return ("show", "--", "last")
    if _QUESTION.search(message) or is_about_earlier(text):
        return ("search", "--", text.strip())
    return ()


def _commands(phrase: str, today: date) -> Iterator[tuple[str, ...]]:
    for command, pattern in _patterns():
        match = pattern.fullmatch(phrase)
        if match:
            groups = {name: group for name, group in match.groupdict().items() if group}
            yield _command_line(command, groups, today)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    patterns, command = [], ""
    for line in _PHRASES.strip().split("\n"):
        if line.startswith(" "):
            patterns.append((command, re.compile(_filled(line.strip()), re.IGNORECASE)))
        else:
            command = line.removesuffix(":")
    return tuple(patterns)


def _filled(phrase: str) -> str:
    return re.sub(r"\{([a-z]+)\}", lambda part: _filled(_PARTS[part[1]]), phrase)


def _command_line(command: str, groups: Mapping[str, str], today: date) -> tuple[str, ...]:
    """Return a command with its options, () if it needs a time that can't be parsed."""
    words = tuple(command.split())
    if "day" in groups:
        return (*words, "--before", groups["day"])
    if "unit" in groups:
        number = groups["number"].lower()
        count = int(number) if number.isdecimal() else _NUMBERS[number]
        return (*words, "--days", str(count * _UNIT_DAYS[groups["unit"].lower()]))
    if "ids" in groups:
        flag = (f"--{_FLAGS[groups['flag'].lower()]}",) if "flag" in groups else ()
        named = re.findall(f"{_ID}|{_LAST}", groups["ids"], re.IGNORECASE)
        return (*words, *flag, "--", *(id_ if "-" in id_ else "last" for id_ in named))
    if "key" in groups:
        return (*words, "--", *_setting(groups["key"].lower(), groups.get("value", "")))
    if command == "search":
        return (*words, "--", groups["what"])
    when = groups.get("when", groups.get("what", ""))
    # "May 2026" is a time only after "in".
    period = asked_period(when, today) or asked_period(f"in {when}", today)
    if command == "delete":
        days = _days(period) if period else ()
        query = (f"--query={groups['what']}",) if "what" in groups else ()
        return (*words, "--", *days) if days else (*words, *query) if query else ()
    if "when" not in groups:
        return words
    if period is None or period.first == date.min:
        return ()
    first, last = period.first.isoformat(), period.last.isoformat()
    return ("show", "--", first) if first == last else ("list", "--since", first, "--until", last)


def _days(period: Period) -> tuple[str, ...]:
    count = (period.last - period.first).days + 1
    if count > _MAX_DAYS:
        return ()
    return tuple((period.first + timedelta(days=day)).isoformat() for day in range(count))


def _setting(key: str, value: str) -> tuple[str, ...]:
    if not value:
        return ("get", key)
    return ("unset", key) if value in _DEFAULTS else ("set", key, value)


# What people call the things that each command does; most likely commands first.
CUES = {
    "search QUERY": "search find look recall 搜 找 查",
    "list": "list ls show view recent tag 列出 查看 最近",
    "list --by-day": "calendar day history 日历 按天 历史",
    "serve": "serve web open browser page ui 浏览器 页面",
    "add TEXT": "add note remember 添加 记住 记一",
    "undo": "undo undelete deleted restore 撤销 撤回 恢复 找回",
    "delete ID --purge": "purge 彻底",
    "delete ID": "delete rm remove forget erase wipe clear 删 忘 清空",
    "edit ID": "edit correct change 编辑 修改 改",
    "mark ID --important": "mark flag important outdated private 标记 标为 重要 过时 私密",
    "cleanup": "clean tidy old duplicate secret password 清理 旧 重复 密码 敏感",
    "cleanup --archive": "archive 归档",
    "restore --all": "restore unarchive archived 恢复 取出 归档的",
    "review": "review check contradict outdated audit 审核 回顾 检查 矛盾 过时",
    "summarize": "summar 总结 摘要 归纳",
    "report": "report statistics stats analy tag 报告 统计 分析",
    "export -o FILE": "export backup back 导出 备份",
    "import FILE": "import 导入",
    "config": "setting config turn set default 设置 配置 打开 关闭 改为",
    "projects": "project 项目",
    "encrypt": "encrypt 加密",
    "decrypt": "decrypt 解密",
    "rekey": "rekey key 密钥",
    "install NAME --uninstall": "uninstall pause stop disable off 暂停 停用 停止 卸载",
    "upgrade": "upgrade update newer version 升级 更新 版本",
    "doctor": "doctor health diagnose 健康 诊断 故障",
    "reindex": "reindex rebuild index 索引",
}


def nearest_commands(text: str) -> list[str]:
    """Return the two commands closest to a message.

    >>> nearest_commands("把记忆导出为网页")
    ['export -o FILE', 'search QUERY']
    """
    # A cue begins an English word, and is anywhere in a Chinese sentence.
    message = f" {text.casefold()}"
    scores = {
        command: sum((f" {cue}" if cue.isascii() else cue) in message for cue in cues.split())
        for command, cues in CUES.items()
    }
    return sorted(scores, key=lambda command: -scores[command])[:2]
