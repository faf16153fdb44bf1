"""Whether `index/` and `observations/` are the user's: both are trusted, and clones bring them.

So a folder that we make is signed with a secret of the user. One without that signature was made by
somebody else and is moved aside, and so are files that git tracks in a signed folder, since git
replaces them. Nothing is removed.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Sequence

from daily_memory.errors import DailyMemoryError, NotFoundError
from daily_memory.model import Problem
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Modes
from daily_memory.storage.roots import MEMORIES, Root
from daily_memory.text import filled

LOCAL = ("index", "observations")
# Not signed, as people edit it. They may link it to another place, but no clone may.
_DAYS = "daily"
NAME = ".signature"
_ASIDE = "untrusted-"
_IGNORE, _IGNORE_ALL = ".gitignore", b"*\n"
# With what people have git keep an empty folder.
_PLACEHOLDERS = {_IGNORE, ".gitkeep", ".keep"}
_SECRET_BYTES = 32
# Of one who works in a container and outside of it, there are two.
_MOST_SIGNATURES = 8
# Half-made folders that are older were left by a process that is gone.
_LEFT_OVER_S = 3600.0
# What git's index looked like when it was last searched for our folders.
_SEEN = "git-index"


def secret_path(home: str) -> str:
    return os.path.join(home, ".config", "daily-memory", "secret")


def signature(home: str, name: str) -> bytes:
    """Return the signature of a folder, b"" if there can't be a secret."""
    secret = _load_secret(home) or _make_secret(home)
    if not secret:
        return b""
    from _blake2 import blake2b  # hashlib would load OpenSSL

    digest: str = blake2b(f"daily-memory {name}".encode(), key=secret).hexdigest()
    return f"{digest}\n".encode()


def _load_secret(home: str) -> bytes:
    try:
        data = files.read_raw(secret_path(home))
    except DailyMemoryError:
        return b""
    return data if len(data) == _SECRET_BYTES else b""


def _make_secret(home: str) -> bytes:
    """Create the secret; of two processes, the first wins."""
    path = secret_path(home)
    temporary = _temporary(path)
    with contextlib.suppress(DailyMemoryError, OSError):
        files.make_folder(os.path.dirname(path))
        files.overwrite(temporary, os.urandom(_SECRET_BYTES))
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            os.rename(temporary, path)
        finally:
            files.remove(temporary)
    return _load_secret(home)


class SignedModes(Modes):
    """Writes files and folders of a user; `LOCAL` folders get a signature."""

    def __init__(self, home: str, *, shared: bool = False) -> None:
        super().__init__(shared=shared)
        self.home = home

    def make_folder(self, path: str) -> None:
        above = os.path.basename(os.path.dirname(path))
        if os.path.basename(path) in LOCAL and above == os.path.basename(MEMORIES):
            make(path, self)
        else:
            super().make_folder(path)


def make(path: str, modes: Modes) -> None:
    """Create a folder and its signature atomically."""
    temporary = _temporary(path)
    try:
        os.mkdir(temporary, modes.folder)
        os.chmod(temporary, modes.folder)
        _furnish(temporary, signature(modes.home, os.path.basename(path)), modes)
        os.rename(temporary, path)
    except OSError:
        if not os.path.isdir(path):
            raise
    finally:
        if os.path.isdir(temporary):
            remove_leftover(temporary)


def _temporary(path: str) -> str:
    """Return a unique name beside a path; threads share their process id."""
    return f"{path}.{os.urandom(4).hex()}.tmp-{os.getpid()}"


def remove_leftover(folder: str) -> None:
    import shutil  # hardly ever

    shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(root_folder: str) -> None:
    """Remove half-made folders of killed processes."""
    with contextlib.suppress(OSError), os.scandir(root_folder) as entries:
        for entry in entries:
            is_ours = files.is_leftover(entry.name) and entry.name.partition(".")[0] in LOCAL
            modified = entry.stat(follow_symlinks=False).st_mtime if is_ours else time.time()
            if modified + _LEFT_OVER_S < time.time() and entry.is_dir(follow_symlinks=False):
                remove_leftover(entry.path)


def _furnish(folder: str, signed: bytes, modes: Modes) -> None:
    """Sign a folder, and keep it out of git."""
    path = os.path.join(folder, _IGNORE)
    if files.find_bytes(path) != _IGNORE_ALL:
        files.replace(path, _IGNORE_ALL, modes)
    if signed:
        path = os.path.join(folder, NAME)
        lines = (files.find_bytes(path) or b"").splitlines(keepends=True)[-_MOST_SIGNATURES:]
        files.replace(path, b"".join(dict.fromkeys((*lines, signed))), modes)


def settle(root: Root) -> tuple[Root, tuple[Problem, ...]]:
    """Move aside files that are not the user's; return the root, and a remark on them.

    If git can't say what it tracks, or nothing can be moved, as on a read-only disk, the returned
    root has no such folders.
    """
    names = [name for name in LOCAL if not _is_own(root, name)]
    try:
        names += [name for name in _tracked(root) if name.partition("/")[0] not in names]
        if not names:
            return root, ()
        folder = _move_aside(root, names)
    except (OSError, DailyMemoryError):
        return root._replace(is_foreign=True), ()
    for name in LOCAL:
        if os.path.isdir(os.path.join(root.path, name)):
            _sign(root, name)  # what keeps it out of git may have been git's own
    return root, (_remark(folder),) if folder else ()


def _is_own(root: Root, name: str) -> bool:
    """Tell whether a folder is signed, missing, or without anything that is read."""
    path = os.path.join(root.path, name)
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return True
    if not stat.S_ISDIR(mode):
        return not stat.S_ISLNK(mode)  # in what is no folder nothing is found
    signed = signature(root.modes.home, name)
    try:
        found = files.read_raw(os.path.join(path, NAME))
    except DailyMemoryError:
        found = b""
    # Without a secret there is no signature; with several users there are several lines.
    if signed in found.splitlines(keepends=True) or found == signed:
        return True
    with contextlib.suppress(OSError):
        if set(os.listdir(path)) <= _PLACEHOLDERS:
            _sign(root, name)
            return True
    return False


def _sign(root: Root, name: str) -> None:
    path = os.path.join(root.path, name)
    if not os.path.islink(path):
        with contextlib.suppress(DailyMemoryError):
            _furnish(path, signature(root.modes.home, name), root.modes)


def _tracked(root: Root) -> list[str]:
    """Return the files in our folders that git tracks, by their names below the root.

    With them comes `daily` if it is a tracked link. Git's index is looked at if it changed since.
    """
    has_local = any(os.path.isdir(os.path.join(root.path, name)) for name in LOCAL)
    if not has_local and not os.path.islink(root.daily_folder):
        return []
    _, index = _repository(os.path.realpath(root.path))
    now = files.stamp(index) if os.path.isfile(index) else files.NO_STAMP
    if now == files.NO_STAMP:
        return []
    note, seen = root.in_index(_SEEN), f"{now}".encode()
    with contextlib.suppress(DailyMemoryError):
        if files.read_raw(note) == seen:
            return []
    listed = _listed(root.path, [*(f"{name}/" for name in LOCAL), f"{_DAYS}\0"])
    first = [(name, name.partition("/")[0].lower()) for name in listed]
    names = [name for name, top in first if top in LOCAL or name.lower() == _DAYS]
    names = sorted(name for name in names if _is_there(root, name))
    if not names and os.path.isdir(root.index_folder):
        with contextlib.suppress(DailyMemoryError):
            files.overwrite(note, seen, root.modes)
    return names


def _is_there(root: Root, name: str) -> bool:
    is_read = name.rpartition("/")[2] not in _PLACEHOLDERS - {_IGNORE}
    return is_read and os.path.lexists(os.path.join(root.path, name))


def _repository(folder: str) -> tuple[str, str]:
    """Return the top of the git repository around a folder, and its index; "" for none."""
    while True:
        own = os.path.join(folder, ".git")
        if os.path.isdir(own):
            return folder, os.path.join(own, "index")
        if os.path.isfile(own):  # of a worktree, or a submodule
            line = (files.find_bytes(own) or b"").decode("utf-8", "surrogateescape")
            named = line.partition("\n")[0].removeprefix("gitdir:").strip()
            return folder, os.path.join(folder, named, "index")
        above = os.path.dirname(folder)
        if above == folder:
            return "", ""
        folder = above


def is_tracked(path: str) -> bool:
    """Tell whether git tracks a link, or can't tell."""
    folder, name = os.path.split(path)
    try:
        listed = _listed(folder, [f"{name}\0"])
    except NotFoundError:
        return False  # there is no repository, or nothing was added to it yet
    except DailyMemoryError:
        return True
    return name.lower() in map(str.lower, listed)


def _listed(folder: str, names: Sequence[str]) -> list[str]:
    """Return the files below a folder that git tracks; none if its index has none of the names.

    Git runs only where the index has such bytes: it takes longer than a hook may. Version 4 of the
    index shortens names, and a split one has few. Case does not count: some file systems ignore it.
    """
    folder = os.path.realpath(folder)
    top, index = _repository(folder)
    data = files.read_raw(index)
    below = os.path.relpath(folder, top).replace(os.sep, "/")
    prefix = "" if below == "." else f"{below}/"
    if data[4:8] in (b"\0\0\0\2", b"\0\0\0\3") and b"link\0\0" not in data:
        lower = data.lower()
        if not any(os.fsencode(prefix + name).lower() in lower for name in names):
            return []
    from daily_memory.storage.git import history

    return history.tracked(folder)


def _move_aside(root: Root, names: list[str]) -> str:
    """Move folders or files aside; return where to, "" if they are gone."""
    number = 1
    while True:
        folder = os.path.join(root.path, f"{_ASIDE}{number}")
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, root.modes.folder)
            break
        number += 1
    moved = False
    for name in names:
        # Another process may have moved it, and created one of the user's.
        if name in LOCAL and _is_own(root, name):
            continue
        target = os.path.join(folder, *name.split("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.rename(root.at(name), target)
            moved = True
    if not moved:
        remove_leftover(folder)
        return ""
    files.overwrite(os.path.join(folder, _IGNORE), _IGNORE_ALL, root.modes)
    return folder


def moved_aside(root: Root) -> list[str]:
    """Return the folders of moved files, oldest first."""
    names = [name for name in files.list_names(root.path) if name.startswith(_ASIDE)]
    return [os.path.join(root.path, name) for name in sorted(names, key=len)]


def remarks(root: Root) -> list[Problem]:
    return [_remark(folder) for folder in moved_aside(root)]


def unseen_warning(root: Root) -> str:
    """Return a warning about moved files, in both languages, once."""
    from daily_memory.storage import shown_warnings  # once a conversation

    found = moved_aside(root)
    if not shown_warnings.is_new(root.modes.home, f"moved aside in {root.path}", "\n".join(found)):
        return ""
    return " ".join(
        f"{folder} 里是别处来的对话记录或索引，不会读取；是您自己的就运行 `memory doctor --adopt`，"
        f"否则删除该目录。 / {_remark(folder)}."
        for folder in found
    )


def _remark(folder: str) -> Problem:
    message = (
        "holds recordings or an index that you did not make on this machine; they are not read. "
        "If they are yours, `memory doctor --adopt` takes them over; else remove the folder"
    )
    return Problem(folder, 0, message)


_OURS = (".lock", _IGNORE, _SEEN, "appending", "clean.json", "reviewed.gz")


def adopt(root: Root) -> tuple[str, ...]:
    """Take back moved files that do not exist here by now. Needs the lock."""
    from daily_memory.storage import import_origins  # hardly ever

    told = []
    for folder in moved_aside(root):
        paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
        names = sorted(os.path.relpath(path, folder) for path in paths)
        # What is made of them is not the user's own words for that.
        import_origins.note(
            root, (one for one in names if not os.path.lexists(os.path.join(root.path, one)))
        )
        for name in names:
            _adopt(root, os.path.join(folder, name), name)
        for at, _, _ in os.walk(folder, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(at)
        left = " in part: the rest is here under the same names" if os.path.isdir(folder) else ""
        told.append(filled("{} was accepted{}", os.path.basename(folder), left))
    return tuple(told)


def _adopt(root: Root, path: str, name: str) -> None:
    target, own = os.path.join(root.path, name), os.path.basename(name)
    is_index = name.startswith("index")
    if own == NAME:
        # Who signed it before finds it to be theirs, as outside of a container.
        there = files.find_bytes(target) or b""
        files.make_folder(os.path.dirname(target), root.modes)
        files.replace(target, files.read_bytes(path) + there, root.modes)
        _sign(root, os.path.dirname(name))
        files.remove(path)
    elif own in _OURS or (is_index and (".sqlite3" in own or own.startswith("keywords"))):
        files.remove(path)
    elif not os.path.isfile(path) or os.path.islink(path):
        return
    elif not os.path.lexists(target):
        files.make_folder(os.path.dirname(target), root.modes)
        with files.translated(path, "rename"):
            os.rename(path, target)
    elif is_index and own.endswith(".jsonl"):
        files.replace(target, files.read_bytes(path) + files.read_bytes(target), root.modes)
        files.remove(path)
