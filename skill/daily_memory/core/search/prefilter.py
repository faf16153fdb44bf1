"""Which of many raw texts may answer a question: those that have words of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from daily_memory.core.search import text
from daily_memory.core.search.characters import FOLDING
from daily_memory.core.search.stopwords import CHINESE, GENERAL

_FIRST_HAN = 0x3400


def needles(question: str) -> tuple[str, ...]:
    """Return what to look for in a folded text in small letters: stems, and Chinese pairs.

    >>> needles("how do we deploy the caches? 部署缓存")
    ('deploy', 'cach', '部署', '署缓', '缓存')
    """
    found: dict[str, None] = {}
    for token in text.tokens(question):
        if text.is_cjk(token):
            pairs = text.run_pairs(token) or [token]
            found.update(dict.fromkeys(pair for pair in pairs if not _is_grammar(pair)))
        elif token.lower() not in GENERAL:
            # "Happi" is the stem of "happy", which does not have it.
            found.update(dict.fromkeys(term.rstrip("i") for term in text.word_terms(token)))
    return tuple(one for one in found if one)


def _is_grammar(pair: str) -> bool:
    return all(character in CHINESE for character in pair)


def shares(wanted: Iterable[str], texts: Iterable[str]) -> list[float]:
    """Return how much of what is wanted each text has, 0..1: what few texts have counts more."""
    names = {name: re.compile(_spelled(name)) for name in wanted}
    held = [frozenset(_held(names, one.lower())) for one in texts]
    counts = Counter(name for one in held for name in one)
    weights = {name: 1 / (1 + counts[name]) ** 0.5 for name in names}
    whole = sum(weights.values())
    return [sum(weights[name] for name in one) / whole if whole else 0.0 for one in held]


def _held(names: Mapping[str, re.Pattern[str]], said: str) -> Iterator[str]:
    return (name for name, spelled in names.items() if spelled.search(said))


def _spelled(name: str) -> str:
    """Return a pattern of a needle with all that is folded into its characters."""
    if name.isascii():
        return re.escape(name)
    return "".join(f"[{character}{_variants().get(character, '')}]" for character in name)


@lru_cache(maxsize=1)
def _variants() -> dict[str, str]:
    """Return which characters are written instead of each, such as traditional ones."""
    found: dict[str, str] = {}
    for code, plain in FOLDING.items():
        if isinstance(plain, int) and code >= _FIRST_HAN:
            found[chr(plain)] = found.get(chr(plain), "") + chr(code)
    return found
