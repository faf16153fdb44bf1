"""`index/reviewed.gz`: what a review or a summary found in each session, and in all together.

It is JSON: a fingerprint of the rules, and the answers by a hash of what was asked, those of the
last command and of the one before it. It is removed with whatever text is removed from the memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Sequence

from daily_memory.core.review.asking import Asked, Rows
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Session
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

# The header of gzip.
_GZIP = 31


class Answers:
    """What the last two commands asked, if it was found by the same rules.

    `review` asks of the days alone, `summarize` of what is archived too: they take turns.
    """

    def __init__(self, root: Root, rules: str) -> None:
        self._root = root
        self._rules = rules
        self._last, self._before = _load(root, rules)
        self._asked: dict[str, dict[str, Rows]] = {}
        self._keys: dict[Session, str] = {}
        self._is_changed = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of any session."""
        return not self._last and not self._before

    def note(self, of: Session, key: str, answers: dict[str, Rows]) -> None:
        """Note what was found about a session, under its key."""
        self._keys[of] = key
        self._asked[key] = answers
        self._is_changed = True

    def ask(self, what: str, of: Asked, find: Callable[[Asked], Rows], /) -> Rows:
        """Return the answer about a session or all; `find` finds it where it is not known."""
        key = self._key(of)
        if key not in self._asked:
            self._asked[key] = self._last.get(key) or self._before.get(key, {})
        answers = self._asked[key]
        if what not in answers:
            answers[what] = find(of)
            self._is_changed = True
        return answers[what]

    def _key(self, of: Session | tuple[Session, ...]) -> str:
        if not isinstance(of, Session):
            return _hashed("".join(map(self._key, of)))
        # Each is asked several things.
        return self._keys.get(of) or self._keys.setdefault(of, key_of(of))

    def save(self) -> None:
        """Write the answers down, if there are new ones; what can't be written is found again."""
        if not self._is_changed or not os.path.isdir(self._root.index_folder):
            return
        before = {key: self._last[key] for key in self._last if key not in self._asked}
        answers = [self._asked, before]
        noted = json.dumps({"rules": self._rules, "answers": answers})
        packer = zlib.compressobj(1, wbits=_GZIP)
        data = packer.compress(noted.encode()) + packer.flush()
        with contextlib.suppress(DailyMemoryError):
            files.replace(path_of(self._root), data, self._root.modes)


def key_of(session: Session) -> str:
    """Return the key of the answers about a session."""
    return _hashed(repr(session))


def path_of(root: Root) -> str:
    return root.in_index("reviewed.gz")


def forget(root: Root) -> None:
    """Remove all answers: some may hold what was taken out of the memory."""
    files.remove(path_of(root))


def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _load(root: Root, rules: str) -> Sequence[dict[str, dict[str, Rows]]]:
    try:
        data = files.find_bytes(path_of(root))
        noted = json.loads(zlib.decompress(data, _GZIP)) if data else {}
    except (DailyMemoryError, zlib.error, ValueError, RecursionError):
        noted = {}  # no access, or cut off
    is_usable = isinstance(noted, dict) and noted.get("rules") == rules and "answers" in noted
    return noted["answers"] if is_usable else ({}, {})
