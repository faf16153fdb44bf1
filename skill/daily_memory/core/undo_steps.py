"""One change to sections and how to undo it, as JSON."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from daily_memory.model import Session

_OBSERVED = re.compile(r"^observations/[0-9]{4}-[0-9]{2}-[0-9]{2}/[^/\\]+\.jsonl\Z")
_ID = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}#(?:0|[1-9][0-9]{0,8})(?:~[1-9][0-9]{0,3})?\Z")

DELETE, EDIT, MARK, MERGE = "delete", "edit", "mark", "merge"
ARCHIVE, RESTORE, IMPORT = "archive", "restore", "import"
_ACTIONS = (DELETE, EDIT, MARK, MERGE, ARCHIVE, RESTORE, IMPORT)

# What happened to the sections of a day: other texts stand in their place, or nothing; they were
# added; they were moved into the archive, or out of it.
CHANGED, ADDED, ARCHIVED, RESTORED = "", "added", "archived", "restored"
_KINDS = (CHANGED, ADDED, ARCHIVED, RESTORED)


class Blanked(NamedTuple):
    """Bytes of a live session that were blanked: the file, and their places."""

    path: str
    begins: int
    text: str


class SectionChange(NamedTuple):
    """What happened to one section.

    `before` are its lines as they were, with the empty line below a section that went; `after` what
    was put in their place, "" for nothing; `begins` is where, in bytes of the day. Bytes that are
    no UTF-8 are kept as lone surrogates. Of a section that was added or moved there is no text;
    `digest` is that of one that was added.
    """

    id: str
    topic: str
    before: str
    after: str = ""
    begins: int = 0
    origin: str = ""
    observed: tuple[Blanked, ...] = ()
    digest: str = ""

    @property
    def is_removal(self) -> bool:
        return bool(self.before and not self.after)


class ChangedDay(NamedTuple):
    """The changes in one day, in file order: all deletions, or none.

    `left` is the digest of the file as it was left, `others` the ids of the sections that were not
    touched. `files` are those of live sessions that were moved as well.
    """

    date: str
    left: str
    others: tuple[str, ...]
    changes: tuple[SectionChange, ...]
    kind: str = CHANGED
    files: tuple[str, ...] = ()

    @property
    def is_moved(self) -> bool:
        return self.kind in (ARCHIVED, RESTORED)

    def has(self, session: Session) -> bool:
        return any(change.id == str(session.id) for change in self.changes)

    @property
    def is_deleted(self) -> bool:
        return self.kind == CHANGED and not any(change.after for change in self.changes)


class Operation(NamedTuple):
    """One undoable operation; `at` is UTC, `action` as above.

    The days are in the order in which they were changed; in a merge one may come twice. An undo
    has the action that it took back, and in `undoes` its id; what took back an undo has in `redoes`
    the id of what it did again. `others` are files that an import brought beside the sessions.
    """

    id: str
    at: str
    action: str
    days: tuple[ChangedDay, ...]
    undoes: str = ""
    redoes: str = ""
    others: tuple[str, ...] = ()

    @property
    def is_undo(self) -> bool:
        return bool(self.undoes and not self.redoes)

    @property
    def is_empty(self) -> bool:
        return not any(day.changes or day.files for day in self.days)

    @property
    def changes(self) -> tuple[SectionChange, ...]:
        return tuple(change for day in self.days for change in day.changes)

    @property
    def topics(self) -> dict[str, str]:
        """The distinct section ids with their topics."""
        return {change.id: change.topic for change in self.changes}


def is_numbered(session_id: str) -> bool:
    """Tell whether an id names a section, not text outside of sections."""
    return not re.search(r"#0(?:~|\Z)", session_id)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def text_digest(data: bytes) -> str:
    """Return a digest of a section's lines, independent of line ends."""
    return digest(data.replace(b"\r\n", b"\n").strip())


def added(session: Session, text: str) -> SectionChange:
    """Return the change of adding a section."""
    data = text.encode("utf-8", "replace")
    return SectionChange(str(session.id), session.topic, "", digest=text_digest(data))


def moved(kind: str, sections: Iterable[tuple[str, str]], files: Sequence[str]) -> list[ChangedDay]:
    """Return what a move of sections, by id and topic, and of live sessions changed, day by day."""
    by_day: dict[str, list[SectionChange]] = {}
    for id_, topic in sections:
        by_day.setdefault(id_[:10], []).append(SectionChange(id_, topic, ""))
    found = [ChangedDay(day, "", (), tuple(changes), kind=kind) for day, changes in by_day.items()]
    if files:
        found.append(ChangedDay(files[0].split("/")[1], "", (), (), kind=kind, files=tuple(files)))
    return found


def without(operation: Operation, is_unwanted: Callable[[SectionChange], bool]) -> Operation:
    days = [
        _with_changes(day, [change for change in day.changes if not is_unwanted(change)])
        for day in operation.days
    ]
    return operation._replace(days=tuple(day for day in days if day.changes or day.files))


def with_days(operation: Operation, days: Sequence[ChangedDay]) -> Operation:
    """Return an operation with more days, replacing earlier plans for the same sections."""
    planned = {(day.is_moved, change.id) for day in days for change in day.changes}
    earlier = [
        _with_changes(
            day, [change for change in day.changes if (day.is_moved, change.id) not in planned]
        )
        for day in operation.days
    ]
    kept = (day for day in (*earlier, *days) if day.changes or day.files)
    return operation._replace(days=tuple(kept))


def _with_changes(day: ChangedDay, changes: Sequence[SectionChange]) -> ChangedDay:
    if len(changes) == len(day.changes):
        return day
    # Where the others were in the file is not known any more: they go where there is room.
    return day._replace(left="", changes=tuple(changes))


def format_operation(operation: Operation) -> bytes:
    """Return an operation as JSON; its id is the file name."""
    fields = {
        "version": "1.0",
        "at": operation.at,
        "action": operation.action,
        "undoes": operation.undoes,
        "redoes": operation.redoes,
        "others": operation.others,
    }
    # Day by day: the fields of all days of a large import would take a hundred megabytes. ASCII:
    # JSON has an escape for half of a surrogate pair, UTF-8 has none.
    days = ",\n".join([json.dumps(_day_fields(day), sort_keys=True) for day in operation.days])
    rest = json.dumps(fields, sort_keys=True)
    return f'{{"days": [\n{days}\n], {rest[1:]}\n'.encode()


def _day_fields(day: ChangedDay) -> dict[str, Any]:
    changes = [
        {**change._asdict(), "observed": [item._asdict() for item in change.observed]}
        for change in day.changes
    ]
    return {**day._asdict(), "changes": changes}


def parse_operation(data: bytes, id_: str) -> Operation:
    try:
        fields = json.loads(data)
        days = tuple(_parse_day(day) for day in fields["days"])
        at = datetime.fromisoformat(fields["at"]).isoformat()
        if fields["action"] not in _ACTIONS:
            raise ValueError("no such action")
        undoes, redoes = (str(fields.get(name, "")) for name in ("undoes", "redoes"))
        others = tuple(map(str, fields.get("others", ())))
        return Operation(id_, at, fields["action"], days, undoes, redoes, others)
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError("not an operation") from error


def _parse_day(fields: Any) -> ChangedDay:
    changes = tuple(_parse_change(change) for change in fields["changes"])
    others = tuple(map(str, fields["others"]))
    day = date.fromisoformat(fields["date"]).isoformat()
    kind, names = fields.get("kind", CHANGED), tuple(map(str, fields.get("files", ())))
    if kind not in _KINDS or not all(map(_OBSERVED.match, names)):
        raise ValueError("no such kind, or not a file of a live session")
    return ChangedDay(day, str(fields["left"]), others, changes, kind, names)


def _parse_change(fields: Any) -> SectionChange:
    texts = {name: str(fields[name]) for name in _CHANGE_TEXTS}
    if not _ID.match(texts["id"]):
        raise ValueError("not an id")
    observed = tuple(
        Blanked(str(item["path"]), int(item["begins"]), str(item["text"]))
        for item in fields["observed"]
    )
    if not all(_OBSERVED.match(item.path) for item in observed):
        # The file may come from a repository, which must not choose where we write.
        raise ValueError("not a file of a live session")
    digest = str(fields.get("digest", ""))
    return SectionChange(**texts, begins=int(fields["begins"]), observed=observed, digest=digest)


_CHANGE_TEXTS = ("id", "topic", "before", "after", "origin")
