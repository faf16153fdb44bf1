"""Reads a Markdown note of another program as a session."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import NamedTuple

from daily_memory.core.format import day_scan
from daily_memory.core.format.front_matter import parse_front_matter

HOST = "notes"

_DATED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])[ _-]*")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t#]*$")
_ZONE = re.compile(r"[ \t]+([+-][0-9:]+)$")
_TOPIC_CHARS = 80


class NoteFile(NamedTuple):
    """A note: its path with slashes, from the name of its folder on, its text, its last change."""

    name: str
    text: str
    changed_at: datetime


def parse_note(file: NoteFile, local: Callable[[datetime], datetime]) -> dict[str, object]:
    """Return a note as `save` reads a session: a text for each heading; {} for an empty note.

    The front matter may give `title`, `tags` and a date (`created`, `created_at` or `date`).
    Without it the first heading or the file's name is the topic, and the date comes from the
    name or from the file. `local` turns a moment with a zone into the user's local time.
    """
    lines = file.text.split("\n")
    front = parse_front_matter(lines)
    stem = file.name.rpartition("/")[2].removesuffix(".md")
    title = str(front.values.get("title") or "")
    notes = []
    for level, heading, text in _parts(lines[front.line_count :]):
        if level == 1 and (not title or heading == title):
            title, heading = heading, ""
        if text.strip():
            notes.append({"heading": heading, "text": text})
    if not notes:
        return {}
    named = _DATED.match(stem)
    moment = _created(front.values) or (named and _parse_moment(named[1])) or file.changed_at
    if isinstance(moment, datetime) and moment.tzinfo:
        moment = local(moment)
    return {
        "topic": _short(title or (stem[named.end() :] if named else "") or stem),
        "notes": notes,
        "tags": _tags(front.values.get("tags")),
        "date": moment.strftime("%Y-%m-%d"),
        "time": moment.strftime("%H:%M:%S") if isinstance(moment, datetime) else "",
        "source": HOST,
        "conversation": f"{HOST}/{file.name.removesuffix('.md')}",
    }


def _parts(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield level and text of each heading, with the text below it; code fences are text."""
    blocks = day_scan.fenced_blocks(lines)
    fenced = {place for _, start, end in blocks for place in range(start, end + 1)}
    level, heading, text = 0, "", [""]
    for place, line in enumerate(lines):
        match = None if place in fenced else _HEADING.match(line)
        if match:
            yield level, heading, "\n".join(text)
            level, heading, text = len(match[1]), match[2], []
        else:
            text.append(line)
    yield level, heading, "\n".join(text)


def _created(values: dict[str, object]) -> datetime | date | None:
    texts = (str(values.get(name) or "") for name in ("created", "created_at", "date"))
    return next((moment for moment in map(_parse_moment, texts) if moment), None)


def _parse_moment(text: str) -> datetime | date | None:
    with contextlib.suppress(ValueError):
        return date.fromisoformat(text.strip())
    with contextlib.suppress(ValueError):
        # YAML allows a space before the zone.
        return datetime.fromisoformat(_ZONE.sub(r"\1", text.strip().replace("Z", "+00:00")))
    return None


def _tags(value: object) -> list[str]:
    tags = value if isinstance(value, list) else str(value or "").split(",")
    return [str(tag).strip() for tag in tags if str(tag).strip()]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TOPIC_CHARS else f"{line[: _TOPIC_CHARS - 1]}…"
