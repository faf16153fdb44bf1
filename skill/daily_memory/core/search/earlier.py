"""Questions about earlier work: "上次我们说的", "what did we decide last time?"."""

from __future__ import annotations

import re

from daily_memory.core.lazy_pattern import lazy_pattern

# After another word, "之前" is a time in the task, "上次" a thing in it: 部署之前, 撤销上次的提交.
_EARLIER = lazy_pattern(
    r"(?:^|(?<=[\W我们們你咱是跟])|(?<=[记記]得))(?:之前|上一?次|上回)|[还還][记記]得"
    r"|我[们們](?:讨论|討論|聊|说|說|决定|決定|商量)[过過的]|以前(?:说|說|做|讨论|討論)"
    r"|昨天(?:说|說|做|讨论|討論|的)"
    r"|\blast time\b|\bpreviously\b|\bearlier\b|\bdo you remember\b|\bremember when\b"
    r"|\bwe (?:discussed|decided|talked about|agreed)\b|\bdid we (?:discuss|decide|agree)\b",
    re.IGNORECASE,
)
# One of these is in every such question. To compile the pattern takes longer than to look.
_HINTS = ("last time", "previous", "earlier", "remember", "we ", *"前次回记記们們昨")


def is_about_earlier(question: str) -> bool:
    """Tell whether a question is about what was said or done before.

    >>> is_about_earlier("上次我们讨论的分页方案是什么"), is_about_earlier("部署之前要跑测试")
    (True, False)
    """
    return _may_be(question) and bool(_EARLIER.search(question))


def without_reference(question: str) -> str:
    """Return what a question asks about, without the words that refer to earlier work.

    >>> without_reference("还记得我们讨论过的分页方案吗"), without_reference("previously")
    ('  的分页方案吗', 'previously')
    """
    left = _EARLIER.sub(" ", question) if _may_be(question) else question
    return left if left.strip() else question


def _may_be(question: str) -> bool:
    lowered = question.lower()
    return any(hint in lowered for hint in _HINTS)
