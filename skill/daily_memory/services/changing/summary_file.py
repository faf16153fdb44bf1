"""Reads and rewrites `summary.md`, which people may edit at the same time.

It is apart from `summary`, which takes long to import: a deletion needs only this.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from daily_memory.core.review import summary_region
from daily_memory.errors import InvalidInputError
from daily_memory.services.reading import inject
from daily_memory.storage.fs import files, replace
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root


def drop_gone(root: Root) -> bool:
    """Remove the lines of our part whose sources are gone; tell whether there were any."""
    if not has_part(root):
        return False
    with locked(root):
        return rewrite(root, lambda text: inject.without_gone(root, text))


def has_part(root: Root) -> bool:
    """Tell whether `summary.md` has our part."""
    return summary_region.MARK.encode() in (files.find_bytes(path_of(root)) or b"")


def path_of(root: Root) -> str:
    """Return the path of the summary of a root."""
    return os.path.join(root.path, "summary.md")


def load(root: Root) -> str:
    """Return the text of the file, "" if there is none."""
    return _decoded(files.find_bytes(path_of(root)) or b"")


def rewrite(root: Root, changed: Callable[[str], str]) -> bool:
    """Replace the text by `changed` of it, with the lock held; tell whether it differs."""
    return replace.rewrite(path_of(root), lambda data: changed(_decoded(data)).encode(), root.modes)


def _decoded(data: bytes) -> str:
    try:
        return data.decode()  # a BOM stays: people wrote it
    except UnicodeDecodeError as error:
        raise InvalidInputError("summary.md is not UTF-8", hint="save it as UTF-8") from error
