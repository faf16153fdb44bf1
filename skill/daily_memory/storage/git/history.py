"""What git knows of the files of a memory, asked so that a hostile repository can run nothing."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from subprocess import CompletedProcess

from daily_memory.core.format import authorship
from daily_memory.core.format.authorship import Lines
from daily_memory.errors import BackendError
from daily_memory.storage.git import repository
from daily_memory.storage.roots import Root

# Another process waits twice as long for the lock that we hold.
TIME_LIMIT_S = 5.0
# Above this many days the whole folder is asked for: a command line has an end.
MOST_NAMES = 200
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
    # A file that attributes or a NUL byte call binary would show none of its lines.
    "--text",
    "--no-renames",
    "--no-color",
    "--dst-prefix=b/",
    "--no-textconv",  # it would run a program that the configuration names
    f"--format={authorship.LOG_FORMAT}",
    "--",
)


def load_authors(root: Root, paths: Sequence[str]) -> dict[str, Lines]:
    """Return who committed which lines of these files, by file name."""
    paths = paths if len(paths) <= MOST_NAMES else ["daily"]
    ident = _run(root.path, "var", "GIT_AUTHOR_IDENT").stdout.decode("utf-8", "replace")
    address = ident.rpartition("<")[2].partition(">")[0]  # "" if none is set
    return authorship.parse_log(io.BytesIO(_output(root.path, *_LOG, *paths)), address)


def tracked(folder: str) -> list[str]:
    """Return the files below a folder that git tracks, relative to the folder."""
    return [os.fsdecode(name) for name in _output(folder, "ls-files", "-z").split(b"\0") if name]


def _output(folder: str, *words: str) -> bytes:
    done = _run(folder, *words)
    if done.returncode:
        raise BackendError("git failed with status {}", done.returncode)
    return done.stdout


def _run(folder: str, *words: str) -> CompletedProcess[bytes]:
    """Run git so that it neither fetches from a remote nor looks at another repository."""
    return repository.run_bytes(folder, *words, timeout_s=TIME_LIMIT_S, environment=_environment())


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT)
    }
    return {
        **kept,
        # Nothing is fetched, as with `GIT_NO_LAZY_FETCH` of git 2.44: no transport has this name.
        "GIT_ALLOW_PROTOCOL": "none",
    }
