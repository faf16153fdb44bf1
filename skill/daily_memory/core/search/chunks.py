"""What of a session an embedding model reads: pieces of its text, each led by the topic."""

from __future__ import annotations

from daily_memory.core.search import fields, text
from daily_memory.model import FLAG_TAGS, Session

# Small models read 256 tokens or 512: as much English, or Chinese.
CHUNK_CHARS = 900
# What a session says after so many of them is found by its words.
_MOST_CHUNKS = 32
_MOST_TOPIC_CHARS = 200
# The scripts of texts; `ACROSS` is for a question in one of them and a text in another.
LATIN, HAN, ACROSS = "latin", "han", "across"


def chunks(session: Session) -> list[str]:
    """Return the text of a session in pieces of at most `CHUNK_CHARS` characters."""
    topic = session.topic[:_MOST_TOPIC_CHARS]
    room = CHUNK_CHARS - len(topic) - 1
    pieces = [""]
    # A flag says nothing of what a session is about.
    tags = tuple(tag for tag in session.tags if tag.casefold() not in FLAG_TAGS)
    for field, statement in fields.units(session._replace(tags=tags)):
        if field == 0:
            continue
        for start in range(0, len(statement), room):
            part = statement[start : start + room]
            if len(pieces[-1]) + len(part) >= room:
                pieces.append("")
            pieces[-1] = f"{pieces[-1]}\n{part}" if pieces[-1] else part
    found = [f"{topic}\n{piece}".strip() for piece in pieces[:_MOST_CHUNKS]]
    return [piece for piece in found if piece]


def script(said: str) -> str:
    """Return the script that most words of a text have: `HAN` or `LATIN`.

    >>> script("把 checkout 的连接池调到 50"), script("raise the pool of 结账 to 50")
    ('han', 'latin')
    """
    return HAN if text.is_mainly_chinese(said) else LATIN
