"""What each sentence is (a decision, a question, a step, a point), and how much it matters.

A conversation is messages in turn. Who says a sentence, where in its message, and what the message
before and the message after say count more than its words:

- the user's next message tells whether an answer was right, and which proposal was chosen;
- of what is left, the last message and the last list tell;
- what the user says later about the same thing takes back what was said before;
- sentences worth keeping name things, are no fragments, come late, and say what was asked about.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.messages import DECISION, NEXT, POINT, QUESTION, Sentence
from daily_memory.core.digests.wording import (
    MAX_POINT_CHARS,
    has_terms,
    is_about_saving,
    is_empty,
    shares,
    shortened,
    terms_of,
    without_consent,
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
# A decision that names nothing says by so many words what is decided.
_TELLING_WORDS = 3
# What comes after so many sentences of a user is mostly pasted.
MOST_OWN_SENTENCES = 8
_LEADS = (1.2, 1.0, 0.6, 0.3, 0.1)
_KIND_SCORE = {POINT: 0.0, DECISION: 1.4, QUESTION: 1.2, NEXT: 1.4}
# Each further line of a message tells less than the line before.
_MORE_OF_THE_SAME = 0.4

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")

# A sentence with its place among all of them.
_Placed = tuple[int, Sentence]


class Candidate(NamedTuple):
    """A line that a digest may hold; `order` is its place among all of them."""

    score: float
    order: int
    kind: str
    text: str
    terms: frozenset[str]
    is_logged: bool = False  # by somebody who wanted it kept
    worth: float = 9.0  # its score by itself, whatever else its message holds


class _Talk(NamedTuple):
    """What a sentence is weighed against; messages go by their numbers."""

    last: int
    end: int  # the place of the last sentence
    late: int  # the last turn but one begins here
    steps: int  # the last message that lists what comes next
    before: dict[int, frozenset[str]]  # message → the words of the other one that it answers
    refuted: set[int]  # answers that the user's reply says to be wrong
    settled: dict[int, str]  # place → its kind, where a reply decides on that
    answers: set[int]  # places of what answers a question, in words of the question


def candidates(spoken: Sequence[Sentence], topic: str, last: int) -> list[Candidate]:
    """Return what of the sentences may be kept; `last` is the number of the last message."""
    talk = _talk(spoken, last)
    picked: dict[int, list[Candidate]] = defaultdict(list)
    for order, sentence in enumerate(spoken):
        settled = talk.settled.get(order)
        kind = _kind_of(order, sentence, talk) if settled is None else settled
        text = _beyond(_point_of(sentence, kind), topic)
        is_told = kind == POINT and shares(text, topic, 0.5 if sentence.role == "user" else 0.7)
        if not (kind and text) or is_told or (kind == NEXT and _is_done(sentence, spoken)):
            continue
        group = picked[sentence.message]
        terms = terms_of(text)
        score = _KIND_SCORE[kind] + _score(kind, sentence, terms, talk, len(group))
        text = shortened(text, MAX_POINT_CHARS)
        group.append(Candidate(score, order, kind, text, terms, worth=score))
    return [candidate for group in picked.values() for candidate in _thinned(group)]


def _thinned(group: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the candidates of a message; of its points the best stay as good as they are."""
    points = sorted((line for line in group if line.kind == POINT), key=lambda line: -line.score)
    yield from (line for line in group if line.kind != POINT)
    for rank, point in enumerate(points):
        yield point._replace(score=point.score - _MORE_OF_THE_SAME * rank)


# ---------------------------------------------------------------------------- the conversation


def _talk(spoken: Sequence[Sentence], last: int) -> _Talk:
    users = sorted({0, *(sentence.message for sentence in spoken if sentence.role == "user")})
    steps = max((sentence.message for sentence in spoken if sentence.section == NEXT), default=0)
    cancelled = dict.fromkeys(_cancelled(spoken), "")
    talk = _Talk(last, len(spoken) - 1, users[-2:][0], steps, {}, set(), cancelled, set())
    numbered = groupby(enumerate(spoken), key=lambda pair: pair[1].message)
    messages = [list(lines) for _, lines in numbered]
    words = {"user": frozenset[str](), "assistant": frozenset[str]()}
    for before, lines in pairwise(([], *messages)):
        role, number = lines[0][1].role, lines[0][1].message
        talk.before[number] = words["user" if role == "assistant" else "assistant"]
        words[role] = _words(lines)
        if role == "user" and any(cues.REFUTES.search(line.text) for _, line in lines[:2]):
            talk.refuted.add(number - 1)
        if role == "user" and before and before[0][1].role == "assistant":
            talk.answers.update(_answering(lines, before))
            talk.settled.update(_settled(lines, before))
    return talk


def _settled(lines: Sequence[_Placed], before: Sequence[_Placed]) -> Iterator[tuple[int, str]]:
    """Yield what a reply makes of the sentences before it, and of itself."""
    for at, (place, reply) in enumerate(lines):
        taken = _taken(at == 0, reply.text, before)
        yield from ((option, DECISION) for option in taken)
        # "OK, then Postgres 16" says all of it.
        if taken and not (has_terms(reply.text, _FEW_TERMS) or _names(reply.text)):
            yield place, ""
        if cues.OPEN.search(reply.text) or cues.LATER.search(reply.text):
            questions = [line for line in before[-_LAST:] if cues.ASKS.search(line[1].text)]
            yield from ((question, QUESTION) for question, _ in questions[-1:])


def _words(lines: Sequence[_Placed]) -> frozenset[str]:
    return frozenset(term for _, line in lines for term in terms_of(line.text))


def _names(text: str) -> bool:
    return bool(cues.NAMES.search(text))


def _cancelled(spoken: Sequence[Sentence]) -> Iterator[int]:
    """Yield the places of what names a thing that the user takes back later."""
    for reply in spoken:
        for cancel in cues.CANCELS.finditer(reply.text) if reply.role == "user" else ():
            near = reply.text[max(cancel.start() - 15, 0) : cancel.end() + 25]
            # Who deletes something in a file does not take the file back.
            names = {
                name.strip("`").lower() for name in cues.IDENTIFIER.findall(near) if "." not in name
            }
            for place, sentence in enumerate(spoken):
                lowered = sentence.text.lower()
                if sentence.message < reply.message and any(name in lowered for name in names):
                    yield place


def _answering(lines: Sequence[_Placed], before: Sequence[_Placed]) -> Iterator[int]:
    """Yield the places of what the user answers to a question, in words of the question."""
    end = before[-_LAST:]
    is_asked = any(re.search("[?？]", x.text) or cues.PROPOSES.search(x.text) for _, x in end)
    # An answer is short, and what leads to a question of the user's own answers nothing.
    own = max((place for place, line in lines if cues.ASKS.search(line.text)), default=-1)
    if is_asked and len(lines) <= _LONGEST_ANSWER and _words(lines[:_LAST]) & _words(end):
        yield from (place for place, _ in lines[:_LAST] if place > own)


def _taken(is_first: bool, text: str, before: Sequence[_Placed]) -> list[int]:
    """Return the places of the options that a reply names, or of the proposal that it agrees to.

    "B" and "OK, do that" say nothing by themselves: what they decide is in the message before.
    """
    if cues.ASKS.search(text):
        return []
    pick = cues.PICKS.search(text)
    marks = next((group for group in pick.groups() if group), "") if pick else ""
    numbers = {cues.numeral(mark) for mark in (marks, *marks) if mark}
    # "Option 2" is what is called so, if anything is, and not the second item of another list.
    options = [line for line in before if cues.OPTION.match(line[1].text)] or before
    first = {line.number: place for place, line in reversed(options) if line.number in numbers}
    # "OK, I aborted it and pushed again" tells something of its own.
    is_bare = is_first and word_count(terms_of(without_lead(text))) <= _FEW_WORDS
    agrees = is_bare and cues.AGREES.match(text)
    return list(first.values()) or (_proposed(before) if agrees else [])


def _proposed(lines: Sequence[_Placed]) -> list[int]:
    """Return the places of what a message proposes at its end: a sentence, or the list below it."""
    proposes = [at for at, (_, line) in enumerate(lines) if cues.PROPOSES.search(line.text)]
    at = proposes[-1] if proposes else -1
    if at >= 0 and lines[at][1].text.endswith((":", "：")):
        return [place for place, line in lines[at + 1 :] if line.depth]
    return [lines[at][0]] if at >= max(len(lines) - _LAST, 0) else []


# ---------------------------------------------------------------------------- kinds


def _kind_of(order: int, sentence: Sentence, talk: _Talk) -> str:
    """Return what a sentence is, "" for nothing to keep."""
    if order == talk.end and sentence.role == "assistant" and _announces(sentence.text):
        return NEXT  # the conversation ends here: it was not done
    if not _is_content(sentence):
        return ""
    text = sentence.text
    if sentence.section == NEXT:
        # A later list takes the place of an earlier one; what was done or is asked is no step.
        is_left = sentence.message >= talk.steps
        # What was left early is mostly done, unless it was said to be left.
        is_left &= sentence.depth == 0 or sentence.message >= talk.late
        return NEXT * (is_left and not (cues.DONE.search(text) or cues.ASKS.search(text)))
    is_user = sentence.role == "user"
    if sentence.section:
        return sentence.section
    if cues.ASKS.search(text):
        if sentence.message == talk.last:
            return QUESTION
        # What was asked was answered; a request is no question.
        return POINT * bool(is_user and cues.ORDERS.search(text))
    is_late = 2 * sentence.message >= talk.last
    if is_late and cues.OPEN.search(text):
        return QUESTION
    if is_user and sentence.message and sentence.place < MOST_OWN_SENTENCES:
        return _kind_of_reply(order, sentence, talk)
    is_decided = cues.DECIDED.search(text) and not cues.UNDECIDED.search(text)
    return DECISION if is_decided else POINT


def _kind_of_reply(order: int, sentence: Sentence, talk: _Talk) -> str:
    text = sentence.text
    refutes = cues.REFUTES.search(text)
    terms = terms_of(text)
    # What was named before, by either of them.
    is_full = cues.NAMED.search(text) or word_count(terms) >= _TELLING_WORDS
    tells = is_full or terms & talk.before.get(sentence.message, frozenset())
    if tells and cues.RULES.search(text) and not cues.UNDECIDED.search(text):
        return DECISION
    if 2 * sentence.message >= talk.last and cues.LATER.search(text):
        return NEXT
    if sentence.message == talk.last and sentence.place < _LAST:
        # Nobody answered: it is not done yet.
        return QUESTION if refutes else NEXT
    if cues.ORDERS.search(text) or cues.UNDECIDED.search(text):
        return POINT
    chooses = cues.DECIDED.search(text) or (tells and cues.CHOOSES.search(text))
    return DECISION if chooses or (order in talk.answers and not refutes) else POINT


def _is_done(step: Sentence, spoken: Sequence[Sentence]) -> bool:
    return any(
        cues.DONE.search(later.text) and shares(step.text, later.text, 0.6)
        for later in spoken
        if later.message > step.message
    )


def _announces(text: str) -> bool:
    return bool(cues.ANNOUNCES.match(without_lead(text))) and has_terms(text, 3)


def _is_content(sentence: Sentence) -> bool:
    text = sentence.text
    # What ends in a colon introduces something that is not in the sentence.
    bare = without_lead(text).rstrip("* ")
    if bare.endswith((":", "：")) or is_about_saving(text) or is_empty(text):
        return False
    if cues.SMALL_TALK.search(bare) and not _names(bare):
        return False
    is_assistant = sentence.role == "assistant"
    if is_assistant and cues.NARRATION.match(bare):
        return False
    is_short = sentence.section or (not is_assistant and sentence.message)
    return has_terms(bare, 1 if is_short or cues.ASKS.search(text) else 3)


def _point_of(sentence: Sentence, kind: str) -> str:
    """Return the sentence without what it says before it says anything."""
    text = cues.TAIL.sub("", sentence.text)
    if sentence.role == "user" and kind == DECISION:
        return text  # "OK, Postgres then": here the first word belongs to it
    return without_lead(without_consent(text) if kind == DECISION else text)


def _beyond(text: str, topic: str) -> str:
    """Return what a sentence says beyond the topic, where the topic is its beginning."""
    told = topic.removesuffix("…")
    is_cut = topic.endswith("…") and text.startswith(told)
    return text[len(told) :].lstrip(" ，,;；:：、—–-") if is_cut else text


# ---------------------------------------------------------------------------- scores


def _score(kind: str, sentence: Sentence, terms: frozenset[str], talk: _Talk, lead: int) -> float:
    """Return what a sentence weighs; `lead` is its place among those of its message."""
    text = without_lead(sentence.text)
    score = _LEADS[lead] if lead < len(_LEADS) else 0.0
    score += sentence.message / max(talk.last, 1)  # the last state counts
    score += 0.8 * _names(text) - 1.0 * bool(MARK.search(text))
    if kind == POINT:
        # Decisions and steps are short; of what is told, fragments tell little.
        # "From 8 s to 120 ms" says a lot in few words.
        words = word_count(terms) + _names(text) + min(2, len(_FIGURE.findall(text)))
        score += 0.1 * (min(words, 14) - 8) - 0.8 * (words < 6)
        score -= 0.8 * bool(cues.ASKS.search(text))
    if sentence.role == "user":
        score -= 0.7 * (kind == POINT and not _names(text))  # an order of the moment
        return score - 1.2 * (sentence.place >= MOST_OWN_SENTENCES)
    asked = talk.before.get(sentence.message, frozenset())
    score += 0.4 * ("`" in text) + 0.4 * bool(terms & asked) + 0.7 * bool(cues.DONE.search(text))
    score -= 1.2 * (not sentence.is_answer) + 0.5 * (sentence.depth > 1)
    return score - 3.0 * (sentence.message in talk.refuted)
