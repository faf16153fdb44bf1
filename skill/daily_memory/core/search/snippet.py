"""The line of a session that shows why it was found."""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory.core.search.fields import units
from daily_memory.model import Session

_LEAD_CHARS = 40
_TOPIC, _TAGS = 0, 1


def snippet(session: Session, words: Sequence[str], max_chars: int) -> str:
    """Return the statement with most of the words, on one line, cut around the first of them.

    The topic and the tags are shown anyway: they are only taken where there is nothing else. Names
    of files say less than any statement that has one of the words.

    >>> from datetime import date
    >>> session = Session(date(2026, 1, 29), topic="t", key_points=("unrelated", "TTL 定为 300 秒"))
    >>> snippet(session, ["ttl", "定为"], 20)
    'TTL 定为 300 秒'
    """
    said = units(session)
    statements = [unit.text for unit in said if unit.field not in (_TOPIC, _TAGS)]
    texts = [" ".join(text.split()) for text in statements or [unit.text for unit in said]]
    lowered = [word.lower() for word in words]
    files = " ".join(session.files)

    def worth(text: str) -> tuple[bool, int]:
        count = _count(text.lower(), lowered)
        return count > 0 and text != files, count

    return _cut(max(texts, key=worth, default=""), lowered, max_chars)


def cut(text: str, words: Sequence[str], max_chars: int) -> str:
    """Return a text on one line, cut around the first of the words.

    >>> cut("先说别的。\\nTTL 定为 300 秒", ["ttl"], 60)
    '先说别的。 TTL 定为 300 秒'
    """
    return _cut(" ".join(text.split()), [word.lower() for word in words], max_chars)


def _count(lowered: str, words: Sequence[str]) -> int:
    # Longer words tell more: a single Chinese character is in almost every line.
    return sum([len(word) for word in words if word in lowered])


def _cut(text: str, words: Sequence[str], max_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    places = [place for place in map(text.lower().find, words) if place >= 0]
    start = max(0, min(min(places, default=0) - _LEAD_CHARS, len(text) - max_chars))
    cut = text[start : start + max_chars - 2]
    return f"{'…' if start else ''}{cut}…"
