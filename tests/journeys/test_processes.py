"""Real processes on one memory: nothing is lost, doubled or torn, and readers never wait."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from datetime import date, timedelta
from pathlib import Path

import pytest

WRITERS, SAVES = 6, 5


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "app").mkdir()
    return {**os.environ, "HOME": str(tmp_path), "MEMORY_PROJECT": str(tmp_path / "app")}


def memory(
    environment: dict[str, str], *words: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "daily_memory", *words],
        input=stdin,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_many_writers_lose_nothing_and_double_nothing(environment, tmp_path):
    outcomes: list[subprocess.CompletedProcess[str]] = []
    reads: list[subprocess.CompletedProcess[str]] = []
    done = threading.Event()

    def write(writer: int) -> None:
        for number in range(SAVES):
            data = json.dumps({"topic": f"writer {writer} save {number} 中文", "tags": ["t"]})
            outcomes.append(memory(environment, "save", "--json", stdin=data))

    def read() -> None:
        while not done.is_set():
            reads.append(memory(environment, "search", "writer 中文", "--json"))

    writers = [threading.Thread(target=write, args=(n,)) for n in range(WRITERS)]
    reader = threading.Thread(target=read)
    for thread in (*writers, reader):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()

    ids = [json.loads(outcome.stdout)["id"] for outcome in outcomes]
    assert len(set(ids)) == WRITERS * SAVES
    topics = [
        s["topic"] for s in json.loads(memory(environment, "list", "--json").stdout)["sessions"]
    ]
    assert sorted(topics) == sorted(
        f"writer {writer} save {number} 中文"
        for writer in range(WRITERS)
        for number in range(SAVES)
    )
    assert reads
    assert all(json.loads(read.stdout)["results"] is not None for read in reads)
    assert memory(environment, "doctor").returncode == 0
    assert_index_fits(tmp_path / "app/.cursor/skills/memories")


def assert_index_fits(root: Path) -> None:
    """Check that each entry of the index points at the heading of its session."""
    index = json.loads((root / "index/keywords.json").read_text(encoding="utf-8"))
    assert len(index["entries"]) == WRITERS * SAVES
    for entry in index["entries"]:
        lines = (root / f"daily/{entry['date']}.md").read_text(encoding="utf-8").split("\n")
        first, last = entry["line_range"]
        assert lines[first - 1].startswith(f"## Session {entry['session']} - ")
        assert lines[last - 1] == "---"


def test_a_reader_that_has_seen_enough_is_no_error(environment):
    for number in range(3):
        memory(environment, "save", "--topic", f"topic {number}", "--tag", "t")
    command = f"{sys.executable} -m daily_memory list --json | head -c 5"

    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ('{"ses', "")


def test_output_is_utf_8_whatever_the_locale_says(environment):
    memory(environment, "save", "--topic", "缓存 🚀", "--tag", "t")

    done = memory(
        {**environment, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}, "list"
    )

    assert "缓存 🚀" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without telling it")
@pytest.mark.parametrize("ending", ["SIGTERM", "SIGHUP"])
def test_an_import_that_is_told_to_end_leaves_no_half(environment, tmp_path, ending):
    given = tmp_path / "sessions.jsonl"
    first = date(2026, 1, 1)
    days = [(first + timedelta(days=n)).isoformat() for n in range(200)]
    rows = [{"date": day, "topic": f"{n} 缓存"} for day in days for n in range(15)]
    given.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    memory(environment, "init")
    (daily,) = tmp_path.glob("app/.cursor/skills/memories/daily")

    words = [sys.executable, "-m", "daily_memory", "import", str(given)]
    with subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL) as importing:
        while importing.poll() is None and not any(daily.glob("*.md")):
            pass
        importing.send_signal(getattr(signal, ending))

    is_undoable = "imported" in memory(environment, "undo", "--list", "--lang", "en").stdout
    assert any(daily.glob("*.md")) == is_undoable
