"""Names what a session is about: its keywords for `keywords.json`, a topic, and tags."""

from __future__ import annotations

from daily_memory.core import fields, text
from daily_memory.core.stopwords import CHINESE
from daily_memory.core.synonyms import LONGEST, SYNONYMS
from daily_memory.model import Session

_TOPIC_CHARS = 60
_MOST_TAGS = 5
_LONGEST_TAG = 24
_SENTENCE_ENDS = "\n。！？!?；"
# Words that are in most notes of developers, and tell them apart least.
_USUAL = frozenset(
    """
    add added adds use used uses using fix fixed fixes make makes made change changed changes
    set sets get gets new old need needs want wants work works like also see run runs file files
    code line lines value values name names test tests thing things way one two user assistant
    true false none null return returns def class import self string list data type function
    first last time day today please thanks let yes problem now good
    """.split()
)


def keywords(session: Session) -> list[str]:
    """Return a word for every distinct term of a session, the most telling first.

    Words are as a person writes them, and `text.terms` of the list gives the terms again: an
    identifier stands for its parts, and a pair of Chinese characters for each of the two.
    """
    weights = fields.impacts(session)
    words = _spellings(session)
    held = {part for term in weights if len(term) > 1 and text.is_cjk(term) for part in term}
    kept = [term for term in weights if term not in held]
    ranked = sorted(kept, key=lambda term: (-_telling(term, weights[term]), term))
    return list(dict.fromkeys(words.get(term, term) for term in ranked))


def _spellings(session: Session) -> dict[str, str]:
    """Return for each term that is not Chinese a word that gives it: the shortest there is."""
    found: dict[str, str] = {}
    for unit in fields.units(session):
        for token in text.tokens(unit.text):
            if not text.is_cjk(token):
                _note_spelling(found, token)
    return found


def _note_spelling(found: dict[str, str], token: str) -> None:
    terms = text.word_terms(token)
    simple = token.lower() if len(terms) == 1 else token
    word = text.SPELLINGS.get(simple, simple)
    for term in terms:
        if term not in found or (len(word), word) < (len(found[term]), found[term]):
            found[term] = word


def _telling(term: str, weight: int) -> float:
    """Return how much a reader learns from a term."""
    if term in SYNONYMS:
        return weight * 1.5
    if text.is_cjk(term):
        return weight * (0.2 if any(character in CHINESE for character in term) else 1.0)
    if not any(character.isalpha() for character in term):
        return weight * 0.4
    return weight * (0.5 if term in _USUAL or len(term) < 3 else 1.0)


def suggest_topic(session: Session) -> str:
    """Return the first sentence that the session says, shortened; "" if it says nothing."""
    for unit in fields.units(session._replace(tags=())):
        first = _first_sentence(unit.text)
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


def suggest_tags(session: Session) -> tuple[str, ...]:
    """Return up to five words that name what the session is about, as they are written."""
    weights: dict[str, float] = {}
    for unit in fields.units(session._replace(tags=())):
        share = fields.FIELDS[unit.field].weight
        for word in _candidate_words(unit.text):
            weights[word] = weights.get(word, 0.0) + share * _tag_worth(word)
    ranked = sorted(weights, key=lambda word: (-weights[word], word))
    return tuple(_without_parts(ranked)[:_MOST_TAGS])


def _candidate_words(said: str) -> list[str]:
    found: list[str] = []
    for token in text.tokens(said):
        if text.is_cjk(token):
            found += _chinese_words(token)
        elif _is_tag(token):
            found.append(text.SPELLINGS.get(token.lower(), token.lower()))
    return found


def _is_tag(token: str) -> bool:
    """Tell whether a word can stand alone as a tag: not a number, a stop word or a long id."""
    lowered = token.lower()
    return (
        2 <= len(lowered) <= _LONGEST_TAG
        and any(character.isalpha() for character in lowered)
        and bool(text.word_terms(token))
        and lowered not in _USUAL
    )


def _tag_worth(word: str) -> float:
    """Return how well a word serves as a tag, before it is known how often it occurs."""
    if word in SYNONYMS:
        return 2.0
    if text.is_cjk(word):
        return 0.5
    return 0.7 if len(word) < 4 else 1.0


def _chinese_words(run: str) -> list[str]:
    """Return the runs of 2 to 4 characters that may be words.

    Known technical words count wherever they are; else what stands between grammar, if it is
    short enough to be one word.
    """
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
