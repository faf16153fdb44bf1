"""What the mirror costs beside bare SQLite: search and log over many observations, as ratios.

    python scripts/bench/mirror.py [--observations 100000] [--queries 200] [--logs 1000]
        [--folder DIR] [--json FILE]

Half of the made-up observations are Chinese. Both sides run in turn in one process: a search
through `Memory.observations.search` and the FTS5 query with the same terms joined by OR, ordered by
bm25, limit 20; `Memory.log` and an insert into a table and its FTS5 index, committed, with WAL and
synchronous NORMAL. The exit status is 1 where a p95 is more than 2 times (search) or 3 times (log)
that of the bare one. With --folder the memory is kept there, and used again.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import accumulate
from pathlib import Path
from typing import Any

from daily_memory import Memory
from daily_memory.core.observation import Observation, format_observation
from daily_memory.core.search import text
from daily_memory.model import KINDS
from daily_memory.storage import observations
from daily_memory.storage.roots import Root

SEARCH_LIMIT, LOG_LIMIT = 2.0, 3.0
PER_SESSION = 100
_BEGAN = datetime(2025, 1, 1, 9, tzinfo=timezone(timedelta(hours=8)))
_WORDS = 30_000
_HAN = 3_000


class Writer:
    """Makes up texts whose words are as unevenly common as in real ones (Zipf)."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        syllables = [
            a + b for a in "bcdfghjklmnprstvw" for b in ("a", "e", "i", "o", "u", "ar", "en")
        ]
        made = random.Random(7)
        self._words = [
            "".join(made.choices(syllables, k=made.randint(2, 4))) for _ in range(_WORDS)
        ]
        self._han = [
            "".join(chr(0x4E00 + made.randrange(_HAN)) for _ in range(2)) for _ in range(_WORDS)
        ]
        self._weights = list(accumulate(1 / (place + 10) for place in range(_WORDS)))

    def text(self, place: int) -> str:
        """Return a text, every other one Chinese."""
        count = self._random.randint(8, 40)
        if place % 2:
            chosen = self._random.choices(self._han, cum_weights=self._weights, k=count)
            return "".join(chosen) + "。"
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=count)) + "."

    def question(self, place: int) -> str:
        """Return some words as somebody asks for them: those that tell something."""
        words = self._han if place % 2 else self._words
        chosen = [
            words[self._random.randrange(50, _WORDS // 10)]
            for _ in range(self._random.randint(2, 5))
        ]
        return ("" if place % 2 else " ").join(chosen)


def fill(root: Root, count: int, writer: Writer) -> None:
    """Write live sessions of PER_SESSION observations each, some a day."""
    for session in range(0, count, PER_SESSION):
        began = _BEGAN + timedelta(hours=session // PER_SESSION * 3)
        name = f"s{session // PER_SESSION:06}"
        lines = [observations.session_line(name, "cursor", "bench", began.isoformat())]
        for place in range(session, min(count, session + PER_SESSION)):
            at = (began + timedelta(seconds=40 * (place - session))).isoformat()
            kind = KINDS[place % len(KINDS)]
            tool = "shell" if kind == "tool" else ""
            lines.append(format_observation(Observation(at, kind, writer.text(place), tool)))
        observations.append(root, observations.new_path(root, name, began.date()), *lines)


class Bare:
    """A table and its FTS5 index, as plain as they can be."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = NORMAL",
            "CREATE TABLE o (id INTEGER PRIMARY KEY, session TEXT, at TEXT, kind TEXT, text TEXT)",
            "CREATE VIRTUAL TABLE f USING fts5(terms)",
        ):
            self._connection.execute(statement)

    def fill(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._connection.execute("BEGIN")
        for row in rows:
            self._insert(row, text.terms(row[-1]))
        self._connection.execute("COMMIT")

    def log(self, row: tuple[Any, ...], terms: Sequence[str]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._insert(row, terms)
        self._connection.execute("COMMIT")

    def _insert(self, row: tuple[Any, ...], terms: Sequence[str]) -> None:
        sql = "INSERT INTO o (session, at, kind, text) VALUES (?, ?, ?, ?)"
        key = self._connection.execute(sql, row).lastrowid
        self._connection.execute(
            "INSERT INTO f (rowid, terms) VALUES (?, ?)", (key, " ".join(terms))
        )

    def search(self, terms: Sequence[str]) -> list[Any]:
        wanted = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms))
        sql = (
            "SELECT o.*, bm25(f) FROM f JOIN o ON o.id = f.rowid WHERE f MATCH ?"
            " ORDER BY bm25(f) LIMIT 20"
        )
        return self._connection.execute(sql, (wanted,)).fetchall()


def taken(act: Callable[[], object]) -> float:
    """Return how long it takes, in ms."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def searches(memory: Memory, bare: Bare, writer: Writer, count: int) -> dict[str, list[float]]:
    """Ask both sides the same, in turn."""
    found: dict[str, list[float]] = {"memory": [], "bare": []}
    hits = 0
    for place in range(count + 10):
        question = writer.question(place)
        terms = text.terms(question)
        bare_ms = taken(lambda terms=terms: bare.search(terms))  # type: ignore[misc]  # bound at once
        began = time.perf_counter()
        result = memory.observations.search(question, kinds=KINDS)
        memory_ms = (time.perf_counter() - began) * 1000
        if result.warnings:
            sys.exit(f"the mirror was not used: {result.warnings}")
        hits += len(result.hits)
        if place >= 10:  # the first ones fill the caches of both
            found["memory"].append(memory_ms)
            found["bare"].append(bare_ms)
    print(f"{hits / (count + 10):.1f} hits a search")
    return found


def logs(memory: Memory, bare: Bare, writer: Writer, count: int) -> dict[str, list[float]]:
    """Log the same on both sides, in turn."""
    found: dict[str, list[float]] = {"memory": [], "bare": []}
    memory.start("bench")
    for place in range(count + 20):
        said = writer.text(place)
        row = ("bench", "2026-01-29T10:30:45", "note", said)
        bare_ms = taken(lambda row=row, said=said: bare.log(row, text.terms(said)))  # type: ignore[misc]  # as above
        memory_ms = taken(lambda said=said: memory.log(said, conversation="bench"))  # type: ignore[misc]  # as above
        if place >= 20:
            found["memory"].append(memory_ms)
            found["bare"].append(bare_ms)
    return found


def rows(root: Root) -> Iterator[tuple[Any, ...]]:
    """Yield what the memory has, for the bare table."""
    for day in observations.list_days(root):
        for path in observations.list_paths(root, day):
            for one in observations.load(path).observations:
                yield path, one.at, one.kind, one.text


def figures(name: str, found: dict[str, list[float]], limit: float) -> dict[str, float]:
    """Print p50 and p95 of both sides, and return their ratios."""
    values = {}
    for side, taken_ms in found.items():
        cuts = statistics.quantiles(taken_ms, n=100)
        values[side] = (statistics.median(taken_ms), cuts[94])
    ratios = [values["memory"][place] / values["bare"][place] for place in (0, 1)]
    print(
        f"{name:<8} memory p50 {values['memory'][0]:8.3f} ms  p95 {values['memory'][1]:8.3f} ms"
        f"   bare p50 {values['bare'][0]:8.3f} ms  p95 {values['bare'][1]:8.3f} ms"
        f"   ratio p50 {ratios[0]:5.2f}  p95 {ratios[1]:5.2f}  (p95 at most {limit:g})"
    )
    return {"p50": ratios[0], "p95": ratios[1], "limit": limit}


def main() -> int:
    """Fill both sides, measure, and tell by the status whether the limits are kept."""
    options = _options()
    folder = Path(options.folder or tempfile.mkdtemp(prefix="daily-memory-"))
    project = folder / "project"
    project.mkdir(parents=True, exist_ok=True)
    memory = Memory(project, home=folder / "home")
    root = memory.workspace.save_root()
    if not Path(root.observations_folder).exists():
        fill(root, options.observations, Writer(1))
        Path(root.config).write_text('{"mirror": {"enabled": true}}\n', encoding="utf-8")
    memory = Memory(project, home=folder / "home")
    began = time.perf_counter()
    state = sync(memory, root)
    print(f"mirrored in {time.perf_counter() - began:.1f} s: {state}")
    bare_path = folder / "bare.sqlite3"
    for path in folder.glob("bare.sqlite3*"):
        path.unlink()
    bare = Bare(bare_path)
    began = time.perf_counter()
    bare.fill(rows(root))
    print(f"the bare table was filled in {time.perf_counter() - began:.1f} s")
    searched = figures("search", searches(memory, bare, Writer(2), options.queries), SEARCH_LIMIT)
    logged = figures("log", logs(memory, bare, Writer(3), options.logs), LOG_LIMIT)
    if options.json:
        Path(options.json).write_text(
            json.dumps({"search": searched, "log": logged}, indent=2) + "\n", encoding="utf-8"
        )
    if not options.folder:
        shutil.rmtree(folder)
    return 0 if all(one["p95"] <= one["limit"] for one in (searched, logged)) else 1


def sync(memory: Memory, root: Root) -> str:
    """Bring the mirror up to date, and return what is in it."""
    from daily_memory.services.reading import mirror

    state = mirror.sync(root, memory.settings)
    return f"{state.observations} observations, {state.size / 1e6:.0f} MB"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--observations", type=int, default=100_000, metavar="N")
    parser.add_argument("--queries", type=int, default=200, metavar="N")
    parser.add_argument("--logs", type=int, default=1000, metavar="N")
    parser.add_argument("--folder", default="", metavar="DIR")
    parser.add_argument("--json", default="", metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
