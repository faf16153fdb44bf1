"""Many cold `memory save` at the same moment, in a memory with many sessions.

    python -m scripts.bench.writers --make make_corpus.py [--writers 8] [--saves 50]

`make_corpus.py` is that of `startup.py`. Every writer starts one command after the other. Printed
are saves a second, how long a save took, and the processor's time for each: on a busy machine only
that can be compared. Every id must have been given once, and every session be in its file once.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from scripts.bench.startup import MEMORY, Root, make_corpus

# What docs/benchmarks.md promises: saves a second, and seconds within which 95 of 100 are done.
LIMITS = {(8, 50): (15, 0.8), (64, 10): (0, 5.0)}


def main() -> int:
    parser = argparse.ArgumentParser(description="measure concurrent saves")
    parser.add_argument("--make", type=Path, required=True, help="make_corpus.py")
    parser.add_argument("--sessions", type=int, default=10_000, help="in the memory")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--saves", type=int, default=50, help="of each writer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        make_corpus(options.make, options.sessions, corpus)
        root = Root(corpus, Path(folder))
        root.run([MEMORY, "reindex"])
        return 1 if measure(root, options.writers, options.saves) else 0


def measure(root: Root, writers: int, saves: int) -> list[str]:
    """Print the figures, and return what is wrong."""
    took: list[float] = []
    ids: list[str] = []
    gate = threading.Barrier(writers)

    def write(writer: int) -> None:
        gate.wait()
        for number in range(saves):
            start = time.perf_counter()
            ids.append(_save(root, f"mark-{writer}-{number}"))
            took.append(time.perf_counter() - start)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    before, start = _spent(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds, spent = time.perf_counter() - start, _spent() - before
    took.sort()
    rate, p95 = len(took) / seconds, took[int(0.95 * (len(took) - 1))]
    print(
        f"{writers} × {saves}: {rate:.1f} saves a second, p50 {took[len(took) // 2]:.2f} s,"
        f" p95 {p95:.2f} s, slowest {took[-1]:.2f} s, {spent / len(took) * 1000:.0f} ms of the"
        " processor for each"
    )
    least, most = LIMITS.get((writers, saves), (0, float("inf")))
    text = "".join(path.read_text(encoding="utf-8") for path in root.daily.iterdir())
    marks = [f"mark-{writer}-{number} " for writer in range(writers) for number in range(saves)]
    faults = [
        f"{mark} is there {text.count(mark)} times" for mark in marks if text.count(mark) != 1
    ]
    if len(set(ids)) != len(ids):
        faults.append("an id was given twice")
    faults += [f"not saved: {id_}" for id_ in ids if "#" not in id_]
    if rate < least or p95 > most:
        faults.append(f"the limits are {least} a second, and {most} s")
    for fault in faults[:9]:
        print(fault, file=sys.stderr)
    return faults


def _save(root: Root, mark: str) -> str:
    session = {"topic": "Rotate the signing key", "key_points": [f"{mark} 密钥轮换 every 90 days"]}
    done = subprocess.run(
        [MEMORY, "save"],
        input=json.dumps(session),
        env=root.environment,
        cwd=root.project,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip() or done.stderr


def _spent() -> float:
    """Return the processor time of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
