"""What each sentence is (a decision, a question, a step, a point), and how much it weighs.

Who says a sentence, where in its message, and what the messages around it say count more than its
words:

- of what is left, the last message and the last list tell;
- a choice is a decision if it names a thing, says enough, or takes up a word of the answer before;
- sentences worth keeping name things, are no fragments, come late and early in their message, and
  say what was asked about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.digests import cues, rules, signs
from daily_memory.core.digests.replies import Replies, replies_in
from daily_memory.core.digests.sentences import DECISION, NEXT, OPTION, POINT, QUESTION, Sentence
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

# A decision that names nothing says by so many words what is decided.
_TELLING_WORDS = 3
# What comes after so many sentences of a user is mostly pasted.
_MOST_OWN_SENTENCES = 8
# What is ordered last begins the message.
_FIRST = 3


class Candidate(NamedTuple):
    """A line that a digest may hold; `order` is its place among all of them."""

    score: float
    order: int
    kind: str
    text: str
    terms: frozenset[str]
    is_logged: bool = False  # by somebody who wanted it kept
    signs: signs.LineSigns | None = None  # why it has this score
    rank: int = 0  # how many better points its message has


class _Talk(NamedTuple):
    """What a sentence is weighed against; messages go by their numbers."""

    replies: Replies
    last: int
    end: int  # the place of the last sentence
    late: int  # the last turn but one begins here
    steps: int  # the last message that lists what comes next


def candidates(spoken: Sequence[Sentence], topic: str, handled: frozenset[str]) -> list[Candidate]:
    """Return what of the sentences may be kept; `handled` are the words of the tools' records."""
    last = max((sentence.message for sentence in spoken), default=0)
    users = sorted({0, *(sentence.message for sentence in spoken if sentence.role == "user")})
    steps = max((sentence.message for sentence in spoken if sentence.section == NEXT), default=0)
    talk = _Talk(replies_in(spoken), last, len(spoken) - 1, users[-2:][0], steps)
    words = signs.words_of(spoken, handled)
    picked: dict[int, list[Candidate]] = defaultdict(list)
    for order, sentence in enumerate(spoken):
        settled = talk.replies.settled.get(order)
        kind = _kind(order, sentence, talk) if settled is None else settled
        text = _beyond(_said(sentence, kind), topic)
        is_useless = (
            (kind == DECISION and cues.ASKS.search(text))  # a question decides nothing
            or (kind == POINT and shares(text, topic, 0.5 if sentence.role == "user" else 0.7))
            or (kind == NEXT and _is_done(sentence, spoken))
        )
        if not (kind and text) or is_useless:
            continue
        group = picked[sentence.message]
        terms = terms_of(text)
        shown = signs.signs_of(kind, sentence, terms, talk.replies, words)
        score = signs.score(shown)
        text = shortened(text, MAX_POINT_CHARS)
        group.append(Candidate(score, order, kind, text, terms, signs=shown))
    return [candidate for group in picked.values() for candidate in _thinned(group)]


def _thinned(group: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the candidates of a message, its points with their ranks."""
    points = sorted((line for line in group if line.kind == POINT), key=lambda line: -line.score)
    yield from (line for line in group if line.kind != POINT)
    for rank, point in enumerate(points):
        yield point._replace(rank=rank)


# ---------------------------------------------------------------------------- kinds


def _kind(order: int, sentence: Sentence, talk: _Talk) -> str:
    """Return what a sentence is, "" for nothing to keep."""
    text = sentence.text
    if order == talk.end and sentence.role == "assistant" and _announces(text):
        return NEXT  # the conversation ends here: it was not done
    if not _is_content(sentence):
        return ""
    is_question = cues.ASKS.search(text)
    if sentence.section == NEXT:
        # A later list takes the place of an earlier one; of a list, what was left early is done.
        is_left = sentence.message >= (max(talk.steps, talk.late) if sentence.depth else talk.steps)
        return NEXT * (is_left and not (is_question or cues.DONE.search(text)))
    if sentence.section:
        return "" if sentence.section == OPTION else sentence.section
    if is_question:
        return QUESTION * (sentence.message == talk.last)  # what was asked before was answered
    is_late = 2 * sentence.message >= talk.last
    if is_late and cues.OPEN.search(text):
        return QUESTION
    is_own = sentence.role == "user" and sentence.place < _MOST_OWN_SENTENCES
    if is_own and rules.is_rule(text):
        return DECISION
    if is_own and sentence.message:
        return _kind_of_reply(order, sentence, talk, is_late=is_late)
    is_decided = cues.DECIDED.search(text) and not cues.UNDECIDED.search(text)
    return DECISION if is_decided else POINT


def _kind_of_reply(order: int, sentence: Sentence, talk: _Talk, *, is_late: bool) -> str:
    text = sentence.text
    refutes = cues.REFUTES.search(text)
    if is_late and cues.LATER.search(text):
        return NEXT
    if sentence.message == talk.last and sentence.place < _FIRST:
        # Nobody answered: it is not done yet.
        return QUESTION if refutes else NEXT
    if cues.ORDERS.search(text) or cues.UNDECIDED.search(text):
        return POINT
    terms = terms_of(text)
    before = talk.replies.said_before.get(sentence.message, frozenset())
    tells = cues.NAMED.search(text) or word_count(terms) >= _TELLING_WORDS or terms & before
    is_answer = order in talk.replies.answers and not refutes
    is_choice = cues.DECIDED.search(text) or (tells and cues.CHOOSES.search(text))
    return DECISION if is_choice or is_answer else POINT


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
    if cues.SMALL_TALK.search(bare) and not cues.NAMES.search(bare):
        return False
    is_assistant = sentence.role == "assistant"
    if is_assistant and not sentence.depth and cues.NARRATION.match(bare):
        return False
    is_short = sentence.section or (not is_assistant and sentence.message)
    return has_terms(bare, 1 if is_short or cues.ASKS.search(text) else 3)


def _said(sentence: Sentence, kind: str) -> str:
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
