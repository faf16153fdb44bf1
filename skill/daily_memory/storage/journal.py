"""What we appended in the last days, so that `doctor` can give back what an editor wiped out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from datetime import date, datetime, timedelta, timezone

from daily_memory.errors import BackendError, DamagedDataError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import deleted
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

NAME = "journal.jsonl"
KEEP_DAYS = 14
# That many stay however old they are: a clock that jumps ahead must not make us forget.
KEEP_RECORDS = 100
# Of what is written at once beyond this, an import, only the last number of each day is noted: the
# text is kept elsewhere, and each save reads the whole journal.
MOST_CHARS = 1_000_000


class JournalEntry(NamedTuple):
    """One section as we wrote it; `at` is UTC.

    `text` is "" where it was too much to keep, and where the section was deleted.
    """

    at: str
    id: str
    text: str


_ID = re.compile(rb'^\{"at": "[^"]*", "id": "([0-9#~-]+)"')
_UNREADABLE = JournalEntry("", "", "")


def add_records(root: Root, records: list[JournalEntry], now: datetime) -> None:
    """Record what was written. Needs the lock."""
    path = root.in_index(NAME)
    data = files.find_bytes(path) or b""
    # A power cut may have left half a line: it must not swallow the next.
    gap = b"" if not data or data.endswith(b"\n") else b"\n"
    if sum(len(record.text) for record in records) > MOST_CHARS:
        records = last_of_days(records)
    files.append(path, gap + _format(records), root.modes)
    oldest = format_moment(now, days_back=KEEP_DAYS)
    # Records are in order of time: while the first may stay, all may.
    if data.count(b"\n") > 2 * KEEP_RECORDS and parse_record(data.partition(b"\n")[0]).at < oldest:
        kept = load_records(root)
        recent = [record for record in kept[:-KEEP_RECORDS] if record.at >= oldest]
        files.replace(path, _format([*recent, *kept[-KEEP_RECORDS:]]), root.modes)


def last_of_days(records: list[JournalEntry]) -> list[JournalEntry]:
    """Return the last record of each day, without texts."""
    last = {record.id.partition("#")[0]: record for record in sorted(records, key=_number)}
    return [last[day]._replace(text="") for day in sorted(last)]


def forget_texts(
    root: Root, ids: Collection[str], is_forgotten: Callable[[str], bool] = lambda _: False
) -> None:
    """Erase the texts of sections, chosen by id or by `is_forgotten(text)`; the numbers stay."""
    data = files.find_bytes(root.in_index(NAME)) or b""
    kept = [
        record._replace(text="") if record.id in ids or is_forgotten(record.text) else record
        for record in load_records(root)
    ]
    # Compared as bytes, so that unknown fields, which may have text, go as well.
    if _format(kept) != data:
        files.replace(root.in_index(NAME), _format(kept), root.modes)


def format_moment(moment: datetime, *, days_back: int = 0) -> str:
    """Return a moment, or one some days earlier, as in records."""
    try:
        return (moment - timedelta(days=days_back)).astimezone(timezone.utc).isoformat()
    except OverflowError:  # a clock at an end of the calendar
        return moment.replace(tzinfo=timezone.utc).isoformat()


def load_records(root: Root) -> list[JournalEntry]:
    """Return the records, oldest first; unreadable lines are skipped."""
    data = files.find_bytes(root.in_index(NAME)) or b""
    return [record for record in map(parse_record, data.split(b"\n")) if record != _UNREADABLE]


def lines_by_id(root: Root) -> dict[str, list[bytes]]:
    """Return the unparsed lines of the journal by section id, for `parse_record`.

    A save looks for one section among those of two weeks.
    """
    try:
        data = files.find_bytes(root.in_index(NAME)) or b""
    except (BackendError, DamagedDataError):
        return {}
    found: dict[str, list[bytes]] = {}
    for line in data.split(b"\n"):
        match = _ID.match(line)
        if match:
            found.setdefault(match[1].decode(), []).append(line)
    return found


def last_number(root: Root, day: date) -> int:
    """Return the highest number used on a day, 0 for none; see `last_numbers`."""
    return last_numbers(root, day.isoformat()).get(day.isoformat(), 0)


def last_numbers(root: Root, day: str = "[0-9-]{10}") -> dict[str, int]:
    """Return the highest number used on each day, by journaled and deleted sections.

    If the number of a section that an editor wiped out were used again, it could not be restored.
    """
    highest: dict[str, int] = {}
    for path in (root.in_index(NAME), deleted.deleted_path(root)):
        try:
            data = files.find_bytes(path) or b""
        except (BackendError, DamagedDataError):
            continue  # what can't be read must not keep anybody from saving
        for name, number in re.findall(rb'"id": "(%b)#([0-9]{1,9})' % day.encode(), data):
            found = name.decode()
            highest[found] = max(int(number), highest.get(found, 0))
    return highest


def _number(record: JournalEntry) -> int:
    return int(record.id.partition("#")[2].partition("~")[0])


def parse_record(line: bytes) -> JournalEntry:
    """Return the record of a line, empty if it can't be read."""
    try:
        fields = json.loads(line)
        at, id_, text = (str(fields[name]) for name in ("at", "id", "text"))
        return JournalEntry(at, id_, text)
    except (ValueError, KeyError, TypeError):
        return _UNREADABLE


def _format(records: list[JournalEntry]) -> bytes:
    lines = (json.dumps(record._asdict(), ensure_ascii=False) + "\n" for record in records)
    return files.to_bytes("".join(lines))
