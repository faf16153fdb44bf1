"""Which of many raw texts may answer a question: those that have words of it, or translations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product

from daily_memory.core.search import text
from daily_memory.core.search.characters import FOLDING
from daily_memory.core.search.stopwords import GENERAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.search.translation import Dictionary

_FIRST_HAN = 0x3400
_HAN = re.compile("[\u3400-\u9fff]")


def needles(question: str) -> tuple[str, ...]:
    """Return what to look for in a folded text in small letters: stems, and Chinese pairs.

    >>> needles("how do we deploy the caches? 部署缓存")
    ('deploy', 'cach', '部署', '署缓', '缓存')
    """
    found: dict[str, None] = {}
    for token in text.tokens(question):
        if text.is_cjk(token):
            pairs = text.run_pairs(token) or [token]
            found.update(dict.fromkeys(pair for pair in pairs if not text.is_grammar(pair)))
        elif token.lower() not in GENERAL:
            found.update(dict.fromkeys(text.word_terms(token)))
    return tuple(found)


def shares(wanted: Iterable[str], texts: Iterable[str]) -> list[float]:
    """Return how much of what is wanted each text has, 0..1: what few texts have counts more."""
    return _shares(wanted, RawTexts(texts))


def likely(
    question: str, raw: RawTexts, dictionaries: Callable[[], Sequence[Dictionary]]
) -> list[float]:
    """Return how much of a question each text has, 0..1, in its words or in the other language.

    `dictionaries` is called where a text may be in the other language.
    """
    own = _shares(needles(question), raw)
    # A Chinese text most often has Latin words too: only an English question may do without.
    if not raw.chinese and not text.is_mainly_chinese(question):
        return own
    across = _translated_shares(question, raw, dictionaries())
    return list(map(max, own, across))


def _shares(terms: Iterable[str], raw: RawTexts) -> list[float]:
    places = {name: raw.places(name) for name in terms}
    weights = {name: 1 / (1 + len(places[name])) ** 0.5 for name in places}
    whole = sum(weights.values()) or 1.0
    return [
        sum(weight for name, weight in weights.items() if place in places[name]) / whole
        for place in range(raw.count)
    ]


def _translated_shares(
    question: str, raw: RawTexts, dictionaries: Sequence[Dictionary]
) -> list[float]:
    # Loaded here: a hook that has an answer does without.
    from daily_memory.core.search import translation
    from daily_memory.core.search.matching import worth

    query = translation.read(question, raw, dictionaries).query
    found = [raw.places(term.term) for term in query.terms]
    held = [{n: 1.0 for n, places in enumerate(found) if at in places} for at in range(raw.count)]
    return [worth(each, (), query.concepts) / query.mass if each else 0.0 for each in held]


class RawTexts:
    """Texts that nobody has cut into words: a term is in a text if its letters are."""

    average_lengths = ()

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [each.lower() for each in texts]
        self._places: dict[str, frozenset[int]] = {}
        self.count = len(self._texts)
        self.chinese = frozenset(
            place
            for place, each in enumerate(self._texts)
            if not each.isascii() and _HAN.search(each)
        )

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return {term: count for term in terms if (count := len(self.places(term)))}

    def places(self, term: str) -> frozenset[int]:
        """Return which of the texts have a term."""
        if term not in self._places:
            spellings = _spellings(term)
            among = self.chinese if text.is_cjk(term) else range(self.count)
            self._places[term] = frozenset(
                place
                for place in among
                if any(spelling in self._texts[place] for spelling in spellings)
            )
        return self._places[term]


def _spellings(term: str) -> list[str]:
    """Return a term with all that is folded into its characters."""
    if term.isascii():
        # "Happi" is the stem of "happy", which does not have it.
        return [term.rstrip("i") or term]
    written = (each + _variants().get(each, "") for each in term)
    return list(map("".join, product(*written)))


@lru_cache(maxsize=1)
def _variants() -> dict[str, str]:
    """Return which characters are written instead of each, such as traditional ones."""
    found: dict[str, str] = {}
    for code, plain in FOLDING.items():
        if isinstance(plain, int) and code >= _FIRST_HAN:
            found[chr(plain)] = found.get(chr(plain), "") + chr(code)
    return found
