"""Read and rewrite `summary.md`, which people may edit at the same time.

Separate from `upkeep/summary`, which is slow to import: a deletion needs only this.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from daily_memory.core.review import summary_region
from daily_memory.errors import InvalidInputError
from daily_memory.services.reading import summary_text
from daily_memory.storage import days, review_cache, start_summary
from daily_memory.storage.fs import files, replace
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root


def drop_gone(root: Root) -> bool:
    """Remove lines of our part whose sources are gone; tell whether there were any."""
    review_cache.forget(root)
    _drop_start_lines(root)
    if not has_part(root):
        return False
    with locked(root):
        return rewrite(root, lambda text: summary_text.without_gone(root, text))


def _drop_start_lines(root: Root) -> None:
    """Remove from `index/standing.json` what its sources don't say any more, word for word."""
    noted = start_summary.find(root)
    if not noted or not noted.lines:
        return
    kept = summary_text.without_gone(root, summary_region.put("", list(noted.lines))).split("\n")[
        1:-2
    ]
    lines = tuple(line for line in kept if _is_said(root, line))
    if lines != noted.lines:
        start_summary.save(root, noted._replace(lines=lines))


def _is_said(root: Root, line: str) -> bool:
    ids = summary_region.sources(line)
    text = line.removeprefix("- ").rpartition(" (")[0].removesuffix("…")
    named = (days.day_of(f"{id_.partition('#')[0]}.md") for id_ in ids)
    texts = [days.load_data(root, day) for day in named if day]
    # Archived days are not checked: nothing in them changes.
    return not ids or any(text.encode() in data or not data for data in texts)


def has_part(root: Root) -> bool:
    return summary_region.MARK.encode() in (files.find_bytes(path_of(root)) or b"")


def path_of(root: Root) -> str:
    return os.path.join(root.path, "summary.md")


def load(root: Root) -> str:
    """Return the text of the file, "" if there is none."""
    return _decoded(files.find_bytes(path_of(root)) or b"")


def rewrite(root: Root, changed: Callable[[str], str]) -> bool:
    """Replace the text by `changed(text)`; tell whether it differs. Call it with the lock held."""
    return replace.rewrite(path_of(root), lambda data: changed(_decoded(data)).encode(), root.modes)


def _decoded(data: bytes) -> str:
    try:
        return data.decode()  # a BOM stays: people wrote it
    except UnicodeDecodeError as error:
        raise InvalidInputError("{} is not UTF-8", "summary.md", hint="save it as UTF-8") from error
