"""Regular expressions that users and projects give: which are taken, and a search that ends.

A match of `re` can't be interrupted. So a pattern is taken only if its form bounds the steps of one
search, a line is searched in stretches, and between these somebody looks at the clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import factorial, inf

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.view import Finding
from daily_memory.named_tuples import NamedTuple

KIND, UNCHECKED = "custom", "unchecked"
# A pattern sees so many characters of a line at a time, fewer where its steps grow with a power.
_STRETCHES = (4_000, 2_000, 1_000, 500, 250, 120, 60)
# So many steps in one stretch take about a tenth of a second.
_MOST_STEPS = 1e7
_MOST_CHARS = 500
# A longer repeat counts as one without an end.
_LONG = 200
# So many parts a group may make when its repeats are written out.
_MOST_PARTS = 2_000
# How long all patterns may search: at first, and more for each character of a text.
_FIRST_S, _PER_CHAR_S = 0.25, 5e-6


class Allowance:
    """How long patterns may still search; without a clock, for ever."""

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        self._clock = clock
        self._left = _FIRST_S
        self._since = 0.0

    def begin(self, text: str) -> None:
        self._left = max(self._left, 0.0) + len(text) * _PER_CHAR_S
        self._since = self._clock()

    def is_spent(self) -> bool:
        now = self._clock()
        self._left -= now - self._since
        self._since = now
        return self._left < 0


def pattern_findings(
    text: str, patterns: tuple[str, ...], allowance: Allowance
) -> Iterator[Finding]:
    """Yield what the patterns match, line by line; what no time is left for is hidden unchecked.

    Raises:
        ValueError: a pattern can't be used; what it would hide is not known.
    """
    if patterns:
        allowance.begin(text)
    for pattern in patterns:
        if pattern_fault(pattern):
            raise ValueError("a pattern can't be used")
        for found in _matches(text, pattern):
            if allowance.is_spent():
                yield Finding(found.start, len(text), UNCHECKED)
                return
            if found.kind == KIND:
                yield found


def _matches(text: str, pattern: str) -> Iterator[Finding]:
    """Yield each match, and before each stretch of a line where that begins."""
    compiled, size, start = re.compile(pattern), _stretch(pattern), 0
    for line in text.split("\n"):
        # Each stretch begins in the middle of the one before, so that no match falls between.
        for first in range(0, max(len(line) - size // 2, 1), size // 2):
            yield Finding(start + first, start + first, "")
            for match in compiled.finditer(line[first : first + size]):
                if match.group():
                    end = start + first + match.end()
                    yield Finding(start + first + match.start(), end, KIND)
        start += len(line) + 1


def is_match(pattern: str, value: str) -> bool:
    """Tell whether a pattern fits a whole value; one that can't be used, or not here, does not."""
    if pattern_fault(pattern) or len(value) > _stretch(pattern):
        return False
    return re.fullmatch(pattern, value) is not None


@lru_cache(maxsize=256)
def pattern_fault(pattern: str) -> str:
    """Return why a pattern can't be used, "" if it can."""
    if len(pattern) > _MOST_CHARS:
        return f"longer than {_MOST_CHARS} characters"
    try:
        re.compile(pattern)
        _stretch(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"not a regular expression ({error})"
    except ValueError as error:
        return str(error)
    return ""


@lru_cache(maxsize=256)
def _stretch(pattern: str) -> int:
    """Return how many characters of a line a pattern may see at a time."""
    form = _Reader(pattern).form()
    for chars in _STRETCHES:
        paths = form.paths * float(chars) ** form.open / factorial(form.open + 1)
        if chars * paths <= _MOST_STEPS:
            return chars
    raise ValueError("repeats within a repeat, or too many of them, may take for ever")


# ---------------------------------------------------------------------------- the form of a pattern


class _Form(NamedTuple):
    """What bounds the steps of a pattern: each text has at most `paths` ways through it, times its
    length for each of the `open` repeats. `first` is the letter that it begins with, if that is
    known; written out it has so many `parts`.
    """

    paths: float = 1.0
    open: int = 0
    first: str = ""
    parts: int = 1


_GROUP = lazy_pattern(
    r"\?(?:P<\w+>|(?P<back>P=\w+)|#[^)]*|<?[=!]|[:>]|(?P<flags>[a-zA-Z-]+):?|\((?P<if>[^)]*)\))"
)
_CLASS = lazy_pattern(r"\[\^?\]?(?:[^\]\\]|\\.)*\]", re.DOTALL)
_REPEAT = lazy_pattern(r"(?:[*+?]|\{(?P<least>[0-9]*)(?P<comma>,?)(?P<most>[0-9]*)\})[?+]?")


class _Reader:
    """Reads a pattern that `re` has compiled, so that its syntax is right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0

    def form(self) -> _Form:
        """Return the form of the choices from here to the end of their group."""
        choices = [self._sequence()]
        while self._pattern.startswith("|", self._place):
            self._place += 1
            choices.append(self._sequence())
        firsts = {choice.first for choice in choices}
        told = len(firsts) == len(choices) and "" not in firsts
        paths = [choice.paths for choice in choices]
        return _Form(
            max(paths) if told or len(choices) == 1 else sum(paths),
            max(choice.open for choice in choices),
            firsts.pop() if len(choices) == 1 else "",
            sum(choice.parts for choice in choices),
        )

    def _sequence(self) -> _Form:
        parts: list[_Form] = []
        while self._place < len(self._pattern) and self._pattern[self._place] not in "|)":
            parts.append(self._repeated(self._item()))
        paths = 1.0
        for part in parts:
            paths *= part.paths
        return _Form(
            paths,
            sum(part.open for part in parts),
            parts[0].first if parts else "",
            sum(part.parts for part in parts),
        )

    def _item(self) -> _Form:
        letter = self._pattern[self._place]
        if letter == "(":
            return self._group()
        if letter == "[":
            self._place = _CLASS.match(self._pattern, self._place).end()  # type: ignore[union-attr]  # it compiled
            return _Form()
        if letter == "\\":
            self._place += 2
            # What was found before is compared letter by letter.
            return _Form(open=1 if self._pattern[self._place - 1] in "123456789" else 0)
        self._place += 1
        return _Form(first="" if letter in ".^$" else letter.casefold())

    def _group(self) -> _Form:
        self._place += 1
        head = _GROUP.match(self._pattern, self._place)
        if head:
            if head["if"] or "x" in (head["flags"] or ""):
                raise ValueError("conditions and the flag x are not taken")
            self._place = head.end()
        form = self.form()
        self._place += 1
        back = bool(head and head["back"])
        return form._replace(open=form.open + back, parts=max(form.parts, 1) + 1)

    def _repeated(self, item: _Form) -> _Form:
        sign = _REPEAT.match(self._pattern, self._place)
        if not sign or sign.group() == "{}":
            return item
        self._place = sign.end()
        least, most = _bounds(sign)
        return self._repeated(_times(item, least, most))


def _bounds(sign: re.Match[str]) -> tuple[int, float]:
    if not sign.group().startswith("{"):
        return {"*": (0, inf), "+": (1, inf), "?": (0, 1)}[sign.group()[0]]
    least = int(sign["least"] or 0)
    if sign["most"]:
        return least, int(sign["most"])
    return least, inf if sign["comma"] else least


def _times(item: _Form, least: int, most: float) -> _Form:
    """Return the form of an item that is repeated."""
    first = item.first if least else ""
    if item.paths == 1 and not item.open and item.parts == 1:
        is_open = most - least > _LONG
        return _Form(1.0 if is_open else most - least + 1, int(is_open), first)
    if most == inf:
        if item.paths > 1 or item.open:
            return _Form(inf)
        return _Form(1.0, 1, first, item.parts * max(least, 1))
    if item.parts * most > _MOST_PARTS:
        return _Form(inf)
    paths = item.paths**most * (most - least + 1)
    return _Form(paths, int(item.open * most), first, int(item.parts * max(most, 1)))
