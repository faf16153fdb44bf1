"""How much a line is worth: its signs, each with a weight.

A sign is something that can be seen without understanding the line: what kind it is, where it is
in its message, what it names, and whether the other side spoke of it before. The weights are
fitted (logistic regression) to lines that a reader judged and to lines that hold a fact a reader
wrote down; `scripts/bench/fit_digest.py` fits them again and tells how well they do on
conversations that they were not fitted to. A score of 2.5 is an even chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.sentences import DECISION, POINT, Sentence
from daily_memory.core.digests.wording import terms_of, word_count

_MOST_WORDS, _SOME_WORDS = 14, 8
# In a conversation of so many sentences only the best is worth its place.
_LONG = 40
# Behind so many sentences a message repeats itself and lists everything.
_FAR = 8
_OTHER = {"user": "assistant", "assistant": "user"}


class LineSigns(NamedTuple):
    """What a line shows by its form; yes and no are 1 and 0, and shares are between them."""

    decision: float
    task: float  # the user chooses nothing: what came of it tells more
    opening: float  # the user begins: the topic and what came of it tell more
    behind: float  # how far behind the beginning of its message
    names: float  # a file, a number, code
    length: float  # of a point or a decision, in words, from a usual one: fragments say little
    taken_up: float  # the share of its words that the other side used before
    advice: float  # the assistant says what may, should or will be
    among_many: float  # of a long conversation
    late: float  # how late in the conversation
    interim: float  # not in the last message before the user speaks again


WEIGHTS = LineSigns(
    decision=1.07,
    task=-0.48,
    opening=-0.75,
    behind=-0.21,
    names=1.0,
    length=1.01,
    taken_up=0.83,
    advice=-0.52,
    among_many=-1.83,
    late=0.62,
    interim=-0.58,
)
# What a line without any sign has.
_PLAIN = 3.1


class Spoken(NamedTuple):
    """How long a conversation is, and who first used its words; messages have numbers."""

    sentences: int
    last: int
    first_use: dict[str, dict[str, int]]  # role → word → message


def words_of(spoken: Sequence[Sentence]) -> Spoken:
    """Return the words of the sentences."""
    first_use: dict[str, dict[str, int]] = {"user": {}, "assistant": {}}
    for sentence in spoken:
        for term in terms_of(sentence.text):
            first_use[sentence.role].setdefault(term, sentence.message)
    return Spoken(len(spoken), spoken[-1].message if spoken else 0, first_use)


def signs_of(kind: str, sentence: Sentence, terms: frozenset[str], spoken: Spoken) -> LineSigns:
    """Return the signs of a line of these words."""
    own, message, text = sentence.role == "user", sentence.message, sentence.text
    heard = spoken.first_use[_OTHER[sentence.role]]
    return LineSigns(
        decision=kind == DECISION,
        task=own and not cues.CHOOSES.search(text) and not cues.DECIDED.search(text),
        opening=own and not message,
        behind=log1p(sentence.place) + (sentence.place >= _FAR),
        names=bool(cues.NAMES.search(text)),
        length=kind in (POINT, DECISION)
        and (min(word_count(terms), _MOST_WORDS) - _SOME_WORDS) / 6,
        taken_up=sum(heard.get(term, message) < message for term in terms) / max(len(terms), 1),
        advice=not own and bool(cues.ADVICE.search(text)),
        among_many=min(spoken.sentences / _LONG, 1),
        late=message / max(spoken.last, 1),
        interim=not (own or sentence.is_answer),
    )


def score(signs: LineSigns) -> float:
    """Return what a line with these signs weighs."""
    return _PLAIN + sum(map(float.__mul__, map(float, signs), WEIGHTS))
