"""Sentences that may be kept, with their kinds (decision, question, next step, point) and scores.

The speaker, the place in the message and the surrounding messages count more than the words: what
is left to do is in the last turns, and a decision is what the user chooses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from daily_memory.core.digests import cues, features, rules
from daily_memory.core.digests.replies import Replies, replies_in
from daily_memory.core.digests.sentences import DECISION, NEXT, OPTION, POINT, QUESTION, Sentence
from daily_memory.core.digests.wording import (
    MAX_POINT_CHARS,
    shortened,
    terms_of,
    without_lead,
    word_count,
)

# "Found the cause." and "找到原因了" have two, and say less than what follows them.
_FEWEST_WORDS = 2.5
_FEWEST_WORDS_OF_TASK = 7
# What an assistant does not know yet it finds out in its next messages.
_SOLVED_IN = 3


class Candidate(NamedTuple):
    """A line that a digest may hold; `order` is its place among all of them."""

    score: float
    order: int
    kind: str
    text: str
    terms: frozenset[str]
    features: features.LineFeatures | None = None  # why it has this score
    role: str = ""  # whose line it is


class _Talk(NamedTuple):
    """What a sentence is compared with; messages have numbers."""

    replies: Replies
    last: int
    end: int  # the place of the last sentence
    is_answered: bool  # with more than "noted"


def candidates(
    spoken: Sequence[Sentence], topic: str, tool_terms: frozenset[str], changes: Mapping[int, int]
) -> list[Candidate]:
    """Return the sentences that may be kept.

    `tool_terms` are the terms of the tools' records, `changes` how many times files were changed
    in the turn of a message.
    """
    last = max((sentence.message for sentence in spoken), default=0)
    is_answered = any(each.role == "assistant" and _is_content(each) for each in spoken)
    talk = _Talk(replies_in(spoken), last, len(spoken) - 1, is_answered)
    context = features.context_of(spoken, tool_terms, changes)
    found: list[Candidate] = []
    for order, sentence in enumerate(spoken):
        kind = _kind(order, sentence, talk)
        text = without_lead(cues.TAIL.sub("", sentence.text))
        own = sentence.role == "user"
        is_topic = own and kind == POINT and topic.removesuffix("…") in text
        if kind and text and not is_topic:
            terms = terms_of(text)
            decides = kind == DECISION and _decides(order, sentence, talk)
            line = features.features_of(kind, order, terms, context, decides=decides)
            score = features.score(line, sentence.role)
            short = shortened(text, MAX_POINT_CHARS)
            found.append(Candidate(score, order, kind, short, terms, line, sentence.role))
    return found


# ---------------------------------------------------------------------------- kinds


def _kind(order: int, sentence: Sentence, talk: _Talk) -> str:
    """Return the kind of a sentence, "" if it is not kept."""
    text = sentence.text
    is_last = order == talk.end and sentence.role == "assistant"
    if is_last and cues.ANNOUNCES.match(without_lead(text)):
        return NEXT  # the conversation ends here: it was not done
    if order in talk.replies.settled:
        return talk.replies.settled[order]
    if not _is_content(sentence):
        return ""
    is_late = 2 * sentence.message >= talk.last
    if sentence.section in (NEXT, OPTION):
        return NEXT * (is_late and sentence.section == NEXT)  # what was to do before is done
    if sentence.section:
        return sentence.section
    # What was asked before was answered.
    is_own = sentence.role == "user"
    is_last_question = sentence.message == talk.last and cues.ASKS.search(text)
    is_unsolved = is_late if is_own else sentence.message + _SOLVED_IN >= talk.last
    if is_last_question or (is_unsolved and cues.OPEN.search(text)):
        return QUESTION
    if is_own:
        return _kind_of_own(order, sentence, talk)
    if _is_decided(text):
        return DECISION
    return "" if cues.ASKS.search(text) else POINT


def _kind_of_own(order: int, sentence: Sentence, talk: _Talk) -> str:
    text = sentence.text
    if _is_decided(text) or rules.is_rule(text):
        return DECISION
    if not sentence.message:
        return "" if talk.is_answered else POINT  # else the topic and the answers tell it
    if sentence.message == talk.last or cues.LATER.search(text):
        return NEXT  # nobody answered: it is not done yet
    if cues.ASKS.search(text):
        return ""  # what was asked before was answered
    # An order of few words is an errand; a longer one says how it is to be.
    is_long = word_count(terms_of(text)) >= _FEWEST_WORDS_OF_TASK
    return DECISION if is_long or _decides(order, sentence, talk) else POINT


def _is_decided(text: str) -> bool:
    return bool(cues.DECIDED.search(text) and not cues.UNDECIDED.search(text))


def _decides(order: int, sentence: Sentence, talk: _Talk) -> bool:
    """Tell whether a sentence decides something, by its words or as an answer."""
    text = without_lead(sentence.text)
    if sentence.role != "user" or order in talk.replies.answers:
        return True
    is_choice = bool(cues.CHOOSES.search(text) and not cues.ASKS.search(text))
    return is_choice or _is_decided(text) or rules.is_rule(text)


def _is_content(sentence: Sentence) -> bool:
    text = without_lead(sentence.text)
    is_own = sentence.role == "user"
    is_talk = cues.SMALL_TALK.search(text) or (not is_own and cues.NARRATION.match(text))
    least = 1 if is_own or sentence.section else _FEWEST_WORDS
    return not is_talk and word_count(terms_of(text)) >= least
