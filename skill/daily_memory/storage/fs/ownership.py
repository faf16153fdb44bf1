"""Whose a folder is: no memory is in a folder that belongs to somebody else or is open to all.

This follows `safe.directory` of git: a folder of another user may hold text that was put there for
us to find, and what we write there, they read.
"""

from __future__ import annotations

import os

from daily_memory.storage.roots import MEMORIES, global_root

# A folder in which everybody may make files, and nobody remove those of others, such as /tmp.
_PUBLIC = 0o1002


def fault(folder: str, home: str) -> str:
    """Return why a folder can't be a project of the user with this home; "" if it can.

    Its memories folder must be the user's too. Windows has no such owners: there is no fault.
    """
    link = _brought_link(folder)
    if link and not is_safe(folder, home):
        return f"{link!r} is a link out of the project, and the repository brings it"
    own = getattr(os, "geteuid", lambda: -1)()
    for path in (folder, os.path.join(folder, ".cursor"), os.path.join(folder, MEMORIES)):
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return ""  # nothing is there that could be somebody's
        if own < 0:
            return ""
        if path == folder and status.st_mode & _PUBLIC == _PUBLIC:
            return f"everybody can write to {folder!r}"
        if status.st_uid != own and not is_safe(folder, home):
            return f"{path!r} belongs to {_name(status.st_uid)}, not to you"
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
    """Tell whether everybody may make files in a folder."""
    try:
        return hasattr(os, "geteuid") and bool(os.stat(folder).st_mode & 0o002)
    except OSError:
        return False


def hint(folder: str) -> str:
    """Return what helps where a folder can't be a project."""
    if is_open(folder):
        return "use a folder of your own in it"
    return f"""to trust it: memory config set --global storage.safe_folders '["{folder}"]'"""


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


def _name(number: int) -> str:
    try:
        import pwd  # only to tell of a fault

        return f"{pwd.getpwuid(number).pw_name!r}"
    except (ImportError, KeyError):
        return f"user {number}"
