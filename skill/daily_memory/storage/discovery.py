"""Finds the project folder, and checks who owns it.

A folder of another user, or one that everybody can write to, is no project: it may hold text that
was put there for us, and its owner could read what we write. This follows git's `safe.directory`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.roots import MEMORIES, global_root
from daily_memory.text import filled

# What marks the top of a repository, and what that of a package or of a folder open in an editor.
_REPOSITORY = (".git", ".hg")
_MARKERS = (
    ".cursor",
    ".trae",
    ".claude",
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "Makefile",
)
# Folders that the search for a project does not look at on its way up, as in git's
# GIT_CEILING_DIRECTORIES.
CEILINGS = "MEMORY_CEILING_DIRECTORIES"
# World-writable and sticky, such as /tmp.
_PUBLIC = 0o1002


class PassedOver(NamedTuple):
    """A folder that looks like a project but is not used. `is_told`: warn the user."""

    folder: str
    reason: str
    is_told: bool = False

    def __str__(self) -> str:
        return filled("{!r} is not used as a project: {}", self.folder, self.reason)


class ProjectPlace(NamedTuple):
    """The project, "" for none; `mark` is why: a name in its folder, NAMED or MEMORY."""

    folder: str
    mark: str = ""
    passed_over: tuple[PassedOver, ...] = ()

    @property
    def why(self) -> str:
        """Say why this is the project."""
        said = {NAMED: "it was named", MEMORY: "the nearest folder with a memory", "": "none here"}
        if self.mark in _REPOSITORY:
            return filled("the top of a repository, {}", self.mark)
        return said.get(self.mark, filled("it has {}", self.mark))


NAMED = "named"
MEMORY = "memory"


def discover(start: str, environment: Mapping[str, str], home: str) -> ProjectPlace:
    """Return the project around `start`, and why.

    `MEMORY_PROJECT` wins. Otherwise it is the nearest folder with a memory, up to the top of the
    repository; then that top; outside both, the nearest folder with a file like `pyproject.toml`.
    The home folder is no project, though it holds the global memory.
    """
    named = environment.get("MEMORY_PROJECT", "")
    if named:
        return get_around(named, environment, home)
    ceilings = _ceilings(environment)
    passed: dict[str, PassedOver] = {}
    # As it was given first: that is the path that the user knows.
    for path in dict.fromkeys((os.path.abspath(start), os.path.realpath(start))):
        for folder in _way_up(path, home, ceilings):
            mark = MEMORY if has_memory(folder) else _first(folder, _REPOSITORY)
            if mark and _is_fit(folder, home, passed):
                return ProjectPlace(folder, mark, tuple(passed.values()))
    for folder in _way_up(os.path.abspath(start), home, ceilings):
        mark = _first(folder, _MARKERS)
        if mark and folder not in passed and _is_fit(folder, home, passed, start):
            return ProjectPlace(folder, mark, tuple(passed.values()))
    return ProjectPlace("", "", tuple(passed.values()))


def around(folder: str, environment: Mapping[str, str], home: str) -> ProjectPlace:
    """Return the project around a folder that a host names; outside any, the folder itself.

    "" for the home folder and for one that can't be a project.
    """
    unnamed = {name: value for name, value in environment.items() if name != "MEMORY_PROJECT"}
    found = discover(folder, unnamed, home)
    if found.folder or os.path.realpath(folder) == os.path.realpath(home):
        return found
    passed = {
        passed_over.folder: passed_over
        for passed_over in found.passed_over
        if passed_over.folder != folder
    }
    fits = _is_fit(folder, home, passed, folder, is_named=True)
    return ProjectPlace(folder if fits else "", NAMED if fits else "", tuple(passed.values()))


def get_around(folder: str, environment: Mapping[str, str], home: str) -> ProjectPlace:
    """Like `around`, for a folder that the user named; raise if it can't be a project."""
    path = _get_folder(folder)
    found = around(path, environment, home)
    if found.folder:
        return found
    # The user may name any folder of their own, wherever it is.
    others = tuple(passed_over for passed_over in found.passed_over if passed_over.folder != path)
    return ProjectPlace(get_project(path, home), NAMED, others)


def memories_above(folder: str, environment: Mapping[str, str], home: str) -> list[str]:
    """Return the parent folders that have a memory too, nearest first."""
    above = _way_up(folder, home, _ceilings(environment))
    return [one for one in above if one != folder and has_memory(one)]


def has_memory(folder: str) -> bool:
    """Tell whether a folder has a memory, and not just an editor's folder."""
    top = os.path.join(folder, MEMORIES)
    return os.path.isdir(top) and bool(_first(top, ("daily", "observations", "config.json")))


def _way_up(folder: str, home: str, ceilings: Iterable[str]) -> Iterator[str]:
    end, start = _identity(home), folder
    while _identity(folder) != end or end is None:
        if folder != start and folder in ceilings:
            return
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _ceilings(environment: Mapping[str, str]) -> tuple[str, ...]:
    named = environment.get(CEILINGS, "").split(os.pathsep)
    return tuple(os.path.normpath(one) for one in named if one)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _first(folder: str, names: Iterable[str]) -> str:
    return next((name for name in names if os.path.exists(os.path.join(folder, name))), "")


def _is_fit(
    folder: str,
    home: str,
    passed: dict[str, PassedOver],
    start: str = "",
    *,
    is_named: bool = False,
) -> bool:
    """Tell whether a folder can be the project; note in `passed` why not.

    `start` is given for a folder with neither a memory nor a repository.
    """
    reason = project_fault(folder, home)
    is_told = bool(reason) and (not start or is_named)
    if start and not reason:
        reason = _weakness(folder, home, start, is_named=is_named)
    if reason:
        passed[folder] = PassedOver(folder, reason, is_told)
    return not reason


def _weakness(folder: str, home: str, start: str, *, is_named: bool) -> str:
    """Return why a folder without memory and repository can't be the project, "" if it can."""
    real, own = os.path.realpath(folder), os.path.realpath(home)
    if own.startswith(real.rstrip(os.sep) + os.sep) or os.path.dirname(real) == real:
        return "it is above your home folder and has neither a repository nor a memory"
    top, here = _identity(folder), _identity(start)
    if top and here and top[0] != here[0]:
        return "it is on another disk and has neither a repository nor a memory"
    if not is_named and is_open(folder):
        return filled("everybody can write to {!r}", folder)
    return ""


def get_project(folder: str, home: str) -> str:
    """Return the absolute path of a project that the user named; raise if it can't be one."""
    path = _get_folder(folder)
    reason = project_fault(path, home)
    if reason:
        raise InvalidInputError(str(PassedOver(path, reason)), hint=hint(path))
    return path


def _get_folder(folder: str) -> str:
    path = os.path.abspath(os.path.expanduser(folder))
    if not os.path.isdir(path):
        raise InvalidInputError("no folder {!r}", folder, hint="name the top folder of a project")
    return path


def main_checkout(project: str) -> str:
    """Return the main checkout of a git worktree, "" for any other folder.

    This reads the files, since running git takes longer than a search: `.git` names the worktree's
    folder in the repository, whose `commondir` leads to the repository.
    """
    if not os.path.isfile(os.path.join(project, ".git")):
        return ""
    own = _line(os.path.join(project, ".git")).removeprefix("gitdir:").strip()
    own = os.path.join(project, own)
    common = _line(os.path.join(own, "commondir"))
    if not common:
        return ""  # a submodule
    repository = os.path.normpath(os.path.join(own, common))
    # Whoever wrote `.git` must not point to any repository of the user's: git's own lie there.
    if os.path.realpath(os.path.dirname(own)) != os.path.realpath(f"{repository}/worktrees"):
        return ""
    top, name = os.path.split(repository)
    # A bare repository has no checkout.
    return top if name == ".git" and os.path.isdir(top) else ""


def _line(path: str) -> str:
    if "\0" in path:
        return ""
    try:
        return (files.find_bytes(path) or b"").decode("utf-8", "surrogateescape").strip("\r\n")
    except DailyMemoryError:
        return ""


def project_fault(folder: str, home: str) -> str:
    """Return why a folder can't be a project of the user with this home; "" if it can.

    Its memories folder must be the user's too. Windows has no such owners: there is no fault.
    """
    link = _brought_link(folder)
    if link and not is_safe(folder, home):
        return filled("{!r} is a link out of the project, and the repository brings it", link)
    own = getattr(os, "geteuid", lambda: -1)()
    for path in (folder, os.path.join(folder, ".cursor"), os.path.join(folder, MEMORIES)):
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return ""  # nothing is there that could be somebody's
        if own < 0:
            return ""
        if path == folder and status.st_mode & _PUBLIC == _PUBLIC:
            return filled("everybody can write to {!r}", folder)
        if status.st_uid != own and not is_safe(folder, home):
            return filled("{!r} belongs to {}, not to you", path, _user(status.st_uid))
    return ""


def _brought_link(folder: str) -> str:
    """Return the link out of the project that leads to its memory and is in git; "" for none.

    A link of the user's own is followed: some keep their memory elsewhere.
    """
    path = folder
    for name in MEMORIES.split(os.sep):
        path = os.path.join(path, name)
        if os.path.islink(path):
            top, target = os.path.realpath(folder), os.path.realpath(path)
            if not target.startswith(top.rstrip(os.sep) + os.sep):
                from daily_memory.storage import signatures  # hardly anybody has such a link

                if signatures.is_tracked(path):
                    return path
    return ""


def is_open(folder: str) -> bool:
    """Tell whether everybody may create files in a folder."""
    try:
        return hasattr(os, "geteuid") and bool(os.stat(folder).st_mode & 0o002)
    except OSError:
        return False


def hint(folder: str) -> str:
    """Return what to do about a folder that can't be a project."""
    if is_open(folder):
        return "use a folder of your own in it"
    return filled("to trust it: memory config set --global storage.safe_folders '[\"{}\"]'", folder)


def is_safe(folder: str, home: str) -> bool:
    """Tell whether `storage.safe_folders` of the user lists a folder.

    An entry that ends with `/*` is for all folders below.
    """
    from daily_memory.storage import settings_file  # few work in a folder of another user

    path = os.path.realpath(folder)
    for entry in settings_file.load_settings(global_root(home)).settings.storage.safe_folders:
        named = os.path.join(home, entry[2:]) if entry.startswith("~/") else entry
        top, name = os.path.split(named)
        trusted = os.path.realpath(top if name == "*" else named)
        is_below = path.startswith(trusted.rstrip(os.sep) + os.sep)
        if os.path.isabs(named) and (path == trusted if name != "*" else is_below):
            return True
    return False


def _user(number: int) -> str:
    try:
        import pwd  # only to tell of a fault

        return f"{pwd.getpwuid(number).pw_name!r}"
    except (ImportError, KeyError):
        return f"user {number}"
