"""Compares statements: do two say the same, or does one name or deny something else?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from daily_memory.core.digests.wording import (
    COMMON,
    MAX_POINT_CHARS,
    shares_words,
    simplified,
    terms_of,
)

_ALIKE = 0.7
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[a-z0-9_][a-z0-9_.+#-]*|[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+#-]*")
_NAME = re.compile(r"[A-Za-z_]*[\d_][\w.]*|\w*[a-z][A-Z]\w*|(?<=[\w,;:)`]\s)[A-Z]\w*")
_DENIAL = re.compile(r"[不没别未无勿]|\b(?:no|not|never|without)\b|n['’]t\b")
# More words than these in one place are another way to say it.
_MOST_REPLACED = 4


def repeats(text: str, other: str, share: float = _ALIKE) -> bool:
    """Tell whether a text adds little to another one."""
    return shares_words(text, other, share) and not adds(text, other)


def adds(text: str, other: str) -> bool:
    """Tell whether a text names or denies something that another one doesn't.

    >>> adds("keep it for 5 s", "keep it for 3 s"), adds("keep it", "keep it for 3 s")
    (True, False)
    """
    return not _telling(text) <= _telling(other) | terms_of(other) or is_replaced(text, other)


@lru_cache(maxsize=10_000)
def _telling(text: str) -> frozenset[str]:
    """Return the numbers, identifiers, names and denials of a text; in Chinese, Latin is a name."""
    plain = simplified(text[: 4 * MAX_POINT_CHARS])
    names = _LATIN if _HAN.search(plain) else _NAME
    found = {match[0].lower().rstrip(".-") for match in names.finditer(plain)} - COMMON
    return frozenset(
        found.union("not" if one[-1] == "t" else one for one in _DENIAL.findall(plain))
    )


def is_replaced(text: str, other: str) -> bool:
    """Tell whether two texts differ in one place only, with a word of their own each.

    >>> is_replaced("keep it in redis", "keep it in postgres")
    True
    """
    words, others = _words(text), _words(other)
    begin = _shared(words, others)
    words, others = words[begin:], others[begin:]
    end = _shared(words[::-1], others[::-1])
    put, gone = words[: len(words) - end], others[: len(others) - end]
    if not (put and gone and max(len(put), len(gone)) <= min(begin + end, _MOST_REPLACED)):
        return False
    if COMMON.issuperset((*put, *gone)):
        return False
    # "Secs" and "seconds" say the same.
    return not all(map(_is_form, put, gone)) or len(put) != len(gone)


def _is_form(word: str, other: str) -> bool:
    return (
        word.isascii() and word.isalpha() and 2 * _shared(word, other) > min(len(word), len(other))
    )


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _words(text: str) -> list[str]:
    return _WORD.findall(simplified(text[: 4 * MAX_POINT_CHARS]).lower())
