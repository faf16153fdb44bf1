"""Making a root: what `memory init` copies from the template."""

from __future__ import annotations

import os

from daily_memory.errors import NotFoundError
from daily_memory.storage import files
from daily_memory.storage.roots import Root

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NAME = "memories_template"


def template_folder() -> str:
    """Return the folder with the template: in the wheel, or in a checkout.

    Raises:
        NotFoundError: it is in neither; the installation is not whole.
    """
    checkout = os.path.dirname(os.path.dirname(_PACKAGE))
    for folder in (os.path.join(_PACKAGE, _NAME), os.path.join(checkout, _NAME)):
        if os.path.isdir(folder):
            return folder
    raise NotFoundError(f"the folder {_NAME!r} is missing", hint="install daily-memory anew")


def ignore_derived(root: Root) -> None:
    """Keep what is derived out of git where nobody ran `memory init`."""
    path = os.path.join(root.path, ".gitignore")
    if not os.path.lexists(path):
        files.make_folder(root.path, root.modes)
        template = os.path.join(template_folder(), ".gitignore")
        files.replace(path, files.read_bytes(template), root.modes)


def init(root: Root) -> tuple[str, ...]:
    """Copy what a root lacks, and return those files; what is there is left as it is."""
    template = template_folder()
    made = []
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
    return tuple(made)
