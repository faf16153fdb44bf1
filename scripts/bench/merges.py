"""Whether days survive git: random branches are merged with real git, and every section is counted.

    python scripts/bench/merges.py [--merges 500] [--seed 1] [--json] [--program COMMAND]

In a repository of its own, three branches add to, edit and take from the same days, in Chinese and
English, with equal numbers and times, with code, with Windows line ends, with and without a last
line end. Two are merged both ways, then the third with the outcome, both ways again: four merges a
day. Each section must be there once and whole, under a number of its own, without a conflict, and
both ways to the byte alike. COMMAND is what starts `memory`; default: this checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PROGRAM = shlex.join([sys.executable, str(CHECKOUT / "scripts" / "memory.py")])
MERGES_A_DAY = 4
TOPICS = ("报表缓存", "Retry policy", "支付密钥轮换", "CI 变慢了", "Schema migration 🚀", "登录页")
POINTS = (
    "TTL 定为 300 秒",
    "use FastAPI",
    "部署到 staging",
    "see `docs/`",
    "重试 3 次",
    "C# client",
)
CODES = ("", '```json\n{\n  "a": 1\n}\n```', "```py\nprint('## Session 9')\n```", "~~~\n---\n~~~")
_NUMBER = re.compile(r"^## Session ([0-9]+)", re.MULTILINE)


class Made(NamedTuple):
    """A section: `mark` stands in no other, `added` are the words of those who edited it."""

    number: int
    time: str
    mark: str
    topic: str
    points: tuple[str, ...]
    code: str
    added: tuple[str, ...] = ()

    def body(self) -> str:
        """What must be in the outcome to the byte, whatever the number."""
        points = "".join(f"- {point}\n" for point in (*self.points, *self.added))
        code = f"### 代码/配置\n{self.code}\n\n" if self.code else ""
        parts = f"### 主题\n{self.topic} {self.mark}\n\n### 关键信息\n{points}\n{code}"
        return f"{parts}### 标签\n#共同 #shared\n\n---\n"

    def text(self) -> str:
        time = f" - {self.time}" if self.time else ""
        return f"## Session {self.number}{time}\n\n{self.body()}"


Day = list[Made]


class Outcome(NamedTuple):
    """What was found: how many merges of a day there were, and what went wrong in which."""

    merges: int
    sections: int
    faults: tuple[str, ...]


# ---------------------------------------------------------------------------- days and branches


def new_section(chance: random.Random, number: int) -> Made:
    minute = chance.randrange(5)
    return Made(
        number,
        chance.choice([f"10:0{minute}:00", f"10:0{minute}:{chance.randrange(10, 60)}", ""]),
        f"{chance.randrange(16**12):012x}",
        chance.choice(TOPICS),
        tuple(chance.choices(POINTS, k=chance.randint(1, 4))),
        chance.choice(CODES),
    )


def changed(chance: random.Random, base: Day, branch: str) -> Day:
    """Return what a branch makes of a day."""
    day = []
    for section in base:
        fate = chance.choices(("keep", "edit", "delete"), (6, 2, 1))[0]
        if fate == "edit":
            section = section._replace(added=(f"{branch} {chance.randrange(16**8):08x}",))
        if fate != "delete":
            day.append(section)
    first = len(base) + 1
    return [*day, *(new_section(chance, first + n) for n in range(chance.randint(0, 3)))]


def written(day: Day, name: str, *, ends: str, last: str) -> bytes:
    text = "\n".join([f"# {name} 对话记忆\n", *(section.text() for section in day)])
    return (text.rstrip("\n") + last).replace("\n", ends).encode()


# ---------------------------------------------------------------------------- what must hold


def faults(text: str, base: Day, sides: Sequence[Day]) -> list[str]:
    """Return what is wrong with the outcome of merging these sides."""
    found = []
    numbers = _NUMBER.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    if len(numbers) != len(set(numbers)):
        found.append("a number is there twice")
    old = {section.mark for section in base}
    now = [{section.mark: section for section in side} for side in sides]
    for section in (section for side in sides for section in side if section.mark not in old):
        if text.count(section.body()) != 1:
            found.append(f"{section.mark} was added, and is there {text.count(section.mark)} times")
    for section in base:
        versions = [side.get(section.mark) for side in now]
        edits = [version for version in versions if version and version != section]
        if len(edits) > 1:
            lost = [edit.added[0] for edit in edits if edit.added[0] not in text]
            found += [f"{section.mark} lost {words!r}" for words in lost]
        elif edits:
            if text.count(edits[0].body()) != 1:
                found.append(f"{section.mark} was edited, and is torn, lost or doubled")
        elif text.count(section.body()) != (None not in versions):
            found.append(f"{section.mark} was left alone or taken out, and is not so")
    return found


# ---------------------------------------------------------------------------- git


class Repository:
    """A repository whose days are merged by the program."""

    def __init__(self, folder: Path, program: str) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch", "base")
        (folder / ".gitattributes").write_text("*.md merge=daily-memory\n", encoding="utf-8")
        self.git("config", "merge.daily-memory.driver", f"{program} merge-driver %O %A %B %P")
        self.git("config", "core.autocrlf", "false")

    def git(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[bytes]:
        names = ("-c", "user.name=测试", "-c", "user.email=test@example.com")
        command = ["git", "-C", str(self.folder), *names, *words]
        done = subprocess.run(command, capture_output=True, env=_environment(), check=False)
        if check and done.returncode:
            raise RuntimeError(f"git {' '.join(words)}: {done.stderr.decode()}")
        return done

    def commit(self, branch: str, files: dict[str, bytes]) -> None:
        self.git("checkout", "--quiet", "-B", branch, "base", check=branch != "base")
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", branch)

    def merge(self, name: str, ours: str, theirs: str) -> bool:
        """Merge into a new branch; tell whether there was no conflict."""
        self.git("checkout", "--quiet", "-B", name, ours)
        done = self.git("merge", "--quiet", "--no-edit", theirs, check=False)
        if done.returncode:
            self.git("add", "--all")
            self.git("commit", "--quiet", "--message", "conflict")
        return done.returncode == 0

    def text(self, branch: str, name: str) -> bytes:
        return self.git("show", f"{branch}:{name}").stdout


def _environment() -> dict[str, str]:
    """Return the environment without what git tells those that it runs, as in a hook."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def trial(folder: Path, days: int, seed: int = 1, program: str = PROGRAM) -> Outcome:
    """Merge so many days, four times each, in a new repository, and return what was found."""
    chance = random.Random(seed)
    repository = Repository(folder, program)
    names = [f"{date(2026, 1, 1) + timedelta(days=number)}.md" for number in range(days)]
    base: dict[str, Day] = {
        name: [new_section(chance, n + 1) for n in range(chance.randint(0, 4))] for name in names
    }
    ends = {name: chance.choice(["\n", "\n", "\r\n"]) for name in names}
    branches = {
        branch: {name: changed(chance, base[name], branch) for name in names} for branch in "xyz"
    }
    for branch, state in {"base": base, **branches}.items():
        files = {
            name: written(day, name[:-3], ends=ends[name], last=chance.choice(["\n", "\n", ""]))
            for name, day in state.items()
            # A day that no branch had before is begun by each of them.
            if branch != "base" or day
        }
        repository.commit(branch, files)
    found = []
    for name, ours, theirs in (
        ("xy", "x", "y"),
        ("yx", "y", "x"),
        ("xyz", "xy", "z"),
        ("zxy", "z", "xy"),
    ):
        if not repository.merge(name, ours, theirs):
            found.append(f"{ours} + {theirs}: git tells of a conflict")
    for name in names:
        outcomes = {merge: repository.text(merge, name) for merge in ("xy", "yx", "xyz", "zxy")}
        if outcomes["xy"] != outcomes["yx"] or outcomes["xyz"] != outcomes["zxy"]:
            found.append(f"{name}: it matters which side merges the other")
        for merge in ("xy", "xyz"):
            text = outcomes[merge].decode().replace("\r\n", "\n") + "\n"
            sides = [branches[branch][name] for branch in merge]
            found += [f"{name} {merge}: {fault}" for fault in faults(text, base[name], sides)]
    sections = sum(len(day) for state in branches.values() for day in state.values())
    return Outcome(days * MERGES_A_DAY, sections, tuple(found))


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--merges", type=int, default=500, help="how many at the least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=PROGRAM, help="what starts `memory`")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    days = -(-options.merges // MERGES_A_DAY)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        outcome = trial(Path(folder), days, options.seed, options.program)
    seconds = time.perf_counter() - started
    if options.json:
        print(json.dumps({**outcome._asdict(), "seconds": round(seconds, 1)}, ensure_ascii=False))
    else:
        print(f"{outcome.merges} merges, {outcome.sections} sections, {seconds:.1f} s")
        print("\n".join(outcome.faults) or "no conflict, nothing lost, torn or doubled")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(run())
