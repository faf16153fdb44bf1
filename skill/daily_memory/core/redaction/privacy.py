"""Hides private blocks, secrets and personal data behind marks.

Everything that is saved passes here once (docs/ARCHITECTURE.md, rule 2).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from daily_memory.core.redaction import contexts, keys, layouts, names, personal, tokens
from daily_memory.core.redaction.private_blocks import TRIGGERS as PRIVATE
from daily_memory.core.redaction.private_blocks import private_findings
from daily_memory.core.redaction.user_patterns import (
    UNCHECKED,
    Allowance,
    is_match,
    pattern_findings,
)
from daily_memory.core.redaction.view import (
    MARK,
    Redaction,
    View,
    has_any,
    joined,
    merged,
    original,
    view_of,
    views_of,
)
from daily_memory.core.triggers import Search
from daily_memory.named_tuples import NamedTuple

Counts = tuple[tuple[str, int], ...]

# A longer text is withheld, as searching it may take too long.
MAX_CHARS = 16_000_000
# Hiding one thing may reveal another; a text that needs more rounds is withheld.
_MAX_ROUNDS = 6
# In a longer text, only this much around a mark is searched again.
_WHOLE, _NEAR = 20_000, 1_000
WITHHELD = "withheld"
REDACTED_TAG = "redacted"
# So many sessions have most of their words in common.
_TOGETHER = 100
# A longer tag is a text in the wrong place.
_LONGEST_TAG = 100


class Redacted(NamedTuple):
    """A text with marks such as `[REDACTED:aws_key]`, and how many of each kind there are."""

    text: str
    counts: Counts = ()


# Of a text that is withheld.
_NOTHING = Redacted(f"[REDACTED:{WITHHELD}]", ((WITHHELD, 1),))


class Policy(NamedTuple):
    """What to hide besides private blocks, which are always hidden.

    `patterns` are regular expressions whose matches are hidden, line by line, as long as their
    `allowance` lasts; with one that can't be used every text is withheld. `allow` are texts, or
    regular expressions that fit a whole match, which are never hidden.
    """

    secrets: bool = True
    personal: bool = True
    private_addresses: bool = True
    patterns: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    allowance: Allowance = Allowance()


def redact(text: str, policy: Policy) -> Redacted:
    """Return the text with everything hidden that the policy names; the rest is byte-identical.

    >>> redact("password = hunter2", Policy()).text
    'password = [REDACTED:password]'
    """
    return redact_all((text,), policy)[0]


def redact_all(texts: Sequence[str], policy: Policy) -> list[Redacted]:
    """Return each text redacted; a private block may open in one and close in a later one."""
    views = _views(texts)
    return [
        _redacted(text, view, blocks, policy)
        for text, view, blocks in zip(texts, views, private_findings(views), strict=True)
    ]


def redact_each(texts: Sequence[str], policy: Policy) -> Iterator[Redacted]:
    """Yield each text redacted by itself; many at once take half the time."""
    for first in range(0, len(texts), _TOGETHER):
        together = texts[first : first + _TOGETHER]
        for text, view in zip(together, _views(together), strict=True):
            yield _redacted(text, view, private_findings([view])[0], policy)


def redact_session(session: Session, policy: Policy) -> tuple[Session, Counts]:
    """Return the session with every text in it redacted, and how much was hidden of each kind."""
    return next(redact_sessions((session,), policy))


def redact_sessions(
    sessions: Sequence[Session], policy: Policy
) -> Iterator[tuple[Session, Counts]]:
    """Yield each session as `redact_session` returns it; many at once take half the time."""
    clean = {""}
    for first in range(0, len(sessions), _TOGETHER):
        yield from _redact_together(sessions[first : first + _TOGETHER], policy, clean)


def redact_tags(tags: Sequence[str], policy: Policy) -> tuple[str, ...]:
    """Return the tags; one that holds a secret, or held one with blanks, becomes `redacted`."""
    found = redact_all([*tags, *map(_spaced, tags)], policy)
    hides = [bool(form.counts) for form in found[len(tags) :]]
    return _tags([tag.text for tag in found[: len(tags)]], hides)


def _redact_together(
    sessions: Sequence[Session], policy: Policy, clean: set[str]
) -> Iterator[tuple[Session, Counts]]:
    texts = [[*_texts(session), *map(_spaced, session.tags)] for session in sessions]
    hidden: dict[str, Redacted] = {}
    private: set[str] = set()
    # Much of a session is empty, and times, tags and languages are the same in many of them.
    new = [text for text in dict.fromkeys(chain.from_iterable(texts)) if text not in clean]
    for text, view in zip(new, _views(new), strict=True):
        if has_any(view.lowered, PRIVATE):
            private.add(text)
        elif (redacted := _redacted(text, view, [], policy)).counts:
            hidden[text] = redacted
        elif len(text) <= _LONGEST_TAG:
            clean.add(text)
    for session, own in zip(sessions, texts, strict=True):
        # A private block may open in one text and close in a later one.
        is_private = not private.isdisjoint(own)
        yield _filled(session, redact_all(own, policy) if is_private else map(hidden.get, own))


def _filled(session: Session, results: Iterable[Redacted | None]) -> tuple[Session, Counts]:
    """Return the session with the results of its texts and spaced tags; None: it stays as it is."""
    results = list(results)
    count = len(results) - len(session.tags)
    as_is, spaced = results[:count], results[count:]
    cleaned: Session = session
    if any(as_is):
        own = zip(_texts(session), as_is, strict=True)
        cleaned = _refilled(session, iter([each.text if each else text for text, each in own]))
    code = [
        block._replace(language="") if MARK.search(block.language) else block
        for block in cleaned.code
    ]
    tags = _tags(cleaned.tags, [bool(each and each.counts) for each in spaced])
    counts = sum_counts(each.counts for each in as_is if each)
    return cleaned._replace(code=tuple(code), tags=tags), counts


def _texts(values: Iterable[object]) -> list[str]:
    """Return every text of some values and of the tuples among them, in order."""
    texts: list[str] = []
    for value in values:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, tuple):
            texts += _texts(value)
    return texts


def _refilled(value: Any, fill: Iterator[str]) -> Any:
    """Return the value with its texts taken from `fill`, in the order of `_texts`."""
    if isinstance(value, str):
        return next(fill)
    if not isinstance(value, tuple):
        return value
    items = [_refilled(item, fill) for item in value]
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def _spaced(tag: str) -> str:
    """Return a tag as it was before blanks became hyphens."""
    return tag.replace("-", " ")


def _tags(tags: Sequence[str], hides: Sequence[bool]) -> tuple[str, ...]:
    """Return the tags; `hides` tells which would, with blanks, hold a secret."""
    return tuple(
        dict.fromkeys(
            REDACTED_TAG if hides_one or len(tag) > _LONGEST_TAG or MARK.search(tag) else tag
            for tag, hides_one in zip(tags, hides, strict=True)
        )
    )


def _views(texts: Iterable[str]) -> list[View]:
    return views_of([text if len(text) <= MAX_CHARS else "" for text in texts])


def _redacted(text: str, view: View, blocks: list[Redaction], policy: Policy) -> Redacted:
    if len(text) > MAX_CHARS:
        return _NOTHING
    if not text:
        return Redacted(text)
    counts: list[Counts] = []
    try:
        # Nearly all texts have no trigger of any rule.
        if not (blocks or policy.patterns or _searches(view, policy)):
            return Redacted(text)
        findings = _findings(text, view, blocks, policy)
        for _ in range(_MAX_ROUNDS):
            if not findings:
                return Redacted(text, sum_counts(counts) if counts else ())
            if any(found.kind == UNCHECKED for found in findings):
                policy = policy._replace(patterns=())  # what they have not seen is hidden
            text = _hidden(text, findings)
            counts += [((found.kind, 1),) for found in findings]
            findings = _bared(text, _around(text, findings), policy)
    except Exception:  # noqa: BLE001  # fails closed: a fault of ours must not let a secret pass
        return _NOTHING
    return _NOTHING


def _around(text: str, hidden: Sequence[Redaction]) -> list[tuple[int, int]]:
    """Return the stretches in which hiding may have bared something; of a short text, all of it."""
    if len(text) < _WHOLE:
        return [(0, len(text))]
    near: list[tuple[int, int]] = []
    shift = 0
    for found in hidden:
        start = found.start + shift
        shift += len(found.kind) + len("[REDACTED:]") - (found.end - found.start)
        near.append((max(0, start - _NEAR), min(len(text), found.end + shift + _NEAR)))
    return joined(_whole_lines(text, *span) for span in joined(near))


def _whole_lines(text: str, first: int, last: int) -> tuple[int, int]:
    """Return a stretch that holds whole lines, unless they are long."""
    end = text.find("\n", last, last + _NEAR)
    return text.rfind("\n", max(0, first - _NEAR), first) + 1 or first, max(end, last)


def _bared(text: str, spans: Iterable[tuple[int, int]], policy: Policy) -> list[Redaction]:
    findings: list[Redaction] = []
    for start, end in spans:
        view = view_of(text[start:end])
        found = _findings(text[start:end], view, private_findings([view])[0], policy)
        findings += [
            Redaction(start + finding.start, start + finding.end, finding.kind) for finding in found
        ]
    return findings


def _findings(text: str, view: View, blocks: list[Redaction], policy: Policy) -> list[Redaction]:
    secrets = [found for found in _secrets(view, policy) if not _is_allowed(view, found, policy)]
    found = merged([original(view, found) for found in (*blocks, *secrets)])
    return _around_marks(text, found) if "[REDACTED:" in text else found


def _searches(view: View, policy: Policy) -> Sequence[Search]:
    """Return the searches that may find something in a text."""
    table = _table(policy.secrets, policy.personal, policy.private_addresses)
    return view.batch.searches(table).get(view.number, ())


def _secrets(view: View, policy: Policy) -> Iterator[Redaction]:
    for search in _searches(view, policy):
        yield from search.find(view)
    if policy.patterns:
        yield from pattern_findings(view.text, policy.patterns, policy.allowance)


@cache
def _table(secrets: bool, personal_data: bool, private_addresses: bool) -> tuple[Search, ...]:
    return (
        *(_SECRETS if secrets else ()),
        *(personal.SEARCHES if personal_data else ()),
        *(personal.ADDRESSES if private_addresses else ()),
    )


def _output_findings(view: View) -> Iterator[Redaction]:
    # No command has printed where no line ends: many need not load it.
    from daily_memory.core.redaction.command_output import output_findings

    yield from output_findings(view)


_SECRETS = (
    *(tokens.SEARCH, *names.SEARCHES, contexts.SEARCH, *layouts.SEARCHES, *keys.SEARCHES),
    Search(_output_findings, several_lines=True),
)


def _around_marks(text: str, findings: Sequence[Redaction]) -> list[Redaction]:
    """Return the findings with the marks that they touch taken in whole, less those within one."""
    marks = [match.span() for match in MARK.finditer(text)]
    ends = [end for _, end in marks]
    result: list[Redaction] = []
    for found in findings:
        touched = bisect_right(ends, found.start)
        within = touched < len(marks) and marks[touched][0] <= found.start
        if within and found.end <= ends[touched]:
            continue
        while touched < len(marks) and marks[touched][0] < found.end:
            start, end = marks[touched]
            found = found._replace(start=min(start, found.start), end=max(end, found.end))
            touched += 1
        result.append(found)
    return merged(result)


def _hidden(text: str, findings: Sequence[Redaction]) -> str:
    pieces, position = [], 0
    for found in findings:
        pieces += [text[position : found.start], f"[REDACTED:{found.kind}]"]
        position = found.end
    return "".join((*pieces, text[position:]))


def sum_counts(counts: Iterable[Counts]) -> Counts:
    """Return how many there are of each kind in all."""
    total: Counter[str] = Counter()
    for pairs in counts:
        total.update(dict(pairs))
    return tuple(sorted(total.items()))


def _is_allowed(view: View, found: Redaction, policy: Policy) -> bool:
    value = view.text[found.start : found.end]
    return any(value == allowed or is_match(allowed, value) for allowed in policy.allow)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from daily_memory.model import Session
