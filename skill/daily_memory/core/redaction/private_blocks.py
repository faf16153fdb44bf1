"""Private blocks, `<private>…</private>`, also across texts; an unclosed one hides the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.view import Redaction, View, has_any
from daily_memory.named_tuples import NamedTuple

KIND = "private"
TRIGGERS = ("private", "私密")

# A tag as written, escaped for HTML (once or twice), for JSON or for a URL.
_TAG = lazy_pattern(
    r"""
    (?: (?:<|&(?:amp;)*(?:lt|\#0*60|\#x0*3c);|\\u003c|%3c) \s*
        (?P<close>/|%2f)? \s* (?:private|私密)
        (?P<inside>(?:[\s/][^<>&%\\]*)?)
        (?:>|&(?:amp;)*(?:gt|\#0*62|\#x0*3e);|\\u003e|%3e)
    |   (?:【|(?P<title>[《〈]))\s*(?P<close_zh>/)?\s*(?:私密|private)\s*[】》〉]
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# `reason="x"` is an attribute; `key` in `<private key>` may be a word of a placeholder.
_ATTRIBUTES = lazy_pattern(r"\s*(?:[\w:-]+\s*=.*)?\Z", re.DOTALL)


class Tag(NamedTuple):
    """One tag; `unsure` where it is private only if a closing one follows."""

    start: int
    end: int
    opens: bool
    unsure: bool


def private_findings(views: Sequence[View]) -> list[list[Redaction]]:
    """Return the private blocks of each text; one may open in a text and close in a later one.

    An opening tag that nothing closes hides the rest of its text.
    """
    tags = [_tags(view) for view in views]
    closing = [number for number, own in enumerate(tags) if _excess_close(own) >= 0]
    found: list[list[Redaction]] = []
    inside = False
    for number, (view, own) in enumerate(zip(views, tags, strict=True)):
        # A later text may close a block that it did not open.
        goes_on = bool(closing) and closing[-1] > number
        findings, inside = _blocks(view, own, inside, goes_on=goes_on)
        found.append(findings)
    return found


def _tags(view: View) -> list[Tag]:
    if not has_any(view.lowered, TRIGGERS):
        return []
    tags = [tag for match in _TAG.finditer(view.text) if (tag := _tag(match)) is not None]
    last_close = max((tag.start for tag in tags if not tag.opens), default=0)
    return [tag for tag in tags if not tag.unsure or tag.start < last_close]


def _tag(match: re.Match[str]) -> Tag | None:
    inside = match["inside"] or ""
    closes = bool(match["close"] or match["close_zh"])
    if inside.rstrip().endswith("/") and not closes:
        return None  # <private/> holds nothing
    # 《private》 may be the title of a book.
    unsure = bool(match["title"] and not closes) or not _ATTRIBUTES.match(inside)
    return Tag(match.start(), match.end(), not closes, unsure)


def _excess_close(tags: Sequence[Tag]) -> int:
    """Return the number of the last tag that closes what the text did not open, or -1."""
    depth, last = 0, -1
    for number, tag in enumerate(tags):
        if tag.opens:
            depth += 1
        elif depth:
            depth -= 1
        else:
            last = number
    return last


def _blocks(
    view: View, tags: Sequence[Tag], inside: bool, *, goes_on: bool
) -> tuple[list[Redaction], bool]:
    """Return the blocks of one text, and whether the next text begins inside one."""
    findings: list[Redaction] = []
    length = len(view.text)
    if inside:
        last = _excess_close(tags)
        if last < 0:
            return ([Redaction(0, length, KIND)] if length else []), True
        findings.append(Redaction(0, tags[last].end, KIND))
        tags = tags[last + 1 :]
    depth = start = 0
    for tag in tags:
        if tag.opens:
            start = start if depth else tag.start
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                findings.append(Redaction(start, tag.end, KIND))
    if depth:
        findings.append(Redaction(start, length, KIND))
    return findings, bool(depth) and goes_on
