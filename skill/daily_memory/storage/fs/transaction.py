"""Changes to several files of other programs: all are made, or none."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import NamedTuple

from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import NO_STAMP, PRIVATE, Modes, Stamp

# Keeps copies of other programs' settings out of git.
_IGNORE_ALL = b"*\n"


class FileChange(NamedTuple):
    """What happens to one file; None stands for no file, `stamp` is what it had when it was read.

    `backup` is where its copy is: made by a change that `keeps` it, removed by one that `frees` it.
    """

    part: str
    path: str
    before: bytes | None
    after: bytes | None
    stamp: Stamp = NO_STAMP
    backup: str = ""
    keeps: bool = False
    frees: bool = False

    @property
    def action(self) -> str:
        """`create`, `change`, `remove` or `keep`."""
        if self.before == self.after:
            return "keep"
        if self.before is None:
            return "create"
        return "remove" if self.after is None else "change"


def apply(changes: Sequence[FileChange], folder: str, modes: Modes, *, beside: str = "") -> None:
    """Make all changes or none; also remove folders below `folder` that are empty then.

    `beside` is where temporary files are, if not beside the files; see `files.replace`.
    """
    wanted = [change for change in changes if change.action != "keep"]
    copied = [change for change in wanted if change.keeps]
    done: list[FileChange] = []
    try:
        for change in copied:
            _keep(change)
        for change in wanted:
            # Noted first: a write that fails at its end may have been done.
            done.append(change)
            _make(change, modes, beside)
    except BaseException:
        for change in reversed(done):
            with contextlib.suppress(DailyMemoryError):  # the others must not stay for its sake
                _undo(change, modes, beside)
        for change in (*reversed(wanted), *copied):
            _tidy(change, folder)
        for change in copied:
            _free(change, folder)
        raise
    for change in wanted:
        if change.frees:
            _free(change, folder)
        _tidy(change, folder)


def undo(changes: Sequence[FileChange], folder: str, modes: Modes, *, beside: str = "") -> None:
    """Undo `apply` after a later failure."""
    undone = [
        change._replace(before=change.after, after=change.before, stamp=files.stamp(change.path))
        for change in changes
    ]
    apply(undone, folder, modes, beside=beside)


def _make(change: FileChange, modes: Modes, beside: str) -> None:
    if change.after is None:
        files.check_unchanged(change.path, change.stamp)
        files.remove(change.path)
        return
    files.make_folder(os.path.dirname(change.path), modes)
    files.replace(change.path, change.after, modes, expected=change.stamp, folder=beside)


def _undo(change: FileChange, modes: Modes, beside: str) -> None:
    if files.find_bytes(change.path) != change.after:
        return  # it was not made, or somebody else wrote there since
    if change.before is None:
        files.remove(change.path)
    else:
        files.replace(change.path, change.before, modes, folder=beside)


def _keep(change: FileChange) -> None:
    """Copy a file where nobody else and no git sees it, as it may hold keys."""
    assert change.before is not None
    kept = os.path.dirname(change.backup)
    files.make_folder(kept, PRIVATE)
    files.replace(os.path.join(kept, ".gitignore"), _IGNORE_ALL)
    files.replace(change.backup, change.before)


def _free(change: FileChange, folder: str) -> None:
    files.remove(change.backup)
    kept = os.path.dirname(change.backup)
    with contextlib.suppress(OSError):  # gone already, with another copy
        if os.listdir(kept) == [".gitignore"]:
            files.remove(os.path.join(kept, ".gitignore"))
    _remove_empty(kept, folder if kept.startswith(folder + os.sep) else os.path.dirname(kept))


def _tidy(change: FileChange, folder: str) -> None:
    if not os.path.lexists(change.path):
        _remove_empty(os.path.dirname(change.path), folder)


def _remove_empty(path: str, folder: str) -> None:
    """Remove empty parent folders below `folder`."""
    with contextlib.suppress(OSError):  # not empty, or gone: then that is the end of it
        while path.startswith(folder + os.sep):
            os.rmdir(path)
            path = os.path.dirname(path)
