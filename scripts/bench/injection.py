"""What a conversation is told: is the right session in the block, and does the block keep its size?

    python -m scripts.bench.injection --data DIR [--max-chars 4000]

DIR holds `sessions.jsonl` and `queries.jsonl`, as one set of `retrieval.py`. The settings are the
defaults. A session is in the block if its header is.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from datetime import date
from pathlib import Path

from scripts.bench.retrieval import Bench, load

from daily_memory.services.reading.inject import Injection


def main() -> int:
    parser = argparse.ArgumentParser(description="measure what is injected")
    parser.add_argument("--data", type=Path, required=True, help="folder of one set")
    parser.add_argument("--max-chars", type=int, default=4000, metavar="N")
    options = parser.parse_args()
    name = options.data.name
    queries = load(options.data / "queries.jsonl")
    within: list[bool] = []
    sizes: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.data.parent, Path(folder))
        bench.sets = [name]
        bench.import_all()
        for query in queries:
            memory = bench.memory(name, query["store"])
            block = memory.inject(
                query["query"],
                max_chars=options.max_chars,
                scope="project",
                now=date.fromisoformat(query["now"]),
            )
            sizes.append(len(block.text))
            told = {
                memory.get(id_, scope="project").session.conversation for id_ in _sessions(block)
            }
            within.append(not told.isdisjoint(query["relevant"]))
    found = sum(within) / len(within)
    print(f"{name}: the right session in {found:.3f} of {len(within)} blocks")
    print(f"characters: median {statistics.median(sizes):.0f}, most {max(sizes)}")
    return 0 if max(sizes) <= options.max_chars else 1


def _sessions(block: Injection) -> list[str]:
    return [id_ for id_ in block.ids if id_ != "summary"]


if __name__ == "__main__":
    sys.exit(main())
