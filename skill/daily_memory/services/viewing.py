"""Looking at what is there: all sessions, one day, one session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from heapq import merge

from daily_memory.core.format import session_json
from daily_memory.core.watching import Progress
from daily_memory.errors import NotFoundError
from daily_memory.model import Section, Session, SessionId, Span
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days, indexing
from daily_memory.storage.days import DayFile
from daily_memory.storage.roots import Root


class Found(NamedTuple):
    """A session as it stands on disk: its root, its file and its lines.

    `origin` is where it came from, "" for the user's own: what git knows goes before what the
    section says of itself. Of an `archived` one the lines are those of the unpacked file.
    """

    session: Session
    root: Root
    path: str
    span: Span
    origin: str = ""
    archived: bool = False


def sessions(
    roots: Sequence[Root],
    *,
    first: date = date.min,
    last: date = date.max,
    is_foreign: bool = False,
    archived: bool = False,
    progress: Progress | None = None,
) -> Iterator[Found]:
    """Yield the sessions of these days, oldest first in each root; of others only, if so asked.

    With `archived`, those in the archive as well.
    """
    for root in roots:
        origins = indexing.load_origins(root)
        listed = (
            found_at(root, section, origins)
            for day in days.each_day(root, first=first, last=last, progress=progress)
            for section in day.sections
        )
        if archived:
            from daily_memory.services import archiving  # only where it was asked for

            packed = archiving.archived([root], first=first, last=last)
            listed = merge(packed, listed, key=lambda one: (one.session.date, one.session.number))
        yield from (found for found in listed if found.origin or not is_foreign)


class Page(NamedTuple):
    """Some days with their sessions, the newest first; `next` is before what the next page begins.

    `next` is None where there are no more.
    """

    days: tuple[tuple[date, tuple[Found, ...]], ...]
    next: date | None = None


class Browsed(NamedTuple):
    """What of a memory is looked at: days before one, so many, with what tags, of what project.

    `names` are all that the project has or had.
    """

    before: date | None = None
    days: int = 7
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    is_foreign: bool = False


def browse(roots: Sequence[Root], wanted: Browsed) -> Page:
    """Return a page of the days that have such sessions, the newest first."""
    before = wanted.before or date.max
    files: dict[date, list[tuple[Root, DayFile]]] = {}
    for root in roots:
        for file in days.list_days(root):
            files.setdefault(file.day, []).append((root, file))
    origins = {root.path: indexing.load_origins(root) for root in roots}
    shown: list[tuple[date, tuple[Found, ...]]] = []
    for day in sorted((day for day in files if day < before), reverse=True):
        if len(shown) == wanted.days:
            return Page(tuple(shown), shown[-1][0])
        found = [
            found_at(root, section, origins[root.path])
            for root, file in files[day]
            for section in days.load_listed(root, file).sections
        ]
        kept = tuple(one for one in found if _is_browsed(one, wanted))
        if kept:
            shown.append((day, kept))
    return Page(tuple(shown))


def _is_browsed(found: Found, wanted: Browsed) -> bool:
    tags = {tag.casefold() for tag in found.session.tags}
    return bool(
        {tag.casefold() for tag in wanted.tags} <= tags
        and (not wanted.names or _projects(found).intersection(wanted.names))
        and (bool(found.origin) or not wanted.is_foreign)
    )


def _projects(found: Found) -> set[str]:
    return {found.session.project, found.root.project} - {""}


def get(roots: Sequence[Root], text: str) -> Found:
    """Return the session with this id, from the first root that has it.

    Raises:
        InvalidInputError: it is not an id.
        NotFoundError: no root has it.
    """
    wanted = session_json.parse_id(text)
    for root in roots:
        section = days.find_section(root, wanted.date, wanted.number, wanted.copy)
        if section:
            return found_at(root, section, indexing.load_origins(root))
    raise missing(wanted, roots)


def get_all(roots: Sequence[Root], text: str, *, archived: bool = False) -> list[Found]:
    """Return the session with this id of each root that has one, with `archived` also there.

    Raises:
        InvalidInputError: it is not an id.
    """
    wanted = session_json.parse_id(text)
    found = []
    for root in roots:
        section = days.find_section(root, wanted.date, wanted.number, wanted.copy)
        if section:
            found.append(found_at(root, section, indexing.load_origins(root)))
    if archived:
        from daily_memory.services import archiving  # only where it was asked for

        found += archiving.get_all(roots, wanted)
    return found


def get_many(roots: Sequence[Root], texts: Sequence[str]) -> tuple[Found, ...]:
    """Return the sessions with these ids, each once, as `get` does; each day is read once.

    Raises:
        InvalidInputError: one is not an id.
        NotFoundError: no root has one of them.
    """
    wanted = list(dict.fromkeys(session_json.parse_id(text) for text in texts))
    found: dict[SessionId, Found] = {}
    for root in roots:
        left = [one for one in wanted if one not in found]
        for day in sorted({one.date for one in left}):
            sections = {s.session.id: s for s in days.load_day(root, day).sections}
            there = [sections[one] for one in left if one.date == day and one in sections]
            found.update((s.session.id, found_at(root, s, {})) for s in there)
        if any(one.root is root for one in found.values()):
            origins = indexing.load_origins(root)
            for id_, one in found.items():
                if one.root is root:
                    found[id_] = one._replace(origin=origins.get(id_) or one.origin)
    for id_ in wanted:
        if id_ not in found:
            raise missing(id_, roots)
    return tuple(found[id_] for id_ in wanted)


def missing(wanted: SessionId, roots: Sequence[Root] = ()) -> NotFoundError:
    """Return the error for a session that is not there; it tells whether it is archived."""
    from daily_memory.storage import archive  # only where something is missing

    name = wanted.date, wanted.number, wanted.copy
    if any(archive.find_section(root, *name) for root in roots):
        hint = (
            f"`memory show {wanted} --archived` shows it, `memory restore {wanted}` brings it back"
        )
        return NotFoundError(f"session {wanted} is archived", hint=hint)
    return NotFoundError(
        f"no session {wanted}", hint=f"run `memory show {wanted.date}` to see that day's sessions"
    )


def as_json(found: Found, *, names_project: bool = False) -> dict[str, object]:
    """Return a session as the JSON object that every door gives, with where it stands.

    With `names_project` it has that of its root where it tells none: there are several.
    """
    project = found.root.project if names_project else ""
    return {
        **session_json.format_session(found.session),
        "project": found.session.project or project or None,
        "origin": found.origin or None,
        "scope": found.root.scope,
        "root": found.root.path,
        "path": relative_path(found),
        "line_range": list(found.span),
        **({"archived": True} if found.archived else {}),
    }


def relative_path(found: Found) -> str:
    """Return the file below its root, with forward slashes on every system."""
    if found.archived:
        from daily_memory.storage import archive  # only where it was asked for

        return archive.relative_path(found.session.date)
    return f"daily/{found.session.date.isoformat()}.md"


def found_at(root: Root, section: Section, origins: Mapping[SessionId, str]) -> Found:
    """Return a section of a root with where it stands, and whose it is."""
    session = section.session
    origin = origins.get(session.id) or session.origin
    return Found(session, root, days.day_path(root, session.date), section.span, origin)
