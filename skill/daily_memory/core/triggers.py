"""Finds which triggers occur in which texts, so that rules without triggers are skipped."""

from __future__ import annotations

import re
from _thread import allocate_lock
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, cached_property
from itertools import accumulate
from operator import add

from daily_memory.named_tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# From this length on it pays to gather the words of the texts.
_LONG = 10_000
# So short ones are in many words: to look at each text is quicker.
_COMMON = 2
# How many words are cached, and up to which length.
_MOST_WORDS, _LONGEST = 50_000, 64

# Triggers by the numbers of the texts that contain them.
Places = dict[int, list[str]]


class Search(NamedTuple):
    """A search, and what all texts hold in which it finds something.

    That is one of the `triggers`, a match of the `pattern`, which crosses no line end, and with
    `several_lines` a line end.
    """

    find: Callable[[Any], Iterable[Any]]
    triggers: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    several_lines: bool = False


class Batch:
    """Texts that are searched one after the other, in lower case.

    `written` are the same texts as they are written, for the patterns of searches.
    """

    def __init__(self, texts: Sequence[str], written: Sequence[str] = ()) -> None:
        self._texts = texts
        self._written = written or texts
        # By their ids, since to hash a thousand triggers takes longer than to search a short text;
        # kept with each, so that none is the id of others.
        self._found: dict[int, tuple[tuple[str, ...], Places]] = {}
        self._searches: dict[int, tuple[tuple[Search, ...], dict[int, list[Search]]]] = {}
        self._heads: dict[str, set[int]] = {}
        self._heads_known = 0

    def searches(self, table: tuple[Search, ...]) -> dict[int, list[Search]]:
        """Return for each text, by number, the searches that may find something."""
        known = self._searches.get(id(table))
        if known is None:
            if len(self._joined) >= _LONG:
                with _HELD.turn:
                    for search in table:
                        _HELD.learn(search.triggers)
            hopeful: dict[int, list[Search]] = {}
            for search in table:
                for number in self._hopeful(search):
                    hopeful.setdefault(number, []).append(search)
            known = self._searches[id(table)] = table, hopeful
        return known[1]

    def _hopeful(self, search: Search) -> Iterable[int]:
        numbers: Collection[int] = range(len(self._texts))
        if search.several_lines:
            numbers = [number for number in numbers if "\n" in self._texts[number]]
        if search.pattern and numbers:
            numbers = self._matched(search.pattern)
        if search.triggers and numbers:
            found = self.found(search.triggers)
            numbers = [number for number in numbers if number in found]
        return numbers

    def found(self, triggers: tuple[str, ...]) -> Places:
        """Return the triggers in each text, by number; no trigger has a line break.

        >>> Batch(["curl", "sign in", "log"]).found(("sign in", "log in", "curl"))
        {1: ['sign in'], 0: ['curl']}
        """
        known = self._found.get(id(triggers))
        if known is None:
            places: Places = {}
            for trigger, numbers in self._numbers(triggers):
                for number in numbers:
                    places.setdefault(number, []).append(trigger)
            known = self._found[id(triggers)] = triggers, places
        return known[1]

    def _matched(self, pattern: re.Pattern[str]) -> list[int]:
        """Return which texts a pattern matches; it crosses no line end."""
        joined = "\n".join(self._written)
        starts = list(accumulate((len(text) + 1 for text in self._written), initial=0))
        numbers: list[int] = []
        match = pattern.search(joined)
        while match:
            numbers.append(bisect_right(starts, match.start()) - 1)
            match = pattern.search(joined, starts[numbers[-1] + 1])
        return numbers

    def _numbers(self, triggers: tuple[str, ...]) -> Iterable[tuple[str, Iterable[int]]]:
        """Yield the triggers that occur, with the numbers of their texts."""
        texts, joined = self._texts, self._joined
        heads = self._heads_of(triggers) if len(joined) >= _LONG else None
        for trigger in triggers:
            if heads is None or (len(trigger) <= _COMMON and trigger.isascii()):
                if trigger in joined:
                    yield trigger, [number for number, text in enumerate(texts) if trigger in text]
            elif numbers := heads.get(_head(trigger)):
                is_whole = _head(trigger) == trigger
                yield trigger, [n for n in sorted(numbers) if is_whole or trigger in texts[n]]

    @cached_property
    def _joined(self) -> str:
        return "\n".join(self._texts)

    def _heads_of(self, triggers: tuple[str, ...]) -> dict[str, set[int]]:
        """Return which texts contain the heads of these and all earlier triggers."""
        words = self._words
        with _HELD.turn:
            _HELD.learn(triggers)
            if self._heads_known != len(_HELD.known):
                self._heads_known = len(_HELD.known)
                self._heads = {}
                for number, own in enumerate(words):
                    # Nearly all words contain none.
                    for head in set().union(*map(_HELD.__getitem__, own)):
                        self._heads.setdefault(head, set()).add(number)
        return self._heads

    @cached_property
    def _words(self) -> list[set[str]]:
        return [set(text.split()) for text in self._texts]


class _Held(dict[str, tuple[str, ...]]):
    """Which heads of triggers each word contains, for all triggers so far.

    Most words of a text are in the next one too: to look for a thousand triggers in all of it takes
    ten times as long. Threads take turns.
    """

    def __init__(self) -> None:
        super().__init__()
        self.turn = allocate_lock()
        self.known: dict[int, tuple[str, ...]] = {}
        self._heads: dict[str, list[str]] = {}
        self._starts: frozenset[str] = frozenset()
        self._letters: frozenset[str] = frozenset()

    def learn(self, triggers: tuple[str, ...]) -> None:
        """Look for these triggers from now on."""
        if id(triggers) not in self.known:
            self.known[id(triggers)] = triggers
            self.clear()
            for head in dict.fromkeys(map(_head, triggers)):
                several = self._heads.setdefault(head[:_COMMON], [])
                if head not in several:
                    several.append(head)
            self._starts = frozenset(self._heads)
            self._letters = frozenset(start for start in self._heads if len(start) < _COMMON)

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(word) > _LONGEST:
            return self.heads_in(word)
        if len(self) >= _MOST_WORDS:
            self.clear()
        self[word] = found = self.heads_in(word)
        return found

    def heads_in(self, word: str) -> tuple[str, ...]:
        """Return the heads in a word."""
        line = f"\n{word}\n"
        heads = self._heads
        starts = self._starts.intersection(map(add, line, line[1:]))
        held = [head for start in starts for head in heads[start] if head in line]
        return (*held, *(() if line.isascii() else self._letters.intersection(line)))


_HELD = _Held()


@cache
def _head(trigger: str) -> str:
    """Return what the first word, on a line of its own, holds of a text that holds the trigger.

    >>> _head("log in"), _head(" test "), _head("curl")
    ('log\\n', '\\ntest\\n', 'curl')
    """
    first, *others = trigger.split()
    before = "\n" if trigger[0].isspace() else ""
    return before + first + ("\n" if others or trigger[-1].isspace() else "")
