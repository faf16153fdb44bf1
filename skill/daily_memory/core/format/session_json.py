"""A session as JSON: what `save` and `import` read, and what `list`, `show` and `export` give."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from daily_memory.core.format import markdown
from daily_memory.core.format.markdown import clean_language, clean_tag
from daily_memory.core.hosts.names import host_name
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.errors import InvalidInputError
from daily_memory.model import (
    IMPORTANT_TAGS,
    OUTDATED_TAGS,
    PRIVATE_TAGS,
    Code,
    Note,
    Session,
    SessionId,
    days_before,
)
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TEXTS = ("topic", "summary", *markdown.FACT_FIELDS)
_LISTS = ("key_points", "decisions", "open_questions", "next_steps", "files")
_FLAGS = {"important": IMPORTANT_TAGS, "outdated": OUTDATED_TAGS, "private": PRIVATE_TAGS}
# Fields of our own answers, ignored in input.
_DERIVED = ("id", "copy", "path", "line_range", "scope", "lang", "store")
_KNOWN = {*_TEXTS, *_LISTS, *_FLAGS, *_DERIVED, "code", "tags", "notes", "date", "time", "session"}
# An object without any of these is no session.
TELLING = frozenset(("id", "session", "topic", "summary", *_LISTS, "code", "notes", "tags"))
_DATE = lazy_pattern(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_TIME = lazy_pattern(r"^(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?\Z")
# `\Z` and not `$`, which would accept a line break after the id.
_ID = lazy_pattern(r"^([0-9]{4}-[0-9]{2}-[0-9]{2})#(0|[1-9][0-9]{0,8})(?:~([1-9][0-9]{0,3}))?\Z")
# Before the last colon is the memory. A name may have anything in it, also a colon.
_SCOPED = lazy_pattern(
    r"(?s)(.+):([0-9]{4}-[0-9]{2}-[0-9]{2}(?:#[^:]*|/[^:]*:[^:]*)|[^\W\d_]+#[^:]*)\Z"
)


class Draft(NamedTuple):
    """A session read from JSON, with warnings about unusable parts."""

    session: Session
    warnings: tuple[str, ...] = ()


def parse_session(data: Mapping[str, object], now: datetime, *, is_exact: bool = False) -> Draft:
    """Return the session in a JSON object; date and time default to `now`.

    With `is_exact` it is taken as it stands, also if it says nothing, or has empty items or blanks
    around a text: a day file may well have those, and exported and imported it is the same.
    """
    fields: dict[str, Any] = {name: _text(data, name) for name in _TEXTS}
    if not is_exact:
        fields.update({name: fields[name].strip() for name in ("topic", "summary")})
        fields["source"] = host_name(fields["source"])
    fields["continues"] = split_id(fields["continues"])[1]  # of its own memory
    fields.update({name: _texts(data, name, is_exact=is_exact) for name in _LISTS})
    day = parse_date(data["date"]) if data.get("date") is not None else now.date()
    session = Session(
        day,
        _number(data),
        _time(data, day, now),
        code=_code(data),
        tags=_tags(data),
        notes=_notes(data, is_exact=is_exact),
        **fields,
    )
    if not is_exact:
        _check_content(session)
    unknown = sorted(set(map(str, data)) - _KNOWN)
    return Draft(session, tuple(filled("unknown key {!r} was ignored", name) for name in unknown))


def format_session(session: Session) -> dict[str, object]:
    """Return the session as a JSON object, the same everywhere."""
    return {
        "id": str(session.id),
        "date": session.date.isoformat(),
        "session": session.number,
        "time": session.time,
        "topic": session.topic,
        "summary": session.summary,
        **{name: list(getattr(session, name)) for name in _LISTS},
        "code": [block._asdict() for block in session.code],
        "notes": [note._asdict() for note in session.notes],
        "tags": list(session.tags),
        "important": session.is_important,
        "outdated": session.is_outdated,
        "private": session.is_private,
        **{name: getattr(session, name) or None for name in markdown.FACT_FIELDS},
    }


def parse_date(value: object, name: str = "date") -> date:
    """Return the day of a text such as `2026-01-29`."""
    try:
        # `fromisoformat` alone would take `20260129` and other forms from Python 3.11 on.
        if isinstance(value, str) and _DATE.match(value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise _wrong(name, value, "a date such as 2026-01-29")


# Words for the latest days, and how many days ago those are.
_DAY_WORDS = {"today": 0, "今天": 0, "今日": 0, "yesterday": 1, "昨天": 1, "昨日": 1, "前天": 2}


def named_day(text: str, today: date) -> date | None:
    """Return the day that a word such as `yesterday` or `昨天` means, None for other texts."""
    age_days = _DAY_WORDS.get(text.strip().casefold())
    return None if age_days is None else days_before(today, age_days)


def parse_id(value: object) -> SessionId:
    """Parse an id such as `2026-01-29#1` or `2026-01-29#1~2`."""
    match = _ID.match(value) if isinstance(value, str) else None
    if not match:
        raise _wrong("id", value, "an id such as 2026-01-29#1")
    number, copy = int(match.group(2)), int(match.group(3) or 1)
    return SessionId(parse_date(match.group(1), "id"), number, copy)


def split_id(text: str) -> tuple[str, str]:
    """Return the label of the memory in an id, "" for none, and the rest of the id.

    >>> split_id("global:2026-01-29#1"), split_id("2026-01-29#1")
    (('global', '2026-01-29#1'), ('', '2026-01-29#1'))
    >>> split_id("shop:2026-01-29/3f2a-77:12")
    ('shop', '2026-01-29/3f2a-77:12')
    """
    match = _SCOPED.match(text) if ":" in text else None
    return (match.group(1), match.group(2)) if match else ("", text)


_HINTS = {
    "id": "`memory list` shows the ids",
    "day": "YYYY-MM-DD, with all its zeros",
    **dict.fromkeys(("since", "until", "before"), "words such as yesterday and 上周 work too"),
}


def _wrong(name: str, value: object, wanted: str) -> InvalidInputError:
    # The value itself may be memory text: only its beginning is told, and only of short ones.
    shown = repr(value) if len(repr(value)) <= 40 else f"a {type(value).__name__}"
    # An option says in the help what it takes.
    is_option = name.startswith("--")
    where = "see the help of this command" if is_option else "see docs/commands.md, `save`"
    hint = _HINTS.get(name.lstrip("-"), where)
    return InvalidInputError("{}: {} is not {}", name, shown, wanted, hint=hint)


def _clean(text: str) -> str:
    if text.isascii():
        return text
    # Half a surrogate pair has no UTF-8 form: one bad character must not lose the session.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong(name, value, "a text")
    return _clean(value)


def _texts(data: Mapping[str, object], name: str, *, is_exact: bool = False) -> tuple[str, ...]:
    value = data.get(name)
    items = [value] if isinstance(value, str) else value if value is not None else []
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
        raise _wrong(name, value, "a list of texts")
    return tuple(_clean(item) for item in items if is_exact or item.strip())


def _time(data: Mapping[str, object], day: date, now: datetime) -> str:
    value = data.get("time")
    if value is None or value == "":
        return now.strftime("%H:%M:%S") if day == now.date() and value is None else ""
    if not isinstance(value, str) or not _TIME.match(value):
        raise _wrong("time", value, "a time such as 10:30:45")
    return value.rjust(len(value) + (value[1] == ":"), "0")


def _number(data: Mapping[str, object]) -> int:
    value = data.get("session")
    return value if type(value) is int and 0 < value < 1_000_000_000 else 0


def _code(data: Mapping[str, object]) -> tuple[Code, ...]:
    value = data.get("code")
    if value is None or value == "":
        return ()
    blocks = [value] if isinstance(value, (str, dict)) else value
    if not isinstance(blocks, (list, tuple)):
        raise _wrong("code", value, 'a list of {"language", "text"}')
    return tuple(_code_block(block) for block in blocks)


def _code_block(block: object) -> Code:
    if isinstance(block, str):
        return Code("", _clean(block))
    if not isinstance(block, dict) or not isinstance(block.get("text"), str):
        raise _wrong("code", block, 'an object with "language" and "text"')
    return Code(clean_language(_text(block, "language")), _clean(block["text"]))


def _tags(data: Mapping[str, object]) -> tuple[str, ...]:
    value = data.get("tags")
    given = value.split() if isinstance(value, str) else list(_texts(data, "tags"))
    tags = [clean_tag(_clean(tag)) for tag in given]
    present = {tag.casefold() for tag in tags}
    for flag, names in _FLAGS.items():
        is_set = data.get(flag)
        if is_set is not None and not isinstance(is_set, bool):
            raise _wrong(flag, is_set, "true or false")
        if is_set and not present & names:
            tags.append(flag)
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def _notes(data: Mapping[str, object], *, is_exact: bool) -> tuple[Note, ...]:
    value = data.get("notes") or []
    if not isinstance(value, (list, tuple)) or not all(isinstance(note, dict) for note in value):
        raise _wrong("notes", value, 'a list of {"heading", "text"}')
    notes = [Note(_heading(_text(note, "heading")), _text(note, "text")) for note in value]
    if not is_exact:
        notes = [note._replace(text=note.text.strip()) for note in notes]
    above = "\n\n".join(note.text for note in notes if not note.heading)
    below = [note for note in notes if note.heading]
    return (*([Note("", above)] if above else []), *below)


def _heading(text: str) -> str:
    heading = " ".join(text.split())
    # Below one of our own headings, the text would be parsed as another field.
    return f"{heading} *" if markdown.field_of(heading) else heading


def _check_content(session: Session) -> None:
    if not any((session.topic, session.summary, session.key_points, session.notes)):
        message = "nothing to save: there is no topic, no key point, no summary and no message"
        raise InvalidInputError(message, hint='give at least {"topic": "…"}')
