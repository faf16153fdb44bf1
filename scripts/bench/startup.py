"""What a cold start costs: whole processes, as multiples of `python -c pass` in the same run.

    python scripts/bench/startup.py --make make_corpus.py [--sizes 1000,10000,100000] [--runs 15]

`make_corpus.py --n N --out DIR` makes `daily/*.md` and `queries.jsonl` with {"q", "kind"} a line.
Each round runs every command once, so that a machine that speeds up or slows down does so for
all of them; the figures are medians of wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

MEMORY = str(Path(sys.executable).with_name("memory"))
SESSION = json.dumps({"topic": "Rotate the signing key", "key_points": ["密钥轮换 every 90 days"]})
BARE = """
import sqlite3, sys
sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 5"
print(sqlite3.connect(sys.argv[1]).execute(sql, (sys.argv[2],)).fetchall())
"""
# What docs/benchmarks.md promises, as multiples of `python -c pass`.
LIMITS = {1_000: {"search": 5}, 10_000: {"search": 5, "save": 14}, 100_000: {"search": 8}}
FUZZY_EXTRA = 5


def make_corpus(program: Path, sessions: int, folder: Path) -> None:
    """Have `make_corpus.py` write so many sessions, without texts beside them."""
    command = [sys.executable, str(program), "--n", str(sessions), "--out", str(folder)]
    subprocess.run([*command, "--extra", "0"], check=True, capture_output=True)


class Root:
    """A project with many sessions, and the same text in a bare FTS5 table."""

    def __init__(self, corpus: Path, folder: Path) -> None:
        self.project = folder / "project"
        self.home = folder / "home"
        self.daily = self.project / ".cursor" / "skills" / "memories" / "daily"
        self.daily.parent.mkdir(parents=True)
        shutil.copytree(corpus / "daily", self.daily)
        self.database = folder / "bare.sqlite3"
        self.queries = [
            json.loads(line) for line in (corpus / "queries.jsonl").open(encoding="utf-8")
        ]
        self.environment = {
            **os.environ,
            "HOME": str(self.home),
            "MEMORY_PROJECT": str(self.project),
        }
        # Set, it would make every start compile every module again.
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def prepare(self) -> float:
        """Build both indexes; return how long `memory reindex` took, in seconds."""
        start = time.perf_counter()
        self.run([MEMORY, "reindex"])
        took = time.perf_counter() - start
        connection = sqlite3.connect(self.database)
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
        for path in sorted(self.daily.iterdir()):
            sections = path.read_text(encoding="utf-8").split("\n## Session ")[1:]
            connection.executemany("INSERT INTO t VALUES (?)", [(text,) for text in sections])
        connection.commit()
        connection.close()
        return took

    def run(self, command: list[str], data: str = "") -> float:
        """Run a command and return its wall time in seconds."""
        start = time.perf_counter()
        done = subprocess.run(
            command,
            input=data,
            env=self.environment,
            cwd=self.project,
            capture_output=True,
            text=True,
        )
        took = time.perf_counter() - start
        if done.returncode not in (0, 1):  # 1 is how rg says that nothing matched
            sys.exit(f"{command} failed: {done.stderr}")
        return took

    def of_kind(self, *kinds: str) -> list[str]:
        return [query["q"] for query in self.queries if query["kind"] in kinds]


def commands(root: Root) -> dict[str, Callable[[int], float]]:
    """Return what is timed, by name; the number of the round chooses the query."""
    known = root.of_kind("en_2", "en_3", "en_5noise", "zh_2", "zh_3", "zh_phrase", "zh_mixed")
    typos = root.of_kind("en_typo")
    timed: dict[str, Callable[[int], float]] = {
        "python -c pass": lambda _: root.run([sys.executable, "-c", "pass"]),
        "search": lambda n: root.run([MEMORY, "search", known[n % len(known)], "--json"]),
        "search, as text": lambda n: root.run([MEMORY, "search", known[n % len(known)]]),
        "search, typo": lambda n: root.run([MEMORY, "search", typos[n % len(typos)], "--json"]),
        "save": lambda _: root.run([MEMORY, "save", "--json"], SESSION),
        "bare FTS5 query": lambda n: root.run(
            [sys.executable, "-c", BARE, str(root.database), _match(known[n % len(known)])]
        ),
    }
    if shutil.which("rg"):
        timed["rg, one word"] = lambda n: root.run(
            ["rg", "-l", "-F", known[n % len(known)].split()[0], str(root.daily)]
        )
    return timed


def _match(query: str) -> str:
    words = (f'"{word}"' for word in query.replace('"', "").split())
    return " OR ".join(words)


def measure(root: Root, runs: int) -> dict[str, float]:
    """Return the median wall time of each command, in seconds."""
    timed = commands(root)
    times: dict[str, list[float]] = {name: [] for name in timed}
    for number in range(runs + 1):
        for name, command in timed.items():
            took = command(number)
            if number:  # the first round only warms the caches of the system
                times[name].append(took)
    return {name: statistics.median(values) for name, values in times.items()}


def verdict(size: int, ratios: dict[str, float]) -> list[str]:
    """Return what is over its limit."""
    limits = dict(LIMITS.get(size, {}))
    if "search" in limits:
        limits["search, typo"] = limits["search"] + FUZZY_EXTRA
    return [
        f"{name} at {size:,}: {ratios[name]:.1f} is over {limit}"
        for name, limit in limits.items()
        if ratios[name] > limit
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="measure cold starts")
    parser.add_argument("--make", type=Path, required=True, help="make_corpus.py")
    parser.add_argument("--sizes", default="1000,10000,100000", help="sessions, with commas")
    parser.add_argument("--runs", type=int, default=15, help="rounds that count")
    options = parser.parse_args()
    over: list[str] = []
    print("| sessions | command | ms | × `python -c pass` |\n| --- | --- | --- | --- |")
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus"
            make_corpus(options.make, size, corpus)
            root = Root(corpus, Path(folder))
            print(f"reindex of {size:,}: {root.prepare():.1f} s", file=sys.stderr)
            medians = measure(root, options.runs)
        base = medians["python -c pass"]
        ratios = {name: value / base for name, value in medians.items()}
        for name, value in medians.items():
            print(f"| {size:,} | {name} | {value * 1000:.1f} | {ratios[name]:.1f} |", flush=True)
        over += verdict(size, ratios)
    for line in over:
        print(f"over the limit: {line}", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
