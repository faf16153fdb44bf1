"""What to hide, by the settings. A module of its own: a hook loads no more than this."""

from __future__ import annotations

import time

from daily_memory.core.redaction.privacy import Policy, redact
from daily_memory.core.redaction.user_patterns import Allowance
from daily_memory.core.settings import Settings
from daily_memory.errors import DamagedDataError

# A longer name of a conversation, or one that is no name, is replaced by its hash.
_NAME_CHARS = 100
_HEX = frozenset("0123456789abcdef-")


def policy(settings: Settings) -> Policy:
    """Return what to hide in what is saved; private blocks are hidden whatever the settings say.

    Raises:
        DamagedDataError: the settings that say what to hide can't be read.
    """
    if settings.closed:
        raise DamagedDataError(
            f"nothing can be recorded: {settings.closed}",
            hint="mend the file with an editor; `memory doctor` says what is wrong",
        )
    return known_policy(settings)


def known_policy(settings: Settings) -> Policy:
    """Return what is known of it, which is not all where the settings can't be read."""
    recording = settings.recording
    return Policy(
        secrets=recording.sanitize_sensitive,
        personal=recording.sanitize_sensitive,
        private_addresses=recording.redact_private_addresses,
        patterns=recording.redact_patterns,
        allow=recording.redact_allow,
        allowance=Allowance(time.thread_time),
    )


def clean_name(name: str, hide: Policy) -> str:
    """Return the name of a conversation, or always the same id in its place.

    It holds no secret, and any file system and shell can take it.
    """
    is_usual = len(name) <= _NAME_CHARS and (
        _HEX.issuperset(name) or (name.isprintable() and redact(name, hide).text == name)
    )
    if is_usual:
        return name
    import hashlib  # hosts make usual names

    return f"id-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:32]}"
