"""The full-text index of the mirror: the terms of each observation, in FTS5.

FTS5 gets the terms of `core/search/text.py`, not the text: stored text and queries are split the
same way, so Chinese of any length, stems and identifiers match, and no user text is ever parsed as
an FTS5 expression. Each distinct term is in `words` too, where a part of a word finds the word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daily_memory.storage.fs.sqlite import sqlite3

# Shorter parts are in too many words.
_SHORTEST_PART = 3
# The parser of FTS5 takes some thousand terms; a question has 128 and their synonyms.
_MOST_TERMS = 512

# Every character outside ASCII belongs to a term: FTS5 must not split or fold it again.
SCHEMA = """
CREATE TABLE words (key INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE observations_fts USING fts5(
    terms, content = '', tokenize = "ascii tokenchars '._'"
);
CREATE VIRTUAL TABLE observations_vocabulary USING fts5vocab(observations_fts, 'row');
"""


class TermIndex:
    """The terms of observations, in the tables of `SCHEMA`. The caller holds the transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # Words that are in the table, until the end of the transaction.
        self.known: set[str] = set()

    def add(self, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Add observations, each by its key with its terms."""
        self._connection.executemany(
            "INSERT INTO observations_fts (rowid, terms) VALUES (?, ?)",
            ((key, " ".join(terms)) for key, terms in rows),
        )
        new = sorted({term for _, terms in rows for term in terms} - self.known)
        sql = "INSERT OR IGNORE INTO words (term) VALUES (?)"
        self._connection.executemany(sql, ((term,) for term in new))
        self.known.update(new)

    def remove(self, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Remove observations; the terms must be those that they were added with."""
        self._connection.executemany(
            "INSERT INTO observations_fts (observations_fts, rowid, terms) VALUES ('delete', ?, ?)",
            ((key, " ".join(terms)) for key, terms in rows),
        )
        distinct = dict.fromkeys(term for _, terms in rows for term in terms)
        left = self.frequencies(distinct)
        self.known.clear()
        self._connection.executemany(
            "DELETE FROM words WHERE term = ?", ((term,) for term in distinct if term not in left)
        )

    def command(self, name: str) -> None:
        """Run a command of FTS5: `optimize` erases removed terms, `integrity-check` checks."""
        sql = "INSERT INTO observations_fts (observations_fts) VALUES (?)"
        self._connection.execute(sql, (name,))

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many observations each term occurs; absent terms are left out."""
        sql = "SELECT doc FROM observations_vocabulary WHERE term = ?"
        rows = {term: self._connection.execute(sql, (term,)).fetchone() for term in terms}
        return {term: int(row[0]) for term, row in rows.items() if row}

    def vocabulary(self, first: str, shortest: int, longest: int) -> list[str]:
        """Return the terms of a length range that begin with a character, or with any."""
        last = chr(ord(first) + 1) if first else "\U0010ffff"
        sql = (
            "SELECT term FROM words"
            " WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? ORDER BY term"
        )
        return [term for (term,) in self._connection.execute(sql, (first, last, shortest, longest))]

    def vocabulary_size(self) -> int:
        """Return about how many terms there are; removed ones count too."""
        row = self._connection.execute("SELECT coalesce(max(key), 0) FROM words").fetchone()
        return int(row[0])

    def containing(self, part: str, limit: int) -> list[str]:
        """Return terms that contain a part, the shortest first."""
        if len(part) < _SHORTEST_PART:
            return []
        sql = "SELECT term FROM words WHERE instr(term, ?) ORDER BY length(term), term LIMIT ?"
        return [term for (term,) in self._connection.execute(sql, (part, limit))]

    def find(
        self, terms: Sequence[str], limit: int, where: str = "", values: Sequence[object] = ()
    ) -> list[int]:
        """Return the keys of observations with any of the terms, best BM25 first, then newest.

        `where` is what else must be true of an observation, with its `values`.
        """
        terms = list(dict.fromkeys(terms))[:_MOST_TERMS]
        if not terms:
            return []
        # SQLite takes a cross join in this order: the rows that match are looked up by their key.
        passing = f"CROSS JOIN observations ON key = f.rowid AND {where}" if where else ""
        sql = (
            f"SELECT f.rowid FROM observations_fts AS f {passing} WHERE observations_fts MATCH ?"  # noqa: S608  # constants
            " ORDER BY bm25(observations_fts), f.rowid DESC LIMIT ?"
        )
        question = " OR ".join(map(quoted, terms))
        return [key for (key,) in self._connection.execute(sql, (*values, question, limit))]


def quoted(term: str) -> str:
    """Return a term as a string literal of FTS5.

    >>> quoted('say "hi" OR *')
    '"say ""hi"" OR *"'
    """
    # SQLite ends a text at NUL, and with it the string.
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'
