"""Converts bytes to text and back without loss, whatever they are."""

from __future__ import annotations


def to_text(data: bytes) -> str:
    """Return bytes as text without loss; see `to_bytes`."""
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    """Return the bytes that `to_text` was given.

    >>> to_bytes(to_text(b"\\xff \\xe7\\xbc\\x93"))
    b'\\xff \\xe7\\xbc\\x93'
    """
    return text.encode("utf-8", "surrogateescape")
