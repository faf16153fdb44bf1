"""The text of a section, and the digest that signs it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from daily_memory.core.format import markdown
from daily_memory.model import Session


def body_of(text: str) -> str:
    """Return the text of a section below the heading and our comment."""
    lines = [line.rstrip("\r") for line in text.split("\n")[1:]]
    return "\n".join(line for line in lines if not markdown.parse_facts(line)).strip()


def text_digest(text: str) -> str:
    return hashlib.sha256(body_of(text).encode("utf-8", "replace")).hexdigest()[:16]


def is_signed(text: str) -> bool:
    """Tell whether a section has its own digest, so that nobody edited it."""
    return _signature(text) in text


def renew_signature(before: str, after: str) -> str:
    """Return a section that we changed, signed again if it was signed."""
    return after.replace(_signature(before), _signature(after), 1)


def _signature(text: str) -> str:
    return f'"digest":"{text_digest(text)}"'


def digests(session: Session) -> Iterator[str]:
    """Yield the possible digests of a session's text, one per language."""
    for language in markdown.TITLES:
        yield text_digest(markdown.format_section(session, language=language))


def format_signed(session: Session, *, language: str, open_fences: str) -> str:
    """Return the text of a section; that of a conversation has its digest in our comment.

    The digest is that of the text as it is written in this day. A section with another digest was
    edited by hand.
    """
    text = markdown.format_section(session, language=language, open_fences=open_fences)
    if not session.conversation:
        return text
    signed = session._replace(digest=text_digest(text))
    return markdown.format_section(signed, language=language, open_fences=open_fences)


def comparable(session: Session) -> Session:
    """Return the session without number and origin, for comparing what sessions say."""
    return session._replace(number=0, copy=1, digest="", continues="", origin="")
