"""JSON with comments and trailing commas, as in the settings of editors."""

from __future__ import annotations

import json
import re

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.text import filled

# An unclosed string ends with its line; otherwise the search would be quadratic.
_STRING = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
_COMMENT = lazy_pattern(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = lazy_pattern(rf"{_STRING}|,(?=\s*[\]}}])", re.DOTALL)


def parse_jsonc(text: str) -> object:
    """Return the value; raise ValueError for invalid JSON or a duplicate key.

    >>> parse_jsonc('{"a": [1, 2,], // two\\n}')
    {'a': [1, 2]}
    """
    plain = strip_comments(text)

    def read(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) < len(pairs):
            # `json` would silently take the last one.
            seen: set[str] = set()
            key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # it is false
            place = plain.rfind(json.dumps(key, ensure_ascii=False))
            raise json.JSONDecodeError(filled("{!r} occurs twice", key[:60]), plain, max(place, 0))
        return members

    try:
        return json.loads(plain, object_pairs_hook=read)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def strip_comments(text: str) -> str:
    """Return the text as plain JSON, with the same line numbers."""
    plain = _COMMENT.sub(_kept, text.lstrip("\ufeff"))
    return _LAST_COMMA.sub(_kept, plain)


def line_of_key(text: str, section: str, key: str) -> int:
    """Return the line of a section's key, from 1; 0 if it is not found."""
    start = text.find(f'"{section}"')
    place = text.find(f'"{key}"', start) if start >= 0 and key else start
    return text.count("\n", 0, place) + 1 if place >= 0 else 0


def _kept(match: re.Match[str]) -> str:
    token = match.group()
    return token if token[0] == '"' else "\n" * token.count("\n")
