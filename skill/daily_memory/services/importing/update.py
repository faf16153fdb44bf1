"""What an import brings up to date: sections whose source went on, each with its undo."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable

from daily_memory.core.format import section_text
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Section, Session
from daily_memory.services.changing.replace import Imported
from daily_memory.services.importing import sessions
from daily_memory.services.writing import resume, save
from daily_memory.services.writing.redaction_policy import policy
from daily_memory.storage import day_sections, days
from daily_memory.storage.day_sections import Written
from daily_memory.storage.roots import Root


def sections_of(root: Root, conversations: Collection[str]) -> dict[str, list[Section]]:
    """Return the sections of each of these conversations, archived ones first, then by day."""
    found: dict[str, list[Section]] = {}
    if conversations:
        present = (section for day in days.each_day(root) for section in day.sections)
        for section in (*resume.each_section(root, conversations), *present):
            if section.session.conversation in conversations:
                found.setdefault(section.session.conversation, []).append(section)
    return found


def write_all(
    root: Root,
    changed: Iterable[tuple[Section, Session]],
    new: Iterable[Session],
    settings: Settings,
    undo: contextlib.ExitStack,
) -> tuple[list[Written], list[Written], Imported]:
    """Write what changed and what is new, all or none; return both as they were written, and how.

    A section that a person edited stays, and what it became comes behind it; an archived one comes
    back into its day. Call it with the lock held. `undo` takes back what was rewritten, where
    something else fails afterwards.
    """
    pairs = [
        (resume.bring_back(root, section), save.as_private(section.session, session))
        for section, session in changed
    ]
    in_place = [pair for pair in pairs if save.is_untouched(root, pair[0])]
    behind = [
        session._replace(continues=str(section.session.id))
        for section, session in pairs
        if not save.is_untouched(root, section)
    ]
    # Before what is appended: that can be taken back only while nobody wrote to its day since.
    texts = [save.text_of(root, section) for section, _ in in_place]
    renewed = [_rewritten(root, *pair, settings, undo) for pair in in_place]
    before = [(one.session, text) for one, text in zip(renewed, texts, strict=True)]
    added = sessions.add_all(
        root,
        sorted([*behind, *new], key=lambda one: (one.date, one.time)),
        policy(settings),
        settings.recording.language,
        section_text.format_signed,
    )
    done = Imported([written.session for written in added], renewed=before)
    went_on = {(one.conversation, one.continues) for one in behind}
    for written in added:
        if (written.session.conversation, written.session.continues) in went_on:
            renewed.append(written)
    return renewed, [written for written in added if written not in renewed], done


def _rewritten(
    root: Root,
    section: Section,
    session: Session,
    settings: Settings,
    undo: contextlib.ExitStack,
) -> Written:
    # Noted first: a write that fails at its end may have been done.
    undo.callback(_put_back, root, section, save.text_of(root, section))
    return save.rewrite(root, section, session, settings.recording.language)


def _put_back(root: Root, section: Section, text: str) -> None:
    """Give a section its text again, where what stands there is ours."""
    with contextlib.suppress(DailyMemoryError):  # what stays is whole: import it again
        for one in days.load_day(root, section.session.date).sections:
            is_ours = one.session.id == section.session.id and save.is_untouched(root, one)
            if is_ours and save.text_of(root, one) != text:
                day_sections.rewrite_section(root, one, lambda *_: text.replace("\r\n", "\n"))
