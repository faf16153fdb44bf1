"""The merge driver that git calls when two branches changed one day file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daily_memory.core.format import day_merge
from daily_memory.errors import DailyMemoryError, DamagedDataError
from daily_memory.model import Problem
from daily_memory.services.setup import init
from daily_memory.storage import archive_files, days, key_holders, roots
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Modes
from daily_memory.storage.git import repository
from daily_memory.storage.roots import Root
from daily_memory.text import filled

DRIVER = "daily-memory"
_DRIVER_KEY = f"merge.{DRIVER}.driver"
_ANY_DAY = "2026-01-29.md"
_ANY_ARCHIVE = "archive/2026/2026-01-29.md.gz"
_PACKED = ".gz"
_NAME = "Daily Memory: day files, section by section"


class Registration(NamedTuple):
    """What `init --git` did: `driver` is the command for git, `done` what changed."""

    repository: str
    driver: str
    done: tuple[str, ...]
    warnings: tuple[str, ...]


def merge_files(base: str, ours: str, theirs: str, name: str = "") -> bool:
    """Merge a day into the file `ours`; return whether there was no conflict.

    The paths are files with the three versions; `name` is the path in the repository. Other files
    than days are merged line by line, like git does, which may leave a conflict.
    """
    key_holders.register(roots.home_folder(os.environ), os.environ)
    versions = files.read_bytes(base), files.read_bytes(ours), files.read_bytes(theirs)
    if name.endswith(_PACKED):
        return _merge_archives(versions, ours, theirs, name)
    if not _is_day(versions, name):
        return repository.merge_file(base, ours, theirs)
    day = days.day_of(os.path.basename(name))
    try:
        merged = day_merge.merge_days(*versions, day=day.isoformat() if day else "")
    except Exception:
        # After an error git would take our version and lose theirs.
        repository.merge_file(base, ours, theirs)
        raise
    if merged != versions[1]:
        files.replace(ours, merged, _modes(ours, theirs))
    return True


def _modes(*paths: str) -> Modes:
    """Return how to write a file merged from these: encrypted if one of them is."""
    if not any(files.is_sealed(files.read_raw(path)) for path in paths):
        return files.PRIVATE
    from daily_memory.storage.fs import encryption  # only for encrypted memories

    return encryption.Sealed(roots.home_folder(os.environ))


def _merge_archives(versions: Sequence[bytes], ours: str, theirs: str, name: str) -> bool:
    """Merge the archives of a day; an unreadable one is a conflict."""
    try:
        base, mine, others = (
            archive_files.unpack(data, name) if data else b"" for data in versions
        )
    except DamagedDataError:
        return False
    day = days.day_of(os.path.basename(name).removesuffix(_PACKED))
    merged = archive_files.pack(
        day_merge.merge_days(base, mine, others, day=day.isoformat() if day else "")
    )
    if merged != versions[1]:
        files.replace(ours, merged, _modes(ours, theirs))
    return True


def _is_day(versions: Sequence[bytes], name: str) -> bool:
    """Tell whether a file is a day, by its name and content; without a name, by content."""
    if name and not days.day_of(os.path.basename(name)):
        return False
    if any(map(day_merge.has_sections, versions)):
        return True
    # UTF-16 text has zero bytes, and can't be parsed.
    return bool(name) and not any(b"\0" in version for version in versions)


def register(root: Root, command: Sequence[str]) -> Registration:
    """Register our merge driver in the repository around a root. Safe to repeat.

    `command` are the words that start this program from anywhere.
    """
    done = []
    if init.open_to_git(root):
        done.append(filled("let git have the days: {}", os.path.join(root.path, ".gitignore")))
    named = (root.daily_folder, _ANY_DAY), (root.path, _ANY_ARCHIVE)
    if any(repository.attribute(folder, "merge", name) != DRIVER for folder, name in named):
        done.append(_extend_attributes(root))
    driver = _driver(command)
    changed = [
        repository.set_config(root.path, key, value)
        for key, value in ((f"merge.{DRIVER}.name", _NAME), (_DRIVER_KEY, driver))
    ]
    if any(changed):
        done.append(filled("registered the merge driver {!r}", DRIVER))
    top = repository.get_top(root.path)
    return Registration(top, driver, tuple(done), tuple(_obstacles(root)))


def unregister(root: Root, *, dry_run: bool = False) -> str:
    """Remove our merge driver from the repository around a root; return its top, "" without it.

    `.gitattributes` belongs to all who share the memory, and stays.
    """
    try:
        if not repository.get_config(root.path, _DRIVER_KEY):
            return ""
        if not dry_run:
            repository.run(root.path, "config", "--local", "--remove-section", f"merge.{DRIVER}")
        return repository.get_top(root.path)
    except DailyMemoryError:
        return ""  # no git, or no repository


def unregistered(root: Root) -> tuple[Problem, ...]:
    """Return a problem if .gitattributes names our merge driver, but this clone lacks it."""
    path = os.path.join(root.path, ".gitattributes")
    try:
        if not os.path.exists(path) or repository.get_config(root.path, _DRIVER_KEY):
            return ()
        repository.get_top(root.path)
        if repository.is_ignored(root.daily_folder, _ANY_DAY):
            return ()
    except repository.GitTimeoutError as error:
        return (Problem(path, 0, error.message),)
    except DailyMemoryError:
        return ()  # no git, or no repository: nothing will be merged
    message = "git merges days line by line in this clone; `memory init --git` fixes that"
    return (Problem(path, 0, message),)


def _extend_attributes(root: Root) -> str:
    """Append the template of `.gitattributes` to that of the root; return what was done."""
    path = os.path.join(root.path, ".gitattributes")
    template = files.read_bytes(os.path.join(init.template_folder(), ".gitattributes"))
    there = files.find_bytes(path) or b""
    gap = b"\n" if there and not there.endswith(b"\n") else b""
    files.append(path, gap + template, root.modes)
    return filled("added to {}", path)


def _obstacles(root: Root) -> Iterator[str]:
    if repository.attribute(root.daily_folder, "merge", _ANY_DAY) != DRIVER:
        yield filled(
            "another .gitattributes sets how the files in {!r} are merged", root.daily_folder
        )
    if repository.is_ignored(root.daily_folder, _ANY_DAY):
        yield filled("a .gitignore leaves out {!r}: days won't be committed", root.daily_folder)


def _driver(command: Sequence[str]) -> str:
    """Return the shell command for git.

    Without the program, git would take our version and lose theirs: fall back to a plain merge.
    """
    program = shlex.join(command).replace("%", "%%")
    ordinary = "git merge-file -L ours -L base -L theirs %A %O %B"
    return (
        f"if {program} --version >/dev/null 2>&1; "
        f"then {program} merge-driver %O %A %B %P; else {ordinary}; fi"
    )
