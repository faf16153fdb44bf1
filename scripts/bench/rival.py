"""How well trae-mem finds sessions and observations, and how well we do, on the same data.

    python -m scripts.bench.rival --data DIR --trae-mem CHECKOUT [--ours mirror]

CHECKOUT is a checkout of https://github.com/rong5690001/trae-mem; none of its code is here. DIR is
as `retrieval.py` reads it, with `observations.jsonl` and `obs_queries.jsonl` as well. Each store
becomes a database, written by trae-mem's own code and asked through its own `search`: as the query
stands, and with its terms joined by OR, which trae-mem leaves to its users. A Chinese run of
characters is then cut into all its threes, the most that its index can match. `memory import --from
trae-mem` takes the same database over, and the same questions go to `Memory`.

A session is one observation that holds all its text, since that is what trae-mem can find; for us
it is imported as a session. Scores are those of `retrieval.py`, with R@10.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from scripts.bench.retrieval import load, say

from daily_memory import Memory
from daily_memory.model import KINDS
from daily_memory.services.reading.root_search import Query

Row = dict[str, Any]
Find = Callable[[str, date], list[str]]
DEPTHS = (1, 5, 10)
# With the mirror off, with it on, or not at all.
OURS = (FILES, MIRROR, NONE) = ("files", "mirror", "none")
_WORD = re.compile(r"[A-Za-z0-9_]+|[^\W\dA-Za-z_]+")
_THREE = 3


class Task(NamedTuple):
    """What is to be found in a set: its rows, and the questions."""

    name: str
    rows: str
    queries: str


TASKS = (
    Task("sessions", "sessions", "queries"),
    Task("observations", "observations", "obs_queries"),
)


def recall(found: list[str], relevant: list[str]) -> dict[str, float]:
    """Return the share of what is wanted among the first 1, 5 and 10."""
    wanted = set(relevant)
    places = [place for place, name in enumerate(dict.fromkeys(found)) if name in wanted]
    return {f"R@{k}": sum(place < k for place in places) / min(k, len(wanted)) for k in DEPTHS}


def as_or(query: str) -> str:
    """Return the terms of a query joined by OR, as FTS5 reads them.

    >>> as_or("What is Redis?"), as_or("缓存过期")
    ('"What" OR "is" OR "Redis"', '"缓存过" OR "存过期"')
    """
    return " OR ".join(f'"{term}"' for word in _WORD.findall(query) for term in _pieces(word))


def _pieces(word: str) -> list[str]:
    if word.isascii() or len(word) <= _THREE:
        return [word]
    return [word[place : place + _THREE] for place in range(len(word) - _THREE + 1)]


# ---------------------------------------------------------------------------- both


class Store:
    """The rows of one store, in trae-mem's database and in a memory of ours."""

    def __init__(self, rows: list[Row], task: Task, folder: Path, package: Any) -> None:
        self._rows = rows
        self._task = task
        self._folder = folder
        self._project = folder / "app"
        (self._project / ".git").mkdir(parents=True)
        self._database = package.TraeMemDB(folder / "trae.sqlite3")
        self._database.init_schema()
        self._names = dict(self._fill())

    def _fill(self) -> Iterator[tuple[str, str]]:
        """Write everything with trae-mem's code; yield its id of each row, and the row's."""
        sessions: dict[str, str] = {}
        for row in self._rows:
            told = str(row.get("session_id") or row["id"])
            if told not in sessions:
                sessions[told] = self._database.new_session(str(self._project))
            moment = datetime.fromisoformat(f"{row['date']}T{row.get('time') or '00:00:00'}")
            seconds = int(moment.replace(tzinfo=timezone.utc).timestamp())
            text = row["text"] if "text" in row else whole_text(row)
            name = self._database.add_observation(sessions[told], "note", text, ts=seconds)
            yield name, row["id"]

    def trae_mem(self, query: str, _: date) -> list[str]:
        """Return what trae-mem finds, by the ids of the rows."""
        return [self._names[hit.id] for hit in self._database.search(query, limit=DEPTHS[-1])]

    def trae_mem_or(self, query: str, today: date) -> list[str]:
        """Return what trae-mem finds where the terms are joined by OR."""
        return self.trae_mem(as_or(query), today)

    def take_over(self, *, mirror: bool) -> None:
        """Bring everything into a memory of ours."""
        if mirror:
            root = self._project / ".cursor/skills/memories"
            root.mkdir(parents=True)
            (root / "config.json").write_text('{"mirror": {"enabled": true}}', encoding="utf-8")
        memory = self._memory(date(2026, 1, 1))
        if self._task.name == "sessions":
            memory.import_sessions({**row, "conversation": row["id"]} for row in self._rows)
        else:
            done = memory.import_from("trae-mem", [str(self._folder / "trae.sqlite3")])
            assert done.observations == len(self._rows), done
        self._ours = {
            f"{Path(live.path).parent.name}/{Path(live.path).stem}:{place}": self._names[one.event]
            for live in memory.observations.live_sessions()
            for one, place in zip(live.observations, live.places, strict=True)
        }

    def ours(self, query: str, today: date) -> list[str]:
        """Return what we find, by the ids of the rows."""
        memory = self._memory(today)
        if self._task.name == "sessions":
            results = memory.search_many([Query(query, DEPTHS[-1], now=today)], scope="project")
            return [hit.session.conversation for hit in next(results).hits]
        result = memory.observations.search(query, limit=DEPTHS[-1], kinds=KINDS, scope="project")
        return [self._ours[hit.record.id] for hit in result.hits]

    def _memory(self, today: date) -> Memory:
        now = datetime(today.year, today.month, today.day, 12, tzinfo=timezone.utc)
        return Memory(self._project, home=self._folder / "home", clock=lambda: now, environment={})

    def close(self) -> None:
        """Close trae-mem's database."""
        self._database.close()


def whole_text(row: Row) -> str:
    """Return all that a session says."""
    code = [block["text"] if isinstance(block, dict) else block for block in row.get("code") or []]
    return "\n".join([row.get("topic", ""), *row.get("key_points", ()), *code])


def measure(
    data: Path, name: str, task: Task, package: Any, *, ours: str
) -> dict[str, dict[str, float]]:
    """Return the mean scores of each contestant on a set."""
    stores: dict[str, list[Row]] = {}
    for row in load(data / name / f"{task.rows}.jsonl"):
        stores.setdefault(row["store"], []).append(row)
    queries = load(data / name / f"{task.queries}.jsonl")
    found: dict[str, list[dict[str, float]]] = {}
    for place, (store, rows) in enumerate(sorted(stores.items()), 1):
        asked = [query for query in queries if query["store"] == store]
        say(f"{name} {task.name}: store {place} of {len(stores)}, {len(rows)} rows, {len(asked)} q")
        with tempfile.TemporaryDirectory() as folder:
            one = Store(rows, task, Path(folder), package)
            contestants: dict[str, Find] = {
                "trae-mem": one.trae_mem,
                "trae-mem, OR": one.trae_mem_or,
            }
            if ours != NONE:
                one.take_over(mirror=ours == MIRROR)
                contestants[f"ours, {ours}"] = one.ours
            for contestant, find in contestants.items():
                found.setdefault(contestant, []).extend(_scores(find, asked))
            one.close()
    return {contestant: mean(rows) for contestant, rows in found.items()}


def _scores(find: Find, queries: Iterable[Row]) -> Iterator[dict[str, float]]:
    for query in queries:
        ids = find(query["query"], date.fromisoformat(query["now"]))
        with_mark = "?" in query["query"] or "？" in query["query"]
        yield {**recall(ids, query["relevant"]), **({"answered": bool(ids)} if with_mark else {})}


def mean(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each score, over those that have it."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {
        name: sum(row[name] for row in rows if name in row) / sum(name in row for row in rows)
        for name in names
    }


def show(name: str, scores: dict[str, dict[str, float]]) -> None:
    """Print the figures of a set as rows of a Markdown table."""
    for contestant, found in scores.items():
        cells = [f"{found[f'R@{k}']:.3f}" for k in DEPTHS]
        answered = f"{found['answered']:.1%}" if "answered" in found else "–"
        print(f"| {name} | {contestant} | {' | '.join(cells)} | {answered} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="measure trae-mem and us on the same data")
    parser.add_argument("--data", type=Path, required=True, help="folder with a folder per set")
    parser.add_argument("--trae-mem", type=Path, required=True, metavar="CHECKOUT")
    parser.add_argument("--sets", nargs="+", default=["locomo", "cmrc", "xquad"], metavar="SET")
    parser.add_argument("--tasks", nargs="+", default=[task.name for task in TASKS], metavar="TASK")
    parser.add_argument("--ours", choices=OURS, default=FILES, help="how we search; default: files")
    options = parser.parse_args()
    sys.path.insert(0, str(options.trae_mem.resolve()))
    package = importlib.import_module("trae_mem.db")
    print("| set | what | R@1 | R@5 | R@10 | questions with `?` answered |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for name in options.sets:
        for task in TASKS:
            if task.name in options.tasks:
                scores = measure(options.data, name, task, package, ours=options.ours)
                show(f"{name}, {task.name}", scores)
    return 0


if __name__ == "__main__":
    sys.exit(main())
