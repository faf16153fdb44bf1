"""The code of a conversation that is worth keeping: one short block, with which it ends."""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory.core.digests.messages import Parts
from daily_memory.model import Code

MAX_CODE_LINES = 30
MAX_CODE_CHARS = 1500
_OUTPUT_LANGUAGES = frozenset({"log", "logs", "output", "text", "txt", "plaintext", "console"})


def code_of(parts: Sequence[Parts]) -> tuple[Code, ...]:
    """Return the last short block that the assistant wrote, which is the last version of it.

    The files hold the rest; what users paste is mostly what went wrong.
    """
    blocks = (block for part in parts if part.role == "assistant" for block in part.code)
    return tuple(block for block in blocks if _is_short(block))[-1:]


def _is_short(block: Code) -> bool:
    if block.language in _OUTPUT_LANGUAGES or not block.text.strip():
        return False
    return block.text.count("\n") < MAX_CODE_LINES and len(block.text) <= MAX_CODE_CHARS
