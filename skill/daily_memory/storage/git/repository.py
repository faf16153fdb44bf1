"""The git repository around a folder: asked, and told, through the command `git`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

from daily_memory.errors import BackendError, NotFoundError
from daily_memory.text import filled

Done = subprocess.CompletedProcess[bytes]

# So long a call of git may take; more than any of ours needs, and less than for ever.
TIMEOUT_S = 60.0

# A repository's configuration must not run programs: it may come from anybody.
_HARMLESS = (
    *("--no-pager", "-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}", "-c", "log.showSignature=false"),
)
_MOST_WORDS = 80


def get_top(folder: str) -> str:
    """Return the top folder of the repository around a folder, which need not exist."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    done = run(folder, "rev-parse", "--show-toplevel")
    if top := done.stdout.rstrip("\n"):
        return top
    if "dubious ownership" in done.stderr:
        raise _refused(done)
    raise NotFoundError("{!r} is not in a git repository", folder, hint="run `git init` first")


def get_config(folder: str, name: str) -> str:
    """Return a value of git's configuration, "" for none."""
    return run(folder, "config", "--get", name).stdout.removesuffix("\n")


def set_config(folder: str, name: str, value: str) -> bool:
    """Set a value in the repository's configuration; tell whether it changed."""
    if get_config(folder, name) == value:
        return False
    done = run(folder, "config", "--local", name, value)
    if done.returncode:
        raise _refused(done)
    return True


def attribute(folder: str, name: str, path: str) -> str:
    """Return a git attribute of a file, which need not exist."""
    return run(folder, "check-attr", "-z", name, "--", path).stdout.split("\0")[2]


def is_ignored(folder: str, path: str) -> bool:
    """Tell whether git ignores a file, which need not exist."""
    return run(folder, "check-ignore", "--no-index", "--", path).returncode == 0


def is_unmerged(path: str) -> bool:
    """Tell whether a file has an unresolved merge; False without git."""
    folder, name = os.path.split(path)
    try:
        return bool(run(folder, "ls-files", "--unmerged", "--", name).stdout)
    except BackendError:
        return False


def merge_file(base: str, ours: str, theirs: str) -> bool:
    """Merge three files line by line into `ours`, as git does; tell whether there was no conflict.

    Files that are no text are a conflict, in which ours stays.
    """
    words = ("merge-file", "-L", "ours", "-L", "base", "-L", "theirs")
    done = run("", *words, *map(os.path.abspath, (ours, base, theirs)))
    # It returns how many conflicts there were, and 255 for a fault.
    if done.returncode in range(128) or "binary" in done.stderr:
        return done.returncode == 0
    raise _refused(done)


class GitTimeoutError(BackendError):
    """Git did not answer in time."""


def run(folder: str, *words: str, timeout_s: float = TIMEOUT_S) -> subprocess.CompletedProcess[str]:
    done = run_bytes(folder, *words, timeout_s=timeout_s, environment=os.environ)
    output, errors = (
        data.decode("utf-8", "surrogateescape") for data in (done.stdout, done.stderr)
    )
    return subprocess.CompletedProcess(done.args, done.returncode, output, errors)


def run_bytes(
    folder: str, *words: str, timeout_s: float, environment: Mapping[str, str], data: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603  # the words are ours, and no shell reads them
            ["git", *_HARMLESS, *(["-C", folder] if folder else []), *words],  # noqa: S607  # the user's
            input=data,
            capture_output=True,
            env={**environment, "LC_ALL": "C"},
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = filled(
            "git did not answer in {:g} s: git {}", timeout_s, " ".join(words)[:_MOST_WORDS]
        )
        raise GitTimeoutError(message, hint=filled("run it in {!r} to see why", folder)) from error
    except OSError as error:
        raise BackendError("the command `git` was not found", hint="install git") from error


def _refused(done: subprocess.CompletedProcess[str]) -> BackendError:
    lines = done.stderr.strip().split("\n")
    return BackendError("git refused: {}", lines[0], hint="run the same with git to see more")
