"""What the searches share: a place in a text, and the text as a reader sees it."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from daily_memory.core.lazy_pattern import lazy_pattern

# What stands where something was hidden; searches leave it alone.
MARK = lazy_pattern(r"\[REDACTED:[a-z0-9_]+\]")

# How far a pattern looks to the left and to the right of its trigger in a very long line.
_NEAR, _FAR = 600, 10_000

_WIDE = lazy_pattern("[０-９Ａ-Ｚａ-ｚ＝＿－＠．＋／]+")
_NARROW_BY = 0xFEE0

# What a reader does not see, or reads over, inside one word.
_INVISIBLE = (
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]+"
)
_GLUE = lazy_pattern(
    rf"""
      {_INVISIBLE}
    | \\\r?\n[ \t]*                                # a line that goes on
    | "[ \t\r\n]{{0,40}}\+[ \t\r\n]{{0,40}}"           # "one" + "text"
    | '[ \t\r\n]{{0,40}}\+[ \t\r\n]{{0,40}}'
    """,
    re.VERBOSE,
)
_PLAIN_HINT = r"\+[ \t\r\n]{0,40}[\"']|\\\r?\n"
_PLAIN_GLUE = lazy_pattern(_PLAIN_HINT)
_ANY_GLUE = lazy_pattern(f"{_INVISIBLE}|{_PLAIN_HINT}")


class Finding(NamedTuple):
    """Characters start..end (end not included) that are to be hidden, and what they are."""

    start: int
    end: int
    kind: str


class View(NamedTuple):
    """A text without what hides words from a search; `places` leads back, () where all is equal.

    `lowered` has the same length as `text`, so that a place in one is the place in the other.
    """

    text: str
    lowered: str
    places: tuple[int, ...] = ()


def view_of(text: str) -> View:
    """Return the text with full-width letters made narrow and invisible characters left out.

    >>> view_of("ｐａｓｓ\u200bword").text
    'password'
    """
    plain = text.isascii()
    narrow = text if plain else _WIDE.sub(_narrowed, text)
    places: tuple[int, ...] = ()
    if (_PLAIN_GLUE if plain else _ANY_GLUE).search(narrow):
        narrow, places = _without_glue(narrow)
    return View(narrow, _lowered(narrow), places)


def original(view: View, finding: Finding) -> Finding:
    """Return a finding in the view as the finding in the text that the view was made of."""
    if not view.places:
        return finding
    return Finding(view.places[finding.start], view.places[finding.end - 1] + 1, finding.kind)


def windows(view: View, triggers: Iterable[str]) -> list[tuple[int, int]]:
    """Return the stretches of text around the triggers in which a pattern is to be searched.

    A stretch is the line and the two that follow, or what is near of a very long line.
    """
    found: list[tuple[int, int]] = []
    for trigger in triggers:
        at = view.lowered.find(trigger)
        while at >= 0:
            found.append((_line_start(view.text, at), _line_end(view.text, at, lines=3)))
            at = view.lowered.find(trigger, max(at + 1, min(_line_end(view.text, at), at + _NEAR)))
    return _joined(found)


def _line_start(text: str, at: int) -> int:
    first = max(0, at - _NEAR)
    return max(first, text.rfind("\n", first, at) + 1)


def _line_end(text: str, at: int, lines: int = 1) -> int:
    last = min(len(text), at + _FAR)
    for _ in range(lines):
        end = text.find("\n", at, last)
        if end < 0:
            return last
        at = end + 1
    return end


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    result: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings in order, those that overlap as one with the kind of the first.

    >>> merged([Finding(4, 9, "password"), Finding(0, 6, "email")])
    [Finding(start=0, end=9, kind='email')]
    """
    result: list[Finding] = []
    for finding in sorted(findings, key=lambda found: (found.start, -found.end)):
        if result and finding.start < result[-1].end:
            last = result[-1]
            result[-1] = last._replace(end=max(last.end, finding.end))
        else:
            result.append(finding)
    return result


def _narrowed(match: re.Match[str]) -> str:
    return "".join(chr(ord(character) - _NARROW_BY) for character in match.group())


def _without_glue(text: str) -> tuple[str, tuple[int, ...]]:
    pieces: list[str] = []
    places: list[int] = []
    position = 0
    for match in _GLUE.finditer(text):
        pieces.append(text[position : match.start()])
        places.extend(range(position, match.start()))
        position = match.end()
    if not position:
        return text, ()
    places.extend(range(position, len(text)))
    return "".join((*pieces, text[position:])), tuple(places)


def _lowered(text: str) -> str:
    # "İ" is the one letter that grows when lowered; it would shift all that follows.
    return text.replace("İ", "I").lower()
