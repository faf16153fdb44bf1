"""What is an order, what asks, and what names a subject.

"Fix the failing test" shares words with the notes of any project, and asks for nothing.
"""

from __future__ import annotations

import re

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search import answer_shape, text
from daily_memory.core.search.stopwords import USUAL

# A request has the mark of a question, and asks for nothing that is known.
# "Can you" and "do the same" do not ask.
_REQUEST = lazy_pattern(r"^\W*(?:can|could|would|will) you\b", re.IGNORECASE)
# A closed class of words: what asks, in a place where it asks. 会不会 asks, 能不能 requests.
_VERB = "did|does|is|are|was|were|should|(?:do|can) (?:we|i|they)|do you"
_ASKS = lazy_pattern(
    rf"\?\s*$|^\W*(?:how|what|which|when|where|who|why|{_VERB})\b"
    rf"|\b(?:how|what|where|why) (?:to|{_VERB})\b"
    r"|什么|怎么|怎样|如何|哪|谁|多少|多久|多长|几|为何|是否|有没有|吗|呢|([^能])不\1",
    re.IGNORECASE,
)
# What does not work is told, and remembered: "can't find variable x". An order says "don't".
_DENIES = lazy_pattern(
    r"\b(?:not|no|cannot|(?:can|wo|is|are|was|were|does|did|has|have|could|would)n?['’]t)\b",
    re.IGNORECASE,
)
# What an English order is about, behind its verb.
_OBJECTS = frozenset(
    "a an all any each every it its my our some that the them these this those your".split()
)
# What points at the conversation itself: at who is spoken to, and at what was just shown.
_POINTS = lazy_pattern(r"\b(?:you|your|this|these|here)\b|[你您这]|刚才", re.IGNORECASE)
_NAME_CHARACTERS = 4
# A Chinese order says what to do with something, asks for it, or bids do it again.
_BIDS = lazy_pattern(r"把|给|帮(?!助)|请(?!求)|让|再|吧|一下|遍")


def asks(message: str) -> bool:
    """Tell whether a message asks something, instead of requesting, stating or naming it.

    >>> [asks(message) for message in ("日志保留多久", "can you fix it?", "git init")]
    [True, False, False]
    """
    folded = _without_mark(message)
    return bool(_ASKS.search(folded)) or answer_shape.asks_for_number(folded)


def points(message: str) -> bool:
    """Tell whether a message points at the conversation itself, which may have the answer.

    >>> points("what files did you change?"), points("where do we load the config?")
    (True, False)
    """
    return bool(_POINTS.search(text.fold(message)))


def is_name(message: str) -> bool:
    """Tell whether a message is a lone word, in Chinese one or two, which names a subject.

    >>> [is_name(message) for message in ("pagination", "缓存方案", "git init", "增加一个动画")]
    [True, True, False, False]
    """
    word, *others = text.tokens(message) or [""]
    return not others and (len(word) <= _NAME_CHARACTERS or not text.is_cjk(word))


def is_order(message: str) -> bool:
    """Tell whether a message gives an order, instead of asking something or naming a subject.

    An English order begins with an everyday verb, or with one that has an object: "rename the key".
    A number or a letter alone picks from what was offered.

    >>> [is_order(message) for message in ("fix failing tests", "How long are logs kept?")]
    [True, False]
    >>> [is_order(message) for message in ("跑一下测试", "登录失败的原因")]
    [True, False]
    """
    if asks(message) or _DENIES.search(message):
        return False
    folded = _without_mark(message)
    tokens = text.folded_tokens(folded.lower())
    if tokens and all(len(token) == 1 or token.isdecimal() for token in tokens):
        return True
    first, second, *_ = *tokens, "", ""
    # Before a Chinese word it is a name: "test 环境".
    is_english = (first in USUAL or text.is_stop_word(first)) and not text.is_cjk(second)
    return is_english or second in _OBJECTS or bool(_BIDS.search(folded))


def _without_mark(message: str) -> str:
    """Return a message as `text.fold` does, a request without the mark of a question."""
    folded = text.fold(message)
    return folded.rstrip("? \n") if _REQUEST.search(folded) else folded
