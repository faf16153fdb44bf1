"""What is asked of each session alone. The answer stays the same, so it may come from last time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from daily_memory.model import Session

# Of strings, numbers and lists of these, as JSON keeps them.
Rows = Sequence[Sequence[Any]]
# Is told what is asked, the session, and what finds the answer.
Ask = Callable[[str, Session, Callable[[Session], Rows]], Rows]


def ask_now(_what: str, session: Session, find: Callable[[Session], Rows]) -> Rows:
    """Find the answer."""
    return find(session)
