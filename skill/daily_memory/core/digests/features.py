"""The features of a line, and its score: how likely it is worth keeping.

Features need no understanding of the line: its place, what it names, whether its words occur in the
tools' records, and whether files were changed in its turn. The lines of users and assistants have
separate weights, fitted by logistic regression to all lines of 38 conversations. Each was judged by
a reader of the whole conversation, who did not know which lines were kept. A score of 3.2 is an
even chance. `scripts/bench/fit_digest.py` fits the weights again, with cross-validation.
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


class LineFeatures(NamedTuple):
    """The features of a line; yes and no are 1 and 0, shares are in between."""

    length: float  # in words, compared with a usual line: fragments say little
    opens: float  # ends in a colon: what follows is not with it
    step: float  # an open question, or something to do
    many: float  # sentences of the conversation: of many, few are kept
    decides: float  # says so, or answers a question
    # Of what a user says.
    listed: float = 0.0  # below a line that ends in a colon
    followed: float = 0.0  # how much follows in its message
    link: float = 0.0
    # Of what an assistant says.
    names: float = 0.0  # a file, a number, code
    tool_share: float = 0.0  # the share of its words that the tools' records have
    changed: float = 0.0  # how much was changed in its turn
    interim: float = 0.0  # not in the last message before the user speaks again
    late: float = 0.0  # how late in the conversation
    may_be: float = 0.0  # what may, can or will be, not what is
    itself: float = 0.0  # the assistant speaks of itself


WEIGHTS = {
    "user": LineFeatures(
        length=0.93,
        opens=-1.21,
        step=0.88,
        many=-0.2,
        decides=1.35,
        listed=1.96,
        followed=-0.47,
        link=-2.32,
    ),
    "assistant": LineFeatures(
        length=1.13,
        opens=-0.65,
        step=1.33,
        many=-0.77,
        decides=0.51,
        names=0.76,
        tool_share=0.5,
        changed=0.64,
        interim=-1.1,
        late=0.69,
        may_be=-0.68,
        itself=-0.5,
    ),
}
# The score of a line without any of the features.
_PLAIN = {"user": 3.24, "assistant": 4.24}
# Without records of tools (`save`): a usual value.
_NO_TOOLS_SHARE, _NO_TOOLS_CHANGED = 0.4, 0.6


class TalkContext(NamedTuple):
    """The conversation that features are computed from; messages have numbers."""

    spoken: Sequence[Sentence]
    lengths: Mapping[int, int]  # message → its sentences
    tool_terms: frozenset[str]  # words of the tools' records
    changes: Mapping[int, int]  # message → how many times files were changed in its turn


def context_of(
    spoken: Sequence[Sentence], tool_terms: frozenset[str], changes: Mapping[int, int]
) -> TalkContext:
    # By their places: the message where a long conversation was cut has lost some.
    lengths = {sentence.message: sentence.place + 1 for sentence in spoken}
    return TalkContext(spoken, lengths, tool_terms, changes)


def features_of(
    kind: str, order: int, terms: frozenset[str], context: TalkContext, *, decides: bool
) -> LineFeatures:
    """Return the features of the sentence at this place, which has these terms."""
    sentence = context.spoken[order]
    text = without_lead(sentence.text)
    common = LineFeatures(
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
    share = len(terms & context.tool_terms) / max(len(terms), 1)
    return common._replace(
        names=bool(cues.NAMES.search(text)),
        tool_share=share if context.tool_terms else _NO_TOOLS_SHARE,
        changed=changes if context.tool_terms else _NO_TOOLS_CHANGED,
        interim=not sentence.is_answer,
        late=sentence.message / max(context.spoken[-1].message, 1),
        may_be=bool(cues.MAY_BE.search(text)),
        itself=bool(cues.ITSELF.search(text)),
    )


def score(features: LineFeatures, role: str) -> float:
    """Return the score of a line with these features."""
    return _PLAIN[role] + sum(map(float.__mul__, map(float, features), WEIGHTS[role]))


def _opens(text: str) -> bool:
    return text.rstrip("*_ ").endswith((":", "："))
