"""The same as `crashes`, below Python: `strace` spoils the calls that SQLite makes as well."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.reliability import injector
from tests.reliability.crashes import Bench, Trial
from tests.reliability.store import Done, Zygote, copy_tree
from tests.reliability.victims import Victim

CALLS = (
    "write", "pwrite64", "writev", "pwritev", "rename", "renameat", "renameat2", "link", "linkat",
    "unlink", "unlinkat", "fsync", "fdatasync", "ftruncate", "fallocate", "mkdir", "mkdirat",
    "chmod", "fchmod", "fchmodat", "copy_file_range", "sendfile",
)  # fmt: skip
KINDS = ("SIGKILL", "ENOSPC", "EIO")
_CALL = re.compile(r"^(?:\[pid +[0-9]+\] |[0-9]+ +)?([a-z0-9_]+)\((.*)")


def is_there() -> bool:
    """Tell whether calls can be traced here: the program is there, and the kernel lets it."""
    if not shutil.which("strace"):
        return False
    done = subprocess.run(["strace", "-f", "true"], capture_output=True, check=False)
    return done.returncode == 0


class TracedBench(Bench):
    """A victim whose calls are spoiled from outside, in a real process."""

    def __init__(self, victim: Victim, folder: Path, zygote: Zygote) -> None:
        super().__init__(victim, folder, zygote)
        self._log = folder / "calls"
        self._counted = list(self._count())

    def trials(self, kinds: tuple[str, ...] = KINDS) -> Iterator[Trial]:
        """Yield each call of each name in each way; what is printed does not count."""
        for call, number in self._counted:
            for kind in kinds:
                yield Trial(number, call, kind)

    def spoiled(self, trial: Trial) -> Done:
        how = "signal=SIGKILL" if trial.kind == "SIGKILL" else f"error={trial.kind}"
        return self._traced("-e", f"inject={trial.call}:{how}:when={trial.number}")

    def where(self, trial: Trial) -> str:
        return trial.call

    # ------------------------------------------------------------------ below

    def _count(self) -> Iterator[tuple[str, int]]:
        copy_tree(self._template, self.store.folder)
        done = self._traced()
        assert done.status == 0, done.err
        numbers: Counter[str] = Counter()
        for line in self._log.read_text(errors="replace").split("\n"):
            found = _CALL.match(line)
            if found and found[1] in CALLS:
                numbers[found[1]] += 1
                if not found[2].startswith(("1, ", "2, ")):
                    yield found[1], numbers[found[1]]

    def _traced(self, *how: str) -> Done:
        victim = self.victim
        module = victim.program or "daily_memory"
        command = ["strace", "-f", "-o", str(self._log), "-e", f"trace={','.join(CALLS)}", *how]
        process = subprocess.run(
            [*command, sys.executable, "-m", module, *victim.argv],
            input=victim.stdin.encode(),
            cwd=self.store.project,
            env={**self.store.environment, "PYTHONPATH": _path()},
            capture_output=True,
            check=False,
        )
        # `strace` ends like the process that it traced.
        status = injector.DEATH if process.returncode == -9 else process.returncode
        return Done(status, process.stdout.decode(), process.stderr.decode("utf-8", "replace"))


def _path() -> str:
    return ":".join(path for path in sys.path if path)
