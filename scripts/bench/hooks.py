"""What an event of a host costs: whole processes, as multiples of `python -c pass` in the same run.

    python -m scripts.bench.hooks --make make_corpus.py [--sessions 10000] [--runs 25]

`make_corpus.py` is that of `startup.py`. Each round sends every event once, cold; the figures are
medians, of wall time and of the processor's. A shell command is one of several, since what its
output looks like decides which rules of redaction are loaded. A question is asked in a conversation
of its own, so that nothing was told before. After each round all conversations are saved, so that a
start finds nothing left to do. The digest that the end of a turn starts is not waited for.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from scripts.bench.startup import MEMORY, Root, make_corpus

# What docs/benchmarks.md promises, as multiples of `python -c pass`.
RECORDED, INJECTED = 3.0, 7.0
OUTPUTS = (
    ("pytest -q tests/test_report.py", 1, "E   AssertionError: 3 != 4\n1 failed in 0.3s\n"),
    ("npm test", 1, "FAIL src/cart.test.ts\n  ● adds an item\n\nTests: 1 failed, 8 passed\n"),
    ("git status --short", 0, " M src/report.py\n?? notes.md\n"),
    ("ls -la src", 0, "total 8\n-rw-r--r-- 1 me me 812 Jan 29 10:30 report.py\n"),
)
# These bring memories.
_TELLING = ("start", "question")
# Ends all conversations, in the library: the next round begins with nothing left over.
_END_ALL = (
    "import os; from daily_memory import Memory; Memory(environment=dict(os.environ)).end_all()"
)
ANSWER = "原因是每次都查询全表。I changed src/report.py to cache for 300 s."


class Cost(NamedTuple):
    """Seconds that a process took: by the clock, and of the processor, the system's included."""

    wall: float
    cpu: float


def main() -> int:
    parser = argparse.ArgumentParser(description="measure the hooks")
    parser.add_argument("--make", type=Path, required=True, help="make_corpus.py")
    parser.add_argument("--sessions", type=int, default=10_000, help="in the memory")
    parser.add_argument("--runs", type=int, default=25, help="rounds that count")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        make_corpus(options.make, options.sessions, corpus)
        root = Root(corpus, Path(folder))
        root.prepare()
        costs = measure(root, options.runs)
    base = costs.pop("python -c pass")
    over = []
    print(f"`python -c pass`: {base.wall * 1000:.1f} ms, {base.cpu * 1000:.1f} ms of the processor")
    print("| event | × wall | × processor |\n| --- | --- | --- |")
    for name, cost in costs.items():
        wall, cpu = cost.wall / base.wall, cost.cpu / base.cpu
        print(f"| {name} | {wall:.2f} | {cpu:.2f} |")
        limit = INJECTED if name in _TELLING else RECORDED
        if max(wall, cpu) > limit:
            over.append(f"{name}: {max(wall, cpu):.2f} is over {limit}")
    for line in over:
        print(f"over the limit: {line}", file=sys.stderr)
    return 1 if over else 0


def measure(root: Root, runs: int) -> dict[str, Cost]:
    """Return the median cost of each event."""
    questions = root.of_kind("en_2", "en_3", "en_5noise", "zh_2", "zh_3", "zh_phrase", "zh_mixed")
    costs: dict[str, list[Cost]] = {}
    for number in range(runs + 1):
        events = _events(root, number, questions[number % len(questions)])
        for name, payload in {"python -c pass": None, **events}.items():
            cost = _run(root, payload, is_told=name in _TELLING)
            if number and cost:  # the first round only warms the caches of the system
                costs.setdefault(name, []).append(cost)
        end_all = [sys.executable, "-c", _END_ALL]
        subprocess.run(end_all, env=root.environment, cwd=root.project, check=True)
    return {
        name: Cost(
            statistics.median(one.wall for one in found),
            statistics.median(one.cpu for one in found),
        )
        for name, found in costs.items()
    }


def _events(root: Root, number: int, question: str) -> dict[str, dict[str, object]]:
    base = {
        "cursor_version": "3.20.17",
        "workspace_roots": [str(root.project)],
        "generation_id": f"g{number}",
    }
    going_on = {**base, "conversation_id": "c"}
    started: dict[str, object] = {
        **base,
        "conversation_id": f"s{number}",
        "hook_event_name": "sessionStart",
    }
    events: dict[str, dict[str, object]] = {
        "start": started,
        "answer": {**going_on, "hook_event_name": "afterAgentResponse", "text": ANSWER},
    }
    for command, status, output in OUTPUTS:
        events[f"shell: {command.split()[0]}"] = {
            **going_on,
            "hook_event_name": "postToolUse",
            "tool_name": "Shell",
            "tool_input": {"command": command},
            "tool_output": json.dumps({"exitCode": status, "stdout": output}),
            "tool_use_id": f"t{number}",
        }
    events["question"] = {
        **base,
        "conversation_id": f"q{number}",
        "hook_event_name": "beforeSubmitPrompt",
        "prompt": question,
    }
    events["end of a turn"] = {**going_on, "hook_event_name": "stop", "status": "completed"}
    return events


def _run(root: Root, payload: dict[str, object] | None, *, is_told: bool) -> Cost | None:
    """Return what an event cost; None where nothing was told though it should bring memories."""
    command = [MEMORY, "hook", "cursor"] if payload else [sys.executable, "-c", "pass"]
    start, before = time.perf_counter(), _used()
    done = subprocess.run(
        command,
        input=json.dumps(payload).encode(),
        env=root.environment,
        capture_output=True,
        check=True,
    )
    wall, cpu = time.perf_counter() - start, _used() - before
    # Of questions that the corpus makes of two words, some are taken for orders.
    if is_told and b"additional_context" not in done.stdout:
        print(f"not counted, since nothing was told: {payload}", file=sys.stderr)
        return None
    return Cost(wall, cpu)


def _used() -> float:
    """Return the seconds of the processor that ended processes of ours took, to the microsecond."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
