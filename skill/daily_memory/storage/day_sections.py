"""Adds, replaces and removes sections of day files. All need the lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from datetime import date

from daily_memory.core.format import markdown
from daily_memory.core.format.markdown import Day
from daily_memory.core.format.section_text import format_signed
from daily_memory.errors import ConflictError
from daily_memory.model import Section, Session
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days, journal
from daily_memory.storage.fs import append, files, replace
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# The parser reads no longer numbers.
_MOST_NUMBER = 999_999_999


class Written(NamedTuple):
    """A session as it was written: with its number, and its section's text."""

    session: Session
    text: str


# How the text of a section is made: `markdown.format_section`, or what adds something to it.
Format = Callable[..., str]


def append_session(
    root: Root, session: Session, *, language: str, formatted: Format = markdown.format_section
) -> Written:
    """Append a session to its day, durably, and return it with its number.

    It keeps a number that is free; otherwise it gets one above all that the day, the archive and
    the journal know.
    """
    return append_sessions(root, [session], language=language, formatted=formatted)[0]


def append_sessions(
    root: Root,
    sessions: list[Session],
    *,
    language: str,
    formatted: Format = markdown.format_section,
) -> list[Written]:
    """Append sessions of one day with one write; see `append_session`."""
    given = _given(root, sessions[0].date)
    addition = prepare(root, sessions, given, language=language, formatted=formatted)
    files.make_folder(root.daily_folder, root.modes)
    append.append(root, addition.path, addition.data)
    return addition.written


class Addition(NamedTuple):
    """Bytes to append to a day, and their sessions with numbers.

    It fits as long as the day has this stamp.
    """

    path: str
    stamp: Stamp
    data: bytes
    written: list[Written]


def prepare(
    root: Root, sessions: list[Session], given: int, *, language: str, formatted: Format
) -> Addition:
    """Return what appends sessions to their day; `given` is the day's highest number in the
    journal.
    """
    path = days.day_path(root, sessions[0].date)
    stamp = files.stamp(path)
    data = files.find_bytes(path) or b""
    outline = days.outline(data, sessions[0].date, path)
    day = outline.day
    taken = {cut.block.number for cut in outline.cuts if not cut.is_loose}
    written = [
        Written(
            session,
            formatted(
                session,
                language=language_for(day, language, [session]),
                open_fences=day.open_fences,
            ),
        )
        for session in numbered(sessions, taken | _archived(root, day.date), given)
    ]
    head = title(day.date, language_for(day, language, sessions)) if not data else ""
    text = head + "\n".join(text for _, text in written)
    return Addition(path, stamp, _joined(data, text), written)


def _given(root: Root, day: date) -> int:
    """Return the highest number that a day has in the journal and the archive."""
    given = journal.last_number(root, day)
    if not _is_archived(root, day):
        return given
    from daily_memory.storage import archive_files  # hardly ever

    return max(given, archive_files.last_number(root, day))


def _archived(root: Root, day: date) -> set[int]:
    """Return the numbers of a day's archived sections."""
    if not _is_archived(root, day):
        return set()
    from daily_memory.storage import archive_files  # hardly ever

    return {section.session.number for section in archive_files.load_day(root, day).sections}


def _is_archived(root: Root, day: date) -> bool:
    name = f"{day.isoformat()}.md.gz"
    return os.path.exists(os.path.join(root.archive_folder, f"{day.year:04}", name))


def language_for(day: Day, wanted: str, sessions: list[Session]) -> str:
    """Return the language of the headings: first what the day file uses."""
    if day.language in markdown.TITLES:
        return day.language
    return markdown.heading_language(wanted, sessions)


def numbered(sessions: list[Session], taken: Collection[int], given: int) -> list[Session]:
    """Return the sessions with free numbers of their day, those of their own where possible."""
    taken = set(taken)
    given = max(given, *(session.number for session in sessions), 0)
    result = []
    for session in sessions:
        is_free = session.number > 0 and session.number not in taken
        number = session.number if is_free else max(given, *taken, 0) + 1
        if number > _MOST_NUMBER:
            number = next(free for free in range(1, _MOST_NUMBER) if free not in taken)
        taken.add(number)
        result.append(session._replace(number=number, copy=1))
    return result


def title(day: date, language: str) -> str:
    return f"# {day.isoformat()} {markdown.TITLES[language]}\n\n"


def _joined(data: bytes, text: str) -> bytes:
    """Return the bytes to append, with an empty line above."""
    gap = ""
    if data and not data.endswith(b"\n"):
        gap = "\n\n"
    elif data and not data.endswith((b"\n\n", b"\n\r\n")):
        gap = "\n"
    return days.encode(gap + text, data)


def replace_section(root: Root, section: Section, session: Session, *, language: str) -> Written:
    def written(day: Day, _lines: str) -> str:
        headings = language_for(day, language, [session])
        return format_signed(session, language=headings, open_fences=day.open_fences)

    return Written(session, rewrite_section(root, section, written))


def remove_section(root: Root, section: Section) -> None:
    """Remove a section; its number is not used again."""
    rewrite_section(root, section, lambda _day, _lines: "")


def renumber(root: Root, section: Section) -> int:
    """Give a section the next free number of its day."""
    day = section.session.date
    number = max(days.load_day(root, day).last_number, _given(root, day)) + 1

    def written(_day: Day, lines: str) -> str:
        return markdown.renumbered(lines, number)

    rewrite_section(root, section, written)
    return number


def rewrite_section(root: Root, section: Section, written: Callable[[Day, str], str]) -> str:
    """Replace a section with `written(day, lines)`, or remove it if that is empty; return the text.

    The file is checked again just before it is replaced, so no edit by hand is lost.
    """
    path = days.day_path(root, section.session.date)
    text = ""

    def changed(data: bytes) -> bytes:
        nonlocal text
        day = days.parse_bytes(data, section.session.date, path)
        found = next((s for s in day.sections if s.session == section.session), None)
        if found is None:
            message = filled("{} changed while it was being written", section.session.id)
            raise ConflictError(message, hint="run the command again")
        text = written(day, days.decode(days.cut(data, found.span)).replace("\r\n", "\n"))
        span = found.span if text else days.with_gap(data, found.span)
        return days.splice(data, span, days.encode(text, data))

    replace.rewrite(path, changed, root.modes)
    return text
