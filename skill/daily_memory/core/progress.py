"""Progress of long work, for whoever started it."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    # Called with the amount done, and the total.
    Listener = Callable[[int, int], object]
    _T = TypeVar("_T")

_listener: ContextVar[Listener | None] = ContextVar("_listener", default=None)


@contextlib.contextmanager
def progress_to(listener: Listener) -> Iterator[None]:
    """Call a function with the progress of work in this block.

    >>> with progress_to(lambda done, total: print(f"{done}/{total}")):
    ...     list(with_progress("ab"))
    1/2
    2/2
    ['a', 'b']
    """
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def report_progress(done: int, total: int) -> None:
    """Report progress."""
    listener = _listener.get()
    if listener:
        listener(done, total)


def with_progress(items: Sequence[_T]) -> Iterator[_T]:
    """Yield each item, reporting progress."""
    for done, item in enumerate(items, 1):
        yield item
        report_progress(done, len(items))
