"""What is asked of a session alone, or of all. The answer stays the same as long as they do, so it
may come from last time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from daily_memory.model import Session

# Of strings, numbers and lists of these, as JSON keeps them.
Rows = Sequence[Sequence[Any]]
Asked = TypeVar("Asked", Session, tuple[Session, ...])


class Ask(Protocol):
    """Takes what is asked, of which session or sessions, and what finds the answer."""

    def __call__(self, what: str, of: Asked, find: Callable[[Asked], Rows], /) -> Rows: ...


def ask_now(_what: str, of: Asked, find: Callable[[Asked], Rows], /) -> Rows:
    return find(of)
