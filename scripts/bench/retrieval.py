"""How well a search finds the right session: recall and nDCG through `Memory`, on real files.

    python scripts/bench/retrieval.py --data DIR [--json] [--run FILE] [--model PATH|URL]
    python scripts/bench/retrieval.py --data DIR --foreign
    python scripts/bench/retrieval.py --data DIR --model PATH|URL --compare [--every N]

DIR holds a folder for each set, with `sessions.jsonl` and `queries.jsonl`; where there are
`queries_typo.jsonl` and `queries_recency.jsonl` too, the cost of a typo and the gain from time
decay are measured as well; `queries_crosslingual.jsonl` asks in the language that the session
isn't in. Every store is imported into a root of its own in a temporary folder.
The settings are the defaults; the runs without decay differ in `retrieval.time_decay_rate` only.
With `--foreign` questions of each set are asked of the stores of the others, where nothing answers.
With `--model` sessions are embedded and searched by meaning too: the folder of a static model or of
one of sentence-transformers, or the address and model of a server, `http://127.0.0.1:8080/v1#NAME`.
A folder with a model for each set, as `learn_vectors.py --data` makes it, is taken too. `--compare`
searches by words, by meaning and by both, and `--every` asks every Nth question only.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

from daily_memory import Memory
from daily_memory.core.search.ranking import INJECT_FLOOR
from daily_memory.services.reading.root_search import Query

Row = dict[str, Any]
Scores = dict[str, float]
NO_DECAY = '{"retrieval": {"time_decay_rate": 1}}'
FOREIGN_QUESTIONS = 126
NAMES = ("recall@1", "recall@5", "ndcg@10")
METHODS = ("keyword", "semantic", "hybrid")


def semantic(model: str) -> dict[str, object]:
    """Return the settings that search with a model, by its folder or address."""
    if model.startswith(("http://", "https://")):
        url, _, name = model.partition("#")
        return {"enabled": True, "provider": "openai", "url": url, "model": name}
    config = json.loads((Path(model) / "config.json").read_text(encoding="utf-8"))
    is_static = config.get("model_type") == "model2vec"
    provider = "model2vec" if is_static else "local"
    return {"enabled": True, "provider": provider, "model": str(Path(model).resolve())}


def load(path: Path) -> list[Row]:
    """Return the objects of a JSONL file, none where there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def score(found: list[str], relevant: list[str]) -> Scores:
    """Return the scores of one query; gains are binary, the best possible answer scores 1."""
    wanted = set(relevant)
    places = [place for place, name in enumerate(found[:10]) if name in wanted]
    scores = {
        f"recall@{k}": sum(place < k for place in places) / min(k, len(wanted)) for k in (1, 5)
    }
    best = sum(1 / math.log2(place + 2) for place in range(min(10, len(wanted))))
    scores["ndcg@10"] = sum(1 / math.log2(place + 2) for place in places) / best
    return scores


def mean(rows: Iterable[Scores]) -> Scores:
    """Return the mean of each score."""
    listed = list(rows)
    return {name: sum(row[name] for row in listed) / max(len(listed), 1) for name in NAMES}


class Bench:
    """The stores of all sets as roots in one folder, each imported once."""

    def __init__(
        self, data: Path, folder: Path, model: str = "", method: str = "", every: int = 1
    ) -> None:
        self.data = data
        self.folder = folder
        self.model = model
        self.method = method
        self.every = every
        self.sets = sorted(path.parent.name for path in data.glob("*/queries.jsonl"))
        self.runs: list[Row] = []

    def import_all(self) -> None:
        """Import the sessions of every store."""
        for name in self.sets:
            for store, sessions in self._stores(name).items():
                say(f"importing {name}/{store}: {len(sessions)} sessions")
                memory = self.memory(name, store)
                # The conversation is not searched: it only carries the name back to us.
                data = ({**session, "conversation": session["id"]} for session in sessions)
                memory.import_sessions(data)
        if self.model:
            for name in self.sets:
                self._embed(name)

    def _use_model(self, name: str) -> None:
        """Search a set with its model."""
        own = Path(self.model) / name.split("_")[0]
        model = str(own) if self.model and own.is_dir() else self.model
        config = self.folder / "home/.cursor/skills/memories/config.json"
        config.parent.mkdir(parents=True, exist_ok=True)
        settings = {"semantic": semantic(model)} if model else {}
        config.write_text(json.dumps(settings), encoding="utf-8")

    def _embed(self, name: str) -> None:
        self._use_model(name)
        for store in self._stores(name):
            say(f"embedding {name}/{store}")
            (status,) = self.memory(name, store).embedding.run(scope="project")
            say(f"  {status.vectors} vectors; {dict(status.known)}")

    def run(self, kind: str, *, decay: bool = True) -> dict[str, Scores]:
        """Ask all queries of a kind, such as `queries_typo`; return the mean scores of each set."""
        means = {}
        for name in self.sets:
            queries = load(self.data / name / f"{kind}.jsonl")[:: self.every]
            if queries:
                self._use_model(name)
                say(f"asking {name}/{kind}: {len(queries)} queries{'' if decay else ', no decay'}")
                rows = list(self._ask(name, kind, queries, decay=decay))
                means[name] = mean(rows)
        return means

    def _ask(self, name: str, kind: str, queries: list[Row], *, decay: bool) -> Iterator[Scores]:
        for store in sorted({query["store"] for query in queries}):
            asked = [query for query in queries if query["store"] == store]
            memory = self.memory(name, store)
            self._configure(memory, decay=decay)
            wanted = (
                Query(query["query"], 10, self.method, now=date.fromisoformat(query["now"]))
                for query in asked
            )
            results = memory.search_many(wanted, scope="project")
            for query, result in zip(asked, results, strict=True):
                found = [hit.session.conversation for hit in result.hits]
                scores = score(found, query["relevant"])
                if decay:
                    run = {"set": f"{name}/{kind}", "qid": query["qid"], "ids": found}
                    self.runs.append({**run, "query": query["query"], "scores": scores})
                yield scores

    def foreign(self) -> Iterator[float]:
        """Ask questions of each set of stores of other sets; yield the relevance of the best hit.

        Sets of the same texts have the same first word in their names: `locomo`, `locomo_notes`.
        """
        for name in self.sets:
            others = [other for other in self.sets if other.split("_")[0] != name.split("_")[0]]
            if not others:
                continue
            queries = load(self.data / name / "queries.jsonl")
            for number in range(0, FOREIGN_QUESTIONS, self.every):
                question = queries[number * len(queries) // FOREIGN_QUESTIONS]["query"]
                other = others[number % len(others)]
                stores = sorted(self._stores(other))
                self._use_model(other)
                memory = self.memory(other, stores[number // len(others) % len(stores)])
                query = Query(question, 1, self.method)
                result = next(iter(memory.search_many([query], scope="project")))
                yield max((hit.relevance for hit in result.hits), default=0.0)

    def _stores(self, name: str) -> dict[str, list[Row]]:
        stores: dict[str, list[Row]] = {}
        for session in load(self.data / name / "sessions.jsonl"):
            stores.setdefault(session["store"], []).append(session)
        return stores

    def memory(self, name: str, store: str) -> Memory:
        """Return the memory of a store of a set."""
        project = self.folder / name / store
        project.mkdir(parents=True, exist_ok=True)
        return Memory(project, home=self.folder / "home")

    def _configure(self, memory: Memory, *, decay: bool) -> None:
        assert memory.workspace.project_root is not None
        path = Path(memory.workspace.project_root.config)
        path.unlink(missing_ok=True)
        if not decay:
            path.write_text(NO_DECAY, encoding="utf-8")


def measure(bench: Bench) -> dict[str, Any]:
    """Return all figures: each set, their mean, and the differences that typos and decay make."""
    bench.import_all()
    sets = bench.run("queries")
    report: dict[str, Any] = {"sets": sets, "macro": mean(sets.values())}
    typo = bench.run("queries_typo")
    if typo:
        report["typo"] = {"sets": typo, "macro": mean(typo.values())}
    across = bench.run("queries_crosslingual")
    if across:
        report["crosslingual"] = {"sets": across, "macro": mean(across.values())}
    without = bench.run("queries", decay=False)
    report["no_decay"] = {"sets": without, "macro": mean(without.values())}
    recency = bench.run("queries_recency")
    if recency:
        report["recency"] = {"sets": recency, "macro": mean(recency.values())}
        plain = bench.run("queries_recency", decay=False)
        report["recency_no_decay"] = {"sets": plain, "macro": mean(plain.values())}
    return report


def show(report: dict[str, Any]) -> None:
    """Print the figures as a Markdown table."""
    print(
        "| set | R@1 | R@5 | nDCG@10 | R@1 typo | R@5 typo |\n| --- | --- | --- | --- | --- | --- |"
    )
    typo = report.get("typo", {"sets": {}, "macro": {}})
    rows = [*report["sets"].items(), ("**mean**", report["macro"])]
    for name, scores in rows:
        slips = typo["sets"].get(name) or (typo["macro"] if name == "**mean**" else {})
        cells = [scores[key] for key in NAMES] + [slips.get(key) for key in NAMES[:2]]
        print(
            f"| {name} | {' | '.join('–' if cell is None else f'{cell:.3f}' for cell in cells)} |"
        )
    for name, scores in report.get("crosslingual", {"sets": {}})["sets"].items():
        figures = " | ".join(f"{scores[key]:.3f}" for key in NAMES)
        print(f"| {name}, across languages | {figures} | – | – |")
    loss = report["no_decay"]["macro"]["recall@1"] - report["macro"]["recall@1"]
    print(f"\ntime decay: {-loss:+.3f} R@1 on all sets", end="")
    if "recency" in report:
        gain = (
            report["recency"]["macro"]["recall@1"] - report["recency_no_decay"]["macro"]["recall@1"]
        )
        print(f", {gain:+.3f} R@1 on queries about what is recent", end="")
    print()


def show_foreign(relevances: list[float]) -> None:
    """Print how many questions found something, and how many something for recall."""
    shares = foreign_shares(relevances)
    print(f"{len(relevances)} foreign questions: answered / recalled {shares}")


def foreign_shares(relevances: list[float]) -> str:
    """Return how many foreign questions found something, and how many something for recall."""
    count = max(len(relevances), 1)
    recalled = sum(relevance >= INJECT_FLOOR for relevance in relevances) / count
    return f"{sum(map(bool, relevances)) / count:.1%} / {recalled:.1%}"


def compare(bench: Bench) -> None:
    """Print a table of all methods: R@1 / R@5, and how many foreign questions find something."""
    bench.import_all()
    columns: dict[str, dict[str, str]] = {}
    for bench.method in METHODS:
        bench.runs.clear()
        column = columns[bench.method] = {}
        means = bench.run("queries")
        means["**mean**"] = mean(list(means.values()))
        typo, across = bench.run("queries_typo"), bench.run("queries_crosslingual")
        numbers = [run["scores"] for run in bench.runs if re.search(r"\d", run["query"])]
        means["mean of typos"] = mean(typo.values())
        means |= {f"{name}, across languages": scores for name, scores in across.items()}
        means[f"{len(numbers)} questions with a number"] = mean(numbers)
        for name, scores in means.items():
            column[name] = f"{scores['recall@1']:.3f} / {scores['recall@5']:.3f}"
        relevances = list(bench.foreign())
        column[f"{len(relevances)} foreign: answered / recalled"] = foreign_shares(relevances)
    print(f"| set | {' | '.join(METHODS)} |\n| --- | --- | --- | --- |")
    for name in columns["keyword"]:
        print(f"| {name} | {' | '.join(columns[method][name] for method in METHODS)} |")


def say(text: str) -> None:
    """Print progress."""
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="measure retrieval")
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with a folder for each set"
    )
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    parser.add_argument("--model", default="", help="a model to search by meaning with as well")
    parser.add_argument("--method", default="", choices=("keyword", "semantic", "hybrid"))
    parser.add_argument("--compare", action="store_true", help="search by words, meaning and both")
    parser.add_argument("--every", type=int, default=1, help="ask every Nth question")
    parser.add_argument("--foreign", action="store_true", help="ask what nothing answers")
    parser.add_argument("--run", type=Path, help="write the ids found for each query, as JSONL")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.data, Path(folder), options.model, options.method, options.every)
        if not bench.sets:
            parser.error(f"no */queries.jsonl in {options.data}")
        if options.compare:
            compare(bench)
            return 0
        if options.foreign:
            bench.import_all()
            show_foreign(list(bench.foreign()))
            return 0
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
