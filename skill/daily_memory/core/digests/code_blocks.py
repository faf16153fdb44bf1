"""The code of a conversation that is worth keeping: the last version of each fenced block."""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory.core.digests.messages import Parts
from daily_memory.model import Code

MAX_CODE_LINES = 60
MAX_CODE_CHARS = 4000
MAX_CODE_BLOCKS = 3
_MAX_CODE_READ = 100
_MAX_PASTED_LINES = 15
_OUTPUT_LANGUAGES = frozenset({"log", "logs", "output", "text", "txt", "plaintext", "console"})


def code_of(parts: Sequence[Parts]) -> tuple[Code, ...]:
    """Return the last version of the last blocks of the assistant; else what the user wrote.

    What users paste is mostly what went wrong, what assistants write is the result.
    """
    for role, most_lines in (("assistant", MAX_CODE_LINES), ("user", _MAX_PASTED_LINES)):
        blocks = [
            block
            for part in parts
            if part.role == role
            for block in part.code
            if _is_kept(block, most_lines)
        ]
        newest: list[Code] = []
        for block in blocks[: -_MAX_CODE_READ - 1 : -1]:
            if not any(_is_version(block, other) for other in newest):
                newest.append(block)
        if newest:
            return tuple(reversed(newest[:MAX_CODE_BLOCKS]))
    return ()


def _is_kept(block: Code, most_lines: int) -> bool:
    lines = block.text.count("\n") + 1
    if block.language in _OUTPUT_LANGUAGES or not block.text.strip():
        return False
    return lines <= most_lines and len(block.text) <= MAX_CODE_CHARS


def _is_version(block: Code, other: Code) -> bool:
    """Tell whether two blocks are versions of one: half of the lines of the smaller are shared."""
    lines, others = (
        {line.strip() for line in code.text.split("\n") if len(line.strip()) > 2}
        for code in (block, other)
    )
    smaller = min(len(lines), len(others))
    return block.text == other.text or (smaller > 0 and 2 * len(lines & others) >= smaller)
