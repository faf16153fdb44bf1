"""Moves sections and live sessions between the day files and the archive. All need the lock.

A section is written to its new place before it leaves the old one. After a crash it may be in
both: readers show it once, and the next move removes one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Set
from datetime import date
from functools import partial

from daily_memory.core.format import exact, markdown, move_sections
from daily_memory.errors import ConflictError, DailyMemoryError
from daily_memory.model import Section, Session, SessionId
from daily_memory.storage import archive_files, days
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import NO_STAMP
from daily_memory.storage.roots import Root
from daily_memory.text import filled

_ATTEMPTS = 5


def archive_sections(root: Root, day: date, is_moved: Callable[[Session], bool]) -> list[str]:
    """Move sections of a day into the archive; return their ids."""
    path = days.day_path(root, day)
    for _ in range(_ATTEMPTS):
        stamp = files.stamp(path)
        data = files.find_bytes(path) or b""
        sections, places = _chosen(data, day, path, is_moved)
        if places:
            moved = _moved(data, archive_files.find_data(root, day), places, wins=True)
            archive_files.store(root, day, exact.to_bytes(moved.target))
            try:
                _put(root, path, moved.source, stamp)
            except ConflictError:
                continue  # somebody saved the day meanwhile: their text goes before ours
        return [str(sections[place].session.id) for place in places]
    raise ConflictError("it kept changing", hint="run the command again")


def restore_sections(root: Root, day: date, is_moved: Callable[[Session], bool]) -> None:
    """Move sections of a day back from the archive."""
    packed = archive_files.day_path(root, day)
    path = days.day_path(root, day)
    for _ in range(_ATTEMPTS):
        data = archive_files.find_data(root, day) or b""
        _, places = _chosen(data, day, packed, is_moved)
        if not places:
            return
        stamp = files.stamp(path)
        moved = _moved(data, files.find_bytes(path), places, wins=False)
        try:
            _put(root, path, moved.target, stamp)
        except ConflictError:
            continue  # as above
        if moved.source is None:
            archive_files.remove(root, packed)
        else:
            archive_files.store(root, day, exact.to_bytes(moved.source))
        return
    raise ConflictError("{} kept changing", day, hint="run the command again")


def settle(root: Root) -> list[str]:
    """Remove from the archive what the day file has too; return what was done."""
    mended = []
    for listed in archive_files.list_days(root):
        try:
            data = archive_files.find_data(root, listed.day) or b""
            shown = {
                section.session.id for section in archive_files.load_day(root, listed.day).sections
            }
            sections = days.parse_bytes(data, listed.day, listed.path).sections
            doubled = {section.session.id for section in sections} - shown
            if doubled:
                restore_sections(root, listed.day, partial(_is_among, doubled))
                mended += [
                    filled("{} was in the archive as well as in its day", id_)
                    for id_ in sorted(doubled)
                ]
        except DailyMemoryError:
            continue  # the report names it
    return mended


def is_bare(data: bytes, day: date) -> bool:
    """Tell whether a day file has only the title that we wrote."""
    titles = [f"# {day.isoformat()} {title}" for title in markdown.TITLES.values()]
    return exact.to_text(data).removeprefix("\ufeff").strip() in ("", *titles)


def remove_bare(root: Root, day: date) -> None:
    """Remove a day file that has only the title that we wrote."""
    path = days.day_path(root, day)
    stamp = files.stamp(path)
    data = files.find_bytes(path)
    if data and is_bare(data, day):
        _put(root, path, None, stamp)


def archive_observations(root: Root, path: str) -> None:
    stamp = files.stamp(path)
    archive_files.store_observed(root, path)
    files.check_unchanged(path, stamp)  # a hook may write at any moment
    files.remove(path)
    if not os.listdir(os.path.dirname(path)):
        os.rmdir(os.path.dirname(path))


def restore_observations(root: Root, packed: str, path: str) -> list[str]:
    """Move the file of a live session back; return a warning if it stays in the archive."""
    data = archive_files.load_observed(packed)
    present = files.find_bytes(path)
    if present is not None and present != data:
        return [
            filled("{!r} is a different session now: the archived one stays in the archive", path)
        ]
    if present is None:
        files.make_folder(os.path.dirname(path), root.modes)
        files.replace(path, data, root.modes, expected=NO_STAMP, folder=root.index_folder)
    archive_files.remove(root, packed)
    return []


def _is_among(ids: Set[SessionId], session: Session) -> bool:
    return session.id in ids


def _chosen(
    data: bytes, day: date, path: str, is_moved: Callable[[Session], bool]
) -> tuple[tuple[Section, ...], list[int]]:
    sections = days.parse_bytes(data, day, path).sections
    return sections, [place for place, section in enumerate(sections) if is_moved(section.session)]


def _moved(
    source: bytes, target: bytes | None, places: Collection[int], *, wins: bool
) -> move_sections.MovedSections:
    theirs = None if target is None else exact.to_text(target)
    moved = move_sections.move(exact.to_text(source), theirs, places, wins=wins)
    if moved is None:
        message = "a section in it can't be told apart from what is around it"
        raise ConflictError(message, hint="close each code fence in it")
    return moved


def _put(root: Root, path: str, text: str | None, stamp: files.Stamp) -> None:
    """Replace a file if its stamp is unchanged; without a text, remove it."""
    if text is None:
        files.check_unchanged(path, stamp)
        files.remove(path)
    else:
        files.make_folder(os.path.dirname(path), root.modes)
        files.replace(path, exact.to_bytes(text), root.modes, expected=stamp)
