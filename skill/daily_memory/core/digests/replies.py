"""What a message makes of the one before it: what was chosen, answered or taken back.

"B" and "OK, do that" say nothing by themselves: what they decide is in the message before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from daily_memory.core.digests import cues
from daily_memory.core.digests.sentences import DECISION, QUESTION, Sentence
from daily_memory.core.digests.wording import has_terms, terms_of, without_lead, word_count

# A proposal or question that waits for an answer is at the end of a message.
_LAST = 3
# A reply of fewer terms says no more than what it agrees to.
_FEW_TERMS = 7
_FEW_WORDS = 3

# A sentence with its place among all of them.
_Placed = tuple[int, Sentence]


class Replies(NamedTuple):
    """What the messages say of each other; sentences and messages go by their numbers."""

    said_before: dict[int, frozenset[str]]  # message → the words of the other one that it answers
    settled: dict[int, str]  # sentence → its kind, where a reply decides on that
    answers: set[int]  # sentences that answer a question, in words of the question


def replies_in(spoken: Sequence[Sentence]) -> Replies:
    """Return what the messages of a conversation say of each other."""
    replies = Replies({}, dict.fromkeys(_taken_back(spoken), ""), set())
    numbered = groupby(enumerate(spoken), key=lambda pair: pair[1].message)
    words = {"user": frozenset[str](), "assistant": frozenset[str]()}
    for before, lines in pairwise(([], *(list(lines) for _, lines in numbered))):
        role, number = lines[0][1].role, lines[0][1].message
        replies.said_before[number] = words["user" if role == "assistant" else "assistant"]
        words[role] = _words(lines)
        if role == "user" and before and before[0][1].role == "assistant":
            replies.answers.update(_answering(lines, before))
            replies.settled.update(_settled(lines, before))
    return replies


def _words(lines: Sequence[_Placed]) -> frozenset[str]:
    return frozenset(term for _, line in lines for term in terms_of(line.text))


def _taken_back(spoken: Sequence[Sentence]) -> Iterator[int]:
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
    is_asked = any(set("?？") & set(x.text) or cues.PROPOSES.search(x.text) for _, x in end)
    # What leads to a question of the user's own answers nothing.
    own = max((place for place, line in lines if cues.ASKS.search(line.text)), default=-1)
    if is_asked and _words(lines[:_LAST]) & _words(end):
        yield from (place for place, _ in lines[:_LAST] if place > own)


def _settled(lines: Sequence[_Placed], before: Sequence[_Placed]) -> Iterator[tuple[int, str]]:
    """Yield what a reply makes of the sentences before it, and of itself."""
    for at, (place, reply) in enumerate(lines):
        if not cues.ASKS.search(reply.text):
            taken = _picked(reply.text, before) or (_agreed(reply.text, before) if not at else [])
            yield from ((option, DECISION) for option in taken)
            # "OK, then Postgres 16" says all of it.
            if taken and not (has_terms(reply.text, _FEW_TERMS) or cues.NAMES.search(reply.text)):
                yield place, ""
        if cues.OPEN.search(reply.text) or cues.LATER.search(reply.text):
            questions = [line for line in before[-_LAST:] if cues.ASKS.search(line[1].text)]
            yield from ((question, QUESTION) for question, _ in questions[-1:])


def _picked(text: str, before: Sequence[_Placed]) -> list[int]:
    """Return the places of the options that a reply names by their numbers."""
    pick = cues.PICKS.search(text)
    marks = next(filter(None, pick.groups()), "") if pick else ""
    numbers = {cues.numeral(mark) for mark in (marks, *marks) if mark}
    # "Option 2" is what is called so, if anything is, and not the second item of another list.
    options = [line for line in before if cues.OPTION.match(line[1].text)] or before
    return list({x.number: at for at, x in reversed(options) if x.number in numbers}.values())


def _agreed(text: str, before: Sequence[_Placed]) -> list[int]:
    """Return the places of the proposal at the end of a message that a reply agrees to."""
    # "OK, I aborted it and pushed again" tells something of its own.
    is_bare = word_count(terms_of(without_lead(text))) <= _FEW_WORDS
    proposes = [at for at, (_, line) in enumerate(before) if cues.PROPOSES.search(line.text)]
    if not (is_bare and proposes and cues.AGREES.match(text)):
        return []
    at = proposes[-1]
    if before[at][1].text.endswith((":", "：")):
        return [place for place, line in before[at + 1 :] if line.depth]
    return [before[at][0]] if at >= len(before) - _LAST else []
