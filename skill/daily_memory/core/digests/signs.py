"""How much a line is worth: its signs, each with a weight.

A sign is something that can be seen without understanding the line: what kind it is, where it is
in its message, what it names, and which of its words the user, the tools or a later message use.
The weights are fitted (logistic regression) to lines that a reader judged and to lines that hold a
fact a reader wrote down; `scripts/bench/fit_digest.py` fits them again and tells how well they do
on conversations that they were not fitted to. A score of 2.5 is an even chance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log1p
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.replies import Replies
from daily_memory.core.digests.sentences import DECISION, NEXT, POINT, QUESTION, Sentence
from daily_memory.core.digests.wording import terms_of, without_lead, word_count

_MOST_WORDS, _SOME_WORDS = 14, 8
# In a conversation of so many sentences only the best is worth its place.
_LONG = 40


class LineSigns(NamedTuple):
    """What a line shows by its form; yes and no are 1 and 0, and shares are between them."""

    decision: float
    question: float
    step: float
    behind: float  # how far behind the beginning of its message
    names: float  # a file, a number, code
    length: float  # of a point, in words, from a usual one: fragments say little
    answers: float  # takes up a word of the message before
    asked: float  # uses words that the user uses elsewhere, up to five
    told_later: float  # the share of its words that come again later
    handled: float  # the share of its words that the tools met
    done: float  # says that something was done or found out
    aside: float  # has something in brackets
    among_many: float  # of a long conversation
    interim: float  # not in the last message before the user speaks again


WEIGHTS = LineSigns(
    decision=1.51,
    question=0.98,
    step=1.03,
    behind=-0.22,
    names=0.92,
    length=1.02,
    answers=0.23,
    asked=0.25,
    told_later=-0.56,
    handled=0.66,
    done=0.57,
    aside=-0.46,
    among_many=-1.28,
    interim=-0.34,
)
# Where nobody knows what the tools met (`save`), no line is the worse for it.
_NO_TOOLS = 0.25
# What a line without any sign has.
_PLAIN = 2.77


class Spoken(NamedTuple):
    """The words of a conversation, by who used them and when last; messages have numbers."""

    sentences: int
    users: dict[str, int]  # word → how many messages of the user have it
    last: dict[str, int]  # word → the last message that has it
    handled: frozenset[str]  # words of the tools' records


def words_of(spoken: Sequence[Sentence], handled: frozenset[str]) -> Spoken:
    """Return the words of the sentences; `handled` are those of the tools' records."""
    last: dict[str, int] = {}
    users: dict[int, frozenset[str]] = defaultdict(frozenset)
    for sentence in spoken:
        terms = terms_of(sentence.text)
        last.update(dict.fromkeys(terms, sentence.message))
        if sentence.role == "user":
            users[sentence.message] |= terms
    counts = Counter(term for terms in users.values() for term in terms)
    return Spoken(len(spoken), counts, last, handled)


def signs_of(
    kind: str, sentence: Sentence, terms: frozenset[str], replies: Replies, spoken: Spoken
) -> LineSigns:
    """Return the signs of a line of these words."""
    text = without_lead(sentence.text)
    own = sentence.role == "user"
    answered = replies.said_before.get(sentence.message, frozenset())
    count = max(len(terms), 1)
    return LineSigns(
        decision=kind == DECISION,
        question=kind == QUESTION,
        step=kind == NEXT,
        behind=log1p(sentence.place),
        names=bool(cues.NAMES.search(text)),
        length=kind == POINT and (min(word_count(terms), _MOST_WORDS) - _SOME_WORDS) / 6,
        answers=bool(terms & answered),
        asked=min(sum(spoken.users.get(term, 0) > own for term in terms), 5) / 3,
        told_later=sum(spoken.last.get(term, 0) > sentence.message for term in terms) / count,
        handled=len(terms & spoken.handled) / count if spoken.handled else _NO_TOOLS,
        done=bool(cues.DONE.search(text)),
        aside="(" in text or "（" in text,
        among_many=min(spoken.sentences / _LONG, 1),
        interim=not (own or sentence.is_answer),
    )


def score(signs: LineSigns) -> float:
    """Return what a line with these signs weighs."""
    return _PLAIN + sum(map(float.__mul__, map(float, signs), WEIGHTS))
