"""Many processes on one mirror: some live long, log and search, others append as hooks do."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.reliability.store import REPOSITORY, Store

# What SQLite may wait for a lock, and what the work itself takes on a busy machine.
BUSY_LIMIT_S = 5.0
_TIMEOUT_S = 600


class MirrorCrowd(NamedTuple):
    """What came of it: how many observations and searches, and the slowest of each, in seconds."""

    logged: int
    appended: int
    searches: int
    slowest_log_s: float
    slowest_search_s: float
    warnings: int
    faults: tuple[str, ...]


def mirror_crowd(store: Store, servers: int, hooks: int, turns: int) -> MirrorCrowd:
    """Let them all work, then look whether each observation is in the files and the mirror once."""
    store.root.mkdir(parents=True, exist_ok=True)
    (store.root / "config.json").write_text('{"mirror": {"enabled": true}}', encoding="utf-8")
    workers = [("server", number) for number in range(servers)]
    workers += [("hook", number) for number in range(hooks)]
    processes = [_start(store, role, number, turns) for role, number in workers]
    told: list[dict[str, Any]] = []
    faults: list[str] = []
    for process in processes:
        out, err = process.communicate(timeout=_TIMEOUT_S)
        if process.returncode:
            faults.append(f"ended with {process.returncode}: {err[-2000:]}")
        else:
            told.append(json.loads(out))
    faults += [fault for one in told for fault in one["faults"]]
    words = [word for one in told for word in one["words"]]
    faults += _lost(store, words)
    slowest_log_s = max(one["log_s"] for one in told)
    slowest_search_s = max(one["search_s"] for one in told)
    return MirrorCrowd(
        sum(len(one["words"]) for one in told if one["role"] == "server"),
        sum(len(one["words"]) for one in told if one["role"] == "hook"),
        sum(one["searches"] for one in told),
        slowest_log_s,
        slowest_search_s,
        sum(one["warnings"] for one in told),
        tuple(faults),
    )


def _start(store: Store, role: str, number: int, turns: int) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "tests.reliability.mirror_crowd",
        role,
        str(number),
        str(turns),
    ]
    return subprocess.Popen(
        [*command, str(store.project)],
        cwd=REPOSITORY,
        env={**store.environment, "PYTHONPATH": f"{REPOSITORY / 'skill'}:{REPOSITORY}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _lost(store: Store, words: Sequence[str]) -> list[str]:
    """Compare what was logged with the files and with the mirror, which is then made anew."""
    from daily_memory.services.reading import mirror
    from daily_memory.storage import mirror_db

    memory = _memory(str(store.project), str(store.home))
    root = memory.workspace.save_root()
    said = [one.text for live in memory.observations.live_sessions() for one in live.observations]
    faults = [] if sorted(said) == sorted(words) else ["the files have not each of them once"]
    for state in (
        mirror.sync(root, memory.settings),
        mirror.sync(root, memory.settings, rebuild=True),
    ):
        if state.observations != len(words) or state.state != "current":
            faults.append(f"of {len(words)} the mirror has {state}")
    with mirror_db.opened(root) as opened, opened.writing():
        if not opened.is_sound():
            faults.append("the mirror is damaged")
    return faults


# ---------------------------------------------------------------------------- in the processes


def _memory(project: str, home: str) -> Any:
    from daily_memory import Memory

    return Memory(project, home=home)


def serve(project: str, home: str, number: int, turns: int) -> dict[str, Any]:
    """Log and search as a server does that lives long: a fresh `Memory` for each request."""
    from daily_memory.model import KINDS

    told: dict[str, Any] = {"role": "server", "words": [], "faults": []}
    log_s, search_s, warnings = [0.0], [0.0], 0
    name = f"server-{number}"
    _memory(project, home).start(name)
    for turn in range(turns):
        word = f"word{number}x{turn} 并发"
        began = time.monotonic()
        logged = _memory(project, home).log(word, conversation=name)
        log_s.append(time.monotonic() - began)
        told["words"].append(word)
        began = time.monotonic()
        result = _memory(project, home).observations.search(word, kinds=KINDS)
        search_s.append(time.monotonic() - began)
        warnings += bool(result.warnings)
        if logged.id not in [hit.record.id for hit in result.hits]:
            told["faults"].append(f"{word} was logged and is not found: {result.warnings}")
    slowest = {"log_s": max(log_s), "search_s": max(search_s)}
    return {**told, **slowest, "searches": turns, "warnings": warnings}


def hook(project: str, home: str, number: int, turns: int) -> dict[str, Any]:
    """Append to live sessions as hooks do, which never open the mirror; two share a session."""
    from daily_memory.core.observation import Observation, format_observation
    from daily_memory.storage import observations

    root = _memory(project, home).workspace.save_root()
    path = _memory(project, home).start(f"hook-{number // 2}").path
    words, log_s = [], [0.0]
    for turn in range(turns):
        word = f"hooked{number}x{turn} 钩子"
        one = Observation("2026-01-29T10:30:45+08:00", "tool", word, "shell")
        began = time.monotonic()
        observations.append(root, path, format_observation(one))
        log_s.append(time.monotonic() - began)
        words.append(word)
    return {
        "role": "hook",
        "words": words,
        "faults": [],
        "searches": 0,
        "warnings": 0,
        "log_s": max(log_s),
        "search_s": 0.0,
    }


if __name__ == "__main__":
    import os

    role, number_, turns_, project_ = sys.argv[1:]
    act = serve if role == "server" else hook
    sys.stdout.write(json.dumps(act(project_, os.environ["HOME"], int(number_), int(turns_))))
