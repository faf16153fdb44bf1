"""Text that keeps all the bytes of a file, whatever they are."""

from __future__ import annotations


def to_text(data: bytes) -> str:
    """Return bytes as text that `to_bytes` makes the same bytes of."""
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    """Return the bytes of a text that `to_text` returned.

    >>> to_bytes(to_text(b"\\xff \\xe7\\xbc\\x93"))
    b'\\xff \\xe7\\xbc\\x93'
    """
    return text.encode("utf-8", "surrogateescape")
