"""How well a search finds the right observation: recall through `Memory`, on real files.

    python -m scripts.bench.observations --data DIR [--mirror] [--json] [--run FILE]

DIR holds a folder for each set, with `observations.jsonl` (`store`, `id`, `session_id`, `date`,
`time`, `text`) and `obs_queries.jsonl`, in the form of `retrieval.py`; where there is
`obs_queries_typo.jsonl` too, the cost of a typo is measured as well. The observations of each store
become live sessions in a root of their own in a temporary folder, with the settings that are the
defaults; `--mirror` switches the mirror on. Each query is asked on the day that it names.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from scripts.bench.retrieval import load, say

from daily_memory import Memory
from daily_memory.core.observation import Observation, format_observation
from daily_memory.model import KINDS
from daily_memory.storage import observations

Row = dict[str, Any]
Scores = dict[str, float]
QUERIES, TYPOS = "obs_queries", "obs_queries_typo"
PLACES = (1, 5, 10)
MIRROR_ON = '{"mirror": {"enabled": true}}'


def score(found: list[str], relevant: list[str]) -> Scores:
    """Return the share of the wanted among the first few; 1 where they are all wanted."""
    wanted = set(relevant)
    return {
        f"recall@{k}": len(wanted.intersection(found[:k])) / min(k, len(wanted)) for k in PLACES
    }


def mean(rows: Iterable[Scores]) -> Scores:
    """Return the mean of each score."""
    listed = list(rows)
    return {
        f"recall@{k}": sum(row[f"recall@{k}"] for row in listed) / max(len(listed), 1)
        for k in PLACES
    }


class Bench:
    """The stores of all sets as roots in one folder."""

    def __init__(self, data: Path, folder: Path, *, mirror: bool) -> None:
        self.data = data
        self.folder = folder
        self.mirror = mirror
        self.sets = sorted(path.parent.name for path in data.glob(f"*/{QUERIES}.jsonl"))
        self.names: dict[tuple[str, str, str], str] = {}
        self.runs: list[Row] = []
        self.seconds: list[float] = []

    def make_all(self) -> None:
        """Write the observations of every store as live sessions."""
        for name in self.sets:
            sessions: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
            for row in load(self.data / name / "observations.jsonl"):
                sessions[row["store"], row["session_id"]].append(row)
            say(f"writing {name}: {len(sessions)} live sessions")
            for (store, session), rows in sessions.items():
                self._write(name, store, session, rows)

    def _write(self, name: str, store: str, session: str, rows: list[Row]) -> None:
        root = self.memory(name, store, "2026-01-01").workspace.project_root
        assert root is not None
        began = f"{rows[0]['date']}T{rows[0]['time']}+00:00"
        path = observations.new_path(root, session, datetime.fromisoformat(began).date())
        lines = [observations.session_line(session, "bench", root.project, began)]
        for row in rows:
            kind = row["kind"] if row["kind"] in KINDS else "note"
            at = f"{row['date']}T{row['time']}+00:00"
            # A name of its own keeps what is said twice from counting as one thing told twice.
            lines.append(format_observation(Observation(at, kind, row["text"], event=row["id"])))
        observations.append(root, path, *lines)
        live = observations.load(path)
        for number, row in enumerate(rows):
            self.names[name, store, observations.observation_id(live, number)] = row["id"]

    def run(self, kind: str) -> dict[str, Scores]:
        """Ask all queries of a kind; return the mean scores of each set."""
        means = {}
        for name in self.sets:
            queries = load(self.data / name / f"{kind}.jsonl")
            if queries:
                say(f"asking {name}/{kind}: {len(queries)} queries")
                means[name] = mean(self._ask(name, kind, queries))
        return means

    def _ask(self, name: str, kind: str, queries: list[Row]) -> Iterator[Scores]:
        for query in queries:
            store = query["store"]
            memory = self.memory(name, store, query["now"])
            began = time.perf_counter()
            result = memory.observations.search(
                query["query"], limit=10, kinds=KINDS, scope="project"
            )
            self.seconds.append(time.perf_counter() - began)
            found = [self.names[name, store, hit.record.id] for hit in result.hits]
            self.runs.append({"set": f"{name}/{kind}", "qid": query["qid"], "ids": found})
            yield score(found, query["relevant"])

    def memory(self, name: str, store: str, now: str) -> Memory:
        """Return the memory of a store of a set, on a day."""
        project = self.folder / name / store
        if not project.exists():
            project.mkdir(parents=True)
            memory = Memory(project, home=self.folder / "home")
            assert memory.workspace.project_root is not None
            config = Path(memory.workspace.project_root.config)
            config.parent.mkdir(parents=True, exist_ok=True)
            config.write_text(MIRROR_ON if self.mirror else "{}", encoding="utf-8")
        moment = datetime.fromisoformat(now).replace(tzinfo=timezone.utc)
        return Memory(project, home=self.folder / "home", clock=lambda: moment)


def measure(bench: Bench) -> dict[str, Any]:
    """Return all figures: each set, their mean, the same with typos, and milliseconds."""
    bench.make_all()
    sets = bench.run(QUERIES)
    report: dict[str, Any] = {"sets": sets, "macro": mean(sets.values())}
    ordered = sorted(bench.seconds)
    report["ms"] = {
        "p50": 1000 * ordered[len(ordered) // 2],
        "p95": 1000 * ordered[len(ordered) * 95 // 100],
    }
    typo = bench.run(TYPOS)
    report["typo"] = {"sets": typo, "macro": mean(typo.values())}
    return report


def show(report: dict[str, Any]) -> None:
    """Print the figures as a Markdown table."""
    names = [f"recall@{k}" for k in PLACES]
    print("| set | R@1 | R@5 | R@10 | R@1 typo | R@5 typo | R@10 typo |")
    print(f"| --- |{' --- |' * 6}")
    rows = [*report["sets"].items(), ("**mean**", report["macro"])]
    slips = {**report["typo"]["sets"], "**mean**": report["typo"]["macro"]}
    for name, scores in rows:
        cells = [f"{scores[key]:.3f}" for key in names]
        cells += [f"{slips[name][key]:.3f}" if name in slips else "–" for key in names]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\na search: {report['ms']['p50']:.0f} ms, p95 {report['ms']['p95']:.0f} ms")


def main() -> int:
    parser = argparse.ArgumentParser(description="measure the search of observations")
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with a folder for each set"
    )
    parser.add_argument("--mirror", action="store_true", help="with mirror.enabled")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    parser.add_argument("--run", type=Path, help="write the ids found for each query, as JSONL")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.data, Path(folder), mirror=options.mirror)
        if not bench.sets:
            parser.error(f"no */{QUERIES}.jsonl in {options.data}")
        report = measure(bench)
    if options.run:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in bench.runs)
        options.run.write_text("".join(lines), encoding="utf-8")
    if options.json:
        print(json.dumps(report))
    else:
        show(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
