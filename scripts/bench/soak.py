"""What the tests of reliability try for a minute, tried for hours.

It prints one table and exits with status 1 on a fault.

    python scripts/bench/soak.py [--only NAME …] [--kills N] [--minutes M] [--json FILE]

`--minutes` ends each part after that long, at a whole trial; the table says how far it came.
`--list` names the parts.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.reliability import damage, histories, managing, managing_crowd, roundtrip, traced
from tests.reliability.crashes import Bench
from tests.reliability.crowd import crowd
from tests.reliability.kills import kill_writers
from tests.reliability.mirror_crowd import BUSY_LIMIT_S, mirror_crowd
from tests.reliability.store import Store, Zygote, scratch
from tests.reliability.traces import mode_faults, order_faults
from tests.reliability.victims import VICTIMS

# How long a command may take on a damaged memory, and the save after a kill, in seconds.
COMMAND_LIMIT_S = 10.0
SAVE_LIMIT_S = 2.0


class Row(NamedTuple):
    """A line of the table: what was tried how often, and the slowest thing that was measured."""

    what: str
    points: int
    faults: tuple[str, ...]
    worst_s: float = 0.0
    note: str = ""


class Plan(NamedTuple):
    """What was asked for on the command line, and the process that runs the commands."""

    zygote: Zygote
    kills: int
    minutes: float

    def is_over(self, began: float) -> bool:
        return bool(self.minutes) and time.monotonic() - began > self.minutes * 60


def calls(plan: Plan) -> Iterator[Row]:
    """Each call of each command, spoiled in each way, from within."""
    for victim in VICTIMS:
        with scratch() as folder:
            yield _spoiled(f"calls of {victim.name}", Bench(victim, folder, plan.zygote), plan)


def traced_calls(plan: Plan) -> Iterator[Row]:
    """The same from outside, with what SQLite calls."""
    if not traced.is_there():
        yield Row("calls, traced", 0, (), note="skipped: strace is not there, or may not trace")
        return
    for victim in VICTIMS:
        if victim.argv[0] == "add":
            continue  # it belongs to today: its bytes are never the same twice
        with scratch() as folder:
            bench = traced.TracedBench(victim, folder, plan.zygote)
            yield _spoiled(f"traced calls of {victim.name}", bench, plan)


def _spoiled(what: str, bench: Bench, plan: Plan) -> Row:
    began = time.monotonic()
    faults: list[str] = []
    worst_s = 0.0
    tried = 0
    trials = list(bench.trials())
    # Where time is up before the end, what was tried lies all over the command.
    random.Random(1).shuffle(trials)
    for trial in trials:
        if plan.is_over(began):
            break
        started = time.monotonic()
        faults += bench.faults(trial)
        worst_s = max(worst_s, time.monotonic() - started)
        tried += 1
    note = "" if tried == len(trials) else f"of {len(trials)}"
    return Row(what, tried, tuple(faults), worst_s, note)


def kills(plan: Plan) -> Iterator[Row]:
    """SIGKILL at random moments of three saves at once."""
    with scratch() as folder:
        outcome = kill_writers(Store(folder, plan.zygote), plan.kills)
    faults = list(outcome.faults)
    if outcome.slowest_s > SAVE_LIMIT_S:
        faults.append(f"the save after a kill took {outcome.slowest_s:.1f} s")
    note = f"{outcome.ended} had ended before; the time is that of the next save"
    yield Row("random kills", outcome.killed, tuple(faults), outcome.slowest_s, note)


def order(plan: Plan) -> Iterator[Row]:
    """What a power cut could take, and what others could read."""
    for victim in VICTIMS:
        with scratch() as folder:
            store = Store(folder, plan.zygote)
            victim.prepare(store)
            done = store.run(
                *victim.argv, stdin=victim.stdin, program=victim.program, watched=True, umask=0o077
            )
            faults = [*order_faults(done.points), *mode_faults(done.points, store)]
        ours = [fault for fault in faults if "config.json" not in fault and "summary" not in fault]
        yield Row(f"order and modes of {victim.name}", len(done.points), tuple(ours))


def crowds(plan: Plan) -> Iterator[Row]:
    """Many writers, with a reader, a rebuild and an editor beside them."""
    for writers, saves in ((16, 50), (64, 10)):
        for has_editor in (False, True):
            with scratch() as folder:
                outcome = crowd(Store(folder, plan.zygote), writers, saves, has_editor=has_editor)
            note = (
                f"median {outcome.median_s:.2f} s; {outcome.reads} searches,"
                f" {outcome.rebuilds} rebuilds, {outcome.edits} edits, {outcome.wiped} wiped by"
                " the editor and brought back; the time is p95 of a save"
            )
            what = f"{writers} × {saves} saves" + (" and an editor" if has_editor else "")
            yield Row(what, outcome.saves, outcome.faults, outcome.p95_s, note)


def mirrors(plan: Plan) -> Iterator[Row]:
    """8 processes that log and search, and 8 that append as hooks do, on one mirror."""
    for turns in (20, 100):
        with scratch() as folder:
            outcome = mirror_crowd(Store(folder, plan.zygote), servers=8, hooks=8, turns=turns)
        faults = list(outcome.faults)
        for what, seconds in (("log", outcome.slowest_log_s), ("search", outcome.slowest_search_s)):
            if seconds > BUSY_LIMIT_S:
                faults.append(f"a {what} took {seconds:.1f} s")
        note = (
            f"{outcome.searches} searches, {outcome.warnings} of them from the files; the slowest"
            f" log {outcome.slowest_log_s:.2f} s; the time is that of the slowest search"
        )
        points = outcome.logged + outcome.appended
        yield Row(
            f"8 servers and 8 hooks × {turns}",
            points,
            tuple(faults),
            outcome.slowest_search_s,
            note,
        )


def damages(plan: Plan) -> Iterator[Row]:
    """Every damaged memory through every command."""
    for case in damage.CASES:
        with scratch() as folder:
            began = time.monotonic()
            store = Store(folder, plan.zygote)
            faults = damage.damage_faults(case, store, limit_s=COMMAND_LIMIT_S)
            yield Row(f"damage: {case.name}", 1, tuple(faults), time.monotonic() - began)


def lives(plan: Plan) -> Iterator[Row]:
    """Histories against a dictionary: 2,000 of 50 steps, in parts, so that time can be up."""
    yield _in_parts("histories of 50 steps", plan, 2000, 10, _live)


def managed(plan: Plan) -> Iterator[Row]:
    """Everything that manages a memory, at random: 4,000 memories of 30 steps against a model."""
    yield _in_parts("managed memories of 30 steps", plan, 4000, 20, _manage)


def managed_crowds(plan: Plan) -> Iterator[Row]:
    """One process manages, one saves and logs, and both are killed: 40 rounds of each seed."""
    for chance in range(5):
        with scratch() as folder:
            outcome = managing_crowd.manage_beside(
                Store(folder, plan.zygote), rounds=40, chance=chance
            )
        note = f"{outcome.killed} were killed"
        yield Row(f"managed beside saves, {chance}", outcome.commands, outcome.faults, note=note)


def texts(plan: Plan) -> Iterator[Row]:
    """10,000 round trips."""
    yield _in_parts("round trips", plan, 10_000, 500, _round_trips)


def _live(plan: Plan, count: int) -> None:
    histories.live(plan.zygote, histories=count, steps=50)


def _manage(_plan: Plan, count: int) -> None:
    chance = random.SystemRandom().randrange(2**32)
    try:
        managing.manage(count, 30, chance)
    except Exception as error:
        error.args = (f"chance {chance}: {error}",)
        raise


def _round_trips(_plan: Plan, count: int) -> None:
    with scratch() as folder:
        roundtrip.round_trips(folder, count)


def _in_parts(
    what: str, plan: Plan, total: int, part: int, act: Callable[[Plan, int], None]
) -> Row:
    began = time.monotonic()
    tried = 0
    faults: list[str] = []
    while tried < total and not plan.is_over(began) and not faults:
        try:
            act(plan, min(part, total - tried))
        except Exception as error:  # noqa: BLE001  # whatever fails there is the finding
            notes = getattr(error, "__notes__", [])
            faults.append("\n".join([f"{type(error).__name__}: {error}", *notes]))
        tried += min(part, total - tried)
    note = "" if tried == total else f"of {total}"
    return Row(what, tried, tuple(faults), 0.0, note)


PARTS: dict[str, Callable[[Plan], Iterator[Row]]] = {
    "calls": calls,
    "traced": traced_calls,
    "kills": kills,
    "order": order,
    "crowd": crowds,
    "mirror": mirrors,
    "damage": damages,
    "histories": lives,
    "managed": managed,
    "managed-crowd": managed_crowds,
    "texts": texts,
}


def main() -> int:
    """Run the parts, print the table, and tell by the status whether there was a fault."""
    options = _options()
    if options.list:
        for name, part in PARTS.items():
            print(f"{name:<10} {(part.__doc__ or '').splitlines()[0]}")
        return 0
    zygote = Zygote()
    plan = Plan(zygote, options.kills, options.minutes)
    rows: list[Row] = []
    print(f"{'what':<52} {'points':>7} {'faults':>7} {'worst s':>8}  note")
    for name in options.only or PARTS:
        for row in PARTS[name](plan):
            rows.append(row)
            _show(row)
    zygote.close()
    faults = sum(len(row.faults) for row in rows)
    _show(Row("all", sum(row.points for row in rows), ()), total=faults)
    if options.json:
        text = json.dumps([row._asdict() for row in rows], ensure_ascii=False, indent=2)
        Path(options.json).write_text(f"{text}\n", encoding="utf-8")
    return 1 if faults else 0


def _show(row: Row, *, total: int = 0) -> None:
    count = len(row.faults) or total
    worst = f"{row.worst_s:.2f}" if row.worst_s else ""
    print(f"{row.what:<52} {row.points:>7} {count:>7} {worst:>8}  {row.note}".rstrip(), flush=True)
    width = shutil.get_terminal_size((200, 20)).columns
    for fault in row.faults[:20]:
        print(f"    {fault[: 5 * width]}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="NAME", help="these parts")
    parser.add_argument("--kills", type=int, default=1000, metavar="N", help="default: 1000")
    parser.add_argument(
        "--minutes", type=float, default=0, metavar="M", help="end each part after that long"
    )
    parser.add_argument("--json", metavar="FILE", help="write the table there as well")
    parser.add_argument("--list", action="store_true", help="name the parts")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
