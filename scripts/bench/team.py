"""What the team's database costs beside a bare `tsvector`, and what it keeps when it is killed.

    python scripts/bench/team.py [--sizes 10000,100000,1000000] [--queries 200] [--json FILE]
    python scripts/bench/team.py --faults [--rounds 20]

A server of its own, with 2 GB of shared buffers. 200 projects of made-up observations,
half of them Chinese, are pushed as the program pushes them, the redaction left out. Each question
is asked in turn of the program, by a role that may see all projects and by one that may see five,
and of a table with a `tsvector` of the same terms under GIN: the terms joined by OR, ordered by
`ts_rank`, limit 20. "cold" opens a connection, as a command does; the others use one that is open,
as a server does. The exit status is 1 where with a million records a median or p95 is more than
twice that of the bare one.

With --faults 16 writers push while the server is killed and connections are cut off, at random;
then each pushes once more, and the rows are counted. As root it is tried on a full disk too.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from scripts.bench.mirror import Writer
from tests.postgres import Server, Team, make_server

from daily_memory.backends.team import database
from daily_memory.backends.team.database import SharedRecord
from daily_memory.core.record import Record
from daily_memory.core.search import text
from daily_memory.core.settings import DEFAULTS, MirrorSettings, Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import KINDS
from daily_memory.services.reading import team_search as reading
from daily_memory.services.reading.records import RecordQuery

LIMIT = 2.0
SETTINGS = ("fsync=on", "shared_buffers=2GB", "max_wal_size=4GB")
PROJECTS, FEW = 200, 5
PER_DAY = 100
PUSHERS = 4
WRITERS = 16
_FIRST = date(2025, 1, 1)


def project(number: int) -> str:
    return f"project-{number:03}"


def records(text_of: Callable[[int], str], day: str, count: int) -> Iterator[SharedRecord]:
    """Yield the observations of a day of one project."""
    began = datetime.fromisoformat(f"{day}T09:00:00+08:00")
    for place in range(count):
        kind = KINDS[place % len(KINDS)]
        at = (began + timedelta(seconds=40 * place)).isoformat()
        tool = "shell" if kind == "tool" else ""
        said = Record(f"{day}/s:{place + 1}", at, kind, text_of(place), "s", tool)
        yield SharedRecord(said, f"{day}/s", place)


# ---------------------------------------------------------------------------- figures


def fill(team: Team, first: int, last: int) -> float:
    """Push days until there are so many observations; return how many a second that were."""
    began = time.perf_counter()
    parts = [(team.url("alice"), part, first, last) for part in range(PUSHERS)]
    with multiprocessing.get_context("fork").Pool(PUSHERS) as pool:
        pool.starmap(_fill, parts)
    return (last - first) / (time.perf_counter() - began)


def _fill(url: str, part: int, first: int, last: int) -> None:
    writer = Writer(part + first)
    days = range(first // PROJECTS // PER_DAY, last // PROJECTS // PER_DAY)
    names = [(_FIRST + timedelta(day)).isoformat() for day in days]
    for number in range(part, PROJECTS, PUSHERS):
        clone = f"clone-of-{number}"
        with database.opened(url, timeout_s=600) as opened:
            known = opened.fingerprints(project(number), clone)
            marks = {**known, **dict.fromkeys(names, "x")}
            opened.push(
                project(number), clone, marks, lambda day: records(writer.text, day, PER_DAY)
            )


def make_bare(team: Team) -> None:
    team.owner("DROP TABLE IF EXISTS bare")
    team.owner(
        "CREATE TABLE bare AS SELECT project, id, content,"
        " to_tsvector('simple', array_to_string(terms, ' ')) AS words FROM daily_memory.records"
    )
    team.owner("CREATE INDEX ON bare USING gin (words)")
    team.owner("VACUUM ANALYZE")


def sizes(team: Team) -> dict[str, int]:
    """Return the size of each table with its indexes, in MB."""
    sql = "SELECT pg_total_relation_size(%s::regclass) / 1000000"
    names = ("daily_memory.records", "daily_memory.frequencies", "daily_memory.days", "bare")
    return {name: int(team.owner(sql, name)[0][0]) for name in names}


def ask(team: Team, role: str, question: str) -> int:
    mirror = MirrorSettings(True, "postgresql", team.url(role), ())
    settings: Settings = DEFAULTS._replace(mirror=mirror)
    query = RecordQuery(20, KINDS)
    return len(reading.search(question, query, settings, _FIRST, timeout_s=60).hits)


def ask_bare(connection: psycopg.Connection, question: str, projects: list[str]) -> int:
    distinct = dict.fromkeys(text.terms(question))
    words = " | ".join(f"'{term}'" for term in distinct)
    where = " AND project = ANY (%s)" if projects else ""
    sql = (
        "SELECT project, id, content FROM bare, to_tsquery('simple', %s) AS q"
        f" WHERE words @@ q{where} ORDER BY ts_rank(words, q) DESC LIMIT 20"
    )
    return len(
        connection.execute(sql.encode(), [words, *([projects] if projects else [])]).fetchall()
    )


def taken(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def cold(act: Callable[[], object]) -> float:
    """Return how long it takes in a process that has no connection yet."""
    database.close_kept()
    return taken(act)


def search(team: Team, writer: Writer, count: int) -> dict[str, list[float]]:
    """Ask all of them the same, in turn; every eighth question is asked with a typo too.

    A connection is kept open from one question to the next; each is asked on a new one afterwards.
    """
    names = ("cold", "all", "few", "typo", "bare cold", "bare", "bare few")
    times: dict[str, list[float]] = {name: [] for name in names}
    few = [project(number) for number in range(FEW)]
    url = team.url("postgres")

    def ask_bare_cold(question: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            ask_bare(connection, question, [])

    questions = [writer.question(place) for place in range(count)]
    with psycopg.connect(url, autocommit=True) as bare:
        for place, question in enumerate(questions):
            times["all"].append(taken(partial(ask, team, "alice", question)))
            times["bare"].append(taken(partial(ask_bare, bare, question, [])))
            times["few"].append(taken(partial(ask, team, "bob", question)))
            times["bare few"].append(taken(partial(ask_bare, bare, question, few)))
            if place % 8 == 0:
                slip = question[:2] + question[3:4] + question[2:3] + question[4:]
                times["typo"].append(taken(partial(ask, team, "alice", slip)))
        for question in questions:
            times["cold"].append(cold(partial(ask, team, "alice", question)))
            times["bare cold"].append(taken(partial(ask_bare_cold, question)))
    return times


def measure(server: Server, wanted: list[int], count: int) -> list[dict[str, Any]]:
    team = Team(server, "bench")
    for number in range(PROJECTS):
        team.grant(project(number), "alice", can_write=True)
        if number < FEW:
            team.grant(project(number), "bob")
    writer, first, results = Writer(1), 0, []
    for size in wanted:
        rate = fill(team, first, size)
        first = size
        make_bare(team)
        times = search(team, writer, count)
        quantiles = {name: (p(values, 50), p(values, 95)) for name, values in times.items()}
        result = {"records": size, "rate": round(rate), "mb": sizes(team), "ms": quantiles}
        results.append(result)
        print(json.dumps(result), flush=True)
    return results


def p(values: list[float], share: int) -> float:
    return round(statistics.quantiles(values, n=100, method="inclusive")[share - 1], 1)


# ---------------------------------------------------------------------------- faults


class Clone:
    """What one writer has: days with changing text, always the same for a number of steps."""

    def __init__(self, number: int, rows: int = 9) -> None:
        self.number, self.step, self._most_rows = number, 0, rows

    def go_on(self) -> None:
        self.step += 1

    def marks(self) -> dict[str, str]:
        """Return the days there are, each with the step at which it last changed."""
        return {
            (_FIRST + timedelta(day)).isoformat(): str(self.step - (self.step - day) % 5)
            for day in range(max(0, self.step - 20), self.step)
            if day % 7
        }

    def rows(self, day: str) -> list[SharedRecord]:
        chance = random.Random(f"{self.number} {day} {self.marks()[day]}")

        def text_of(_place: int) -> str:
            return " ".join(f"word{chance.randrange(500)}" for _ in range(12))

        return list(records(text_of, day, chance.randint(1, self._most_rows)))

    def push(self, url: str) -> bool:
        try:
            with database.opened(url, timeout_s=20) as opened:
                name = project(self.number % 3)
                opened.push(name, f"clone-{self.number}", self.marks(), self.rows)
            return True
        except DailyMemoryError:
            return False


def _writer(url: str, number: int, until: float, steps: Any) -> None:
    clone = Clone(number)
    while time.time() < until:
        clone.go_on()
        steps[number] = clone.step
        if not clone.push(url):
            time.sleep(0.05)


def faults(server: Server, rounds: int) -> int:
    """Kill the server while many write; return how many rows are missing, extra or miscounted."""
    team = Team(server, "faults")
    for number in range(3):
        team.grant(project(number), "alice", can_write=True)
    chance = random.Random(3)
    steps = multiprocessing.Array("i", WRITERS)
    until = time.time() + rounds
    context = multiprocessing.get_context("fork")
    arguments = [(team.url("alice"), number, until, steps) for number in range(WRITERS)]
    processes = [context.Process(target=_writer, args=each) for each in arguments]
    for process in processes:
        process.start()
    kills = cuts = 0
    while time.time() < until:
        time.sleep(chance.uniform(0.2, 1.0))
        if chance.random() < 0.5:
            server.kill()
            server.start(*SETTINGS)
            kills += 1
        else:
            team.cut_off("alice")
            cuts += 1
    for process in processes:
        process.join()
    expected: dict[tuple[str, str], str] = {}
    for number in range(WRITERS):
        clone = Clone(number)
        clone.step = steps[number]
        if not clone.push(team.url("alice")):
            print(f"writer {number} could not push at the end")
        for day in clone.marks():
            for row in clone.rows(day):
                expected[f"clone-{number}", row.record.id] = row.record.text
    sql = "SELECT source, id, content FROM daily_memory.records"
    stored = [((source, id_), content) for source, id_, content in team.owner(sql)]
    wrong = len(set(expected.items()) ^ set(stored)) + len(stored) - len(set(stored))
    is_right = team.counts_are_right()
    print(
        f"{kills} kills, {cuts} cuts, {sum(steps[:])} pushes by {WRITERS} writers:"
        f" {len(stored)} rows, {wrong} wrong, counts {'right' if is_right else 'WRONG'}"
    )
    return wrong + (not is_right)


def full_disk() -> int:
    """Push to a server on a small disk until that is full, make room, and push again."""
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=150m", "tmpfs", folder]
        if subprocess.run(mount, check=False, capture_output=True).returncode:
            print("no disk to fill: only root may mount one")
            return 0
        server = make_server(folder)
        try:
            Path(folder, "filler").write_bytes(bytes(60_000_000))
            server.start("fsync=on", "max_wal_size=32MB")
            team = Team(server, "small")
            team.grant(project(0), "alice", can_write=True)
            clone = Clone(0, rows=400)
            refused = 0
            for _ in range(200):
                clone.go_on()
                refused += not clone.push(team.url("alice"))
                if refused > 3:
                    break
            os.remove(Path(folder, "filler"))
            server.kill()  # with a full disk it may have stopped by itself
            server.start("fsync=on", "max_wal_size=32MB")
            is_pushed = clone.push(team.url("alice"))
            sql = "SELECT id, content FROM daily_memory.records"
            expected = {
                (row.record.id, row.record.text) for day in clone.marks() for row in clone.rows(day)
            }
            stored = team.owner(sql)
            wrong = len(expected ^ set(stored)) + len(stored) - len(set(stored))
            is_right = is_pushed and team.counts_are_right()
            print(
                f"full disk: {refused} pushes refused, then {len(stored)} rows, {wrong} wrong,"
                f" counts {'right' if is_right else 'WRONG'}"
            )
            return wrong + (not is_right) + (not refused)
        finally:
            server.stop()
            subprocess.run(["umount", folder], check=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--rounds", type=int, default=20, help="seconds of faults")
    options = parser.parse_args()
    server = make_server()
    server.start(*SETTINGS)
    try:
        if options.faults:
            return int(faults(server, options.rounds) + full_disk() > 0)
        results = measure(server, [int(size) for size in options.sizes.split(",")], options.queries)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
        large = [row["ms"] for row in results if row["records"] >= 1_000_000]
        ratios = [ms["all"][each] / ms["bare"][each] for ms in large for each in (0, 1)]
        return int(max(ratios, default=0.0) > LIMIT)
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
