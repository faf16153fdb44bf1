"""A text as a reader sees it, with places in it: the input of all searches."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.triggers import Batch
from daily_memory.named_tuples import NamedTuple

# The mark of hidden text, which searches skip.
MARK = lazy_pattern(r"\[REDACTED:[a-z0-9_]+\]")

# How far a pattern looks to the left and to the right of its trigger in a very long line.
_NEAR, _FAR = 600, 10_000

# What is read as ASCII: full-width letters and signs, and the lines that a table is drawn with.
_WIDE_SIGNS = "＝＿－＠．＋／＃＄％＆＊＾｜～＜＞"
_NARROW_BY = 0xFEE0
_NARROW = {
    **{
        code: code - _NARROW_BY
        for first, last in ("０９", "ＡＺ", "ａｚ", *zip(_WIDE_SIGNS, _WIDE_SIGNS, strict=True))
        for code in range(ord(first), ord(last) + 1)
    },
    **dict.fromkeys(range(0x2500, 0x2580), ord("+")),
    **dict.fromkeys(map(ord, "─━┄┅┈┉╌╍═╴╶╸╺╼╾"), ord("-")),
    **dict.fromkeys(map(ord, "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"), ord("|")),
}
_WIDE_LETTERS = frozenset(map(chr, _NARROW))

# What a reader does not see. Looked for as a set: as a pattern it takes longer to compile than a
# text of common length takes to search.
_INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        (0xAD, 0xAD),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x2064),
        (0x2066, 0x2069),
        (0xFEFF, 0xFEFF),
        (0xE0000, 0xE007F),
    )
    for code in range(first, last + 1)
)
# What a reader reads over, inside one word.
_JOINTS = r"""
      \\\r?\n[ \t]*                                # a line that goes on
    | \x1b\[[0-9;]{0,16}m                             # a colour of a terminal
    | (?P<q>["'])(?:[ \t\r\n]{0,40}(?:\+|\.\.?|&)[ \t\r\n]{0,40}    # "one" + "text"
      |[ \t]{0,9}\\?\r?\n[ \t]{1,40})(?P=q)                          # "one" "text" on two lines
"""
_PLAIN_GLUE = lazy_pattern(_JOINTS, re.VERBOSE)
_ANY_GLUE = lazy_pattern(f"[{''.join(sorted(_INVISIBLE))}]+ |{_JOINTS}", re.VERBOSE)
# One of these is in all that may join.
_JOIN_HINTS = ('"', "'", "\\", "\x1b")
_MAY_JOIN = lazy_pattern(
    r"[+.&][ \t\r\n]{0,40}[\"']|\\\r?\n|[\"'][ \t]{0,9}\\?\r?\n[ \t]{1,40}[\"']|\x1b\["
)


class Redaction(NamedTuple):
    """Characters start..end (end not included) to hide, and what they are."""

    start: int
    end: int
    kind: str


class View(NamedTuple):
    """A text without what hides words from a search.

    `lowered` has the same length as `text`, so that a place in one is the place in the other.
    `cuts` lead back: from each place on so many characters of the original are left out. `number`
    is that of the text in its batch.
    """

    text: str
    lowered: str
    batch: Batch
    cuts: tuple[tuple[int, int], ...]
    number: int

    def found(self, triggers: tuple[str, ...]) -> Sequence[str]:
        """Return the triggers that occur in the text."""
        return self.batch.found(triggers).get(self.number, ())

    def near(self, triggers: tuple[str, ...]) -> list[tuple[int, int]]:
        """Return the stretches around the triggers; see `windows`."""
        found = self.batch.found(triggers).get(self.number)
        return windows(self, found) if found else []


def view_of(text: str) -> View:
    """Return the text with full-width letters made narrow and invisible characters left out."""
    return views_of((text,))[0]


def views_of(texts: Iterable[str]) -> list[View]:
    """Return such a view of each text; together they are one batch."""
    seen = [_seen(text) for text in texts]
    # "İ" is the one letter that grows when lowered; it would shift all that follows.
    lowered = [narrow.replace("İ", "I").lower() for narrow, _ in seen]
    batch = Batch(lowered, [narrow for narrow, _ in seen])
    return [
        View(narrow, low, batch, cuts, number)
        for number, ((narrow, cuts), low) in enumerate(zip(seen, lowered, strict=True))
    ]


def _seen(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    plain = text.isascii()
    narrow = text if plain else narrowed(text)
    cuts: tuple[tuple[int, int], ...] = ()
    if not plain and not _INVISIBLE.isdisjoint(narrow):
        narrow, cuts = _without(_ANY_GLUE, narrow)
    elif has_any(narrow, _JOIN_HINTS) and _MAY_JOIN.search(narrow):
        narrow, cuts = _without(_PLAIN_GLUE, narrow)
    return narrow, cuts


def narrowed(text: str) -> str:
    """Return the text with full-width letters and drawn lines as ASCII, of the same length."""
    return text if _WIDE_LETTERS.isdisjoint(text) else text.translate(_NARROW)


def without_invisible(text: str) -> str:
    """Return the text without what a reader does not see; no place in it is behind the original."""
    if text.isascii() or _INVISIBLE.isdisjoint(text):
        return text
    return "".join(character for character in text if character not in _INVISIBLE)


def original(view: View, finding: Redaction) -> Redaction:
    """Translate a finding in the view into one in the original text."""
    if not view.cuts:
        return finding
    start, end = _place(view, finding.start), _place(view, finding.end - 1) + 1
    return Redaction(start, end, finding.kind)


def _place(view: View, place: int) -> int:
    number = bisect_right(view.cuts, place, key=lambda cut: cut[0]) - 1
    return place + view.cuts[number][1] if number >= 0 else place


def has_any(text: str, hints: Iterable[str]) -> bool:
    """Tell whether a hint is in the text: quicker than to compile what it hints at."""
    # As an expression within `any` it takes twice the time.
    for hint in hints:  # noqa: SIM110
        if hint in text:
            return True
    return False


def windows(view: View, triggers: Iterable[str]) -> list[tuple[int, int]]:
    """Return the stretches of text around the triggers in which a pattern is to be searched.

    A stretch is the line and the two that follow, or what is near of a very long line.
    """
    return joined(span for trigger in triggers for span in around(view, trigger))


def around(view: View, trigger: str) -> list[tuple[int, int]]:
    """Return such stretches around one trigger."""
    found: list[tuple[int, int]] = []
    at = view.lowered.find(trigger)
    while at >= 0:
        start, end = _line_start(view.text, at), _third_end(view.text, at)
        # Where triggers are close together, one stretch takes them all in.
        while (last := view.lowered.rfind(trigger, at + 1, end)) > at:
            at, end = last, _third_end(view.text, last)
        found.append((start, end))
        at = view.lowered.find(trigger, max(at + 1, end - len(trigger)))
    return found


def _line_start(text: str, at: int) -> int:
    first = max(0, at - _NEAR)
    return max(first, text.rfind("\n", first, at) + 1)


def _third_end(text: str, at: int) -> int:
    """Return where the line ends that is two below."""
    last = min(len(text), at + _FAR)
    for _ in range(3):
        end = text.find("\n", at, last)
        if end < 0:
            return last
        at = end + 1
    return end


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the stretches in order, those that touch as one."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def merged(findings: Iterable[Redaction]) -> list[Redaction]:
    """Return the findings in order, those that overlap as one with the kind of the first."""
    result: list[Redaction] = []
    for finding in sorted(findings, key=lambda found: (found.start, -found.end)):
        if result and finding.start < result[-1].end:
            last = result[-1]
            result[-1] = last._replace(end=max(last.end, finding.end))
        else:
            result.append(finding)
    return result


def _without(glue: re.Pattern[str], text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    pieces: list[str] = []
    cuts: list[tuple[int, int]] = []
    position, left_out = 0, 0
    for match in glue.finditer(text):
        pieces.append(text[position : match.start()])
        position = match.end()
        cuts.append((match.start() - left_out, left_out + position - match.start()))
        left_out = cuts[-1][1]
    return "".join((*pieces, text[position:])), tuple(cuts)
