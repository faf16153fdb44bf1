"""What each sentence is (a decision, a question, a step, a point), and how much it matters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.messages import (
    ASIDE,
    CHOICE,
    DECISION,
    NEXT,
    POINT,
    QUESTION,
    Sentence,
)
from daily_memory.core.digests.wording import (
    MAX_POINT_CHARS,
    has_terms,
    is_about_saving,
    is_empty,
    shares,
    shortened,
    terms_of,
    without_lead,
)

_LATE = 2
# What comes after so many sentences of a user is mostly pasted.
_MOST_OWN_SENTENCES = 8
# A reply of fewer terms says no more than what it agrees to.
_FEW_TERMS = 7
# A proposal that waits for an answer is at the end of a message.
_LAST = 3
_SECTION_SCORE = {CHOICE: -2.0, ASIDE: -1.5}
_SAYS_SO = (cues.DECIDED, cues.CHOOSES, cues.IMPERATIVE)


class Candidate(NamedTuple):
    """A line that a digest may hold; `order` is its place among all of them."""

    score: float
    order: int
    kind: str
    text: str
    terms: frozenset[str]
    is_logged: bool = False  # by somebody who wanted it kept


class _Whole(NamedTuple):
    """What a sentence is weighed against."""

    last: int  # the number of the last message
    asked: frozenset[str]  # words of the user
    frequent: frozenset[str]  # words that the conversation comes back to


def candidates(found: Sequence[Sentence], topic: str, last: int) -> Iterator[Candidate]:
    """Yield what of the sentences may be kept; `last` is the number of the last message."""
    counts = Counter(term for sentence in found for term in terms_of(sentence.text))
    asked = (sentence.text for sentence in found if sentence.role == "user")
    frequent = frozenset(term for term, count in counts.items() if count > 2)
    whole = _Whole(last, frozenset(term for text in asked for term in terms_of(text)), frequent)
    decided, replies = _resolved(found)
    last_list = max((one.message for one in found if one.section == NEXT), default=0)
    for order, sentence in enumerate(found):
        kind = kind_of(sentence, last)
        if order in replies:
            continue
        kind = DECISION if order in decided else kind
        if kind == NEXT and sentence.section == NEXT and sentence.message < last_list:
            kind = POINT  # a later list takes the place of an earlier one
        text = _beyond(_point_of(sentence, kind), topic)
        terms = terms_of(text)
        is_told = kind == POINT and shares(text, topic, 0.5 if sentence.role == "user" else 0.7)
        if kind and text and not is_told:
            score = _score(kind, sentence, terms, whole)
            yield Candidate(score, order, kind, shortened(text, MAX_POINT_CHARS), terms)


def kind_of(sentence: Sentence, last: int) -> str:
    """Return what a sentence is by itself, "" for nothing to keep."""
    text = sentence.text
    if not _is_content(sentence):
        return ""
    if sentence.section in (QUESTION, NEXT, DECISION):
        return sentence.section
    bare = without_lead(text)
    if cues.LABELLED_OPEN.match(bare):
        return QUESTION
    if cues.ASKS.search(text):
        return QUESTION if sentence.message == last else POINT * (sentence.role == "user")
    # What was left early has mostly been done since.
    is_late = sentence.message >= last - _LATE or 3 * sentence.message >= 2 * last
    if is_late and cues.LABELLED_TO_DO.match(bare):
        return NEXT
    if 2 * sentence.message >= last and cues.OPEN.search(text):
        return QUESTION
    is_decided = cues.DECIDED.search(text) and not cues.UNDECIDED.search(text)
    if sentence.role == "user" and sentence.message:
        if is_late and cues.LATER.search(text):
            return NEXT
        is_decided = is_decided or _settles(sentence)
        if is_decided and sentence.message == last:
            return NEXT  # nobody answered: it is not done yet
    return DECISION if is_decided else POINT


def _settles(sentence: Sentence) -> bool:
    """Tell whether a reply of the user says how something is to be, before what is pasted."""
    text = sentence.text
    is_other = any(cue.search(text) for cue in (cues.ORDERS, cues.REPORTS, cues.OPEN))
    if is_other or sentence.place >= _MOST_OWN_SENTENCES:
        return False
    is_thin = cues.UNDECIDED.search(text) or not has_terms(text, 3)
    return not is_thin or any(cue.search(text) for cue in _SAYS_SO)


def _is_content(sentence: Sentence) -> bool:
    text = sentence.text
    # What ends in a colon introduces something that is not in the sentence.
    if text.endswith((":", "：")) or is_about_saving(text) or is_empty(text):
        return False
    bare = without_lead(text)
    if cues.SMALL_TALK.search(bare) and not cues.EXACT.search(bare):
        return False
    is_talk = sentence.role == "assistant" and not sentence.is_item
    if is_talk and cues.NARRATION.match(bare):
        return False
    is_short = sentence.section or (sentence.role == "user" and sentence.message)
    return has_terms(bare, 1 if is_short or cues.ASKS.search(text) else 3)


def _point_of(sentence: Sentence, kind: str) -> str:
    """Return the sentence without what it says before it says anything."""
    text = cues.CONSENT.sub("", cues.THANKS.sub("", sentence.text))
    if sentence.role == "user" and kind == DECISION:
        return text  # "OK, Postgres then": here the first word belongs to it
    for label in (cues.LABELLED_TO_DO, cues.LABELLED_OPEN):
        text = label.sub("", without_lead(text))
    return text


def _beyond(text: str, topic: str) -> str:
    """Return what a sentence says beyond the topic, where the topic is its beginning."""
    told = topic.removesuffix("…")
    is_cut = topic.endswith("…") and text.startswith(told)
    return text[len(told) :].lstrip(" ，,;；:：、—–-") if is_cut else text


# ---------------------------------------------------------------------------- replies


def _resolved(found: Sequence[Sentence]) -> tuple[set[int], set[int]]:
    """Return the places of what the user picked or agreed to, and of replies that say no more.

    "B" and "OK, do that" say nothing by themselves: what they decide is in the message before.
    """
    decided: set[int] = set()
    replies: set[int] = set()
    before: list[tuple[int, Sentence]] = []
    for _, group in groupby(enumerate(found), key=lambda pair: pair[1].message):
        lines = list(group)
        for place, reply in lines if before else ():
            picked = [] if cues.ASKS.search(reply.text) else list(_picked(reply.text, before))
            agrees = place == lines[0][0] and cues.AGREES.match(reply.text)
            agreed = _proposed(before) if agrees and not picked else []
            decided.update(picked, agreed)
            # "OK, then Postgres 16" says all of it.
            says_all = has_terms(reply.text, _FEW_TERMS) or (
                agreed and cues.EXACT.search(reply.text)
            )
            replies.update([place] if (picked or agreed) and not says_all else [])
        before = lines if lines[0][1].role == "assistant" else []
    return decided, replies


def _proposed(lines: Sequence[tuple[int, Sentence]]) -> list[int]:
    """Return the places of what a message proposes at its end: a sentence, or the list below it."""
    proposes = [at for at, (_, one) in enumerate(lines) if cues.PROPOSES.search(one.text)]
    if not proposes:
        return []
    at = proposes[-1]
    if lines[at][1].text.endswith((":", "：")):
        return [place for place, one in lines[at + 1 :] if one.is_item]
    return [lines[at][0]] if at >= len(lines) - _LAST else []


def _picked(text: str, lines: Sequence[tuple[int, Sentence]]) -> Iterator[int]:
    """Yield the places of the options that a text names by their numbers."""
    pick = cues.PICKS.search(text)
    marks = next((group for group in pick.groups() if group), "") if pick else ""
    numbers = {cues.numeral(mark) for mark in (marks, *marks) if mark}
    seen: set[str] = set()
    for place, sentence in lines:
        if sentence.number in numbers and sentence.number not in seen:
            seen.add(sentence.number)
            yield place


# ---------------------------------------------------------------------------- scores


def _score(kind: str, sentence: Sentence, terms: frozenset[str], whole: _Whole) -> float:
    text = without_lead(sentence.text)
    is_user = sentence.role == "user"
    score = {POINT: 0.0, DECISION: 2.6, QUESTION: 2.4, NEXT: 2.4}[kind]
    score += 1.4 * bool(cues.CAUSE.search(text)) + 1.0 * bool(cues.DONE.search(text))
    score += 0.8 * bool(cues.CONSTRAINT.search(text)) + 0.5 * bool(cues.EXACT.search(text))
    score += _SECTION_SCORE.get(sentence.section, 0.0)
    # The beginning of a message, the last answer of a turn, and the two ends of a conversation.
    score += 0.4 * (sentence.place == 0) + 0.4 * sentence.is_answer
    score += 0.4 * (sentence.message >= whole.last - 3) + 0.6 * (sentence.message == 0)
    score -= 0.4 * (not is_user and not sentence.is_answer)
    score += min(len(terms & whole.asked), 6) * (0.05 if is_user else 0.15)
    score += 0.08 * min(len(terms & whole.frequent), 8)
    score -= 0.7 * (len(text) > MAX_POINT_CHARS)
    if is_user:
        score += -0.6 if kind == POINT and cues.ASKS.search(text) else 0.7
        score -= 0.8 * (sentence.message > 0 and bool(cues.ORDERS.search(text)))
    if kind == DECISION:
        is_said = not is_user or any(cue.search(text) for cue in _SAYS_SO)
        # The shortest decisions are decisions all the same; those by position alone are weaker.
        return max(score, 3.0) if is_said else score - 1.5
    return score - (0.0 if sentence.section else _thinness(terms))


def _thinness(terms: frozenset[str]) -> float:
    """Return how far a sentence is from telling something by itself."""
    han = sum(term[0] >= "\u3400" for term in terms)
    words = len(terms) - han / 2
    return 1.5 * (words < 3) + 0.7 * (words < 4) + 0.5 * (words < 6)
