"""The installed dictionaries: our glossary, and the large one of the extra `chinese`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

from daily_memory.core.search.glossary import Glossary
from daily_memory.storage.fs import sqlite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from daily_memory.core.search.translation import Dictionary

_NAME = "dictionary.sqlite3"
# SQLite of some systems allows 999 parameters at the most.
_MOST_VALUES = 500


@lru_cache(maxsize=1)
def installed() -> tuple[Dictionary, ...]:
    """Return the installed dictionaries, ours first."""
    path = find_large()
    return (Glossary(), SqliteDictionary(path)) if path else (Glossary(),)


def find_large() -> str:
    """Return the path of the large dictionary, "" if it is not installed."""
    try:
        import daily_memory_chinese
    except ImportError:
        return ""
    path = os.path.join(os.path.dirname(daily_memory_chinese.__file__ or ""), _NAME)
    return path if os.path.isfile(path) else ""


class SqliteDictionary:
    """The large dictionary, as `scripts/build_dictionary.py` makes it."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite.connect(path, is_read_only=True)

    def glosses(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the English translations of each word, best first; unknown words are absent."""
        rows = self._rows("SELECT word, glosses FROM chinese WHERE word", words)
        return {word: tuple(glosses.split("/")) for word, glosses in rows}

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return how often each word occurs in a corpus of 60 million words."""
        return dict(self._rows("SELECT word, frequency FROM chinese WHERE word", words))

    def headwords(self, phrases: Iterable[str]) -> dict[str, dict[str, float]]:
        """Return the Chinese words for stems and for phrases of stems, with their weights."""
        rows = self._rows("SELECT phrase, words FROM english WHERE phrase", phrases)
        return {phrase: dict(_weighted(words)) for phrase, words in rows}

    def _rows(self, sql: str, values: Iterable[str]) -> list[tuple[str, Any]]:
        listed = sorted(set(values))
        rows: list[tuple[str, Any]] = []
        with sqlite.translated(
            "the dictionary", "pip install --force-reinstall daily-memory-chinese"
        ):
            for start in range(0, len(listed), _MOST_VALUES):
                part = listed[start : start + _MOST_VALUES]
                marks = ",".join("?" * len(part))
                rows += self._connection.execute(f"{sql} IN ({marks})", part)
        return rows


def _weighted(words: str) -> Iterator[tuple[str, float]]:
    """Yield the words of a row such as `数据库1000 资料库547`, weights in thousandths."""
    for each in words.split(" "):
        word = each.rstrip("0123456789")
        yield word, int(each[len(word) :]) / 1000
