"""The line of a session that shows why it was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    statements = [text for field, text in said if field not in (_TOPIC, _TAGS)]
    # Longer words tell more: a single Chinese character is in almost every line.
    lengths: dict[str, int] = {}
    for word in map(str.lower, words):
        lengths[word] = lengths.get(word, 0) + len(word)
    files = " ".join(session.files)

    def worth(text: str) -> tuple[bool, int]:
        lowered = text.lower()
        count = sum([length for word, length in lengths.items() if word in lowered])
        return count > 0 and text != files, count

    best = max(statements or [text for _, text in said], key=worth, default="")
    return _cut(" ".join(best.split()), lengths, max_chars)


def cut(text: str, words: Sequence[str], max_chars: int) -> str:
    """Return a text on one line, cut around the first of the words.

    >>> cut("先说别的。\\nTTL 定为 300 秒", ["ttl"], 60)
    '先说别的。 TTL 定为 300 秒'
    """
    return _cut(" ".join(text.split()), [word.lower() for word in words], max_chars)


def _cut(text: str, words: Iterable[str], max_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    places = [place for place in map(text.lower().find, words) if place >= 0]
    start = max(0, min(min(places, default=0) - _LEAD_CHARS, len(text) - max_chars))
    cut = text[start : start + max_chars - 2]
    return f"{'…' if start else ''}{cut}…"
