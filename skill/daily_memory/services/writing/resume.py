"""Conversations that go on, or come again, after their sections were archived.

Such a section comes back into its day before it is written anew, so that a conversation never
stands in both. Killed in between, it is in its day as it was.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator

from daily_memory.core.format import markdown
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section
from daily_memory.services.writing import save
from daily_memory.storage import archive_files, days
from daily_memory.storage.roots import Root


def find_section(root: Root, conversation: str) -> Section | None:
    """Return the last archived section of a conversation, None where there is none."""
    needle = markdown.format_fact(conversation).encode("utf-8", "replace")
    for one in reversed(archive_files.list_days(root)):
        with contextlib.suppress(DailyMemoryError):  # `doctor` tells of it
            # To parse what has it not takes ten times as long as to unpack it.
            if needle in (archive_files.find_data(root, one.day) or b""):
                for section in reversed(archive_files.load_day(root, one.day).sections):
                    if section.session.conversation == conversation:
                        return section
    return None


def each_section(root: Root, conversations: Collection[str]) -> Iterator[Section]:
    """Yield the archived sections of these conversations, oldest first."""
    for day in archive_files.each_day(root):
        for section in day.sections:
            if section.session.conversation in conversations:
                yield section


def is_untouched(root: Root, section: Section) -> bool:
    """Tell whether an archived section still is as we wrote it."""
    data = archive_files.find_data(root, section.session.date) or b""
    text = days.decode(days.cut(data, section.span))
    return section.session.digest == save.text_digest(text)


def at_hand(root: Root, section: Section) -> Section:
    """Return a section as it stands in its day, brought back where it was archived.

    An archived one that a person edited stays in the archive. Call it with the lock held.
    """
    present = days.load_day(root, section.session.date).sections
    if section in present or not is_untouched(root, section):
        return section
    from daily_memory.services.upkeep import archive  # hardly ever: a save only looks for it

    archive.bring_back(root, section.session)
    present = days.load_day(root, section.session.date).sections
    return next((one for one in present if _is_same(one, section)), section)


def _is_same(one: Section, other: Section) -> bool:
    return one.session._replace(copy=1) == other.session._replace(copy=1)
