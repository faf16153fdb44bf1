"""What a reply of the user decides: which of the proposals before it were agreed to or picked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daily_memory.core import cues
from daily_memory.core.sentences import Sentence


def agreed_to(found: Sequence[Sentence]) -> frozenset[int]:
    """Return the places of the proposals that the user agreed to, and of the options picked."""
    places: set[int] = set()
    by_message: dict[int, list[int]] = {}
    for place, sentence in enumerate(found):
        by_message.setdefault(sentence.message, []).append(place)
    for sentence in found:
        before = by_message.get(sentence.message - 1, [])
        if sentence.role != "user" or not before or found[before[0]].role != "assistant":
            continue
        if cues.ASKS.search(sentence.text):
            continue
        if cues.AGREES.match(sentence.text):
            places.update(_proposals(found, before))
        picked = cues.PICKS.search(sentence.text)
        if picked:
            places.update(_options(found, before, _numeral(picked)))
    return frozenset(places)


def _numeral(match: re.Match[str]) -> str:
    mark = next(group for group in match.groups() if group).lower()
    return cues.NUMERALS.get(mark, mark)


def _proposals(found: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """Return the sentences that propose something: the items below one, or the last by itself."""
    proposed: list[int] = []
    is_open = False
    for place in places:
        text = cues.ASKS_CONSENT.sub("", found[place].text)
        proposes = bool(cues.PROPOSES.search(text)) and not cues.ASKS.search(text)
        if found[place].is_item and is_open:
            proposed.append(place)
        else:
            is_open = proposes and text.endswith((":", "："))
            proposed += [place] if proposes and not is_open else []
    strong = [place for place in proposed if found[place].is_item] or proposed[-1:]
    return strong[:4]


def _options(found: Sequence[Sentence], places: Sequence[int], picked: str) -> list[int]:
    for place in places:
        option = cues.OPTION.match(found[place].text)
        if option and _numeral(option) == picked:
            return [place]
    return []
