"""The Markdown notes of other programs, as JSON objects of sessions.

* basic-memory: a note a file, with front matter (`title`, `tags`, `permalink`), statements such as
  `- [decision] text #tag (context)` and relations such as `- requires [[Other note]]`.
  https://docs.basicmemory.com/concepts/knowledge-format
* memsearch: `YYYY-MM-DD.md`, in it `## Session HH:MM`, below it a `### HH:MM` for each turn with a
  comment `<!-- session:ID turn:ID transcript:PATH -->` and a list.
  https://zilliztech.github.io/memsearch/platforms/claude-code/how-it-works
* OpenClaw: `MEMORY.md` and `USER.md`, daily notes `memory/YYYY-MM-DD.md`, and a file for each
  session that was saved, `memory/YYYY-MM-DD-words.md`, that begins `# Session: DATE TIME UTC`.
  https://docs.openclaw.ai/concepts/memory
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timezone
from typing import NamedTuple

from daily_memory.core.format.front_matter import parse_front_matter

BASIC_MEMORY = "basic-memory"
MEMSEARCH = "memsearch"
OPENCLAW = "openclaw"

Data = dict[str, object]

_DATED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:-(.+))?\.md\Z")
_NAMED_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
# A check box, `[ ]` or `[x]`, and a link, `[text](…)`, are no category.
_STATEMENT = re.compile(r"^[-*][ \t]+\[(?![ xX]\])([^\[\]()]{1,60})\][ \t]+(\S.*)$")
_HASHTAG = re.compile(r"(?<!\S)#([^\s#()\[\],;]+)")
_ITEM = re.compile(r"^[-*][ \t]+(.*)$")
_TURN = re.compile(r"^<!--.*?\bsession:(\S+).*-->[ \t]*$")
_SESSION = re.compile(r"^Session[ \t]+([0-9]{1,2}:[0-9]{2})")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ZONE = re.compile(r"[ \t]+([+-][0-9:]+)$")
_CLOCK = re.compile(r"^[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?$")
_SAVED = re.compile(r"^Session:[ \t]+([0-9-]{10})[ \t]+([0-9:]{8})[ \t]+UTC$")
_FACT = re.compile(r"^- \*\*(Session Key|Session ID|Source)\*\*:[ \t]*(.*)$")
_FIELDS = {
    **dict.fromkeys(("decision", "decided", "决定", "决策"), "decisions"),
    **dict.fromkeys(("question", "open", "risk", "问题", "风险"), "open_questions"),
    **dict.fromkeys(("todo", "next", "next_step", "action", "待办", "下一步"), "next_steps"),
}
# Of a workspace of OpenClaw: facts and decisions, and what the user prefers.
_LASTING = ("memory.md", "user.md")
_TOPIC_CHARS = 80


class File(NamedTuple):
    """A note: its path below the folder, its text, and when the file was made or changed."""

    name: str
    text: str
    at: datetime


class Part(NamedTuple):
    """A heading with its level, and the lines below it; above all, the level is 0."""

    level: int
    heading: str
    lines: list[str]


def parts_of(lines: list[str]) -> list[Part]:
    """Return a text cut at its headings; what looks like one in a fence of code is none."""
    parts = [Part(0, "", [])]
    for line, is_code in _told_apart(lines):
        heading = None if is_code else _HEADING.match(line)
        if heading:
            parts.append(Part(len(heading.group(1)), heading.group(2), []))
        else:
            parts[-1].lines.append(line)
    return parts


def _told_apart(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it is code or the fence of it."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        yield line, bool(fence or mark)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence):
            fence = ""


# ---------------------------------------------------------------------------- basic-memory


def parse_basic_memory(file: File, local: Callable[[datetime], datetime]) -> list[Data]:
    """Return the session of a note of basic-memory; wiki links stay as they are written."""
    lines = file.text.split("\n")
    front = parse_front_matter(lines)
    values = front.values
    tags = _listed(values.get("tags"))
    found: dict[str, list[str]] = {}
    notes: list[Data] = []
    title = str(values.get("title") or "")
    for part in parts_of(lines[front.line_count :]):
        if part.level == 1 and (not title or part.heading == title):
            title = title or part.heading
            part = part._replace(heading="")
        rest = []
        for line, is_code in _told_apart(part.lines):
            stated = None if is_code else _STATEMENT.match(line)
            if stated:
                category, text = stated.group(1).strip(), stated.group(2)
                field = _FIELDS.get(category.casefold(), "key_points")
                said = text if field != "key_points" else f"[{category}] {text}"
                found.setdefault(field, []).append(said)
                tags += _HASHTAG.findall(text)
            else:
                rest.append(line)
        if "".join(rest).strip():
            notes.append({"heading": part.heading, "text": "\n".join(rest)})
    if not (found or notes or values):
        return []
    topic = title or file.name.rpartition("/")[2].removesuffix(".md")
    day = _NAMED_DAY.match(file.name.rpartition("/")[2])
    when = _moment(values, _moment({"date": day.group()}, file.at) if day else file.at)
    if isinstance(when, datetime) and when.tzinfo:
        when = local(when)
    key = str(values.get("permalink") or file.name.removesuffix(".md"))
    return [
        {
            **found,
            **_when(when),
            "topic": topic,
            "notes": notes,
            "tags": tags,
            "source": BASIC_MEMORY,
            "conversation": f"{BASIC_MEMORY}/{key}",
        }
    ]


def _listed(value: object) -> list[str]:
    if isinstance(value, list):
        return [str(item) for item in value]
    return [item.strip() for item in str(value or "").split(",") if item.strip()]


def _moment(values: dict[str, object], otherwise: datetime | date) -> datetime | date:
    for name in ("created", "created_at", "date"):
        value = str(values.get(name) or "").strip()[:40]
        with contextlib.suppress(ValueError):
            return date.fromisoformat(value)
        with contextlib.suppress(ValueError):
            # YAML lets a blank stand before the zone.
            return datetime.fromisoformat(_ZONE.sub(r"\1", value.replace("Z", "+00:00")))
    return otherwise


def _when(moment: datetime | date) -> Data:
    if isinstance(moment, datetime):
        return {"date": moment.date().isoformat(), "time": moment.strftime("%H:%M:%S")}
    return {"date": moment.isoformat(), "time": ""}


# ---------------------------------------------------------------------------- memsearch


def parse_memsearch(file: File, _local: Callable[[datetime], datetime]) -> list[Data]:
    """Return a session for each `## Session` of a day of memsearch."""
    day = _day_of(file)
    if not day:
        return []
    sessions: list[list[Part]] = []
    for part in parts_of(file.text.split("\n")):
        if part.level in (1, 2) or not sessions:
            sessions.append([])
        sessions[-1].append(part)
    made = (_memsearch_session(parts, day[0], place) for place, parts in enumerate(sessions, 1))
    return [data for data in made if data]


def _memsearch_session(parts: list[Part], day: str, place: int) -> Data:
    head = _SESSION.match(parts[0].heading)
    clocks = [part.heading for part in parts if _CLOCK.match(part.heading)]
    time = head.group(1) if head else next(iter(clocks), "")
    turns = [
        found.group(1) for part in parts for line in part.lines if (found := _TURN.match(line))
    ]
    points: list[str] = []
    for part in parts:
        if part.heading and not (_CLOCK.match(part.heading) or _SESSION.match(part.heading)):
            points.append(part.heading)
        points += _points([line for line in part.lines if not _TURN.match(line)])
    if not points:
        return {}
    ids = dict.fromkeys(turns)
    return {
        "date": day,
        "time": time,
        "topic": _short(points[0]),
        "key_points": points,
        "source": MEMSEARCH,
        # The id that the assistant gave it: a hook or another import may know it too.
        "conversation": next(iter(ids)) if len(ids) == 1 else f"{MEMSEARCH}/{day}/{place}",
    }


def _points(lines: list[str]) -> list[str]:
    """Return the items of a list, each with the lines that belong to it; other text is one each."""
    points: list[str] = []
    is_open = False
    for line in lines:
        item = _ITEM.match(line)
        if item:
            points.append(item.group(1))
        elif not line.strip():
            is_open = False
            continue
        elif is_open:
            points[-1] += "\n" + line.strip()
        else:
            points.append(line.strip())
        is_open = True
    return [point for point in points if point.strip()]


# ---------------------------------------------------------------------------- OpenClaw


def parse_openclaw(file: File, local: Callable[[datetime], datetime]) -> list[Data]:
    """Return the session of a note of OpenClaw: a day, a session that was saved, or what lasts."""
    day = _day_of(file)
    name = file.name.rpartition("/")[2]
    if not day and name.casefold() not in _LASTING:
        return []
    lines = file.text.split("\n")
    front = parse_front_matter(lines)
    parts = parts_of(lines[front.line_count :])
    facts = dict(_facts(parts))
    notes = list(_notes(parts))
    if not notes:
        return []
    when: Data = {"date": day[0], "time": ""} if day else _when(file.at)
    saved = next((found for part in parts if (found := _SAVED.match(part.heading))), None)
    if saved:
        told = datetime.fromisoformat(f"{saved.group(1)}T{saved.group(2)}")
        when = _when(local(told.replace(tzinfo=timezone.utc)))
    titles = (part.heading for part in parts if part.level == 1 and not _DATE.search(part.heading))
    slug = day[1].replace("-", " ") if day else ""
    said = next((str(note["heading"]) for note in notes if note["heading"]), "")
    topic = slug or next(titles, "") or said or _first_line(str(notes[0]["text"]))
    return [
        {
            **when,
            "topic": _short(topic),
            "notes": notes,
            "tags": [] if day else ["important"],
            "source": OPENCLAW,
            "conversation": facts.get("Session ID") or f"{OPENCLAW}/{name}",
        }
    ]


def _first_line(text: str) -> str:
    line = next(line for line in text.split("\n") if line.strip())
    item = _ITEM.match(line)
    return item.group(1) if item else line


def _facts(parts: list[Part]) -> Iterator[tuple[str, str]]:
    for part in parts:
        if _SAVED.match(part.heading):
            found = (_FACT.match(line) for line in part.lines)
            yield from ((fact.group(1), fact.group(2)) for fact in found if fact)


def _notes(parts: list[Part]) -> Iterator[Data]:
    for part in parts:
        is_head = bool(_SAVED.match(part.heading))
        lines = [line for line in part.lines if not (is_head and _FACT.match(line))]
        if "".join(lines).strip():
            heading = "" if part.level <= 1 else part.heading
            yield {"heading": heading, "text": "\n".join(lines)}


def _day_of(file: File) -> tuple[str, str] | None:
    """Return the day and the words in the name of a file, None where it has no day."""
    match = _DATED.match(file.name.rpartition("/")[2])
    try:
        is_day = match and date.fromisoformat(match.group(1))
    except ValueError:
        return None
    return (match.group(1), match.group(2) or "") if match and is_day else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TOPIC_CHARS else f"{line[: _TOPIC_CHARS - 1]}…"


PARSERS: dict[str, Callable[[File, Callable[[datetime], datetime]], list[Data]]] = {
    BASIC_MEMORY: parse_basic_memory,
    MEMSEARCH: parse_memsearch,
    OPENCLAW: parse_openclaw,
}
