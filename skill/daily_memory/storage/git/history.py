"""What git knows of the files of a memory, asked so that a hostile repository can run nothing."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from typing import IO, cast

from daily_memory.core.format import authorship
from daily_memory.core.format.authorship import Lines
from daily_memory.errors import BackendError
from daily_memory.storage.roots import Root

# Another process that saves waits twice as long for the lock that we hold meanwhile.
TIME_LIMIT_S = 5.0
# Above this many days the whole folder is asked for: a command line has an end.
_MOST_NAMES = 200
# What of git's own environment is about the user; the rest is about another repository.
_KEPT = ("GIT_AUTHOR_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_LOG = (
    "log",
    "--all",  # also what was fetched and is just being merged
    "--ignore-missing",
    "MERGE_HEAD",
    "FETCH_HEAD",
    "--cc",  # of a merge, what none of its parents has
    "--unified=0",
    "--inter-hunk-context=0",
    # A file that attributes or a NUL byte call binary would show none of its lines.
    "--text",
    "--no-renames",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    # These would run programs that the configuration names.
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
    f"--format={authorship.LOG_FORMAT}",
    "--",
)


class _GitRefusedError(BackendError):
    """Git ran, and said no."""


def load_authors(root: Root, paths: Sequence[str]) -> dict[str, Lines]:
    """Return who committed which lines of these files, day files or `summary.md`, by name.

    Raises:
        BackendError: git is missing, failed, or took too long.
    """
    paths = paths if len(paths) <= _MOST_NAMES else ["daily"]
    address = _own_address(root)
    with _git(root.path, *_LOG, *paths) as output:
        return authorship.parse_log(output, address)


def tracked(folder: str) -> list[str]:
    """Return the files below a folder that git tracks, by their names below it.

    Raises:
        BackendError: git is missing, failed, or took too long.
    """
    with _git(folder, "ls-files", "-z") as output:
        return [os.fsdecode(name) for name in output.read().split(b"\0") if name]


def _own_address(root: Root) -> str:
    """Return the address for commits of the user; "" if none is set."""
    try:
        with _git(root.path, "var", "GIT_AUTHOR_IDENT") as output:
            ident = output.read().decode("utf-8", "replace")
    except _GitRefusedError:
        return ""
    return ident.rpartition("<")[2].partition(">")[0]


@contextlib.contextmanager
def _git(folder: str, *words: str) -> Iterator[IO[bytes]]:
    """Run git and give its output; it must succeed in time.

    Nothing that the repository's configuration names is run: no pager, no file system monitor, no
    fetching of what a partial clone lacks.
    """
    command = ["git", "-C", folder, "--no-pager", "--literal-pathspecs"]
    command += ["-c", "core.fsmonitor=false", "-c", "log.showSignature=false", *words]
    try:
        process = subprocess.Popen(  # noqa: S603  # no shell, and no word of it comes from a memory
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
    except OSError as error:
        raise BackendError(f"git can't be run: {(error.strerror or str(error)).lower()}") from error
    timer = threading.Timer(TIME_LIMIT_S, process.kill)
    timer.start()
    with process:
        output = cast("IO[bytes]", process.stdout)
        try:
            yield output
        finally:
            output.close()
            status = process.wait()
            is_late = not timer.is_alive()
            timer.cancel()
    if is_late:
        raise BackendError(f"git did not answer within {TIME_LIMIT_S:g} s")
    if status:
        raise _GitRefusedError(f"git failed with status {status}")


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT)
    }
    return {
        **kept,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        # What `GIT_NO_LAZY_FETCH` is to git before 2.44: no transport has this name.
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C",
    }
