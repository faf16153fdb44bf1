"""A cache of what the review computes for a session, or for all of them.

A result depends on its sessions alone, so one of an earlier run can be used again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from daily_memory.model import Session

# Strings, numbers and lists of these, as JSON has them.
Rows = Sequence[Sequence[Any]]
Of = TypeVar("Of", Session, tuple[Session, ...])


class Cache(Protocol):
    """Returns the result of a name for a session or for all, computing it if it is not cached."""

    def __call__(self, name: str, of: Of, compute: Callable[[Of], Rows], /) -> Rows: ...


def uncached(_name: str, of: Of, compute: Callable[[Of], Rows], /) -> Rows:
    return compute(of)
