"""The terms of the observations in the mirror: in FTS5, and in plain tables where that is missing.

FTS5 gets the terms of `core/search/text.py`, not the text: what is stored and what is asked is cut
in one way, so that Chinese of any length, stems and identifiers are found, and no text of a user is
ever read as an expression of FTS5. Each distinct term also stands in `words`, with an index of its
trigrams where SQLite has them: by these a part of a word leads to the word
(https://www.sqlite.org/fts5.html).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

from daily_memory.storage.fs.sqlite import sqlite3

# What this SQLite can: find words and parts of words; words, and their parts by a scan of all
# words; or nothing but scans.
TRIGRAM = "trigram"
WORDS = "words"
LIKE = "like"
LEVELS = (TRIGRAM, WORDS, LIKE)

# Shorter parts are in too many words to tell anything, and have no trigram.
SHORTEST_PART = 3
# What FTS5 has built in, for the scans that stand in for it.
_K1, _B = 1.2, 0.75
# The parser of FTS5 takes some thousand terms; a question has 128 and their synonyms.
_MOST_TERMS = 512
_MOST_KNOWN = 100_000

_WORDS = "CREATE TABLE words (key INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);"
# All that is no ASCII belongs to a term: whatever Unicode adds, nobody cuts or folds it again.
_FULL_TEXT = """
CREATE VIRTUAL TABLE observations_fts USING fts5(
    terms, content = '', tokenize = "ascii tokenchars '._'"
);
CREATE VIRTUAL TABLE observations_vocabulary USING fts5vocab(observations_fts, 'row');
"""
_PARTS = """
CREATE VIRTUAL TABLE words_fts USING fts5(
    term, content = 'words', content_rowid = 'key', tokenize = 'trigram'
);
CREATE TRIGGER words_added AFTER INSERT ON words WHEN length(new.term) >= 3 BEGIN
    INSERT INTO words_fts (rowid, term) VALUES (new.key, new.term);
END;
CREATE TRIGGER words_removed AFTER DELETE ON words WHEN length(old.term) >= 3 BEGIN
    INSERT INTO words_fts (words_fts, rowid, term) VALUES ('delete', old.key, old.term);
END;
"""
_SCANNED = "CREATE TABLE observations_terms (key INTEGER PRIMARY KEY, terms TEXT NOT NULL);"


class Totals(NamedTuple):
    """How many observations are indexed, and how many terms they have together."""

    observations: int
    terms: int


def make_tables(connection: sqlite3.Connection, best: str = TRIGRAM) -> str:
    """Make the tables in the best way that this SQLite can, at most `best`; return which it is."""
    connection.execute(_WORDS)
    levels = LEVELS[LEVELS.index(best) :]
    if levels[0] != LIKE and _can(connection, _FULL_TEXT):
        if levels[0] == TRIGRAM and _can(connection, _PARTS):
            return TRIGRAM
        return WORDS
    run(connection, _SCANNED)
    return LIKE


def is_usable(connection: sqlite3.Connection, level: str) -> bool:
    """Tell whether this SQLite can do what the one could that made the tables."""
    tables = {TRIGRAM: ("observations_fts", "words_fts"), WORDS: ("observations_fts",)}
    try:
        for table in tables.get(level, ()):
            connection.execute(f"SELECT rowid FROM {table} LIMIT 0")  # noqa: S608  # a constant
    except sqlite3.OperationalError:
        return False
    return True


def _can(connection: sqlite3.Connection, script: str) -> bool:
    """Run a script wholly or not at all, and tell which."""
    connection.execute("SAVEPOINT part")
    try:
        run(connection, script)
    except sqlite3.DatabaseError:
        # "no such module", "no such tokenizer", or it is not allowed: the words differ.
        connection.execute("ROLLBACK TO part")
        return False
    finally:
        connection.execute("RELEASE part")
    return True


def run(connection: sqlite3.Connection, script: str) -> None:
    """Run the statements of a script in the transaction that is open."""
    statement = ""
    for line in script.strip().split("\n"):
        statement += f"{line}\n"
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


class Index:
    """The terms in the tables that `make_tables` made. It opens and ends no transaction."""

    def __init__(self, connection: sqlite3.Connection, level: str) -> None:
        self._connection = connection
        self.level = level
        # Words that are in the table for sure, as long as no other connection writes to it.
        self.known: set[str] = set()
        self._seen_version = -1

    # ------------------------------------------------------------------ changing it

    def add(self, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Add observations, each by its key with its terms."""
        table = "observations_terms (key" if self.level == LIKE else "observations_fts (rowid"
        self._connection.executemany(
            f"INSERT INTO {table}, terms) VALUES (?, ?)",  # noqa: S608  # a constant
            ((key, self._joined(terms)) for key, terms in rows),
        )
        self._add_words({term for _, terms in rows for term in terms})

    def _add_words(self, terms: set[str]) -> None:
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if version != self._seen_version or len(self.known) > _MOST_KNOWN:
            self.known.clear()
            self._seen_version = version
        new = sorted(terms - self.known)
        sql = "INSERT OR IGNORE INTO words (term) VALUES (?)"
        self._connection.executemany(sql, ((term,) for term in new))
        self.known.update(new)

    def remove(self, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Remove observations; the terms must be those that they were added with."""
        if self.level == LIKE:
            sql = "DELETE FROM observations_terms WHERE key = ?"
            self._connection.executemany(sql, ((key,) for key, _ in rows))
        else:
            self._connection.executemany(
                "INSERT INTO observations_fts (observations_fts, rowid, terms)"
                " VALUES ('delete', ?, ?)",
                ((key, self._joined(terms)) for key, terms in rows),
            )
        distinct = dict.fromkeys(term for _, terms in rows for term in terms)
        left = self.frequencies(distinct)
        self.known.clear()
        self._connection.executemany(
            "DELETE FROM words WHERE term = ?", ((term,) for term in distinct if term not in left)
        )

    def _joined(self, terms: Sequence[str]) -> str:
        # With a blank at both ends, `LIKE '% term %'` finds whole terms.
        return f" {' '.join(terms)} " if self.level == LIKE else " ".join(terms)

    def purge(self) -> None:
        """Let the words go that were only in what was removed: FTS5 merely marks them."""
        for table in self._tables():
            self._connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608  # a constant

    def is_sound(self) -> bool:
        """Tell whether FTS5 finds its tables as they should be. Needs a transaction that writes."""
        try:
            for table in self._tables():
                sql = f"INSERT INTO {table} ({table}) VALUES ('integrity-check')"  # noqa: S608  # a constant
                self._connection.execute(sql)
        except sqlite3.DatabaseError:
            return False
        return True

    def _tables(self) -> tuple[str, ...]:
        return {TRIGRAM: ("observations_fts", "words_fts"), WORDS: ("observations_fts",)}.get(
            self.level, ()
        )

    # ------------------------------------------------------------------ asking it

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many observations each term occurs; absent where in none."""
        sql = "SELECT doc FROM observations_vocabulary WHERE term = ?"
        if self.level == LIKE:
            sql = "SELECT count(*) FROM observations_terms WHERE terms LIKE ? ESCAPE '\\'"
        found = {}
        for term in dict.fromkeys(terms):
            value = _whole(term) if self.level == LIKE else term
            row = self._connection.execute(sql, (value,)).fetchone()
            if row and row[0]:
                found[term] = int(row[0])
        return found

    def vocabulary(self, first: str, shortest: int, longest: int) -> list[str]:
        """Return the terms of a length that begin with a character, or with any."""
        last = chr(ord(first) + 1) if first else "\U0010ffff"
        sql = (
            "SELECT term FROM words"
            " WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? ORDER BY term"
        )
        return [term for (term,) in self._connection.execute(sql, (first, last, shortest, longest))]

    def vocabulary_size(self) -> int:
        """Return about how many terms there are: keys that are free again count as well."""
        row = self._connection.execute("SELECT coalesce(max(key), 0) FROM words").fetchone()
        return int(row[0])

    def containing(self, part: str, limit: int) -> list[str]:
        """Return terms that contain a part, the shortest first: most of such a term is the part."""
        if len(part) < SHORTEST_PART:
            return []
        order = "ORDER BY length(term), term LIMIT ?"
        if self.level == TRIGRAM:
            sql = f"SELECT term FROM words_fts WHERE words_fts MATCH ? {order}"  # noqa: S608  # a constant
            return [term for (term,) in self._connection.execute(sql, (quoted(part), limit))]
        sql = f"SELECT term FROM words WHERE term LIKE ? ESCAPE '\\' {order}"  # noqa: S608  # a constant
        pattern = f"%{_escaped(part)}%"
        return [term for (term,) in self._connection.execute(sql, (pattern, limit))]

    def find(
        self,
        terms: Sequence[str],
        totals: Totals,
        limit: int,
        keys: str = "",
        values: Sequence[object] = (),
    ) -> list[int]:
        """Return the keys of what has any of the terms, by BM25 the best first; ties: the newer.

        `keys` is a query for the keys to choose from, with its `values`, or "" for all. A limit
        of -1 is none.
        """
        terms = list(dict.fromkeys(terms))[:_MOST_TERMS]
        if not terms or not totals.observations:
            return []
        if self.level == LIKE:
            return self._scan(terms, totals, limit, keys, values)
        chosen = f"AND +rowid IN ({keys})" if keys else ""
        sql = (
            f"SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? {chosen}"  # noqa: S608  # constants
            " ORDER BY bm25(observations_fts), rowid DESC LIMIT ?"
        )
        wanted = " OR ".join(map(quoted, terms))
        return [key for (key,) in self._connection.execute(sql, (wanted, *values, limit))]

    def _scan(
        self, terms: list[str], totals: Totals, limit: int, keys: str, values: Sequence[object]
    ) -> list[int]:
        """Do what FTS5 does, by looking at everything (Robertson, Zaragoza 2009)."""
        known = self.frequencies(terms)
        rarity = {
            term: max(log((totals.observations - have + 0.5) / (have + 0.5)), 1e-6)
            for term, have in known.items()
        }
        chosen = f"WHERE key IN ({keys})" if keys else ""
        rows = self._connection.execute(
            f"SELECT key, terms FROM observations_terms {chosen}",  # noqa: S608  # a constant
            tuple(values),
        )
        average = totals.terms / totals.observations
        scored = [(_bm25(said.split(), rarity, average), key) for key, said in rows]
        best = sorted((one for one in scored if one[0] > 0), key=lambda one: (-one[0], -one[1]))
        return [key for _, key in best[: limit if limit >= 0 else None]]


def _bm25(said: Sequence[str], rarity: dict[str, float], average: float) -> float:
    share = _K1 * (1 - _B + _B * len(said) / average)
    score = 0.0
    for term, weight in rarity.items():
        count = said.count(term)
        score += weight * count * (_K1 + 1) / (count + share)
    return score


def quoted(term: str) -> str:
    """Return a term as a string of FTS5, whatever is in it.

    >>> quoted('say "hi" OR *')
    '"say ""hi"" OR *"'
    """
    # SQLite ends a text at NUL, and with it the string.
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def _whole(term: str) -> str:
    return f"% {_escaped(term)} %"


def _escaped(term: str) -> str:
    """Return a term as LIKE takes it by the letter."""
    return term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
