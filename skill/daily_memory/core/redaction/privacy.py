"""What must not be written down: private blocks, secrets and personal data, hidden behind marks.

Everything that is saved passes here once (docs/ARCHITECTURE.md, rule 2).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from daily_memory.core.batch import Batch
from daily_memory.core.redaction.names import credential_findings
from daily_memory.core.redaction.personal import personal_findings, private_address_findings
from daily_memory.core.redaction.private_blocks import private_findings
from daily_memory.core.redaction.tokens import token_findings
from daily_memory.core.redaction.user_patterns import (
    UNCHECKED,
    Allowance,
    is_match,
    pattern_findings,
)
from daily_memory.core.redaction.view import (
    MARK,
    Finding,
    View,
    joined,
    merged,
    original,
    view_of,
    views_of,
)
from daily_memory.named_tuples import NamedTuple

Counts = tuple[tuple[str, int], ...]

# A text beyond this is withheld as a whole: nobody has measured that we search it in time.
MAX_CHARS = 16_000_000
# Hiding one thing may bare another; a text that does not come to rest is withheld.
_MAX_ROUNDS = 6
# Of a longer text only what is so near to a mark is searched again.
_WHOLE, _NEAR = 20_000, 1_000
WITHHELD = "withheld"
REDACTED_TAG = "redacted"
# So many sessions have most of their words in common.
_TOGETHER = 20
# What is longer is no tag but a text that somebody put in its place.
_LONGEST_TAG = 100


class Redacted(NamedTuple):
    """A text with marks such as `[REDACTED:aws_key]`, and how many of each kind there are."""

    text: str
    counts: Counts = ()


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
    return _each(texts, views_of(map(_looked_at, texts)), policy, {""})


def _looked_at(text: str) -> str:
    return text if len(text) <= MAX_CHARS else ""


def _each(
    texts: Sequence[str], views: Sequence[View], policy: Policy, clean: set[str]
) -> list[Redacted]:
    """Return each text redacted. Those in `clean` are known to hold nothing; it gets more of them.

    Much of a session is empty, and times, tags and languages are the same in many of them.
    """
    blocks = private_findings(views)
    result = []
    for text, view, found in zip(texts, views, blocks, strict=True):
        if text in clean and not found:
            result.append(Redacted(text))
            continue
        result.append(_redacted(text, view, found, policy))
        if len(text) <= _LONGEST_TAG and not result[-1].counts and not found:
            clean.add(text)
    return result


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


def _redact_together(
    sessions: Sequence[Session], policy: Policy, clean: set[str]
) -> Iterator[tuple[Session, Counts]]:
    texts = [list(_texts(session)) for session in sessions]
    # What stands in no form of a tag either is to be found out at once too.
    forms = [_spaced(tag) for session in sessions for tag in session.tags]
    views = iter(views_of(map(_looked_at, (*chain.from_iterable(texts), *forms, REDACTED_TAG))))
    for session, own in zip(sessions, texts, strict=True):
        seen = list(islice(views, len(own)))
        redacted = _each(own, seen, policy, clean)
        cleaned = _refilled(session, iter([found.text for found in redacted]))
        tags = _redact_tags(cleaned.tags, policy, clean, seen[0].batch)
        yield cleaned._replace(tags=tags), sum_counts(found.counts for found in redacted)


def redact_tags(tags: Sequence[str], policy: Policy) -> tuple[str, ...]:
    """Return tags without those that hold a secret, or held one before blanks became hyphens."""
    return _redact_tags(tags, policy, {""})


def _redact_tags(
    tags: Sequence[str], policy: Policy, clean: set[str], batch: Batch | None = None
) -> tuple[str, ...]:
    """Do so; `batch` has all words of both forms."""
    forms = [form for tag in tags for form in (tag, _spaced(tag))]
    found = _each(forms, views_of(map(_looked_at, forms), batch), policy, clean)
    return tuple(
        REDACTED_TAG if as_is.counts or spaced.counts or len(tag) > _LONGEST_TAG else tag
        for tag, as_is, spaced in zip(tags, found[::2], found[1::2], strict=True)
    )


def _spaced(tag: str) -> str:
    return tag.replace("-", " ")


# ---------------------------------------------------------------------------- one text


def _redacted(text: str, view: View, blocks: list[Finding], policy: Policy) -> Redacted:
    if len(text) > MAX_CHARS:
        return _withheld()
    counts: list[Counts] = []
    try:
        findings = _findings(text, view, blocks, policy)
        for _ in range(_MAX_ROUNDS):
            if not findings:
                return Redacted(text, sum_counts(counts))
            if any(found.kind == UNCHECKED for found in findings):
                policy = policy._replace(patterns=())  # what they have not seen is hidden
            text = _hidden(text, findings)
            counts.append(_count(findings))
            findings = _bared(text, _around(text, findings), policy)
    except Exception:  # noqa: BLE001  # fails closed: a fault of ours must not let a secret pass
        return _withheld()
    return _withheld()


def _around(text: str, hidden: Sequence[Finding]) -> list[tuple[int, int]]:
    """Return the stretches in which hiding may have bared something; of a short text, all of it."""
    if len(text) < _WHOLE:
        return [(0, len(text))]
    spans: list[tuple[int, int]] = []
    shift = 0
    for found in hidden:
        start = found.start + shift
        shift += len(found.kind) + len("[REDACTED:]") - (found.end - found.start)
        first = max(0, start - _NEAR)
        first = max(first, text.rfind("\n", max(0, first - _NEAR), first) + 1)
        last = min(len(text), found.end + shift + _NEAR)
        end = text.find("\n", last, last + _NEAR)
        spans.append((first, end if end >= 0 else last))
    return joined(spans)


def _bared(text: str, spans: Iterable[tuple[int, int]], policy: Policy) -> list[Finding]:
    findings: list[Finding] = []
    for start, end in spans:
        view = view_of(text[start:end])
        found = _findings(text[start:end], view, private_findings([view])[0], policy)
        findings += [Finding(start + one.start, start + one.end, one.kind) for one in found]
    return findings


def _withheld() -> Redacted:
    return Redacted(f"[REDACTED:{WITHHELD}]", ((WITHHELD, 1),))


def _findings(text: str, view: View, blocks: list[Finding], policy: Policy) -> list[Finding]:
    secrets = [found for found in _searches(view, policy) if not _is_allowed(view, found, policy)]
    found = merged([original(view, found) for found in (*blocks, *secrets)])
    return _around_marks(text, found) if "[REDACTED:" in text else found


def _searches(view: View, policy: Policy) -> Iterator[Finding]:
    if policy.secrets:
        yield from token_findings(view)
        yield from credential_findings(view)
    if policy.personal:
        yield from personal_findings(view)
    if policy.private_addresses:
        yield from private_address_findings(view)
    yield from pattern_findings(view.text, policy.patterns, policy.allowance)


def _around_marks(text: str, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings with the marks that they touch taken in whole, less those within one."""
    marks = [match.span() for match in MARK.finditer(text)]
    ends = [end for _, end in marks]
    result: list[Finding] = []
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


def _hidden(text: str, findings: Sequence[Finding]) -> str:
    pieces, position = [], 0
    for found in findings:
        pieces += [text[position : found.start], f"[REDACTED:{found.kind}]"]
        position = found.end
    return "".join((*pieces, text[position:]))


def _count(findings: Iterable[Finding]) -> Counts:
    return sum_counts([((found.kind, 1),) for found in findings])


def sum_counts(counts: Iterable[Counts]) -> Counts:
    total: dict[str, int] = {}
    for kind, number in (pair for pairs in counts for pair in pairs):
        total[kind] = total.get(kind, 0) + number
    return tuple(sorted(total.items()))


def _is_allowed(view: View, found: Finding, policy: Policy) -> bool:
    value = view.text[found.start : found.end]
    return any(value == allowed or is_match(allowed, value) for allowed in policy.allow)


# ---------------------------------------------------------------------------- a session

# Each text field of a session stands in one of these; a test fails for one that does not.
TEXT_FIELDS = (
    "time",
    "topic",
    "summary",
    "conversation",
    "source",
    "project",
    "origin",
    "continues",
    "digest",
)
LIST_FIELDS = ("key_points", "decisions", "open_questions", "next_steps", "files", "tags")
PAIR_FIELDS = ("code", "notes")
OTHER_FIELDS = ("date", "number", "copy")


def _texts(session: Session) -> Iterator[str]:
    """Yield every text of a session, in the order of its fields."""
    for name in session._fields:
        value = getattr(session, name)
        if name in TEXT_FIELDS:
            yield value
        elif name in LIST_FIELDS:
            yield from value
        elif name in PAIR_FIELDS:
            for pair in value:
                yield from pair


def _refilled(session: Session, fill: Iterator[str]) -> Session:
    """Return the session with its texts taken from `fill`, in the order of `_texts`."""
    from daily_memory.model import Code, Note  # a hook redacts texts, and has no session yet

    changed: dict[str, Any] = {}
    for name in session._fields:
        value = getattr(session, name)
        if name in TEXT_FIELDS:
            changed[name] = next(fill)
        elif name in LIST_FIELDS:
            changed[name] = tuple(next(fill) for _ in value)
        elif name == "code":
            changed[name] = tuple(Code(_language(next(fill)), next(fill)) for _ in value)
        elif name == "notes":
            changed[name] = tuple(Note(next(fill), next(fill)) for _ in value)
    changed["tags"] = tuple(dict.fromkeys(map(_tag, changed["tags"])))
    return session._replace(**changed)


def _tag(tag: str) -> str:
    return REDACTED_TAG if MARK.search(tag) else tag


def _language(language: str) -> str:
    return "" if MARK.search(language) else language


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from daily_memory.model import Session
