"""Find stored sessions: all of them, those of some days, or one by its id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from heapq import merge

from daily_memory.core.format import session_json
from daily_memory.core.format.markdown import Day
from daily_memory.errors import ConflictError, NotFoundError
from daily_memory.model import Section, Session, SessionId, Span
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage import days
from daily_memory.storage.index import refresh
from daily_memory.storage.roots import Root
from daily_memory.text import filled


class StoredSession(NamedTuple):
    """A session as it is on disk: its root, its file and its lines.

    `origin` is who else wrote it, "" for the user: git's answer goes before what the section says.
    For an `archived` one the lines are those of the unpacked file.
    """

    session: Session
    root: Root
    path: str
    span: Span
    origin: str = ""
    archived: bool = False

    @property
    def id(self) -> str:
        """Its id as users see it."""
        return self.root.scoped(self.session.id)


class SessionFilter(NamedTuple):
    """Which sessions to show: with all these tags, of a project, or only those by others.

    `names` are the present and former names of the project.
    """

    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    is_foreign: bool = False

    def has(self, session: Session, root: Root) -> bool:
        """Tell whether a session of a root has the tags and the project."""
        is_of_project = not self.names or {session.project, root.project} & {*self.names}
        return bool(is_of_project) and _folded(self.tags) <= _folded(session.tags)

    def takes(self, stored: StoredSession) -> bool:
        is_wanted = bool(stored.origin) or not self.is_foreign
        return is_wanted and self.has(stored.session, stored.root)


def _folded(tags: Iterable[str]) -> set[str]:
    return {tag.casefold().lstrip("#") for tag in tags}


ANY = SessionFilter()


def sessions(
    roots: Sequence[Root],
    chosen: SessionFilter | None = None,
    *,
    first: date = date.min,
    last: date = date.max,
    archived: bool = False,
    loaded: Iterable[Day] | None = None,
) -> Iterator[StoredSession]:
    """Yield the sessions of a period, oldest first in each root; `archived` adds the archive.

    `loaded` are all days of the only root, if the caller has read them.
    """
    for root in roots:
        origins = refresh.load_origins(root)
        listed = (
            stored_session(root, section, origins)
            for day in loaded or days.each_day(root, first=first, last=last)
            for section in day.all_sections
        )
        if archived:
            packed = archived_sessions([root], first=first, last=last)
            listed = merge(
                packed, listed, key=lambda item: (item.session.date, item.session.number)
            )
        yield from filter(chosen.takes, listed) if chosen else listed


def newest(
    roots: Sequence[Root],
    chosen: SessionFilter,
    *,
    first: date = date.min,
    last: date = date.max,
    archived: bool = False,
) -> Iterator[StoredSession]:
    """Yield the sessions of a period, newest first; each day is read when it is reached."""
    listed = [_newest_of(root, first, last) for root in roots]
    if archived:
        listed += [
            reversed(list(archived_sessions([root], first=first, last=last))) for root in roots
        ]
    together = merge(*listed, key=lambda stored: stored.session.date, reverse=True)
    return filter(chosen.takes, together)


def _newest_of(root: Root, first: date, last: date) -> Iterator[StoredSession]:
    origins = refresh.load_origins(root)
    for file in reversed(days.list_days(root)):
        if first <= file.day <= last:
            for section in reversed(days.load_listed(root, file).all_sections):
                yield stored_session(root, section, origins)


def archived_sessions(
    roots: Sequence[Root], *, first: date = date.min, last: date = date.max
) -> Iterator[StoredSession]:
    """Yield the archived sessions of a period, oldest first in each root."""
    from daily_memory.storage import archive_files  # rarely needed

    for root in roots:
        for day in archive_files.each_day(root, first=first, last=last):
            for section in day.all_sections:
                yield _archived_session(root, section)


def _archived_session(root: Root, section: Section) -> StoredSession:
    from daily_memory.storage import archive_files  # as above

    session = section.session
    path = archive_files.day_path(root, session.date)
    return StoredSession(session, root, path, section.span, session.origin, archived=True)


def _find_archived(roots: Sequence[Root], wanted: SessionId) -> list[StoredSession]:
    """Return the archived session with this id of each root that has one."""
    from daily_memory.storage import archive_files  # as above

    sections = ((root, archive_files.find_section(root, wanted)) for root in roots)
    return [_archived_session(root, section) for root, section in sections if section]


def named_roots(roots: Sequence[Root], text: str) -> tuple[list[Root], str]:
    """Return the roots that an id may belong to, and the id without its label."""
    label, id_ = session_json.split_id(text)
    found = [root for root in roots if root.is_called(label)] if label else list(roots)
    if label and not found:
        known = ", ".join(root.label or root.project for root in roots) or "none"
        message = filled("no memory {!r} is asked here", label)
        raise NotFoundError(message, hint=filled("asked: {}; `memory projects` lists all", known))
    return found, id_


def owning_root(roots: Sequence[Root], text: str) -> tuple[Root, SessionId]:
    """Return the one root that an id belongs to, and the id without its label.

    A bare id belongs to the project's own root, or to the only root: a change must never hit
    another session.
    """
    label, bare = session_json.split_id(text)
    wanted = session_json.parse_id(bare)
    found, _ = named_roots(roots, text)
    if not label and len(found) != 1:
        found = [root for root in roots if root.is_own]
        if not found:
            raise missing_error(wanted, others=roots)
    return found[0], wanted


def get(roots: Sequence[Root], text: str) -> StoredSession:
    """Return the session with this id; see `owning_root`."""
    return get_many(roots, [text])[0]


def get_all(
    roots: Sequence[Root], text: str, chosen: SessionFilter = ANY, *, archived: bool = False
) -> list[StoredSession]:
    """Return the sessions that an id may mean: one from each root."""
    asked, bare = named_roots(roots, text)
    wanted = session_json.parse_id(bare)
    stored = [
        stored_session(root, section, refresh.load_origins(root))
        for root in asked
        if (section := days.find_section(root, wanted))
    ]
    if archived:
        stored += _find_archived(asked, wanted)
    matches = list(filter(chosen.takes, stored))
    if not matches:
        raise missing_error(wanted, asked)
    return matches


def unambiguous(found: Sequence[StoredSession]) -> StoredSession:
    """Return the one of these sessions that their common id means."""
    first, *others = found
    if others and not first.root.is_own and first.root.path != others[0].root.path:
        hint = filled("name one of them: {}", ", ".join(dict.fromkeys(one.id for one in found)))
        raise ConflictError("several memories have a session {}", first.session.id, hint=hint)
    return first


def get_many(roots: Sequence[Root], texts: Sequence[str]) -> tuple[StoredSession, ...]:
    """Return the sessions with these ids, each once; see `owning_root`."""
    sections: dict[tuple[str, date], dict[SessionId, Section]] = {}
    found = []
    wanted = dict.fromkeys(owning_root(roots, text) for text in texts)
    origins = {
        root: refresh.load_origins(root) for root in dict.fromkeys(root for root, _ in wanted)
    }
    asked: dict[tuple[str, date], set[SessionId]] = {}
    for root, id_ in wanted:
        asked.setdefault((root.path, id_.date), set()).add(id_)
    for root, id_ in wanted:
        place = root.path, id_.date
        if place not in sections:
            of_day = days.load_outline(root, id_.date).sections(asked[place])
            sections[place] = {section.session.id: section for section in of_day}
        if id_ not in sections[place]:
            raise missing_error(id_, [root], others=[item for item in roots if item != root])
        found.append(stored_session(root, sections[place][id_], origins[root]))
    return tuple(found)


def missing_error(
    wanted: SessionId, roots: Sequence[Root] = (), others: Sequence[Root] = ()
) -> NotFoundError:
    """Return the error that a session is in none of these roots; its hint says where it is."""
    from daily_memory.storage import archive_files  # rarely needed

    shown = roots[0].scoped(wanted) if len(roots) == 1 else str(wanted)
    stored = [root for root in roots if archive_files.find_section(root, wanted)]
    if stored:
        shown = stored[0].scoped(wanted)
        hint = filled(
            "`memory show {} --archived` shows it, `memory restore {}` brings it back", shown, shown
        )
        return NotFoundError("session {} is archived", shown, hint=hint)
    elsewhere = [root.scoped(wanted) for root in others if days.find_section(root, wanted)]
    if elsewhere and shown == str(wanted):
        where = "in this project" if roots else "without the name of its memory"
        hint = filled("did you mean {}?", " or ".join(elsewhere))
        return NotFoundError("no session {} {}", wanted, where, hint=hint)
    return NotFoundError(
        "no session {}",
        shown,
        hint=filled("run `memory show {}` to see that day's sessions", wanted.date),
    )


def stored_session(root: Root, section: Section, origins: Mapping[SessionId, str]) -> StoredSession:
    """Return a section of a root with its place and origin."""
    session = section.session
    origin = origins.get(session.id) or session.origin
    return StoredSession(session, root, days.day_path(root, session.date), section.span, origin)
