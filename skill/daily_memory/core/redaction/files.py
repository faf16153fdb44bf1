"""Redacts the bytes of files: text, and lines of JSON. Without a secret, a file stays as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from daily_memory.core.format.exact import to_bytes, to_text
from daily_memory.core.redaction.privacy import Counts, Policy, redact, redact_each, sum_counts

_COMPACT = (",", ":")
_SPACED = (", ", ": ")


def redact_text(data: bytes, policy: Policy) -> tuple[bytes, Counts]:
    """Return the text of a file redacted, and how much was hidden of each kind."""
    return next(redact_texts([data], policy))


def redact_texts(texts: Sequence[bytes], policy: Policy) -> Iterator[tuple[bytes, Counts]]:
    """Yield each text redacted by itself, and how much was hidden of each kind."""
    results = redact_each(list(map(to_text, texts)), policy)
    for data, (text, counts) in zip(texts, results, strict=True):
        yield (to_bytes(text) if counts else data), counts


def redact_lines(
    data: bytes, policy: Policy, keep: frozenset[str] = frozenset()
) -> tuple[bytes, Counts]:
    """Return lines of JSON with their values redacted, but not those of the keys to keep."""
    lines = [_redact_line(line, policy, keep) for line in data.split(b"\n")]
    return b"\n".join([line for line, _ in lines]), sum_counts(counts for _, counts in lines)


def _redact_line(line: bytes, policy: Policy, keep: frozenset[str]) -> tuple[bytes, Counts]:
    try:
        before = json.loads(line)
    except (ValueError, RecursionError):
        return redact_text(line, policy)
    value, counts = _redact_value(before, policy, keep)
    if not counts:
        return line, ()
    # As it was written, since our own readers look for the beginning of a line.
    separators = _SPACED if b'": ' in line[:200] else _COMPACT
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    return text.encode("utf-8", "replace"), counts


def _redact_value(value: object, policy: Policy, keep: frozenset[str]) -> tuple[object, Counts]:
    if isinstance(value, str):
        return redact(value, policy)
    if isinstance(value, list):
        items = [_redact_value(item, policy, keep) for item in value]
        return [item for item, _ in items], sum_counts(counts for _, counts in items)
    if isinstance(value, dict):
        pairs = {
            key: (item, ()) if key in keep else _redact_value(item, policy, keep)
            for key, item in value.items()
        }
        counts = sum_counts(counts for _, counts in pairs.values())
        return {key: item for key, (item, _) in pairs.items()}, counts
    return value, ()
