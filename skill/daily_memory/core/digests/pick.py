"""What each sentence is (a decision, a question, a step, a point), and how much it matters.

Who says it, where, and what came after count more than its words. What weighs was measured on
conversations of others: sentences that hold something worth keeping name things, are no fragments,
stand at the beginning of their message, and come late.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.messages import ASIDE, DECISION, NEXT, POINT, QUESTION, Sentence
from daily_memory.core.digests.wording import (
    MAX_POINT_CHARS,
    has_terms,
    is_about_saving,
    is_empty,
    shares,
    shortened,
    terms_of,
    without_lead,
    word_count,
)
from daily_memory.core.redaction.view import MARK

# A proposal or question that waits for an answer is at the end of a message; an answer is short.
_LAST = 3
_LONGEST_ANSWER = 5
# A reply of fewer terms says no more than what it agrees to.
_FEW_TERMS = 7
_FEW_WORDS = 3
# What comes after so many sentences of a user is mostly pasted.
_MOST_OWN_SENTENCES = 8
_LEADS = (1.2, 1.0, 0.6, 0.3, 0.1)
_KIND_SCORE = {POINT: 0.0, DECISION: 1.4, QUESTION: 1.2, NEXT: 1.4}
# Each further line of a message tells less than the line before.
_MORE_OF_THE_SAME = 0.4
_FIRST = 0.7


class Candidate(NamedTuple):
    """A line that a digest may hold; `order` is its place among all of them."""

    score: float
    order: int
    kind: str
    text: str
    terms: frozenset[str]
    is_logged: bool = False  # by somebody who wanted it kept
    worth: float = 9.0  # its score by itself, whatever else its message holds


class _Whole(NamedTuple):
    """What a sentence is weighed against."""

    last: int  # the number of the last message
    late: int  # the last turn but one begins here
    asked: dict[int, frozenset[str]]  # message of the assistant → the words that it answers
    steps: int  # the number of the last message that lists what comes next
    refuted: frozenset[int]  # messages that the user's reply says to be wrong


def candidates(spoken: Sequence[Sentence], topic: str, last: int) -> list[Candidate]:
    """Return what of the sentences may be kept; `last` is the number of the last message."""
    whole = _whole(spoken, last)
    agreed, replies, left = _resolved(spoken)
    answers, cancelled = _answers(spoken), _cancelled(spoken)
    picked: dict[int, list[Candidate]] = defaultdict(list)
    for order, sentence in enumerate(spoken):
        if order in replies or order in cancelled:
            continue
        kind = DECISION if order in agreed else kind_of(sentence, whole, order in answers)
        kind = QUESTION if order in left else kind
        text = _beyond(_point_of(sentence, kind), topic)
        is_told = kind == POINT and shares(text, topic, 0.5 if sentence.role == "user" else 0.7)
        if not (kind and text) or is_told or (kind == NEXT and _is_done(sentence, spoken)):
            continue
        group = picked[sentence.message]
        terms = terms_of(text)
        score = _KIND_SCORE[kind] + _score(kind, sentence, terms, whole, len(group))
        group.append(
            Candidate(score, order, kind, shortened(text, MAX_POINT_CHARS), terms, worth=score)
        )
    return [candidate for group in picked.values() for candidate in _thinned(group)]


def _whole(spoken: Sequence[Sentence], last: int) -> _Whole:
    asked: dict[int, frozenset[str]] = {}
    question: frozenset[str] = frozenset()
    for message, group in groupby(spoken, key=lambda sentence: sentence.message):
        lines = list(group)
        words = frozenset(term for line in lines for term in terms_of(line.text))
        if lines[0].role == "user":
            question = words
        else:
            asked[message] = question
    users = [sentence for sentence in spoken if sentence.role == "user"]
    return _Whole(
        last,
        sorted({0, *(sentence.message for sentence in users)})[-2:][0],
        asked,
        max((line.message for line in spoken if _is_step(line)), default=0),
        frozenset(
            line.message - 1 for line in users if line.place < 2 and cues.REFUTES.search(line.text)
        ),
    )


def _cancelled(spoken: Sequence[Sentence]) -> set[int]:
    """Return the places of what names a thing that the user takes back later."""
    cancelled: set[int] = set()
    for reply in spoken:
        for cancel in cues.CANCELS.finditer(reply.text) if reply.role == "user" else ():
            near = reply.text[max(cancel.start() - 15, 0) : cancel.end() + 25]
            # Who deletes something in a file does not take the file back.
            names = [
                name.strip("`").lower() for name in cues.IDENTIFIER.findall(near) if "." not in name
            ]
            cancelled.update(
                place
                for place, sentence in enumerate(spoken)
                if sentence.message < reply.message
                and any(name in sentence.text.lower() for name in names)
            )
    return cancelled


def _thinned(group: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the candidates of a message; of its points the best stay as good as they are."""
    points = sorted((line for line in group if line.kind == POINT), key=lambda line: -line.score)
    yield from (line for line in group if line.kind != POINT)
    for rank, point in enumerate(points):
        worth = point.worth + _FIRST * (rank == 0)
        yield point._replace(score=point.score - _MORE_OF_THE_SAME * rank, worth=worth)


# ---------------------------------------------------------------------------- kinds


def kind_of(sentence: Sentence, whole: _Whole, answers: bool) -> str:
    """Return what a sentence is by itself, "" for nothing to keep."""
    text = sentence.text
    if not _is_content(sentence):
        return ""
    is_late = 2 * sentence.message >= whole.last
    if _is_step(sentence):
        # A later list takes the place of an earlier line, and what was left early is mostly done.
        is_left = sentence.message >= whole.steps and not (
            cues.OFFERS.search(text) or cues.DONE.search(text) or cues.ASKS.search(text)
        )
        is_label = cues.LABELLED_TO_DO.match(without_lead(text))
        return NEXT if is_left and (is_label or sentence.message >= whole.late) else ""
    is_user = sentence.role == "user"
    if sentence.section in (QUESTION, DECISION) and not is_user:
        return sentence.section
    if cues.OPTION.match(text):
        return ""  # nobody picked it
    if cues.LABELLED_OPEN.match(without_lead(text)):
        return QUESTION
    if cues.ASKS.search(text):
        if sentence.message == whole.last:
            return QUESTION
        # What was asked was answered; a request is no question.
        return POINT * bool(is_user and cues.REQUESTS.search(text))
    if is_late and cues.OPEN.search(text):
        return QUESTION
    if is_user and sentence.message and sentence.place < _MOST_OWN_SENTENCES:
        return _kind_of_reply(sentence, whole, answers)
    is_decided = cues.DECIDED.search(text) and not cues.UNDECIDED.search(text)
    return DECISION if is_decided else POINT


def _kind_of_reply(sentence: Sentence, whole: _Whole, answers: bool) -> str:
    text = sentence.text
    if cues.RULES.search(text) and has_terms(text, 2) and not cues.UNDECIDED.search(text):
        return DECISION
    if 2 * sentence.message >= whole.last and cues.LATER.search(text):
        return NEXT
    if sentence.message == whole.last and sentence.place < _LAST:
        # Nobody answered: it is not done yet.
        return QUESTION if cues.REFUTES.search(text) else NEXT
    if cues.ORDERS.search(text) or cues.UNDECIDED.search(text):
        return POINT
    settles = cues.DECIDED.search(text) or cues.CHOOSES.search(text)
    return DECISION if settles or (answers and not cues.REFUTES.search(text)) else POINT


def _is_step(sentence: Sentence) -> bool:
    return sentence.section == NEXT or bool(cues.LABELLED_TO_DO.match(without_lead(sentence.text)))


def _is_done(step: Sentence, spoken: Sequence[Sentence]) -> bool:
    return any(
        cues.DONE.search(later.text) and shares(step.text, later.text, 0.6)
        for later in spoken
        if later.message > step.message
    )


def _answers(spoken: Sequence[Sentence]) -> set[int]:
    """Return the places of what the user answers to a question, in words of the question."""
    answers: set[int] = set()
    question: frozenset[str] = frozenset()
    for _, group in groupby(enumerate(spoken), key=lambda pair: pair[1].message):
        lines = list(group)
        words = frozenset(term for _, line in lines[-_LAST:] for term in terms_of(line.text))
        if lines[0][1].role == "assistant":
            is_question = any(
                cues.ASKS.search(line.text) or cues.PROPOSES.search(line.text)
                for _, line in lines[-_LAST:]
            )
            question = words if is_question else frozenset()
            continue
        # What leads to a question of the user's own answers nothing.
        own = max((place for place, line in lines if cues.ASKS.search(line.text)), default=-1)
        reply = [(place, terms_of(line.text)) for place, line in lines[:_LAST]]
        # An answer is short; what is long is something new.
        if len(lines) <= _LONGEST_ANSWER and any(terms & question for _, terms in reply):
            answers.update(place for place, _ in reply if place > own)
    return answers


def _is_content(sentence: Sentence) -> bool:
    text = sentence.text
    # What ends in a colon introduces something that is not in the sentence.
    bare = without_lead(cues.ADDRESS.sub("", text)).rstrip("* ")
    if bare.endswith((":", "：")) or is_about_saving(text) or is_empty(text):
        return False
    is_named = cues.NAMES.search(bare)
    if cues.SMALL_TALK.search(bare) and not is_named:
        return False
    if sentence.role == "assistant":
        if cues.NARRATION.match(bare) or sentence.section == ASIDE:
            return False
        if not is_named and cues.PRAISES.search(bare):
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


def _resolved(spoken: Sequence[Sentence]) -> tuple[set[int], set[int], set[int]]:
    """Return the places of what the user agreed to, of replies that say no more, of what is left.

    "B" and "OK, do that" say nothing by themselves: what they decide is in the message before.
    """
    decided: set[int] = set()
    replies: set[int] = set()
    left: set[int] = set()
    before: list[tuple[int, Sentence]] = []
    for _, group in groupby(enumerate(spoken), key=lambda pair: pair[1].message):
        lines = list(group)
        for place, reply in lines if before else ():
            picked = [] if cues.ASKS.search(reply.text) else list(_picked(reply.text, before))
            agrees = place == lines[0][0] and _agrees(reply.text)
            agreed = _proposed(before) if agrees and not picked else []
            decided.update(picked, agreed)
            # "OK, then Postgres 16" says all of it.
            says_all = has_terms(reply.text, _FEW_TERMS) or (
                agreed and cues.NAMES.search(reply.text)
            )
            replies.update([place] if (picked or agreed) and not says_all else [])
            if cues.OPEN.search(reply.text) or cues.LATER.search(reply.text):
                questions = [at for at, line in before[-_LAST:] if cues.ASKS.search(line.text)]
                left.update(questions[-1:])
        before = lines if lines[0][1].role == "assistant" else []
    return decided, replies, left


def _agrees(text: str) -> bool:
    # "OK, I aborted it and pushed again" tells something of its own.
    return bool(cues.AGREES.match(text)) and word_count(terms_of(without_lead(text))) <= _FEW_WORDS


def _proposed(lines: Sequence[tuple[int, Sentence]]) -> list[int]:
    """Return the places of what a message proposes at its end: a sentence, or the list below it."""
    proposes = [at for at, (_, line) in enumerate(lines) if cues.PROPOSES.search(line.text)]
    if not proposes:
        return []
    at = proposes[-1]
    if lines[at][1].text.endswith((":", "：")):
        return [place for place, line in lines[at + 1 :] if line.depth]
    return [lines[at][0]] if at >= len(lines) - _LAST else []


def _picked(text: str, lines: Sequence[tuple[int, Sentence]]) -> Iterator[int]:
    """Yield the places of the options that a text names by their numbers."""
    pick = cues.PICKS.search(text)
    marks = next((group for group in pick.groups() if group), "") if pick else ""
    numbers = {cues.numeral(mark) for mark in (marks, *marks) if mark}
    # "Option 2" is what is called so, if anything is, and not the second item of another list.
    options = [line for line in lines if cues.OPTION.match(line[1].text)]
    seen: set[str] = set()
    for place, sentence in options or lines:
        if sentence.number in numbers and sentence.number not in seen:
            seen.add(sentence.number)
            yield place


# ---------------------------------------------------------------------------- scores


def _score(kind: str, sentence: Sentence, terms: frozenset[str], whole: _Whole, lead: int) -> float:
    """Return what a sentence weighs; `lead` is its place among those of its message."""
    text = without_lead(sentence.text)
    names = len(set(cues.NAMES.findall(text)))
    words = word_count(terms)
    score = _LEADS[lead] if lead < len(_LEADS) else 0.0
    score += 1.0 * sentence.message / max(whole.last, 1)  # the last state counts
    score += 0.8 * bool(names) + 0.2 * (names > 1)
    # Decisions and steps are short; of what is told, fragments tell little.
    if kind == POINT:
        words += bool(names)
        score -= 0.8 * bool(cues.ASKS.search(text))
        score -= 0.9 * (words < 4) + 0.8 * (words < 7)
    score += 0.4 * (words > 14)
    score -= 1.0 * bool(MARK.search(text))
    if sentence.role == "user":
        score -= 0.7 * (kind == POINT and not names)  # an order of the moment
        return score - 1.2 * (sentence.place >= _MOST_OWN_SENTENCES)
    asked = whole.asked.get(sentence.message, frozenset())
    score += 0.1 * min(len(terms & asked), 5)
    score += 0.5 * bool(cues.CAUSE.search(text) or cues.DONE.search(text)) - 3.0 * (
        sentence.message in whole.refuted
    )
    score -= 1.2 * (not sentence.is_answer)
    score += 0.4 * ("`" in text)
    score -= 0.8 * (sentence.depth > 1)
    return score - 1.0 * bool(cues.PRAISES.search(text))
