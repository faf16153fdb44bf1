"""The command that hosts and agents call: the running `memory`."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from daily_memory.installation import PASSING

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SCRIPTS = ("memory", "daily-memory", "memory.exe", "daily-memory.exe")


class Program(NamedTuple):
    """The command: `words` for a host (with an absolute path), `name` for an agent."""

    words: tuple[str, ...]
    name: str = "memory"
    serves_mcp: bool = False
    is_windows: bool = False

    @property
    def is_passing(self) -> bool:
        """Whether it is in a cache that may be emptied."""
        return any(part in word for part in PASSING for word in self.words)


def find_program(
    argv: Sequence[str] = (),
    executable: str = sys.executable,
    environment: Mapping[str, str] = os.environ,
    *,
    is_windows: bool = os.name == "nt",
) -> Program:
    """Return the running `memory`, given its command line.

    This is the script itself: a runner such as `uv run` would double the time of each hook.
    """
    words = _words(os.path.abspath(argv[0]) if argv else "", executable)
    path = shutil.which("memory", path=_lasting_path(environment))
    is_on_path = bool(path) and len(words) == 1 and os.path.samefile(str(path), words[0])
    typed = subprocess.list2cmdline(words) if is_windows else shlex.join(words)
    name = "memory" if is_on_path else typed
    has_server = bool(find_spec("daily_memory.frontends.mcp_server") and find_spec("mcp"))
    return Program(words, name, serves_mcp=has_server, is_windows=is_windows)


def _lasting_path(environment: Mapping[str, str]) -> str:
    """Return the PATH without an activated virtual environment, as an agent's shell has it."""
    active = environment.get("VIRTUAL_ENV") or os.devnull
    folders = environment.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(
        folder for folder in folders if not folder.startswith(os.path.join(active, ""))
    )


def _words(running: str, executable: str) -> tuple[str, ...]:
    name = os.path.basename(running)
    if name in _SCRIPTS and os.path.isfile(running):
        return (running,)
    if name == "memory.py" and os.path.isfile(running):
        return executable, running
    beside = os.path.join(os.path.dirname(executable), "memory")
    for script in (beside, f"{beside}.exe"):
        if os.path.isfile(script):
            return (script,)
    return executable, "-m", "daily_memory"


def compile_modules(folder: str = _PACKAGE) -> bool:
    """Compile our modules, so that the first hook is fast; return whether that worked."""
    import compileall  # rarely needed

    return bool(compileall.compile_dir(folder, quiet=2))
