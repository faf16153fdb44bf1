"""Hosts whose payloads differ from Claude Code's, one module each, loaded for that host only.

`common` returns a payload in the form that `events` reads.
"""

from __future__ import annotations

from collections.abc import Callable

# Returns the last bytes of a transcript, for hosts that tell the rest only there. It may wait a
# moment until the function is content with them.
ReadEnd = Callable[[str, Callable[[bytes], bool]], bytes]


def anything(_transcript: bytes) -> bool:
    """Be content with what is there: nobody waits."""
    return True


def no_end(_path: str, _is_whole: Callable[[bytes], bool]) -> bytes:
    return b""
