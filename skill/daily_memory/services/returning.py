"""Deleted sections that stand somewhere all the same, brought back by hand or by git."""

from __future__ import annotations

from daily_memory.core.format.session_json import parse_id
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Problem, SessionId
from daily_memory.services import recording
from daily_memory.storage import archive, days, deleted, files
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.roots import Root


def is_back(root: Root, one: Deleted) -> bool:
    """Tell whether just what was deleted stands in its day or in the archive, under its number.

    Raises:
        DailyMemoryError: its id is none, or a file can't be read.
    """
    wanted = parse_id(one.id)
    return _says(root, wanted, one) or _is_archived(root, wanted, one)


def remarks(root: Root) -> list[Problem]:
    """Return a problem for each deleted section that is in the archive.

    One branch deleted it, and another one archived its day: git takes the archive, which it did not
    have before, and nobody is asked.
    """
    problems = []
    try:
        noted = [one for one in deleted.load(root) if one.digests]
    except DailyMemoryError as error:
        return [Problem(deleted.deleted_path(root), 0, error.message)]
    for one in noted:
        try:
            wanted = parse_id(one.id)
            if _is_archived(root, wanted, one) and not _says(root, wanted, one):
                path = archive.day_path(root, wanted.date)
                problems.append(Problem(path, 0, _MESSAGE.format(one.id)))
        except DailyMemoryError:
            continue  # a file that can't be read is told of as such
    return problems


_MESSAGE = (
    "{0} was deleted here, and came back in the archive; to delete it there too, bring it into its"
    " day first: `memory restore {0}`"
)


def _says(root: Root, wanted: SessionId, one: Deleted) -> bool:
    data = files.find_bytes(days.day_path(root, wanted.date)) or b""
    return _has(data, wanted, one)


def _is_archived(root: Root, wanted: SessionId, one: Deleted) -> bool:
    return _has(archive.find_data(root, wanted.date) or b"", wanted, one)


def _has(data: bytes, wanted: SessionId, one: Deleted) -> bool:
    for section in days.parse_bytes(data, wanted.date, "").sections:
        if section.session.id == wanted:
            text = days.decode(days.cut(data, section.span))
            return recording.text_digest(text) in one.digests
    return False
