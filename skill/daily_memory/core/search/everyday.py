"""Words of everyday work: they are in the notes of any project, and tell little of one.

"Fix the typo in the README" is an order like any other, whatever the memory has on typos; "fix the
typo in the Redis guide" may have to do with what it has on Redis.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search import answer_shape, text
from daily_memory.core.search.glossary import is_common
from daily_memory.core.search.stopwords import CHINESE, GENERAL

# Words that are in most notes of developers, and tell them apart least.
USUAL = frozenset(
    """
    add added adds use used uses using fix fixed fixes make makes made change changed changes
    set sets get gets new old need needs want wants work works like also see run runs file files
    code line lines value values name names test tests thing things way one two user assistant
    true false none null return returns def class import self string list data type function
    first last time day today please thanks let yes problem now good
    ask asked help great okay nice sure need needed something anything nothing everything someone
    pick put keep kept still back done using never always maybe really actually already instead
    however because without within every each both either other another next step steps part parts
    remove removed removes move moved replace replaced create created build built check checked
    update updated updates delete deleted open close read write start stop wait try call called
    left right true big small long short bit lot number end start whole able best better worst most
    least less many much few own seems seem looks look show shows shown think know knows
    src hour hours minute minutes second seconds week weeks month months monday tuesday wednesday
    january february march april june july august september october november december
    thursday friday saturday sunday today tomorrow question questions answer mb gb kb tb ms
    http https www com org net html gt lt nbsp amp ok null undefined
    """.split()
)
# Options and joined names, such as auth.py, are of one project, whatever words they are made of.
_NAME = lazy_pattern(r"(?<![\w-])--[a-z][\w-]+|[A-Za-z0-9-]+(?:[_.:][A-Za-z0-9-]+)+")
_MOST_IN_PASSING = 1
# A closed class of words, too: what points at something that is before one's eyes, not remembered.
_HERE = lazy_pattern(r"\b(?:this|these|those|here|it)\b|这|刚才|刚刚|一下", re.IGNORECASE)
# A request has the mark of a question, and asks for nothing that is known.
# "Can you" and "do the same" do not ask.
_REQUEST = lazy_pattern(r"^\W*(?:can|could|would|will) you\b", re.IGNORECASE)
# A closed class of words: what asks, in a place where it asks.
_VERB = "did|does|is|are|was|were|should|(?:do|can) (?:we|i|they)|do you"
_ASKS = lazy_pattern(
    rf"\?\s*$|^\W*(?:how|what|which|when|where|who|why|{_VERB})\b"
    rf"|\b(?:how|what|where|why) (?:to|{_VERB})\b"
    r"|什么|怎么|怎样|如何|哪|多少|多久|多长|几|为何|是否|有没有|吗|呢",
    re.IGNORECASE,
)
# In Chinese orders for measure: 加个, 跑一下, 改一点, 再来一遍.
_MEASURES = frozenset("个下点些遍次")
_GENERAL_STEMS = frozenset(map(text.stem, USUAL | GENERAL))


def telling_terms(question: str) -> frozenset[str]:
    """Return the terms of a question that are more than everyday words, and words of the trade.

    >>> sorted(telling_terms("fix the typo in the README")), sorted(telling_terms("修一下测试"))
    ([], [])
    >>> sorted(telling_terms("修复 Redis 的海报测试"))
    ['redi', '海报']
    """
    folded = text.fold(question)
    telling = {term for name in _NAME.findall(folded) for term in text.terms(name)}
    for token in text.folded_tokens(folded):
        telling.update(_telling_pairs(token) if text.is_cjk(token) else _telling_words(token))
    is_named = len(telling) > 1 or not _HERE.search(folded)
    return frozenset(telling if is_named else ())


def _telling_words(token: str) -> Iterator[str]:
    for term in text.word_terms(token):
        if len(term) > 1 and term not in _GENERAL_STEMS and not is_common(term):
            yield term


def _telling_pairs(run: str) -> Iterator[str]:
    """Yield the pairs of a run that are no common word, nor a part of one."""
    pairs = text.run_pairs(run)
    common = [is_common(pair) for pair in pairs]
    for at, pair in enumerate(pairs):
        if CHINESE.isdisjoint(pair) and not any(common[max(0, at - 1) : at + 2]):
            yield pair


def is_order(message: str) -> bool:
    """Tell whether a message gives an order, instead of asking something or naming a subject.

    An order has words of grammar or everyday ones; what only names a subject has none.

    >>> [is_order(message) for message in ("fix the failing test", "How long are logs kept?")]
    [True, False]
    >>> [is_order(message) for message in ("跑一下测试", "连接池 等待")]
    [True, False]
    """
    folded = text.fold(message)
    if _REQUEST.search(folded):
        folded = folded.rstrip("? \n")
    if _ASKS.search(folded) or answer_shape.asks_for_number(folded):
        return False
    return any(
        not CHINESE.union(_MEASURES).isdisjoint(token)
        if text.is_cjk(token)
        else text.is_stop_word(token.lower()) or text.stem(token.lower()) in _GENERAL_STEMS
        for token in text.folded_tokens(folded)
    )


def is_about(words: Collection[str], telling: frozenset[str], subject: str) -> bool:
    """Tell whether a text with these words of an order has more than everyday words of it.

    `telling` are the order's `telling_terms`. One telling word may be said in passing: it has to be
    in the `subject` of the text, or come with another word of the order.

    >>> is_about(["favicon"], telling_terms("resize the favicon"), "Favicon: two sizes")
    True
    >>> is_about(["favicon"], telling_terms("resize the favicon"), "Header")
    False
    """
    shared = telling.intersection(term for word in words for term in text.terms(word))
    if not shared:
        return False
    return (_count(shared) > 1 or _count(words) > _MOST_IN_PASSING) or not shared.isdisjoint(
        text.terms(subject)
    )


def _count(words: Collection[str]) -> int:
    """Return how many words these are; a Chinese one of two or three characters is its pairs."""
    pairs = sum(len(word) > 1 and CHINESE.isdisjoint(word) for word in words if text.is_cjk(word))
    return sum(not text.is_cjk(word) for word in words) + (pairs + 1) // 2
