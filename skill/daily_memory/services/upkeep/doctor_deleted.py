"""Deleted sections that stand somewhere all the same, brought back by hand or by git."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from daily_memory.core.format.session_json import parse_id
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Problem
from daily_memory.services.writing import save
from daily_memory.storage import archive_files, days, deleted
from daily_memory.storage.deleted import Deleted
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

_MESSAGE = (
    "{0} was deleted here, and came back in the archive; to delete it there too, bring it into its"
    " day first: `memory restore {0}`"
)


def is_back(root: Root, one: Deleted) -> bool:
    """Tell whether just what was deleted stands in its day or in the archive, under its number.

    Raises:
        DailyMemoryError: its id is none, or a file can't be read.
    """
    day = parse_id(one.id).date
    return _is_in(_present(root, day), one) or _is_in(_archived(root, day), one)


def remarks(root: Root) -> list[Problem]:
    """Return a problem for each deleted section that is in the archive.

    One branch deleted it, and another one archived its day: git takes the archive, which it did not
    have before, and nobody is asked.
    """
    try:
        noted = [one for one in deleted.load(root) if one.digests]
    except DailyMemoryError as error:
        return [Problem(deleted.deleted_path(root), 0, error.message)]
    by_day: dict[str, list[Deleted]] = {}
    for one in noted:
        by_day.setdefault(one.id.partition("#")[0], []).append(one)
    problems = []
    for stored in archive_files.list_days(root):
        several = by_day.get(stored.day.isoformat(), [])
        try:
            packed = _archived(root, stored.day) if several else {}
            present = _present(root, stored.day) if several else {}
        except DailyMemoryError:
            continue  # what can't be read is told of as such
        for one in several:
            if _is_in(packed, one) and not _is_in(present, one):
                problems.append(Problem(stored.path, 0, _MESSAGE.format(one.id)))
    return problems


def _present(root: Root, day: date) -> Mapping[str, str]:
    return _digests(files.find_bytes(days.day_path(root, day)) or b"", day)


def _archived(root: Root, day: date) -> Mapping[str, str]:
    return _digests(archive_files.find_data(root, day) or b"", day)


def _digests(data: bytes, day: date) -> Mapping[str, str]:
    """Return by what the text of each section of a day is known, by its id."""
    return {
        str(section.session.id): save.text_digest(days.decode(days.cut(data, section.span)))
        for section in days.parse_bytes(data, day, "").sections
    }


def _is_in(digests: Mapping[str, str], one: Deleted) -> bool:
    return digests.get(one.id) in one.digests
