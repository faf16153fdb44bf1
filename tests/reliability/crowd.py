"""Many processes on one memory: writers, a reader, a rebuild of the index, and an editor."""

from __future__ import annotations

import json
import os
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.reliability.store import DAY, Done, Store, content, expected, is_polite, witness

# How long a person takes between reading a file into the editor and saving it, and until the next.
_EDITING_S = 0.03
_PAUSE_S = 0.2


class Crowd(NamedTuple):
    """What came of it. `wiped` were overwritten by the editor, and brought back by `doctor`."""

    saves: int
    reads: int
    rebuilds: int
    edits: int
    wiped: int
    median_s: float
    p95_s: float
    faults: tuple[str, ...]


class _Editor:
    """An editor that knows nothing of locks: reads a day, adds a line, and puts its copy there."""

    def __init__(self, store: Store) -> None:
        self._path = store.day()
        self.lines: list[str] = []

    def edit(self, done: threading.Event) -> None:
        if self._path.exists():
            line = f"手写 by hand {len(self.lines)}."
            text = self._path.read_bytes()
            done.wait(_EDITING_S)
            copy = self._path.with_name(f".{self._path.name}.swp")
            gap = b"" if text.endswith(b"\n") else b"\n"
            copy.write_bytes(text + gap + line.encode() + b"\n")
            os.replace(copy, self._path)
            self.lines.append(line)
        done.wait(_PAUSE_S)

    def lost(self) -> list[str]:
        lines = self._path.read_text(encoding="utf-8").split("\n")
        return [f"the edit {line!r} is lost" for line in self.lines if lines.count(line) != 1]


def crowd(  # noqa: C901  # what each of them does is told in three lines here
    store: Store, writers: int, saves: int, *, has_editor: bool
) -> Crowd:
    """Let them all work, then look at what is there."""
    outcomes: dict[int, Done] = {}
    seconds: list[float] = []
    others: dict[str, list[Done]] = {"search": [], "reindex": []}
    done = threading.Event()
    editor = _Editor(store)

    def write(writer: int) -> None:
        for place in range(saves):
            number = writer * saves + place
            began = time.perf_counter()
            data = json.dumps(witness(number), ensure_ascii=False)
            outcomes[number] = store.process("save", "--json", stdin=data, timeout_s=300)
            seconds.append(time.perf_counter() - began)

    def repeat(name: str, *argv: str) -> None:
        while not done.is_set():
            others[name].append(store.process(*argv, timeout_s=300))

    def edit() -> None:
        while not done.is_set():
            editor.edit(done)

    working = [_thread(write, number) for number in range(writers)]
    beside = [
        _thread(repeat, "search", "search", "witness 见证", "--json"),
        _thread(repeat, "reindex", "reindex"),
    ]
    if has_editor:
        beside.append(_thread(edit))
    for thread in (*working, *beside):
        thread.start()
    for thread in working:
        thread.join()
    done.set()
    for thread in beside:
        thread.join()
    faults = [*_read_faults(others), *(editor.lost() if has_editor else ())]
    wiped, more = _faults(store, outcomes, has_editor=has_editor)
    return Crowd(
        len(outcomes),
        len(others["search"]),
        len(others["reindex"]),
        len(editor.lines),
        wiped,
        statistics.median(seconds),
        sorted(seconds)[int(0.95 * (len(seconds) - 1))],
        (*faults, *more, *(editor.lost() if has_editor else ())),
    )


def _thread(target: Callable[..., None], *values: object) -> threading.Thread:
    return threading.Thread(target=target, args=values)


def _read_faults(others: dict[str, list[Done]]) -> list[str]:
    faults = []
    for name, outcomes in others.items():
        for one in outcomes:
            if one.status != 0 or is_polite(one):
                faults.append(f"{name} ended with {one.status}: {one.err}")
            elif name == "search" and not isinstance(_json(one).get("results"), list):
                faults.append(f"search answered {one.out[:200]!r}")
    return faults


def _json(done: Done) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(done.out)
    except ValueError:
        return {}
    return answer


def _faults(store: Store, outcomes: dict[int, Done], *, has_editor: bool) -> tuple[int, list[str]]:
    faults = []
    for number, one in outcomes.items():
        # An editor that overwrote the section at that very moment: the save says so.
        is_wiped = has_editor and one.status == 4 and "--restore" in one.err
        if one.status != 0 and not is_wiped:
            faults.append(f"save {number} ended with {one.status}: {one.err}")
    wiped = len(outcomes) - len(_saved(store))
    if has_editor:
        restored = store.process("doctor", "--restore")
        if restored.status != 0:
            faults.append(f"doctor --restore: {restored.out} {restored.err}")
    found = [one for one in store.sessions() if one["session"]]  # not what the editor wrote
    wanted = Counter(expected(number) for number in outcomes)
    said = Counter(map(content, found))
    faults += [f"lost: {one[:200]}" for one in wanted - said]
    faults += [f"torn, or there twice: {one[:300]}" for one in said - wanted]
    if len({session["id"] for session in found}) != len(found):
        faults.append("an id is there twice")
    # An editor's last words may be younger than the last index: any command makes up for that.
    store.process("search", "witness")
    faults += store.index_faults()
    doctor = store.process("doctor")
    if doctor.status != 0:
        faults.append(f"doctor is not content: {doctor.out}")
    return wiped, faults


def _saved(store: Store) -> list[dict[str, Any]]:
    return [one for one in store.sessions() if one["date"] == DAY and one["session"]]
