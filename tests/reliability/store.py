"""A memory in a folder of its own, the commands that work on it, and the sessions put in."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from daily_memory.storage import key_holders
from daily_memory.storage.fs import files
from tests.reliability import injector
from tests.reliability.injector import Point

REPOSITORY = Path(__file__).resolve().parents[2]
CAN_FORK = hasattr(os, "fork")
NOW = "2026-02-03T10:30:45+08:00"
DAY = "2026-01-29"
MEMORIES = Path(".cursor/skills/memories")
TIMEOUT_S = 60.0
# What the file system does to be durable is not what is looked at here: memory is faster.
_SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Done(NamedTuple):
    """A command that ended: its status, what it printed, the calls it made, and how long it took.

    The status is 137 for a death on purpose, 124 for a command that hung, below 0 for a signal.
    """

    status: int
    out: str
    err: str
    points: tuple[Point, ...] = ()
    seconds: float = 0.0

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Zygote:
    """The process whose forks run the commands; see `zygote.py`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.zygote"],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, request: dict[str, object]) -> Done:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process that runs the commands is gone")
        answer = json.loads(line)
        points = tuple(injector.parse_log(answer["log"].encode()))
        return Done(answer["status"], answer["out"], answer["err"], points, answer["seconds"])

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Store:
    """A project and a home below one folder."""

    def __init__(self, folder: Path, zygote: Zygote | None = None) -> None:
        self.folder = folder
        self.project = folder / "app"
        self.home = folder / "home"
        self.root = self.project / MEMORIES
        self.daily = self.root / "daily"
        self.index = self.root / "index"
        self._zygote = zygote
        for one in (self.project, self.home):
            one.mkdir(parents=True, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """What a command finds: nothing of the user who runs the tests but the way to Python."""
        kept = {
            name: os.environ[name]
            for name in ("PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "LANG")
            if name in os.environ
        }
        return {**kept, "HOME": str(self.home), "MEMORY_PROJECT": str(self.project)}

    def run(
        self,
        *argv: str,
        stdin: str = "",
        fault: tuple[str, int] | None = None,
        watched: bool = False,
        umask: int = 0o022,
        user: int = 0,
        now: str = NOW,
        program: str = "",
        timeout_s: float = TIMEOUT_S,
        wait_s: float = 0.0,
        audited: bool = False,
        environment: dict[str, str] | None = None,
    ) -> Done:
        """Run a command in a fork.

        With `fault`, a kind and a number, that call is spoiled; `watched` only writes the calls
        down, and `audited` what the interpreter opens and connects to. `wait_s` is how long it
        waits for the lock, where that is not to take as long as for a user.
        """
        assert self._zygote is not None
        request: dict[str, object] = {
            "argv": argv,
            "stdin": stdin,
            "cwd": str(self.project),
            "environment": {**self.environment, **(environment or {})},
            "umask": umask,
            "user": user,
            "now": now,
            "program": program,
            "fault": fault,
            "wait_s": wait_s,
            "audited": audited,
            "watch": str(self.folder) if fault or watched else "",
            "timeout_s": timeout_s,
        }
        return self._zygote.ask(request)

    def start(self, *argv: str, stdin: str = "", **options: Any) -> subprocess.Popen[bytes]:
        """Start the real command as a process of its own."""
        process = subprocess.Popen(
            [sys.executable, "-m", "daily_memory", *argv],
            cwd=self.project,
            env={**self.environment, **options.pop("environment", {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        assert process.stdin is not None
        try:
            process.stdin.write(stdin.encode())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it ended before it read what it was given
        process.stdin = None
        return process

    def process(self, *argv: str, stdin: str = "", **options: Any) -> Done:
        """Run the real command as a process of its own, to its end."""
        timeout_s = options.pop("timeout_s", TIMEOUT_S)
        process = self.start(*argv, stdin=stdin, **options)
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Done(124, "", f"took longer than {timeout_s} s")
        return Done(process.returncode, out.decode(), err.decode("utf-8", "replace"))

    # ------------------------------------------------------------------ what is in it

    def read(self, path: Path) -> bytes:
        """Return what a file says, also of one that is encrypted."""
        key_holders.register(str(self.home), {})
        try:
            return files.read_bytes(str(path))
        finally:
            del files.key_holders[str(self.home)]

    def day(self, name: str = DAY) -> Path:
        return self.daily / f"{name}.md"

    def day_bytes(self) -> dict[str, bytes]:
        """Return the bytes of each regular day file, by name."""
        return {
            path.name: self.read(path)
            for path in sorted(self.daily.glob("*.md"))
            if path.is_file() and not path.is_symlink()
        }

    def age(self) -> None:
        """Make half-made folders so old that the next command removes them."""
        for path in (*self.root.glob("*.tmp-*"), *(self.home / MEMORIES).glob("*.tmp-*")):
            if path.is_dir():
                os.utime(path, (0, 0))

    def leftovers(self) -> list[str]:
        """Return what no command should leave behind, in the project and the home.

        What was left beside the key goes with the next command that writes one.
        """
        return sorted(
            str(path.relative_to(self.folder))
            for path in self.folder.rglob("*")
            if ".tmp-" in path.name or path.name.endswith("-journal")
            if ".config" not in path.parts
        )

    def index_faults(self, sessions: Sequence[dict[str, Any]] | None = None) -> list[str]:
        """Compare `keywords.json` with the day files, by what docs/FORMAT.md says of it.

        `sessions` are all that are not archived, where the caller has just read them.
        """
        index = json.loads(self.read(self.index / "keywords.json"))
        pointed = []
        faults = []
        for entry in index["entries"]:
            name = f"{entry['date']}#{entry['session']}"
            copy = entry.get("copy", 1)
            pointed.append((name if copy == 1 else f"{name}~{copy}", entry["line_range"]))
            data = self.read(self.daily / f"{entry['date']}.md")
            text = data.decode("utf-8", "replace")
            line = text.removeprefix("\ufeff").split("\n")[entry["line_range"][0] - 1]
            heading = re.match(r"## (?:Session|会话) ([0-9]+)", line)
            # What is written by hand has no number and may have no heading.
            number = int(heading[1]) if heading else 0
            if number != entry["session"] or not line.strip():
                faults.append(f"{name} is not on line {entry['line_range'][0]}")
        there = [
            (session["id"], session["line_range"])
            for session in (self.sessions() if sessions is None else sessions)
            if not session["private"]
        ]
        if sorted(pointed) != sorted(there):
            faults.append(f"the index has {sorted(pointed)}, the days have {sorted(there)}")
        return faults

    def sessions(self, *more: str, user: int = 0) -> list[dict[str, Any]]:
        """Return all sessions as `memory list --json` gives them, with more options if given."""
        words = "list", "--json", *more
        done = self.run(*words, user=user) if self._zygote else self.process(*words)
        if done.status != 0:
            raise AssertionError(f"list failed with {done.status}: {done.err}")
        found: list[dict[str, Any]] = done.json["sessions"]
        return found


def content(session: dict[str, Any]) -> str:
    """Return what a session says, without what its place in the files gives it."""
    place = (
        "id",
        "session",
        "path",
        "line_range",
        "scope",
        "root",
        "digest",
        "continues",
        "origin",
        "archived",
    )
    return json.dumps(
        {key: value for key, value in session.items() if key not in place},
        ensure_ascii=False,
        sort_keys=True,
    )


def witness(number: int, **more: object) -> dict[str, object]:
    """Return a session of its own words, in both languages, with what is hard to keep whole."""
    word = f"witness{number}x"
    return {
        "topic": f"{word} 见证{number}号",
        "summary": f"第 {number} 次写入 was whole",
        "key_points": [f"{word} 第{line}行 of {number}" for line in range(3)],
        "decisions": [f"## Session {number} - 00:00:00", "---"],
        "code": [{"language": "sh", "text": f"echo {word}\n## Session 9 - 00:00:00\n---"}],
        "tags": [word, "见证"],
        "date": DAY,
        "time": f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}",
        **more,
    }


_UNSAID: dict[str, object] = {
    **{key: [] for key in ("key_points", "decisions", "open_questions", "next_steps", "files")},
    **{key: [] for key in ("code", "notes", "tags")},
    **dict.fromkeys(("important", "outdated", "private"), False),
    **dict.fromkeys(("project", "source", "conversation"), None),
    "summary": "",
}


def expected(number: int, **more: object) -> str:
    """Return the content of a witness as it must come back."""
    return content({**_UNSAID, **witness(number, **more)})


def expected_by_hand(topic: str) -> str:
    """Return the content of a line that a person wrote outside of all sections."""
    return content({**_UNSAID, "topic": topic, "date": DAY, "time": ""})


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder that is fast and goes away."""
    with tempfile.TemporaryDirectory(prefix="daily-memory-", dir=_SCRATCH) as folder:
        yield Path(folder).resolve()


def copy_tree(source: Path, target: Path) -> None:
    """Put a copy of a store in the place of another."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target, symlinks=True)


def is_polite(done: Done) -> str:
    """Return what is wrong with how a command ended, "" if it ended as it should."""
    if done.status == 124:
        return "hung"
    if done.status < 0:
        return f"died of signal {-done.status}"
    if "Traceback" in done.err or "this is a bug" in done.err:
        return f"broke: {done.err[-600:]}"
    if done.status != 0 and not re.search(r"^error: [^\n]+$", done.err, re.MULTILINE):
        return f"status {done.status} without an error: {done.err[-300:]!r}"
    return ""


def lines_of(values: Sequence[object]) -> str:
    """Return JSON Lines."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
