"""What is to be hidden, by the settings. A module of its own: a hook loads no more than this."""

from __future__ import annotations

from daily_memory.core.redaction.privacy import Policy
from daily_memory.core.settings import Settings


def policy(settings: Settings) -> Policy:
    """Return what is to be hidden. Private blocks are hidden whatever the settings say."""
    recording = settings.recording
    return Policy(
        secrets=recording.sanitize_sensitive,
        personal=recording.sanitize_sensitive,
        private_addresses=recording.redact_private_addresses,
        patterns=recording.redact_patterns,
        allow=recording.redact_allow,
    )
