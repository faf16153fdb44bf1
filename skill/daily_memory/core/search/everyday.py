"""What is an order, and what asks or names a subject.

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
# A Chinese order says what to do with something, asks for it, or bids do it again.
_BIDS = lazy_pattern(r"把|给|帮(?!助)|请(?!求)|让|再|吧|一下|遍")


def is_order(message: str) -> bool:
    """Tell whether a message gives an order, instead of asking something or naming a subject.

    An English order begins with an everyday verb, or with one that has an object: "rename the key".

    >>> [is_order(message) for message in ("fix failing tests", "How long are logs kept?")]
    [True, False]
    >>> [is_order(message) for message in ("跑一下测试", "登录失败的原因")]
    [True, False]
    """
    folded = text.fold(message)
    if _REQUEST.search(folded):
        folded = folded.rstrip("? \n")
    if _ASKS.search(folded) or _DENIES.search(message) or answer_shape.asks_for_number(folded):
        return False
    first, second, *_ = *text.folded_tokens(folded.lower()), "", ""
    # Before a Chinese word it is a name: "test 环境".
    is_english = (first in USUAL or text.is_stop_word(first)) and not text.is_cjk(second)
    return is_english or second in _OBJECTS or bool(_BIDS.search(folded))
