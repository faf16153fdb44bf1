"""JSON in which comments and trailing commas are allowed, as in an editor's settings."""

from __future__ import annotations

import json
import re

from daily_memory.core.lazy_pattern import lazy_pattern

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENT = lazy_pattern(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = lazy_pattern(rf"{_STRING}|,(?=\s*[\]}}])")


def parse_jsonc(text: str) -> object:
    """Return the value. Raises ValueError, with the line, where it is not JSON.

    >>> parse_jsonc('{"a": [1, 2,], // two\\n}')
    {'a': [1, 2]}
    """
    try:
        return json.loads(strip_comments(text))
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def strip_comments(text: str) -> str:
    """Return the text as plain JSON; each line stays on its line."""
    plain = _COMMENT.sub(_kept, text.lstrip("\ufeff"))
    return _LAST_COMMA.sub(_kept, plain)


def line_of_key(text: str, section: str, key: str) -> int:
    """Return the line, counted from 1, on which a section's key stands; 0 if it is not found."""
    start = text.find(f'"{section}"')
    place = text.find(f'"{key}"', start) if start >= 0 and key else start
    return text.count("\n", 0, place) + 1 if place >= 0 else 0


def _kept(match: re.Match[str]) -> str:
    token = match.group()
    return token if token[0] == '"' else "\n" * token.count("\n")
