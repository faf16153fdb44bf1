"""What the commands cost that go through a whole memory, as multiples of reading all its days.

    python -m scripts.bench.managing --make make_corpus.py [--sizes 2000,10000] [--runs 3]

`make_corpus.py --n N --out DIR` makes `daily/*.md`. Each round runs every command once. The figures
are medians of processor time, the system's included, so that other work on the machine counts for
little; a multiple is of a process that reads and parses the same days in the same round, and does
nothing else. What a user waits is shown besides: several processes may work at a time. The exit
status is 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.bench.startup import MEMORY, make_corpus

READ = """
import datetime, pathlib, sys
from daily_memory.core.format.markdown import parse_day
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.md")):
    parse_day(path.read_text(encoding="utf-8"), datetime.date.fromisoformat(path.stem))
"""
BASE = "read and parse all days"
ARCHIVED = "search --archived"
COMMANDS = {
    "cleanup": ["cleanup"],
    "cleanup --sanitize --dry-run": ["cleanup", "--sanitize", "--dry-run"],
    "cleanup --dedupe --dry-run": ["cleanup", "--dedupe", "--dry-run"],
    "doctor": ["doctor"],
    "review": ["review"],
    "summarize --dry-run": ["summarize", "--dry-run"],
    "report": ["report"],
    "export --format html": ["export", "--format", "html"],
}
# What need not look again at what did not change.
AGAIN = ("cleanup", "doctor", "review", "summarize --dry-run")
QUERY = "cache timeout 缓存 超时"
# What docs/benchmarks.md promises, as multiples of reading and parsing.
LIMITS = {
    "cleanup": 32.0,
    "cleanup, again": 8.0,
    "cleanup --sanitize --dry-run": 20.0,
    "cleanup --dedupe --dry-run": 9.0,
    "doctor": 10.0,
    "doctor, again": 2.6,
    "review": 24.0,
    "review, again": 8.0,
    "summarize --dry-run": 27.0,
    "summarize --dry-run, again": 5.2,
    "report": 10.0,
    "export --format html": 13.0,
    ARCHIVED: 6.0,
}


class Project:
    """A project with many sessions, all in day files or all but the newest in the archive."""

    def __init__(self, corpus: Path, folder: Path) -> None:
        self.folder = folder
        self.daily = folder / ".cursor" / "skills" / "memories" / "daily"
        shutil.copytree(corpus / "daily", self.daily)
        self.environment = {
            **os.environ,
            "HOME": str(folder / "home"),
            "MEMORY_PROJECT": str(folder),
        }
        # Set, it would make every start compile every module again.
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.run([MEMORY, "reindex"])

    def archive(self) -> None:
        """Take all days but the newest into the archive."""
        days = sorted(path.stem for path in self.daily.glob("*.md"))
        before = ["--before", days[-1], "--limit", str(len(days))]
        self.run([MEMORY, "cleanup", *before, "--yes"])

    def forget(self) -> None:
        """Let the next command look at everything, as if nothing had been looked at before."""
        for name in ("clean.json", "reviewed.gz"):
            (self.daily.parent / "index" / name).unlink(missing_ok=True)

    def run(self, command: list[str]) -> tuple[float, float]:
        """Run a command; return its processor time and how long it took, in seconds."""
        before = os.times()
        done = subprocess.run(
            command, env=self.environment, cwd=self.folder, capture_output=True, text=True
        )
        after = os.times()
        if done.returncode:
            sys.exit(f"{command} failed: {done.stderr}")
        worked = (
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )
        return worked, after.elapsed - before.elapsed


def measure(plain: Project, archived: Project, runs: int) -> dict[str, list[tuple[float, float]]]:
    """Return what `Project.run` returns for each command, round by round."""
    times: dict[str, list[tuple[float, float]]] = {}
    for number in range(runs + 1):
        took = {BASE: plain.run([sys.executable, "-c", READ, str(plain.daily)])}
        for name, words in COMMANDS.items():
            plain.forget()
            took[name] = plain.run([MEMORY, *words])
            if name in AGAIN:
                took[f"{name}, again"] = plain.run([MEMORY, *words])
        took[ARCHIVED] = archived.run([MEMORY, "search", QUERY, "--archived"])
        if number:  # the first round only warms the caches of the system
            for name, seconds in took.items():
                times.setdefault(name, []).append(seconds)
    return times


def main() -> int:
    """Print the table; return 1 where a command is over its limit."""
    parser = argparse.ArgumentParser(description="measure commands on whole memories")
    parser.add_argument("--make", type=Path, required=True, help="make_corpus.py")
    parser.add_argument("--sizes", default="2000,10000", help="sessions, with commas")
    parser.add_argument("--runs", type=int, default=3, help="rounds that count")
    options = parser.parse_args()
    over: list[str] = []
    print(f"| sessions | command | s | × {BASE} | waited, s |\n| --- | --- | --- | --- | --- |")
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus"
            make_corpus(options.make, size, corpus)
            plain = Project(corpus, Path(folder) / "plain")
            archived = Project(corpus, Path(folder) / "archived")
            archived.archive()
            times = measure(plain, archived, options.runs)
        for name, seconds in times.items():
            pairs = zip(seconds, times[BASE], strict=True)
            ratio = statistics.median(took / base for (took, _), (base, _) in pairs)
            worked, waited = map(statistics.median, zip(*seconds, strict=True))
            print(f"| {size:,} | {name} | {worked:.2f} | {ratio:.1f} | {waited:.2f} |", flush=True)
            if ratio > LIMITS.get(name, ratio):
                over.append(f"{name} at {size:,}: {ratio:.1f} is over {LIMITS[name]:g}")
    for line in over:
        print(f"over the limit: {line}", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
