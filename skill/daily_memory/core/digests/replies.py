"""Replies: which question a reply answers, and which proposal it chooses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.sentences import DECISION, Sentence
from daily_memory.core.digests.wording import terms_of, without_lead, word_count

# A question that waits for an answer is at the end of a message.
_LAST = 3

# A longer reply says something of its own.
_FEW_WORDS = 3

# A sentence with its place among all of them.
_Placed = tuple[int, Sentence]


class Replies(NamedTuple):
    """What replies say about sentences, which have numbers."""

    answers: set[int]  # what answers a question, in words of the question
    settled: dict[int, str]  # sentence → its kind, "" for nothing to keep


def replies_in(spoken: Sequence[Sentence]) -> Replies:
    """Return what the replies of a conversation answer and choose."""
    replies = Replies(set(), {})
    numbered = groupby(enumerate(spoken), key=lambda pair: pair[1].message)
    for before, lines in pairwise(([], *(list(lines) for _, lines in numbered))):
        if lines[0][1].role == "user":
            replies.answers.update(_answering(lines, before))
            replies.settled.update(_settled(lines, before))
    return replies


def _answering(lines: Sequence[_Placed], before: Sequence[_Placed]) -> Iterator[int]:
    """Yield the sentences in which the user answers a question, using words of the question."""
    end = before[-_LAST:]
    is_asked = any(set("?？") & set(x.text) or cues.PROPOSES.search(x.text) for _, x in end)
    # What leads to a question of the user's own answers nothing.
    own = max((place for place, line in lines if cues.ASKS.search(line.text)), default=-1)
    if is_asked and _words(lines[:_LAST]) & _words(end):
        yield from (place for place, _ in lines[:_LAST] if place > own)


def _words(lines: Sequence[_Placed]) -> frozenset[str]:
    return frozenset(term for _, line in lines for term in terms_of(line.text))


def _settled(lines: Sequence[_Placed], before: Sequence[_Placed]) -> Iterator[tuple[int, str]]:
    """Yield the new kind of a proposal that a reply chooses, and of the reply."""
    place, reply = lines[0]
    # "1. the new one" names an item; a list that begins with "1." is the user's own.
    number = cues.number_of(reply.text) or (reply.number if len(lines) == 1 else "")
    taken = [at for at, line in before if number and line.number == number]
    if not taken and cues.AGREES.match(reply.text):
        taken = [at for at, line in reversed(before[-_LAST:]) if cues.PROPOSES.search(line.text)]
    if taken:
        bare = without_lead(reply.text)
        is_short = word_count(terms_of(bare)) <= _FEW_WORDS
        proposal = dict(before)[taken[0]].text
        if is_short and cues.CHOOSES.search(bare) and cues.LEAVES_OPEN.search(proposal):
            yield from ((taken[0], ""), (place, DECISION))  # "use 8080", of "3000 or 8080"
            return
        yield taken[0], DECISION
        if is_short and not cues.CHOOSES.search(reply.text):
            yield place, ""
