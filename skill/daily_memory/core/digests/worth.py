"""What a sentence is worth to a reader of the digest: one number, the sum of what speaks for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from daily_memory.core.digests import cues, reply_cues
from daily_memory.core.digests.sentences import (
    ASIDE,
    CHOICE,
    DECISION,
    NEXT,
    POINT,
    QUESTION,
    RESULT,
    Sentence,
)
from daily_memory.core.digests.wording import MAX_POINT_CHARS, terms_of, without_filler
from daily_memory.core.search.synonyms import SYNONYMS

_LEAST_OF_DECISION = 3.0
# What an answer begins with is what it comes to.
_LEAD = 0.6
_BY_POSITION = 1.5
_SAYS_SO = (cues.DECIDED, cues.USER_DECIDES, cues.DIRECTS, reply_cues.TAKES)
_LATIN = re.compile(r"[A-Za-z]{2}|\d")


class Whole(NamedTuple):
    """What a sentence is weighed against."""

    last: int  # the number of the last message
    asked: frozenset[str]  # words of the user
    frequent: frozenset[str]  # words that the conversation comes back to
    is_technical: bool
    diagnosis: int  # the number of the first message that explains something


def whole_of(found: Sequence[Sentence], last: int) -> Whole:
    counts = Counter(term for sentence in found for term in terms_of(sentence.text))
    technical = sum(_is_technical(sentence.text) for sentence in found)
    return Whole(
        last,
        frozenset(term for one in found if one.role == "user" for term in terms_of(one.text)),
        frozenset(term for term, count in counts.items() if count > 2),
        10 * technical >= 4 * len(found),
        _diagnosis(found),
    )


def _diagnosis(found: Sequence[Sentence]) -> int:
    """Return the first message of the assistant that says more than what it is about to do."""
    telling = 0
    for one in found:
        telling = telling if one.place else 0
        if one.role == "assistant" and len(terms_of(one.text)) > 3:
            telling += not cues.NARRATION.match(one.text)
        if telling > 1:
            return one.message
    return -1


def score_of(kind: str, sentence: Sentence, terms: frozenset[str], whole: Whole) -> float:
    text = without_filler(sentence.text)
    is_user = sentence.role == "user"
    score = {POINT: 0.0, DECISION: 2.6, QUESTION: 2.4, NEXT: 2.4}[kind]
    score += _cue_score(text) + _section_score(sentence) + _place_score(sentence, whole.last)
    score += _LEAD * (sentence.message == whole.diagnosis and sentence.place < 3)
    score += 0.5 * bool(cues.EXACT.search(text)) + 0.3 * bool(cues.MEASURED.search(text))
    score += min(len(terms & whole.asked), 6) * (0.05 if is_user else 0.15)
    score += 0.08 * min(len(terms & whole.frequent), 8)
    score += _user_score(kind, sentence, text) if is_user else 0.0
    if whole.is_technical:
        score += 0.2 if _is_technical(text) else -0.5
    score -= 0.5 * bool(cues.BEGINS_WITH_PRONOUN.match(text))
    score -= 0.7 * (len(text) > MAX_POINT_CHARS)
    if kind == DECISION:
        # The shortest decisions are decisions all the same; those by position alone are weaker.
        is_said = not is_user or any(cue.search(text) for cue in _SAYS_SO)
        return max(score, _LEAST_OF_DECISION) if is_said else score - _BY_POSITION
    is_labelled = bool(cues.LABELLED_RESULT.match(text))
    is_gain = bool(cues.IMPROVED.search(text))
    score += 1.4 * is_labelled + 0.8 * is_gain
    is_full = sentence.section or is_labelled or is_gain
    return score - (0.0 if is_full else _thinness(terms))


def _user_score(kind: str, sentence: Sentence, text: str) -> float:
    if kind == POINT and cues.ASKS.search(text):
        return -0.6
    is_order = sentence.message > 0 and bool(cues.ORDERS.search(text))
    return 0.7 + bool(cues.PREFERS.search(text)) - 0.8 * is_order


def _thinness(terms: frozenset[str]) -> float:
    """Return how far a sentence is from telling something by itself: few words tell little."""
    han = sum(term[0] >= "\u3400" for term in terms)
    words = len(terms) - han + han / 2
    return 1.5 * (words < 3) + 0.7 * (words < 4) + 0.5 * (words < 6)


def _cue_score(text: str) -> float:
    return (
        1.4 * bool(cues.CAUSE.search(text))
        + 1.0 * bool(cues.DONE.search(text))
        + 1.2 * bool(cues.DEAD_END.search(text))
        + 0.8 * bool(cues.CONSTRAINT.search(text))
        - 2.2 * bool(cues.PRAISE.search(text) or cues.WEIGHS.search(text))
    )


def _section_score(sentence: Sentence) -> float:
    return {RESULT: 1.0, CHOICE: -2.0, ASIDE: -1.5}.get(sentence.section, 0.0)


def _place_score(sentence: Sentence, last: int) -> float:
    score = 0.4 * (sentence.place == 0) + 0.4 * sentence.is_answer
    score += 0.4 * (sentence.message >= last - 3) + 0.6 * (sentence.message == 0)
    is_narrated = sentence.role == "assistant" and not sentence.is_answer
    return score - 0.4 * is_narrated


def _is_technical(text: str) -> bool:
    if cues.EXACT.search(text) or _LATIN.search(text):
        return True
    return any(
        text[at : at + size] in SYNONYMS for size in (2, 3, 4) for at in range(len(text) - size + 1)
    )
