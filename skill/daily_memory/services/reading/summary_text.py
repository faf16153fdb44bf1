"""The text of `summary.md` as conversations and people are shown it."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Sequence
from datetime import date

from daily_memory.core.context import ContextItem
from daily_memory.core.review import summary_region
from daily_memory.errors import BackendError, DailyMemoryError, DamagedDataError, InvalidInputError
from daily_memory.model import Section, Session
from daily_memory.storage import days, start_summary
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# The id of the summary in a context block.
SUMMARY = "summary"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def summaries(roots: Sequence[Root]) -> list[dict[str, str | None]]:
    """Return the text of each root's `summary.md`, if any; `origin` is who else wrote it."""
    items = [(root, summary(root)[0]) for root in roots]
    return [
        {
            "scope": root.scope,
            "project": root.project,
            "origin": item.origin or None,
            "text": "\n".join(item.lines),
        }
        for root, item in items
        if item.lines
    ]


def summary(
    root: Root, is_own: Callable[[Session], bool] = lambda _: False
) -> tuple[ContextItem, str]:
    """Return the summary of a root without comments and title, and a warning or "".

    Lines that only come from the asking conversation's own sessions are left out.
    """
    title = f"summary ({root.scope})"
    item = ContextItem(id=root.scoped(SUMMARY), project=root.project, title=title)
    try:
        data = files.find_bytes(os.path.join(root.path, "summary.md")) or b""
    except (BackendError, DamagedDataError) as error:
        return item, filled("the summary was not used: {}", error.message)
    text = data.decode("utf-8", "replace")
    text, by_hand = with_start_summary(root, text)
    if summary_region.MARK in text:
        text = without_gone(root, text, is_own)
    lines = content_lines(text)
    if not lines:
        return item, ""
    from daily_memory.storage.git import authors  # only if there is a summary

    # Whole lines as git has them, which may begin with a comment.
    telling = [line for line in by_hand.split("\n") if content_lines(line)]
    # Our part is not from git, and a mere template has no author.
    origin = authors.of_summary(root, telling) if content_lines(by_hand) else ""
    return item._replace(lines=lines, origin=origin), ""


def with_start_summary(root: Root, text: str) -> tuple[str, str]:
    """Return the text of `summary.md` with our part up to date, and the text without our part."""
    noted = start_summary.find(root)
    if noted is None:
        return text, text
    try:
        return summary_region.put(text, list(noted.lines)), summary_region.put(text, [])
    except InvalidInputError:
        return text, text  # `memory doctor` and `memory summarize` report what is wrong


def content_lines(text: str) -> tuple[str, ...]:
    """Return the lines of `summary.md` without comments, titles and empty lines."""
    lines = _COMMENT.sub("", text).split("\n")
    return tuple(line.rstrip() for line in lines if line.strip() and line[:2] != "# ")


def without_gone(root: Root, text: str, is_own: Callable[[Session], bool] = lambda _: False) -> str:
    """Return the text of `summary.md` without our lines whose sources are all gone or own."""
    return summary_region.without_missing(text, lambda ids: _present(root, ids, is_own))


def _present(root: Root, ids: set[str], is_own: Callable[[Session], bool]) -> set[str]:
    present = _current_of(ids, lambda day: days.load_day(root, day).all_sections, is_own)
    if present == ids or not os.path.isdir(root.archive_folder):
        return present
    from daily_memory.storage import archive_files  # rarely needed

    return present | _current_of(
        ids - present, lambda day: archive_files.load_day(root, day).all_sections, is_own
    )


def _current_of(
    ids: set[str],
    sections_of: Callable[[date], Sequence[Section]],
    is_own: Callable[[Session], bool],
) -> set[str]:
    """Return the ids whose sections exist and are neither private, outdated nor own."""
    present: set[str] = set()
    for name in {id_.partition("#")[0] for id_ in ids}:
        day = days.day_of(f"{name}.md")
        with contextlib.suppress(DailyMemoryError):
            present |= {
                str(section.session.id)
                for section in (sections_of(day) if day else ())
                if not section.session.is_private and not section.session.is_outdated
                if not is_own(section.session)
            }
    return present & ids
