"""How much a line is worth: its signs, each with a weight.

A sign is something that can be seen without understanding the line: where it stands, what it names,
whether its words are those of the tools, and whether files were changed in its turn. What a user
says and what an assistant says are worth it for different reasons, so each has weights of its own.
They are fitted (logistic regression) to all the lines of 38 conversations, each judged by a reader
who had read the whole conversation and did not know which lines were kept;
`scripts/bench/fit_digest.py` fits them again and tells how well they do on conversations that they
were not fitted to. A score of 3.2 is an even chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.sentences import NEXT, QUESTION, Sentence
from daily_memory.core.digests.wording import without_lead, word_count

_MOST_WORDS, _SOME_WORDS = 14, 8
_MOST_CHANGES = 3


class LineSigns(NamedTuple):
    """What a line shows by its form; yes and no are 1 and 0, and shares are between them."""

    length: float  # in words, from a usual one: fragments say little
    opens: float  # ends in a colon: what it opens is left behind
    step: float  # is left open, or to do
    many: float  # of a long conversation only the best is worth its place
    decides: float  # says so, or answers a question
    # Of what a user says.
    listed: float = 0.0  # below a line that ends in a colon
    followed: float = 0.0  # how much is said behind it in its message
    link: float = 0.0
    # Of what an assistant says.
    names: float = 0.0  # a file, a number, code
    handled: float = 0.0  # the share of its words that the tools met
    changed: float = 0.0  # how much was changed in the turn that it reports on
    interim: float = 0.0  # not in the last message before the user speaks again
    late: float = 0.0  # how late in the conversation
    may_be: float = 0.0  # what may, can or will be, not what is
    itself: float = 0.0  # the assistant speaks of itself


WEIGHTS = {
    "user": LineSigns(
        length=0.93,
        opens=-1.21,
        step=0.88,
        many=-0.2,
        decides=1.35,
        listed=1.96,
        followed=-0.47,
        link=-2.32,
    ),
    "assistant": LineSigns(
        length=1.13,
        opens=-0.65,
        step=1.33,
        many=-0.77,
        decides=0.51,
        names=0.76,
        handled=0.5,
        changed=0.64,
        interim=-1.1,
        late=0.69,
        may_be=-0.68,
        itself=-0.5,
    ),
}
# What a line without any sign has.
_PLAIN = {"user": 3.24, "assistant": 4.24}
# Where nobody knows what the tools did (`save`), no line is the worse for it.
_NO_TOOLS_HANDLED, _NO_TOOLS_CHANGED = 0.4, 0.6


class LineContext(NamedTuple):
    """What the signs of a line are taken from; messages have numbers."""

    spoken: Sequence[Sentence]
    lengths: Mapping[int, int]  # message → its sentences
    handled: frozenset[str]  # words of the tools' records
    changes: Mapping[int, int]  # message → how many times files were changed in its turn


def context_of(
    spoken: Sequence[Sentence], handled: frozenset[str], changes: Mapping[int, int]
) -> LineContext:
    """Return a conversation as signs are taken from it."""
    # By their places: of a message where a long conversation was cut, only some are left.
    lengths = {sentence.message: sentence.place + 1 for sentence in spoken}
    return LineContext(spoken, lengths, handled, changes)


def signs_of(
    kind: str, order: int, terms: frozenset[str], context: LineContext, *, decides: bool
) -> LineSigns:
    """Return the signs of the sentence with this place, which has these words."""
    sentence = context.spoken[order]
    text = without_lead(sentence.text)
    common = LineSigns(
        length=(min(word_count(terms), _MOST_WORDS) - _SOME_WORDS) / 6,
        opens=_opens(text),
        step=kind in (NEXT, QUESTION),
        many=log1p(len(context.spoken)),
        decides=decides,
    )
    if sentence.role == "user":
        return common._replace(
            listed=bool(sentence.place) and _opens(context.spoken[order - 1].text),
            followed=log1p(context.lengths[sentence.message] - sentence.place - 1),
            link="://" in text,
        )
    changes = min(context.changes.get(sentence.message, 0), _MOST_CHANGES) / _MOST_CHANGES
    handled = len(terms & context.handled) / max(len(terms), 1)
    return common._replace(
        names=bool(cues.NAMES.search(text)),
        handled=handled if context.handled else _NO_TOOLS_HANDLED,
        changed=changes if context.handled else _NO_TOOLS_CHANGED,
        interim=not sentence.is_answer,
        late=sentence.message / max(context.spoken[-1].message, 1),
        may_be=bool(cues.MAY_BE.search(text)),
        itself=bool(cues.ITSELF.search(text)),
    )


def score(signs: LineSigns, role: str) -> float:
    """Return what a line with these signs weighs."""
    return _PLAIN[role] + sum(map(float.__mul__, map(float, signs), WEIGHTS[role]))


def _opens(text: str) -> bool:
    return text.rstrip("*_ ").endswith((":", "："))
