"""Names what a session is about: its keywords for `keywords.json`, a topic, and tags."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search import fields, text
from daily_memory.core.search.fields import FieldReading
from daily_memory.core.search.stopwords import CHINESE, GENERAL, USUAL
from daily_memory.core.search.synonyms import LONGEST, SYNONYMS
from daily_memory.model import FLAG_TAGS, Session

_TOPIC_CHARS = 60
# So many tell a person what a session is about. Its other words are in the lookup cache.
_MOST_KEYWORDS = 16
# How many of the heaviest terms are weighed once more, by how telling they are.
_MOST_WEIGHED = 40
_MOST_TAGS = 5
_LONGEST_TAG = 24
_FEW_CHARS = 400
# Shorter words are mostly abbreviations, or names of variables.
_SHORT_TAG = 4
_INFLECTED = ("ed", "ing", "ly")
_MOST_PLACES = 50
_SENTENCE_ENDS = "\n。！？!?；"
# Addresses, colors, endings of file names and options hold letters, but no words.
_NO_WORDS = lazy_pattern(
    r"""
      (?i: (?:https?|ftp)://|\bwww\.) [^\s<>"'）)，。]+ | \#[0-9A-Fa-f]{3,8}\b
    | \b0[Xx][0-9A-Fa-f]+\b | \b(?=[0-9A-Fa-f]{6,40}\b)(?=[A-Fa-f]{0,39}[0-9])[0-9A-Fa-f]+\b
    | (?<=\w)\.[A-Za-z]{1,4}\d?\b
    | \B--?[A-Za-z][\w-]*
    """,
    re.VERBOSE,
)
# 28s, 2.3mb, 1x, v2, p99: a number with a letter or two.
_MEASURE = lazy_pattern(r"[a-z]{0,2}\d[\d._]*[a-z]{0,3}")


def keywords(session: Session, reading: FieldReading | None = None) -> list[str]:
    """Return the words that tell most about a session, the most telling first.

    `reading` is that of the session, where it is known. Words are as a person writes them; a
    character that is part of a pair is left out.
    """
    tokens, _, weights = reading or fields.read(session)
    kept = _heaviest(weights)
    telling = sorted(kept, key=lambda term: -_telling(term) * weights[term])[:_MOST_KEYWORDS]
    words = _spellings(set(chain.from_iterable(tokens)), set(telling))
    return list(dict.fromkeys(words.get(term, term) for term in telling))


def _heaviest(weights: Mapping[str, int]) -> list[str]:
    """Return the heaviest terms; those that weigh the same in the order of their letters."""
    of_weight: dict[int, list[str]] = {}
    for term, weight in weights.items():
        of_weight.setdefault(weight, []).append(term)
    pairs = "".join([term for term in weights if len(term) == 2 and term >= text.FIRST_CJK])
    kept: list[str] = []
    for weight in sorted(of_weight, reverse=True):
        if len(kept) < _MOST_WEIGHED:  # most terms weigh little, and need not be sorted
            alike = sorted(of_weight[weight])
            kept += [term for term in alike if len(term) > 1 or term not in pairs]
    return kept[:_MOST_WEIGHED]


def _spellings(tokens: set[str], terms: set[str]) -> dict[str, str]:
    """Return for each of some terms that is not Chinese the shortest word that gives it."""
    found: dict[str, str] = {}
    words, is_unknown = text.MEMO, terms.isdisjoint
    for token in tokens:
        if token < text.FIRST_CJK and not is_unknown(words[token]):
            _note_spelling(found, token)
    return found


def _note_spelling(found: dict[str, str], token: str) -> None:
    terms = text.word_terms(token)
    simple = token.lower() if len(terms) == 1 else token
    word = text.SPELLINGS.get(simple, simple)
    for term in terms:
        if term not in found or (len(word), word) < (len(found[term]), found[term]):
            found[term] = word


@lru_cache(maxsize=20_000)
def _telling(term: str) -> float:
    """Return how much a reader learns from a term."""
    if term in SYNONYMS:
        return 1.5
    if text.is_cjk(term):
        return 1.0 if CHINESE.isdisjoint(term) else 0.2
    if not any(map(str.isalpha, term)):
        return 0.4
    return 0.5 if term in USUAL or len(term) < 3 else 1.0


def suggest_topic(session: Session) -> str:
    """Return the first sentence that the session says, shortened; "" if it says nothing."""
    for _, statement in fields.units(session._replace(tags=())):
        first = _first_sentence(statement)
        if first:
            return first
    return ""


def _first_sentence(said: str) -> str:
    said = said.strip().lstrip("#>*-+ \t")
    ends = [at for end in (*_SENTENCE_ENDS, ". ") if (at := said.find(end)) > 0]
    return _shortened(" ".join(said[: min(ends, default=len(said))].split()))


def _shortened(said: str) -> str:
    if len(said) <= _TOPIC_CHARS:
        return said.rstrip(".")
    cut = said[: _TOPIC_CHARS - 1]
    head, space, _ = cut.rpartition(" ")
    return f"{head if space and len(head) > _TOPIC_CHARS // 2 else cut}…"


def suggest_tags(session: Session, *, said: str = "") -> tuple[str, ...]:
    """Return up to five words that name what the session is about, as they are written.

    Where `said` gives the whole text that the session was made from, a word has to be a known
    technical one, or to stand there more than once, and as a word: see `_is_word_of`.
    """
    return tuple(_without_parts(without_flags(_ranked_words(session, said)))[:_MOST_TAGS])


def without_flags(words: Iterable[str]) -> list[str]:
    """Return the words that can be automatic tags: none of them sets a flag."""
    return [word for word in words if word.casefold() not in FLAG_TAGS]


def _ranked_words(session: Session, said: str) -> list[str]:
    weights: dict[str, float] = defaultdict(float)
    units = fields.units(session._replace(tags=()))
    for field, statement in units:
        share = fields.FIELDS[field].weight
        for word in _candidate_words(_NO_WORDS.sub(" ", statement)):
            weights[word] += share * _tag_worth(word)
    own = "\n".join(dict.fromkeys(statement for _, statement in units))
    folded = text.fold(_NO_WORDS.sub(" ", said or own))
    is_word = _is_word_of if said else _is_unit_of
    weights = {word: weight for word, weight in weights.items() if is_word(word, folded)}
    return sorted(weights, key=lambda word: (-weights[word], word))


def _is_word_of(word: str, said: str) -> bool:
    """Tell whether a word is one in a text, and not a piece of another or of its grammar.

    A piece of Chinese is a word where it has more than one neighbour on either side (accessor
    variety: Feng and others, Computational Linguistics 30(1), 2004).
    """
    if word in SYNONYMS:
        return True
    if text.is_cjk(word):
        return all(len(set(side)) > 1 for side in _neighbours(word, said))
    if len(said) <= _FEW_CHARS:
        return True
    if len(word) < _SHORT_TAG:
        return word.upper() in said  # an abbreviation
    is_form = word.endswith(_INFLECTED) and "_" not in word
    return not is_form and len(_neighbours(word, said.lower())[0]) > 1


def _is_unit_of(word: str, prose: str) -> bool:
    """Tell whether a word is one where little is written: it may also stand by itself only once."""
    if word in SYNONYMS or not text.is_cjk(word):
        return True
    pairs = zip(*_neighbours(word, prose), strict=True)
    is_alone = any(not any(map(text.is_cjk, pair)) for pair in pairs)
    return is_alone or _is_word_of(word, prose)


def _neighbours(word: str, said: str) -> tuple[list[str], list[str]]:
    """Return the characters before and after a word, wherever it stands by itself."""
    before: list[str] = []
    after: list[str] = []
    at = said.find(word)
    while at >= 0 and len(before) < _MOST_PLACES:
        left, right = said[:at][-1:], said[at + len(word) :][:1]
        is_whole = text.is_cjk(word) or not (_is_latin(left) or _is_latin(right))
        if is_whole:
            before.append(left if text.is_cjk(left) else f"{at}")
            after.append(right if text.is_cjk(right) else f"{at}")
        at = said.find(word, at + 1)
    return before, after


def _is_latin(character: str) -> bool:
    return character.isalnum() and not text.is_cjk(character)


def _candidate_words(said: str) -> list[str]:
    found: list[str] = []
    for token in text.tokens(said):
        if text.is_cjk(token):
            found += _chinese_words(token)
        elif _is_tag(token):
            found.append(text.SPELLINGS.get(token.lower(), token.lower()))
    return found


def _is_tag(token: str) -> bool:
    lowered = token.lower()
    return (
        2 <= len(lowered) <= _LONGEST_TAG
        and any(character.isalpha() for character in lowered)
        and bool(text.word_terms(token))
        and lowered not in USUAL
        and lowered not in GENERAL
        and not _MEASURE.fullmatch(lowered)
    )


def _tag_worth(word: str) -> float:
    """Return how well a word serves as a tag, before it is known how often it occurs."""
    if word in SYNONYMS:
        return 2.0
    if text.is_cjk(word):
        return 0.5
    return 0.7 if len(word) < 4 else 1.0


def _chinese_words(run: str) -> list[str]:
    """Return the runs of 2 to 4 characters that may be words."""
    known = [
        run[at : at + size]
        for size in range(2, LONGEST + 1)
        for at in range(len(run) - size + 1)
        if run[at : at + size] in SYNONYMS
    ]
    pieces = "".join(" " if character in CHINESE else character for character in run).split()
    whole = [piece for piece in pieces if 2 <= len(piece) <= LONGEST and piece not in known]
    return known + [piece for piece in whole if not any(word in piece for word in known)]


def _without_parts(ranked: list[str]) -> list[str]:
    """Return the words without those that a better one holds, or that hold a better one."""
    kept: list[str] = []
    for word in ranked:
        if not any(word in other or other in word for other in kept if len(other) > 2):
            kept.append(word)
    return kept
