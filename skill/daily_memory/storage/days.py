"""Lists and reads day files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate, count, islice
from operator import add

from daily_memory.core.format import markdown
from daily_memory.core.format.markdown import Day, Outline
from daily_memory.errors import BackendError, DailyMemoryError
from daily_memory.model import Problem, Section, SessionId, Span
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.fs.files import Stamp
from daily_memory.storage.roots import Root
from daily_memory.text import filled

_DAY_NAME = re.compile(r"^([0-9]{4})-([0-9]{2})-([0-9]{2})\.md\Z")
# To read so many takes two seconds.
_MOST_SECTIONS = 30_000
_BOM = b"\xef\xbb\xbf"

Row = tuple[str, int, int, int]


class DayFile(NamedTuple):
    """A day file as listed in its folder, not opened."""

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
    """Return the day of a file name, None for any other name.

    >>> day_of("2026-01-29.md"), day_of("2026-02-30.md")
    (datetime.date(2026, 1, 29), None)
    """
    match = _DAY_NAME.match(name)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def day_path(root: Root, day: date) -> str:
    return os.path.join(root.daily_folder, f"{day.isoformat()}.md")


def list_days(root: Root, *, newest: int = 0, last: date = date.max) -> list[DayFile]:
    """Return the regular day files, oldest first: all, or the `newest` up to the day `last`."""
    return [DayFile(*row) for row in day_rows(root, newest, last) if day_of(row[0])]


def day_rows(root: Root, newest: int = 0, last: date = date.max) -> list[Row]:
    """Return the fields of a DayFile for each name that looks like a day.

    Every search runs this on every file, so it skips the check for a real date.
    """
    try:
        names = sorted(filter(_DAY_NAME.match, os.listdir(root.daily_folder)))
        if newest:
            real = (name for name in reversed(names) if (day := day_of(name)) and day <= last)
            return sorted(islice(files.stamps(root.daily_folder, real), newest))
        return rows_of(root, names)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError as error:
        raise files.refused(root.daily_folder, "read", error) from error


def rows_of(root: Root, names: Iterable[str]) -> list[Row]:
    """Return the fields of a DayFile for each of these files that is there."""
    return list(files.stamps(root.daily_folder, names))


def large_days(root: Root, most_mb: float) -> list[DayFile]:
    """Return the day files above a size in megabytes, oldest first."""
    return [file for file in list_days(root) if file.size > most_mb * 1_000_000]


def odd_files(root: Root) -> list[Problem]:
    """Return a problem for each entry of `daily/` that is ignored."""
    problems = []
    for name in files.list_names(root.daily_folder):
        path = os.path.join(root.daily_folder, name)
        if day_of(name) and os.path.islink(path):
            problems.append(Problem(path, 0, "is a link; it is not followed"))
        elif day_of(name) and not os.path.isfile(path):
            problems.append(Problem(path, 0, "is not a regular file"))
        elif not day_of(name) and not name.startswith(".") and name.endswith(".md"):
            problems.append(Problem(path, 0, "is not named like a day, YYYY-MM-DD.md; not read"))
    return problems


def decode(data: bytes) -> str:
    """Return the text of a file; bytes that are not UTF-8 become U+FFFD."""
    return files.to_text(data.removeprefix(_BOM))


def find_data(root: Root, day: date) -> bytes | None:
    return files.find_bytes(day_path(root, day))


def load_day(root: Root, day: date) -> Day:
    """Return a parsed day; a missing day has no sessions."""
    return load_outline(root, day).parsed()


def load_outline(root: Root, day: date) -> Outline:
    """Return a day split into unparsed sections; a missing day has none."""
    return outline(find_data(root, day) or b"", day, day_path(root, day))


def parse_bytes(data: bytes, day: date, path: str) -> Day:
    return outline(data, day, path).parsed()


def outline(data: bytes, day: date, path: str) -> Outline:
    """Split the bytes of a day file into unparsed sections."""
    if data.count(b"\n## ") > _MOST_SECTIONS:
        message = filled("{!r} has more than {} sections, and is not read", path, _MOST_SECTIONS)
        raise BackendError(message, hint="split it, or move it away")
    made = markdown.outline(decode(data), day, path)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem(path, line, "is not UTF-8 from here on; save it as UTF-8")
        return made._replace(day=made.day._replace(problems=(problem, *made.day.problems)))
    return made


def each_day(root: Root, *, first: date = date.min, last: date = date.max) -> Iterator[Day]:
    """Yield the days, oldest first; a day that can't be read has a problem."""
    from daily_memory.core.progress import with_progress  # a search reads sections, not days

    listed = [file for file in list_days(root) if first <= file.day <= last]
    for file in with_progress(listed):
        yield load_listed(root, file)


def load_listed(root: Root, file: DayFile) -> Day:
    """Return a listed day; if it can't be read, that is a problem of the day."""
    path = file.path(root)
    try:
        return parse_bytes(files.read_bytes(path), file.day, path)
    except DailyMemoryError as error:
        return Day(file.day, (), (Problem(path, 0, error.message),))


def find_section(root: Root, wanted: SessionId) -> Section | None:
    """Return one session of a day with its lines, None if there is none."""
    found = load_outline(root, wanted.date).sections({wanted})
    return found[0] if found else None


def load_data(root: Root, day: date) -> bytes:
    """Return the bytes of a day file, empty if it can't be read."""
    try:
        return find_data(root, day) or b""
    except DailyMemoryError:
        return b""


def load_lines(root: Root, day: date) -> list[str]:
    """Return the lines of a day file, one empty line if it can't be read."""
    return decode(load_data(root, day)).split("\n")


def section_at(path: str, day: date, span: Span, start: int, stop: int) -> Section | None:
    """Return the section at exactly these lines of a file, None if it moved."""
    # A search reads one section of most days. The byte before it is the end of a line.
    before = min(start, 1)
    try:
        data = files.read_part(path, start - before, stop)
    except DailyMemoryError:
        return None
    section = data[before:]
    is_whole = data[:before] in (b"", b"\n") and len(section) == stop - start
    # The last line of a file may have no end.
    if not is_whole or section.count(b"\n", 0, -1) != span.last - span.first:
        return None
    session = markdown.parse_section(decode(section).split("\n"), day)
    return Section(session, span) if session else None


def cut(data: bytes, span: Span) -> bytes:
    """Return the bytes of a span, including its last line end."""
    return _joined(data.split(b"\n", span.last), span)


def cuts(data: bytes, sections: Iterable[Section]) -> Iterator[tuple[Section, bytes]]:
    """Yield each section with the bytes of its span; faster than `cut` for each."""
    lines = data.split(b"\n")
    for section in sections:
        yield section, _joined(lines, section.span)


def _joined(lines: list[bytes], span: Span) -> bytes:
    end = b"\n" if span.last < len(lines) else b""
    return b"\n".join(lines[span.first - 1 : span.last]) + end


def splice(data: bytes, span: Span, replacement: bytes) -> bytes:
    """Replace the lines of a span; every other byte stays."""
    return spliced(data, {span: replacement})


def spliced(data: bytes, replacements: Mapping[Span, bytes]) -> bytes:
    """Replace the lines of several spans at once; every other byte stays.

    >>> spliced(b"a\\nb\\nc\\n", {Span(3, 3): b"C\\n", Span(1, 1): b""})
    b'b\\nC\\n'
    """
    starts = line_starts(data)
    pieces, end = [], 0
    for span in sorted(replacements):
        pieces += [data[end : starts[span.first - 1]], replacements[span]]
        end = starts[span.last]
    return b"".join([*pieces, data[end:]])


def line_starts(data: bytes) -> list[int]:
    """Return the offset of each line, and of the end of the file."""
    starts = list(map(add, accumulate(map(len, data.split(b"\n")), initial=0), count()))
    starts[-1] = len(data)
    return starts


def encode(text: str, like: bytes) -> bytes:
    """Return text as bytes with the line ends of `like`."""
    newline = "\r\n" if b"\r\n" in like else "\n"
    return files.to_bytes(text.replace("\n", newline))


def with_gap(data: bytes, span: Span, starts: Sequence[int] = ()) -> Span:
    """Return the span with the empty line below it, which separated it from the next section.

    For many spans of one file, give its `line_starts`.
    """
    starts = starts or line_starts(data)
    is_gap = (
        span.last < len(starts) - 2 and not data[starts[span.last] : starts[span.last + 1]].strip()
    )
    return span._replace(last=span.last + 1) if is_gap else span
