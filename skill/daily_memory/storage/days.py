"""Day files: which there are, what they say, and how a section is added to one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import date

from daily_memory.core.format import markdown
from daily_memory.core.format.markdown import Day
from daily_memory.core.progress import Progress, watched
from daily_memory.errors import BackendError, ConflictError, DailyMemoryError
from daily_memory.model import Problem, Section, Session, Span
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.roots import Root

_DAY_NAME = re.compile(r"^([0-9]{4})-([0-9]{2})-([0-9]{2})\.md\Z")
# Longer ones are no numbers to whoever reads the file.
_MOST_NUMBER = 999_999_999
# How often a change is tried again when an editor saves the file at the same moment.
_ATTEMPTS = 5
# To read so many takes two seconds.
_MOST_SECTIONS = 30_000
_BOM = b"\xef\xbb\xbf"

Row = tuple[str, int, int, int]


class DayFile(NamedTuple):
    """A day file as the folder lists it."""

    name: str
    size: int
    modified_ns: int
    changed_ns: int

    @property
    def stamp(self) -> Stamp:
        return self.size, self.modified_ns, self.changed_ns

    @property
    def day(self) -> date:
        return date.fromisoformat(self.name[:10])

    def path(self, root: Root) -> str:
        return os.path.join(root.daily_folder, self.name)


def day_of(name: str) -> date | None:
    """Return the day that a file name stands for, None for any other name.

    >>> day_of("2026-01-29.md"), day_of("2026-02-30.md")
    (datetime.date(2026, 1, 29), None)
    """
    match = _DAY_NAME.match(name)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def day_path(root: Root, day: date) -> str:
    """Return where the file of a day is, or would be."""
    return os.path.join(root.daily_folder, f"{day.isoformat()}.md")


def list_days(root: Root, *, newest: int = 0, last: date = date.max) -> list[DayFile]:
    """Return the regular day files, oldest first. Links and what is no file are not followed.

    Where only so many of the newest are wanted, up to a `last` day, no others are looked at.
    """
    return [DayFile(*row) for row in day_rows(root, newest, last) if day_of(row[0])]


def day_rows(root: Root, newest: int = 0, last: date = date.max) -> list[Row]:
    """Return what a DayFile holds for each name that looks like a day, at the least cost.

    Every search asks this of every file: whether there is such a day is left to `list_days`.
    """
    rows = []
    try:
        with os.scandir(root.daily_folder) as listed:
            entries = [
                entry
                for entry in listed
                if _DAY_NAME.match(entry.name) and entry.is_file(follow_symlinks=False)
            ]
            if newest:
                found = ((day_of(entry.name), entry) for entry in entries)
                real = [entry for day, entry in found if day and day <= last]
                entries = sorted(real, key=lambda entry: entry.name)[-newest:]
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # one that goes away at this moment must not hide the others
                stamp = status.st_size, status.st_mtime_ns, status.st_ctime_ns
                rows.append((entry.name, *stamp))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError as error:
        raise files.refused(root.daily_folder, "read", error) from error
    return sorted(rows)


def large_days(root: Root, most_mb: float) -> list[DayFile]:
    """Return the day files that are larger than so many megabytes, oldest first."""
    return [file for file in list_days(root) if file.size > most_mb * 1_000_000]


def odd_files(root: Root) -> list[Problem]:
    """Return a problem for each thing in `daily/` that will not be read."""
    try:
        names = sorted(os.listdir(root.daily_folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    problems = []
    for name in names:
        path = os.path.join(root.daily_folder, name)
        if day_of(name) and os.path.islink(path):
            problems.append(Problem(path, 0, "is a link; it is not followed"))
        elif day_of(name) and not os.path.isfile(path):
            problems.append(Problem(path, 0, "is not a regular file"))
        elif not day_of(name) and not name.startswith(".") and name.endswith(".md"):
            problems.append(Problem(path, 0, "is not named like a day, YYYY-MM-DD.md; not read"))
    return problems


# ---------------------------------------------------------------------------- reading


def decode(data: bytes) -> str:
    """Return the text of a file; bytes that are no UTF-8 become U+FFFD, lines stay lines."""
    return data.removeprefix(_BOM).decode("utf-8", "replace")


def load_day(root: Root, day: date) -> Day:
    """Return what the file of a day says; an absent day has no sessions."""
    path = day_path(root, day)
    return parse_bytes(files.find_bytes(path) or b"", day, path)


def parse_bytes(data: bytes, day: date, path: str) -> Day:
    """Return what the bytes of a day file say.

    Raises:
        BackendError: it has more sections than anybody's day.
    """
    if data.count(b"\n## ") > _MOST_SECTIONS:
        message = f"{path!r} has more than {_MOST_SECTIONS} sections, and is not read"
        raise BackendError(message, hint="split it, or move it away")
    parsed = markdown.parse_day(decode(data), day, path)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem(path, line, "is not UTF-8 from here on; save it as UTF-8")
        return parsed._replace(problems=(problem, *parsed.problems))
    return parsed


def each_day(
    root: Root,
    *,
    first: date = date.min,
    last: date = date.max,
    progress: Progress | None = None,
) -> Iterator[Day]:
    """Yield the days that are there, oldest first. One that can't be read is a problem in it."""
    listed = [file for file in list_days(root) if first <= file.day <= last]
    for file in watched(listed, progress):
        yield load_listed(root, file)


def load_listed(root: Root, file: DayFile) -> Day:
    """Return what a listed day says; one that can't be read is a problem in it."""
    path = file.path(root)
    try:
        return parse_bytes(files.read_bytes(path), file.day, path)
    except DailyMemoryError as error:
        return Day(file.day, (), (Problem(path, 0, error.message),))


def find_section(root: Root, day: date, number: int, copy: int = 1) -> Section | None:
    """Return one session of a day with its lines, None where there is none."""
    for section in load_day(root, day).all_sections:
        if (section.session.number, section.session.copy) == (number, copy):
            return section
    return None


def conversations(root: Root) -> set[str]:
    """Return the ids of all conversations that the root knows."""
    known = set()
    for file in list_days(root):
        data = files.find_bytes(file.path(root)) or b""
        if b'"conversation"' in data:
            lines = decode(data).split("\n")
            known |= {markdown.parse_facts(line).get("conversation", "") for line in lines}
    from daily_memory.storage import archive_files  # as below

    for day in archive_files.each_day(root):
        known |= {section.session.conversation for section in day.sections}
    return known - {""}


def load_data(root: Root, day: date) -> bytes:
    """Return the bytes of a day file; none where it can't be read."""
    try:
        return files.find_bytes(day_path(root, day)) or b""
    except DailyMemoryError:
        return b""


def load_lines(root: Root, day: date) -> list[str]:
    """Return the lines of a day file; an empty one where it can't be read."""
    return decode(load_data(root, day)).split("\n")


def section_at(data: bytes, day: date, span: Span) -> Section | None:
    """Return the section that stands on these lines; None where there is not just that."""
    # A search reads one section of most days: it decodes no other.
    lines = decode(cut(data, span).removesuffix(b"\n")).split("\n")
    session = markdown.parse_section(lines, day)
    return Section(session, span) if session else None


# ---------------------------------------------------------------------------- writing


class Written(NamedTuple):
    """A session as it was written: with its number, and the text of its section."""

    session: Session
    text: str


# How the text of a section is made: `markdown.format_section`, or what adds something to it.
Format = Callable[..., str]


def append_session(
    root: Root, session: Session, *, language: str, formatted: Format = markdown.format_section
) -> Written:
    """Add a session at the end of its day, durably, and return it with its number.

    A number that the session brings is kept where that day has not given it yet; another one is
    above all that the day and the journal know. Call it with the lock held.
    """
    return append_sessions(root, [session], language=language, formatted=formatted)[0]


def append_sessions(
    root: Root,
    sessions: list[Session],
    *,
    language: str,
    formatted: Format = markdown.format_section,
    given: int | None = None,
) -> list[Written]:
    """Add sessions of one day in one write; see `append_session`.

    `given` is the highest number that the journal knows of that day, for whoever has read it.
    """
    from daily_memory.storage.fs import append  # as below

    path = day_path(root, sessions[0].date)
    data = files.find_bytes(path) or b""
    day = parse_bytes(data, sessions[0].date, path)
    given = _given(root, day.date) if given is None else given
    written = [
        Written(
            session,
            formatted(
                session,
                language=language_for(day, language, [session]),
                open_fences=day.open_fences,
            ),
        )
        for session in numbered(sessions, _with_archived(root, day), given)
    ]
    files.make_folder(root.daily_folder, root.modes)
    head = title(day.date, language_for(day, language, sessions)) if not data else ""
    text = head + "\n".join(text for _, text in written)
    append.append(root, path, _joined(data, text))
    return written


def _given(root: Root, day: date) -> int:
    """Return the highest number that the journal or the archive knows of a day."""
    from daily_memory.storage import journal  # a search, which writes nothing, goes without

    given = journal.last_number(root, day)
    if not _is_archived(root, day):
        return given
    from daily_memory.storage import archive_files  # hardly ever

    return max(given, archive_files.last_number(root, day))


def _with_archived(root: Root, day: Day) -> Day:
    """Return a day with what its archive says too: a number that stands there is taken."""
    if not _is_archived(root, day.date):
        return day
    from daily_memory.storage import archive_files  # hardly ever

    stored = archive_files.load_day(root, day.date).sections
    return day._replace(sections=(*day.sections, *stored))


def _is_archived(root: Root, day: date) -> bool:
    name = f"{day.isoformat()}.md.gz"
    return os.path.exists(os.path.join(root.archive_folder, f"{day.year:04}", name))


def language_for(day: Day, wanted: str, sessions: list[Session]) -> str:
    """Return the language of the headings: what the day says comes first."""
    if day.language in markdown.TITLES:
        return day.language
    return markdown.heading_language(wanted, sessions)


def numbered(sessions: list[Session], day: Day, given: int) -> list[Session]:
    """Return the sessions with the numbers that they get in a day; `given` as above.

    None gets a number that another one brings.
    """
    taken = {section.session.number for section in day.sections}
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
    """Return what a new day file begins with."""
    return f"# {day.isoformat()} {markdown.TITLES[language]}\n\n"


def _joined(data: bytes, text: str) -> bytes:
    """Return what to append so that one empty line parts it from what is there."""
    newline = "\r\n" if b"\r\n" in data else "\n"
    gap = ""
    if data and not data.endswith(b"\n"):
        gap = newline * 2
    elif data and not data.endswith((b"\n\n", b"\n\r\n")):
        gap = newline
    return (gap + text.replace("\n", newline)).encode("utf-8", "replace")


def cut(data: bytes, span: Span) -> bytes:
    """Return the lines of a span, with the end of the last one."""
    first, end = _offsets(data, span)
    return data[first:end]


def place(data: bytes, span: Span) -> tuple[int, int]:
    """Return the bytes from where up to where the lines of a span stand."""
    return _offsets(data, span)


def splice(data: bytes, span: Span, replacement: bytes) -> bytes:
    """Return a file with other lines in the place of a span; every other byte stays."""
    first, end = _offsets(data, span)
    return data[:first] + replacement + data[end:]


def _offsets(data: bytes, span: Span) -> tuple[int, int]:
    lines = data.split(b"\n", span.last)
    first = sum(len(line) + 1 for line in lines[: span.first - 1])
    length = sum(len(line) + 1 for line in lines[span.first - 1 : span.last])
    return first, min(first + length, len(data))


def replace_section(
    root: Root,
    section: Section,
    session: Session,
    *,
    language: str,
    formatted: Format = markdown.format_section,
) -> Written:
    """Put a session in the place of a section; see `rewrite_section`."""

    def written(day: Day, _lines: str) -> str:
        headings = language_for(day, language, [session])
        return formatted(session, language=headings, open_fences=day.open_fences)

    return Written(session, rewrite_section(root, section, written))


def remove_section(root: Root, section: Section) -> None:
    """Take a section out of its day; see `rewrite_section`. Its number is not given again."""
    rewrite_section(root, section, lambda _day, _lines: "")


def renumber(root: Root, section: Section) -> int:
    """Give a section the next number that its day has not given; nothing else in it moves."""
    day = section.session.date
    number = max(load_day(root, day).last_number, _given(root, day)) + 1

    def written(_day: Day, lines: str) -> str:
        return markdown.renumbered(lines, number)

    rewrite_section(root, section, written)
    return number


def rewrite_section(root: Root, section: Section, written: Callable[[Day, str], str]) -> str:
    """Put what `written(day, lines)` returns in the place of a section, and touch nothing else.

    The file is read, and looked at again just before it is replaced: whatever a person saved
    meanwhile is kept. Without a text the section is gone. Returns the new text. Call it with the
    lock held.

    Raises:
        ConflictError: the section is no longer there, or the file kept changing.
    """
    path = day_path(root, section.session.date)
    for _ in range(_ATTEMPTS):
        expected = files.stamp(path)
        data = files.find_bytes(path) or b""
        day = parse_bytes(data, section.session.date, path)
        found = next((s for s in day.sections if s.session == section.session), None)
        if found is None:
            break
        text = written(day, decode(cut(data, found.span)).replace("\r\n", "\n"))
        newline = "\r\n" if b"\r\n" in data else "\n"
        replacement = text.replace("\n", newline).encode("utf-8", "replace")
        span = found.span if text else with_gap(data, found.span)
        try:
            replaced = splice(data, span, replacement)
            files.replace(path, replaced, root.modes, expected=expected)
            return text
        except ConflictError:
            continue  # somebody saved the file meanwhile: it is read again
    raise ConflictError(
        f"{section.session.id} changed while it was being written", hint="run the command again"
    )


def with_gap(data: bytes, span: Span) -> Span:
    """Return the span with the empty line behind it, which parted the section from the next."""
    lines = data.split(b"\n")
    is_gap = span.last < len(lines) - 1 and not lines[span.last].strip()
    return span._replace(last=span.last + 1) if is_gap else span
