"""What a reply decides: the proposals that it agrees to, the options it picks, its own answer.

"OK, do it" and "B" say nothing by themselves: what they decide stands in the message before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from daily_memory.core.digests import cues, reply_cues
from daily_memory.core.digests.sentences import (
    CHOICE,
    NEXT,
    PROPOSAL,
    QUESTION,
    RESULT,
    Sentence,
    numeral,
)
from daily_memory.core.digests.wording import has_terms, terms_of, without_filler

_MOST_PROPOSALS = 4
_MOST_ANSWERS = 5
_LONGEST_CHOICE = 40
# A question that ends a message waits for the user; one further up was rhetorical.
_LAST_SENTENCES = 3


class Replies(NamedTuple):
    """Places of sentences, by what the replies make of them."""

    decided: frozenset[int] = frozenset()
    to_do: frozenset[int] = frozenset()


class _Line(NamedTuple):
    place: int
    said: Sentence
    asks: bool

    @property
    def text(self) -> str:
        return self.said.text


class _Before(NamedTuple):
    """A message of the assistant, by what it leaves to the user."""

    lines: tuple[_Line, ...] = ()
    proposed: tuple[_Line, ...] = ()
    asks_for_choice: bool = False
    asks_for_facts: bool = False

    @property
    def is_waiting(self) -> bool:
        """Whether the user is to say yes or no."""
        is_last = any(line in self.lines[-_LAST_SENTENCES:] for line in self.proposed)
        return self.asks_for_choice or is_last

    @property
    def leaves_open(self) -> bool:
        """Whether what the user says is likely to say how to go on."""
        weighs = any(cues.WEIGHS.search(line.text) for line in self.lines)
        return self.asks_for_choice or (not self.asks_for_facts and (bool(self.proposed) or weighs))


def replies_in(found: Sequence[Sentence]) -> Replies:
    """Return what was decided by a reply, and what the answers to "what is left?" name."""
    decided: set[int] = set()
    to_do: set[int] = set()
    messages = list(_messages(found))
    answers = [_before(messages, index) for index in range(len(messages))]
    for index, lines in enumerate(messages[1:], 1):
        asked = messages[index - 1]
        if asked[0].said.role == lines[0].said.role:
            continue
        if lines[0].said.role == "assistant":
            if any(reply_cues.ASKS_WHAT_IS_LEFT.search(line.text) for line in asked):
                to_do.update(line.place for line in _left(lines))
            continue
        earlier = answers[index - 3] if index > 2 else _Before()
        chosen = _decided(lines, answers[index - 1], earlier)
        # What somebody nodded to at the very end is work to do.
        is_end = index >= len(messages) - 2
        is_end = is_end and not any(reply_cues.AGREES.match(line.text) for line in lines)
        steps = {line.place for line in chosen if is_end and _is_step(line.said)}
        to_do |= steps
        decided.update(line.place for line in chosen if line.place not in steps)
    return Replies(frozenset(decided), frozenset(to_do - decided))


def _messages(found: Sequence[Sentence]) -> Iterator[tuple[_Line, ...]]:
    lines = (
        _Line(place, sentence, bool(cues.ASKS.search(sentence.text)))
        for place, sentence in enumerate(found)
    )
    for _, group in groupby(lines, key=lambda line: line.said.message):
        yield tuple(group)


def _before(messages: Sequence[tuple[_Line, ...]], index: int) -> _Before:
    """Return the message of this index; an empty one where it is none of the assistant."""
    if messages[index][0].said.role != "assistant":
        return _Before()
    lines = messages[index]
    asked = messages[index - 1] if index else ()
    proposed = _proposals(lines)
    if not proposed and any(reply_cues.ASKS_ADVICE.search(line.text) for line in asked):
        proposed = _advice(lines)
    questions = [line.text for line in lines[-_LAST_SENTENCES:] if line.asks]
    asks_for_facts = any(reply_cues.ASKS_FOR_FACTS.search(text) for text in questions)
    options = [line for line in lines if line.said.section == CHOICE and line.said.number]
    asks_for_choice = len(options) > 1 or (bool(questions) and not asks_for_facts)
    return _Before(lines, tuple(proposed), asks_for_choice, asks_for_facts)


def _is_step(sentence: Sentence) -> bool:
    """Tell whether what was agreed to is work to do and no choice."""
    is_proposal = sentence.role == "assistant" and sentence.number == ""
    return is_proposal and not reply_cues.CHOOSES.search(sentence.text)


def _decided(lines: Sequence[_Line], before: _Before, earlier: _Before) -> list[_Line]:
    """Return what a message of the user decides, in it or in one of the two answers before it."""
    decided: list[_Line] = []
    nods = before.is_waiting and _nods(lines[0].text)
    for count, line in enumerate(lines):
        if line.asks:
            continue
        picked = _picked(line.text, before.lines)
        decided += picked or _accepted(line.text, before, earlier, nods=nods and count == 0)
        is_answer = count < _MOST_ANSWERS and (nods or before.leaves_open)
        if is_answer and not picked and _answers(line.text):
            decided.append(line)
    return decided


def _nods(text: str) -> bool:
    return bool(reply_cues.BEGINS_WITH_YES.match(text) or reply_cues.FINDS_GOOD.match(text))


def _accepted(text: str, before: _Before, earlier: _Before, *, nods: bool) -> list[_Line]:
    """Return what of the messages before a sentence of the user agrees to."""
    if reply_cues.AGREES.match(text) or reply_cues.PICKS_ALL.search(text):
        # "Makes sense" is no order, and says nothing of what was proposed long before.
        is_order = not reply_cues.APPROVES.search(text)
        proposed = before.proposed or (earlier.proposed if is_order else ())
        return list(proposed) or (_last_said(before.lines) if is_order else [])
    if not before.proposed:
        return _named(text, before.lines) if _takes(text) else []
    # "OK, Postgres then" says the whole of it again.
    says_it = cues.DECIDED.search(text) or cues.USER_DECIDES.search(text)
    repeats = any(terms_of(text) & terms_of(line.text) for line in before.proposed)
    return list(before.proposed) if nods and not (says_it and repeats) else []


def _answers(text: str) -> bool:
    """Tell whether a text says how to go on, and not how it went or who has to be asked."""
    others = (reply_cues.REPORTS, reply_cues.COMMITS, cues.OPEN)
    is_other = reply_cues.GOES_ON.match(text) or any(cue.search(text) for cue in others)
    said = without_filler(reply_cues.AGREES.sub("", text))
    return not is_other and has_terms(said, 2)


def _picked(text: str, lines: Sequence[_Line]) -> list[_Line]:
    """Return the options that a text names by their numbers."""
    leading = reply_cues.BEGINS_WITH_NUMBERS.match(text)
    named = reply_cues.PICKS.search(text)
    first = reply_cues.PICKS_FIRST.search(text)
    numbers = reply_cues.NUMBER.findall(leading[0]) if leading else []
    numbers = [cues.NUMERALS.get(number.lower(), number) for number in numbers]
    numbers += [numeral(named)] if named else []
    numbers += map(str, range(1, int(numeral(first)) + 1)) if first else []
    said = [line for line in lines if not line.asks]
    numbered = {line.said.number: line for line in reversed(said)}
    # A list without numbers is counted through.
    items = [line for line in said if line.said.is_item and not line.said.number]
    for count, line in enumerate(items if first else [], 1):
        numbered.setdefault(str(count), line)
    return [numbered[number] for number in numbers if number in numbered]


def _proposals(lines: Sequence[_Line]) -> list[_Line]:
    """Return the sentences that propose something: the items below one, or the last by itself."""
    proposed: list[_Line] = []
    is_open = False
    for line in lines:
        text = reply_cues.ASKS_CONSENT.sub("", line.text)
        is_other = cues.ASKS.search(text) or reply_cues.CONDITIONAL.match(text)
        proposes = bool(reply_cues.PROPOSES.search(text)) and not is_other
        if line.said.is_item and (is_open or line.said.section == PROPOSAL):
            proposed.append(line)
        else:
            is_open = proposes and text.endswith((":", "："))
            proposed += [line] if proposes and not is_open else []
    strong = [line for line in proposed if line.said.is_item] or proposed[-1:]
    return strong[:_MOST_PROPOSALS]


def _advice(lines: Sequence[_Line]) -> list[_Line]:
    """Return what a message advises that was asked for advice: its list, or what is exact."""
    items = [line for line in lines if line.said.is_item]
    exact = [line for line in lines if cues.EXACT.search(line.text)]
    return [line for line in items or exact if _tells(line)][:_MOST_PROPOSALS]


def _takes(text: str) -> bool:
    """Tell whether a short text takes one thing by its name: "Lua it is", "import 吧"."""
    takes = reply_cues.FINDS_GOOD.match(text) or reply_cues.TAKES.search(text)
    return bool(takes) and len(text) <= _LONGEST_CHOICE


def _named(text: str, lines: Sequence[_Line]) -> list[_Line]:
    """Return the last sentence of a message that names what a text names, or weighs options."""
    named = terms_of(text)
    telling = [
        line
        for line in lines
        if not line.asks and (named & terms_of(line.text) or cues.WEIGHS.search(line.text))
    ]
    return telling[-1:]


def _last_said(lines: Sequence[_Line]) -> list[_Line]:
    """Return the last sentence of a message that says something by itself."""
    telling = [
        line
        for line in lines
        if _tells(line) and not cues.COURTESY.match(line.text) and "://" not in line.text
    ]
    return telling[-1:]


def _tells(line: _Line) -> bool:
    return not line.asks and has_terms(line.text, 3)


def _left(lines: Sequence[_Line]) -> list[_Line]:
    """Return what an answer to "what is left?" lists; where it lists nothing, what it proposes."""
    items = [line for line in lines if line.said.is_item]
    proposing = (reply_cues.PROPOSES, cues.TO_DO)
    said = [line for line in lines if any(cue.search(line.text) for cue in proposing)]
    return [line for line in items or said if line.said.section not in (QUESTION, NEXT, RESULT)]
