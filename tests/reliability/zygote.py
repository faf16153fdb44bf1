"""Runs commands in forks of one process that has loaded everything already.

A start of Python and of the package takes a tenth of a second, a fork some milliseconds: that is
what makes it possible to try each call of each command. The parent speaks JSON, a line a request.
It has one thread only, which a test runner can't promise.
"""

from __future__ import annotations

import codecs
import contextlib
import gc
import io
import json
import os
import pkgutil
import resource
import runpy
import signal
import sys
import tempfile
import time
import traceback
from datetime import datetime
from typing import Any

from daily_memory.storage.fs import lock
from tests.reliability.injector import Injector

# Besides the package itself.
_LOADED = (
    "concurrent.futures",
    "asyncio",
    "filelock",
    "rapidfuzz",
    "yaml",
    "frontmatter",
    "zlib",
    "difflib",
    "importlib.metadata",
    "secrets",
)
_ROOMS = ("core", "storage", "services")


def main() -> None:
    """Answer requests until there are no more."""
    _load()
    _warm_up()
    # A fork must not copy what looking for garbage would touch.
    gc.disable()
    gc.freeze()
    for line in sys.stdin.buffer:
        answer = json.dumps(_answered(json.loads(line))).encode()
        sys.stdout.buffer.write(answer + b"\n")
        sys.stdout.buffer.flush()


def _load() -> None:
    import importlib

    from daily_memory.frontends.cli import commands

    for name in _LOADED:
        importlib.import_module(name)
    for room in _ROOMS:
        folder = importlib.import_module(f"daily_memory.{room}").__path__
        for module in pkgutil.walk_packages(folder, f"daily_memory.{room}."):
            importlib.import_module(module.name)
    for name in commands.COMMANDS:
        commands.load(name)
    # Another user may not read where Python lives: what it loads at need must be there before.
    for codec in ("utf-8-sig", "unicode_escape", "gb18030", "utf-16", "idna", "ascii", "latin-1"):
        codecs.lookup(codec)


def _warm_up() -> None:
    """Run some commands here: what they compile and look up once, no fork has to do again."""
    from daily_memory.frontends.cli import main as run

    environment, folder = dict(os.environ), os.getcwd()
    said = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as home,
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        os.environ.update(HOME=home, MEMORY_PROJECT=home)
        os.chdir(home)
        for argv in (
            ["add", "密码是 hunter2, see https://example.org\n## Session 1 - 00:00:00"],
            ["search", "上周 last week redis 缓存 perfromance", "--explain"],
            ["inject", "what did we decide yesterday?"],
            ["doctor"],
        ):
            assert run(argv) == 0, argv
        os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)


def _answered(request: dict[str, Any]) -> dict[str, Any]:
    """Run one command in a fork, and return its status, what it printed and what it did."""
    files = [tempfile.TemporaryFile() for _ in range(4)]  # noqa: SIM115  # closed below
    files[0].write(request["stdin"].encode("utf-8", "surrogateescape"))
    files[0].seek(0)
    began = time.perf_counter()
    child = os.fork()
    if child == 0:
        _run(request, [file.fileno() for file in files])
    status = _waited(child, request["timeout_s"])
    seconds = time.perf_counter() - began
    out, err, log = (_content(file) for file in files[1:])
    for file in files:
        file.close()
    return {"status": status, "out": out, "err": err, "log": log, "seconds": seconds}


def _waited(child: int, timeout_s: float) -> int:
    """Return the exit status, minus the signal that killed it, or 124 for one that hung."""
    is_late = False

    def end(_number: int, _frame: object) -> None:
        nonlocal is_late
        is_late = True
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    _, status = os.waitpid(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    # The next fork must have no handler of ours.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return 124 if is_late else os.waitstatus_to_exitcode(status)


def _content(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode("utf-8", "surrogateescape"))


class _Talk(io.TextIOWrapper):
    """Standard output that writes down when something is printed."""

    injector: Injector | None = None

    def write(self, text: str) -> int:
        if self.injector and text.strip():
            self.injector.said(text[:40])
        return super().write(text)


def _run(request: dict[str, Any], handles: list[int]) -> None:
    status = 99
    try:
        for number, handle in enumerate(handles[:3]):
            os.dup2(handle, number)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["environment"])
        os.umask(request["umask"])
        if request["user"]:
            os.setgroups([])
            os.setgid(request["user"])
            os.setuid(request["user"])
        # No core files, and no process that eats the machine.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")  # noqa: SIM115
        talk = _Talk(open(1, "wb", closefd=False), encoding="utf-8")  # noqa: SIM115
        sys.stdout = talk
        sys.stderr = io.TextIOWrapper(
            open(2, "wb", closefd=False),  # noqa: SIM115  # they live as long as the process
            encoding="utf-8",
            errors="backslashreplace",
        )
        _stop_clock(request["now"])
        if request["wait_s"]:
            lock.WAIT_S = request["wait_s"]
        if request["watch"]:
            kind, at = request["fault"] or ("", 0)
            injector = Injector(request["watch"], handles[3], kind, at)
            injector.install()
            talk.injector = injector
        if request["audited"]:
            _audit(handles[3])
        status = _called(request["argv"], request["program"])
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    except BaseException:  # noqa: BLE001  # a fork must never go on in its parent's place
        traceback.print_exc()
        status = 98
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def _audit(log: int) -> None:
    """Write down what is opened, connected to and started from now on."""
    wanted = ("open", "socket.connect", "socket.bind", "subprocess.Popen", "os.exec", "os.system")
    changing = ("os.remove", "os.rename", "os.mkdir", "os.link", "os.symlink", "os.rmdir")

    def hook(event: str, values: tuple[Any, ...]) -> None:
        if event in wanted or event in changing:
            what = [str(value)[:1000] for value in values]
            is_writing = event == "open" and isinstance(values[2], int) and values[2] & 0o1103
            line = json.dumps([0, event, what[0], "w" if is_writing else "", 0]) + "\n"
            os.write(log, line.encode("utf-8", "surrogateescape"))

    sys.addaudithook(hook)


def _stop_clock(now: str) -> None:
    """Let the command believe that it is that time: two runs of it then write the same bytes."""
    if now:
        from daily_memory import workspace

        moment = datetime.fromisoformat(now)
        workspace.local_time = lambda: moment


def _called(argv: list[str], program: str) -> int:
    if program:
        sys.argv = [program, *argv]
        runpy.run_module(program, run_name="__main__")
        return 0
    from daily_memory.frontends.cli import main as run

    sys.argv = ["memory", *argv]
    return run(argv)


if __name__ == "__main__":
    main()
