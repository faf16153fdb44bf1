"""Telling how far long work is, while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

# Is told how much is done, and of how much.
Progress = Callable[[int, int], None]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _T = TypeVar("_T")


def watched(items: Sequence[_T], progress: Progress | None) -> Iterator[_T]:
    """Yield each item; how many are done is told when the next one is asked for.

    >>> list(watched("ab", lambda done, total: print(f"{done}/{total}")))
    1/2
    2/2
    ['a', 'b']
    """
    for done, item in enumerate(items, 1):
        yield item
        if progress:
            progress(done, len(items))
