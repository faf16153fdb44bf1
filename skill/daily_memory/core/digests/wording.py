"""Words and lengths of sentences: terms, widths, and shortening."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from daily_memory.core.digests import cues
from daily_memory.core.phrases.saving import is_save_refused, is_save_requested
from daily_memory.core.search.characters import FOLDING

MAX_POINT_CHARS = 200
_BLANKS = re.compile(r"\s+")
_WIDE = re.compile("[\u2e80-\uffef]")
_IDEOGRAPHS = 0x3400
_SIMPLIFIED = {code: plain for code, plain in FOLDING.items() if min(code, plain) >= _IDEOGRAPHS}
_CLAUSE_END = re.compile(r"[，,;；:：、（()）—–]|\s-\s")
_TERM = re.compile(r"[a-z0-9_][a-z0-9_.-]{1,39}|[\u3400-\u9fff]+")
COMMON = frozenset(
    "the and for with that this from have has are was were will would can could should not but you "
    "your our their its it's is in on of to we be do does did an as at or if so by then than there "
    "what when which how why please need want let use using into about also now just one all any "
    "don me my they them he she been being because some more most "
    "let lets those these get got ok here".split()
)

_COMMON_HAN = frozenset(
    "我们 你们 他们 一个 这个 那个 可以 什么 怎么 如何 需要 然后 现在 没有 就是 还是 一下".split()
)


@lru_cache(maxsize=10_000)
def terms_of(text: str) -> frozenset[str]:
    """Return the words of a text, and pairs of Chinese characters, without common words."""
    return all_terms(text[: 4 * MAX_POINT_CHARS])


def all_terms(text: str) -> frozenset[str]:
    """Return the same for a text of any length."""
    found: set[str] = set()
    for match in _TERM.finditer(text.lower()):
        word = match[0]
        if word[0] < "\u3400":
            found.add(word.rstrip(".-"))
        else:
            found.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
    return frozenset(found - COMMON - _COMMON_HAN)


def has_terms(text: str, count: int) -> bool:
    return len(terms_of(text)) >= count


def word_count(terms: frozenset[str]) -> float:
    """Return about how many words some terms are: two of a Chinese word count once."""
    return len(terms) - sum(term[0] >= "\u3400" for term in terms) / 2


def shares_words(text: str, other: str, share: float) -> bool:
    """Tell whether another text has at least this share of a text's words."""
    terms = terms_of(text)
    return len(terms & terms_of(other)) >= share * len(terms)


def without_greeting(text: str) -> str:
    """Return a request without greetings and polite words."""
    return _stripped(text, cues.GREETING)


def without_lead(text: str) -> str:
    """Return a sentence without an opening such as "OK,"."""
    return _stripped(text, cues.LEAD)


def _stripped(text: str, cue: re.Pattern[str]) -> str:
    while lead := cue.match(text):
        text = text[lead.end() :]
    return text.strip()


def is_empty(text: str) -> bool:
    """Tell whether a text has only greetings, thanks and agreement."""
    return not any(map(str.isalnum, without_lead(without_greeting(text))))


def is_about_saving(text: str) -> bool:
    # A fact to remember ("remember that we use pnpm") is content; "save this" is not.
    return is_save_refused(text) or (len(text) < 25 and is_save_requested(text))


def shortened(text: str, max_chars: int) -> str:
    """Return the text, cut after a clause or word and marked with "…" if it is too long."""
    if len(text) <= max_chars:
        return text
    head = text[: max_chars - 1]
    ends = list(_CLAUSE_END.finditer(head))
    end = (ends[-1].end() if ends[-1][0] in ")）" else ends[-1].start()) if ends else 0
    # A Chinese clause of a third says enough, of an English one there should be more.
    is_enough = ends and end >= max_chars // (3 if ends[-1][0] > "\u2fff" else 2)
    end = end if is_enough else head.rfind(" ")
    head = head[:end] if end >= max_chars // 3 else head
    return head.rstrip() + "…"


def width(text: str) -> int:
    """Return the columns that a text takes on screen: a Chinese character is two.

    >>> width("换成 Redis")
    10
    """
    return len(text) + (0 if text.isascii() else len(_WIDE.findall(text)))


def max_item_length(lengths: Sequence[int], room: int) -> int:
    """Return the maximum length per item so that all fit into the room.

    >>> max_item_length([10, 50, 90], 90), max_item_length([10, 20], 90)
    (40, 20)
    """
    for place, length in enumerate(sorted(lengths)):
        share = room // (len(lengths) - place)
        if length > share:
            return share
        room -= length
    return max(lengths, default=0)


def simplified(text: str) -> str:
    """Return the text in simplified Chinese characters, one for one.

    >>> simplified("後端：用 Redis 快取")
    '后端：用 Redis 快取'
    """
    return text if text.isascii() else text.translate(_SIMPLIFIED)


def as_written(text: str, said: str) -> str:
    r"""Return a simplified text in its original characters, if `said` has it.

    >>> as_written("请阿伟处理…", "後端我\n請阿偉處理，週一前")
    '請阿偉處理…'
    """
    original = _BLANKS.sub(" ", said)
    told = text.removesuffix("…")
    at = simplified(original).find(told)
    return original[at : at + len(told)] + text[len(told) :] if at >= 0 else text
