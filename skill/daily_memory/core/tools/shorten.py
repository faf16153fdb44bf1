"""Shortens texts for the record."""

from __future__ import annotations

MAX_LINE_CHARS = 200


def one_line(text: str) -> str:
    """Return a text as one line of at most MAX_LINE_CHARS."""
    return shortened(" ".join(text[: 4 * MAX_LINE_CHARS].split()), MAX_LINE_CHARS)


def shortened(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
