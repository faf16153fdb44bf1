"""`index/reviewed.gz`: what a review or a summary computed for each session, and for all together.

It is JSON: a fingerprint of the rules, and the results by a hash of their sessions, those of the
last command and of the one before it. It is removed with whatever text is removed from the memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Sequence

from daily_memory.core.review.cache import Of, Rows
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Session
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

# The header of gzip.
_GZIP = 31


class ReviewCache:
    """The results of the last two commands, if the same rules computed them.

    Two, since `review` and `summarize` take turns: only the latter reads archived days.
    """

    def __init__(self, root: Root, rules: str) -> None:
        self._root = root
        self._rules = rules
        self._last, self._before = _load(root, rules)
        self._used: dict[str, dict[str, Rows]] = {}
        self._keys: dict[Session, str] = {}
        self._is_changed = False

    @property
    def is_empty(self) -> bool:
        return not self._last and not self._before

    def put(self, session: Session, key: str, results: dict[str, Rows]) -> None:
        """Store all results for a session, under its `key_of`."""
        self._keys[session] = key
        self._used[key] = results
        self._is_changed = True

    def get(self, name: str, of: Of, compute: Callable[[Of], Rows], /) -> Rows:
        """Return a result for a session or for all, computed if it is not cached."""
        key = self._key(of)
        if key not in self._used:
            self._used[key] = self._last.get(key) or self._before.get(key, {})
        results = self._used[key]
        if name not in results:
            results[name] = compute(of)
            self._is_changed = True
        return results[name]

    def _key(self, of: Session | tuple[Session, ...]) -> str:
        if not isinstance(of, Session):
            return _hashed("".join(map(self._key, of)))
        # Kept, as each session has several results.
        return self._keys.get(of) or self._keys.setdefault(of, key_of(of))

    def save(self) -> None:
        """Write the results to disk, if there are new ones and it can be written."""
        if not self._is_changed or not os.path.isdir(self._root.index_folder):
            return
        unused = {key: self._last[key] for key in self._last if key not in self._used}
        text = json.dumps({"rules": self._rules, "answers": [self._used, unused]})
        packer = zlib.compressobj(1, wbits=_GZIP)
        data = packer.compress(text.encode()) + packer.flush()
        with contextlib.suppress(DailyMemoryError):
            files.replace(path_of(self._root), data, self._root.modes)


def key_of(session: Session) -> str:
    """Return the key of a session's results."""
    return _hashed(repr(session))


def path_of(root: Root) -> str:
    return root.in_index("reviewed.gz")


def forget(root: Root) -> None:
    """Remove all results: some may hold text that was removed from the memory."""
    files.remove(path_of(root))


def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _load(root: Root, rules: str) -> Sequence[dict[str, dict[str, Rows]]]:
    try:
        data = files.find_bytes(path_of(root))
        stored = json.loads(zlib.decompress(data, _GZIP)) if data else {}
    except (DailyMemoryError, zlib.error, ValueError, RecursionError):
        stored = {}  # no access, or cut off
    is_usable = isinstance(stored, dict) and stored.get("rules") == rules and "answers" in stored
    return stored["answers"] if is_usable else ({}, {})
