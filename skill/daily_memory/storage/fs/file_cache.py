"""Caches values made from files until the files change, for servers."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Modes, Stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Made = TypeVar("_Made")


class FileCache:
    """A cache of values made from files; when there are too many, all are dropped."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[tuple[str, Hashable], tuple[Stamp, Any]] = {}

    def get(
        self,
        modes: Modes,
        path: str,
        stamp: Stamp,
        make: Callable[[], _Made],
        *,
        part: Hashable = None,
    ) -> _Made:
        """Return the kept value of a file if its stamp is the same, else call `make`.

        Nothing is kept in plain text of encrypted files, and nothing of a file that may change
        without a new stamp.
        """
        if modes.is_sealed or files.is_recent(stamp, time.time_ns()):
            return make()
        known: tuple[Stamp, _Made] | None = self._made.get((path, part))
        if known and known[0] == stamp:
            return known[1]
        if len(self._made) >= self._most:
            self._made.clear()
        made = make()
        self._made[path, part] = stamp, made
        return made
