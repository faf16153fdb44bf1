"""The words by which a statement settles something: what is used, and what is given up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search.text import terms


class Cue(NamedTuple):
    """A pattern, and words of which each match contains one: looking for these is faster."""

    words: frozenset[str]
    pattern: re.Pattern[str]


def words_in(clause: str, possible: Iterable[str] = ()) -> frozenset[str]:
    """Return the words of all cues, or of the possible ones, that occur in a clause."""
    folded = clause.casefold()
    return frozenset([word for word in possible or _WORDS if word in folded])


@lru_cache(maxsize=10_000)
def with_words(cues: tuple[Cue, ...], present: frozenset[str]) -> tuple[Cue, ...]:
    """Return those of some cues that have one of the words: of twenty most often one or two."""
    return tuple(cue for cue in cues if not cue.words.isdisjoint(present))


# A Latin name has up to three words, the later ones with a capital.
_LATIN = r"(?:[A-Za-z][\w.+#/@-]*(?:\s(?-i:[A-Z][\w.+#-]*)){0,2})"
_NAME = rf"(?:{_LATIN}|[\u4e00-\u9fff]{{2,8}}?)"
_PARTS = {
    "the": r"(?:the\s|our\s|an?\s)?",
    "new": rf"(?P<new>{_LATIN})",
    "old": rf"(?P<old>{_LATIN})",
    "any_new": rf"(?P<new>{_NAME})",
    "any_old": rf"(?P<old>{_NAME})",
    "end": (
        r"(?=\s*(?:$|[，,。.;；、:：（()）!！]|作为|来|做|实现|存|以|了|后|吧|\s[\u4e00-\u9fff]))"
    ),
    "start": "(?<![A-Za-z0-9])",
    "into": "(?:替换[成为]|换[成为到]|改[成为用到]|迁移[到至]|迁到|切换[到成]|切到|转[到向用])了?",
    "instead": "(?:替换|替代|代替|取代)",
}


def _cues(table: str) -> tuple[Cue, ...]:
    """Return the cues of a table: `words ~ pattern` per line, an indented line continues it.

    A blank in a pattern is any white space, and `{name}` one of _PARTS.
    """
    cues = []
    for line in table.strip().replace("\n    ", "").split("\n"):
        words, _, source = line.partition(" ~ ")
        filled = re.sub(r"\{([a-z_]+)\}", lambda part: _PARTS[part[1]], source)
        # Compiled on first use: all of them take a fifth of a second.
        pattern = lazy_pattern(filled.replace(" ", r"\s"), re.IGNORECASE)
        cues.append(Cue(frozenset(words.split("|")), pattern))
    return tuple(cues)


# `old` is given up, `new` taken up, `part` is what it is for.
REPLACED = _cues(r"""
replac ~ \breplac(?:e|ed|es|ing) {the}{old} (?:by|with) {the}{new}
from ~ \b(?:switch|migrat|mov|chang|convert|port)\w* (?:[\w-]+ ){0,4}?from {the}{old}
     (?:over )?to {the}{new}
replaced|superseded ~ \b{old} (?:was|is|has been|were|got) (?:now )?(?:replaced|superseded)
     (?:by|with) {the}{new}
replace|supersede ~ \b{new} (?:has )?(?:replace[sd]|supersede[sd]) {the}{old}(?! (?:by|with)\b)
favo| for  ~ \b(?:drop|dropp|abandon|retir|ditch|swap|remov)(?:ed|ping|ing|ped|e)? {the}{old}
     (?:in favou?r of|for) {the}{new}
instead|rather|in place ~ \b{new} (?:instead of|rather than|in place of) {the}{old}
把|将 ~ (?:把|将)\s*{any_old}\s*(?:都|全部|全)?\s*{into}\s*{any_new}{end}
从 ~ 从\s*{any_old}\s*(?:全部)?{into}\s*{any_new}{end}
换|改|迁|切|转 ~ {start}{old}\s*(?:已经?|都|全部)?{into}\s*{any_new}{end}
替|取代 ~ (?:用|以)\s*{any_new}\s*{instead}[了掉]?\s*{any_old}{end}
被 ~ {start}{old}\s*(?:已经?)?被\s*{any_new}\s*{instead}
不|弃|停用|放弃|别用|淘汰 ~ (?:不再使?用|不用|弃用|停用|放弃|废弃|别用|不要用|淘汰)了?\s*{any_old}
    \s*[，,]?\s*(?:而|并)?(?:改用|换成|而用|使用|换用|用)\s*{any_new}{end}
""")
GIVEN_UP = _cues(r"""
use|using|drop|abandon|retire|ditch|rid of|against|avoid ~ \b(?:no longer use|stopped using
    |do not use|don['’]t use|never use|drop(?:ped)?|abandon(?:ed)?|retired?|ditch(?:ed)?|got rid of
    |decided against|avoid)(?: using)? {the}{old}
不|弃|停用|别用|禁用|淘汰 ~ (?:不再使?用|不再采用|不用|弃用|停用|放弃|废弃|别用|不要用|不能用|禁用
    |淘汰)了?\s*{any_old}{end}
not  ~ ^not {old}$
""")
CHANGED_TO = _cues(r"""
switch|migrat ~ \b(?:switch|migrat)(?:ed|ing|e)? {the}(?P<part>(?:[\w-]+ ){1,3}?)
    (?:over )?to {new}
换|改|迁|切|转 ~ (?P<part>[\u4e00-\u9fff]{2,10}?)\s*(?:已经?|现在|全部|统一|都)?{into}\s*{new}
""")
TAKEN_UP = _cues(r"""
use|using|chose|choose|adopt|with|settled|picked|opted|prefer|standardi|back to|built|run ~ \b
    (?:use|using|uses|chose|choose|adopt(?:ed)?|go(?:ing)? with|went with|settled on|picked
    |opted for|prefers?|stick with|standardi[sz]ed? on|back to|built (?:on|with)|runs? on)
     {the}{new}
用|选|基于|换回 ~ (?:使用|采用|选用|选择了?|选定|改用|基于|沿用|换回
    |(?<![不别作费引应常专通信启停弃禁])用(?![户例途法于量时完]))\s*{new}
用|选定 ~ (?:采用|选用|使用|决定用|统一用|就用|选定)\s*(?P<new>[\u4e00-\u9fff]{2,8}?){end}
:|： ~ (?:数据库|缓存|队列|框架|存储|语言|前端|后端|工具)\s*[:：]\s*{new}
""")
CLAUSE = re.compile(
    r"[。；;!！?？\n]|[，,]\s*(?!改用|换成|而用|使用|换用|用\s|用[A-Za-z]|不用|不再|别用|而不是|而非"
    r"|改为|改成)|\.(?=\s|$)|——|\s-\s|\s(?:because|since|so that)\s|因为|由于|以便|[（(]",
    re.IGNORECASE,
)
# Not settled, or only for a part of the project.
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
# Words that are no names.
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
# The same in Chinese, which has no blanks between words.
FILLER = re.compile(
    r"使用|采用|选用|选择了?|选定|决定|改用|改[为成到]|换[成为到]|替换|替代|代替|取代|统一|不再|不用|现在|目前"
    r"|确定|最终|迁移[到至]?|迁到|切换[到成]|放弃|弃用|停用|淘汰|设置[为成]|定为|设[为成]|调整[到为]|调[到为成]"
    r"|项目|我们|已经?被?|全部|一律|基于|沿用|继续|[把将从用被了都就由]"
    r"|\b(?:after|before|during)\s.*$",
    re.IGNORECASE,
)

_WORDS = sorted(
    {word for cue in (*REPLACED, *GIVEN_UP, *CHANGED_TO, *TAKEN_UP) for word in cue.words}
)
