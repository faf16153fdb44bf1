"""The words by which a statement lays something down: what is used, given up, or set to a value.

`old` is what is given up, `new` what is taken up, `part` what it is for or what has the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search.text import terms

# Latin names of up to three words, of which the later ones have a capital or are numbers.
_LATIN = r"(?:[A-Za-z][\w.+#/@-]*(?:\s(?-i:[A-Z][\w.+#-]*)){0,2})"
_HAN = r"[\u4e00-\u9fff]"
_NAME = rf"(?:{_LATIN}|{_HAN}{{2,8}}?)"
# What a Chinese name ends before.
_STOP = r"(?=\s*(?:$|[，,。.;；、:：（()）!！]|作为|来|做|实现|存|以|了|后|吧|\s[\u4e00-\u9fff]))"
_NEW, _OLD = rf"(?P<new>{_NAME})", rf"(?P<old>{_NAME})"
_LATIN_NEW, _LATIN_OLD = rf"(?P<new>{_LATIN})", rf"(?P<old>{_LATIN})"
_THE = r"(?:the\s|our\s|an?\s)?"

_INTO = (
    r"(?:替换成|替换为|换成|换为|换到|改成|改为|改用|改到|迁移到|迁移至|迁到|切换到|切换成|切到|转到"
    r"|转向|转用)了?"
)
_INTO_WORDS = "换|改|迁|切|转"
_INSTEAD = r"(?:替换|替代|代替|取代)"


class Cue(NamedTuple):
    """A pattern, and the words of which one stands in whatever it matches, in small letters.

    They are looked for first: that takes a hundredth of the time.
    """

    words: frozenset[str]
    pattern: re.Pattern[str]

    def find(self, said: str, present: frozenset[str]) -> Iterator[re.Match[str]]:
        """Return the matches in a text; `present` are the words of cues that stand in it."""
        return iter(()) if self.words.isdisjoint(present) else self.pattern.finditer(said)


def words_in(said: str) -> frozenset[str]:
    """Return the words of cues that stand in a text."""
    return frozenset(filter(said.casefold().__contains__, _WORDS))


def _cue(words: str, source: str) -> Cue:
    """Return a cue; `|` parts its words, a blank in the source is any white space."""
    # Compiled when its words first occur: all of them take a fifth of a second.
    pattern = lazy_pattern(source.replace(" ", r"\s"), re.IGNORECASE)
    return Cue(frozenset(words.split("|")), pattern)


REPLACED = (
    _cue(
        "replac",
        rf"\breplac(?:e|ed|es|ing) {_THE}{_LATIN_OLD} (?:by|with) {_THE}{_LATIN_NEW}",
    ),
    _cue(
        "from",
        rf"\b(?:switch|migrat|mov|chang|convert|port)\w* (?:[\w-]+ ){{0,4}}?from {_THE}"
        rf"{_LATIN_OLD} (?:over )?to {_THE}{_LATIN_NEW}",
    ),
    _cue(
        "replaced|superseded",
        rf"\b{_LATIN_OLD} (?:was|is|has been|were|got) (?:now )?(?:replaced|superseded)"
        rf" (?:by|with) {_THE}{_LATIN_NEW}",
    ),
    _cue(
        "replace|supersede|takes the place",
        rf"\b{_LATIN_NEW} (?:has )?(?:replace[sd]|supersede[sd]|takes the place of)"
        rf" {_THE}{_LATIN_OLD}(?! (?:by|with)\b)",
    ),
    _cue(
        " for | favo",
        rf"\b(?:drop|dropp|abandon|retir|ditch|swap|remov)(?:ed|ping|ing|ped|e)? {_THE}"
        rf"{_LATIN_OLD} (?:in favou?r of|for) {_THE}{_LATIN_NEW}",
    ),
    _cue(
        "instead|rather|in place",
        rf"\b{_LATIN_NEW} (?:instead of|rather than|in place of) {_THE}{_LATIN_OLD}",
    ),
    _cue(
        "把|将",
        rf"(?:把|将)\s*{_OLD}\s*(?:都|全部|全)?\s*{_INTO}\s*{_NEW}{_STOP}",
    ),
    _cue(
        "从",
        rf"从\s*{_OLD}\s*(?:全部)?{_INTO}\s*{_NEW}{_STOP}",
    ),
    _cue(
        _INTO_WORDS,
        rf"(?<![A-Za-z0-9]){_LATIN_OLD}\s*(?:已经?|都|全部)?{_INTO}\s*{_NEW}{_STOP}",
    ),
    _cue(
        "替|取代",
        rf"(?:用|以)\s*{_NEW}\s*{_INSTEAD}(?:了|掉)?\s*{_OLD}{_STOP}",
    ),
    _cue(
        "替|取代",
        rf"(?<![A-Za-z0-9]){_LATIN_NEW}\s*{_INSTEAD}了\s*{_OLD}{_STOP}",
    ),
    _cue(
        "被",
        rf"(?<![A-Za-z0-9]){_LATIN_OLD}\s*(?:已经?)?被\s*{_NEW}\s*{_INSTEAD}",
    ),
    _cue(
        "不|弃|停用|放弃|别用|淘汰",
        rf"(?:不再使?用|不用|弃用|停用|放弃|废弃|别用|不要用|淘汰)了?\s*{_OLD}\s*[，,]?\s*"
        rf"(?:而|并)?(?:改用|换成|而用|使用|换用|用)\s*{_NEW}{_STOP}",
    ),
    _cue(
        "而不是|而非|不再用|不用|别用",
        rf"用\s*{_NEW}\s*[，,]?\s*(?:而不是|而非|不再用|不用|别用)\s*{_OLD}{_STOP}",
    ),
)
GIVEN_UP = (
    _cue(
        "use|using|drop|abandon|retire|ditch|rid of|against|avoid",
        rf"\b(?:no longer use|stopped using|do not use|don['’]t use|never use|drop(?:ped)?"
        rf"|abandon(?:ed)?|retired?|ditch(?:ed)?|got rid of|decided against|avoid)"
        rf" (?:using )?{_THE}{_LATIN_OLD}",
    ),
    _cue(
        "不|弃|停用|别用|禁用|淘汰",
        rf"(?:不再使?用|不再采用|不用|弃用|停用|放弃|废弃|别用|不要用|不能用|禁用|淘汰)了?"
        rf"\s*{_OLD}{_STOP}",
    ),
    _cue(
        "not ",
        rf"^not {_LATIN_OLD}$",  # "use spaces, not tabs"
    ),
)
CHANGED_TO = (
    _cue(
        "switch|migrat",
        rf"\b(?:switch|migrat)(?:ed|ing|e)? {_THE}(?P<part>(?:[\w-]+ ){{1,3}}?)"
        rf"(?:over )?to {_LATIN_NEW}",
    ),
    _cue(
        _INTO_WORDS,
        rf"(?P<part>{_HAN}{{2,10}}?)\s*(?:已经?|现在|全部|统一|都)?{_INTO}\s*{_LATIN_NEW}",
    ),
)
TAKEN_UP = (
    _cue(
        "use|using|chose|choose|adopt|with|settled|picked|opted|prefer|standardi|back to|built|run",
        rf"\b(?:use|using|uses|chose|choose|adopt(?:ed)?|go(?:ing)? with|went with"
        rf"|settled on|picked|opted for|prefers?|stick with|standardi[sz]ed? on"
        rf"|back to|built (?:on|with)|runs? on) {_THE}{_LATIN_NEW}",
    ),
    _cue(
        "用|选|基于|换回",
        rf"(?:使用|采用|选用|选择了?|选定|改用|基于|沿用|换回|(?<![不别作费引应常专通信启停弃禁])"
        rf"用(?![户例途法于量时完]))\s*{_LATIN_NEW}",
    ),
    _cue(
        "用|选定",
        rf"(?:采用|选用|使用|决定用|统一用|就用|选定)\s*(?P<new>{_HAN}{{2,8}}?){_STOP}",
    ),
    _cue(
        ":|：",
        rf"(?:数据库|缓存|队列|框架|存储|语言|前端|后端|工具)\s*[:：]\s*{_LATIN_NEW}",
    ),
    _cue(
        ":",
        rf"\b(?:database|cache|queue|framework|storage|language|frontend|backend|linter)"
        rf"\s*: {_LATIN_NEW}",
    ),
)
CLAUSE = re.compile(
    r"[。；;!！?？\n]|[，,]\s*(?!改用|换成|而用|使用|换用|用\s|用[A-Za-z]|不用|不再|别用|而不是|而非"
    r"|改为|改成)|\.(?=\s|$)|——|\s-\s|\s(?:because|since|so that)\s|因为|由于|以便|[（(]",
    re.IGNORECASE,
)
# What is not laid down, or for a side of the project only.
UNSURE = re.compile(
    r"\b(?:consider|evaluat|compar|try|tried|trying|maybe|perhaps|could|might|would|if|example"
    r"|e\.g|whether|propos|suggest|benchmark|demo|prototyp|only for)\w*\b"
    r"|考虑|评估|对比|试[了试过用]|也许|可能|如果|比如|例如"
    r"|是否|要不要|建议|可以用|必要时|视情况|待办|\btodo\b|演示|示例|原型|仅用于|只用于|仅在|只在",
    re.IGNORECASE,
)
NEGATED = re.compile(
    r"(?:\bnot|n['’]t|never|longer|stopped|avoid|instead\sof|rather\sthan|against)\s+(?:to\s)?$"
    r"|(?:不|别|没有?|禁止|避免|不再|而不是|而非)$",
    re.IGNORECASE,
)
# Words that may stand where a name is looked for.
NO_NAMES = frozenset(
    "it this that them these those a an the one ones two our your its their all any both each"
    " something anything everything more less new old same other another only just too to for in"
    " on of as at by and or not no is be are was behind before after with within without into over"
    " under about between through during until up down off out when where how what which while"
    " than then there here never always also him her us you me i we he she latter former".split()
)
CUE_TERMS = frozenset(
    term
    for word in (
        "use used using uses decided decision chose choose adopt adopted replace replaced switch"
        " switched migrate migrated move moved change changed drop dropped now agreed always never"
        " prefer keep going instead rather over settled set raise raised lower lowered limit new"
        " increase increased cap capped from pick picked stick back should must will no longer"
        " favour favor place everywhere completely finally project"
    ).split()
    for term in terms(word)
)
# … and in Chinese, where words do not part themselves.
FILLER = re.compile(
    r"使用|采用|选用|选择了?|选定|决定|改用|改[为成到]|换[成为到]|替换|替代|代替|取代|统一|不再|不用|现在|目前"
    r"|确定|最终|迁移[到至]?|迁到|切换[到成]|放弃|弃用|停用|淘汰|设置[为成]|定为|设[为成]|调整[到为]|调[到为成]"
    r"|项目|我们|已经?被?|全部|一律|基于|沿用|继续|[把将从用被了都就由]"
    r"|\b(?:after|before|during)\s.*$",
    re.IGNORECASE,
)

# ---------------------------------------------------------------------------- values

UNITS = {
    **dict.fromkeys(("ms", "毫秒"), ("s", 0.001)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒", "秒钟"), ("s", 1.0)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes", "分钟", "分"), ("s", 60.0)),
    **dict.fromkeys(("h", "hour", "hours", "小时"), ("s", 3600.0)),
    **dict.fromkeys(("d", "day", "days", "天"), ("s", 86400.0)),
    **dict.fromkeys(("kb", "kib", "k"), ("B", 1024.0)),
    **dict.fromkeys(("mb", "mib"), ("B", 1024.0**2)),
    **dict.fromkeys(("gb", "gib", "g"), ("B", 1024.0**3)),
    **dict.fromkeys(("%", "％"), ("%", 1.0)),
}
_NUMBER = (
    r"(?<![\w.#-])(?P<number>\d{1,9}(?:\.\d{1,3})?)(?![\d.]*\d)"
    r"\s?(?P<unit>%|％|[A-Za-z]{1,7}\b|毫秒|秒钟?|分钟?|小时|天)?"
)
VALUES = (
    # set the TTL to 300 s; raised max_results from 5 to 8
    _cue(
        "set|rais|lower|increas|decreas|reduc|chang|bump|cap|limit|extend|shorten",
        rf"\b(?P<verb>set|raised?|raising|lower(?:ed)?|increased?|decreased?|reduced?|changed?"
        rf"|bump(?:ed)?|cap(?:ped)?|limit(?:ed)?|extend(?:ed)?|shorten(?:ed)?) {_THE}"
        rf"(?P<part>[^,;:=]{{2,60}}?)(?: from [^,;]{{1,16}}?)? (?:to|at) {_NUMBER}",
    ),
    # the TTL is 300 s, TTL = 300, TTL: 300 s, TTL is now 600
    _cue(
        " is| are| of| to|=|:|：",
        rf"(?P<part>[A-Za-z][^,;:=，：]{{1,50}}?)\s*(?: is(?: now)?| are(?: now)?| of"
        rf"| (?P<verb>(?:chang|rais|lower|increas|decreas|reduc|extend)\w*) to|=|:|：)"
        rf"\s*{_NUMBER}",
    ),
    # 缓存 TTL 定为 300 秒；TTL 从 300 改为 600
    _cue(
        "为|成|到|限制|控制",
        rf"(?P<part>[^，,;:=：]{{2,40}}?)\s*(?:从[^，,]{{1,16}}?)?"
        rf"(?P<verb>定为|设为|设成|设置为|设置成|设定为|改为|改成|改到|调整为|调整到|调为|调成|调到|提高到"
        rf"|提到|延长到|缩短到|增加到|减少到|限制为|限制在|控制在)了?\s*{_NUMBER}",
    ),
    _cue(
        "是|为|取|=|：|:",
        rf"(?P<part>[^，,;:=：]{{2,40}}?)\s*(?:是|为|取|=|：|:)\s*{_NUMBER}",
    ),
    _cue(
        "保留|上限|超时|过期|间隔|阈值|有效期",
        rf"(?P<part>[^，,;:=：]{{0,30}}?(?:保留|上限|超时|过期|间隔|阈值|有效期))\s*{_NUMBER}",
    ),
)
CHANGES = re.compile(
    r"rais|lower|increas|decreas|reduc|chang|bump|extend|shorten|改|调|提|延长|缩短|增加|减少",
    re.IGNORECASE,
)
DIGIT = re.compile(r"\d")
# What is laid down, and not measured.
IS_SETTING = re.compile(
    r"\b(?:ttl|time-?outs?|limits?|max\w*|min\w*|ports?|intervals?|retr(?:y|ies)|thresholds?"
    r"|expir\w+|retention|page.?size|batch.?size|pool.?size|workers?|replicas?|concurrency|depth"
    r"|width|quota|budget|ttls)\b|\w+_\w+|过期|超时|上限|下限|端口|间隔|重试|阈值|次数|有效期|保留|并发数"
    r"|副本|页大小|批大小|每页|预算|配额|最多|最大|最少|最小",
    re.IGNORECASE,
)
IS_MEASURED = re.compile(
    r"\b(?:took|takes|measured|latency|p9\d|p50|before|after|average|median|faster|slower|passed"
    r"|failed|coverage|errors?|was|were|grew|dropped|went)\b|耗时|实测|测得|延迟|平均|中位|通过|失败"
    r"|覆盖率|命中率|用时|降到|降至|降低到|之前|原来|报错|[改优]化[前后]",
    re.IGNORECASE,
)
FROM_NUMBER = re.compile(r"[从由]\s*\d.*$|\bfrom\s\d.*$")
# A number, or a letter that is no word: what tells one of several apart.
NUMBERED = re.compile(r"(?<![\w.])(?:\d[\w.]*|(?!A\s+[a-z]|I\b)[A-Z](?![\w'’]))")
_WORDS = tuple(
    sorted(
        {
            word
            for cue in (*REPLACED, *GIVEN_UP, *CHANGED_TO, *TAKEN_UP, *VALUES)
            for word in cue.words
        }
    )
)
