"""What a reply decides: the proposals that it agrees to, the options it picks, its own answer.

"OK, do it" and "B" say nothing by themselves: what they decide stands in the message before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from daily_memory.core import cues
from daily_memory.core.sentences import CHOICE, NEXT, PROPOSAL, QUESTION, Sentence, numeral
from daily_memory.core.wording import has_terms, terms_of, without_filler

_MOST_PROPOSALS = 4
_MOST_ANSWERS = 5
_LONGEST_CHOICE = 40
# A question that ends a message waits for the user; one further up was rhetorical.
_LAST_SENTENCES = 3


class Replies(NamedTuple):
    """Places of sentences, by what the replies of the user make of them."""

    decided: frozenset[int] = frozenset()
    to_do: frozenset[int] = frozenset()


def replies_in(found: Sequence[Sentence]) -> Replies:
    """Return what was decided by a reply, and what the answers to "what is left?" name."""
    decided: set[int] = set()
    to_do: set[int] = set()
    by_message: dict[int, list[int]] = {}
    for place, sentence in enumerate(found):
        by_message.setdefault(sentence.message, []).append(place)
    last = found[-1].message if found else 0
    for message, places in by_message.items():
        before, asked = (by_message.get(message - back, []) for back in (1, 2))
        if not before or found[before[0]].role == found[places[0]].role:
            continue
        if found[places[0]].role == "user":
            earlier = by_message.get(message - 3, [])
            is_advice = any(cues.ASKS_ADVICE.search(found[place].text) for place in asked)
            chosen = _decided(found, places, before, earlier, is_advice=is_advice)
            is_order = any(cues.AGREES.match(found[place].text) for place in places)
            is_last = message >= last - 1 and not is_order
            late = [place for place in chosen if is_last and _is_step(found[place])]
            to_do.update(late)
            decided.update(place for place in chosen if place not in late)
        elif any(cues.ASKS_WHAT_IS_LEFT.search(found[place].text) for place in before):
            to_do.update(_left(found, places))
    return Replies(frozenset(decided), frozenset(to_do - decided))


def _is_step(sentence: Sentence) -> bool:
    """Tell whether what was agreed to at the very end is work to do and no choice."""
    is_proposal = sentence.role == "assistant" and sentence.number == ""
    return is_proposal and not cues.CHOOSES.search(sentence.text)


def _decided(
    found: Sequence[Sentence],
    places: Sequence[int],
    before: Sequence[int],
    earlier: Sequence[int],
    *,
    is_advice: bool,
) -> list[int]:
    """Return what a message of the user decides, in it or in one of the two answers before it."""
    decided: list[int] = []
    proposed = _proposals(found, before) or (_advice(found, before) if is_advice else [])
    is_asked = _asks_for_choice(found, before)
    is_examined = any(cues.ASKS_FOR_FACTS.search(text) for text in _questions(found, before))
    is_open = is_asked or bool(proposed and set(proposed) & set(before[-_LAST_SENTENCES:]))
    first = found[places[0]].text
    nods = is_open and bool(cues.BEGINS_WITH_YES.match(first) or cues.FINDS_GOOD.match(first))
    # "OK, Postgres then" says the whole of it again.
    says_it = any(terms_of(first) & terms_of(found[place].text) for place in proposed) and bool(
        cues.DECIDED.search(first) or cues.USER_DECIDES.search(first)
    )
    for place in places:
        text = found[place].text
        if cues.ASKS.search(text):
            continue
        picked = _picked(found, text, before)
        agrees = cues.AGREES.match(text) or cues.PICKS_ALL.search(text)
        if picked:
            decided += picked
            continue
        if agrees:
            acts = not cues.APPROVES.search(text)
            decided += proposed or (acts and _proposals(found, earlier)) or []
            decided += _last_said(found, before) if acts and not decided else []
        elif not proposed and _names_choice(text):
            decided += _named(found, text, before)
        elif nods and not says_it and place == places[0]:
            decided += proposed
        is_free = is_asked or nods or (not is_examined and (proposed or _weighs(found, before)))
        is_answer = is_free and place in places[:_MOST_ANSWERS]
        decided += [place] if is_answer and _answers(text) else []
    return decided


def _asks_for_choice(found: Sequence[Sentence], places: Sequence[int]) -> bool:
    """Tell whether a message leaves it to the user how to go on."""
    asked = _questions(found, places)
    if asked and not any(cues.ASKS_FOR_FACTS.search(text) for text in asked):
        return True
    options = [place for place in places if found[place].section == CHOICE and found[place].number]
    return len(options) > 1


def _questions(found: Sequence[Sentence], places: Sequence[int]) -> list[str]:
    last = [found[place].text for place in places[-_LAST_SENTENCES:]]
    return [text for text in last if cues.ASKS.search(text)]


def _answers(text: str) -> bool:
    """Tell whether a text says how to go on, and not how it went or who has to be asked."""
    is_other = (
        cues.GOES_ON.match(text)
        or cues.REPORTS.search(text)
        or cues.COMMITS.search(text)
        or cues.OPEN.search(text)
    )
    said = without_filler(cues.AGREES.sub("", text))
    return not is_other and has_terms(said, 2)


def _picked(found: Sequence[Sentence], text: str, places: Sequence[int]) -> list[int]:
    """Return the options that a text names by their numbers."""
    leading = cues.BEGINS_WITH_NUMBERS.match(text)
    named = cues.PICKS.search(text)
    numbers = cues.NUMBER.findall(leading[0]) if leading else []
    numbers = [cues.NUMERALS.get(number.lower(), number) for number in numbers]
    numbers += [numeral(named)] if named else []
    first = cues.PICKS_FIRST.search(text)
    numbers += map(str, range(1, int(numeral(first)) + 1)) if first else []
    said = [place for place in places if not cues.ASKS.search(found[place].text)]
    numbered = {found[place].number: place for place in reversed(said)}
    # A list without numbers is counted through.
    items = [place for place in said if found[place].is_item and not found[place].number]
    for count, place in enumerate(items if first else [], 1):
        numbered.setdefault(str(count), place)
    return [numbered[number] for number in numbers if number in numbered]


def _proposals(found: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """Return the sentences that propose something: the items below one, or the last by itself."""
    proposed: list[int] = []
    is_open = False
    for place in places:
        text = cues.ASKS_CONSENT.sub("", found[place].text)
        proposes = bool(cues.PROPOSES.search(text)) and not cues.ASKS.search(text)
        proposes = proposes and not cues.CONDITIONAL.match(text)
        is_listed = found[place].is_item and (is_open or found[place].section == PROPOSAL)
        if is_listed:
            proposed.append(place)
        else:
            is_open = proposes and text.endswith((":", "："))
            proposed += [place] if proposes and not is_open else []
    strong = [place for place in proposed if found[place].is_item] or proposed[-1:]
    return strong[:_MOST_PROPOSALS]


def _names_choice(text: str) -> bool:
    """Tell whether a short text takes one thing by its name: "Lua it is", "import 吧"."""
    takes = cues.FINDS_GOOD.match(text) or cues.TAKES.search(text)
    return bool(takes) and len(text) <= _LONGEST_CHOICE


def _named(found: Sequence[Sentence], text: str, places: Sequence[int]) -> list[int]:
    """Return the last sentence of a message that names what a text names, or weighs options."""
    named = terms_of(text)
    telling = [
        place
        for place in places
        if not cues.ASKS.search(found[place].text)
        and (named & terms_of(found[place].text) or cues.WEIGHS.search(found[place].text))
    ]
    return telling[-1:]


def _advice(found: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """Return what a message advises that was asked for advice: its list, or what it says."""
    items = [place for place in places if found[place].is_item]
    exact = [place for place in places if cues.EXACT.search(found[place].text)]
    return [
        place
        for place in items or exact
        if not cues.ASKS.search(found[place].text) and has_terms(found[place].text, 3)
    ][:_MOST_PROPOSALS]


def _weighs(found: Sequence[Sentence], places: Sequence[int]) -> bool:
    """Tell whether a message sets ways to go on side by side."""
    return any(cues.WEIGHS.search(found[place].text) for place in places)


def _last_said(found: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """Return the last sentence of a message that says something by itself."""
    telling = [
        place
        for place in places
        if not cues.ASKS.search(found[place].text)
        and not cues.COURTESY.match(found[place].text)
        and has_terms(found[place].text, 3)
    ]
    return telling[-1:]


def _left(found: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """Return what an answer to "what is left?" lists; where it lists nothing, what it proposes."""
    items = [place for place in places if found[place].is_item]
    wanted = [
        place
        for place in items or places
        if items or cues.PROPOSES.search(found[place].text) or cues.TO_DO.search(found[place].text)
    ]
    return [place for place in wanted if found[place].section not in (QUESTION, NEXT)]
