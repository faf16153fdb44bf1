"""Which triggers occur in which texts: rules whose triggers are absent are skipped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from itertools import chain, pairwise

# From this length on it pays to gather the words of the texts.
_LONG = 4_000

# So short triggers are in many words: to look at each text is quicker.
_COMMON = 2

# All three letters in a row; two where one of them is not ASCII, as most Chinese words have two.
Grams = frozenset[tuple[str, ...]]
# Triggers by the numbers of the texts that hold them.
Places = dict[int, list[str]]


class Batch:
    """Texts in lower case that are searched one after the other."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        # By their ids, since to hash a thousand triggers takes longer than to search a short text;
        # kept with each, so that none is the id of others.
        self._found: dict[int, tuple[tuple[str, ...], Places]] = {}

    def found(self, triggers: tuple[str, ...]) -> Places:
        """Return which triggers occur in each text, by its number; none holds a line break.

        >>> Batch(["curl", "sign in", "log"]).found(("sign in", "log in", "curl"))
        {1: ['sign in'], 0: ['curl']}
        """
        known = self._found.get(id(triggers))
        if known is None:
            places: Places = {}
            for trigger in self._likely(triggers):
                for number in self._numbers(trigger):
                    places.setdefault(number, []).append(trigger)
            known = self._found[id(triggers)] = triggers, places
        return known[1]

    @cached_property
    def _joined(self) -> str:
        return "\n".join(self._texts)

    @cached_property
    def _is_long(self) -> bool:
        return len(self._joined) >= _LONG

    def _likely(self, triggers: tuple[str, ...]) -> Iterable[str]:
        """Return the triggers that may occur; all others occur in no text."""
        if not self._is_long:
            text = self._joined
            return [trigger for trigger in triggers if trigger in text]
        # To look for letters among all of them is quicker than to search a long text.
        grams = self._grams
        words = self._words
        return [
            trigger
            for trigger in triggers
            if _grams(trigger) <= grams and _parts(trigger)[0] in words
        ]

    def _numbers(self, trigger: str) -> Iterable[int]:
        """Return the numbers of the texts that hold the trigger."""
        texts = self._texts
        if not self._is_long or len(trigger) <= _COMMON:
            return [number for number, text in enumerate(texts) if trigger in text]
        parts = _parts(trigger)
        numbers = self._with_part(parts[0])
        if len(parts) > 1 or trigger != parts[0]:
            return [number for number in numbers if trigger in texts[number]]
        return numbers

    def _with_part(self, part: str) -> list[int]:
        """Return the numbers of the texts with a part of a trigger."""
        words, numbers = self._words, set()
        at = words.find(part)
        while at >= 0:
            # The part may begin or end with the line break.
            at += part[0] == "\n"
            end = words.find("\n", at)
            numbers.update(self._places[words[words.rfind("\n", 0, at) + 1 : end]])
            at = words.find(part, end)
        return sorted(numbers)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """In which texts each word is."""
        places: dict[str, list[int]] = {}
        for number, text in enumerate(self._texts):
            for word in set(text.split()):
                places.setdefault(word, []).append(number)
        return places

    @cached_property
    def _words(self) -> str:
        """Each word on a line of its own."""
        return "\n".join(("", *self._places, ""))

    @cached_property
    def _grams(self) -> Grams:
        """All letters of words that follow each other."""
        wide = "\n".join(("", *[word for word in self._places if not word.isascii()], ""))
        return frozenset(chain(_threes_of(self._words), pairwise(wide)))


def _threes_of(text: str) -> Iterable[tuple[str, ...]]:
    return zip(text, text[1:], text[2:], strict=False)


@cache
def _parts(trigger: str) -> tuple[str, ...]:
    """Return what the words of a text hold, each on its line, if it holds the trigger.

    >>> _parts("log in"), _parts(" test "), _parts("curl")
    (('log\\n', '\\nin'), ('\\ntest\\n',), ('curl',))
    """
    words = [f"\n{word}\n" for word in trigger.split()]
    if words and not trigger[0].isspace():
        words[0] = words[0][1:]
    if words and not trigger[-1].isspace():
        words[-1] = words[-1][:-1]
    return tuple(words)


@cache
def _grams(trigger: str) -> Grams:
    parts = _parts(trigger)
    pairs = [tuple(part) for part in parts if len(part) == 2 and not part.isascii()]
    return frozenset(chain(*map(_threes_of, parts), pairs))
