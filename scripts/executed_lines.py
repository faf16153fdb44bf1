"""Which tests execute a line, known from one run of them.

The run is watched by coverage, processes that tests start too, unless they are killed or get an
environment of their own. A test that fails is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest
from coverage import Coverage
from coverage.numbits import num_in_numbits

CHECKOUT = Path(__file__).resolve().parent.parent
_RESULT = "EXECUTED_LINES_RESULT"
_CACHED = type(lru_cache(int))


class Executed(NamedTuple):
    """A copy of the checkout, the seconds of each test that was run there, and what it executed."""

    copy: Path
    seconds: dict[str, float]
    lines: Path

    def tests_of(self, path: str, first: int = 0, last: int = 0) -> set[str]:
        """Return the tests that execute one of these lines of a file, or any line of it."""
        with closing(sqlite3.connect(self.lines)) as database:
            rows = database.execute(
                "SELECT context, numbits FROM line_bits JOIN context ON context.id = context_id"
                " JOIN file ON file.id = file_id WHERE file.path = ?",
                (str(self.copy / path),),
            )
            names = {
                name
                for name, numbits in rows
                if not first or any(num_in_numbits(n, numbits) for n in range(first, last + 1))
            }
        # In a process that a test starts, it is named as in PYTEST_CURRENT_TEST: "name (call)".
        return self.seconds.keys() & (names | {name.rpartition(" (")[0] for name in names})


def load(cache: Path, jobs: int, tests: Sequence[str] = ("tests", "skill")) -> Executed:
    """Return what a run of the tests shows, or showed when nothing was different."""
    digest = hashlib.sha256(repr(tests).encode())
    for path in sorted(
        path for each in ("skill", "tests") for path in CHECKOUT.glob(each + "/**/*.py")
    ):
        digest.update(path.read_bytes())
    folder = cache / digest.hexdigest()[:16]
    copy, seconds = folder / "checkout", folder / "seconds.json"
    if not seconds.exists():
        shutil.rmtree(folder, ignore_errors=True)
        unneeded = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis")
        shutil.copytree(CHECKOUT, copy, ignore=unneeded)
        beside = CHECKOUT.parent / "shared"
        if beside.exists():
            (folder / "shared").symlink_to(beside)
        _run(folder, jobs, tests)
        os.replace(folder / "all.json", seconds)
    return Executed(copy, json.loads(seconds.read_text(encoding="utf-8")), folder / "lines")


def _run(folder: Path, jobs: int, tests: Sequence[str]) -> None:
    copy, settings = folder / "checkout", folder / "coverage.ini"
    settings.write_text(
        f"[run]\ndata_file = {folder}/lines\nparallel = true\ncore = ctrace\n"
        f"include = {copy}/skill/*\ncontext = ${{PYTEST_CURRENT_TEST-}}\n"
    )
    options = ("-q", "-n", str(jobs), "--dist", "worksteal", "-p", "scripts.executed_lines")
    environment = {
        "PYTHONPATH": str(copy / "skill"),
        "COVERAGE_PROCESS_START": str(settings),
        "PYTEST_CURRENT_TEST": "",
        _RESULT: str(folder / "all.json"),
    }
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=copy,
        env=os.environ | environment,
        stdout=sys.stderr,
        check=False,
    )
    Coverage(config_file=str(settings)).combine()


# ------------------------------------------------------------------ in the watched run


_seconds: dict[str, float] = {}
_failed: set[str] = set()


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note lines for this test, also those that what earlier tests cached would save it."""
    for name, loaded in list(sys.modules.items()):
        if name.startswith("daily_memory"):
            for value in list(vars(loaded).values()):
                if isinstance(value, _CACHED):
                    value.cache_clear()
    if coverage := Coverage.current():
        coverage.switch_context(nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0) + report.duration
    if not report.passed:
        _failed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if coverage := Coverage.current():
        coverage.stop()
        coverage.save()
    if not hasattr(session.config, "workerinput"):
        passed = {test: _seconds[test] for test in _seconds.keys() - _failed}
        Path(os.environ[_RESULT]).write_text(json.dumps(passed), encoding="utf-8")
