"""What the MCP server costs: its start, its end, a call, and what it holds after many.

    python scripts/bench/mcp.py [--runs 15] [--calls 1000]

Times are medians of whole processes in an empty project, as multiples of `python -c pass` in the
same run. Memory is told on Linux alone. The exit status is 1 where a limit is broken.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

MEMORY = str(Path(sys.executable).with_name("memory"))
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}
# What docs/benchmarks.md promises: multiples of `python -c pass`, seconds, megabytes.
MOST_START, MOST_END_S, MOST_GROWTH_MB = 90, 2.0, 20


class Server:
    """`memory mcp` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "HOME": str(folder), "MEMORY_PROJECT": str(folder / "app")}
        # Set, it would make every start compile every module again.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        start = time.perf_counter()
        self.process = subprocess.Popen(
            [MEMORY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.ask("initialize", HELLO)
        self.start_s = time.perf_counter() - start

    def ask(self, method: str, params: Mapping[str, object]) -> None:
        """Send a request and wait for its answer."""
        assert self.process.stdin
        assert self.process.stdout
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def call(self, tool: str, **arguments: object) -> float:
        """Return how many seconds a call takes."""
        start = time.perf_counter()
        self.ask("tools/call", {"name": tool, "arguments": arguments})
        return time.perf_counter() - start

    def resident_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status")
        lines = status.read_text().split("\n") if status.exists() else []
        return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def leave(self) -> float:
        """Return how many seconds it lives on after the end of its stdin."""
        assert self.process.stdin
        start = time.perf_counter()
        self.process.stdin.close()
        self.process.wait()
        return time.perf_counter() - start


class Figures(NamedTuple):
    """Start and bare start in seconds, the longest end, a call, and megabytes gained."""

    start_s: float
    pass_s: float
    end_s: float
    call_s: float
    grown_mb: float


def measure(folder: Path, runs: int, calls: int) -> Figures:
    (folder / "app").mkdir()
    starts, bare, ends = [], [], []
    for _ in range(runs):
        server = Server(folder)
        starts.append(server.start_s)
        ends.append(server.leave())
        before = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare.append(time.perf_counter() - before)
    server = Server(folder)
    for number in range(50):
        server.call("memory_save", topic=f"topic {number}", key_points=["Redis 缓存 TTL 300 s"])
        server.call("memory_search", query="缓存 TTL")
    held = server.resident_mb()
    times = [server.call("memory_search", query=f"缓存 TTL {n}") for n in range(calls)]
    grown = server.resident_mb() - held
    ends.append(server.leave())
    median = statistics.median
    return Figures(median(starts), median(bare), max(ends), median(times), grown)


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--calls", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), options.runs, options.calls)
    ratio = figures.start_s / figures.pass_s
    print(f"started until initialize was answered: {figures.start_s * 1000:.0f} ms, {ratio:.0f} x")
    print(f"gone after the end of stdin: {figures.end_s * 1000:.0f} ms at the most")
    print(f"memory_search over 50 sessions: {figures.call_s * 1000:.1f} ms")
    print(f"memory gained by {options.calls} searches: {figures.grown_mb:.1f} MB")
    is_kept = (
        ratio <= MOST_START and figures.end_s <= MOST_END_S and figures.grown_mb <= MOST_GROWTH_MB
    )
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(run())
