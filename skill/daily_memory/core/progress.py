"""Progress of long work, for whoever started it."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    # Is told how much is done, and of how much.
    Listener = Callable[[int, int], object]
    _T = TypeVar("_T")

_listener: ContextVar[Listener | None] = ContextVar("_listener", default=None)


@contextlib.contextmanager
def told_to(listener: Listener) -> Iterator[None]:
    """Call a function with the progress of work in this block.

    >>> with told_to(lambda done, total: print(f"{done}/{total}")):
    ...     list(watched("ab"))
    1/2
    2/2
    ['a', 'b']
    """
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def tell(done: int, total: int) -> None:
    """Report progress."""
    listener = _listener.get()
    if listener:
        listener(done, total)


def watched(items: Sequence[_T]) -> Iterator[_T]:
    """Yield each item, reporting progress."""
    for done, item in enumerate(items, 1):
        yield item
        tell(done, len(items))
