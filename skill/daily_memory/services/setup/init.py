"""Create a memories folder from the template, and keep it out of git."""

from __future__ import annotations

import os

from daily_memory.errors import NotFoundError
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_NAME = "memories_template"
_IGNORE = ".gitignore"
# For a new memory: the next `git add -A` must not take conversations.
_IGNORE_ALL = b"""\
# Memories stay out of git. `memory init --git` lets git have the day files.
*
"""


def template_folder() -> str:
    return packaged(_NAME)


def packaged(name: str) -> str:
    """Return the path of a file that comes with the program, in the wheel or in a checkout."""
    for folder in (PACKAGE, os.path.dirname(os.path.dirname(PACKAGE))):
        if os.path.exists(path := os.path.join(folder, name)):
            return path
    raise NotFoundError("{!r} is missing", name, hint="install daily-memory again")


def copy_example(project: str) -> None:
    import shutil  # slow to load, and a save does without

    shutil.copytree(packaged(os.path.join("examples", "bookshop")), project)


def ignore_derived(root: Root) -> None:
    """Keep a new memory out of git; for one that has days already, only derived files."""
    path = os.path.join(root.path, _IGNORE)
    if not os.path.lexists(path):
        files.make_folder(root.path, root.modes)
        is_new = not os.path.isdir(root.daily_folder)
        files.replace(path, _IGNORE_ALL if is_new else _template_ignore(), root.modes)


def open_to_git(root: Root) -> bool:
    """Stop keeping a memory out of git; return whether it was."""
    path = os.path.join(root.path, _IGNORE)
    if files.find_bytes(path) != _IGNORE_ALL:
        return False
    files.replace(path, _template_ignore(), root.modes)
    return True


def _template_ignore() -> bytes:
    return files.read_bytes(os.path.join(template_folder(), _IGNORE))


def init(root: Root) -> tuple[str, ...]:
    """Copy the missing files of a root, and return them."""
    template = template_folder()
    made = []
    if not os.path.lexists(os.path.join(root.path, _IGNORE)):
        ignore_derived(root)
        made.append(os.path.join(root.path, _IGNORE))
    for folder, _, names in sorted(os.walk(template)):
        below = os.path.relpath(folder, template)
        target = os.path.normpath(os.path.join(root.path, below))
        files.make_folder(target, root.modes)
        for name in sorted(names):
            path = os.path.join(target, name)
            if not os.path.lexists(path):
                files.replace(path, files.read_bytes(os.path.join(folder, name)), root.modes)
                made.append(path)
    files.make_folder(root.daily_folder, root.modes)
    files.make_folder(root.index_folder, root.modes)
    return tuple(sorted(made))
