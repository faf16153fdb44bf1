"""What a text must look like to answer a question, beside the words that they share."""

import re

from daily_memory.core.lazy_pattern import lazy_pattern

# All of it is matched against what `text.fold` returned: full-width signs are ASCII there.
_ASKS_FOR_NUMBER = lazy_pattern(
    r"""
      \b how \s+ (?: many | much | old | long | often | far | tall | high | big | large | fast ) \b
    | \b when \b
    | \b (?: what | which ) (?: \s+ (?: is | was ) )? (?: \s+ the )? \s+
      (?: year | date | day | month | time | number | percentage | amount | port | version | limit
        | size | ttl | timeout | price | cost | age ) \b
    | 多少 | 几(?! [乎何] ) | 何[时年月日] | 什么时[候间] | 哪[一]?[年月天日] | 年份 | 日期 | 端口
    | 多[长大高久远快重宽深]
    """,
    re.VERBOSE | re.IGNORECASE,
)
# One of these is in every such question. To compile the pattern takes longer than to look.
_HINTS = ("how", "wh", *"多几何什哪年日端")
_NUMBER_WORD = lazy_pattern(
    r"""
    \b (?: one | two | three | four | five | six | seven | eight | nine | ten | dozen | hundred
      | thousand | million | billion | once | twice | half | today | yesterday | tomorrow | last
      | ago | (?: week | month | year )s? | weekend
      | january | february | march | april | may | june | july | august | september | october
      | november | december
      | (?: mon | tues | wednes | thurs | fri | satur | sun )day ) \b
    | [一二三四五六七八九十百千万两]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DIGIT = lazy_pattern("[0-9]")
# The mark of an address with parameters asks nothing.
_ASKED = lazy_pattern(r"[^.!?。！\n]+\?(?![0-9A-Za-z_&=/.])")


def asks_for_number(folded: str) -> bool:
    """Tell whether only a number or a date can answer a question.

    >>> asks_for_number("缓存多久过期?"), asks_for_number("why is it slow?")
    (True, False)
    """
    lowered = folded.lower()
    return any(hint in lowered for hint in _HINTS) and bool(_ASKS_FOR_NUMBER.search(folded))


def number_share(folded: str) -> float:
    """Return 1 for a text with a number in digits, a half for one in words, 0 for any other.

    >>> number_share("TTL 300 秒"), number_share("last week"), number_share("a cache")
    (1.0, 0.5, 0.0)
    """
    if _DIGIT.search(folded):
        return 1.0
    return 0.5 if _NUMBER_WORD.search(folded) else 0.0


def asking_share(folded: str) -> float:
    """Return how much of a text asks instead of telling, 0..1.

    >>> asking_share("How long?"), asking_share("GET /a?b=1")
    (1.0, 0.0)
    """
    if "?" not in folded:
        return 0.0
    return sum(map(len, _ASKED.findall(folded))) / len(folded)
