"""`summary.md` as a file: read, rewritten while people edit it, and rid of what is gone.

Apart from what makes our part of it: whoever deletes a session must not pay for that.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from daily_memory.core.review import summary_region
from daily_memory.errors import ConflictError, InvalidInputError
from daily_memory.services.reading import inject
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root

# How often it is tried again when an editor saves the file at the same moment.
_ATTEMPTS = 5


def drop_gone(root: Root) -> bool:
    """Take the lines out of our part whose sources are gone; tell whether there were any.

    Raises:
        ConflictError: the file kept changing, or the lock was busy.
    """
    if not has_part(root):
        return False
    with locked(root):
        return rewrite(root, lambda text: inject.without_gone(root, text))


def has_part(root: Root) -> bool:
    """Tell whether there is a part of ours in `summary.md`."""
    return summary_region.MARK.encode() in (files.find_bytes(path_of(root)) or b"")


def path_of(root: Root) -> str:
    """Return where the summary of a root is, or would be."""
    return os.path.join(root.path, "summary.md")


def load(root: Root) -> str:
    """Return the text of the file, "" where there is none.

    Raises:
        InvalidInputError: it is not UTF-8.
    """
    return _decoded(files.find_bytes(path_of(root)) or b"")


def rewrite(root: Root, written: Callable[[str], str]) -> bool:
    """Put what `written` makes of the file in its place; tell whether that is another one.

    Call it with the lock held.

    Raises:
        InvalidInputError: the file is not UTF-8.
        ConflictError: the file kept changing.
    """
    path = path_of(root)
    for _ in range(_ATTEMPTS):
        expected = files.stamp(path)
        data = files.find_bytes(path) or b""
        made = written(_decoded(data)).encode()
        if made == data:
            return False
        try:
            files.replace(path, made, root.modes, expected=expected)
            return True
        except ConflictError:
            continue  # somebody saved the file meanwhile: it is read again
    raise ConflictError("summary.md changed while it was written", hint="run the command again")


def _decoded(data: bytes) -> str:
    try:
        return data.decode()  # with its BOM: what people wrote stays byte for byte
    except UnicodeDecodeError as error:
        raise InvalidInputError("summary.md is not UTF-8", hint="save it as UTF-8") from error
