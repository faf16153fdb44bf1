"""What has to stand in a text that a regular expression finds something in: a cheap look before it.

The way from a pattern to such literals is that of the prefilters of RE2 (Russ Cox, "Regular
Expression Matching with a Trigram Index", 2012), on the tree that the parser of `re` makes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

# So many literals are told one by one; more would take longer to look for than they save.
_MOST = 64
# More sets seldom rule out what these let through.
_SETS = 3
# What is common to fewer letters stands in every text.
_LEAST = 2

Literals = frozenset[str]


class _Part(NamedTuple):
    """What a part of a pattern matches: one of `exact`, or what holds one of each of `held`."""

    exact: Literals | None
    held: tuple[Literals, ...] = ()

    @property
    def best(self) -> Literals | None:
        """Return literals of which one stands in every match, the most telling ones."""
        return next(iter(self.telling), None)

    @property
    def telling(self) -> list[Literals]:
        """Return such literals, the most telling ones first."""
        held = self.held if self.exact is None else (self.exact,)
        return sorted(filter(_tells, held), key=_weight, reverse=True)


_EMPTY = _Part(frozenset([""]))
_ANYTHING = _Part(None)


def needed(pattern: str, flags: int) -> tuple[Literals, ...]:
    """Return sets of literals: of each, one stands in every text in which something is found.

    The text is meant as `folded` returns it. There may be no such set.

    >>> [sorted(one) for one in needed(r"(?:ignore|forget)\\s(?:all|any)\\sorders?", re.ASCII)]
    [['forget', 'ignore'], ['order'], ['all', 'any']]
    """
    return tuple(map(_shortest, _sequence(parsed(pattern, flags)).telling[:_SETS]))


def folded(text: str) -> str:
    """Return a text in lower case, as `re.IGNORECASE` compares letters."""
    return text.replace("İ", "i").replace("ı", "i").replace("ſ", "s").lower()


def parsed(pattern: str, flags: int = 0) -> Any:
    """Return the tree of a pattern, made by the parser of `re`."""
    # It has no public name, and a new one in 3.11.
    parser: Any = getattr(re, "_parser", None) or sys.modules["sre_parse"]
    return parser.parse(pattern, flags)


def _sequence(nodes: Iterable[Any]) -> _Part:
    held: list[Literals] = []
    run: Literals = frozenset([""])
    is_exact = True
    for operator, argument in nodes:
        part = _part(str(operator), argument)
        if part.exact is not None and len(run) * len(part.exact) <= _MOST:
            run = frozenset(first + second for first in run for second in part.exact)
            continue
        is_exact = False
        held += [run, *part.held]
        run = part.exact or frozenset([""])
    return _Part(run) if is_exact else _Part(None, (*held, run))


def _part(operator: str, argument: Any) -> _Part:
    if operator == "LITERAL":
        return _Part(frozenset([folded(chr(argument))]))
    if operator == "IN":
        return _one_of(argument)
    if operator == "SUBPATTERN":
        return _sequence(argument[-1])
    if operator == "BRANCH":
        return _branch([_sequence(choice) for choice in argument[1]])
    if operator in ("MAX_REPEAT", "MIN_REPEAT"):
        return _repeat(*argument)
    # These take no room: what stands before and behind them stands side by side.
    return _EMPTY if operator in ("AT", "ASSERT", "ASSERT_NOT") else _ANYTHING


def _one_of(choices: Sequence[Any]) -> _Part:
    if any(str(operator) != "LITERAL" for operator, _ in choices):
        return _ANYTHING
    return _Part(frozenset(folded(chr(code)) for _, code in choices))


def _branch(choices: Sequence[_Part]) -> _Part:
    exact = [choice.exact for choice in choices if choice.exact is not None]
    if len(exact) == len(choices):
        return _Part(frozenset().union(*exact))
    best = [choice.best for choice in choices]
    told = [one for one in best if one is not None]
    return _Part(None, (frozenset().union(*told),)) if len(told) == len(best) else _ANYTHING


def _repeat(least: int, most: int, nodes: Iterable[Any]) -> _Part:
    part = _sequence(nodes)
    if least == 0:
        is_optional = most == 1 and part.exact is not None
        return _Part(part.exact | {""}) if is_optional and part.exact else _ANYTHING
    if part.exact is None or most == 1:
        return part
    return _Part(None, (part.exact,))


def _shortest(literals: Literals) -> Literals:
    """Return the literals without those in which another one stands."""
    return frozenset(
        one for one in literals if not any(other in one for other in literals if other != one)
    )


def _tells(literals: Literals) -> bool:
    return len(literals) > 0 and min(map(_telling, literals)) >= _LEAST


def _telling(literal: str) -> int:
    """Return how much a literal tells: a sign or a Chinese character as much as two letters."""
    return sum(
        1 if letter.isascii() and (letter.isalnum() or letter.isspace()) else 2
        for letter in literal
    )


def _weight(literals: Literals) -> tuple[int, int]:
    return min(map(_telling, literals)), -len(literals)
