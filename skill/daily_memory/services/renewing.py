"""What an import brings up to date: sections whose source went on, each with its undo."""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section, Session
from daily_memory.services import recording
from daily_memory.storage import days, files
from daily_memory.storage.days import Written
from daily_memory.storage.files import Appended
from daily_memory.storage.roots import Root


def sections_of(root: Root, conversations: Collection[str]) -> dict[str, list[Section]]:
    """Return the sections of each of these conversations, oldest first."""
    found: dict[str, list[Section]] = {}
    if conversations:
        for day in days.each_day(root):
            for section in day.sections:
                if section.session.conversation in conversations:
                    found.setdefault(section.session.conversation, []).append(section)
    return found


def renewed(
    root: Root,
    section: Section,
    session: Session,
    settings: Settings,
    undo: contextlib.ExitStack,
) -> Written:
    """Put a session in the place of a section, or behind it where a person edited that.

    `undo` is given what takes it back. Call it with the lock held.
    """
    language = settings.recording.language
    if recording.is_untouched(root, section):
        # Noted first: a write that fails at its end may have been done.
        undo.callback(_put_back, root, section, recording.section_text(root, section))
        return recording.rewrite(root, section, session, language)
    session = session._replace(continues=str(section.session.id))
    path = days.day_path(root, session.date)
    before, kept = files.stamp(path), files.kept_before(path, root.modes)
    written = days.append_session(root, session, language=language, formatted=recording.formatted)
    undo.callback(take_back, Appended(path, before, files.stamp(path), kept))
    return written


def take_back(appended: Appended) -> None:
    """Take back what was appended, as far as nobody wrote behind it."""
    with contextlib.suppress(DailyMemoryError):  # what stays is whole: import it again
        files.take_back(appended)


def _put_back(root: Root, section: Section, text: str) -> None:
    """Give a section its text again, where what stands there is ours."""
    with contextlib.suppress(DailyMemoryError):  # as above
        for one in days.load_day(root, section.session.date).sections:
            if one.session.id == section.session.id and recording.is_untouched(root, one):
                days.rewrite_section(root, one, lambda *_: text.replace("\r\n", "\n"))
