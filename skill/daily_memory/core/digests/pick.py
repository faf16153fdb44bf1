"""What each sentence is (a decision, a question, a step, a point), and how much it matters.

Who says it, to which message it replies and what came after count more than its words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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
from daily_memory.core.redaction.view import MARK

# What comes after so many sentences of a user is mostly pasted.
_MOST_OWN_SENTENCES = 8
# A line of fewer words tells little without the lines around it.
_FEW_WORDS = 5
# A reply of fewer terms says no more than what it agrees to.
_FEW_TERMS = 7
# A proposal or question that waits for an answer is at the end of a message.
_LAST = 3
_SECTION_SCORE = {CHOICE: -3.0, ASIDE: -1.5}
_KIND_SCORE = {POINT: 0.0, DECISION: 2.6, QUESTION: 2.4, NEXT: 2.6}
# Each further line of line message tells less than the line before.
_MORE_OF_THE_SAME = 0.1
# What people want and what they answer stands at the beginning of a message.
_LEADS = (2.0, 1.4, 0.9, 0.5, 0.2)
_LEAST_NEWS = 3
_LONGEST_ANSWER = 5
_SAYS_SO = (cues.DECIDED, cues.CHOOSES, cues.RULES)
_SAID_SCORE = 2.4


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
    last_user: int
    late: int  # the last turn but line begins here
    asked: dict[int, frozenset[str]]  # message of the assistant → the words that it answers
    frequent: frozenset[str]  # words that several messages use
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
        if kind and text and not is_told:
            if kind == NEXT and _is_done(sentence, spoken):
                continue
            group = picked[sentence.message]
            terms = terms_of(text)
            score = _score(kind, sentence, terms, whole, len(group))
            if kind == DECISION:
                is_said = order in agreed or any(cue.search(text) for cue in _SAYS_SO)
                score = max(score, _SAID_SCORE) if is_said else score - 1.2
            text = shortened(text, MAX_POINT_CHARS)
            group.append(Candidate(score, order, kind, text, terms))
    return [candidate for group in picked.values() for candidate in _thinned(group)]


def _whole(spoken: Sequence[Sentence], last: int) -> _Whole:
    counts: Counter[str] = Counter()
    for _, group in groupby(spoken, key=lambda sentence: sentence.message):
        counts.update({term for sentence in group for term in terms_of(sentence.text)})
    users = [sentence for sentence in spoken if sentence.role == "user"]
    return _Whole(
        last,
        max((sentence.message for sentence in users), default=0),
        sorted({0, *(sentence.message for sentence in users)})[-2:][0],
        _asked(spoken),
        frozenset(term for term, count in counts.items() if count > 2),
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


def _asked(spoken: Sequence[Sentence]) -> dict[int, frozenset[str]]:
    """Return for each message of the assistant the words of the user that it answers."""
    asked: dict[int, frozenset[str]] = {}
    words: frozenset[str] = frozenset()
    for message, group in groupby(spoken, key=lambda sentence: sentence.message):
        lines = list(group)
        if lines[0].role == "user":
            words = frozenset(term for line in lines for term in terms_of(line.text))
        else:
            asked[message] = words
    return asked


def _thinned(group: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the candidates of line message; of its points the best stay as good as they are."""
    points = sorted((line for line in group if line.kind == POINT), key=lambda line: -line.score)
    yield from (line for line in group if line.kind != POINT)
    for rank, point in enumerate(points):
        yield point._replace(score=point.score - _MORE_OF_THE_SAME * rank)


# ---------------------------------------------------------------------------- kinds


def kind_of(sentence: Sentence, whole: _Whole, answers: bool) -> str:
    """Return what a sentence is by itself, "" for nothing to keep."""
    text = sentence.text
    if not _is_content(sentence):
        return ""
    if _is_step(sentence):
        # A later list takes the place of an earlier line, and what was left early is mostly done.
        is_left = sentence.message >= whole.steps and not cues.OFFERS.search(text)
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
        return QUESTION if sentence.message == whole.last else POINT * is_user
    if 2 * sentence.message >= whole.last and cues.OPEN.search(text):
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
    return DECISION if _settles(text, answers) else POINT


def _is_step(sentence: Sentence) -> bool:
    return sentence.section == NEXT or bool(cues.LABELLED_TO_DO.match(without_lead(sentence.text)))


def _is_done(step: Sentence, spoken: Sequence[Sentence]) -> bool:
    return any(
        cues.DONE.search(later.text) and shares(step.text, later.text, 0.6)
        for later in spoken
        if later.message > step.message
    )


def _settles(text: str, answers: bool) -> bool:
    """Tell whether a reply of the user says how something is to be.

    Who answers a question settles it, unless the answer is an order to do something else.
    """
    if cues.ORDERS.search(text) or cues.POINTS_BACK.search(text):
        return False
    if cues.DECIDED.search(text) or cues.CHOOSES.search(text):
        return not cues.UNDECIDED.search(text)
    other = (cues.UNDECIDED, cues.REFUTES, cues.REPORTS)
    return answers and not any(cue.search(text) for cue in other)


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
    if text.endswith((":", "：")) or is_about_saving(text) or is_empty(text):
        return False
    bare = without_lead(text)
    if cues.SMALL_TALK.search(bare) and not cues.EXACT.search(bare):
        return False
    if sentence.role == "assistant" and cues.NARRATION.match(bare):
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
            agrees = place == lines[0][0] and cues.AGREES.match(reply.text)
            agreed = _proposed(before) if agrees and not picked else []
            decided.update(picked, agreed)
            # "OK, then Postgres 16" says all of it.
            says_all = has_terms(reply.text, _FEW_TERMS) or (
                agreed and cues.EXACT.search(reply.text)
            )
            replies.update([place] if (picked or agreed) and not says_all else [])
            if cues.OPEN.search(reply.text) or cues.LATER.search(reply.text):
                questions = [at for at, line in before[-_LAST:] if cues.ASKS.search(line.text)]
                left.update(questions[-1:])
        before = lines if lines[0][1].role == "assistant" else []
    return decided, replies, left


def _proposed(lines: Sequence[tuple[int, Sentence]]) -> list[int]:
    """Return the places of what a message proposes at its end: a sentence, or the list below it."""
    proposes = [at for at, (_, line) in enumerate(lines) if cues.PROPOSES.search(line.text)]
    if not proposes:
        return []
    at = proposes[-1]
    if lines[at][1].text.endswith((":", "：")):
        return [place for place, line in lines[at + 1 :] if line.is_item]
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


def _score(kind: str, sentence: Sentence, terms: frozenset[str], whole: _Whole, lead: int) -> float:
    """Return what a sentence weighs; `lead` is its place among those of its message."""
    text = without_lead(sentence.text)
    is_exact = bool(cues.EXACT.search(text))
    words = _word_count(terms)
    score = _KIND_SCORE[kind] + _SECTION_SCORE.get(sentence.section, 0.0)
    score += _LEADS[lead] if lead < len(_LEADS) else 0.0
    score += 0.08 * min(len(terms & whole.frequent), 8) + 0.4 * is_exact
    score += 1.0 * sentence.message / max(whole.last, 1)  # the last state counts
    score -= 0.7 * (len(text) > MAX_POINT_CHARS) + 1.0 * bool(MARK.search(text))
    if sentence.role == "user":
        score += 0.9 - 1.2 * (sentence.place >= _MOST_OWN_SENTENCES)
        if kind == POINT:
            # Short orders and questions say nothing later.
            score -= 1.5 * (words < _FEW_WORDS)
            score -= 0.8 * bool(cues.ASKS.search(text))
    else:
        asked = whole.asked.get(sentence.message, frozenset())
        score += 0.5 * bool(cues.CAUSE.search(text) or cues.DONE.search(text))
        # An answer that only repeats the question tells nothing.
        is_echo = not is_exact and len(terms - asked) < _LEAST_NEWS
        score += 0.1 * min(len(terms & asked), 4) - 1.5 * is_echo
        score -= 0.6 * (not sentence.is_answer) + 3.0 * (sentence.message in whole.refuted)
        score -= 1.0 * bool(cues.OFFERS.search(text))
    if sentence.section or kind == DECISION:
        return score
    # What is short tells little by itself, but for names and numbers.
    words += 2 * is_exact
    return score - 1.5 * (words < 3) - 0.7 * (words < 4) - 0.5 * (words < 6)


def _word_count(terms: frozenset[str]) -> float:
    """Return about how many words the terms are: a Chinese word is two of them."""
    return len(terms) - sum(term[0] >= "\u3400" for term in terms) / 2
