"""Regular expressions of users and projects: which are accepted, and a search with a time limit.

`re` can't be interrupted. So a pattern is accepted only if its syntax bounds the steps of a search;
a line is searched in stretches, and the clock is checked after each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import factorial, inf, prod

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.view import Redaction
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled

KIND, UNCHECKED = "custom", "unchecked"
# A pattern sees so many characters of a line at a time, fewer where its steps grow with a power.
_STRETCHES = (4_000, 2_000, 1_000, 500, 250, 120, 60)
# So many steps in one stretch take about a tenth of a second.
_MOST_STEPS = 1e7
_MOST_CHARS = 500
# A longer repeat counts as one without an end.
_LONG = 200
# So often all groups may repeat, one within the other.
_MOST_TIMES = 2_000
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
) -> Iterator[Redaction]:
    """Yield the matches line by line; lines for which no time is left are hidden unchecked.

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
                yield Redaction(found.start, len(text), UNCHECKED)
                return
            if found.kind == KIND:
                yield found


def _matches(text: str, pattern: str) -> Iterator[Redaction]:
    """Yield each match, and before each stretch of a line where that begins."""
    compiled, size, start = re.compile(pattern), stretch(pattern), 0
    for line in text.split("\n"):
        # Each stretch begins in the middle of the one before, so that no match falls between.
        for first in range(0, max(len(line) - size // 2, 1), size // 2):
            yield Redaction(start + first, start + first, "")
            for match in compiled.finditer(line[first : first + size]):
                if match.group():
                    end = start + first + match.end()
                    yield Redaction(start + first + match.start(), end, KIND)
        start += len(line) + 1


def is_match(pattern: str, value: str) -> bool:
    """Tell whether a pattern fits a whole value; one that can't be used, or not here, does not."""
    if pattern_fault(pattern) or len(value) > stretch(pattern):
        return False
    return re.fullmatch(pattern, value) is not None


@lru_cache(maxsize=256)
def pattern_fault(pattern: str) -> str:
    """Return why a pattern can't be used, "" if it can."""
    if len(pattern) > _MOST_CHARS:
        return filled("longer than {} characters", _MOST_CHARS)
    try:
        re.compile(pattern)
        stretch(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return filled("not a regular expression ({})", error)
    except ValueError as error:
        return str(error)
    return ""


@lru_cache(maxsize=256)
def stretch(pattern: str) -> int:
    """Return how many characters of a line a pattern may see at a time."""
    cost = _cost(pattern)
    for chars in _STRETCHES:
        ways = cost.ways * float(chars) ** cost.open / factorial(cost.open + 1)
        if chars * ways <= _MOST_STEPS:
            return chars
    raise ValueError("repeats within a repeat, or too many of them, may take for ever")


class _Cost(NamedTuple):
    """What bounds the steps of a pattern: each text has at most `ways` through it, times its
    length for each of the `open` repeats.
    """

    ways: float = 1.0
    open: int = 0


# The pattern was compiled by `re`, so that its syntax is right.
_ITEM = lazy_pattern(
    r"""(?P<note>\(\?\#[^)]*\)) | (?P<back>\(\?P=\w+\)|\\[1-9])
      | (?P<open>\((?:\?(?:P<\w+>|<?[=!]|[:>]|(?P<flags>[a-zA-Z-]+):?|(?P<if>\([^)]*\))))?)
      | (?P<repeat>(?:[*+?]|\{(?!\})(?P<least>[0-9]*)(?P<comma>,?)(?P<most>[0-9]*)\})[?+]?)
      | \[\^?\]?(?:[^\]\\]|\\.)*\] | \\. | .""",
    re.VERBOSE | re.DOTALL,
)


def _cost(pattern: str) -> _Cost:
    """Return the cost of a pattern; raise ValueError for syntax that is not taken."""
    outer: list[list[list[_Cost]]] = []
    choices: list[list[_Cost]] = [[]]
    written_out, last = 1.0, ""
    for item in _ITEM.finditer(pattern):
        if item["open"]:
            if item["if"] or "x" in (item["flags"] or ""):
                raise ValueError("conditions and the flag x are not taken")
            outer.append(choices)
            choices = [[]]
        elif item["repeat"]:
            least, most = _bounds(item)
            choices[-1][-1] = _of_repeat(choices[-1][-1], least, most)
            written_out *= max(least if most == inf else most, 1) if last == ")" else 1
        elif item.group() == ")":
            cost = _of_choices(choices)
            choices = outer.pop()
            choices[-1].append(cost)
        elif item.group() == "|":
            choices.append([])
        elif not item["note"]:  # what was found before is compared letter by letter
            choices[-1].append(_Cost(open=int(item["back"] is not None)))
        last = item.group()
    return _of_choices(choices) if written_out <= _MOST_TIMES else _Cost(inf)


def _bounds(repeat: re.Match[str]) -> tuple[int, float]:
    if not repeat["repeat"].startswith("{"):
        return {"*": (0, inf), "+": (1, inf), "?": (0, 1)}[repeat["repeat"][0]]
    least = int(repeat["least"] or 0)
    return least, int(repeat["most"]) if repeat["most"] else inf if repeat["comma"] else least


def _of_choices(choices: list[list[_Cost]]) -> _Cost:
    return _Cost(
        sum(prod(cost.ways for cost in items) for items in choices),
        max(sum(cost.open for cost in items) for items in choices),
    )


def _of_repeat(item: _Cost, least: int, most: float) -> _Cost:
    if item == _Cost():
        is_open = most - least > _LONG
        return _Cost(1.0 if is_open else most - least + 1, int(is_open))
    if most > _LONG:
        return _Cost(inf)
    return _Cost(item.ways**most * (most - least + 1), int(item.open * most))
