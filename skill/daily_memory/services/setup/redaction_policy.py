"""What to redact, by the settings. Separate from `save`, since hooks load nothing else."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping

from daily_memory.core.redaction import privacy, view
from daily_memory.core.redaction.privacy import Policy, redact
from daily_memory.core.redaction.user_patterns import Allowance
from daily_memory.core.settings import Settings
from daily_memory.errors import DamagedDataError

# Only the beginning and the end of a longer text are kept, cut at a line.
END_CHARS = 20_000
LONG_CHARS = 4 * END_CHARS
# How deep, how many items and how many characters of a tool call are read.
_MOST_DEPTH = 6
_MOST_ITEMS = 200
_MOST_CHARS = 400_000
# May begin a private block, in text that is too long to be searched as a whole.
_PRIVATE_WORDS = ("private", "私密")
# A longer or odd conversation name is replaced by its hash.
_NAME_CHARS = 100
_HEX = frozenset("0123456789abcdef-")


def policy(settings: Settings) -> Policy:
    """Return what to hide in saved text; private blocks are hidden whatever the settings say."""
    if settings.closed:
        hint = "fix the file in an editor; `memory doctor` says what is wrong"
        raise DamagedDataError("nothing can be recorded: {}", settings.closed, hint=hint)
    return known_policy(settings)


def known_policy(settings: Settings) -> Policy:
    """Return the policy, even if the settings have a fault that stops recording."""
    recording = settings.recording
    return Policy(
        secrets=recording.sanitize_sensitive,
        personal=recording.sanitize_sensitive,
        private_addresses=recording.redact_private_addresses,
        patterns=recording.redact_patterns,
        allow=recording.redact_allow,
        allowance=Allowance(time.thread_time),
    )


def strict(hide: Policy) -> Policy:
    """Return a policy that hides secrets and personal data too, whatever the settings say."""
    return hide._replace(secrets=True, personal=True)


def clean_name(name: str, hide: Policy) -> str:
    """Return the name of a conversation, or a stable id if it is unusual or holds a secret.

    The result is safe in file names and shells.
    """
    is_usual = len(name) <= _NAME_CHARS and (
        _HEX.issuperset(name) or (name.isprintable() and redact(name, hide).text == name)
    )
    if is_usual:
        return name
    import hashlib  # rarely needed

    return f"id-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:32]}"


def redacted(text: str, hide: Policy) -> str:
    return privacy.redact(shortened(text), hide).text if text else ""


def redacted_values(values: list[object], hide: Policy) -> list[object]:
    """Return JSON values with all texts redacted together.

    A private block may open in one and close in another.
    """
    texts: list[str] = []
    free = _MOST_CHARS

    def taken(text: str) -> str:
        nonlocal free
        texts.append(shortened(text) if free > 0 else "")
        free -= len(texts[-1])
        return ""

    for value in values:
        _mapped(value, taken)
    hidden = iter(privacy.redact_all(texts, hide))
    return [_mapped(value, lambda _: next(hidden).text) for value in values]


def _mapped(value: object, change: Callable[[str], str], depth: int = 0) -> object:
    """Return a JSON value with each of its texts changed, in order, down to the depth limit."""
    if isinstance(value, str):
        return change(value)
    if depth >= _MOST_DEPTH:
        return None
    if isinstance(value, Mapping):
        items = list(value.items())[:_MOST_ITEMS]
        return {str(key): _mapped(item, change, depth + 1) for key, item in items}
    if isinstance(value, (list, tuple)):
        return [_mapped(item, change, depth + 1) for item in value[:_MOST_ITEMS]]
    return value


def decoded(value: object) -> object:
    """Return a JSON object or array parsed from a text; any other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def shortened(text: str) -> str:
    """Return the part of a text that is read: all, or its beginning and end.

    The left-out middle may open a private block that reaches into the end. If there may be one,
    only the text before it is kept.
    """
    if len(text) <= LONG_CHARS:
        return text
    places = private_places(text)
    if places:
        # A tag may be escaped, as in `&lt;private`, but not across lines.
        return text[: min(*places, 2 * END_CHARS)].rpartition("\n")[0]
    return _both_ends(text, 2 * END_CHARS)


def private_places(text: str) -> list[int]:
    """Return positions at or before which private blocks may begin or end."""
    lower = view.narrowed(view.without_invisible(text)).lower()
    return [place for place in map(lower.find, _PRIVATE_WORDS) if place >= 0]


def both_ends_of(text: str) -> str:
    return text if len(text) <= 2 * END_CHARS else _both_ends(text, END_CHARS)


def _both_ends(text: str, chars: int) -> str:
    # Cut at a line: no rule recognizes half a secret.
    head = text[:chars].rpartition("\n")[0]
    tail = text[-chars:].partition("\n")[2]
    return f"{head}\n…\n{tail}"
