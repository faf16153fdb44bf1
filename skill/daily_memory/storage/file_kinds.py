"""The kind of a memory's file, by its path below the root, with slashes."""

from __future__ import annotations

import re
from datetime import date

from daily_memory.storage import days

SUMMARY = "summary.md"
CONFIG = "config.json"
_DAILY = re.compile(r"daily/([^/]+\.md)\Z")
_OBSERVED = re.compile(r"observations/[0-9]{4}-[0-9]{2}-[0-9]{2}/[^/]+\.jsonl\Z")
_ARCHIVED = re.compile(r"archive/[^/]")
_ARCHIVED_DAY = re.compile(r"archive/([0-9]{4})/(\1-[0-9]{2}-[0-9]{2}\.md)\.gz\Z")
_ARCHIVED_OBSERVED = re.compile(
    r"archive/([0-9]{4})/(observations/\1-[0-9]{2}-[0-9]{2}/[^/]+\.jsonl)\.gz\Z"
)
_OF_OBSERVATIONS = re.compile(r"(?:archive/[0-9]{4}/)?observations/")
_PACKED = ".gz"


def day_of(name: str) -> date | None:
    """Return the day of a day file; None for any other.

    >>> day_of("daily/2026-01-29.md"), day_of("notes/2026-01-29.md")
    (datetime.date(2026, 1, 29), None)
    """
    found = _DAILY.match(name)
    return days.day_of(found.group(1)) if found else None


def archived_day(name: str) -> date | None:
    """Return the day of an archived day file; None for any other.

    >>> archived_day("archive/2026/2026-01-29.md.gz")
    datetime.date(2026, 1, 29)
    """
    found = _ARCHIVED_DAY.match(name)
    return days.day_of(found.group(2)) if found else None


def holds_sections(name: str) -> bool:
    return bool(day_of(name) or archived_day(name))


def is_observed(name: str) -> bool:
    """Tell whether it is the file of a live session."""
    return bool(_OBSERVED.match(name))


def archived_observed(name: str) -> str | None:
    """Return where an archived live session was before; None for any other file.

    >>> archived_observed("archive/2026/observations/2026-01-29/c.jsonl.gz")
    'observations/2026-01-29/c.jsonl'
    """
    found = _ARCHIVED_OBSERVED.match(name)
    return found.group(2) if found else None


def is_of_observations(name: str) -> bool:
    """Tell whether it belongs to the observations, live or archived."""
    return bool(_OF_OBSERVATIONS.match(name))


def is_archived(name: str) -> bool:
    return bool(_ARCHIVED.match(name))


def is_packed(name: str) -> bool:
    return name.endswith(_PACKED) and is_archived(name)


def is_of_memory(name: str) -> bool:
    """Tell whether it is part of the memory, and not derived from it."""
    is_found = bool(day_of(name)) or is_observed(name) or is_archived(name)
    return is_found or name in (SUMMARY, CONFIG)
