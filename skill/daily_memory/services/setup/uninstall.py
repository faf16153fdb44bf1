"""Remove everything of ours from a computer except memories and the keys for them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import NamedTuple

from daily_memory.core.hosts.table import HOSTS
from daily_memory.errors import DailyMemoryError
from daily_memory.services.setup import git, install
from daily_memory.services.setup.install import Site
from daily_memory.services.setup.program import Program
from daily_memory.storage.fs import files
from daily_memory.storage.fs.transaction import FileChange
from daily_memory.storage.roots import Root
from daily_memory.text import joined

_FOLDER = os.path.join(".config", "daily-memory")
# Without these, encrypted memories and their copies can't be read any more.
_KEYS = ("key.txt", "recipients.txt", "encrypted")
# Without it, undo files and recordings of memories would count as somebody else's.
_SECRET = "secret"  # noqa: S105  # the name of a file


class Removal(NamedTuple):
    """What was removed, or would be: `changes` in files of hosts, `paths` of our own, and the
    repositories with our merge driver. `kept` stays; `warnings` say what could not be removed.
    """

    changes: tuple[FileChange, ...]
    paths: tuple[str, ...]
    repositories: tuple[str, ...]
    kept: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def uninstall(
    home: str, sites: Sequence[Site], roots: Sequence[Root], command: Program, *, dry_run: bool
) -> Removal:
    """Remove our parts from every host at these sites, our home folder, and merge drivers."""
    changes: list[FileChange] = []
    warnings: list[str] = []
    for site in sites:
        for host in HOSTS:
            try:
                done = install.install(host.name, site, command, uninstall=True, dry_run=dry_run)
                # Other hosts would take over the skill, but none stays.
                changes += [each for each in done.changes if each.action in ("change", "remove")]
            except DailyMemoryError as error:
                warnings.append(joined(": ", (host.title, error.message)))
    present = [root for root in roots if os.path.isdir(root.path)]
    drivers = [git.unregister(root, dry_run=dry_run) for root in present]
    own, needed = _own_files(home, has_memories=bool(present))
    for path in () if dry_run else own:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            files.remove(path)
    once = {change.path: change for change in changes}
    return Removal(
        tuple(once.values()),
        tuple(own),
        tuple(dict.fromkeys(filter(None, drivers))),
        (*(root.path for root in present), *needed),
        tuple(dict.fromkeys(warnings)),
    )


def _own_files(home: str, *, has_memories: bool) -> tuple[list[str], list[str]]:
    """Return the files of our folder in the home to remove, and those that memories need."""
    folder = os.path.join(home, _FOLDER)
    names = files.list_names(folder)
    has_key = any(name.startswith("key.txt") for name in names)
    kept = [
        name
        for name in names
        if (has_key and name.startswith(_KEYS)) or (has_memories and name == _SECRET)
    ]
    removed = [name for name in names if name not in kept]
    if names and not kept:
        return [folder], []
    return (
        [os.path.join(folder, name) for name in removed],
        [os.path.join(folder, name) for name in kept],
    )
