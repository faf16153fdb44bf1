"""Whether a memory survives syncs: random changes on several machines, synced by real git.

    python scripts/bench/sync.py [--rounds 500] [--machines 3] [--seed 1] [--json]

Machines of one user save, edit, delete, purge, hide and archive sessions, some with a secret that
was written by hand. Each round does a few of these and syncs one machine. In the end every machine
syncs until nothing comes or goes. Then all have the same bytes but for what is private; nothing is
lost or there twice; what was deleted or purged is nowhere; there are no conflict markers; and no
secret, private or purged text is in any object that the repository has after `git gc`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(CHECKOUT / "skill"))

from daily_memory import Memory  # noqa: E402  # of this checkout
from daily_memory.errors import DailyMemoryError  # noqa: E402  # as above

SECRET = "ghp_" + "a1B2c3D4e5" * 4
ROOT = Path("shop/.cursor/skills/memories")
BEGIN = datetime(2026, 1, 29, 8, 0, tzinfo=timezone.utc)
ACTIONS = (
    ("save",) * 4 + ("edit",) * 3 + ("delete", "purge", "hide", "secret", "archive", "restore")
)


class Trial:
    """Machines, the repository between them, and what must come of all that is done."""

    def __init__(self, folder: Path, machines: int, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.now, self.count, self.refused = BEGIN, 0, 0
        self.remote = str(folder / "remote.git")
        self.git("init", "--quiet", "--bare", self.remote)
        self.machines = [self._machine(f"machine-{number}") for number in range(machines)]
        self.machines[0].sync.run(self.remote)
        for memory in self.machines[1:]:
            memory.sync.set_key(self.machines[0].sync.key())
            memory.sync.run(self.remote)
        # The words of each session, and what became of it.
        self.words: dict[str, set[str]] = {}
        self.private: set[str] = set()
        self.deleted: set[str] = set()
        self.purged: set[str] = set()

    def _machine(self, name: str) -> Memory:
        (self.folder / name / "shop").mkdir(parents=True)
        home = self.folder / name / "home"
        return Memory(self.folder / name / "shop", home=home, clock=lambda: self.now)

    def git(self, *words: str) -> bytes:
        environment = {key: text for key, text in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(["git", *words], capture_output=True, env=environment, check=True)
        return done.stdout

    def _new_word(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count:05}x"

    # ------------------------------------------------------------------ what people do

    def round(self) -> None:
        for _ in range(self.chance.randint(1, 4)):
            self.now += timedelta(minutes=self.chance.randrange(1, 90))
            memory, action = self.chance.choice(self.machines), self.chance.choice(ACTIONS)
            try:
                getattr(self, action)(memory)
            except DailyMemoryError:
                self.refused += 1  # such as: the session is in the archive here
        self.chance.choice(self.machines).sync.run()

    def save(self, memory: Memory, *tags: str) -> str:
        mark = self._new_word("m")
        point = self.chance.choice(["TTL 定为 300 秒", "use FastAPI 写接口", "重试 3 次"])
        memory.save({"topic": f"话题 {mark}", "key_points": [point, "see docs"], "tags": [*tags]})
        self.words[mark] = set()
        return mark

    def secret(self, memory: Memory) -> None:
        mark = self.save(memory)
        self._rewrite(memory, mark, f"token {SECRET}")

    def edit(self, memory: Memory) -> None:
        mark, _ = self._some(memory)
        if mark:
            word = self._new_word("w")
            if self._rewrite(memory, mark, word):
                self.words[mark].add(word)

    def _rewrite(self, memory: Memory, mark: str, line: str) -> bool:
        """Add a line to a section by hand."""
        folder = Path(memory.project).parent / ROOT / "daily"
        for path in folder.glob("*.md"):
            text = path.read_text(encoding="utf-8")
            place = text.find(mark)
            if place >= 0:
                at = text.index("- see docs", place)
                path.write_text(f"{text[:at]}- {line}\n{text[at:]}", encoding="utf-8")
                return True
        return False

    def delete(self, memory: Memory) -> None:
        mark, id_ = self._some(memory)
        if mark:
            memory.delete([id_])
            self.deleted.add(mark)

    def purge(self, memory: Memory) -> None:
        mark, id_ = self._some(memory)
        if mark:
            memory.deletion.purge(memory.deletion.traces(memory.deletion.choose([id_])))
            self.purged.add(mark)

    def hide(self, memory: Memory) -> None:
        if self.chance.random() < 0.5:
            mark = self.save(memory, "private")
            self.private.add(mark)
            return
        mark, id_ = self._some(memory)
        if mark:
            memory.mark([id_], {"private": True})
            self.private.add(mark)

    def archive(self, memory: Memory) -> None:
        before = self.now.date() - timedelta(days=self.chance.randrange(4))
        memory.archive.store(memory.archive.due(before=before))

    def restore(self, memory: Memory) -> None:
        memory.archive.restore(everything=True)

    def _some(self, memory: Memory) -> tuple[str, str]:
        """Return the mark and the id of a session that is not private, "" for none."""
        found = [
            (stored.session.topic.split()[-1], str(stored.session.id))
            for stored in memory.sessions(scope="project")
            if not stored.session.is_private
        ]
        return self.chance.choice(found) if found else ("", "")

    # ------------------------------------------------------------------ what must hold

    def settle(self) -> int:
        """Sync until nothing comes or goes; return how many rounds it took."""
        for number in range(1, 7):
            synced = [memory.sync.run()[0] for memory in self.machines]
            if not any(any((*done.received, *done.sent)) for done in synced):
                return number
        return 99

    def faults(self) -> Iterator[str]:
        if self.settle() > 6:
            yield "the machines go on sending each other the same"
        self.git("-C", self.remote, "gc", "--quiet", "--prune=now")
        every = ("cat-file", "--batch-all-objects", "--batch", "--unordered")
        there = self.git("-C", self.remote, *every).decode("utf-8", "replace")
        shown = [self._shown(memory) for memory in self.machines]
        if any(texts != shown[0] for texts in shown):
            yield "the machines do not have the same"
        text = "\n".join(shown[0])
        if "<<<<<<<" in text:
            yield "a conflict was left"
        if SECRET in there:
            yield "a secret is in the repository"
        for mark in self.words:
            yield from self._faults_of(mark, text, there)

    def _faults_of(self, mark: str, text: str, there: str) -> Iterator[str]:
        times, words = text.count(f"话题 {mark}"), self.words[mark]
        if mark in self.private or mark in self.purged:
            if mark in there or times:
                yield f"{mark} was purged or made private, and is there"
        elif mark in self.deleted:
            if times and not words:
                yield f"{mark} was deleted, and is there"
        elif times != 1:
            yield f"{mark} is there {times} times"
        elif not all(word in text for word in words):
            yield f"{mark} lost an edit"

    def _shown(self, memory: Memory) -> list[str]:
        """Return the public sessions of a machine, with ids, secrets aside."""
        stored = memory.sessions(scope="project", archived=True)
        return sorted(
            f"{each.session._replace(digest='')}".replace(SECRET, "[REDACTED:github_token]")
            for each in stored
            if not each.session.is_private
        )


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--machines", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    started, processor = time.perf_counter(), sum(os.times()[:4])
    faults: list[str] = []
    sessions = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        # A new memory every 50 rounds: 500 in one would be of ten kilobytes of deletions.
        for number, first in enumerate(range(0, options.rounds, 50)):
            trial = Trial(Path(folder) / str(number), options.machines, options.seed + number)
            for _ in range(min(50, options.rounds - first)):
                trial.round()
            faults += [f"memory {number}: {fault}" for fault in trial.faults()]
            sessions += len(trial.words)
            refused += trial.refused
            print(f"{first + 50} rounds, {len(faults)} faults", file=sys.stderr, flush=True)
    figures = {
        "rounds": options.rounds,
        "machines": options.machines,
        "sessions": sessions,
        "refused": refused,
        "seconds": round(time.perf_counter() - started, 1),
        "processor_s": round(sum(os.times()[:4]) - processor, 1),
        "faults": faults,
    }
    if options.json:
        print(json.dumps(figures, ensure_ascii=False))
    else:
        print("\n".join(f"{name}: {value}" for name, value in figures.items() if name != "faults"))
        print("\n".join(faults) or "nothing lost, doubled, revealed or left in conflict")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(run())
