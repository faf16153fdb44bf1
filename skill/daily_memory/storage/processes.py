"""Processes of our own for work that takes long, which nobody waits for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence

# Set in what we start ourselves: it must not record itself.
OURS = "DAILY_MEMORY_HOOK"


def start(
    work: Sequence[str], project: str, home: str, environment: Mapping[str, str]
) -> Callable[[], bool]:
    """Start a process that does some work, as `memory.background.run` knows it, for a project.

    Returns a function that tells whether it is done.
    """
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folder = project or (home if os.path.isdir(home) else os.sep)
    # Not from the folder that it runs in: no file of a project may pass for a module.
    path = f"import sys, os; sys.path[:] = [{package!r}, *filter(None, sys.path)]"
    code = f"{path}; os.chdir({folder!r})"
    code += "; from daily_memory.frontends import background_limits, hooks"
    code += "; background_limits.bounded(lambda: hooks.settle(*sys.argv[1:]))"
    command = [sys.executable, "-c", code, *work]
    environment = {**environment, OURS: "1", "MEMORY_PROJECT": project, "HOME": home}
    if os.name == "nt":
        return _start_on_windows(command, environment)
    # `subprocess` takes longer to import than an event to be recorded.
    silent = [(os.POSIX_SPAWN_OPEN, file, os.devnull, os.O_RDWR, 0) for file in range(3)]
    number = os.posix_spawn(sys.executable, command, environment, file_actions=silent, setsid=True)
    return lambda: os.waitpid(number, os.WNOHANG)[0] != 0


def _start_on_windows(command: Sequence[str], environment: Mapping[str, str]) -> Callable[[], bool]:
    import subprocess

    devnull = subprocess.DEVNULL
    # No window may flash up, and the host's end is not ours.
    process = subprocess.Popen(  # noqa: S603  # our own interpreter, and nothing that memory says
        command,
        env=environment,
        stdin=devnull,
        stdout=devnull,
        stderr=devnull,
        creationflags=0x08000000 | 0x00000200,
    )
    return lambda: process.poll() is not None
