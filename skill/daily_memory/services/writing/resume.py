"""Continue a conversation whose section was archived.

The section returns to its day before it is rewritten, so that it is never in both.
"""

from __future__ import annotations

import contextlib

from daily_memory.core.format import markdown
from daily_memory.core.format.section_text import text_digest
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section
from daily_memory.storage import archive_files, archive_moves, days
from daily_memory.storage.roots import Root


def find_section(root: Root, conversation: str) -> Section | None:
    """Return the last archived section of a conversation, None if there is none."""
    needle = markdown.format_fact(conversation).encode("utf-8", "replace")
    for listed in reversed(archive_files.list_days(root)):
        with contextlib.suppress(DailyMemoryError):  # `doctor` reports it
            # Parsing takes ten times as long as unpacking.
            if needle in (archive_files.find_data(root, listed.day) or b""):
                for section in reversed(archive_files.load_day(root, listed.day).sections):
                    if section.session.conversation == conversation:
                        return section
    return None


def bring_back(root: Root, section: Section) -> Section:
    """Return a section in its day, moved there if it was archived. Call it with the lock held.

    An archived section that a person edited stays in the archive.
    """
    day = section.session.date
    if section in days.load_day(root, day).sections or not _is_untouched(root, section):
        return section
    archive_moves.restore_sections(root, day, lambda session: session.id == section.session.id)
    wanted = section.session._replace(copy=1)
    present = days.load_day(root, day).sections
    return next((one for one in present if one.session._replace(copy=1) == wanted), section)


def _is_untouched(root: Root, section: Section) -> bool:
    """Tell whether an archived section is as we wrote it."""
    data = archive_files.find_data(root, section.session.date) or b""
    text = days.decode(days.cut(data, section.span))
    return section.session.digest == text_digest(text)
